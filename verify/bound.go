package verify

import "math"

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

// bound is a lower bound of the Lagrangian over a box.
func (f *flat) bound(lf *leaf, box []span) float64 {
	b := &bounding{f, lf, box, make([]span, f.columns()), 0}
	if lf.cost > 0 {
		b.spread(&f.cost, just(lf.cost))
	}
	for i, y := range lf.rows {
		r := &f.rows[i]
		side := r.hi
		if y < 0 {
			side = r.lo
		}
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
	if b.y[j] == (span{}) {
		return
	}
	box := b.box[j]
	y := b.y[j].mid()
	if rest := b.y[j].less(just(y)); rest != (span{}) {
		b.take(rest.times(box).lo)
	}
	if z := b.leaf.sides[k]; z != 0 && (c.kind != isAffine || c.under != nil) && box.finite() && !math.IsNaN(y+z) && !math.IsInf(y+z, 0) {
		b.take(just(y).less(just(y + z)).times(box).lo)
		y += z
	}
	if y == 0 || c.under != nil && y > 0 && b.under(k, y) {
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
	c := &b.cols[k]
	a := b.box[c.a].meet(c.domain())
	bends := c.bends(a)
	if y < 0 {
		bends = -bends
	}
	s := b.leaf.first[k]
	t := math.Inf(-1) // at most y·f(u) − s·u
	switch {
	case s == 0:
	case bends > 0 && c.kind == isAbs: // y·|u| − s·u is least at 0 or at an end
		over := above(math.Abs(s), -y)
		if t = 0; over > 0 {
			t = -aboveProduct(over, a.magnitude().hi)
		}
	case bends > 0:
		// A tangent outside the interval is a minorant, too.
		at := b.leaf.points[c.a]
		if at <= c.domain().lo {
			at = a.clip(at)
		}
		slope := c.derivative(at).times(just(y))
		value := c.value(at).times(just(y)).lo
		t = below(below(value, -aboveProduct(s, at)), slope.less(just(s)).times(a.less(just(at))).lo)
		if !slope.finite() {
			t = math.Inf(-1)
		}
	case a.finite():
		lo, hi := c.value(a.lo).times(just(y)), c.value(a.hi).times(just(y))
		t = min(below(lo.lo, -aboveProduct(s, a.lo)), below(hi.lo, -aboveProduct(s, a.hi)))
	}
	if t-t != 0 || s-s != 0 {
		b.constant(k, y)
		return
	}
	b.take(t)
	b.y[c.a] = b.y[c.a].plus(just(s))
}

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

// under bounds y times a convex function of several columns, y > 0, by the affine function
// with given slopes and the least of the difference, a conjugate.
func (b *bounding) under(k int, y float64) bool {
	u := b.cols[k].under
	n := len(u.args)
	s, c := make([]float64, n), 0.0
	at := make([]float64, n)
	for i, j := range u.args {
		at[i] = b.leaf.points[j]
		if !b.box[j].finite() || math.IsNaN(at[i]) {
			return false
		}
	}
	last := n - 1
	switch u.kind {
	case bundleNorm: // y‖a‖ − s·a ≥ −(‖s‖ − y)·‖a‖
		size := 0.0
		for _, v := range at {
			size = math.Hypot(size, v)
		}
		if size == 0 {
			b.take(max(belowProduct(-y, b.cols[k].off), just(y).times(b.box[b.n+k]).lo))
			return true
		}
		var sq, far span
		for i, j := range u.args {
			s[i] = y * at[i] / size
			sq = sq.plus(just(s[i]).times(just(s[i])))
			m := b.box[j].magnitude()
			far = far.plus(m.times(m))
		}
		root := func(v float64) float64 { return math.Nextafter(math.Sqrt(v), math.Inf(1)) }
		if over := above(root(sq.hi), -y); over > 0 {
			c = -aboveProduct(over, root(far.hi))
		}
	case bundleLogSumExp: // Σs·lse(a) − s·a ≥ −Σ s·log(s/Σs)
		top, sum := math.Inf(-1), 0.0
		for _, v := range at {
			top = max(top, v)
		}
		for i := range n {
			s[i] = math.Exp(at[i] - top)
			sum += s[i]
		}
		var all span
		for i := range n {
			s[i] *= y / sum
			all = all.plus(just(s[i]))
		}
		var entropy span
		for i := range n {
			if s[i] > 0 {
				r := just(s[i]).over(all)
				entropy = entropy.less(just(s[i]).times(span{logarithm(r.lo).lo, logarithm(r.hi).hi}))
			}
		}
		c = below(entropy.lo, just(y).less(all).times(b.box[b.n+k]).lo)
	case bundleSquareOver: // y‖a‖²/v − s·a ≥ −v‖s‖²/(4y)
		v := at[last]
		if !(v > 0) || !(b.box[u.args[last]].lo >= 0) {
			return false
		}
		var sq span
		for i := range last {
			s[i] = 2 * y * at[i] / v
			s[last] -= y * at[i] * at[i] / (v * v)
			sq = sq.plus(just(s[i]).times(just(s[i])))
		}
		c = sq.over(just(4).times(just(y))).minus().less(just(s[last])).times(b.box[u.args[last]]).lo
	case bundleDivergence: // y·kl(u, v) − s·u ≥ y·v·(1 − exp(s/y))
		p, q := at[0], at[1]
		if !(p > 0 && q > 0) || !(b.box[u.args[1]].lo >= 0) {
			return false
		}
		s[0], s[1] = y*math.Log(p/q), y*(1-p/q)
		e := exponential(just(s[0]).over(just(y)))
		c = just(1).less(e).times(just(y)).less(just(s[1])).times(b.box[u.args[1]]).lo
	case bundleLargest:
		w := b.leaf.shares[b.n+k]
		sum := 0.0
		for i := range min(n, len(w)) {
			if w[i] > 0 {
				sum += w[i]
			}
		}
		if !(sum > 0) || math.IsInf(sum, 0) || len(w) != n {
			return false
		}
		var all span
		for i := range n {
			if w[i] > 0 {
				s[i] = y * (w[i] / sum)
			}
			all = all.plus(just(s[i]))
		}
		c = just(y).less(all).times(b.box[b.n+k]).lo
	}
	c = below(c, -aboveProduct(y, b.cols[k].off))
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return false
	}
	for _, v := range s {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	b.take(c)
	for i, j := range u.args {
		b.y[j] = b.y[j].plus(just(s[i]))
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
	var inverse, lo [3]span
	for i, j := range t.cols {
		a := span{min(t.over[i].lo, b.box[j].lo), max(t.over[i].hi, b.box[j].hi)} // it holds on all of it
		if !a.finite() || !(a.hi > a.lo) {
			return
		}
		lo[i] = just(a.lo)
		inverse[i] = just(1).over(just(a.hi).less(lo[i]))
	}
	single := [3]float64{1, 1, 1}
	double := [3]float64{-1, -1, -1}
	c := span{}
	if t.kind == 0 {
		c = just(-1)
	} else {
		single = [3]float64{}
		single[t.kind-1] = -1
		for n, p := range pairs {
			if double[n] = -1; p[0] == t.kind-1 || p[1] == t.kind-1 {
				double[n] = 1
			}
		}
	}
	y := just(t.mult)
	for i, j := range t.cols {
		w := inverse[i].times(just(single[i]))
		b.y[j] = b.y[j].plus(w.times(y))
		c = c.less(w.times(lo[i]))
	}
	for n, p := range pairs {
		w := inverse[p[0]].times(inverse[p[1]]).times(just(double[n]))
		b.y[t.terms[n]] = b.y[t.terms[n]].plus(w.times(y))
		for i := range 2 {
			j := t.cols[p[i]]
			b.y[j] = b.y[j].less(w.times(lo[p[1-i]]).times(y))
		}
		c = c.plus(w.times(lo[p[0]]).times(lo[p[1]]))
	}
	b.take(c.times(y).lo)
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
