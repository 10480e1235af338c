//go:build !lean

package eval

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// Columns evaluates scalar affine functions for many values of the innermost index at a time. Each number is a list with one for each value, or a
// single one that holds for all; the same operations follow one another as for one value. The evaluator is at the first value.
type Columns struct {
	ev     *Evaluator
	at     int // of the index among ev.Indices
	lo, n  int // its values: n from lo on
	name   string
	varies map[*syntax.Node]bool // by node: the index occurs
	// Of a loop over one index: columns that stand in several functions, or in loops over the same values, are made once. nil: they are not kept.
	lists map[listKey][]float64
	rows  map[rowKey]dc.LoopRow
}

// Len is how many values there are.
func (c *Columns) Len() int { return c.n }

// newColumns is for the index at a place, of a loop over a single one or not.
func newColumns(ev *Evaluator, at int, name string, single bool) *Columns {
	c := &Columns{ev: ev, at: at, name: name, varies: map[*syntax.Node]bool{}}
	if single {
		c.lists, c.rows = map[listKey][]float64{}, map[rowKey]dc.LoopRow{}
	}
	return c
}

// fewestColumns is from how many values on columns are made. Source: a limit of time: a column has the cost of some values.
const fewestColumns = 32

// LoopColumns is Loop. many is asked to see to many values of the last index at once; where it returns false, body sees to the next one, and
// many is asked again after twice as many.
func (ev *Evaluator) LoopColumns(at *syntax.Node, bs []syntax.Binder, cond *syntax.Node, body func(), many func(c *Columns) bool) {
	if len(bs) == 0 {
		ev.Loop(at, bs, cond, body)
		return
	}
	last := bs[len(bs)-1].Names
	c := newColumns(ev, len(ev.Indices)+parts(bs[:len(bs)-1]), last[0], len(bs) == 1)
	left, failed := 0, 1
	ev.loop(at, bs, cond, body, func(lo, n int) int {
		if left--; left >= 0 || n < fewestColumns {
			return 0
		}
		c.begin(lo, min(n, mostColumns))
		if many(c) {
			ev.Spend(at, UnitsNumber*c.n)
			return c.n
		}
		left, failed = failed, 2*failed
		return 0
	})
}

// begin goes to n values from lo on.
func (c *Columns) begin(lo, n int) {
	c.lo, c.n = lo, n
	if c.lists == nil {
		return
	}
	last, ok := c.ev.columns.(*keptColumns)
	if !ok || last.lo != lo || last.n != n {
		last = &keptColumns{lo, n, map[listKey][]float64{}, map[rowKey]dc.LoopRow{}}
		c.ev.columns = last
	}
	c.lists, c.rows = last.lists, last.rows
}

// keptColumns are lists of numbers, and functions, of the values of an index, n from lo on, that stand in several sums of a statement.
type keptColumns struct {
	lo, n int
	lists map[listKey][]float64
	rows  map[rowKey]dc.LoopRow
}

// listKey is a list of numbers: those of an array, or multiples of a list.
type listKey struct {
	first *float64
	step  int
	w     float64
}

// rowKey are the functions of an array from a place on.
type rowKey struct {
	of          *dc.Affine
	first, step int
}

// parts is how many names binders have.
func parts(bs []syntax.Binder) int {
	n := 0
	for _, b := range bs {
		n += len(b.Names)
	}
	return n
}

// mostColumns is how many values have one column. Source: a limit of memory, and of the time between two looks at the context, some milliseconds.
const mostColumns = 1 << 20

// function is an affine function of each value as it is added up, see value.Accumulator.
type function struct {
	idx     [][]int32
	val     [][]float64
	c, size []float64
}

// depends reports whether the index occurs in n.
func (c *Columns) depends(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		return n.Name == c.name
	}
	v, ok := c.varies[n]
	if !ok {
		n.Each(func(a *syntax.Node) { v = v || c.depends(a) })
		for _, b := range n.Binders {
			v = v || c.depends(b.Set)
		}
		c.varies[n] = v
	}
	return v
}

// one is a number for all values.
func one(x float64) []float64 { return []float64{x} }

// get is number i of a list.
func get[T any](list []T, i int) T {
	if len(list) == 1 {
		return list[0]
	}
	return list[i]
}

// each is f of the numbers of two lists.
func (c *Columns) each(a, b []float64, f func(x, y float64) float64) []float64 {
	if len(a) == 1 && len(b) == 1 {
		return one(f(a[0], b[0]))
	}
	out := make([]float64, c.n)
	for i := range out {
		out[i] = f(get(a, i), get(b, i))
	}
	return out
}

// times are products. Those with one number for all are kept.
func (c *Columns) times(a, b []float64) []float64 {
	switch {
	case len(a) == 1 && a[0] == 1:
		return b
	case len(b) == 1 && b[0] == 1:
		return a
	case len(b) == 1:
		a, b = b, a
	}
	if len(a) > 1 || len(b) == 1 {
		return c.each(a, b, func(x, y float64) float64 { return x * y })
	}
	key := listKey{&b[0], 0, a[0]}
	out, ok := c.lists[key]
	if !ok {
		out = make([]float64, c.n)
		for i, v := range b {
			out[i] = a[0] * v
		}
		if c.lists != nil {
			c.lists[key] = out
		}
	}
	return out
}

// addNumber adds constants.
func (c *Columns) addNumber(f *function, x []float64) {
	f.c = c.each(f.c, x, func(a, b float64) float64 { return a + b })
	f.size = c.each(f.size, x, func(a, b float64) float64 { return a + math.Abs(b) })
}

// addRow adds w times functions.
func (c *Columns) addRow(f *function, w []float64, r *dc.LoopRow) {
	if len(r.Const) > 1 || r.Const[0] != 0 || r.Lost != 0 {
		f.c = c.each(f.c, c.times(w, r.Const), func(a, b float64) float64 { return a + b })
		size := c.each(r.Const, r.Const, func(a, _ float64) float64 { return math.Abs(a) + r.Lost })
		size = c.each(w, size, func(a, b float64) float64 { return math.Abs(a) * b })
		f.size = c.each(f.size, size, func(a, b float64) float64 { return a + b })
	}
	for t := range r.Idx {
		f.idx, f.val = append(f.idx, r.Idx[t]), append(f.val, c.times(w, r.Val[t]))
	}
}

// add is Evaluator.addTerm; ok is false where that has to be done one by one.
func (c *Columns) add(f *function, n *syntax.Node, w []float64) (ok bool) {
	ev, at := c.ev, c.ev.NoteOf(n)
	if at.Complex || at.OfComplex {
		return false
	}
	ev.Spend(n, UnitsNumber*c.n)
	if n.Op == syntax.OpNumber {
		c.addNumber(f, c.times(w, one(n.Num)))
		return true
	}
	if at.Open {
		switch n.Op {
		case syntax.OpSum:
			for k, a := range n.Args {
				if !c.add(f, a, c.times(one(WithSign(1, n.Minus[k])), w)) {
					return false
				}
			}
			return true
		case syntax.OpNeg:
			return c.add(f, n.Args[0], c.times(one(-1), w))
		case syntax.OpMul, syntax.OpDotMul:
			return c.addProduct(f, n, w)
		case syntax.OpDiv, syntax.OpDotDiv:
			return c.addQuotient(f, n, w)
		case syntax.OpReduce:
			if n.Name == "sum" {
				return false
			}
		}
	}
	return c.addSeen(f, c.view(n), w)
}

// addSeen adds w times a scalar.
func (c *Columns) addSeen(f *function, a seen, w []float64) bool {
	switch {
	case a.num != nil:
		c.addNumber(f, c.times(w, a.num))
	case a.row != nil:
		c.addRow(f, w, a.row)
	default:
		return false
	}
	return true
}

// addProduct is Evaluator.addProduct.
func (c *Columns) addProduct(f *function, n *syntax.Node, w []float64) bool {
	l, r := n.Args[0], n.Args[1]
	if n.Op == syntax.OpMul && (l.Op == syntax.OpMul && l.Args[0].Op == syntax.OpTrans || l.Op == syntax.OpTrans && r.Op == syntax.OpMul) {
		return false // maybe a quadratic form
	}
	a := c.view(l)
	if a.num != nil {
		return c.add(f, r, c.times(w, a.num))
	}
	b := c.view(r)
	if b.num != nil {
		return c.addSeen(f, a, c.times(w, b.num))
	}
	if n.Op != syntax.OpMul || !a.vector || !b.vector || !a.run && !b.run || a.count != b.count {
		return false
	}
	if a.v.Sort == value.AffineFunctions {
		a, b = b, a
	}
	if a.v.Sort != value.Numbers || b.v.Sort != value.AffineFunctions {
		return false
	}
	c.ev.Spend(n, a.count*c.n)
	for k := range a.count {
		row := c.functions(&b, k)
		if row == nil {
			return false
		}
		c.addRow(f, c.times(w, c.numbers(&a, k)), row)
	}
	return true
}

// addQuotient is Evaluator.addQuotient.
func (c *Columns) addQuotient(f *function, n *syntax.Node, w []float64) bool {
	a, b := c.view(n.Args[0]), c.view(n.Args[1])
	if b.num == nil || slices.Contains(b.num, 0) {
		return false
	}
	if a.num != nil {
		c.addNumber(f, c.times(w, c.each(a.num, b.num, func(x, y float64) float64 { return x / y })))
		return true
	}
	return c.addSeen(f, a, c.times(w, c.each(b.num, b.num, func(x, _ float64) float64 { return 1 / x })))
}

// seen is the value of an expression: numbers, functions, or a vector of either. The zero value is anything else.
type seen struct {
	num         []float64
	row         *dc.LoopRow
	v           value.Value // of which it is a vector
	vector, run bool        // it is one; it is a part of an array
	places      places
	step, count int
}

// places are those in an array, by value of the index: from first on by step, or those in the list.
type places struct {
	first, step int
	list        []int
}

func (p *places) at(i int) int {
	if p.list != nil {
		return p.first + p.list[i]
	}
	return p.first + i*p.step
}

// view is Evaluator.view.
func (c *Columns) view(n *syntax.Node) (s seen) {
	ev := c.ev
	if at := ev.NoteOf(n); at.Complex || at.OfComplex {
		return s
	}
	if !c.depends(n) {
		return c.fixed(ev.view(n))
	}
	ev.Spend(n, UnitsNumber*c.n)
	switch {
	case n.Op == syntax.OpIndex:
		return c.index(n)
	case n.Op == syntax.OpTrans:
		if s = c.view(n.Args[0]); s.row != nil {
			return seen{}
		}
		return s
	case n.Op == syntax.OpName || ev.withoutVariables(n):
		return seen{num: c.all(n)}
	case isSum(n):
		if r, ok := c.sum(n); ok && r.Lost == 0 && len(r.Idx) > 0 {
			s.row = &r
		}
	}
	return s
}

// isSum reports whether n is evaluated term by term.
func isSum(n *syntax.Node) bool {
	switch n.Op {
	case syntax.OpSum, syntax.OpNeg, syntax.OpMul, syntax.OpDotMul, syntax.OpDiv, syntax.OpDotDiv:
		return true
	}
	return false
}

// fixed is a view that is the same for all values.
func (c *Columns) fixed(a view) (s seen) {
	switch {
	case a.isNumber():
		s.num = one(a.v.X)
	case a.v.Sort != value.Numbers && a.v.Sort != value.AffineFunctions:
	case a.single && a.v.Sort == value.AffineFunctions, !a.run && !a.single && a.v.Sort == value.AffineFunctions && a.v.Scalar():
		s.row = rowOf(a.v.Linear(a.first))
	default:
		if run, ok := a.vector(); ok {
			s = seen{v: run.v, vector: true, run: a.run, places: places{first: run.first}, step: run.step, count: run.count}
		}
	}
	return s
}

// rowOf is one function for all values; nil: it has a coefficient 0.
func rowOf(l dc.Linear) *dc.LoopRow {
	r := &dc.LoopRow{Const: one(l.Const), Lost: l.ConstSize() - math.Abs(l.Const)}
	for t, j := range l.Idx {
		if l.Val[t] == 0 {
			return nil
		}
		r.Idx, r.Val = append(r.Idx, []int32{int32(j)}), append(r.Val, one(l.Val[t]))
	}
	return r
}

// all are the numbers that n stands for; nil where these are none.
func (c *Columns) all(n *syntax.Node) []float64 {
	ev := c.ev
	b := &ev.Indices[c.at]
	defer func() { b.At = c.lo }()
	out := make([]float64, c.n)
	for i := range out {
		b.At = c.lo + i
		v := ev.Operand(n)
		if !v.IsData() || !v.Scalar() {
			return nil
		}
		out[i] = v.X
	}
	return out
}

// index is Evaluator.Index.
func (c *Columns) index(n *syntax.Node) (s seen) {
	ev, base, args := c.ev, n.Args[0], n.Args[1:]
	if c.depends(base) {
		return s
	}
	v := ev.ArrayOf(base)
	if v.Sort != value.Numbers && v.Sort != value.AffineFunctions || v.Sets() != nil || len(args) != len(v.Shape) {
		return s
	}
	to, ok := places{}, false
	for d, a := range args {
		size := v.Shape[d]
		s.step *= size
		switch depends := c.depends(a); {
		case depends && a.Op != syntax.OpAll && a.Op != syntax.OpRange:
			if to, ok = c.place(n, a, &v, d, to.times(size)); !ok {
				return seen{}
			}
		case depends:
			return seen{}
		default:
			dim := ev.along(n, a, &v, d)
			if dim.list != nil || !dim.single && s.run {
				return seen{}
			}
			if to = to.times(size); !dim.single {
				s.vector, s.run, s.step, s.count = true, true, 1, dim.count
			}
			to.first += dim.first
		}
	}
	s.v, s.places = v, to
	switch {
	case s.run:
	case v.Sort == value.Numbers:
		return seen{num: c.numbers(&s, 0)}
	default:
		return seen{row: c.functions(&s, 0)}
	}
	return s
}

// times are the places of rows of so many entries.
func (p places) times(size int) places {
	out := places{first: p.first * size, step: p.step * size}
	if p.list != nil {
		out.list = make([]int, len(p.list))
		for i, k := range p.list {
			out.list[i] = k * size
		}
	}
	return out
}

// place adds the places in dimension d that an index names; ok is false where one is outside.
func (c *Columns) place(n, a *syntax.Node, v *value.Value, d int, to places) (_ places, ok bool) {
	lo, size := v.First(d), v.Shape[d]
	if a.Op == syntax.OpName && to.list == nil {
		to.first, to.step = to.first+c.lo-lo, to.step+1
		return to, c.lo >= lo && c.lo+c.n <= lo+size
	}
	num := c.view(a).num
	if num == nil {
		return to, false
	}
	list := make([]int, c.n)
	for i := range list {
		k, ok := Whole(get(num, i))
		if !ok || k < lo || k >= lo+size {
			return to, false
		}
		list[i] = to.at(i) + k - lo
	}
	return places{list: list}, true
}

// numbers are those of entry k of a vector of data.
func (c *Columns) numbers(a *seen, k int) []float64 {
	p := a.places
	p.first += k * a.step
	num := a.v.Num
	switch {
	case p.list == nil && p.step == 0:
		return one(num[p.first])
	case p.list == nil && p.step == 1:
		return slices.Clip(num[p.first : p.first+c.n])
	}
	key := listKey{&num[p.first], p.step, 0}
	out, ok := c.lists[key]
	if !ok || p.list != nil {
		out = make([]float64, c.n)
		for i := range out {
			out[i] = num[p.at(i)]
		}
		if c.lists != nil && p.list == nil {
			c.lists[key] = out
		}
	}
	return out
}

// functions are those of entry k of a vector of functions; nil where these have not as many coefficients each.
func (c *Columns) functions(a *seen, k int) *dc.LoopRow {
	p := a.places
	p.first += k * a.step
	if a.v.Aff == nil || p.list == nil && p.step == 0 {
		return rowOf(a.v.Linear(p.first))
	}
	key := rowKey{a.v.Aff, p.first, p.step}
	r, ok := c.rows[key]
	if !ok || p.list != nil {
		if r, ok = a.v.Aff.LoopRow(c.n, p.at); !ok {
			return nil
		}
		if c.rows != nil && p.list == nil {
			c.rows[key] = r
		}
	}
	return &r
}

// row is Evaluator.addRow.
func (c *Columns) row(n *syntax.Node) (r dc.LoopRow, ok bool) {
	at := c.ev.NoteOf(n)
	if at.Complex || at.OfComplex {
		return r, false
	}
	if at.Open && isSum(n) {
		return c.sum(n)
	}
	switch a := c.view(n); {
	case a.num != nil:
		return dc.LoopRow{Const: a.num}, true
	case a.row != nil:
		return *a.row, true
	}
	return r, false
}

// sum is the sum that is n, as Evaluator.linear has it.
func (c *Columns) sum(n *syntax.Node) (r dc.LoopRow, ok bool) {
	f := function{c: one(0), size: one(0)}
	if !c.add(&f, n, one(1)) {
		return r, false
	}
	return c.finish(&f, n)
}

// finish is the function that was added up.
func (c *Columns) finish(f *function, n *syntax.Node) (r dc.LoopRow, ok bool) {
	if !c.inOrder(f) {
		return r, false
	}
	c.ev.Spend(n, UnitsCoeff*len(f.idx)*c.n)
	r = dc.LoopRow{Idx: f.idx, Val: f.val, Const: f.c}
	if len(f.idx) == 0 {
		return r, true
	}
	for i := range max(len(f.c), len(f.size)) {
		r.Lost = max(r.Lost, get(f.size, i)-math.Abs(get(f.c, i)))
	}
	return r, true
}

// inOrder sorts the coefficients by variable and adds those of one variable. It returns false where the order is another one for some values, and
// where a coefficient is 0.
func (c *Columns) inOrder(f *function) bool {
	order := make([]int, len(f.idx))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(f.idx[a][0]) - int(f.idx[b][0]) })
	idx, val := make([][]int32, 0, len(order)), make([][]float64, 0, len(order))
	for _, t := range order {
		last := len(idx) - 1
		switch {
		case last < 0 || c.before(idx[last], f.idx[t]):
			idx, val = append(idx, f.idx[t]), append(val, f.val[t])
		case slices.Equal(idx[last], f.idx[t]):
			val[last] = c.each(val[last], f.val[t], func(a, b float64) float64 { return a + b })
		default:
			return false
		}
	}
	f.idx, f.val = idx, val
	return !slices.ContainsFunc(val, func(list []float64) bool { return slices.Contains(list, 0) })
}

// before reports whether the variables of a come before those of b.
func (c *Columns) before(a, b []int32) bool {
	for i := range max(len(a), len(b)) {
		if get(a, i) >= get(b, i) {
			return false
		}
	}
	return true
}

// difference adds w times another row; ok is false where the variables of one do not all come before those of the other one.
func (c *Columns) difference(l *dc.LoopRow, w float64, r *dc.LoopRow) (out dc.LoopRow, ok bool) {
	f := function{idx: slices.Clone(l.Idx), val: slices.Clone(l.Val), c: l.Const}
	for t := range r.Idx {
		f.idx, f.val = append(f.idx, r.Idx[t]), append(f.val, c.times(one(w), r.Val[t]))
	}
	if n := len(f.idx); !c.inOrder(&f) || len(f.idx) < n {
		return out, false
	}
	b := c.times(one(w), r.Const)
	out = dc.LoopRow{Idx: f.idx, Val: f.val, Const: c.each(l.Const, b, func(x, y float64) float64 { return x + y })}
	for i := range max(len(l.Const), len(b)) {
		x, y := get(l.Const, i), get(b, i)
		out.Lost = max(out.Lost, l.Lost+math.Abs(w)*r.Lost+max(math.Abs(x)+math.Abs(y)-math.Abs(x+y), 0))
	}
	return out, true
}

// entries are the entries of an array of functions, see Evaluator.addEntries; ok is false where these are to be looked at one by one.
func (c *Columns) entries(to []dc.LoopRow, n *syntax.Node) (_ []dc.LoopRow, ok bool) {
	if n.Op != syntax.OpSum || len(n.Args) != 2 || n.Minus[0] || n.Args[0].Op != syntax.OpIndex || n.Args[1].Op != syntax.OpIndex {
		return to, false
	}
	a, b := c.view(n.Args[0]), c.view(n.Args[1])
	if !a.run || !b.run || a.count != b.count || a.v.Sort != value.AffineFunctions {
		return to, false
	}
	c.ev.Spend(n, 2*a.count*c.n)
	for k := range a.count {
		l := c.functions(&a, k)
		r := &dc.LoopRow{}
		if b.v.Sort == value.Numbers {
			r.Const = c.numbers(&b, k)
		} else {
			r = c.functions(&b, k)
		}
		if l == nil || r == nil {
			return to, false
		}
		row, ok := c.difference(l, WithSign(1, n.Minus[1]), r)
		if !ok {
			return to, false
		}
		to = append(to, row)
	}
	return to, true
}

// loopTerm is a part of a sum: w times a function of rows.
type loopTerm struct {
	at   *syntax.Node
	op   dc.LoopOp
	w    []float64
	rows []dc.LoopRow
	ends []int
}

// term reads n, a member of a sum, as a number times a function of rows; ok is false where it is none.
func (c *Columns) term(n *syntax.Node, w float64) (t loopTerm, ok bool) {
	at := c.ev.NoteOf(n)
	if !at.Open || at.Complex || at.OfComplex {
		return t, false
	}
	switch n.Op {
	case syntax.OpNeg:
		return c.term(n.Args[0], -w)
	case syntax.OpMul:
		if n.Args[0].Op == syntax.OpMul || n.Args[0].Op == syntax.OpTrans {
			return t, false
		}
		a := c.view(n.Args[0])
		if a.num == nil {
			return t, false
		}
		if t, ok = c.term(n.Args[1], 1); !ok || len(t.w) == 0 {
			return t, false
		}
		t.w = c.times(c.times(one(w), a.num), t.w)
		return t, true
	case syntax.OpCall, syntax.OpReduce:
		if t.op, ok = loopOps(n.Name); !ok {
			return t, false
		}
		t.at, t.w = n, one(w)
		if t.op == dc.LoopAbs && len(n.Args) == 1 && c.gap(&t, n.Args[0]) {
			return t, true
		}
		ok = c.operands(&t, n)
		if len(t.ends) > 0 {
			t.op = dc.LoopLeast
		}
		return t, ok && loopable(t.op, len(t.rows))
	}
	return t, false
}

// operands adds the rows of all arguments of a function.
func (c *Columns) operands(t *loopTerm, n *syntax.Node) (ok bool) {
	ok = true
	if n.Op != syntax.OpReduce {
		for _, a := range n.Args {
			ok = ok && c.operand(t, a)
		}
		return ok
	}
	if slices.ContainsFunc(n.Binders, func(b syntax.Binder) bool { return c.depends(b.Set) }) || n.Cond != nil && c.depends(n.Cond) {
		return false
	}
	c.ev.Loop(n, n.Binders, n.Cond, func() { ok = ok && c.operand(t, n.Args[0]) })
	return ok
}

// gap reads n, the argument of an absolute value, as the difference of two maxima and an affine function.
func (c *Columns) gap(t *loopTerm, n *syntax.Node) bool {
	maxima := func(minus bool) (k int) {
		for i, a := range n.Args {
			if isMax(a) && n.Minus[i] == minus {
				k++
			}
		}
		return k
	}
	if n.Op != syntax.OpSum || maxima(false) != 1 || maxima(true) != 1 {
		return false
	}
	u := loopTerm{op: dc.LoopMax}
	f := function{c: one(0), size: one(0)}
	for i, a := range n.Args {
		switch from := len(u.rows); {
		case !isMax(a):
			if !c.add(&f, a, one(WithSign(1, n.Minus[i]))) {
				return false
			}
		case !c.operands(&u, a) || len(u.rows) < from+2:
			return false
		default:
			u.ends = append(u.ends, len(u.rows))
		}
	}
	rest, ok := c.finish(&f, n)
	t.op, t.rows, t.ends = dc.LoopGap, append(u.rows, rest), u.ends
	return ok
}

// isMax reports whether n is a maximum.
func isMax(n *syntax.Node) bool {
	return n.Name == "max" && (n.Op == syntax.OpCall || n.Op == syntax.OpReduce)
}

// operand adds the rows of an argument, see Evaluator.addRows.
func (c *Columns) operand(t *loopTerm, n *syntax.Node) (ok bool) {
	if squared := squaredIn(n); t.op == dc.LoopMin && squared != nil && len(t.ends) > 0 == (len(t.rows) > 0) {
		if n.Name == "sumsq" {
			t.rows, ok = c.entries(t.rows, squared)
		} else {
			ok = c.addTo(&t.rows, squared)
		}
		t.ends = append(t.ends, len(t.rows))
		return ok
	}
	return (t.op != dc.LoopMin || len(t.ends) == 0) && c.addTo(&t.rows, n)
}

func (c *Columns) addTo(rows *[]dc.LoopRow, n *syntax.Node) bool {
	r, ok := c.row(n)
	*rows = append(*rows, r)
	return ok
}

// Member is Evaluator.Member of all members; ok is false where they are to be evaluated one by one.
func (c *Columns) Member(n *syntax.Node, to *Rows) (ok bool) {
	f := function{c: one(0), size: one(0)}
	if m := c.ev.Caught(func() { ok = c.add(&f, n, one(1)) && c.inOrder(&f) && f.isFinite() }); m != nil || !ok {
		return false
	}
	c.ev.Spend(n, UnitsCoeff*len(f.idx)*c.n)
	to.idx, to.val = slices.Grow(to.idx, c.n*len(f.idx)), slices.Grow(to.val, c.n*len(f.idx))
	to.ends, to.consts, to.sizes = slices.Grow(to.ends, c.n), slices.Grow(to.consts, c.n), slices.Grow(to.sizes, c.n)
	for i := range c.n {
		for t := range f.idx {
			to.idx, to.val = append(to.idx, int(get(f.idx[t], i))), append(to.val, get(f.val[t], i))
		}
		k, size := get(f.c, i), get(f.size, i)
		to.ends, to.consts, to.sizes = append(to.ends, len(to.idx)), append(to.consts, k), append(to.sizes, max(size, math.Abs(k)))
	}
	return true
}

// isFinite reports whether all numbers are.
func (f *function) isFinite() bool {
	sum := 0.0
	for _, list := range append([][]float64{f.c}, f.val...) {
		for _, v := range list {
			sum += v - v
		}
	}
	return sum == 0
}
