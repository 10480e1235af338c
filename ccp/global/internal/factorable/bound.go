package factorable

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Dual determines a bound of a Lagrangian: the weight of the cost, multipliers
// of the rows, positive where Hi holds and negative where Lo does, and a hint for each
// term. It bounds the cost where Cost is 1, and proves that nothing is feasible where
// Cost is 0 and the bound is positive.
type Dual struct {
	Cost float64
	Rows []float64
	// Hints has, for each term: of Affine the multiplier that goes on to the columns that
	// it is made of; of Product the share of the first of the two planes of McCormick; of
	// a convex function the argument at which it has the slope of the minorant; of Abs that
	// slope, from −1 to 1, as it has many at 0.
	Hints []float64
	// Sides has, for each term, the multiplier of the bounds of its column, positive at
	// the upper one: so much of the term is bounded by its interval.
	Sides []float64
	// Slopes comes back with the slopes of the minorants of terms of one column and of products,
	// by their columns A and B: those of terms that are bounded by constants are 0.
	Slopes [2][]float64
	// Points has the arguments at which the functions under terms are linearised, by
	// column, and Shares the weights of the arguments of maxima.
	Points []float64
	Shares map[int][]float64
	// Cuts are products of rows that are added, see Cut.
	Cuts []Cut
	// Squares are affine functions of variables whose squares are taken from the Lagrangian, as
	// they are at least 0: a multiplier of a semidefinite cone is a sum of such (Shor 1987). Their
	// products must be terms.
	Squares []convex.Linear
}

// NewDual is a dual of zeros.
func (p *Problem) NewDual() *Dual {
	n := len(p.Terms)
	return &Dual{
		Cost: 1, Rows: make([]float64, len(p.Rows)), Hints: make([]float64, n), Sides: make([]float64, n),
		Points: make([]float64, p.Columns()), Shares: map[int][]float64{},
	}
}

// ByIntervals is the dual without multipliers: its bound is the least cost over the intervals of
// the columns.
func (p *Problem) ByIntervals() *Dual {
	d := p.NewDual()
	for k, j := range p.Cost.Idx {
		if j >= p.N {
			d.Sides[j-p.N] = -p.Cost.Val[k]
		}
	}
	return d
}

// Bound is a number that no point of the box which keeps the rows has a smaller Lagrangian
// than: a lower bound of the cost, or of zero. work has a number for each
// column, and comes back with the multipliers of the columns.
func (p *Problem) Bound(d *Dual, box []Interval, work []Interval) float64 {
	clear(work)
	for i := range d.Slopes {
		d.Slopes[i] = slices.Repeat([]float64{0}, len(p.Terms))
	}
	b := bounder{p, d, box, work, 0}
	if d.Cost != 0 {
		b.add(p.Cost, d.Cost)
	}
	for i, y := range d.Rows {
		r := &p.Rows[i]
		side := r.Hi
		if y < 0 {
			side = r.Lo
		}
		if y == 0 || math.IsInf(side, 0) || math.IsNaN(y) {
			continue
		}
		b.take(num.MulDown(-y, side))
		b.add(r.Lin, y)
	}
	for i := range d.Cuts {
		b.cut(&d.Cuts[i])
	}
	for _, l := range d.Squares {
		b.square(l)
	}
	for k := len(p.Terms) - 1; k >= 0; k-- {
		b.term(k)
	}
	for j := range p.N {
		b.take(box[j].Mul(work[j]).Lo)
	}
	if math.IsNaN(b.constant) {
		return math.Inf(-1)
	}
	return b.constant
}

// bounder is a bound under way.
type bounder struct {
	*Problem
	d        *Dual
	box      []Interval
	y        []Interval // of each column, enclosed
	constant float64    // rounded down
}

// add adds w·l to the Lagrangian.
func (b *bounder) add(l convex.Linear, w float64) {
	b.take(num.MulDown(w, l.Const))
	for k, j := range l.Idx {
		b.mark(j, interval.Point(l.Val[k]).Scale(w))
	}
}

// take adds a number to the Lagrangian, and mark a multiple of a column.
func (b *bounder) take(c float64)            { b.constant = num.AddDown(b.constant, c) }
func (b *bounder) mark(col int, of Interval) { b.y[col] = b.y[col].Add(of) }

// square takes l² from the Lagrangian.
func (b *bounder) square(l convex.Linear) {
	b.take(-num.MulUp(l.Const, l.Const))
	minus := func(j int, u, v, times float64) {
		b.mark(j, interval.Point(v).Scale(u).Scale(times).Neg())
	}
	for k, i := range l.Idx {
		minus(i, l.Const, l.Val[k], 2)
		for n, j := range l.Idx[:k+1] {
			times := 2.0
			if n == k {
				times = 1
			}
			minus(b.pairs[[2]int{j, i}], l.Val[n], l.Val[k], times)
		}
	}
}

// term replaces the multiple of a term by an affine minorant over the box.
func (b *bounder) term(k int) {
	t, j := &b.Terms[k], b.N+k
	y := Middle(b.y[j])
	if rest := b.y[j].Add(interval.Point(-y)); rest != (Interval{}) {
		b.take(rest.Mul(b.box[j]).Lo)
	}
	if t.Op != Affine || t.Under != nil {
		y = b.share(k, y)
	}
	if y == 0 && t.Op != Affine {
		return
	}
	plain := b.box[j].Scale(y).Lo // the bound of a minorant that is constant
	if t.Under != nil && y > 0 && b.under(k, y, plain) {
		return
	}
	switch {
	case t.Op == Affine:
		s := y
		if h := b.d.Hints[k]; math.Abs(h-y) > 1e-9*math.Abs(y) && b.box[j].IsFinite() {
			s = h
		}
		b.take(leastRest(y, s, b.box[j]))
		b.add(t.Lin, s)
	case t.Op == Product:
		b.product(k, y, plain)
	default:
		b.curve(k, y, plain)
	}
}

// share bounds −z·w by the interval of the term's column w, and returns y + z.
func (b *bounder) share(k int, y float64) float64 {
	z, a := b.d.Sides[k], b.box[b.N+k]
	rest := y + z
	if z == 0 || rest == y || !a.IsFinite() || math.IsNaN(rest) {
		return y
	}
	b.take(leastRest(y, rest, a))
	return rest
}

// leastRest is the least (y − s)·v for v in a.
func leastRest(y, s float64, a Interval) float64 {
	return interval.Point(y).Add(interval.Point(-s)).Mul(a).Lo
}

// curve bounds y·f(t) for a function of one column by an affine function: with the slope of the
// chord where y·f is concave, of the function at the hint if it has cones, else of the hint.
func (b *bounder) curve(k int, y, plain float64) {
	t := &b.Terms[k]
	a := meet(b.box[t.A], t.domain())
	s := y * b.d.Hints[k]
	if bends := t.Bends(a); bends == 2 || bends == 1 && y < 0 || bends == -1 && y > 0 {
		if s = 0; interval.Width(a) > 0 {
			s = y * (t.at(a.Hi).Lo - t.at(a.Lo).Lo) / interval.Width(a)
		}
	} else if t.Cones != nil {
		slope := t.slopes(Clip(a, b.d.Hints[k])).Scale(y)
		s = Middle(slope)
	}
	c := math.Inf(-1)
	if s-s == 0 {
		c = t.least(y, s, a, b.d.Points[t.A])
	}
	if c-c != 0 || !b.pays(s, c, a, plain) {
		s, c = 0, plain
	}
	b.take(c)
	b.d.Slopes[0][k] = s
	b.mark(t.A, interval.Point(s))
}

// least is at most y·f(u) − s·u on a: the least bound of its parts, of which the one with that
// bound is halved as long as that pays. near may be next to the minimum.
func (t *Term) least(y, s float64, a Interval, near float64) float64 {
	type part struct {
		Interval
		least float64
	}
	top, room := math.Inf(1), parting*t.image(a).Scale(y).Add(a.Scale(s)).Abs().Hi
	bounded := func(a Interval) part {
		of := func(u float64) Interval { return t.at(u).Scale(y).Add(interval.Point(u).Scale(s).Neg()) }
		slope := func(u float64) Interval { return t.slopes(u).Scale(y).Add(interval.Point(-s)) }
		u, v, bend, w := of(a.Lo), of(a.Hi), t.row().Second.Over(a, t.P).Scale(y), num.AddUp(a.Hi, -a.Lo)
		low := min(u.Lo, v.Lo)
		if bend.Lo >= 0 { // above the tangents at both ends
			falls, rises := num.MulUp(max(-slope(a.Lo).Lo, 0), w), num.MulUp(max(slope(a.Hi).Hi, 0), w)
			low = max(num.AddDown(u.Lo, -falls), num.AddDown(v.Lo, -rises))
		} else if bend.Hi > 0 { // chords are above by at most so much
			low = num.AddDown(low, -num.MulUp(bend.Hi/8, num.MulUp(w, w)))
			low = max(low, t.image(a).Scale(y).Add(a.Scale(s).Neg()).Lo)
		}
		top = min(top, u.Hi, v.Hi)
		return part{a, low}
	}
	var parts []part
	beside, from := 1e-9*max(1, math.Abs(near)), a.Lo
	for _, to := range [3]float64{Clip(a, near-beside), Clip(a, near+beside), a.Hi} {
		if to > from || to == a.Hi && parts == nil {
			parts, from = append(parts, bounded(interval.New(from, to))), to
		}
	}
	for {
		at := 0
		for i := range parts {
			if parts[i].least < parts[at].least {
				at = i
			}
		}
		p := parts[at]
		mid := Middle(p.Interval)
		if !(p.least < top-room && p.Lo < mid && mid < p.Hi && p.IsFinite() && len(parts) < mostParts) {
			return p.least
		}
		parts[at] = bounded(interval.New(p.Lo, mid))
		parts = append(parts, bounded(interval.New(mid, p.Hi)))
	}
}

// Parts of an interval: how many there are at most, and how near to the least value a bound has to
// be, relative to the largest. Source: limits of time; a wave with a hundred periods has so many.
const (
	mostParts = 200
	parting   = 0x1p-32
)

// between is the middle of an interval, or a number well inside of one that has no end.
func between(l, h float64) float64 {
	switch {
	case math.IsInf(l, -1) && math.IsInf(h, 1):
		return 0
	case math.IsInf(l, -1):
		return h - max(1, 2*math.Abs(h))
	case math.IsInf(h, 1):
		return l + max(1, 2*math.Abs(l))
	}
	return l + (h-l)/2
}

// pays: an affine minorant is worth more than a constant somewhere.
func (b *bounder) pays(s, c float64, a Interval, plain float64) bool {
	return max(num.AddUp(num.MulUp(s, a.Lo), c), num.AddUp(num.MulUp(s, a.Hi), c)) >= plain || math.IsInf(plain, -1)
}

// product bounds y·u·v by the planes of McCormick, mixed.
func (b *bounder) product(k int, y, plain float64) {
	t := &b.Terms[k]
	u, v := b.box[t.A], b.box[t.B]
	if !u.IsFinite() || !v.IsFinite() {
		b.take(plain)
		return
	}
	share := min(max(b.d.Hints[k], 0), 1)
	if math.IsNaN(share) {
		share = 0.5
	}
	// Of the plane that touches at (u.Lo, v.Lo), or above at (u.Lo, v.Hi), and the other.
	p, q := v.Lo, v.Hi
	if y < 0 {
		p, q = q, p
	}
	su, sv := y*(share*p+(1-share)*q), y*(share*u.Lo+(1-share)*u.Hi)
	c := math.Inf(1)
	for _, a := range [2]float64{u.Lo, u.Hi} {
		for _, e := range [2]float64{v.Lo, v.Hi} {
			w := interval.Point(e).Scale(a).Scale(y)
			c = min(c, num.AddDown(num.AddDown(w.Lo, -num.MulUp(su, a)), -num.MulUp(sv, e)))
		}
	}
	if math.IsInf(c, 0) || math.IsNaN(c) {
		b.take(plain)
		return
	}
	b.take(c)
	b.d.Slopes[0][k], b.d.Slopes[1][k] = su, sv
	b.mark(t.A, interval.Point(su))
	b.mark(t.B, interval.Point(sv))
}
