package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// kind is the function of a column. The numbers of those of one column are those in a
// proof file.
type kind uint8

const (
	isAffine kind = iota
	isSquare
	isAbs
	isEven
	isHuber
	isPosPower
	isExp
	isLogistic
	isXExp
	isPower
	isLog
	isEntropy
	isProduct
	numKind
)

// bundle is a convex function of several columns, by its number in a proof file.
type bundle struct {
	kind int
	args []int
}

const (
	bundleNorm = iota
	bundleLogSumExp
	bundleSquareOver
	bundleDivergence
	bundleLargest
	numBundle
)

// form is an affine function of columns, with coefficients enclosed.
type form struct {
	idx []int
	val []span
	c   span
}

// column is a function of columns before it.
type column struct {
	kind  kind
	p     float64
	lin   form
	a, b  int
	under *bundle
}

// flat is a problem by columns: the n variables, and after them functions.
type flat struct {
	n     int
	cols  []column
	cost  form
	rows  []flatRow
	box   []span
	known map[string]int
	memo  map[*expr]form
}

type flatRow struct {
	lin    form
	lo, hi float64
}

// flatten states a problem by columns. A row or an objective with a function that has no
// bounds by columns is a fault: a row may be left out, as that only weakens bounds.
func flatten(p *Problem) (f *flat, err error) {
	f = &flat{n: p.n, known: map[string]int{}, memo: map[*expr]form{}}
	for j := range p.n {
		f.box = append(f.box, span{p.lo[j], p.hi[j]})
	}
	defer func() {
		if wrong := caught(recover()); wrong != nil {
			f, err = nil, wrong
		}
	}()
	f.cost = f.of(p.objective)
	if p.Maximize {
		f.cost = f.cost.scale(just(-1))
	}
	for _, r := range p.rows {
		if l, ok := f.try(r.e); ok {
			f.rows = append(f.rows, flatRow{l, r.lo, r.hi})
		}
	}
	return f, nil
}

// try is of, or false for a function without bounds.
func (f *flat) try(e *expr) (l form, ok bool) {
	defer func() {
		if caught(recover()) != nil {
			ok = false
		}
	}()
	return f.of(e), true
}

func (l form) scale(w span) form {
	out := form{idx: l.idx, c: l.c.times(w), val: make([]span, len(l.val))}
	for k, v := range l.val {
		out.val[k] = v.times(w)
	}
	return out
}

func only(j int) form { return form{idx: []int{j}, val: []span{just(1)}} }

// add is Σ w·l.
func add(ls []form, ws []span) form {
	at := map[int]int{}
	var out form
	for k, l := range ls {
		out.c = out.c.plus(l.c.times(ws[k]))
		for i, j := range l.idx {
			v := l.val[i].times(ws[k])
			if n, ok := at[j]; ok {
				out.val[n] = out.val[n].plus(v)
				continue
			}
			at[j] = len(out.idx)
			out.idx, out.val = append(out.idx, j), append(out.val, v)
		}
	}
	order := make([]int, 0, len(out.idx))
	for k := range out.idx {
		if out.val[k] != (span{}) {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return out.idx[a] - out.idx[b] })
	sorted := form{c: out.c}
	for _, k := range order {
		sorted.idx, sorted.val = append(sorted.idx, out.idx[k]), append(sorted.val, out.val[k])
	}
	return sorted
}

func plus(l, m form) form { return add([]form{l, m}, []span{just(1), just(1)}) }

// key tells columns apart up to rounding: two that it takes for one are the first of them.
func (c *column) key() string {
	if c.kind != isAffine {
		return fmt.Sprintf("%d %.10g %d %d", c.kind, c.p, c.a, c.b)
	}
	return c.lin.text(c.lin.c.mid(), 1)
}

// text is a function in units of scale up to rounding errors, which are left out.
func (l *form) text(c, scale float64) string {
	size := l.size()
	var b strings.Builder
	for k, j := range l.idx {
		if v := l.val[k].mid(); math.Abs(v) > 1e-12*size {
			fmt.Fprintf(&b, "%d*%.9e ", j, v/scale)
		}
	}
	if math.Abs(c) > 1e-11*size {
		fmt.Fprintf(&b, "%.8e", c/scale)
	}
	return b.String()
}

// size is the largest coefficient.
func (l *form) size() float64 {
	s := 0.0
	for _, v := range l.val {
		s = max(s, math.Abs(v.mid()))
	}
	return s
}

func (f *flat) columns() int { return f.n + len(f.cols) }

// mostColumns bounds the columns. Source: a limit of memory.
const mostColumns = 200_000

func (f *flat) put(c column) int {
	key := c.key()
	if j, ok := f.known[key]; ok {
		if c.under != nil && f.cols[j-f.n].under == nil && slices.Max(c.under.args) < j {
			f.cols[j-f.n].under = c.under
		}
		return j
	}
	j := f.columns()
	if j > mostColumns {
		fail("the problem has more than %d columns", mostColumns)
	}
	f.known[key] = j
	f.cols, f.box = append(f.cols, c), append(f.box, f.extent(&c))
	return j
}

func (f *flat) column(l form) int {
	if len(l.idx) == 1 && l.val[0] == just(1) && l.c == (span{}) {
		return l.idx[0]
	}
	return f.put(column{kind: isAffine, lin: l})
}

// single is a function of one column.
func (f *flat) single(k kind, p float64, l form) form {
	if k == isAbs && len(l.idx) > 0 {
		switch a := f.reach(l); {
		case a.lo >= 0:
			return l
		case a.hi <= 0:
			return l.scale(just(-1))
		case l.val[0].hi < 0:
			l = l.scale(just(-1))
		}
	}
	if k == isHuber && len(l.idx) > 0 {
		m := just(p)
		switch a := f.reach(l); {
		case a.lo >= p: // 2mt − m²
			return add([]form{l, {c: m.times(m)}}, []span{just(2 * p), just(-1)})
		case a.hi <= -p:
			return add([]form{l, {c: m.times(m)}}, []span{just(-2 * p), just(-1)})
		case a.magnitude().hi <= p:
			k, p = isSquare, 0
		}
	}
	if k == isSquare && len(l.idx) == 1 && l.c == (span{}) {
		return only(f.put(column{kind: k, a: l.idx[0]})).scale(l.val[0].times(l.val[0]))
	}
	if len(l.idx) == 0 {
		if c := (&column{kind: k, p: p}).image(l.c); c.finite() {
			return form{c: c}
		}
	}
	out := column{kind: k, p: p, a: f.column(l)}
	if out.domain() != whole() {
		f.rows = append(f.rows, flatRow{l, 0, math.Inf(1)})
	}
	return only(f.put(out))
}

// reach is the range of a function within the bounds of the variables.
func (f *flat) reach(l form) span {
	return l.over(f.box)
}

// extent is the range of a column within the bounds of the variables; all numbers where it
// has no value.
func (f *flat) extent(c *column) span {
	var a span
	switch c.kind {
	case isAffine:
		a = c.lin.over(f.box)
	case isProduct:
		a = f.box[c.a].times(f.box[c.b])
	default:
		a = c.image(f.box[c.a])
	}
	if a.empty() {
		return whole()
	}
	return a
}

func (f *flat) pair(a, b int) form {
	if a == b {
		return f.single(isSquare, 0, only(a))
	}
	return only(f.put(column{kind: isProduct, a: min(a, b), b: max(a, b)}))
}

func (f *flat) product(u, v form) form {
	switch {
	case len(u.idx) == 0:
		return v.scale(u.c)
	case len(v.idx) == 0:
		return u.scale(v.c)
	case slices.Equal(u.idx, v.idx) && u.c == (span{}) && v.c == (span{}) && slices.Equal(u.val, v.val):
		return f.single(isSquare, 0, u)
	case len(u.idx)*len(v.idx) <= 4:
		parts, ws := []form{u, v, {c: u.c.times(v.c)}}, []span{v.c, u.c, just(-1)}
		for i, a := range u.idx {
			for k, b := range v.idx {
				parts, ws = append(parts, f.pair(a, b)), append(ws, u.val[i].times(v.val[k]))
			}
		}
		return add(parts, ws)
	}
	return f.pair(f.column(u), f.column(v))
}

func (f *flat) each(es []*expr, k kind, p float64) form {
	ls, ws := make([]form, len(es)), make([]span, len(es))
	for i, e := range es {
		ls[i], ws[i] = f.single(k, p, f.of(e)), just(1)
	}
	return add(ls, ws)
}

func (f *flat) beneath(l form, b *bundle) form {
	if j := f.column(l); j >= f.n && slices.Max(b.args) < j {
		f.cols[j-f.n].under = b
		return only(j)
	}
	return l
}

func (f *flat) columnsOf(es []*expr) []int {
	out := make([]int, len(es))
	for k, e := range es {
		out[k] = f.column(f.of(e))
	}
	return out
}

// of is an expression over columns.
func (f *flat) of(e *expr) form {
	switch e.op {
	case opConst:
		return form{c: just(e.num)}
	case opVar:
		return only(e.k)
	}
	if l, ok := f.memo[e]; ok {
		return l
	}
	l := f.make(e)
	f.memo[e] = l
	return l
}

func (f *flat) make(e *expr) form {
	switch e.op {
	case opSum:
		ls, ws := make([]form, len(e.args)), make([]span, len(e.args))
		for k, a := range e.args {
			ls[k], ws[k] = f.of(a), just(e.weights[k])
		}
		return add(ls, ws)
	case opMul:
		return f.product(f.of(e.args[0]), f.of(e.args[1]))
	case opPower:
		return f.power(f.of(e.args[0]), e.num)
	case opAbs:
		return f.single(isAbs, 0, f.of(e.args[0]))
	case opExp:
		return f.single(isExp, 0, f.of(e.args[0]))
	case opLog:
		return f.single(isLog, 0, f.of(e.args[0]))
	case opEntropy:
		return f.single(isEntropy, 0, f.of(e.args[0]))
	case opLogistic:
		return f.single(isLogistic, 0, f.of(e.args[0]))
	case opXExp:
		return f.single(isXExp, 0, f.of(e.args[0]))
	case opHuber:
		return f.single(isHuber, e.num, f.of(e.args[0]))
	case opMax:
		ls := make([]form, len(e.args))
		for k, a := range e.args {
			ls[k] = f.of(a)
		}
		return f.largest(f.undominated(ls))
	case opNorm:
		if e.num != 2 {
			return f.single(isPower, 1/e.num, f.each(e.args, isEven, e.num))
		}
		cols := f.columnsOf(e.args)
		return f.beneath(f.single(isPower, 0.5, f.each(e.args, isSquare, 0)), &bundle{bundleNorm, cols})
	case opLSE:
		cols := f.columnsOf(e.args)
		ls, ws := make([]form, len(cols)), make([]span, len(cols))
		for k, j := range cols {
			ls[k], ws[k] = f.single(isExp, 0, only(j)), just(1)
		}
		return f.beneath(f.single(isLog, 0, add(ls, ws)), &bundle{bundleLogSumExp, cols})
	case opLargest:
		return f.sumLargest(e)
	case opGeo:
		out := form{c: just(1)}
		for k, a := range e.args {
			if e.weights[k] > 0 {
				out = f.product(out, f.power(f.of(a), e.weights[k]))
			}
		}
		return out
	case opQuadOver:
		last := len(e.args) - 1
		square := f.column(f.each(e.args[:last], isSquare, 0))
		cols := f.columnsOf(e.args)
		inverse := f.column(f.single(isPower, -1, only(cols[last])))
		return f.beneath(f.pair(square, inverse), &bundle{bundleSquareOver, cols})
	case opKL:
		u, v := f.column(f.of(e.args[0])), f.column(f.of(e.args[1]))
		j := f.pair(u, f.column(f.single(isLog, 0, only(v))))
		all := add([]form{f.single(isEntropy, 0, only(u)), j, only(u), only(v)}, []span{just(-1), just(-1), just(-1), just(1)})
		return f.beneath(only(f.column(all)), &bundle{bundleDivergence, []int{u, v}})
	}
	fail("a function of a matrix has no bounds by columns")
	return form{}
}

func (f *flat) power(u form, p float64) form {
	positive := p > 0 && p == math.Trunc(p)
	switch {
	case p == 0:
		return form{c: just(1)}
	case p == 1:
		return u
	case p == 2:
		return f.single(isSquare, 0, u)
	case p == 4: // the square of the square
		return f.single(isSquare, 0, f.single(isSquare, 0, u))
	case p > 1 && !positive: // its domain is a row
		if len(u.idx) > 0 {
			f.rows = append(f.rows, flatRow{u, 0, math.Inf(1)})
		}
		return f.single(isPosPower, p, u)
	case positive && math.Mod(p, 2) == 0:
		return f.single(isEven, p, u)
	case positive:
		return add([]form{f.single(isPosPower, p, u), f.single(isPosPower, p, u.scale(just(-1)))}, []span{just(1), just(-1)})
	}
	return f.single(isPower, p, u)
}

// larger is (u + v + |u − v|)/2.
func (f *flat) larger(u, v form) form {
	d := add([]form{u, v}, []span{just(1), just(-1)})
	return add([]form{u, v, f.single(isAbs, 0, d)}, []span{just(0.5), just(0.5), just(0.5)})
}

func (f *flat) largest(us []form) form {
	switch len(us) {
	case 1:
		return us[0]
	case 2:
		return f.larger(us[0], us[1])
	}
	args := make([]int, len(us))
	for k, u := range us {
		args[k] = f.column(u)
	}
	half := len(us) / 2
	l := f.larger(f.largest(us[:half]), f.largest(us[half:]))
	return f.beneath(only(f.column(l)), &bundle{bundleLargest, args})
}

// undominated leaves out functions that are nowhere the largest, by their ranges.
func (f *flat) undominated(us []form) []form {
	top := math.Inf(-1)
	for _, u := range us {
		top = max(top, f.reach(u).lo)
	}
	var out []form
	first := true // of those that reach no further than the top
	for _, u := range us {
		a := f.reach(u)
		if a.hi > top || a.lo == top && first {
			out, first = append(out, u), first && a.hi > top
		}
	}
	return out
}

func (f *flat) sumLargest(e *expr) form {
	us := make([]form, len(e.args))
	for k, a := range e.args {
		us[k] = f.of(a)
	}
	n := len(us)
	if e.k*n > 5000 {
		fail("a sum of the largest of %d has no bounds by columns", n)
	}
	var out form
	for r := range min(e.k, n) {
		for i := range n - 1 - r {
			u, v := us[i], us[i+1]
			us[i+1] = f.larger(u, v)
			us[i] = add([]form{u, v, us[i+1]}, []span{just(1), just(1), just(-1)})
		}
		out = plus(out, us[n-1-r])
	}
	return out
}
