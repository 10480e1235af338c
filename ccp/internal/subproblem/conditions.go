package subproblem

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/rows"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Conditions are the first-order conditions at a point. They are of the functions as these are written where all that count are differentiable
// there, else of the convex problem at the point, whose rows know the subgradients.
type Conditions struct {
	s            *Problem
	x            []float64
	lo, hi, size []float64 // of the variables
	Tolerances
	beside [2][]float64 // points on both sides of x
}

// Tolerances are those of first-order conditions: the products of multipliers and slacks, and of slopes and sizes, that count; the changes of a
// gradient that do, relative to it; and, in parts of the sizes of variables, how far a bound or a point may be that is there.
type Tolerances struct{ Product, Slope, Near float64 }

// Conditions are those at x. Variables there are no smaller than units, their starts and bounds, or all others where these are less.
func (s *Problem) Conditions(x, units []float64, tol Tolerances) *Conditions {
	n := len(x)
	c := &Conditions{s: s, x: x, lo: make([]float64, n), hi: make([]float64, n), size: make([]float64, n), Tolerances: tol}
	for _, v := range s.DC.Vars {
		for k := range v.Len() {
			j := v.Offset + k
			c.lo[j], c.hi[j] = v.Bounds(k)
			if c.size[j] = max(s.Size(j), min(max(units[j], v.Size()), num.NormInf(x))); v.Param {
				c.lo[j], c.hi[j] = x[j], x[j]
			}
		}
	}
	s.BoundDomains(c.lo, c.hi)
	rng := rand.New(rand.NewPCG(0x6b6b74, 0)) // any direction does: it is next to no kink but by chance
	for j, v := range x {
		d := tol.Near * c.size[j] * rng.NormFloat64()
		c.beside[0], c.beside[1] = append(c.beside[0], v+d), append(c.beside[1], v-d)
	}
	return c
}

// differentiable reports whether the function has one gradient around the point, where its gradient is grad.
func (c *Conditions) differentiable(f dc.Convex, grad []float64) bool {
	if s, ok := f.(interface{ Smooth() bool }); ok && s.Smooth() {
		return true
	}
	of := f.Support()
	for _, y := range c.beside {
		other, size, apart := make([]float64, len(y)), 0.0, 0.0
		f.AddSubgrad(other, 1, y)
		for _, j := range of {
			size, apart = max(size, math.Abs(grad[j])*c.size[j]), max(apart, math.Abs(grad[j]-other[j])*c.size[j])
		}
		if !(apart <= c.Tolerances.Slope*size) {
			return false
		}
	}
	return true
}

// tangentRow is a constraint at the point, lo ≤ value + val·d ≤ hi: an entry of an affine one, or both halves of an equation.
type tangentRow struct {
	c, entry      int
	idx           []int
	val           []float64
	value, lo, hi float64
	kinked        bool
}

// rows are those of the constraints that are wanted.
func (c *Conditions) rows(wanted func(i, k int) bool, each func(r tangentRow)) {
	grad := make([]float64, len(c.x))
	for i := range c.s.DC.Constraints {
		k := &c.s.DC.Constraints[i]
		switch {
		case !k.DC:
			for e := range k.Lo {
				if wanted(i, e) {
					a := k.A.Entry(e)
					each(tangentRow{c: i, entry: e, idx: a.Idx, val: a.Val, value: a.Value(c.x), lo: k.Lo[e], hi: k.Hi[e]})
				}
			}
		case k.Within() || i > 0 && c.s.DC.Constraints[i-1].Equation() || !wanted(i, 0):
		default:
			e, r := k.E(), tangentRow{c: i, lo: math.Inf(-1)}
			if k.Equation() {
				r.lo = 0
			}
			f := e.Function()
			r.value, r.idx = e.AddGradient(grad, 1, c.x), f.Support()
			_, cone := k.Cone()
			r.kinked = cone || k.Order() > 0 || !c.differentiable(f, grad)
			for _, j := range r.idx {
				r.val = append(r.val, grad[j])
				grad[j] = 0
			}
			each(r)
		}
	}
}

// of is the multiplier of a row; of a matrix or a cone any that is not 0.
func (m *Multipliers) of(p *dc.Problem, i, k int) float64 {
	y := m.Rows[i]
	if p.Constraints[i].Equation() {
		return y[0] - m.Rows[i+1][0]
	}
	for k > 0 && p.Constraints[i].DC || y[k] == 0 && k+1 < len(y) && p.Constraints[i].DC {
		k++
	}
	return y[k]
}

// Slope is how far multipliers are from the conditions: the largest slope of the Lagrangian that the bounds of the variables do not hold, relative
// to the largest of its parts along the same variable, the objective and the constraints. m gets the multipliers of the bounds. sol is the
// solution that they are of. The result is +Inf where products of multipliers and slacks count.
func (c *Conditions) Slope(m *Multipliers, sol qpbackend.Tangent) float64 {
	n := len(c.x)
	if m.Rows == nil {
		return math.Inf(1)
	}
	m.Bounds = make([]float64, n)
	l := lagrangian{sum: make([]float64, n), top: make([]float64, n), part: make([]float64, n)}
	f := c.s.DC.Objective.Function()
	f.AddSubgrad(l.part, 1, c.x)
	kinked, open := !c.differentiable(f, l.part), 0.0
	l.add(f.Support())
	c.rows(func(i, k int) bool { return m.of(c.s.DC, i, k) != 0 }, func(r tangentRow) {
		y, slack := m.of(c.s.DC, r.c, r.entry), r.hi-r.value
		if y < 0 {
			slack = r.value - r.lo
		}
		if kinked = kinked || r.kinked; r.lo < r.hi { // a violation is none
			open = max(open, math.Abs(y)*slack)
		}
		for t, j := range r.idx {
			l.part[j] += y * r.val[t]
		}
		l.add(r.idx)
	})
	switch {
	case kinked && !c.slopesOfRows(&l, sol), !kinked && !(open <= c.Product):
		return math.Inf(1)
	}
	return c.unheld(&l, m)
}

// unheld is the largest slope that the bounds do not hold, whose multipliers m gets.
func (c *Conditions) unheld(l *lagrangian, m *Multipliers) (worst float64) {
	least := c.Product
	for j, top := range l.top { // no solver tells less from 0
		least = max(least, c.Tolerances.Slope*c.Tolerances.Slope*top*c.size[j])
	}
	for j, sum := range l.sum {
		room, slope := c.hi[j]-c.x[j], math.Abs(sum)
		if sum > 0 {
			room = c.x[j] - c.lo[j]
		}
		switch m.Bounds[j] = 0; {
		case slope*room <= c.Product || room <= c.Near*c.size[j]:
			m.Bounds[j] = -sum
		case slope*min(room, c.size[j]) > least:
			worst = max(worst, slope/l.top[j])
		}
	}
	return worst
}

// Project finds multipliers that leave the least slopes, in units of the sizes of variables: those of the step to the least of the objective's
// tangent and half of its squared length, within the tangents of the constraints. ok is false where there are none.
func (c *Conditions) Project(ctx context.Context, b qpbackend.Backend) (m Multipliers, ok bool) {
	n := len(c.x)
	q := &qpbackend.Problem{Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	c.s.DC.Objective.AddGradient(q.Q, 1, c.x)
	for j := range q.Q {
		q.Q[j] *= c.size[j]
	}
	long := num.NormInf(q.Q)
	if !(long > 0) || math.IsInf(long, 1) {
		return m, false
	}
	var p, a sparse.Triplets
	for j := range q.Q {
		q.Q[j] /= long
		p.Add(j, j, 1)
		q.Lo[j], q.Hi[j] = min((c.lo[j]-c.x[j])/c.size[j], 0), max((c.hi[j]-c.x[j])/c.size[j], 0)
	}
	var of []tangentRow
	var unit []float64
	c.rows(func(int, int) bool { return true }, func(r tangentRow) {
		top := 0.0
		for t, j := range r.idx {
			top = max(top, math.Abs(r.val[t])*c.size[j])
		}
		if r.kinked || !(top > 0) || math.IsInf(top, 1) {
			return
		}
		for t, j := range r.idx {
			a.Add(len(of), j, r.val[t]*c.size[j]/top)
		}
		q.L, q.U = append(q.L, min((r.lo-r.value)/top, 0)), append(q.U, max((r.hi-r.value)/top, 0))
		of, unit = append(of, r), append(unit, long/top)
	})
	q.P, _ = p.CSC(n, n)
	q.A, _ = a.CSC(len(q.L), n)
	solver, err := b.New(ctx, q, b.DefaultSettings())
	if err != nil {
		return m, false
	}
	defer solver.Close()
	var res qpbackend.Result
	if solver.Solve(ctx, &res) != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return m, false
	}
	m = Multipliers{Rows: c.s.rowDuals(nil, nil), Bounds: make([]float64, n)}
	for i, r := range of {
		y := res.Y[i] * unit[i]
		if m.Rows[r.c][r.entry] = y; c.s.DC.Constraints[r.c].Equation() {
			m.Rows[r.c][0], m.Rows[r.c+1][0] = max(y, 0), max(-y, 0)
		}
	}
	return m, true
}

// lagrangian has slopes by variable: their sum, the largest part, and the part that is being added.
type lagrangian struct{ sum, top, part []float64 }

// add ends a part, which has these variables.
func (l *lagrangian) add(of []int) {
	for _, j := range of {
		l.sum[j], l.top[j] = l.sum[j]+l.part[j], max(l.top[j], math.Abs(l.part[j]))
		l.part[j] = 0
	}
}

// slopesOfRows adds those of the rows of the convex problem at x, where it linearises unless it has the tangents of a point next to x: those at
// a kink of an h may be any. It reports false where x is not near the solution, or a function has no tangent.
func (c *Conditions) slopesOfRows(l *lagrangian, sol qpbackend.Tangent) bool {
	s := c.s
	if len(sol.Y) != s.Rows.Count() || len(sol.X) != len(s.QP.Q) || !c.within(sol.X, c.Tolerances.Slope) || !c.within(s.at, c.Near) && s.Linearise(c.x, s.τ) != nil {
		return false
	}
	curved, v := make([]float64, len(sol.X)), slices.Clone(sol.X)
	copy(v, c.x)
	if p := s.QP.P; p != nil {
		q := *p
		if s.least.p != nil {
			q.Val = s.least.p
		}
		q.AddSymMulVec(curved, 1, v)
	}
	a, owner := s.QP.A, s.equationOf()
	for j := range c.x {
		l.sum[j], l.top[j] = s.Now.Q[j]+curved[j], max(math.Abs(s.Now.Q[j]), math.Abs(curved[j]))
		for k, end := a.ColPtr[j], a.ColPtr[j+1]; k < end; {
			for of := owner[a.RowIdx[k]]; k < end && owner[a.RowIdx[k]] == of; k++ {
				l.part[j] += s.Now.A[k] * sol.Y[a.RowIdx[k]]
			}
			l.add([]int{j})
		}
	}
	return true
}

// within reports whether the point is no further from y than tol in parts of the sizes.
func (c *Conditions) within(y []float64, tol float64) bool {
	for j, v := range c.x {
		if len(y) <= j || !(math.Abs(v-y[j]) <= tol*c.size[j]) {
			return false
		}
	}
	return true
}

// equationOf is by row the number of its constraint, of the second half of an equation that of the first.
func (s *Problem) equationOf() []int {
	out := make([]int, s.Rows.Count())
	note := func(i, owner int) {
		if out[i] = owner; owner > 0 && s.DC.Constraints[owner-1].Equation() {
			out[i]--
		}
	}
	s.Rows.Each(func(i int, r *rows.Row) { note(i, r.Owner) }, func(i int, f *rows.Family, k int) { note(i, f.Owner+f.Number(k)) })
	return out
}
