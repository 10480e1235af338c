package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// bundle is a convex function of several columns, by its number in a proof file.
type bundle struct {
	kind int
	args []int
}

// form is an affine function of columns plus err, which encloses the rest. Where the
// columns have bounds its coefficients are numbers, and their rounding errors are in err.
type form struct {
	idx []int
	val []safe.Span
	c   float64
	err safe.Span
}

// constant encloses the part that does not depend on columns.
func (l *form) constant() safe.Span { return safe.Just(l.c).Plus(l.err) }

// plain is the function without its errors.
func (l form) plain() form { return form{idx: l.idx, val: l.val, c: l.c} }

// noise says which coefficients a function does not have: those of at most noise times the
// magnitudes of the numbers whose sum they are. Their part is in err, so that this is no
// assumption. A proof is written by the same rule, as its reader and its writer add numbers in
// another order. Source: 8 units in the last place.
const noise = 0x1p-50

// column is a function of columns before it.
type column struct {
	of    safe.Function
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
	box   []safe.Span
	known map[string][]int
	memo  map[*expr]form
	along *ray // the one that variables move along; nil: they move freely
}

type flatRow struct {
	lin   form
	sides safe.Span
}

func newFlat(n int, box []safe.Span) *flat {
	return &flat{n: n, box: slices.Clone(box), known: map[string][]int{}, memo: map[*expr]form{}}
}

// weighted is a sum with weights.
func (f *flat) weighted(ls []form, weights ...float64) form {
	ws := make([]safe.Span, len(ls))
	for k, w := range weights {
		ws[k] = safe.Just(w)
	}
	return f.add(ls, ws)
}

func only(j int) form                          { return form{idx: []int{j}, val: []safe.Span{safe.Just(1)}} }
func (f *flat) scale(l form, w safe.Span) form { return f.add([]form{l}, []safe.Span{w}) }

// add is Σ w·l.
func (f *flat) add(ls []form, ws []safe.Span) form {
	at := map[int]int{}
	var out form
	var sizes []float64
	c, size := safe.Span{}, 0.0
	for k, l := range ls {
		v := safe.Just(l.c).Times(ws[k])
		c, size = c.Plus(v), size+math.Abs(v.Mid())
		out.err = out.err.Plus(l.err.Times(ws[k]))
		for i, j := range l.idx {
			v := l.val[i].Times(ws[k])
			n, ok := at[j]
			if !ok {
				n = len(out.idx)
				at[j] = n
				out.idx, out.val, sizes = append(out.idx, j), append(out.val, safe.Span{}), append(sizes, 0)
			}
			out.val[n] = out.val[n].Plus(v)
			sizes[n] += math.Abs(v.Mid())
		}
	}
	out.c = rounded(c, noise*size)
	out.err = out.err.Plus(c.Less(safe.Just(out.c)))
	order := make([]int, 0, len(out.idx))
	for k, j := range out.idx {
		n := safe.Just(rounded(out.val[k], noise*sizes[k]))
		if rest := out.val[k].Less(n); f.along != nil {
			out.val[k] = safe.Just(rounded(out.val[k], level*sizes[k]))
		} else if rest != (safe.Span{}) {
			if rest = rest.Times(f.box[j]); rest.Finite() {
				out.val[k], out.err = n, out.err.Plus(rest)
			}
		}
		if out.val[k] != (safe.Span{}) {
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
func rounded(v safe.Span, errors float64) float64 {
	if n := v.Mid(); math.Abs(n) > errors {
		return n
	}
	return 0
}

// key tells columns apart up to rounding.
func (c *column) key() string {
	if c.of.Kind != safe.Affine {
		return fmt.Sprintf("%d %.10g %d %d", c.of.Kind, c.of.P, c.a, c.b)
	}
	return c.lin.text(c.lin.c, 1)
}

// text is a function in units of scale up to rounding errors, which are left out.
func (l *form) text(c, scale float64) string {
	size := l.size()
	var b strings.Builder
	for k, j := range l.idx {
		if v := l.val[k].Mid(); math.Abs(v) > 1e-12*size {
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
		s = max(s, math.Abs(v.Mid()))
	}
	return s
}

func (f *flat) columns() int { return f.n + len(f.cols) }

// mostColumns bounds the columns. Source: a limit of memory.
const mostColumns = 200_000

// put adds a column, or finds the one of a function that is the same.
func (f *flat) put(c column) int {
	key := c.key()
	if c.of.Kind != safe.Affine {
		for _, j := range f.known[key] {
			if o := &f.cols[j-f.n]; o.of == c.of && o.a == c.a && o.b == c.b {
				return j
			}
		}
	}
	j := f.columns()
	if j > mostColumns {
		safe.Fail("the problem has more than %d columns", mostColumns)
	}
	f.known[key] = append(f.known[key], j)
	a := c.over(f.box)
	if a.Empty() { // it has no value
		a = safe.Whole()
	}
	f.cols, f.box = append(f.cols, c), append(f.box, a)
	return j
}

// exactly is a column that equals a function.
func (f *flat) exactly(l form) int {
	if l.err == (safe.Span{}) {
		if j, err := f.column(l); err == (safe.Span{}) {
			return j
		}
	}
	return f.put(column{of: safe.Function{Kind: safe.Affine}, lin: l})
}

// column is a column, and encloses the difference of a function and it.
func (f *flat) column(l form) (j int, err safe.Span) {
	if len(l.idx) == 1 && l.val[0] == safe.Just(1) && l.c == 0 {
		return l.idx[0], l.err
	}
	plain := l.plain()
	c := column{of: safe.Function{Kind: safe.Affine}, lin: plain}
	for _, j := range f.known[c.key()] {
		if o := &f.cols[j-f.n].lin; o.err == (safe.Span{}) {
			if same(&plain, o) {
				d := f.weighted([]form{plain, *o}, 1, -1)
				return j, l.err.Plus(d.over(f.box))
			}
		}
	}
	return f.put(c), l.err
}

// single is a function of one column.
func (f *flat) single(k safe.Kind, p float64, l form) form {
	c, a, exact := safe.Function{Kind: k, P: p}, f.reach(l), l.err == safe.Span{}
	if len(l.idx) == 0 {
		if v := c.Image(a); v.Finite() {
			return form{err: v}.centred()
		}
	}
	if one := safe.Curves[k].One; one != nil && !one(a) {
		safe.Fail("a %s over several branches has no bounds by columns", safe.Curves[k].Name)
	}
	if !exact { // f(t + e) is f(t) + f'(ξ)·e
		plain := l.plain()
		b := f.reach(plain)
		t := safe.Span{Lo: min(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)}
		if c.Inside(t) && t.Finite() {
			if rest := c.Slope(t).Times(l.err); rest.Finite() {
				out := f.single(k, p, plain)
				out.err = out.err.Plus(rest)
				return out
			}
		}
	}
	m := safe.Just(p)
	switch {
	case !exact || len(l.idx) == 0:
	case k == safe.Abs && a.Lo >= 0:
		return l
	case k == safe.Abs && a.Hi <= 0:
		return f.scale(l, safe.Just(-1))
	case k == safe.Abs && l.val[0].Hi < 0:
		l = f.scale(l, safe.Just(-1))
	case k == safe.PosPower && a.Hi <= 0:
		return form{}
	case k == safe.Huber && a.Lo >= p: // 2mt − m²
		return f.linear(l, safe.Just(2).Times(m), m.Times(m))
	case k == safe.Huber && a.Hi <= -p:
		return f.linear(l, safe.Just(-2).Times(m), m.Times(m))
	case k == safe.Huber && a.Magnitude().Hi <= p:
		return f.single(safe.Square, 0, l)
	case k == safe.Square && len(l.idx) == 1 && l.c == 0:
		return f.scale(only(f.put(column{of: c, a: l.idx[0]})), l.val[0].Times(l.val[0]))
	}
	f.require(c, l)
	return only(f.put(column{of: c, a: f.exactly(l)}))
}

// require states the domain of a function of l as a row.
func (f *flat) require(c safe.Function, l form) {
	if c.Domain() != safe.Whole() {
		f.rows = append(f.rows, flatRow{l, c.Domain()})
	}
}

// linear is w·l − c.
func (f *flat) linear(l form, w, c safe.Span) form {
	return f.add([]form{l, form{err: c}.centred()}, []safe.Span{w, safe.Just(-1)})
}

// centred moves the middle of err into the constant.
func (l form) centred() form {
	v := l.constant()
	l.c = v.Mid()
	l.err = v.Less(safe.Just(l.c))
	return l
}

// reach is the range of a function within the bounds of the variables.
func (f *flat) reach(l form) safe.Span {
	return l.over(f.box)
}

// same reports whether the numbers of two functions of the same columns differ by rounding errors
// at most.
func same(l, o *form) bool {
	for k, v := range l.val {
		if !(v.Less(o.val[k]).Magnitude().Hi <= noise*v.Magnitude().Hi) {
			return false
		}
	}
	return math.Abs(l.c-o.c) <= noise*math.Abs(l.c)
}

func (f *flat) pair(a, b int) form {
	if a == b {
		return f.single(safe.Square, 0, only(a))
	}
	return only(f.put(column{of: safe.Function{Kind: safe.Product}, a: min(a, b), b: max(a, b)}))
}

func (f *flat) product(u, v form) form {
	switch {
	case len(u.idx) == 0:
		return f.scale(v, u.constant())
	case len(v.idx) == 0:
		return f.scale(u, v.constant())
	}
	if u.err != (safe.Span{}) || v.err != (safe.Span{}) { // (u + d)(v + e) is uv + ue + vd + de
		d, e := u.err, v.err
		p, q := u.plain(), v.plain()
		rest := f.reach(p).Times(e).Plus(f.reach(q).Times(d)).Plus(d.Times(e))
		if !rest.Finite() {
			return f.pair(f.exactly(u), f.exactly(v))
		}
		out := f.product(p, q)
		out.err = out.err.Plus(rest)
		return out
	}
	switch {
	case slices.Equal(u.idx, v.idx) && u.c == v.c && slices.Equal(u.val, v.val):
		return f.single(safe.Square, 0, u)
	case len(u.idx)*len(v.idx) <= 4:
		p, q := safe.Just(u.c), safe.Just(v.c)
		parts, ws := []form{u, v, form{err: p.Times(q)}.centred()}, []safe.Span{q, p, safe.Just(-1)}
		for i, a := range u.idx {
			for k, b := range v.idx {
				parts, ws = append(parts, f.pair(a, b)), append(ws, u.val[i].Times(v.val[k]))
			}
		}
		return f.add(parts, ws)
	}
	return f.pair(f.exactly(u), f.exactly(v))
}
