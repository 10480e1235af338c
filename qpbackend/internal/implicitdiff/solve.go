package implicitdiff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// ρ is the weight of the proximal terms. The iteration reduces the residual by ρ/(ρ + σ), σ
// the least singular value: by a hundred at least where the matrix counts as regular.
// Source: derived: near the square root of the unit roundoff, at which a factorisation without
// pivoting still has half of its digits.
const ρ = 1e-7

// most is the largest estimate of the inverse that counts as regular, and least the smallest
// margin.
// Source: derived: solutions are refined to 1e-13, so that their error is at most most·1e-13 =
// 1e-8, below least. Of 10,000 random problems finite differences differ from the derivative by
// more than 1e-5 in six, all of them beyond most (go test ./qpbackend/ipm -run TestDerivativesAgree
// -derivatives 10000).
const (
	most  = 1e5
	least = 1e-6
)

// Source: that of ipm's equilPasses, which is OSQP's.
const passes = 10

// factor writes the matrix and factors it, with its scaling found anew or, after a small step, that
// of the last time.
func (d *Derivative) factor(ctx context.Context, anew bool) error {
	n := d.n
	d.rows.turn(d.pieces)
	d.equilibrate(anew)
	for i, at := range d.side {
		variable, sign := i < n, 1.0
		if !variable {
			sign = -1
		}
		d.room.off[i], d.room.diag[i] = (at == none) != variable, ρ*sign
		if d.room.off[i] {
			d.room.diag[i] = sign
		}
	}
	for _, pc := range d.pieces {
		for i, e := range pc.d {
			f := d.mat.level.E[pc.Start+i]
			d.room.off[n+pc.Start+i], d.room.diag[n+pc.Start+i] = e == 1, -f*f*e-ρ
		}
	}
	d.mat.sys.Load(1, d.room.off)
	for k, pc := range d.pieces {
		if d.mat.expand[k] < 0 {
			continue
		}
		u, v := d.mat.sys.Expansion(d.mat.expand[k])
		clear(u)
		clear(v)
		if pc.plane {
			num.Axpy(v[1:], d.mat.level.E[pc.Start+1]*math.Sqrt(pc.d[1]), pc.tail)
		}
	}
	if _, err := d.mat.sys.Factorise(ctx, d.room.diag); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("derivative: %w", err)
	}
	return nil
}

// equilibrate brings the rows and columns of the matrix to a largest entry of one, or
// near it: the copy in units of the problem has objective and sides of size one.
func (d *Derivative) equilibrate(anew bool) {
	l := d.mat.level
	if anew {
		l.Ruiz(d.p, d.mat.at, passes)
	}
	for _, pc := range d.pieces {
		for i, e := range pc.d {
			if e > 0 {
				l.E[pc.Start+i] = min(l.E[pc.Start+i], 1/math.Sqrt(e))
			}
		}
	}
	l.Rows(d.mat.at)
	for j := range d.n {
		for e := d.p.ColPtr[j]; e < d.p.ColPtr[j+1]; e++ {
			d.mat.q.Val[e] = l.D[j] * l.D[d.p.RowIdx[e]] * d.p.Val[e]
		}
	}
}

// solve sets dx, dy and dz for the right-hand sides b.
func (d *Derivative) solve(ctx context.Context) error {
	n, rhs := d.n, d.room.rhs
	// Variables at a bound move with it.
	for j := range n {
		d.room.dx[j] = 0
		if d.room.off[j] {
			d.room.dx[j] = -d.room.b3[j]
		}
		rhs[j] = d.room.b1[j]
	}
	copy(d.room.dy, d.room.b2)
	d.p.AddSymMulVec(rhs, 1, d.room.dx)
	d.rows.a.AddMulVec(d.room.dy, 1, d.room.dx)
	d.toBasis(d.room.dy)
	clear(rhs[n:])
	copy(rhs[n:], d.room.dy)
	for j := range n {
		rhs[j] *= d.mat.level.D[j]
	}
	for i, off := range d.room.off {
		if off {
			rhs[i] = 0
		} else {
			rhs[i] = -rhs[i]
		}
	}
	if err := d.leastSquares(ctx); err != nil {
		return err
	}
	for j := range n {
		if !d.room.off[j] {
			d.room.dx[j] = d.mat.level.D[j] * d.room.sol[j]
		}
	}
	copy(d.room.dy, d.room.sol[n:])
	d.fromBasis(d.room.dy)
	copy(d.room.dz, d.room.b1)
	d.p.AddSymMulVec(d.room.dz, 1, d.room.dx)
	d.rows.a.AddMulVecT(d.room.dz, 1, d.room.dy)
	for j := range n {
		if d.room.dz[j] = -d.room.dz[j]; !d.room.off[j] {
			d.room.dz[j] = 0
		}
	}
	return nil
}

// toBasis sets v to √(1−d)·Uᵀv, and fromBasis to U·√(1−d)·v, both with the scaling of level; on
// rows without a multiplier to 0.
func (d *Derivative) toBasis(v []float64) {
	for _, pc := range d.pieces {
		part := v[pc.Start:][:pc.Len]
		pc.turn(part)
		for i, e := range pc.d {
			part[i] *= weight(e)
		}
	}
	for i, e := range d.mat.level.E {
		v[i] *= e
	}
}

func (d *Derivative) fromBasis(v []float64) {
	for i := range v {
		if d.room.off[d.n+i] {
			v[i] = 0
		}
		v[i] *= d.mat.level.E[i]
	}
	for _, pc := range d.pieces {
		part := v[pc.Start:][:pc.Len]
		for i, e := range pc.d {
			part[i] *= weight(e)
		}
		pc.turnBack(part)
	}
}

// Of 1,000 random problems (go test ./qpbackend/ipm -run TestDerivativesAgree -derivatives 1000)
// all derivatives agree with differences, to 1e-6, and with their adjoint, with each of these times
// 0.3 and times 3 but maxSteps = 2 and ranges = 2.
const (
	// Of the right-hand side may be left over.
	// Source: derived: times most that is 1e-7 of the solution, below least. 1e-8 fails in 2 of the
	// 1,000.
	enough = 1e-12
	// Steps of the proximal iteration.
	// Source: derived: six steps by 100, as ρ says, reach enough, and two are for rounding. 2 fail
	// in 3 of the 1,000.
	maxSteps = 8
	// Passes, each with the residual of the one before taken out of the right-hand side.
	// Source: derived: the first finds the part that no solution reaches, with an error that ρ
	// divides, the second the rest of it, the third solves. With two the adjoint is not that of the
	// derivative.
	ranges = 3
	// Accuracy of one solve, which the iteration refines.
	// Source: derived: far below the hundredth that a step gains; up to 1e-3 nothing changes.
	coarse = 1e-9
	// And where the matrix is singular: there ρ divides the error.
	// Source: derived: a few units of rounding. 1e-9 fails in 4 or more of the 1,000.
	fine = 1e-15
)

// leastSquares sets sol to the least squares solution of least norm for rhs. Where the
// matrix is singular the number of steps is fixed, so that the map is linear and symmetric
// in spite of singular values that are neither zero nor not.
func (d *Derivative) leastSquares(ctx context.Context) error {
	size := num.NormInf(d.room.rhs)
	d.missed = 0
	for range ranges {
		clear(d.room.sol)
		copy(d.room.res, d.room.rhs)
		for range maxSteps {
			if left := num.NormInf(d.room.res); left == 0 || !d.mat.singular && left <= enough*size {
				return nil
			}
			if err := d.proximal(ctx, d.room.res); err != nil {
				return err
			}
			num.Axpy(d.room.sol, 1, d.room.more)
			d.residual()
		}
		num.Axpy(d.room.rhs, -1, d.room.res)
		d.missed += num.NormInf(d.room.res) / size
	}
	return nil
}

// residual sets res to rhs less the matrix times sol.
func (d *Derivative) residual() {
	n, res, t := d.n, d.room.res, d.room.sol[d.n:]
	clear(res)
	d.mat.at.AddMulBoth(res[:n], res[n:][:d.m], t, d.room.sol)
	d.mat.q.AddSymMulVec(res, 1, d.room.sol)
	for _, pc := range d.pieces {
		part, t := res[n+pc.Start:][:pc.Len], t[pc.Start:][:pc.Len]
		for i, e := range pc.d {
			f := d.mat.level.E[pc.Start+i]
			part[i] -= f * f * e * t[i]
		}
		if pc.plane {
			f := d.mat.level.E[pc.Start+1]
			num.Axpy(part[1:], f*f*pc.d[1]*num.Dot(t[1:], pc.tail), pc.tail)
		}
	}
	for i, off := range d.room.off {
		if res[i] = d.room.rhs[i] - res[i]; off {
			res[i] = 0
		}
	}
	clear(res[n+d.m:])
}

// proximal sets more to the solution for r with the proximal terms.
func (d *Derivative) proximal(ctx context.Context, r []float64) error {
	goal := coarse
	if d.mat.singular {
		goal = fine
	}
	goal = max(goal*num.NormInf(r), math.SmallestNonzeroFloat64)
	acc := d.mat.sys.Solve(ctx, d.room.more, r, kkt.Accuracy{X: goal, Y: goal})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if math.IsNaN(acc.X) || math.IsNaN(acc.Y) {
		return errors.New("derivative: the linearised optimality conditions have no solution in numbers")
	}
	return nil
}

// judge estimates the norms of the inverse.
func (d *Derivative) judge(ctx context.Context) error {
	r := &d.reg
	var err error
	if r.Primal, err = d.inverse(ctx, 0, d.n); err != nil {
		return err
	}
	if r.Dual, err = d.inverse(ctx, d.n, d.n+d.m); err != nil {
		return err
	}
	d.mat.singular = !(r.Primal <= most && r.Dual <= most)
	r.Regular = false
	switch {
	case !(r.Residual <= least):
		r.Message = fmt.Sprintf("the solution misses the optimality conditions by %.1e", r.Residual)
	case !(r.Margin >= least):
		r.Message = d.kink()
	case !(r.Primal <= most):
		r.Message = "the solution is not unique, or nearly so"
	case !(r.Dual <= most):
		r.Message = "the multipliers are not unique, or nearly so"
	default:
		r.Regular, r.Message = true, ""
	}
	return nil
}

// kink names the nearest kink.
func (d *Derivative) kink() string {
	r := &d.reg
	if r.Row < 0 {
		return fmt.Sprintf("variable %d is not strictly complementary", r.Variable)
	}
	for k, pc := range d.pieces {
		if pc.Start == r.Row {
			return fmt.Sprintf("%v cone %d is not strictly complementary", pc.Kind, k)
		}
	}
	return fmt.Sprintf("row %d is not strictly complementary", r.Row)
}

// powers is the number of steps of the power method. Source: derived: the estimate need be good to
// an order of magnitude alone.
const powers = 3

// inverse estimates the norm of the part of the inverse from the entries from to to into
// themselves by the power method.
func (d *Derivative) inverse(ctx context.Context, from, to int) (float64, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	v, norm := make([]float64, len(d.room.rhs)), 0.0
	for i := from; i < to; i++ {
		if !d.room.off[i] {
			v[i] = rng.NormFloat64()
		}
	}
	for range powers {
		size := num.Norm2(v)
		if size == 0 {
			return 0, nil
		}
		num.Scale(v, 1/size)
		if err := d.proximal(ctx, v); err != nil {
			return 0, err
		}
		clear(v)
		for i := from; i < to; i++ {
			if !d.room.off[i] {
				v[i] = d.room.more[i]
			}
		}
		norm = num.Norm2(v)
	}
	return norm, nil
}
