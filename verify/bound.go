package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// leaf is the multipliers and hints of a leaf, by the columns and rows of the problem as
// it is read here.
type leaf struct {
	cost    float64
	rows    []float64
	hints   []float64 // of affine columns a multiplier
	first   []float64 // slopes of minorants by the column a
	second  []float64 // and by the column b
	sides   []float64
	points  []float64 // of all columns
	shares  map[int][]float64
	cuts    []cut
	squares []square
}

// bounding is a bound under way: the Lagrangian is replaced by an affine function of the
// variables, column by column from the last.
type bounding struct {
	*flat
	leaf *leaf
	box  []safe.Span
	y    []safe.Span
	c    float64
}

func (b *bounding) take(v float64) { b.c = safe.Below(b.c, v) }

func (b *bounding) spread(l *form, w safe.Span) {
	c := l.constant()
	b.take(c.Times(w).Lo)
	for k, j := range l.idx {
		b.y[j] = b.y[j].Plus(l.val[k].Times(w))
	}
}

// slopes encloses the slopes of a function over the box, by variables and columns.
func (f *flat) slopes(l *form) []safe.Span {
	b := &bounding{flat: f, box: f.box, y: make([]safe.Span, f.columns())}
	b.spread(l, safe.Just(1))
	for k := len(f.cols) - 1; k >= 0; k-- {
		c, w := &f.cols[k], b.y[f.n+k]
		add := func(j int, s safe.Span) { b.y[j] = b.y[j].Plus(w.Times(s)) }
		switch {
		case w == (safe.Span{}):
		case c.of.Kind == safe.Affine:
			b.spread(&c.lin, w)
		case c.of.Kind == safe.Product:
			add(c.a, f.box[c.b])
			add(c.b, f.box[c.a])
		case c.under != nil && c.under.kind == safe.Norm:
			for _, j := range c.under.args {
				add(j, safe.Span{Lo: -1, Hi: 1})
			}
		case c.of.Inside(f.box[c.a]):
			add(c.a, c.of.Slope(f.box[c.a]))
		default: // at the end of a domain
			add(c.a, safe.Whole())
		}
	}
	return b.y
}

// bound is a lower bound of the Lagrangian over a box.
func (f *flat) bound(lf *leaf, box []safe.Span) float64 {
	b := &bounding{f, lf, box, make([]safe.Span, f.columns()), 0}
	if lf.cost > 0 {
		b.spread(&f.cost, safe.Just(lf.cost))
	}
	for i, y := range lf.rows {
		r := &f.rows[i]
		side := r.sides.EndOf(y)
		if y == 0 || math.IsNaN(y) || math.IsInf(y, 0) || math.IsInf(side, 0) {
			continue
		}
		b.take(safe.BelowProduct(-y, side))
		b.spread(&r.lin, safe.Just(y))
	}
	for i := range lf.cuts {
		b.cut(&lf.cuts[i])
	}
	for i := range lf.squares {
		b.square(&lf.squares[i])
	}
	for k := len(f.cols) - 1; k >= 0; k-- {
		b.column(k)
	}
	for j := range f.n {
		b.take(box[j].Times(b.y[j]).Lo)
	}
	return b.c
}

func (b *bounding) column(k int) {
	c, j := &b.cols[k], b.n+k
	box := b.box[j]
	y := b.y[j].Mid()
	if rest := b.y[j].Less(safe.Just(y)); rest != (safe.Span{}) {
		b.take(rest.Times(box).Lo)
	}
	z := b.leaf.sides[k]
	if sum := y + z; z != 0 && (c.of.Kind != safe.Affine || c.under != nil) && box.Finite() && sum-sum == 0 {
		b.take(safe.Just(y).Less(safe.Just(y + z)).Times(box).Lo)
		y += z
	}
	if y == 0 && c.of.Kind != safe.Affine || c.under != nil && y > 0 && b.under(k, y) {
		return
	}
	switch c.of.Kind {
	case safe.Affine:
		s := y
		if h := b.leaf.hints[k]; math.Abs(h-y) > 1e-9*math.Abs(y) && !math.IsInf(h, 0) && box.Finite() {
			s = h
		}
		if s != y {
			b.take(safe.Just(y).Less(safe.Just(s)).Times(box).Lo)
		}
		b.spread(&c.lin, safe.Just(s))
	case safe.Product:
		b.product(k, y)
	default:
		b.curve(k, y)
	}
}

// constant bounds y times a column by the column's interval.
func (b *bounding) constant(k int, y float64) { b.take(safe.Just(y).Times(b.box[b.n+k]).Lo) }

func (b *bounding) curve(k int, y float64) {
	c, s := &b.cols[k], b.leaf.first[k]
	t := math.Inf(-1)
	if a := b.box[c.a].Meet(c.of.Domain()); s != 0 {
		t = c.of.Least(y, s, a, b.leaf.points[c.a])
	}
	if t-t != 0 || s-s != 0 {
		b.constant(k, y)
		return
	}
	b.take(t)
	b.y[c.a] = b.y[c.a].Plus(safe.Just(s))
}

func (b *bounding) product(k int, y float64) {
	c := &b.cols[k]
	u, v := b.box[c.a], b.box[c.b]
	su, sv := b.leaf.first[k], b.leaf.second[k]
	if !u.Finite() || !v.Finite() {
		b.constant(k, y)
		return
	}
	least := math.Inf(1)
	for _, x := range [2]float64{u.Lo, u.Hi} {
		for _, z := range [2]float64{v.Lo, v.Hi} {
			w := safe.Just(x).Times(safe.Just(z)).Times(safe.Just(y)).Lo
			least = min(least, safe.Below(safe.Below(w, -safe.AboveProduct(su, x)), -safe.AboveProduct(sv, z)))
		}
	}
	if math.IsNaN(least) || math.IsInf(least, 0) {
		b.constant(k, y)
		return
	}
	b.take(least)
	b.y[c.a], b.y[c.b] = b.y[c.a].Plus(safe.Just(su)), b.y[c.b].Plus(safe.Just(sv))
}

// under bounds y times a convex function of several columns, y > 0, by its tangent at a point.
func (b *bounding) under(k int, y float64) bool {
	c := &b.cols[k]
	u := c.under
	at := make([]float64, len(u.args))
	for i, j := range u.args {
		at[i] = b.leaf.points[j]
		if !b.box[j].Finite() || math.IsNaN(at[i]) {
			return false
		}
	}
	last := len(at) - 1
	over := u.kind == safe.SquareOver || u.kind == safe.Divergence
	if over && !(at[last] > 0 && b.box[u.args[last]].Lo >= 0) || u.kind == safe.Divergence && !(at[0] > 0) {
		return false
	}
	s, rest := safe.Gradient(u.kind, at)
	if u.kind == safe.Largest {
		w, sum := b.leaf.shares[b.n+k], 0.0
		for i := range w {
			w[i] = max(w[i], 0)
			sum += w[i]
		}
		if len(w) != len(at) || !(sum > 0) || math.IsInf(sum, 0) {
			return false
		}
		all := safe.Span{}
		for i := range s {
			s[i] = safe.Just(w[i] / sum)
			all = all.Plus(s[i])
		}
		rest = safe.Just(1).Less(all).Times(b.box[b.n+k])
	}
	t := safe.Just(y).Times(rest.Less(safe.Just(c.off))).Lo
	if u.kind == safe.Norm && slices.IndexFunc(at, func(v float64) bool { return v != 0 }) < 0 {
		t = max(t, safe.Just(y).Times(b.box[b.n+k]).Lo)
	}
	if t-t != 0 || slices.ContainsFunc(s, func(v safe.Span) bool { return !v.Finite() }) {
		return false
	}
	b.take(t)
	for i, j := range u.args {
		b.y[j] = b.y[j].Plus(safe.Just(y).Times(s[i]))
	}
	return true
}

// cut is a triangle inequality of three variables and their products, times a multiplier.
type cut struct {
	kind  int
	cols  [3]int
	terms [3]int
	mult  float64
	over  [3]safe.Span // intervals of the columns in whose units it is stated
}

// cut adds it: with u, v, w in [0, 1], in units of the intervals,
//
//	0: u + v + w − uv − uw − vw ≤ 1,  1: uv + uw − u − vw ≤ 0, and 2 and 3 for v and w.
//
// Each is affine in each of the three and holds at the corners.
func (b *bounding) cut(t *cut) {
	if !(t.mult > 0) || math.IsInf(t.mult, 1) {
		return
	}
	var slope, at [3]safe.Span // of the columns in units of the intervals
	for i, j := range t.cols {
		a := safe.Span{Lo: min(t.over[i].Lo, b.box[j].Lo), Hi: max(t.over[i].Hi, b.box[j].Hi)} // it holds on all of it
		if !a.Finite() || !(a.Hi > a.Lo) {
			return
		}
		slope[i] = safe.Just(1).Over(safe.Just(a.Hi).Less(safe.Just(a.Lo)))
		at[i] = slope[i].Times(safe.Just(a.Lo)).Minus()
	}
	add := func(j int, w safe.Span) { b.y[j] = b.y[j].Plus(w) }
	w := safe.Just(t.mult)
	if t.kind == 0 {
		b.take(-t.mult)
	}
	for i, j := range t.cols {
		if t.kind == 0 || t.kind == i+1 {
			s := w
			if t.kind > 0 {
				s = w.Minus()
			}
			add(j, s.Times(slope[i]))
			b.take(s.Times(at[i]).Lo)
		}
	}
	for n, p := range pairs {
		s, i, k := w.Minus(), p[0], p[1]
		if t.kind == i+1 || t.kind == k+1 {
			s = w
		}
		add(t.terms[n], s.Times(slope[i]).Times(slope[k]))
		add(t.cols[i], s.Times(slope[i]).Times(at[k]))
		add(t.cols[k], s.Times(slope[k]).Times(at[i]))
		b.take(s.Times(at[i]).Times(at[k]).Lo)
	}
}

// square is the square of an affine function of variables, which is at least 0.
type square struct {
	cols  []int
	val   []float64
	c     float64
	terms []int // the columns of the products of each of cols with those up to it, one after the other
}

// square takes it away.
func (b *bounding) square(s *square) {
	b.take(-safe.AboveProduct(s.c, s.c))
	at := 0
	for k, i := range s.cols {
		v := safe.Just(s.val[k])
		b.y[i] = b.y[i].Less(v.Times(safe.Just(s.c)).Times(safe.Just(2)))
		for n := range k + 1 {
			w := v.Times(safe.Just(s.val[n]))
			if n < k {
				w = w.Times(safe.Just(2))
			}
			b.y[s.terms[at]] = b.y[s.terms[at]].Less(w)
			at++
		}
	}
}

// pairs are those of the three variables of a cut.
var pairs = [3][2]int{{0, 1}, {0, 2}, {1, 2}}
