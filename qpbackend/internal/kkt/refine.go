package kkt

import (
	"context"
	"math"
)

// Source: docs/lab/bench.md, Constants of ipm.
const (
	maxRefine = 8
	enough    = 0.1 // of the goal
)

// Accuracy is the largest entry of a residual over the variables and over the
// rows. In rows with a diagonal d beyond −1, which are about to drop out of the
// matrix, entries count divided by √|d|.
type Accuracy struct{ X, Y float64 }

// worst is the larger of the two, relative to goal.
func (a Accuracy) worst(goal Accuracy) float64 { return max(a.X/goal.X, a.Y/goal.Y) }

// Within reports whether a reaches the goal.
func (a Accuracy) Within(goal Accuracy) bool { return a.X <= goal.X && a.Y <= goal.Y }

// Ax is A·x for the x of the last Solve, zero in rows that are off.
func (s *System) Ax() []float64 { return s.ref.ax }

// Solve sets x to the solution for the right-hand side b, both of length Size,
// refined until its residual is within goal/10 or no longer falls. It returns
// the residual, NaN where x is not a number. When ctx ends, x is not refined any
// further.
func (s *System) Solve(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	s.f.solve(x, b)
	return s.refine(ctx, x, b, goal)
}

// SolveOnce is Solve without a look at the residual; x and b may be one.
func (s *System) SolveOnce(x, b []float64) { s.f.solve(x, b) }

// SolveBegun is Solve for the right-hand side b of FactoriseAhead, before any other.
func (s *System) SolveBegun(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	s.f.ahead(x, b)
	return s.refine(ctx, x, b, goal)
}

// refine makes x, the solution by the factor, the solution of Solve.
func (s *System) refine(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	r := s.corrections(ctx, x, b, goal)
	if s.Strategy() == Schur {
		r = s.ref.conjugate.steps(ctx, s, x, b, goal, r)
	}
	return r
}

// corrections is refine by those that the factor makes.
func (s *System) corrections(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	r := s.residual(x, b, goal)
	for range maxRefine {
		worst := r.worst(goal)
		if worst <= enough || !(worst < math.MaxFloat64) || ctx.Err() != nil {
			break
		}
		s.f.solve(s.ref.cor, s.ref.res)
		for i, v := range s.ref.cor {
			x[i] += v
		}
		next := s.residual(x, b, goal)
		now := next.worst(goal)
		if !(now < worst) {
			for i, v := range s.ref.cor {
				x[i] -= v
			}
			return s.residual(x, b, goal)
		}
		r = next
		if now > worst/2 {
			break
		}
	}
	return r
}

// SolveAhead is Solve for the right-hand side b of FactoriseAhead, before any other, without a look
// at the residual, for a matrix without blocks. A·x satisfies the equations of the rows.
func (s *System) SolveAhead(x, b []float64) {
	s.f.ahead(x, b)
	rows, y, d, off := b[s.n:], x[s.n:], s.tri.d[s.n:], s.tri.off[s.n:]
	for i := range s.ref.ax {
		s.ref.ax[i] = rows[i] - d[i]*y[i]
		if off[i] {
			s.ref.ax[i] = 0
		}
	}
}

// weigh sets the weights of residuals of rows.
func (s *System) weigh() {
	for i := range s.m {
		s.ref.weight[i] = 1
		if g := s.tri.d[s.n+i]; g < -1 {
			s.ref.weight[i] = 1 / math.Sqrt(-g)
		}
	}
	s.ref.weighed = true
}

// residual sets s.ref.res to b − Kx and returns its size. The weights of rows, at
// most one but for those behind the rows, are left aside where the goal is
// reached without them.
func (s *System) residual(x, b []float64, goal Accuracy) Accuracy {
	if s.by.vectors != nil {
		s.subtractVectors(b, x)
	} else {
		s.subtract(b, x)
	}
	for t, b := range s.cones.blocks { // these hold by construction
		if s.cones.gone[t] {
			clear(s.ref.res[s.n+b.Start:][:b.Len])
		}
	}
	a := Accuracy{X: NormInf(s.ref.res[:s.n], bool(s.by.wide))}
	if !s.ref.weighed {
		if a.Y = NormInf(s.ref.res[s.n:], bool(s.by.wide)); a.worst(goal) <= enough {
			return a
		}
		s.weigh()
		a.Y = 0
	}
	for i, e := range s.ref.res[s.n:] {
		if v := math.Abs(e) * s.ref.weight[i]; !(v <= a.Y) {
			if a.Y = v; math.IsNaN(v) {
				return a
			}
		}
	}
	return a
}

// steps lowers the residual r of x, which s.ref.res holds, and returns it.
func (c *conjugate) steps(ctx context.Context, s *System, x, b []float64, goal Accuracy, r Accuracy) Accuracy {
	size := len(x)
	var past [conjugateSteps]float64
	for k := range conjugateSteps {
		worst := r.worst(goal)
		if worst <= enough || !(worst < math.MaxFloat64) || ctx.Err() != nil ||
			k >= conjugateLag && worst > past[k-conjugateLag]/2 {
			break
		}
		past[k] = worst
		t := k % directions
		if c.dir[t] == nil {
			c.dir[t], c.image[t] = make([]float64, size), make([]float64, size)
			if c.before == nil {
				c.before = make([]float64, size)
			}
		}
		dir, image := c.dir[t], c.image[t]
		copy(c.before, s.ref.res)
		s.f.solve(dir, s.ref.res)
		s.residual(dir, c.before, goal)
		for i, v := range s.ref.res {
			image[i] = c.before[i] - v
		}
		for o := range min(k, directions) {
			if o == t {
				continue
			}
			β := s.inner(image, c.image[o], goal) / c.norm[o]
			for i := range dir {
				dir[i] -= β * c.dir[o][i]
				image[i] -= β * c.image[o][i]
			}
		}
		c.norm[t] = s.inner(image, image, goal)
		α := s.inner(c.before, image, goal) / c.norm[t]
		if !(math.Abs(α) <= math.MaxFloat64) { // no image
			return s.residual(x, b, goal)
		}
		for i, v := range dir {
			x[i] += α * v
		}
		r = s.residual(x, b, goal)
	}
	return r
}

// inner is the inner product of residuals in units of the goal.
func (s *System) inner(u, v []float64, goal Accuracy) float64 {
	sum := 0.0
	for i, e := range u[:s.n] {
		sum += e / goal.X * (v[i] / goal.X)
	}
	for t, e := range u[s.n:] {
		if e != 0 {
			w := 1 / goal.Y
			if s.ref.weighed {
				w *= s.ref.weight[t]
			}
			sum += w * e * (w * v[s.n+t])
		}
	}
	return sum
}
