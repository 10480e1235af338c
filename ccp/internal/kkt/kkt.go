package kkt

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/rows"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Point is a point of a problem, and how much counts there.
type Point struct {
	P *dc.Problem
	X []float64
	// Lo and Hi are the bounds of the variables, within the domains of functions, and Size their sizes.
	Lo, Hi, Size []float64
	// Product is the least product of a multiplier and a slack, or of a slope and a size, that counts,
	// Relative the least slope that does, relative to its parts, and Near how far a bound is that holds,
	// in parts of the size.
	Product, Relative, Near float64

	// Rest, after Slope, is the largest slope that the bounds do not hold, whether or not it counts,
	// relative to its largest part.
	Rest float64
	// Kinked, after Slope: a function that counts has no gradient at X; Trusted: and the multipliers do not hold
	// the subgradients there, but may hold others.
	Kinked, Trusted bool
	// Degenerate, after Project: the constraint of those that hold whose gradient along variables away from
	// their bounds vanishes, or cancels with others up to Relative; nil: none does.
	Degenerate *dc.Constraint

	side []float64 // the step to points beside X, in any direction
}

// row is a constraint at the point, lo ≤ value + val·d ≤ hi: an entry of an affine one, or both halves
// of an equation.
type row struct {
	c, entry      int
	idx           []int
	val           []float64
	value, lo, hi float64
	kinked        bool
}

// Slope is how far multipliers are from the conditions: the largest slope of the Lagrangian that the
// bounds of the variables do not hold, relative to the largest of its parts along the same variable,
// the objective and the constraints. rows are the multipliers of the constraints, as ccp.Result.Duals;
// bounds, those of the bounds, are set. Where Trusted these stay, and the result is Relative, the
// largest that is none. It is +Inf where products of multipliers and slacks count.
func (p *Point) Slope(rows [][]float64, bounds []float64) float64 {
	n := len(p.X)
	sum, top, part := make([]float64, n), make([]float64, n), make([]float64, n)
	add := func(of []int) {
		for _, j := range of {
			sum[j], top[j], part[j] = sum[j]+part[j], max(top[j], math.Abs(part[j])), 0
		}
	}
	f := p.P.Objective.Function()
	f.AddSubgrad(part, 1, p.X)
	p.Kinked = !p.differentiable(f, part, p.Product)
	add(f.Support())
	open := 0.0
	p.rows(func(i, k int) float64 { return p.multiplier(rows, i, k) }, func(r row) {
		y, slack := p.multiplier(rows, r.c, r.entry), r.hi-r.value
		if y < 0 {
			slack = r.value - r.lo
		}
		if p.Kinked = p.Kinked || r.kinked; r.lo < r.hi { // a violation is none
			open = max(open, math.Abs(y)*slack)
		}
		for t, j := range r.idx {
			part[j] += y * r.val[t]
		}
		add(r.idx)
	})
	if p.Rest, p.Trusted = 0, false; !(open <= p.Product) {
		return math.Inf(1)
	}
	held := make([]float64, n)
	slope := p.unheld(sum, top, held)
	if p.Trusted = p.Kinked && !(slope <= p.Relative); p.Trusted {
		p.Rest = 0
		return p.Relative
	}
	copy(bounds, held)
	return slope
}

// unheld is the largest slope that the bounds do not hold, relative to top; bounds are set.
func (p *Point) unheld(sum, top, bounds []float64) (worst float64) {
	least := p.Product
	for j, t := range top { // the square: slopes of less are beyond the accuracy of solvers
		least = max(least, p.Relative*p.Relative*t*p.Size[j])
	}
	for j, s := range sum {
		room, slope := p.room(j, s), math.Abs(s)
		switch open := slope * room; {
		case math.IsInf(s, 0):
			worst = slope
		case room <= p.Near*p.Size[j] || open <= p.Product && room <= p.Relative*p.Size[j],
			open <= p.Relative*p.Product && slope > p.Relative*top[j]:
			bounds[j] = 0 - s
			continue
		case !(slope*min(room, p.Size[j]) <= least):
			worst = max(worst, slope/top[j])
		}
		if bounds[j] = 0; s != 0 {
			p.Rest = max(p.Rest, math.Abs(s)/top[j])
		}
	}
	return worst
}

// room is how far variable j may go against a slope.
func (p *Point) room(j int, slope float64) float64 {
	if slope > 0 {
		return p.X[j] - p.Lo[j]
	}
	return p.Hi[j] - p.X[j]
}

// multiplier is that of a row; of a matrix or a cone any that is not 0.
func (p *Point) multiplier(rows [][]float64, i, k int) float64 {
	c, y := &p.P.Constraints[i], rows[i]
	if c.Equation() {
		return y[0] - rows[i+1][0]
	}
	for c.DC && y[k] == 0 && k+1 < len(y) {
		k++
	}
	return y[k]
}

// rows are those of the constraints whose weight is not 0; a kink that counts changes its slopes, times that, by Product.
func (p *Point) rows(weight func(i, k int) float64, each func(r row)) {
	grad := make([]float64, len(p.X))
	for i := range p.P.Constraints {
		c := &p.P.Constraints[i]
		for k := range c.Lo {
			if weight(i, k) != 0 {
				a := c.A.Entry(k)
				each(row{c: i, entry: k, idx: a.Idx, val: a.Val, value: a.Value(p.X), lo: c.Lo[k], hi: c.Hi[k]})
			}
		}
		if !c.DC || c.Within() || i > 0 && p.P.Constraints[i-1].Equation() || weight(i, 0) == 0 {
			continue
		}
		f, r := c.E().Function(), row{c: i, lo: math.Inf(-1)}
		if c.Equation() {
			r.lo = 0
		}
		r.value, r.idx = c.Value(p.X), f.Support()
		f.AddSubgrad(grad, 1, p.X)
		_, cone := c.Cone()
		r.kinked = cone || c.Order() > 0 || !p.differentiable(f, grad, max(p.Near*p.P.RowUnit(c, 0, p.X), p.Product/math.Abs(weight(i, 0))))
		for _, j := range r.idx {
			r.val = append(r.val, grad[j])
			grad[j] = 0
		}
		each(r)
	}
}

// all is a weight that no other is above.
func all(i, k int) float64 { return math.Inf(1) }

// differentiable reports whether f has one gradient around the point, where its gradient is grad and changes
// of least count. At a kink that of a point beside it is another, however near that is; near one, the mean of
// two on both sides is, which at a distance r is no further from grad than r² where there is none. Smooth
// functions may have a kink at one point, as norms at 0.
func (p *Point) differentiable(f dc.Convex, grad []float64, least float64) bool {
	of, y := f.Support(), slices.Clone(p.X)
	s, smooth := f.(interface{ Smooth() bool })
	smooth = smooth && s.Smooth()
	beside := func(d float64) []float64 {
		for _, j := range of {
			step := d * p.aside()[j]
			if v := math.Abs(p.X[j]); smooth && v > p.Near*p.Near*p.Size[j] { // it may be curved where its size is no matter
				step *= v / p.Size[j]
			}
			y[j] = p.X[j] + step
		}
		g := make([]float64, len(y))
		f.AddSubgrad(g, 1, y)
		return g
	}
	jump := func(a, b []float64) float64 { // from grad to the mean of the two, in parts of the least that counts
		size, apart := 0.0, 0.0
		for _, j := range of {
			size = max(size, math.Abs(grad[j])*p.Size[j])
			apart = max(apart, math.Abs(a[j]+b[j]-2*grad[j])*p.Size[j])
		}
		return apart / (2 * max(p.Relative*size, least)) // where there is no number f ends, and is not bent
	}
	for _, j := range of {
		if math.IsNaN(grad[j]) {
			return false
		}
	}
	near, flat := p.Relative*p.Relative, true
	for _, j := range of {
		flat = flat && p.Relative*math.Abs(grad[j])*p.Size[j] <= least
	}
	single := func(d float64) float64 {
		g := beside(d)
		return jump(g, g)
	}
	if v := single(near); smooth || v > 1 {
		// Where the gradient vanishes any other one counts: a curve's is less by Relative nearby, a kink's stays.
		return !(v > 1) || smooth && flat && single(near*p.Relative) < v/2
	}
	return !(single(-near) > 1 || jump(beside(p.Relative), beside(-p.Relative)) > 1)
}

// aside is a step of the sizes of the variables.
func (p *Point) aside() []float64 {
	if p.side == nil {
		rng := rand.New(rand.NewPCG(0, 0)) // any direction does: it is along a kink by chance alone
		for _, size := range p.Size {
			p.side = append(p.side, size*rng.NormFloat64())
		}
	}
	return p.side
}

// Varies is by how much the objective is another one where the variables change by their sizes, +Inf where it has no value.
func (p *Point) Varies() (most float64) {
	y, here := make([]float64, len(p.X)), p.P.Objective.Value(p.X)
	for _, sign := range [2]float64{1, -1} {
		for j, d := range p.aside() {
			y[j] = min(max(p.X[j]+sign*d, p.Lo[j]), p.Hi[j])
		}
		if d := math.Abs(p.P.Objective.Value(y) - here); !(d <= most) {
			most = d
		}
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most
}

// Project finds multipliers that leave the least slopes, in units of the sizes of variables: those of
// the step to the least of the objective's tangent and half of the step's squared length, within the
// tangents of the constraints. ok is false where there are none.
func (p *Point) Project(ctx context.Context) (duals [][]float64, ok bool) {
	n := len(p.X)
	q := &qpbackend.Problem{Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	p.P.Objective.AddGradient(q.Q, 1, p.X)
	for j := range q.Q {
		q.Q[j] *= p.Size[j]
	}
	long := 0.0
	for j, v := range q.Q {
		if p.room(j, v) > p.Near*p.Size[j] {
			long = max(long, math.Abs(v))
		}
	}
	if long == 0 { // bounds hold the rest
		long = num.NormInf(q.Q)
	}
	if !(long > 0) || math.IsInf(long, 1) {
		return rows.Zeros(p.P), long == 0
	}
	largest := 1 / p.Relative
	var square, a sparse.Triplets
	for j := range q.Q {
		q.Q[j] = min(max(q.Q[j]/long, -largest), largest)
		square.Add(j, j, 1)
		q.Lo[j] = min((p.Lo[j]-p.X[j])/p.Size[j], 0)
		q.Hi[j] = max((p.Hi[j]-p.X[j])/p.Size[j], 0)
	}
	var of []row
	var unit []float64
	p.Degenerate = nil
	p.rows(all, func(r row) {
		top, free := 0.0, 0.0
		for t, j := range r.idx {
			v := math.Abs(r.val[t]) * p.Size[j]
			if top = max(top, v); q.Hi[j]-q.Lo[j] > 0 && min(q.Hi[j], -q.Lo[j]) > p.Near {
				free = max(free, v)
			}
		}
		if r.kinked || math.IsNaN(top) || math.IsInf(top, 1) {
			return
		}
		if free <= p.Relative*p.Relative*top && min(r.hi-r.value, r.value-r.lo) <= p.Near && len(r.idx) > 0 {
			p.Degenerate = &p.P.Constraints[r.c]
		}
		if top == 0 {
			return
		}
		for t, j := range r.idx {
			a.Add(len(of), j, r.val[t]*p.Size[j]/top)
		}
		q.L = append(q.L, min((r.lo-r.value)/top, 0))
		q.U = append(q.U, max((r.hi-r.value)/top, 0))
		of, unit = append(of, r), append(unit, long/top)
	})
	q.P, _ = square.CSC(n, n)
	q.A, _ = a.CSC(len(q.L), n)
	solver, err := ipm.Backend{}.New(ctx, q, ipm.Backend{}.DefaultSettings())
	if err != nil {
		return nil, false
	}
	defer func() { _ = solver.Close() }()
	var res qpbackend.Result
	if solver.Solve(ctx, &res) != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return nil, false
	}
	duals = rows.Zeros(p.P)
	for i, r := range of {
		y := res.Y[i] * unit[i]
		if duals[r.c][r.entry] = y; p.P.Constraints[r.c].Equation() {
			duals[r.c][0], duals[r.c+1][0] = max(y, 0), max(-y, 0)
		}
		if size := math.Abs(res.Y[i]); size >= largest {
			largest, p.Degenerate = size, &p.P.Constraints[r.c]
		}
	}
	return duals, true
}

// Bent reports whether a function of the problem has no gradient at X.
func (p *Point) Bent() (bent bool) {
	f, grad := p.P.Objective.Function(), make([]float64, len(p.X))
	f.AddSubgrad(grad, 1, p.X)
	bent = !p.differentiable(f, grad, p.Product)
	p.rows(all, func(r row) { bent = bent || r.kinked })
	return bent
}

// Loose is the constraint that decides the objective: by its multiplier, a violation of tol times its row's
// unit changes the objective by more than Product, or by as much as counts where the point breaks it by
// as much. nil: none does, or the last multipliers that Slope has seen are of a kink, where they are any of many.
func (p *Point) Loose(rows [][]float64, tol float64) (loose *dc.Constraint, change float64) {
	least := p.Product * p.Relative
	if p.Kinked {
		return nil, 0
	}
	p.rows(func(i, k int) float64 { return p.multiplier(rows, i, k) }, func(r row) {
		y, c := math.Abs(p.multiplier(rows, r.c, r.entry)), &p.P.Constraints[r.c]
		if _, cone := c.Cone(); cone || c.Order() > 0 { // one number says nothing of these
			return
		}
		broken := max(r.lo-r.value, r.value-r.hi, 0)
		if by := y * tol * p.P.RowUnit(c, r.entry, p.X); (by > p.Product || y*broken > least) && by > max(change, least) {
			loose, change = c, by
		}
	})
	return loose, change
}
