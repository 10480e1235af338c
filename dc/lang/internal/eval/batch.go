package eval

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
)

// Batch evaluates the body of a loop once, for all values of its indices: numbers are columns,
// affine functions rows and others nodes of a graph. Where it has no answer, members are evaluated
// one after the other, which finds the mistakes.
type Batch struct {
	ev      *Evaluator
	n       int       // members
	indices [][]int32 // of each index, the values
	names   []string
	run     bool // there is one index, over lo, lo + 1, ...
	lo      int
	graph   graph.Graph
	varies  map[*syntax.Node]bool // by node: an index occurs
	kept    *kept
}

// mostAtOnce is how many members have one column. Source: a limit of memory, and of the time
// between two looks at the context, some milliseconds.
const mostAtOnce = 1 << 20

// AtOnce runs do for the members of a loop, at least fewest, in one batch. It returns false where
// there is none, do returns false or finds a mistake: then the members are to be evaluated one by
// one.
func (ev *Evaluator) AtOnce(
	n *syntax.Node, bs []syntax.Binder, cond *syntax.Node, fewest int, do func(b *Batch) bool,
) (ok bool) {
	if len(bs) == 0 {
		return false
	}
	at, spent := ev.Depth(), ev.spent
	m := ev.Caught(func() {
		if b := ev.newBatch(n, bs, cond); b != nil && b.n >= max(fewest, 2) {
			ok = do(b)
		}
	})
	ev.Unwind(at)
	if m != nil || !ok {
		ev.spent = spent
		return false
	}
	return true
}

// newBatch has the values of the indices; nil: some are words.
func (ev *Evaluator) newBatch(n *syntax.Node, bs []syntax.Binder, cond *syntax.Node) *Batch {
	b, at, words := &Batch{ev: ev, varies: map[*syntax.Node]bool{}}, len(ev.Indices), false
	for _, c := range bs {
		b.names = append(b.names, c.Names...)
	}
	b.indices = make([][]int32, len(b.names))
	last := len(b.names) - 1
	ev.loop(n, bs, cond, func() {
		for k := range b.indices {
			now := &ev.Indices[at+k]
			words = words || now.Word != ""
			b.indices[k] = append(b.indices[k], int32(now.At))
		}
	}, func(lo, count int) int {
		ev.Spend(n, UnitsNumber*count)
		for k := range b.indices {
			b.indices[k] = slices.Grow(b.indices[k], count)
		}
		for i := range count {
			b.indices[last] = append(b.indices[last], int32(lo+i))
		}
		for k := range last {
			for range count {
				b.indices[k] = append(b.indices[k], int32(ev.Indices[at+k].At))
			}
		}
		return count
	})
	if b.n = len(b.indices[last]); words || b.n == 0 {
		return nil
	}
	if b.run = len(b.names) == 1 && cond == nil && bs[0].Set.Op == syntax.OpRange; b.run {
		b.lo = int(b.indices[0][0])
	}
	b.begin()
	for k, name := range b.names {
		ev.Indices = append(ev.Indices, binding{Name: name, At: int(b.indices[k][0])})
	}
	return b
}

// begin makes an empty graph.
func (b *Batch) begin() {
	b.graph = graph.Graph{N: b.n}
	if last := b.ev.lists; b.run && last != nil && last.lo == b.lo && last.n == b.n {
		b.kept = last
		return
	}
	b.kept = &kept{b.lo, b.n, map[listKey][]float64{}, map[rowKey]*graph.Row{}, graph.Multiples{}}
	if b.run {
		b.ev.lists = b.kept
	}
}

// Len is how many members there are.
func (b *Batch) Len() int { return b.n }

// Index has the values of the indices, the values of one member after the other.
func (b *Batch) Index() []int32 {
	out := make([]int32, 0, b.n*len(b.indices))
	for i := range b.n {
		for _, column := range b.indices {
			out = append(out, column[i])
		}
	}
	return out
}

// part is the batch of n members from lo on.
func (b *Batch) part(lo, n int) *Batch {
	out := &Batch{ev: b.ev, n: n, names: b.names, run: b.run, lo: b.lo + lo, varies: b.varies}
	for _, column := range b.indices {
		out.indices = append(out.indices, column[lo:lo+n])
	}
	out.begin()
	return out
}

// depends reports whether an index occurs in n.
func (b *Batch) depends(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		return slices.Contains(b.names, n.Name)
	}
	v, ok := b.varies[n]
	if !ok {
		n.Each(func(a *syntax.Node) { v = v || b.depends(a) })
		b.varies[n] = v
	}
	return v
}

// one is a number for all members.
func one(x float64) []float64 { return []float64{x} }

// seen is the value of an expression: numbers, affine functions, or an array of either. The zero
// value is anything else.
type seen struct {
	num         []float64
	row         *graph.Row
	v           value.Value // of which it is an array
	array       bool
	places      places
	step, count int
}

// places are those in an array, by member: from first on by step, or those in the list behind
// first.
type places struct {
	first, step int
	list        []int32
}

func (p *places) at(i int) int {
	if p.list != nil {
		return p.first + int(p.list[i])
	}
	return p.first + i*p.step
}

// times are the places of rows of so many entries.
func (p places) times(size int) places {
	out := places{first: p.first * size, step: p.step * size}
	if p.list != nil && size != 1 {
		out.list = make([]int32, len(p.list))
		for i, k := range p.list {
			out.list[i] = k * int32(size)
		}
	} else {
		out.list = p.list
	}
	return out
}

// view is Evaluator.view.
func (b *Batch) view(n *syntax.Node) (s seen) {
	ev := b.ev
	if at := ev.NoteOf(n); at.Complex || at.OfComplex {
		return s
	}
	if !b.depends(n) {
		return b.fixed(ev.view(n))
	}
	ev.Spend(n, UnitsNumber*b.n)
	switch {
	case n.Op == syntax.OpName:
		num := make([]float64, b.n)
		for i, k := range b.column(n) {
			num[i] = float64(k)
		}
		return seen{num: num}
	case n.Op == syntax.OpIndex:
		return b.index(n)
	case n.Op == syntax.OpTrans:
		if s = b.view(n.Args[0]); s.row != nil {
			return seen{}
		}
		return s
	case isSum(n):
		switch t, r, ok := b.scalar(n, 1); {
		case !ok || len(t.nodes) > 0:
		case len(r.Idx) == 0:
			s.num = r.C
		default:
			s.row = &r
		}
	case ev.withoutVariables(n):
		return seen{num: b.all(n)}
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

// withoutVariables reports whether only data stand in n.
func (ev *Evaluator) withoutVariables(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		s := ev.Names[n.Name]
		return s == nil || s.Value.Cells != nil &&
			(s.Value.IsData() || s.Value.Sort > value.Expressions && s.Value.Sort != value.ComplexPairs)
	}
	all := true
	n.Each(func(a *syntax.Node) { all = all && ev.withoutVariables(a) })
	return all
}

// fixed is a view that is the same for all members.
func (b *Batch) fixed(a view) (s seen) {
	affine := a.v.Sort == value.AffineFunctions
	switch {
	case a.isNumber():
		s.num = one(a.v.X)
	case a.v.Sort != value.Numbers && !affine:
	case affine && (a.single || !a.run && a.v.Scalar()):
		s.row = rowOf(a.v.Linear(a.first))
	default:
		if run, ok := a.vector(); ok {
			s = seen{v: run.v, array: true, places: places{first: run.first}, step: run.step, count: run.count}
		}
	}
	return s
}

// rowOf is one function for all members; nil: it has a coefficient 0.
func rowOf(l convex.Linear) *graph.Row {
	r := &graph.Row{C: one(l.Const), Lost: max(l.ConstSize()-max(l.Const, -l.Const), 0)}
	for t, j := range l.Idx {
		if l.Val[t] == 0 {
			return nil
		}
		r.Idx, r.Val = append(r.Idx, []int32{int32(j)}), append(r.Val, one(l.Val[t]))
	}
	return r
}

// all are the numbers that n stands for; nil where these are none.
func (b *Batch) all(n *syntax.Node) []float64 {
	ev := b.ev
	from := slices.IndexFunc(ev.Indices, func(c binding) bool { return c.Name == b.names[0] })
	at := ev.Indices[from : from+len(b.names)]
	set := func(i int) {
		for k := range at {
			at[k].At = int(b.indices[k][i])
		}
	}
	defer set(0)
	out := make([]float64, b.n)
	for i := range out {
		set(i)
		v := ev.Operand(n)
		if !v.IsData() || !v.Scalar() {
			return nil
		}
		out[i] = v.X
	}
	return out
}

// index is Evaluator.Index.
func (b *Batch) index(n *syntax.Node) (s seen) {
	ev, base, args := b.ev, n.Args[0], n.Args[1:]
	if b.depends(base) {
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
		to = to.times(size)
		switch depends := b.depends(a); {
		case depends && a.Op != syntax.OpAll && a.Op != syntax.OpRange:
			if to, ok = b.place(a, &v, d, to); !ok {
				return seen{}
			}
		case depends:
			return seen{}
		default:
			dim := ev.along(n, a, &v, d)
			if dim.list != nil || !dim.single && s.array {
				return seen{}
			}
			if !dim.single {
				s.array, s.step, s.count = true, 1, dim.count
			}
			to.first += dim.first
		}
	}
	s.v, s.places = v, to
	switch {
	case s.array:
	case v.Sort == value.Numbers:
		return seen{num: b.numbers(&s, 0)}
	default:
		return seen{row: b.functions(&s, 0)}
	}
	return s
}

// column has the values of an index.
func (b *Batch) column(n *syntax.Node) []int32 { return b.indices[slices.Index(b.names, n.Name)] }

// place adds the places in dimension d that an index names; ok is false where one is outside.
func (b *Batch) place(a *syntax.Node, v *value.Value, d int, to places) (_ places, ok bool) {
	lo, size := v.First(d), v.Shape[d]
	if a.Op == syntax.OpName && b.run && to.list == nil {
		to.first, to.step = to.first+b.lo-lo, to.step+1
		return to, b.lo >= lo && b.lo+b.n <= lo+size
	}
	list := make([]int32, b.n)
	if a.Op == syntax.OpName {
		for i, k := range b.column(a) {
			if int(k) < lo || int(k) >= lo+size {
				return to, false
			}
			list[i] = int32(to.at(i) + int(k) - lo)
		}
		return places{list: list}, true
	}
	num := b.view(a).num
	if num == nil {
		return to, false
	}
	for i := range list {
		k, ok := Whole(graph.At(num, i))
		if !ok || k < lo || k >= lo+size {
			return to, false
		}
		list[i] = int32(to.at(i) + k - lo)
	}
	return places{list: list}, true
}

// numbers of entry k of an array of data.
func (b *Batch) numbers(a *seen, k int) []float64 {
	p, num := a.places, a.v.Num
	p.first += k * a.step
	switch {
	case p.list == nil && p.step == 0:
		return one(num[p.first])
	case p.list == nil && p.step == 1:
		return slices.Clip(num[p.first : p.first+b.n])
	}
	key := listKey{&num[p.first], p.step}
	out, ok := b.kept.lists[key]
	if !ok || p.list != nil {
		out = make([]float64, b.n)
		for i := range out {
			out[i] = num[p.at(i)]
		}
		if p.list == nil {
			b.kept.lists[key] = out
		}
	}
	return out
}

// functions of entry k of an array of functions; nil where these have not as many
// coefficients each.
func (b *Batch) functions(a *seen, k int) *graph.Row {
	p := a.places
	p.first += k * a.step
	if a.v.Fn == nil || p.list == nil && p.step == 0 {
		return rowOf(a.v.Linear(p.first))
	}
	key := rowKey{a.v.Fn, p.first, p.step}
	if r, ok := b.kept.rows[key]; ok && p.list == nil {
		return r
	}
	r, ok := dc.RowOf(*a.v.Fn, b.n, p.at)
	if !ok {
		return nil
	}
	if p.list == nil {
		b.kept.rows[key] = &r
	}
	return &r
}
