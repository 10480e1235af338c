package pinned

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Backend solves with Inner the rest of a problem without the columns Cols, which
// ascend and have equal bounds, and those to which Equations give their values; v are
// the values of both. With the other columns called f that is
//
//	minimise    ½ x'P_ff x + (q_f + P_fc v)'x + r + q_c'v + ½ v'P_cc v
//	subject to  l − A_c v ≤ A_f x ≤ u − A_c v
//
// and likewise in cones. Multipliers of the columns' bounds, and of the equations, follow
// from Px + q + A'y + z = 0. There are no derivatives with Equations.
type Backend struct {
	Inner     qpbackend.Backend
	Cols      []int
	Equations []Equation
}

// Name is that of Inner.
func (b Backend) Name() string { return b.Inner.Name() }

// Supports is that of Inner.
func (b Backend) Supports(k qpbackend.ConeKind) bool { return b.Inner.Supports(k) }

// DefaultSettings are those of Inner.
func (b Backend) DefaultSettings() qpbackend.Settings { return b.Inner.DefaultSettings() }

// solver keeps the problem as stated beside the one without the columns.
type solver struct {
	p     *qpbackend.Problem
	set   qpbackend.Settings
	inner qpbackend.Solver
	now   *qpbackend.Problem // the problem that inner solves
	pin   []bool             // by column of p
	free  []int              // the other columns
	a, pp []int              // places in p's A and P of the values of those of now
	res   qpbackend.Result
	x, z  []float64
	last  [5][]float64 // the part that inner has of now's costs, bounds and sides
	work  []float64
	n, m  int

	equations []equation
}

// New leaves the columns out and has Inner prepare the rest.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if len(b.Cols)+len(b.Equations) == 0 {
		return b.Inner.New(ctx, p, set)
	}
	p, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	n, m := p.Dims()
	s := &solver{p: p, set: set, pin: make([]bool, n), n: n, m: m, x: make([]float64, n), z: make([]float64, n), work: make([]float64, qpbackend.CertifyLen(p))}
	for _, j := range b.Cols {
		s.pin[j] = true
	}
	for _, e := range b.Equations {
		s.pin[e.Col] = true
	}
	s.locate(b.Equations)
	at := make([]int, n) // of the free columns
	for j := range n {
		if !s.pin[j] {
			at[j] = len(s.free)
			s.free = append(s.free, j)
		}
	}
	k := len(s.free)
	s.now = &qpbackend.Problem{
		Q: make([]float64, k), Lo: make([]float64, k), Hi: make([]float64, k), L: make([]float64, m), U: make([]float64, m), Cones: p.Cones,
		A: &sparse.CSC{Rows: m, Cols: k, ColPtr: make([]int, k+1)}, P: &sparse.CSC{Rows: k, Cols: k, ColPtr: make([]int, k+1)},
	}
	for f, j := range s.free {
		for i := p.A.ColPtr[j]; i < p.A.ColPtr[j+1]; i++ {
			s.a = append(s.a, i)
			s.now.A.RowIdx = append(s.now.A.RowIdx, p.A.RowIdx[i])
		}
		s.now.A.ColPtr[f+1] = len(s.a)
		for i := p.P.ColPtr[j]; i < p.P.ColPtr[j+1]; i++ {
			if row := p.P.RowIdx[i]; !s.pin[row] {
				s.pp = append(s.pp, i)
				s.now.P.RowIdx = append(s.now.P.RowIdx, at[row])
			}
		}
		s.now.P.ColPtr[f+1] = len(s.pp)
	}
	s.now.A.Val, s.now.P.Val = make([]float64, len(s.a)), make([]float64, len(s.pp))
	pick(s.now.A.Val, p.A.Val, s.a)
	pick(s.now.P.Val, p.P.Val, s.pp)
	s.state()
	s.inner, err = b.Inner.New(ctx, s.now, set)
	if err != nil {
		return nil, err
	}
	s.keep()
	return s, nil
}

// pick writes the values at the given places to dst.
func pick(dst, from []float64, at []int) {
	for k, i := range at {
		dst[k] = from[i]
	}
}

// part is v at the free columns.
func (s *solver) part(v []float64) []float64 {
	if len(v) == 0 {
		return nil
	}
	out := make([]float64, len(s.free))
	pick(out, v, s.free)
	return out
}

// spread writes the free columns of dst.
func (s *solver) spread(dst, part []float64) {
	for f, j := range s.free {
		if f < len(part) {
			dst[j] = part[f]
		}
	}
}

// state writes the costs, sides and bounds of what is left.
func (s *solver) state() {
	p, now := s.p, s.now
	pick(now.Q, p.Q, s.free)
	pick(now.Lo, p.Lo, s.free)
	pick(now.Hi, p.Hi, s.free)
	copy(now.L, p.L)
	copy(now.U, p.U)
	now.R = p.R
	s.values(s.x)
	cost := s.z // P v
	clear(cost)
	p.P.AddSymMulVec(cost, 1, s.x)
	for f, j := range s.free {
		now.Q[f] += cost[j]
	}
	for j, v := range s.x {
		now.R += v * (p.Q[j] + cost[j]/2)
	}
	for j, v := range s.x {
		if v == 0 {
			continue
		}
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i, d := p.A.RowIdx[k], p.A.Val[k]*v
			now.L[i] -= d
			now.U[i] -= d
		}
	}
}

// Update overwrites values of both problems.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.p.Apply(u); err != nil {
		return err
	}
	var to qpbackend.Update
	if u.A != nil {
		to.A = make([]float64, len(s.a))
		pick(to.A, s.p.A.Val, s.a)
		s.now.A.Val = to.A
	}
	if u.P != nil {
		to.P = make([]float64, len(s.pp))
		pick(to.P, s.p.P.Val, s.pp)
		s.now.P.Val = to.P
	}
	s.state()
	for k, v := range s.vectors() {
		if !slices.Equal(*v, s.last[k]) {
			*[5]*[]float64{&to.Q, &to.Lo, &to.Hi, &to.L, &to.U}[k] = *v
		}
	}
	if err := s.inner.Update(to); err != nil {
		return err
	}
	s.keep()
	return nil
}

// vectors are the costs, bounds and sides of what is left.
func (s *solver) vectors() [5]*[]float64 {
	return [5]*[]float64{&s.now.Q, &s.now.Lo, &s.now.Hi, &s.now.L, &s.now.U}
}

// keep takes note of what inner has.
func (s *solver) keep() {
	for k, v := range s.vectors() {
		s.last[k] = append(s.last[k][:0], *v...)
	}
}

// WarmStart passes on the free part of the point.
func (s *solver) WarmStart(x, y, z []float64) error {
	if err := s.p.CheckStart(x, y, z); err != nil {
		return err
	}
	return s.inner.WarmStart(s.part(x), s.without(y), s.part(z))
}

// Solve solves the reduced problem and completes the answer.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.inner.Solve(ctx, &s.res)
	x, y, z := append(dst.X[:0], make([]float64, s.n)...), append(dst.Y[:0], s.res.Y...), append(dst.Z[:0], make([]float64, s.n)...)
	*dst = qpbackend.Result{Status: s.res.Status, Objective: s.res.Objective, Res: s.res.Res,
		Iterations: s.res.Iterations, Work: s.res.Work, Message: s.res.Message}
	dst.X, dst.Y, dst.Z = x, y, z
	s.spread(x, s.res.X)
	s.spread(z, s.res.Z)
	proof := s.res.Status == qpbackend.PrimalInfeasible
	ray := s.res.Status == qpbackend.DualInfeasible
	slope := make([]float64, s.n)
	if !proof {
		for j := range x {
			if s.pin[j] && !ray {
				x[j] = s.x[j]
			}
		}
		copy(slope, s.p.Q)
		s.p.P.AddSymMulVec(slope, 1, x)
	}
	if len(y) == s.m {
		for j := range slope {
			if !s.pin[j] {
				continue
			}
			for k := s.p.A.ColPtr[j]; k < s.p.A.ColPtr[j+1]; k++ {
				slope[j] += s.p.A.Val[k] * y[s.p.A.RowIdx[k]]
			}
			if z[j] = -slope[j]; ray {
				z[j] = 0
			}
		}
		if !ray {
			s.shift(y, z, proof)
		}
		if !proof && !ray {
			dst.Res = s.set.Certify(ctx, s.p, nil, x, y, z, s.work)
		}
	}
	return err
}

// Close closes the inner solver.
func (s *solver) Close() error { return s.inner.Close() }
