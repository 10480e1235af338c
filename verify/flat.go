package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
)

// form is an affine function of columns plus err, which encloses the rest. Where the
// columns have bounds its coefficients are numbers, and their rounding errors are in err.
type form struct {
	idx []int
	val []span
	c   float64
	err span
}

// constant encloses the part that does not depend on columns.
func (l *form) constant() span { return just(l.c).plus(l.err) }

// plain is the function without its errors.
func (l form) plain() form { return form{idx: l.idx, val: l.val, c: l.c} }

// noise says which coefficients a function does not have: those of at most noise times the
// magnitudes of the numbers whose sum they are. Their part is in err, so that this is no
// assumption. A proof is written by the same rule, as its reader and its writer add numbers in
// another order. Source: 8 units in the last place.
const noise = 0x1p-50

// column is a function of columns before it.
type column struct {
	kind  kind
	p     float64
	lin   form
	a, b  int
	under *bundle
	off   float64 // the column is at least under − off, of a maximum also at most under + off
}

// flat is a problem by columns: the n variables, and after them functions.
type flat struct {
	n     int
	cols  []column
	cost  form
	rows  []flatRow
	box   []span
	known map[string][]int
	memo  map[*expr]form
	along *ray // the one that variables move along; nil: they move freely
}

type flatRow struct {
	lin    form
	lo, hi float64
}

func newFlat(n int, box []span) *flat {
	return &flat{n: n, box: box, known: map[string][]int{}, memo: map[*expr]form{}}
}

// bounds are those of the variables.
func (p *Problem) bounds() []span {
	box := make([]span, p.n)
	for j := range box {
		box[j] = span{p.lo[j], p.hi[j]}
	}
	return box
}

// flatten states a problem by columns. A row or an objective with a function that has no
// bounds by columns is a fault: a row may be left out, as that only weakens bounds.
// box has the bounds of the variables.
func flatten(p *Problem, box []span) (f *flat, err error) {
	f = newFlat(p.n, box)
	defer catch(&err)
	f.cost = f.of(p.objective)
	if p.Maximize {
		f.cost = f.scale(f.cost, just(-1))
	}
	for _, r := range p.rows {
		if l, err := f.try(r.e); err == nil {
			f.rows = append(f.rows, f.unsquared(flatRow{l, r.lo, r.hi}))
		}
	}
	return f, nil
}

// unsquared is the row of an argument where r says that a function of it without a negative value is 0.
func (f *flat) unsquared(r flatRow) flatRow {
	l := &r.lin
	if len(l.idx) != 1 || l.idx[0] < f.n || l.constant() != (span{}) ||
		!(l.val[0].lo > 0 && r.hi == 0 || l.val[0].hi < 0 && r.lo == 0) {
		return r
	}
	if c := f.cols[l.idx[0]-f.n]; c.kind == isSquare || c.kind == isAbs || c.kind == isEven {
		return flatRow{only(c.a), 0, 0}
	}
	return r
}

// try is of, with an error for a function without bounds.
func (f *flat) try(e *expr) (l form, err error) {
	defer catch(&err)
	return f.of(e), nil
}

// all is each of several expressions.
func (f *flat) all(es []*expr) []form {
	ls := make([]form, len(es))
	for k, e := range es {
		ls[k] = f.of(e)
	}
	return ls
}

// weighted is a sum with weights.
func (f *flat) weighted(ls []form, weights ...float64) form {
	ws := make([]span, len(ls))
	for k, w := range weights {
		ws[k] = just(w)
	}
	return f.add(ls, ws)
}

func only(j int) form { return form{idx: []int{j}, val: []span{just(1)}} }

func (f *flat) scale(l form, w span) form { return f.add([]form{l}, []span{w}) }

// add is Σ w·l.
func (f *flat) add(ls []form, ws []span) form {
	at := map[int]int{}
	var out form
	var sizes []float64
	c, size := span{}, 0.0
	for k, l := range ls {
		v := just(l.c).times(ws[k])
		c, size = c.plus(v), size+math.Abs(v.mid())
		out.err = out.err.plus(l.err.times(ws[k]))
		for i, j := range l.idx {
			v := l.val[i].times(ws[k])
			n, ok := at[j]
			if !ok {
				n = len(out.idx)
				at[j] = n
				out.idx, out.val, sizes = append(out.idx, j), append(out.val, span{}), append(sizes, 0)
			}
			out.val[n] = out.val[n].plus(v)
			sizes[n] += math.Abs(v.mid())
		}
	}
	out.c = rounded(c, noise*size)
	out.err = out.err.plus(c.less(just(out.c)))
	order := make([]int, 0, len(out.idx))
	for k, j := range out.idx {
		n := just(rounded(out.val[k], noise*sizes[k]))
		if rest := out.val[k].less(n); f.along != nil {
			out.val[k] = just(rounded(out.val[k], level*sizes[k]))
		} else if rest != (span{}) {
			if rest = rest.times(f.box[j]); rest.finite() {
				out.val[k], out.err = n, out.err.plus(rest)
			}
		}
		if out.val[k] != (span{}) {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return out.idx[a] - out.idx[b] })
	sorted := form{c: out.c, err: out.err}
	for _, k := range order {
		sorted.idx, sorted.val = append(sorted.idx, out.idx[k]), append(sorted.val, out.val[k])
	}
	return sorted
}

// rounded is the number that stands for a sum whose rounding errors are at most some number.
func rounded(v span, errors float64) float64 {
	if n := v.mid(); math.Abs(n) > errors {
		return n
	}
	return 0
}

// key tells columns apart up to rounding.
func (c *column) key() string {
	if c.kind != isAffine {
		return fmt.Sprintf("%d %.10g %d %d", c.kind, c.p, c.a, c.b)
	}
	return c.lin.text(c.lin.c, 1)
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

// put adds a column, or finds the one of a function that is the same.
func (f *flat) put(c column) int {
	key := c.key()
	if c.kind != isAffine {
		for _, j := range f.known[key] {
			if o := &f.cols[j-f.n]; o.p == c.p && o.a == c.a && o.b == c.b {
				return j
			}
		}
	}
	j := f.columns()
	if j > mostColumns {
		fail("the problem has more than %d columns", mostColumns)
	}
	f.known[key] = append(f.known[key], j)
	f.cols, f.box = append(f.cols, c), append(f.box, f.extent(&c))
	return j
}

// exactly is a column that equals a function.
func (f *flat) exactly(l form) int {
	if l.err == (span{}) {
		if j, err := f.column(l); err == (span{}) {
			return j
		}
	}
	return f.put(column{kind: isAffine, lin: l})
}

// column is a column, and encloses the difference of a function and it.
func (f *flat) column(l form) (j int, err span) {
	if len(l.idx) == 1 && l.val[0] == just(1) && l.c == 0 {
		return l.idx[0], l.err
	}
	plain := l.plain()
	c := column{kind: isAffine, lin: plain}
	for _, j := range f.known[c.key()] {
		if o := &f.cols[j-f.n].lin; o.err == (span{}) {
			d := f.weighted([]form{plain, *o}, 1, -1)
			if rest := d.over(f.box); rest.magnitude().hi <= plain.noise(f.box) {
				return j, l.err.plus(rest)
			}
		}
	}
	return f.put(c), l.err
}

// single is a function of one column.
func (f *flat) single(k kind, p float64, l form) form {
	if len(l.idx) == 0 {
		if v := (&column{kind: k, p: p}).image(l.constant()); v.finite() {
			return form{err: v}.centred()
		}
	}
	if one := curves[k].one; one != nil && !one(f.reach(l)) {
		fail("a %s over several branches has no bounds by columns", curves[k].name)
	}
	if l.err != (span{}) { // f(t + e) is f(t) + f'(ξ)·e
		plain, t := l.plain(), f.reach(l)
		t = span{min(t.lo, f.reach(plain).lo), max(t.hi, f.reach(plain).hi)}
		c := column{kind: k, p: p}
		if c.inside(t) && t.finite() {
			if rest := c.slope(t).times(l.err); rest.finite() {
				out := f.single(k, p, plain)
				out.err = out.err.plus(rest)
				return out
			}
		}
		f.require(&c, l)
		return only(f.put(column{kind: k, p: p, a: f.exactly(l)}))
	}
	if k == isAbs && len(l.idx) > 0 {
		switch a, near := f.reach(l), l.noise(f.box); {
		case a.lo >= -near: // |t| − t is between 0 and −2t
			return form{idx: l.idx, val: l.val, c: l.c, err: span{0, max(0, aboveProduct(-2, a.lo))}}
		case a.hi <= near:
			out := f.scale(l, just(-1))
			out.err = out.err.plus(span{0, max(0, aboveProduct(2, a.hi))})
			return out
		case l.val[0].hi < 0:
			l = f.scale(l, just(-1))
		}
	}
	if k == isPosPower && len(l.idx) > 0 {
		if a := f.reach(l); a.hi <= l.noise(f.box) {
			return form{err: span{0, (&column{kind: k, p: p}).value(a.hi).hi}}
		}
	}
	if k == isHuber && len(l.idx) > 0 {
		m := just(p)
		switch a := f.reach(l); {
		case a.lo >= p: // 2mt − m²
			return f.linear(l, just(2).times(m), m.times(m))
		case a.hi <= -p:
			return f.linear(l, just(-2).times(m), m.times(m))
		case a.magnitude().hi <= p:
			k, p = isSquare, 0
		}
	}
	if k == isSquare && len(l.idx) == 1 && l.c == 0 {
		return f.scale(only(f.put(column{kind: k, a: l.idx[0]})), l.val[0].times(l.val[0]))
	}
	out := column{kind: k, p: p, a: f.exactly(l)}
	f.require(&out, l)
	return only(f.put(out))
}

// require states the domain of a function of l as a row.
func (f *flat) require(c *column, l form) {
	if c.domain() != whole() {
		f.rows = append(f.rows, flatRow{l, c.domain().lo, c.domain().hi})
	}
}

// linear is w·l − c.
func (f *flat) linear(l form, w, c span) form {
	return f.add([]form{l, form{err: c}.centred()}, []span{w, just(-1)})
}

// centred moves the middle of err into the constant.
func (l form) centred() form {
	v := l.constant()
	l.c = v.mid()
	l.err = v.less(just(l.c))
	return l
}

// reach is the range of a function within the bounds of the variables.
func (f *flat) reach(l form) span {
	return l.over(f.box)
}

// noise bounds the rounding errors of a function: noise times the magnitudes of its parts, 0 where these
// have no bounds.
func (l *form) noise(box []span) float64 {
	s := math.Abs(l.c)
	for k, j := range l.idx {
		s += l.val[k].magnitude().hi * box[j].magnitude().hi
	}
	if math.IsInf(s, 1) {
		return 0
	}
	return noise * s
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
		return f.scale(v, u.constant())
	case len(v.idx) == 0:
		return f.scale(u, v.constant())
	}
	if u.err != (span{}) || v.err != (span{}) { // (u + d)(v + e) is uv + ue + vd + de
		d, e := u.err, v.err
		p, q := u.plain(), v.plain()
		rest := f.reach(p).times(e).plus(f.reach(q).times(d)).plus(d.times(e))
		if !rest.finite() {
			return f.pair(f.exactly(u), f.exactly(v))
		}
		out := f.product(p, q)
		out.err = out.err.plus(rest)
		return out
	}
	switch {
	case slices.Equal(u.idx, v.idx) && u.c == v.c && slices.Equal(u.val, v.val):
		return f.single(isSquare, 0, u)
	case len(u.idx)*len(v.idx) <= 4:
		parts, ws := []form{u, v, form{err: just(u.c).times(just(v.c))}.centred()}, []span{just(v.c), just(u.c), just(-1)}
		for i, a := range u.idx {
			for k, b := range v.idx {
				parts, ws = append(parts, f.pair(a, b)), append(ws, u.val[i].times(v.val[k]))
			}
		}
		return f.add(parts, ws)
	}
	return f.pair(f.exactly(u), f.exactly(v))
}

func (f *flat) each(es []*expr, k kind, p float64) form {
	ls := f.all(es)
	for i, l := range ls {
		ls[i] = f.single(k, p, l)
	}
	return f.weighted(ls, slices.Repeat([]float64{1}, len(ls))...)
}

// beneath puts a bundle under a function l that is at least the bundle − off.
func (f *flat) beneath(l form, b *bundle, off float64) form {
	if len(l.idx) == 0 {
		return l
	}
	j, err := f.column(l)
	if off = above(off, err.magnitude().hi); j < f.n || slices.Max(b.args) >= j || math.IsInf(off, 1) {
		return l
	}
	c := &f.cols[j-f.n]
	c.under, c.off = b, off
	out := only(j)
	out.err = err
	return out
}

// exactColumns are columns that equal expressions.
func (f *flat) exactColumns(es []*expr) []int {
	var cols []int
	for _, e := range es {
		cols = append(cols, f.exactly(f.of(e)))
	}
	return cols
}

// of is an expression over columns.
func (f *flat) of(e *expr) form {
	switch e.op {
	case opConst:
		return form{c: e.num}
	case opVar:
		if r := f.along; r != nil {
			return f.scale(form{idx: []int{0}, val: []span{just(r.d[e.k])}, c: r.x[e.k]}, just(1))
		}
		return only(e.k)
	}
	if l, ok := f.memo[e]; ok {
		return l
	}
	var l form
	if v, ok := e.fixed(); ok {
		l = form{err: v}.centred()
	} else {
		l = f.make(e)
	}
	f.memo[e] = l
	return l
}

// columnsOf are columns, and off plus the largest differences of expressions and them.
func (f *flat) columnsOf(es []*expr, off float64) ([]int, float64) {
	var cols []int
	for _, e := range es {
		j, err := f.column(f.of(e))
		cols, off = append(cols, j), above(off, err.magnitude().hi)
	}
	return cols, off
}

// euclidean is the norm of expressions, but for at most off.
func (f *flat) euclidean(es []*expr, off float64) form {
	cols, off := f.columnsOf(es, off)
	return f.beneath(f.single(isPower, 0.5, f.each(es, isSquare, 0)), &bundle{bundleNorm, cols}, off)
}

// lengths are expressions of which e, the root of a number and squares, is the norm, and how far
// the root of the number is off; nil: it is none.
func (e *expr) lengths() (es []*expr, off float64) {
	if e.num != 0.5 || e.args[0].op != opSum {
		return nil, 0
	}
	for k, a := range e.args[0].args {
		switch w := e.args[0].weights[k]; {
		case a.isConst() && w*a.num > 0:
			root := math.Sqrt(w * a.num)
			es, off = append(es, number(root)), above(off, 0x1p-51*root)
		case a.op == opPower && a.num == 2 && w == 1:
			es = append(es, a.args[0])
		default:
			return nil, 0
		}
	}
	return es, off
}

func (f *flat) make(e *expr) form {
	switch e.op {
	case opSum:
		return f.weighted(f.all(e.args), e.weights...)
	case opMul:
		u, v := e.args[0], e.args[1]
		if w := v.args; v.op == opPower && v.num == -1 && w[0].op == opMul && w[0].args[0] == u && w[0].args[1] == u {
			l := f.of(u) // u/u² within bounds that show the sign of u
			for _, sign := range [2]float64{1, -1} {
				if l := f.scale(l, just(sign)); f.reach(l).lo >= 0 {
					return f.scale(f.single(isPower, -1, l), just(sign))
				}
			}
		}
		for _, sign := range [2]float64{1, -1} {
			for _, by := range [2][2]*expr{{u, v}, {v, u}} {
				if l, ok := f.timesLogs(scaled(sign, by[0]), scaled(sign, by[1])); ok {
					return l
				}
			}
		}
		return f.product(f.of(u), f.of(v))
	case opPower:
		if es, off := e.lengths(); es != nil {
			return f.euclidean(es, off)
		}
		if l, ok := f.powerOfPower(e); ok {
			return l
		}
		_, _, straight := affine(e.args[0])
		return f.power(f.of(e.args[0]), e.num, straight)
	case opCurve:
		if !e.is(isLog) {
			return f.single(kind(e.k), e.num, f.of(e.args[0]))
		}
		parts, c := f.logs(e.args[0])
		ls, ws := []form{form{err: c}.centred()}, []span{just(1)}
		for _, p := range parts {
			ls, ws = append(ls, f.single(isLog, 0, f.of(p.e))), append(ws, p.w)
		}
		return f.add(ls, ws)
	case opMax:
		ls, rest := f.undominated(f.all(e.args))
		out := f.largest(ls)
		out.err = out.err.plus(rest)
		return out
	case opNorm:
		if e.num != 2 {
			return f.single(isPower, 1/e.num, f.each(e.args, isEven, e.num))
		}
		return f.euclidean(e.args, 0)
	case opLSE:
		cols, off := f.columnsOf(e.args, 0)
		return f.beneath(f.single(isLog, 0, f.each(e.args, isExp, 0)), &bundle{bundleLogSumExp, cols}, off)
	case opLargest:
		return f.sumLargest(e)
	case opGeo:
		out := form{c: 1}
		for k, a := range e.args {
			if e.weights[k] > 0 {
				out = f.product(out, f.power(f.of(a), e.weights[k], false))
			}
		}
		return out
	case opQuadOver:
		last := len(e.args) - 1
		square := f.exactly(f.each(e.args[:last], isSquare, 0))
		cols := f.exactColumns(e.args)
		inverse := f.exactly(f.single(isPower, -1, only(cols[last])))
		return f.beneath(f.pair(square, inverse), &bundle{bundleSquareOver, cols}, 0)
	case opKL:
		cols := f.exactColumns(e.args)
		u, v := cols[0], cols[1]
		j := f.pair(u, f.exactly(f.single(isLog, 0, only(v))))
		all := f.weighted([]form{f.single(isEntropy, 0, only(u)), j, only(u), only(v)}, -1, -1, -1, 1)
		return f.beneath(only(f.exactly(all)), &bundle{bundleDivergence, cols}, 0)
	}
	fail("a function of a matrix has no bounds by columns")
	return form{}
}

// power is uᵖ, by the columns that the writer of proofs makes of it. affine: u is so in the variables.
func (f *flat) power(u form, p float64, affine bool) form {
	a, odd := f.reach(u), math.Mod(p, 2) != 0
	straight := affine || a.lo >= 0 || a.hi <= 0
	switch {
	case p == 0:
		return form{c: 1}
	case p == 1:
		return u
	case p == 2:
		return f.single(isSquare, 0, u)
	case p < 1:
		return f.single(isPower, p, u)
	case p != math.Trunc(p): // its domain is a row
		if len(u.idx) > 0 {
			f.rows = append(f.rows, flatRow{u, 0, math.Inf(1)})
		}
		return f.single(isPosPower, p, u)
	case odd && straight:
		return f.weighted([]form{f.single(isPosPower, p, u), f.single(isPosPower, p, f.scale(u, just(-1)))}, 1, -1)
	case odd:
		return f.product(u, f.power(f.power(u, (p-1)/2, false), 2, false))
	case p == 4 && affine, !straight:
		return f.power(f.power(u, p/2, false), 2, false)
	}
	return f.single(isPosPower, p, f.single(isAbs, 0, u))
}

// larger is (u + v + |u − v|)/2.
func (f *flat) larger(u, v form) form {
	d := f.weighted([]form{u, v}, 1, -1)
	return f.weighted([]form{u, v, f.single(isAbs, 0, d)}, 0.5, 0.5, 0.5)
}

func (f *flat) largest(us []form) form {
	if len(us) == 1 {
		return us[0]
	}
	args := make([]int, len(us))
	off := 0.0
	for k, u := range us {
		var err span
		args[k], err = f.column(u)
		off = max(off, err.magnitude().hi)
	}
	half := len(us) / 2
	l := f.larger(f.part(us[:half]), f.part(us[half:]))
	j, err := f.column(l)
	l = only(j)
	l.err = err
	return f.beneath(l, &bundle{bundleLargest, args}, off)
}

// part is the largest of some of several: two have no column of their own.
func (f *flat) part(us []form) form {
	if len(us) == 2 {
		return f.larger(us[0], us[1])
	}
	return f.largest(us)
}

// undominated leaves out functions that are nowhere the largest, by their ranges, but for
// an error.
func (f *flat) undominated(us []form) (out []form, err span) {
	top, near := math.Inf(-1), 0.0
	for _, u := range us {
		if lo := f.reach(u).lo; lo > top {
			top, near = lo, u.noise(f.box)
		}
	}
	first := true // of those that reach no further than the top
	floor, high := math.Inf(-1), math.Inf(-1)
	for _, u := range us {
		a := f.reach(u)
		more := a.hi > top+near
		if !more && !(a.lo >= top-near && first) {
			high = max(high, a.hi)
			continue
		}
		out, first = append(out, u), first && more
		floor = max(floor, a.lo)
	}
	if high > floor {
		err.hi = above(high, -floor)
	}
	return out, err
}

func (f *flat) sumLargest(e *expr) form {
	us := f.all(e.args)
	n := len(us)
	if e.k*n > 5000 {
		fail("a sum of the largest of %d has no bounds by columns", n)
	}
	var out form
	for r := range min(e.k, n) {
		for i := range n - 1 - r {
			u, v := us[i], us[i+1]
			us[i+1] = f.larger(u, v)
			us[i] = f.weighted([]form{u, v, us[i+1]}, 1, 1, -1)
		}
		out = f.weighted([]form{out, us[n-1-r]}, 1, 1)
	}
	return out
}
