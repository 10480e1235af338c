package qpbackend

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// ErrCurved is the error of OneSided where the program has a cone that is neither linear nor of
// second order.
var ErrCurved = errors.New("qpbackend: there are one-sided derivatives for linear rows and second-order cones alone")

// kinked is the margin within which a row counts as one that may let go, or take hold. Source: that
// of Regularity.
const kinked = 1e-6

// OneSided is the one-sided derivative of the solution of p at the solution at, as Derivative.Point
// has it, along the change d of the values, per unit, where d has the form that Derivative.Forward
// takes. It exists at kinks, too: where a row holds without a multiplier the change of the solution
// solves a quadratic program in which that row is an inequality (Jittorntrum, Solution point
// differentiability without strict complementarity in nonlinear programming, Math. Program. Study
// 21 (1984) 127-138); b solves it. A second-order cone is replaced by the cone of the directions in
// which it neither breaks nor loses its multiplier, and adds its curvature to the program where it
// has one (Bonnans and Ramírez, Perturbation analysis of second-order cone programming problems,
// Math. Program. 104 (2005) 205-227). The solution has to be unique, and so have its multipliers
// where cones hold; of the multipliers of linear rows those count that the linear program of the
// change has. Errors: another cone (ErrCurved); the program has no solution; the errors of b.
func OneSided(ctx context.Context, b Backend, p *Problem, at Tangent, d Update) (Tangent, error) {
	qp, faces, err := directional(p, at, d)
	if err != nil {
		return Tangent{}, err
	}
	res, err := oneSided(ctx, b, qp)
	if err != nil {
		return Tangent{}, err
	}
	if res.Status == PrimalInfeasible && len(faces.rows)+len(qp.Cones) == 0 {
		if at, err = chosen(ctx, b, p, at, d); err != nil {
			return Tangent{}, err
		}
		if qp, faces, err = directional(p, at, d); err != nil {
			return Tangent{}, err
		}
		if res, err = oneSided(ctx, b, qp); err != nil {
			return Tangent{}, err
		}
	}
	if res.Status != Solved && res.Status != AlmostSolved {
		return Tangent{}, fmt.Errorf("qpbackend: no one-sided derivative: the problem of the change is %v", res.Status)
	}
	n, m := p.Dims()
	t := Tangent{X: res.X[:n], Y: res.Y[:m], Z: res.Z[:n]}
	for k, r := range faces.rows {
		for _, e := range r.of {
			t.Y[e.row] += e.factor * res.Y[m+k]
		}
	}
	return t, nil
}

// oneSided solves a program of a change.
func oneSided(ctx context.Context, b Backend, qp *Problem) (res Result, err error) {
	set := b.DefaultSettings()
	set.Tol = min(set.Tol, 1e-10) // a change counts beside others of the same size
	solver, err := b.New(ctx, qp, set)
	if err != nil {
		return res, err
	}
	defer solver.Close()
	return res, solver.Solve(ctx, &res)
}

// chosen is the point with the multipliers that go with the change, where they are not unique: the
// solution of the linear program that has the slopes of the objective as costs and each row that
// holds as an inequality. Its solutions are the changes that the multipliers allow.
func chosen(ctx context.Context, b Backend, p *Problem, at Tangent, d Update) (Tangent, error) {
	n, m := p.Dims()
	free := Tangent{X: at.X, Y: make([]float64, m), Z: make([]float64, n)}
	lp, _, err := directional(p, free, Update{L: d.L, U: d.U, Lo: d.Lo, Hi: d.Hi, A: d.A})
	if err != nil {
		return at, err
	}
	lp.P = sparse.Zero(n, n)
	copy(lp.Q, p.Q)
	if p.P != nil {
		p.P.AddSymMulVec(lp.Q, 1, at.X)
	}
	res, err := oneSided(ctx, b, lp)
	if err != nil {
		return at, err
	}
	if res.Status != Solved && res.Status != AlmostSolved {
		return at, fmt.Errorf("qpbackend: no one-sided derivative: the rows that hold exclude each other along the "+
			"change; the problem of the change is %v", res.Status)
	}
	return Tangent{X: at.X, Y: res.Y, Z: res.Z}, nil
}

// directional is the quadratic program of the change.
func directional(p *Problem, at Tangent, d Update) (*Problem, *faces, error) {
	n, m := p.Dims()
	if len(at.X) != n || len(at.Y) != m || len(at.Z) != n {
		return nil, nil, fmt.Errorf("qpbackend: a solution has x, y and z, of %d, %d and %d entries", n, m, n)
	}
	qp := &Problem{P: p.P, A: p.A, Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n),
		L: make([]float64, m), U: make([]float64, m)}
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
	f := &faces{}
	for _, c := range p.Cones {
		if c.Kind != SecondOrder {
			return nil, nil, ErrCurved
		}
		shift, v := make([]float64, c.Len), make([]float64, c.Len)
		for k := range c.Len {
			i := c.Start + k
			v[k], shift[k] = s[i]-p.L[i], entry(d.L, i)-moved[i]
			qp.L[i], qp.U[i] = math.Inf(-1), math.Inf(1)
		}
		if f.of(c.Start, v, at.Y[c.Start:][:c.Len], shift) {
			for k := range c.Len {
				qp.L[c.Start+k], qp.U[c.Start+k] = shift[k], math.Inf(1)
			}
			qp.Cones = append(qp.Cones, c)
		}
	}
	f.join(qp)
	return qp, f, nil
}

// face is a row of the change: lo ≤ of·Adx − e ≤ hi, with of the factors of rows of A and e a
// column of its own with the cost weight/2·e², or no column where weight is zero.
type face struct {
	of     []part
	lo, hi float64
	weight float64
}

type part struct {
	row    int
	factor float64
}

// faces of second-order cones.
type faces struct{ rows []face }

// of adds the rows for a cone with first row start, the value v and the multipliers y, whose value
// changes by A·dx − shift. It returns true where the change is to be in the cone itself.
func (f *faces) of(start int, v, y, shift []float64) bool {
	size, price := max(1, num.NormInf(v)), num.NormInf(y)
	r, ν := num.Norm2(v[1:]), num.Norm2(y[1:])
	add := func(lo, hi, weight float64, of ...part) {
		at := 0.0
		for k, e := range of {
			at += e.factor * shift[e.row]
			of[k].row += start
		}
		f.rows = append(f.rows, face{of, lo + at, hi + at, weight})
	}
	switch {
	case r > kinked*size: // inside, or on the smooth part of the boundary
		normal := []part{{0, -1}} // of ‖u‖ − t
		for k, e := range v[1:] {
			normal = append(normal, part{k + 1, e / r})
		}
		switch {
		case price > kinked:
			add(0, 0, 0, normal...)
			for k, e := range v[1:] { // of du within the plane orthogonal to u; there dt is the length along u
				add(0, 0, -y[0]/r, part{0, -e / r}, part{k + 1, 1})
			}
		case v[0]-r <= kinked*size:
			add(math.Inf(-1), 0, 0, normal...)
		}
	case v[0] > kinked*size: // inside
	case price <= kinked: // at the apex
		return true
	case -y[0]-ν > kinked:
		for k := range v {
			add(0, 0, 0, part{k, 1})
		}
	default: // along the ray (1, ū) that is orthogonal to y
		add(0, math.Inf(1), 0, part{0, 1})
		for k, e := range y[1:] {
			add(0, 0, 0, part{0, -e / ν}, part{k + 1, 1})
		}
	}
	return false
}

// join adds the rows to the program, and their columns.
func (f *faces) join(qp *Problem) {
	if len(f.rows) == 0 {
		return
	}
	n, m := qp.Dims()
	byRow, _ := qp.A.Transpose()
	costs := qp.P
	if costs == nil {
		costs = sparse.Zero(n, n)
	}
	var a, p sparse.Triplets
	for j := range n {
		for e := qp.A.ColPtr[j]; e < qp.A.ColPtr[j+1]; e++ {
			a.Add(qp.A.RowIdx[e], j, qp.A.Val[e])
		}
		for e := costs.ColPtr[j]; e < costs.ColPtr[j+1]; e++ {
			p.Add(costs.RowIdx[e], j, costs.Val[e])
		}
	}
	cols := n
	for k, r := range f.rows {
		for _, t := range r.of {
			for e := byRow.ColPtr[t.row]; e < byRow.ColPtr[t.row+1]; e++ {
				a.Add(m+k, byRow.RowIdx[e], t.factor*byRow.Val[e])
			}
		}
		if r.weight != 0 {
			a.Add(m+k, cols, -1)
			p.Add(cols, cols, r.weight)
			qp.Q, qp.Lo, qp.Hi = append(qp.Q, 0), append(qp.Lo, math.Inf(-1)), append(qp.Hi, math.Inf(1))
			cols++
		}
		qp.L, qp.U = append(qp.L, r.lo), append(qp.U, r.hi)
	}
	qp.A, _ = a.CSC(m+len(f.rows), cols)
	qp.P, _ = p.CSC(cols, cols)
}

func entry(v []float64, i int) float64 {
	if v == nil {
		return 0
	}
	return v[i]
}

// side is a value between two others, and the multiplier, positive where the upper one holds.
type side struct{ value, multiplier, lo, hi float64 }

// change are the sides of the change of the value, given the change of the sides.
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
