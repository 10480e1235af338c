package subproblem

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/qpbackend"
)

// NoObjective are the values of the convex problem without its objective.
func (s *Linearisation) NoObjective() qpbackend.Update {
	u := s.Now
	u.Q, u.P = make([]float64, len(u.Q)), make([]float64, len(u.P))
	return u
}

// Ask solves the problem with other values than those of the last linearise, for
// a purpose of its own.
func (s *Session) Ask(ctx context.Context, u qpbackend.Update) (res qpbackend.Result, err error) {
	s.unchanged.answered = false
	if err = s.Solver.Update(u); err == nil {
		err = s.Solver.Solve(ctx, &res)
	}
	return res, err
}

// Proves reports whether a backend's answer to the problem with the values u is a proof
// that no point meets its rows: its word for it is none.
func (s *Problem) Proves(u qpbackend.Update, res *qpbackend.Result) bool {
	return res.Status == qpbackend.PrimalInfeasible && implied.Infeasible(s.Compiled.with(u), res.Y, s.columnUnits())
}

// Least lists the sums of least items of the objective.
func (s *Linearisation) Least() []convex.Least {
	var all []convex.Least
	for k := range s.least.all {
		all = append(all, s.least.all[k].form)
	}
	return all
}

// Equations is the number of rows that hold with equality.
func (s *Compiled) Equations() int {
	n := 0
	for i, l := range s.QP.L {
		if l == s.QP.U[i] {
			n++
		}
	}
	return n
}

// Gaussian is the minimiser and the inverse Hessian, row by row, in the variables, of the
// quadratic part of the objective without sums of least items, with the sum of
// half of weight times the square of the distance from centre, on the rows that hold with
// equality. It is for objectives of which no h is linearised; ok is false where the
// matrix is singular to rounding.
func (s *Compiled) Gaussian(centre, weight []float64) (mean, inverse []float64, ok bool) {
	n, cols := s.DC.NumVars(), len(s.QP.Q)
	size := cols + s.Equations()
	kkt, rhs := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	set := func(i, j int, v float64) {
		kkt.Set(i, j, v)
		kkt.Set(j, i, v)
	}
	for j := range cols {
		for i := range j + 1 {
			set(i, j, s.QP.P.At(i, j))
		}
		rhs.SetVec(j, -s.QP.Q[j])
	}
	for j, w := range weight {
		set(j, j, kkt.At(j, j)+w)
		rhs.SetVec(j, rhs.AtVec(j)+w*centre[j])
	}
	next := cols
	for i, l := range s.QP.L {
		if l == s.QP.U[i] {
			for j := range cols {
				set(next, j, s.QP.A.At(i, j))
			}
			rhs.SetVec(next, l)
			next++
		}
	}
	all, _, err := dense.Inverse(context.Background(), size, kkt.RawMatrix().Data)
	if all == nil || err != nil {
		return nil, nil, false
	}
	x := make([]float64, size)
	blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: size, Cols: size, Stride: size, Data: all}, rhs.RawVector(),
		0, blas64.Vector{N: size, Inc: 1, Data: x})
	mean, inverse = make([]float64, n), make([]float64, n*n)
	copy(mean, x)
	for i := range n {
		copy(inverse[i*n:][:n], all[i*size:])
	}
	return mean, inverse, true
}
