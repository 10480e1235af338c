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
	lin   form
	sides span
}

func newFlat(n int, box []span) *flat {
	return &flat{n: n, box: slices.Clone(box), known: map[string][]int{}, memo: map[*expr]form{}}
}

// weighted is a sum with weights.
func (f *flat) weighted(ls []form, weights ...float64) form {
	ws := make([]span, len(ls))
	for k, w := range weights {
		ws[k] = just(w)
	}
	return f.add(ls, ws)
}

func only(j int) form                     { return form{idx: []int{j}, val: []span{just(1)}} }
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
	a := c.over(f.box)
	if a.empty() { // it has no value
		a = whole()
	}
	f.cols, f.box = append(f.cols, c), append(f.box, a)
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
			if same(&plain, o) {
				d := f.weighted([]form{plain, *o}, 1, -1)
				return j, l.err.plus(d.over(f.box))
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
		switch a := f.reach(l); {
		case a.lo >= 0:
			return form{idx: l.idx, val: l.val, c: l.c}
		case a.hi <= 0:
			return f.scale(l, just(-1))
		case l.val[0].hi < 0:
			l = f.scale(l, just(-1))
		}
	}
	if k == isPosPower && len(l.idx) > 0 {
		if f.reach(l).hi <= 0 {
			return form{}
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
		f.rows = append(f.rows, flatRow{l, c.domain()})
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

// same reports whether the numbers of two functions of the same columns differ by rounding errors
// at most.
func same(l, o *form) bool {
	for k, v := range l.val {
		if !(v.less(o.val[k]).magnitude().hi <= noise*v.magnitude().hi) {
			return false
		}
	}
	return math.Abs(l.c-o.c) <= noise*math.Abs(l.c)
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
