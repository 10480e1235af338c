package qpbackend

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// ErrCurved is the error of OneSided where a cone holds.
var ErrCurved = errors.New("qpbackend: there are one-sided derivatives for linear rows alone, and a cone holds at the solution")

// kinked is the margin within which a row counts as one that may let go, or take hold. Source: that of Regularity.
const kinked = 1e-6

// OneSided is the one-sided derivative of the solution of p at the solution at, as Derivative.Point has it, along the change d of the
// values, per unit, where d has the form that Derivative.Forward takes. It exists at kinks, too: where a row holds without a multiplier the change of the solution solves a
// quadratic program in which that row is an inequality (Jittorntrum, Solution point differentiability without strict complementarity in nonlinear
// programming, Math. Program. Study 21 (1984) 127-138); b solves it. The solution has to be unique. Errors: a cone holds (ErrCurved); the program
// has no solution; those of b.
func OneSided(ctx context.Context, b Backend, p *Problem, at Tangent, d Update) (Tangent, error) {
	qp, err := directional(p, at, d)
	if err != nil {
		return Tangent{}, err
	}
	set := b.DefaultSettings()
	set.Tol = min(set.Tol, 1e-10) // a change counts beside others of the same size
	solver, err := b.New(ctx, qp, set)
	if err != nil {
		return Tangent{}, err
	}
	defer solver.Close()
	var res Result
	if err := solver.Solve(ctx, &res); err != nil {
		return Tangent{}, err
	}
	if res.Status != Solved && res.Status != AlmostSolved {
		return Tangent{}, fmt.Errorf("qpbackend: no one-sided derivative: the problem of the change is %v", res.Status)
	}
	return Tangent{X: res.X, Y: res.Y, Z: res.Z}, nil
}

// directional is the quadratic program of the change.
func directional(p *Problem, at Tangent, d Update) (*Problem, error) {
	n, m := p.Dims()
	if len(at.X) != n || len(at.Y) != m || len(at.Z) != n {
		return nil, fmt.Errorf("qpbackend: a solution has x, y and z, of %d, %d and %d entries", n, m, n)
	}
	qp := &Problem{P: p.P, A: p.A, Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n), L: make([]float64, m), U: make([]float64, m)}
	copy(qp.Q, d.Q)
	if d.P != nil {
		dp := *p.P
		dp.Val = d.P
		dp.AddSymMulVec(qp.Q, 1, at.X)
	}
	s, moved := make([]float64, m), make([]float64, m)
	if p.A != nil {
		p.A.AddMulVec(s, 1, at.X)
	}
	if d.A != nil {
		da := *p.A
		da.Val = d.A
		da.AddMulBoth(moved, qp.Q, at.X, at.Y)
	}
	for j := range n {
		lo, hi := p.Bounds(j)
		qp.Lo[j], qp.Hi[j] = side{at.X[j], at.Z[j], lo, hi}.change(entry(d.Lo, j), entry(d.Hi, j))
	}
	for i := range m {
		l, u := p.Sides(i)
		qp.L[i], qp.U[i] = side{s[i], at.Y[i], l, u}.change(entry(d.L, i)-moved[i], entry(d.U, i)-moved[i])
	}
	for _, c := range p.Cones {
		if !strictly(c, s, at.Y, p.L) {
			return nil, ErrCurved
		}
		for i := c.Start; i < c.Start+c.Len; i++ {
			qp.L[i], qp.U[i] = math.Inf(-1), math.Inf(1)
		}
	}
	return qp, nil
}

func entry(v []float64, i int) float64 {
	if v == nil {
		return 0
	}
	return v[i]
}

// strictly reports whether a second-order cone neither holds nor is about to.
func strictly(c Cone, s, y, l []float64) bool {
	rows := make([]float64, c.Len)
	for i := range rows {
		rows[i] = s[c.Start+i] - l[c.Start+i]
	}
	size := max(1, num.NormInf(rows))
	return c.Kind == SecondOrder && num.NormInf(y[c.Start:][:c.Len]) <= kinked && rows[0]-num.Norm2(rows[1:]) > kinked*size
}

// side is a value between two others, and the multiplier, positive where the upper one holds.
type side struct{ value, multiplier, lo, hi float64 }

// change are the sides of the change of the value, for those of the sides.
func (s side) change(lo, hi float64) (from, to float64) {
	near := kinked * max(1, math.Abs(s.value))
	switch {
	case s.lo == s.hi:
		return (lo + hi) / 2, (lo + hi) / 2
	case s.multiplier < -kinked:
		return lo, lo
	case s.multiplier > kinked:
		return hi, hi
	}
	from, to = math.Inf(-1), math.Inf(1)
	if s.value-s.lo <= near {
		from = lo
	}
	if s.hi-s.value <= near {
		to = hi
	}
	return from, to
}
