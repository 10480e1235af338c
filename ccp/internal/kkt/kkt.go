package kkt

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Point is a point of a problem, with the tolerances of its first-order conditions.
type Point struct {
	P *program.Problem
	X []float64
	// Lo and Hi are the bounds of the variables, within the domains of functions. Size has the
	// sizes of the variables.
	Lo, Hi, Size []float64
	// Product is the tolerance of complementarity: of a multiplier times a slack, and of a slope
	// times a size. Relative is the tolerance of a slope of the Lagrangian, in units of its largest
	// part. A bound is active where it is nearer than Near times the size of its variable.
	Product, Relative, Near float64

	objective convex.Func  // of P
	support   []int        // of the objective
	normals   []float64    // of a step in a random direction
	work      [3][]float64 // X, and room for gradients
	sums      [3][]float64 // see zeros
	bounds    []float64    // room of its first answer
	answered  bool         // that is in use
}

// Move makes p the point x of a problem, without bounds, sizes and tolerances, in the memory of the
// last one.
func (p *Point) Move(problem *program.Problem, x []float64) {
	old := *p
	*p = Point{P: problem, X: append(old.X[:0], x...), Lo: old.Lo[:0], Hi: old.Hi[:0], Size: old.Size[:0],
		normals: old.normals, sums: old.sums, bounds: old.bounds}
	if p.work = old.work; len(p.work[0]) == len(x) {
		copy(p.work[0], x)
	} else {
		p.work[0] = nil
	}
	if problem == old.P {
		p.objective, p.support = old.objective, old.support
	}
}

// function is the objective as one function, and its support.
func (p *Point) function() (convex.Func, []int) {
	if p.objective == nil {
		p.objective = &p.P.Objective
		p.support = p.objective.Support()
	}
	return p.objective, p.support
}

// zeros are three slices of zeros, as long as X.
func (p *Point) zeros() (a, b, c []float64) {
	for k := range p.sums {
		if len(p.sums[k]) != len(p.X) {
			p.sums[k] = make([]float64, len(p.X))
		}
		clear(p.sums[k])
	}
	return p.sums[0], p.sums[1], p.sums[2]
}

// Residual is how far multipliers are from first-order conditions.
type Residual struct {
	// Slope is the largest slope of the Lagrangian that no active bound holds, in units of the
	// largest part along the same variable: of the objective, or of a constraint. It is +Inf where
	// complementarity fails, and Point.Relative where Trusted.
	Slope float64
	// Rest is as Slope, with slopes that are too small to count.
	Rest float64
	// Kinked: a function with a multiplier, or the objective, has no gradient at the point.
	Kinked bool
	// Trusted: Kinked, and the subgradient that the function gives does not meet the conditions.
	// Another one may.
	Trusted bool
	// Bounds are the multipliers of the bounds; nil where Slope is +Inf, or Trusted.
	Bounds []float64
}

// row is a constraint at the point, lo ≤ value + val·d ≤ hi: an entry of an affine one, or both
// halves of an equation.
type row struct {
	c, entry      int
	y             float64 // its multiplier
	idx           []int
	val           []float64
	value, lo, hi float64
	kinked        bool
}

// Residual is the residual of the multipliers of the constraints, as ccp.Result.Duals has them.
func (p *Point) Residual(duals [][]float64) (out Residual) {
	sum, top, part := p.zeros()
	add := func(of []int) {
		for _, j := range of {
			sum[j], top[j], part[j] = sum[j]+part[j], max(top[j], math.Abs(part[j])), 0
		}
	}
	f, of := p.function()
	f.AddSubgrad(part, 1, p.X)
	out.Kinked = !p.differentiable(f, of, part, p.Product)
	add(of)
	open := 0.0
	p.rows(func(i, k int) float64 { return p.multiplier(duals, i, k) }, math.Inf(1), func(r row) {
		slack := r.hi - r.value
		if r.y < 0 {
			slack = r.value - r.lo
		}
		if out.Kinked = out.Kinked || r.kinked; r.lo < r.hi { // a violation is no slack
			open = max(open, math.Abs(r.y)*slack)
		}
		for t, j := range r.idx {
			part[j] += r.y * r.val[t]
		}
		add(r.idx)
	})
	if !(open <= p.Product) {
		out.Slope = math.Inf(1)
		return out
	}
	slope, rest, bounds := p.unheld(sum, top)
	if out.Trusted = out.Kinked && !(slope <= p.Relative); out.Trusted {
		out.Slope = p.Relative
		return out
	}
	out.Slope, out.Rest, out.Bounds = slope, rest, bounds
	return out
}

// unheld are the largest slope that counts and the largest of all, in units of top, of those that
// no bound holds, and the multipliers of the bounds.
func (p *Point) unheld(sum, top []float64) (worst, rest float64, bounds []float64) {
	if bounds = p.bounds; p.answered || len(bounds) != len(sum) {
		bounds = make([]float64, len(sum))
	}
	if clear(bounds); !p.answered {
		p.bounds, p.answered = bounds, true
	}
	least := p.Product
	for j, t := range top { // the square: no solver is more accurate
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
		if s != 0 {
			rest = max(rest, slope/top[j])
		}
	}
	return worst, rest, bounds
}

// room is how far variable j may go against a slope.
func (p *Point) room(j int, slope float64) float64 {
	if slope > 0 {
		return p.X[j] - p.Lo[j]
	}
	return p.Hi[j] - p.X[j]
}

// multiplier is the multiplier of a row; of a matrix or a cone any that is not 0.
func (p *Point) multiplier(duals [][]float64, i, k int) float64 {
	c, y := &p.P.Constraints[i], duals[i]
	if c.Equation {
		return y[0] - duals[i+1][0]
	}
	for c.DC && y[k] == 0 && k+1 < len(y) {
		k++
	}
	return y[k]
}

// rows calls each for the rows whose multiplier y is not 0, but for those of inequalities that are
// not affine and open by more than far times the change for that of a variable by its size. A row
// is kinked where another of its subgradients changes the Lagrangian by more than Product.
func (p *Point) rows(y func(i, k int) float64, far float64, each func(r row)) {
	var grad []float64
	size := num.NormInf(p.Size)
	off := distant{p: p, far: far * size}
	for i := range p.P.Constraints {
		c := &p.P.Constraints[i]
		for k := range c.Lo {
			if y := y(i, k); y != 0 {
				a := c.A.Linear(k)
				each(row{
					c: i, entry: k, y: y, idx: a.Idx, val: a.Val, value: a.Value(p.X), lo: c.Lo[k], hi: c.Hi[k],
				})
			}
		}
		if !c.DC || c.Within || i > 0 && p.P.Constraints[i-1].Equation {
			continue
		}
		y := y(i, 0)
		if y == 0 || off.has(i) {
			continue
		}
		f, r := c.Written(), row{c: i, y: y, lo: math.Inf(-1)}
		if c.Equation {
			r.lo = 0
		}
		if grad == nil {
			grad = make([]float64, len(p.X))
		}
		r.value, r.idx = f.Value(p.X), f.Support()
		f.AddSubgrad(grad, 1, p.X)
		top := 0.0
		for _, j := range r.idx {
			top = max(top, math.Abs(grad[j])*p.Size[j])
		}
		near := c.Equation || !(-r.value > far*top)
		// The mean of two gradients beside the point is no farther from the one at it than twice
		// the slope.
		if near && !(2*c.Slope()*size <= p.Product/math.Abs(y)) {
			_, cone := c.Cone()
			least := max(p.Near*p.P.RowUnit(c, 0, p.X), p.Product/math.Abs(y))
			r.kinked = cone || c.Order() > 0 || !p.differentiable(f, r.idx, grad, least)
		}
		for _, j := range r.idx {
			r.val = append(r.val, grad[j])
			grad[j] = 0
		}
		if near {
			each(r)
		}
	}
}

// distant finds the members of families that are open by more than a change of all variables by far
// makes.
type distant struct {
	p      *Point
	far    float64
	first  int // the constraint that the family begins with
	values []float64
	of     *family.Members
}

// has reports whether constraint i is such a member. i does not descend.
func (d *distant) has(i int) bool {
	if math.IsInf(d.far, 1) {
		return false
	}
	if m := d.p.P.Constraints[i].Members(); m != nil {
		d.of, d.first, d.values = m, i, make([]float64, m.Count())
		m.Values(d.values, d.p.X)
	}
	k := i - d.first
	return d.of != nil && k < len(d.values) && -d.values[k] > d.far*d.p.P.Constraints[i].Slope()
}

// all are multipliers of all rows, larger than any number, so that every kink counts.
func all(i, k int) float64 { return math.Inf(1) }

// differentiable reports whether f, of some variables, has one gradient around the point, where its
// gradient is grad. Changes below least do not count. At a kink the gradients of points beside it
// differ from grad, however near they are. Near a kink the mean of the gradients on both sides
// differs; without one it is within r² of grad at the distance r. Smooth functions may have a kink
// at one point, as norms at 0.
func (p *Point) differentiable(f convex.Func, of []int, grad []float64, least float64) bool {
	if p.work[0] == nil {
		p.work[0] = slices.Clone(p.X)
		for k := range p.work[1:] {
			p.work[1+k] = make([]float64, len(p.X))
		}
	}
	y := p.work[0]
	defer func() {
		for _, j := range of {
			y[j] = p.X[j]
		}
	}()
	s, smooth := f.(interface{ Smooth() bool })
	smooth = smooth && s.Smooth()
	beside := func(d float64, g []float64) []float64 {
		for _, j := range of {
			step := d * p.aside(j)
			// A smooth function may be curved where the size of the variable does not matter.
			if v := math.Abs(p.X[j]); smooth && v > p.Near*p.Near*p.Size[j] {
				step *= v / p.Size[j]
			}
			y[j] = p.X[j] + step
		}
		for _, j := range of {
			g[j] = 0
		}
		f.AddSubgrad(g, 1, y)
		return g
	}
	jump := func(a, b []float64) float64 { // from grad to the mean of both, in units of what counts
		size, apart := 0.0, 0.0
		for _, j := range of {
			size = max(size, math.Abs(grad[j])*p.Size[j])
			apart = max(apart, math.Abs(a[j]+b[j]-2*grad[j])*p.Size[j])
		}
		// NaN outside the domain, where nothing is bent
		return apart / (2 * max(p.Relative*size, least))
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
		g := beside(d, p.work[1])
		return jump(g, g)
	}
	if v := single(near); smooth || v > 1 {
		// Where the gradient vanishes any change counts: nearer by Relative it is smaller by
		// Relative for a curve, and as large for a kink.
		return !(v > 1) || smooth && flat && single(near*p.Relative) < v/2
	}
	return !(single(-near) > 1 || jump(beside(p.Relative, p.work[1]), beside(-p.Relative, p.work[2])) > 1)
}

// aside is the part of variable j in a step in a random direction, as long as the sizes of the
// variables.
func (p *Point) aside(j int) float64 {
	if len(p.normals) != len(p.Size) {
		p.normals = p.normals[:0]
		rng := rand.New(rand.NewPCG(0, 0)) // any direction is along a kink by chance alone
		for range p.Size {
			p.normals = append(p.normals, rng.NormFloat64())
		}
	}
	return p.Size[j] * p.normals[j]
}

// Varies is the change of the objective where the variables change by their sizes, +Inf where it
// has no value.
func (p *Point) Varies() (most float64) {
	y, here := make([]float64, len(p.X)), p.P.Objective.Value(p.X)
	for _, sign := range [2]float64{1, -1} {
		for j, v := range p.X {
			y[j] = min(max(v+sign*p.aside(j), p.Lo[j]), p.Hi[j])
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

// Project finds the multipliers with the least slopes of the Lagrangian, in units of the sizes of
// the variables: the multipliers of a projected gradient step, which minimises the tangent of the
// objective plus half of the step's squared length within the tangents of the constraints. ok is
// false where there are none. degenerate is an active constraint whose gradient along variables
// away from their bounds vanishes, or cancels with others up to Relative; nil: there is none.
func (p *Point) Project(ctx context.Context) (duals [][]float64, degenerate *program.Constraint, ok bool) {
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
		return blocks.Zeros(nil, p.P), nil, long == 0
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
	// A multiplier times a slack is Product at most: of a row that is farther than this the one or
	// the other is below the square root.
	far := math.Sqrt(p.Product / long)
	p.rows(all, far, func(r row) {
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
		active := min(r.hi-r.value, r.value-r.lo) <= p.Near
		if free <= p.Relative*p.Relative*top && active && len(r.idx) > 0 {
			degenerate = &p.P.Constraints[r.c]
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
		return nil, degenerate, false
	}
	defer func() { _ = solver.Close() }()
	var res qpbackend.Result
	if solver.Solve(ctx, &res) != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return nil, degenerate, false
	}
	duals = blocks.Zeros(nil, p.P)
	for i, r := range of {
		y := res.Y[i] * unit[i]
		if duals[r.c][r.entry] = y; p.P.Constraints[r.c].Equation {
			duals[r.c][0], duals[r.c+1][0] = max(y, 0), max(-y, 0)
		}
		if size := math.Abs(res.Y[i]); size >= largest {
			largest, degenerate = size, &p.P.Constraints[r.c]
		}
	}
	return duals, degenerate, true
}

// Bent reports whether a function of the problem has no gradient at X.
func (p *Point) Bent() (bent bool) {
	f, of := p.function()
	grad := make([]float64, len(p.X))
	f.AddSubgrad(grad, 1, p.X)
	bent = !p.differentiable(f, of, grad, p.Product)
	p.rows(all, math.Inf(1), func(r row) { bent = bent || r.kinked })
	return bent
}

// Loose is the constraint whose tolerance decides the objective: by its multiplier, a violation of
// tol times the row's unit changes the objective by more than Product, or by more than
// Product·Relative where the point itself breaks it by so much. nil: there is none.
func (p *Point) Loose(duals [][]float64, tol float64) (loose *program.Constraint, change float64) {
	least := p.Product * p.Relative
	p.rows(func(i, k int) float64 { return p.multiplier(duals, i, k) }, math.Inf(1), func(r row) {
		y, c := math.Abs(r.y), &p.P.Constraints[r.c]
		if _, cone := c.Cone(); cone || c.Order() > 0 { // they have more than one multiplier
			return
		}
		broken := max(r.lo-r.value, r.value-r.hi, 0)
		by := y * tol * p.P.RowUnit(c, r.entry, p.X)
		if (by > p.Product || y*broken > least) && by > max(change, least) {
			loose, change = c, by
		}
	})
	return loose, change
}
