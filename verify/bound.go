package verify

import (
	"math"
	"slices"
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
	box  []span
	y    []span
	c    float64
}

func (b *bounding) take(v float64) { b.c = below(b.c, v) }

func (b *bounding) spread(l *form, w span) {
	c := l.constant()
	b.take(c.times(w).lo)
	for k, j := range l.idx {
		b.y[j] = b.y[j].plus(l.val[k].times(w))
	}
}

// slopes encloses the slopes of a function over the box, by variables and columns.
func (f *flat) slopes(l *form) []span {
	b := &bounding{flat: f, box: f.box, y: make([]span, f.columns())}
	b.spread(l, just(1))
	for k := len(f.cols) - 1; k >= 0; k-- {
		c, w := &f.cols[k], b.y[f.n+k]
		add := func(j int, s span) { b.y[j] = b.y[j].plus(w.times(s)) }
		switch {
		case w == (span{}):
		case c.kind == isAffine:
			b.spread(&c.lin, w)
		case c.kind == isProduct:
			add(c.a, f.box[c.b])
			add(c.b, f.box[c.a])
		case c.under != nil && c.under.kind == bundleNorm:
			for _, j := range c.under.args {
				add(j, span{-1, 1})
			}
		case c.inside(f.box[c.a]):
			add(c.a, c.slope(f.box[c.a]))
		default: // at the end of a domain
			add(c.a, whole())
		}
	}
	return b.y
}

// bound is a lower bound of the Lagrangian over a box.
func (f *flat) bound(lf *leaf, box []span) float64 {
	b := &bounding{f, lf, box, make([]span, f.columns()), 0}
	if lf.cost > 0 {
		b.spread(&f.cost, just(lf.cost))
	}
	for i, y := range lf.rows {
		r := &f.rows[i]
		side := r.sides.endOf(y)
		if y == 0 || math.IsNaN(y) || math.IsInf(y, 0) || math.IsInf(side, 0) {
			continue
		}
		b.take(belowProduct(-y, side))
		b.spread(&r.lin, just(y))
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
		b.take(box[j].times(b.y[j]).lo)
	}
	return b.c
}

func (b *bounding) column(k int) {
	c, j := &b.cols[k], b.n+k
	box := b.box[j]
	y := b.y[j].mid()
	if rest := b.y[j].less(just(y)); rest != (span{}) {
		b.take(rest.times(box).lo)
	}
	if z := b.leaf.sides[k]; z != 0 && (c.kind != isAffine || c.under != nil) && box.finite() && !math.IsNaN(y+z) && !math.IsInf(y+z, 0) {
		b.take(just(y).less(just(y + z)).times(box).lo)
		y += z
	}
	if y == 0 && c.kind != isAffine || c.under != nil && y > 0 && b.under(k, y) {
		return
	}
	switch c.kind {
	case isAffine:
		s := y
		if h := b.leaf.hints[k]; math.Abs(h-y) > 1e-9*math.Abs(y) && !math.IsInf(h, 0) && box.finite() {
			s = h
		}
		if s != y {
			b.take(just(y).less(just(s)).times(box).lo)
		}
		b.spread(&c.lin, just(s))
	case isProduct:
		b.product(k, y)
	default:
		b.curve(k, y)
	}
}

// constant bounds y times a column by the column's interval.
func (b *bounding) constant(k int, y float64) { b.take(just(y).times(b.box[b.n+k]).lo) }

func (b *bounding) curve(k int, y float64) {
	c, s := &b.cols[k], b.leaf.first[k]
	t := math.Inf(-1)
	if a := b.box[c.a].meet(c.domain()); s != 0 {
		t = c.least(y, s, a, b.leaf.points[c.a])
	}
	if t-t != 0 || s-s != 0 {
		b.constant(k, y)
		return
	}
	b.take(t)
	b.y[c.a] = b.y[c.a].plus(just(s))
}

// least is at most y·f(u) − s·u for all u in a: the least bound of its parts, of which the one with
// that bound is halved as long as that pays. near may be next to the minimum.
func (c *column) least(y, s float64, a span, near float64) float64 {
	type part struct {
		span
		least float64
	}
	top, room := math.Inf(1), 0x1p-40*c.image(a).times(just(y)).plus(a.times(just(s))).magnitude().hi
	bounded := func(p span) part {
		at := func(u float64) span { return c.value(u).times(just(y)).less(just(s).times(just(u))) }
		slope := func(u float64) span { return c.slope(just(u)).times(just(y)).less(just(s)) }
		u, v, second, w := at(p.lo), at(p.hi), c.second(p).times(just(y)), above(p.hi, -p.lo)
		low := min(u.lo, v.lo)
		if second.lo >= 0 { // it is above the tangents at both ends
			down, up := min(slope(p.lo).lo, 0), max(slope(p.hi).hi, 0)
			low = max(below(u.lo, belowProduct(down, w)), below(v.lo, belowProduct(-up, w)))
		} else if second.hi > 0 { // a chord is above it by up to second/8·w²
			low = below(low, -aboveProduct(second.hi/8, aboveProduct(w, w)))
			low = max(low, c.image(p).times(just(y)).less(p.times(just(s))).lo)
		}
		top = min(top, u.hi, v.hi)
		return part{p, low}
	}
	var parts []part
	beside, from := 1e-9*max(1, math.Abs(near)), a.lo
	for _, to := range [3]float64{a.clip(near - beside), a.clip(near + beside), a.hi} {
		if to > from || to == a.hi && parts == nil {
			parts, from = append(parts, bounded(span{from, to})), to
		}
	}
	for {
		k := 0
		for i := range parts {
			if parts[i].least < parts[k].least {
				k = i
			}
		}
		p := parts[k]
		if mid := p.mid(); !(p.least < top-room && p.finite() && p.lo < mid && mid < p.hi && len(parts) < mostParts) {
			return p.least
		}
		parts[k] = bounded(span{p.lo, p.mid()})
		parts = append(parts, bounded(span{p.mid(), p.hi}))
	}
}

// mostParts bounds the parts of an interval. Source: a limit of time; a wave with a hundred periods
// has them.
const mostParts = 200

func (b *bounding) product(k int, y float64) {
	c := &b.cols[k]
	u, v := b.box[c.a], b.box[c.b]
	su, sv := b.leaf.first[k], b.leaf.second[k]
	if !u.finite() || !v.finite() {
		b.constant(k, y)
		return
	}
	least := math.Inf(1)
	for _, x := range [2]float64{u.lo, u.hi} {
		for _, z := range [2]float64{v.lo, v.hi} {
			w := just(x).times(just(z)).times(just(y)).lo
			least = min(least, below(below(w, -aboveProduct(su, x)), -aboveProduct(sv, z)))
		}
	}
	if math.IsNaN(least) || math.IsInf(least, 0) {
		b.constant(k, y)
		return
	}
	b.take(least)
	b.y[c.a], b.y[c.b] = b.y[c.a].plus(just(su)), b.y[c.b].plus(just(sv))
}

// under bounds y times a convex function of several columns, y > 0, by its tangent at a point.
func (b *bounding) under(k int, y float64) bool {
	c := &b.cols[k]
	u := c.under
	at := make([]float64, len(u.args))
	for i, j := range u.args {
		at[i] = b.leaf.points[j]
		if !b.box[j].finite() || math.IsNaN(at[i]) {
			return false
		}
	}
	last := len(at) - 1
	over := u.kind == bundleSquareOver || u.kind == bundleDivergence
	if over && !(at[last] > 0 && b.box[u.args[last]].lo >= 0) || u.kind == bundleDivergence && !(at[0] > 0) {
		return false
	}
	s, rest := u.gradient(at)
	if u.kind == bundleLargest {
		w, sum := b.leaf.shares[b.n+k], 0.0
		for i := range w {
			w[i] = max(w[i], 0)
			sum += w[i]
		}
		if len(w) != len(at) || !(sum > 0) || math.IsInf(sum, 0) {
			return false
		}
		all := span{}
		for i := range s {
			s[i] = just(w[i] / sum)
			all = all.plus(s[i])
		}
		rest = just(1).less(all).times(b.box[b.n+k])
	}
	t := just(y).times(rest.less(just(c.off))).lo
	if u.kind == bundleNorm && slices.IndexFunc(at, func(v float64) bool { return v != 0 }) < 0 {
		t = max(t, just(y).times(b.box[b.n+k]).lo)
	}
	if t-t != 0 || slices.ContainsFunc(s, func(v span) bool { return !v.finite() }) {
		return false
	}
	b.take(t)
	for i, j := range u.args {
		b.y[j] = b.y[j].plus(just(y).times(s[i]))
	}
	return true
}

// cut is a triangle inequality of three variables and their products, times a multiplier.
type cut struct {
	kind  int
	cols  [3]int
	terms [3]int
	mult  float64
	over  [3]span // intervals of the columns in whose units it is stated
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
	var slope, at [3]span // of the columns in units of the intervals
	for i, j := range t.cols {
		a := span{min(t.over[i].lo, b.box[j].lo), max(t.over[i].hi, b.box[j].hi)} // it holds on all of it
		if !a.finite() || !(a.hi > a.lo) {
			return
		}
		slope[i] = just(1).over(just(a.hi).less(just(a.lo)))
		at[i] = slope[i].times(just(a.lo)).minus()
	}
	add := func(j int, w span) { b.y[j] = b.y[j].plus(w) }
	w := just(t.mult)
	if t.kind == 0 {
		b.take(-t.mult)
	}
	for i, j := range t.cols {
		if t.kind == 0 || t.kind == i+1 {
			s := w
			if t.kind > 0 {
				s = w.minus()
			}
			add(j, s.times(slope[i]))
			b.take(s.times(at[i]).lo)
		}
	}
	for n, p := range pairs {
		s, i, k := w.minus(), p[0], p[1]
		if t.kind == i+1 || t.kind == k+1 {
			s = w
		}
		add(t.terms[n], s.times(slope[i]).times(slope[k]))
		add(t.cols[i], s.times(slope[i]).times(at[k]))
		add(t.cols[k], s.times(slope[k]).times(at[i]))
		b.take(s.times(at[i]).times(at[k]).lo)
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
	b.take(-aboveProduct(s.c, s.c))
	at := 0
	for k, i := range s.cols {
		v := just(s.val[k])
		b.y[i] = b.y[i].less(v.times(just(s.c)).times(just(2)))
		for n := range k + 1 {
			w := v.times(just(s.val[n]))
			if n < k {
				w = w.times(just(2))
			}
			b.y[s.terms[at]] = b.y[s.terms[at]].less(w)
			at++
		}
	}
}

// pairs are those of the three variables of a cut.
var pairs = [3][2]int{{0, 1}, {0, 2}, {1, 2}}
