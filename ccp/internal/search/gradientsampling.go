package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// GradientSampling leaves points that are at rest along each coordinate but not between them, as at
// a kink that no coordinate follows. A step is that of sequential quadratic programming with
// gradient sampling (Curtis and Overton 2012): the direction in which the steepest of the gradients
// at the point and at points beside it falls most, where the linearised constraints hold, with
// curvature by the damped method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright
// 2006, procedure 18.2). Values of the expressions as they are written decide what counts.
type GradientSampling struct {
	Around

	looked []float64 // the best point at which it has looked last
	led    bool      // that look has found a lower point
	whole  bool      // it has found none at any distance
	rng    *rand.Rand
	widths []float64 // of the variables' ranges, 0 for those that do not move
	free   int       // variables that move
	gaps   []float64 // violations of the DC constraints that are allowed
	here   []float64 // the gradient of the objective at the point, by shares of the ranges
	long   float64   // length of the longest gradient
	rows   []slope   // constraints
	curvature
	work float64 // coefficients of a value and a gradient
	left float64 // coefficients that may be visited
}

// curvature is an approximation of the Hessian of the objective.
type curvature struct {
	hess   []float64 // n×n, by shares of the ranges
	learnt bool      // it knows of a step
}

// slope is a constraint at a point: value + gradient·d ≤ 0 to first order.
type slope struct {
	value    float64
	gradient []float64
}

// far reports whether no step of the box reaches it.
func (s *slope) far() bool {
	return -s.value >= math.Sqrt(float64(len(s.gradient)))*num.Norm2(s.gradient)
}

const (
	// mostSloped bounds the variables, mostSlopes the constraints. Source: a limit of time; a
	// direction of 50 variables among 200 gradients and constraints takes 2 milliseconds.
	mostSloped, mostSlopes = 50, 100
	// slopeSteps bounds the steps of a look. Source: a limit of time; the work bounds most looks
	// before.
	slopeSteps = 300
	// farReach is the largest distance at which gradients are sampled, in parts of the variables'
	// ranges, nearReach the factor between two distances. Source: an eighth of a box leaves room on
	// both sides; the smallest distance is leastShare, as in PatternSearch, in four stages.
	farReach, nearReach = 0x1p-3, 0x1p-5
	// damped is the share of the old curvature along a step that stays. Source: Nocedal and Wright
	// 2006, procedure 18.2.
	damped = 0.2
	// almostAll is the length of a coordinate's step that the bounds of a direction, 1, have ended.
	// Source: the accuracy of a direction, with room.
	almostAll = 0.99
	// slopeWork is the number of coefficients that steps may visit, per unit of the work so far; a
	// look at each distance is made in any case. Source: on four generated problems 8, 2 and 1 lead
	// to the same optima; a small boolean problem takes twice the time of before with 8 and 1.2
	// times with 1.
	slopeWork = 1
)

// Improving is a jump from the best point where steps along gradients lead to one whose objective
// is lower by more than its rounding error, and that breaks the constraints no more. It is slight
// where that is not more than counts beside the terms of the objective.
func (s *GradientSampling) Improving(p *Point) (Move, bool) {
	if s.Sub.Convex() || !s.small() || slices.Equal(s.looked, p.Best) && !s.led {
		return Move{}, false
	}
	s.looked, s.led, s.whole = append(s.looked[:0], p.Best...), false, false
	values := s.Values.of(s.Sub, s.broken(p.Best))
	first, _ := values.goTo(p.Best, 0)
	if !num.Finite(first) {
		return Move{}, false
	}
	s.prepare(p.Best)
	most := s.left
	defer func() { s.Budget.Visited += most - s.left }()
	s.gaps = append(s.gaps[:0], values.gap...)
	noise := s.Noise(p.Best)
	x, f, reach := slices.Clone(p.Best), first, farReach
	s.learnt = false
	counts := max(s.Tol*s.Size(p.Best), noise)
	for n := 0; n < slopeSteps && s.free > 0 && reach >= leastShare && !s.Budget.ended(); n++ {
		y, φ, full := s.step(x, f, reach, noise)
		if y == nil && s.learnt {
			s.learnt = false
			continue
		}
		if y == nil || f-φ <= counts { // steps of this length lead no further; shorter ones may
			reach *= nearReach
		}
		if y == nil {
			continue
		}
		s.learn(x, y)
		if x, f = y, φ; full {
			reach = min(longer*reach, farReach)
		}
		if s.left <= 0 && first-f > counts { // that it leads on is enough: the rest is for the procedure
			break
		}
	}
	if f < first {
		f += s.Noise(x)
	}
	s.led = first-f > max(noise, counts/MostLeads) // as many that are smaller do not add up to a decrease that counts
	if s.whole = !s.led && reach < leastShare; !s.led {
		return Move{}, false
	}
	return Move{X: x, Slight: first-f <= counts}, true
}

// small reports whether the problem is small enough for directions.
func (s *GradientSampling) small() bool {
	rows := len(s.Sub.Compiled.Soft)
	for _, c := range s.Sub.Compiled.Hard {
		if c.DC {
			rows++
		} else {
			rows += c.A.Len()
		}
	}
	return len(s.Lo) <= mostSloped && rows <= mostSlopes
}

// prepare takes the widths of the variables' ranges and the work that may be done beyond a look at
// each distance.
func (s *GradientSampling) prepare(x []float64) {
	s.work = float64(len(x))
	for _, c := range s.Sub.Compiled.Hard {
		if c.DC {
			s.work += float64(len(c.Support()))
		} else {
			s.work += float64(c.A.NNZ())
		}
	}
	for _, c := range s.Sub.Compiled.Soft {
		s.work += float64(len(c.Support()))
	}
	s.work += s.Budget.Coefficients + evaluationOverhead
	s.left = slopeWork * s.Budget.Spent()
	if s.rng == nil {
		s.rng = rand.New(rand.NewPCG(s.Seed, 0x736c+s.Start)) // the second word names the stream
	}
	s.widths, s.free = s.widths[:0], 0
	for j, v := range x {
		s.widths = append(s.widths, s.width(j, v))
	}
	s.hold(x)
	for _, w := range s.widths {
		if w > 0 {
			s.free++
		}
	}
}

// hold makes the widths of variables 0 to which their bounds and, to first order, the constraints
// of no other variable leave less than the smallest distance, as −1 ≤ x ≤ 1 and x² ≥ 1 do: a look
// at a point of signs would cost as much as the procedure before it.
func (s *GradientSampling) hold(x []float64) {
	down, up, g := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for j, v := range x {
		down[j], up[j] = v-s.Lo[j], s.Hi[j]-v
	}
	for _, c := range slices.Concat(s.Sub.Compiled.Hard, s.Sub.Compiled.Soft) {
		of := c.Support()
		if !c.DC || len(of) != 1 {
			continue
		}
		j, f := of[0], c.Written()
		g[j] = 0
		f.AddSubgrad(g, 1, x)
		switch room := max(-f.Value(x)/math.Abs(g[j]), 0); {
		case g[j] > 0:
			up[j] = min(up[j], room)
		case g[j] < 0:
			down[j] = min(down[j], room)
		}
	}
	for j, w := range s.widths {
		if down[j]+up[j] < leastShare*w {
			s.widths[j] = 0
		}
	}
}

// step is a step from x, where the objective is f, to a point that is lower by more than least;
// nil: there is none. Gradients are those within reach of x, in parts of the variables' ranges.
// full: the step goes as far as it may.
func (s *GradientSampling) step(x []float64, f, reach, least float64) (y []float64, φ float64, full bool) {
	d := s.direction(x, reach)
	if d == nil {
		return s.poll(x, f, reach, least)
	}
	y = make([]float64, len(x))
	for share := 1.; share >= nearReach; share /= 4 {
		s.along(y, x, d, share*reach)
		if φ, ok := s.value(y); ok && φ < f-least {
			return y, φ, share == 1 && num.NormInf(d) > almostAll
		}
	}
	return s.poll(x, f, reach, least)
}

// poll tries random directions and their opposites, one for each variable that moves. Where
// gradients differ by many powers of ten, as those of max(f, g) with a g that is steep, the problem
// of a direction is not solved to the accuracy of the flat ones, and values are computed to it:
// Gratton, Royer, Vicente and Zhang 2015, algorithm 2.1.
func (s *GradientSampling) poll(x []float64, f, reach, least float64) (y []float64, φ float64, full bool) {
	y, d := make([]float64, len(x)), make([]float64, len(x))
	for range s.free {
		for j := range d {
			d[j] = s.rng.NormFloat64()
		}
		for _, sign := range [2]float64{1, -1} {
			s.along(y, x, d, sign*reach)
			if φ, ok := s.value(y); ok && φ < f-least {
				return y, φ, true
			}
		}
	}
	return nil, f, false
}

// along makes y the point at x + by·d, d in parts of the variables' ranges, within the bounds.
func (s *GradientSampling) along(y, x, d []float64, by float64) {
	for j, v := range x {
		y[j] = min(max(v+by*s.widths[j]*d[j], s.Lo[j]), s.Hi[j])
	}
}

// learn updates the curvature after a step from x to y, damped so that it stays positive.
func (s *GradientSampling) learn(x, y []float64) {
	n := len(x)
	g := s.gradient(y)
	if g == nil || s.here == nil || len(s.hess) != n*n {
		return
	}
	step, dif, hs := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		if s.widths[j] > 0 {
			step[j] = (y[j] - x[j]) / s.widths[j]
		}
		dif[j] = g[j] - s.here[j]
	}
	sy, ss := num.Dot(step, dif), num.Dot(step, step)
	if !(ss > 0) || math.IsInf(sy, 0) || math.IsNaN(sy) {
		return
	}
	if !s.learnt { // the curvature along the step, where it is one
		if c := num.Dot(dif, dif) / sy; sy > 0 && num.Finite(c) {
			s.round(n, c)
		}
		s.learnt = true
	}
	for j := range n {
		hs[j] = num.Dot(s.hess[j*n:(j+1)*n], step)
	}
	shs := num.Dot(step, hs)
	if !(shs > 0) {
		return
	}
	if sy < damped*shs {
		θ := (1 - damped) * shs / (shs - sy)
		for j := range dif {
			dif[j] = θ*dif[j] + (1-θ)*hs[j]
		}
		sy = num.Dot(step, dif)
	}
	for i := range n {
		for j := range n {
			s.hess[i*n+j] += dif[i]*dif[j]/sy - hs[i]*hs[j]/shs
		}
	}
}

// round makes the curvature c in all directions.
func (s *GradientSampling) round(n int, c float64) {
	s.hess = make([]float64, n*n)
	for j := range n {
		s.hess[j*n+j] = c
	}
}

// gradient is the objective's at y by shares of the ranges, nil where it is not finite.
func (s *GradientSampling) gradient(y []float64) []float64 {
	return s.gradientOf(&s.Sub.Compiled.DC.Objective, y)
}

// gradientOf is gradient of a function that is the objective around y.
func (s *GradientSampling) gradientOf(f convex.Func, y []float64) []float64 {
	s.left -= s.work
	if !s.Sub.Compiled.Inside(y) {
		return nil
	}
	g := make([]float64, len(y))
	f.AddSubgrad(g, 1, y)
	for j := range g {
		g[j] *= s.widths[j]
	}
	if num.FirstNotFinite(g) >= 0 {
		return nil
	}
	return g
}

// value is the objective at y; ok is false where a constraint is broken more than it may be.
func (s *GradientSampling) value(y []float64) (φ float64, ok bool) {
	s.left -= s.work
	φ, _ = s.Values.merit.goTo(y, 0)
	if !num.Finite(φ) {
		return φ, false
	}
	for k, gap := range s.Values.merit.gap {
		if gap > s.gaps[k] {
			return φ, false
		}
	}
	return φ, true
}

// direction minimises maxᵢ gᵢ·d + ½dᵀHd over steps d that keep the bounds and the linearised
// constraints, with the gradients gᵢ of the objective within reach of x. d is in parts of reach
// times the variables' ranges, at most 1; the objective in parts of the longest gradient times
// reach. nil: there is none.
func (s *GradientSampling) direction(x []float64, reach float64) []float64 {
	n := len(x)
	gradients := s.sample(x, reach)
	s.long = 0
	for _, g := range gradients {
		s.long = max(s.long, num.Norm2(g))
	}
	if !(s.long > 0) || math.IsInf(s.long, 1) {
		return nil
	}
	if !s.learnt {
		s.round(n, s.long/reach)
	}
	s.constraints(x, reach)
	q := &qpbackend.Problem{Q: make([]float64, n+1), Lo: make([]float64, n+1), Hi: make([]float64, n+1)}
	q.Q[n], q.Lo[n], q.Hi[n] = 1, math.Inf(-1), math.Inf(1)
	var quadratic, a sparse.Triplets
	for j, v := range x {
		for i := range j + 1 {
			quadratic.Add(i, j, s.hess[i*n+j]*reach/s.long)
		}
		w := reach * s.widths[j]
		if w == 0 {
			continue
		}
		q.Lo[j], q.Hi[j] = max(min((s.Lo[j]-v)/w, 0), -1), min(max((s.Hi[j]-v)/w, 0), 1)
	}
	row := func(g []float64, scale, most float64) {
		i := len(q.L)
		for j, v := range g {
			if v != 0 {
				a.Add(i, j, v*scale)
			}
		}
		q.L, q.U = append(q.L, math.Inf(-1)), append(q.U, most)
	}
	for _, g := range gradients {
		a.Add(len(q.L), n, -1)
		row(g, 1/s.long, 0)
	}
	for _, c := range s.rows {
		if size := num.Norm2(c.gradient); size > 0 && !math.IsInf(size, 1) && !c.far() {
			row(c.gradient, 1/size, max(-c.value, 0)/size)
		}
	}
	q.P, _ = quadratic.CSC(n+1, n+1)
	q.A, _ = a.CSC(len(q.L), n+1)
	d := s.solve(q)
	if d == nil || num.Norm2(d) == 0 {
		return nil
	}
	return d
}

// sample are gradients of the objective at x and at points within reach, by shares of the ranges.
func (s *GradientSampling) sample(x []float64, reach float64) (list [][]float64) {
	f := s.around(x, reach)
	for k := range 2*s.free + 1 {
		y := x
		if k > 0 {
			y = s.beside(x, reach)
		}
		g := s.gradientOf(f, y)
		if k == 0 {
			s.here = g
		}
		if g != nil && !slices.ContainsFunc(list, func(other []float64) bool { return slices.Equal(other, g) }) {
			list = append(list, g)
		}
	}
	return list
}

// beside is a random point within reach of x.
func (s *GradientSampling) beside(x []float64, reach float64) []float64 {
	y := make([]float64, len(x))
	for j, v := range x {
		y[j] = min(max(v+reach*s.widths[j]*(2*s.rng.Float64()-1), s.Lo[j]), s.Hi[j])
	}
	return y
}

// fewestAround is from how many variables on gradients are those of a function for the points
// within reach. Source: derived: that costs as much as about three of them, and there are twice as
// many as variables.
const fewestAround = 4

// around is the objective, as a function for points within reach of x.
func (s *GradientSampling) around(x []float64, reach float64) convex.Func {
	e := s.Sub.Compiled.DC.Objective
	if s.free < fewestAround {
		return &e
	}
	radius := make([]float64, len(x))
	for j, w := range s.widths {
		radius[j] = reach * w
	}
	return family.Near(e, x, radius)
}

// constraints linearises the constraints at x. Variables are in parts of reach times their ranges.
func (s *GradientSampling) constraints(x []float64, reach float64) {
	s.rows = s.rows[:0]
	add := func(value float64, of func(g []float64)) {
		g := make([]float64, len(x))
		of(g)
		for j := range g {
			g[j] *= reach * s.widths[j]
		}
		if num.Finite(value) && num.FirstNotFinite(g) < 0 {
			s.rows = append(s.rows, slope{value, g})
		}
	}
	convexified := func(c *program.Constraint) {
		f := c.Written()
		add(f.Value(x), func(g []float64) { f.AddSubgrad(g, 1, x) })
		if f.Smooth() || len(s.rows) == 0 || s.rows[len(s.rows)-1].far() {
			return
		}
		for range s.free { // other pieces of a function with kinks
			y, g := s.beside(x, reach), make([]float64, len(x))
			s.left -= s.work / float64(1+len(s.rows))
			f.AddSubgrad(g, 1, y)
			at := f.Value(y)
			for j, v := range g {
				at += v * (x[j] - y[j])
			}
			add(at, func(to []float64) { copy(to, g) })
		}
	}
	for _, c := range s.Sub.Compiled.Hard {
		if c.DC {
			convexified(c)
			continue
		}
		for k := range c.Lo {
			l := c.A.Linear(k)
			if !math.IsInf(c.Hi[k], 1) {
				add(l.Value(x)-c.Hi[k], func(g []float64) { l.AddSubgrad(g, 1, x) })
			}
			if !math.IsInf(c.Lo[k], -1) {
				add(c.Lo[k]-l.Value(x), func(g []float64) { l.AddSubgrad(g, -1, x) })
			}
		}
	}
	for _, c := range s.Sub.Compiled.Soft {
		convexified(c)
	}
}

// solve is the solution without its last entry, nil if the backend fails.
func (s *GradientSampling) solve(q *qpbackend.Problem) []float64 {
	ctx := context.Background()
	s.left -= float64((len(q.Q)+len(q.L))*len(q.Q)*directionCost + directionOverhead)
	solver, err := ipm.Backend{}.New(ctx, q, ipm.Backend{}.DefaultSettings())
	if err != nil {
		return nil
	}
	defer func() { _ = solver.Close() }()
	var res qpbackend.Result
	if solver.Solve(ctx, &res) != nil || len(res.X) != len(q.Q) || num.FirstNotFinite(res.X) >= 0 {
		return nil
	}
	if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return nil
	}
	return res.X[:len(q.Q)-1]
}

// directionCost is the cost of an entry of a direction's problem in coefficients of a value,
// directionOverhead that beside its entries. Source: 75 microseconds for 2 variables, 0.15 to 0.25
// for an entry of 20 and 50, beside 5 nanoseconds for a coefficient.
const directionCost, directionOverhead = 40, 15_000
