package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// residuals evaluates the point: multipliers of v, gradient, residuals, μ.
func (w *work) residuals() {
	w.side.multipliers(w.y)
	if w.cone != nil {
		w.coneMultipliers()
	}
	w.products()
	w.dualResidual()
	w.primalResidual()
	if w.cone != nil {
		w.coneResidual()
	}
	if w.hom != nil {
		w.homogeneousResidual()
	}
}

// products sets grad, aty and v at x and y.
func (w *work) products() {
	τ := w.τ()
	for j, x := range w.x {
		w.grad[j] = τ*w.q[j] + w.γx*x
	}
	clear(w.aty)
	w.p.AddSymMulVec(w.grad, w.θ, w.x)
	w.sys.AddBoth(w.rowsOf(w.v, w.x, w.y), w.aty, w.x, w.y[w.n:])
}

// multipliers sets the entries of y that the sides stand for.
func (sd *sides) multipliers(y []float64) {
	c, last := len(sd.src), -1
	z, sgn := sd.z[:c], sd.sgn[:c]
	for k, i := range sd.src {
		v := sgn[k] * z[k]
		if i == last {
			v += y[i]
		}
		y[i] = v
		last = i
	}
}

// multiply sets v to (x, Ax − γᵧy).
func (w *work) multiply(v, x, y []float64) {
	w.sys.AddAx(w.rowsOf(v, x, y), x)
}

// rowsOf sets v to (x, −γᵧy) and returns the second part.
func (w *work) rowsOf(v, x, y []float64) []float64 {
	copy(v, x)
	ax := v[w.n:]
	for i := range ax {
		ax[i] = -w.γy * y[w.n+i]
	}
	return ax
}

func (w *work) dualResidual() {
	n := w.n
	grad, aty, y, rd := w.grad[:n], w.aty[:n], w.y[:n], w.rd[:n]
	for j, g := range grad {
		rd[j] = -(g + aty[j] + y[j])
	}
	for _, j := range w.fixedVars {
		y[j], rd[j] = -(grad[j] + aty[j]), 0
	}
	w.dinf = w.side.norm(rd)
}

func (w *work) primalResidual() {
	sd, τ := &w.side, w.τ()
	for _, i := range w.fixedRows {
		w.re[i-w.n] = τ*w.lo[i] - w.v[i]
	}
	c := len(sd.src)
	s, h, sgn, rp := sd.s[:c], sd.h[:c], sd.sgn[:c], sd.rp[:c]
	for k, i := range sd.src {
		rp[k] = τ*h[k] - s[k] - sgn[k]*w.v[i]
	}
	w.pinf, w.μ = max(sd.norm(w.re), sd.norm(rp)), sd.product()
	if c > 0 {
		w.μ /= float64(c)
	}
}

// weigh eliminates the sides from the KKT matrix and sets its diagonal.
func (w *work) weigh() {
	sd, δ := &w.side, w.reg.δ
	clear(w.wsum)
	sd.weigh(δ)
	wt := sd.wt[:len(sd.src)]
	for k, i := range sd.src {
		w.wsum[i] += wt[k]
	}
	diag, own := w.diag, w.γx+w.reg.ρ
	for j, sum := range w.wsum[:w.n] {
		diag[j] = own + sum
	}
	for _, j := range w.fixedVars {
		diag[j] = 1
	}
	for _, i := range w.freeRows {
		diag[i] = -1
	}
	for _, i := range w.fixedRows {
		diag[i] = -(w.γy + δ)
	}
	for _, i := range w.sidedRows {
		if w.wsum[i] < leastWeight {
			w.wsum[i] = leastWeight
		}
		w.wsum[i] = 1 / w.wsum[i]
		diag[i] = -(w.γy + w.wsum[i])
	}
	if w.cone != nil {
		w.weighCones()
	}
}

// leastWeight keeps the reciprocal of a row's weight in range.
const leastWeight = 1e-20

// affine sets the complementarity right-hand sides of the predictor: μ to zero.
func (w *work) affine() {
	w.side.affine()
	if w.cone != nil {
		w.affineCones()
	}
	if h := w.hom; h != nil {
		h.rκ = -h.κ * h.τ
	}
}

// centred sets those of the corrector, from the predictor in ds and dz: second
// order, and s·z to σμ.
func (w *work) centred(σ float64) {
	σμ := σ * w.μ
	w.side.centred(σμ)
	if w.cone != nil {
		w.centreCones(σμ)
	}
	if h := w.hom; h != nil {
		h.rκ = σμ - h.κ*h.τ - h.dτ*h.dκ
	}
}

// direction solves for the step that belongs to the right-hand sides in
// sides.rc. It returns the residual of the KKT solve.
func (w *work) direction(ctx context.Context) kkt.Accuracy {
	n, sd, rhs := w.n, &w.side, w.rhs
	copy(rhs, w.rd)
	clear(rhs[n:])
	t := sd.right()[:len(sd.src)]
	for k, i := range sd.src {
		rhs[i] += t[k]
	}
	for _, j := range w.fixedVars {
		rhs[j] = 0
	}
	for _, i := range w.fixedRows {
		rhs[i] = w.re[i-n]
	}
	for _, i := range w.sidedRows {
		rhs[i] *= w.wsum[i]
	}
	if w.cone != nil {
		w.coneRHS()
	}
	acc := w.sys.Solve(ctx, w.sol, rhs, w.goal) // sets dx and dy, but in the embedding
	if w.hom != nil {
		copy(w.dx, w.sol)
		copy(w.dy, w.sol)
	}
	copy(w.dv, w.dx)
	for i, v := range w.sys.Ax() {
		w.dv[n+i] = v - w.γy*w.dy[n+i]
	}
	w.recover()
	if w.cone != nil {
		w.recoverCones()
	}
	return acc
}

// recover computes the steps of the sides from dv and dy. The multipliers of the
// bounds of variables are no unknowns of the KKT matrix.
func (w *work) recover() {
	sd, c := &w.side, len(w.side.src)
	src, sgn, dz, ds := sd.src[:c], sd.sgn[:c], sd.dz[:c], sd.ds[:c]
	wt, b := sd.wt[:c], sd.b[:c]
	for k, i := range src[:sd.vars] {
		ds[k] = sgn[k] * w.dv[i]
	}
	sd.duals(sd.vars)
	for k := sd.vars; k < c; k++ {
		i := src[k]
		dv, dy := w.dv[i], w.dy[i]
		if k+1 == c || src[k+1] != i {
			ds[k], dz[k] = sgn[k]*dv, sgn[k]*dy
			continue
		}
		// A lower and an upper side. The heavier one takes what the other
		// leaves of dy: its own formula would be a difference of nearly equal
		// numbers times a large weight.
		lo, up := k, k+1
		if wt[lo] < wt[up] {
			dz[lo] = wt[lo] * (-dv - b[lo])
			dz[up] = dy + dz[lo]
		} else {
			dz[up] = wt[up] * (dv - b[up])
			dz[lo] = dz[up] - dy
		}
		ds[lo], ds[up] = -dv, dv
		k = up
	}
	sd.slacks(w.reg.δ)
}

// stepLengths sets αp and αd to the longest steps, up to 1, that keep s and z
// from falling below 1−τ of what they are.
func (w *work) stepLengths(τ float64) {
	sd := &w.side
	w.αp, w.αd = sd.longest(sd.s, sd.ds, τ), sd.longest(sd.z, sd.dz, τ)
	if w.cone != nil {
		w.coneSteps(τ)
	}
	if w.hom != nil {
		w.homogeneousSteps(τ)
	}
	if w.sameStep {
		w.αp = min(w.αp, w.αd)
		w.αd = w.αp
	}
	if w.cone != nil && w.cone.asym {
		w.asymmetricSteps(τ)
	}
}

// centring is Mehrotra's σ, from how much μ the predictor would take away.
func (w *work) centring() float64 {
	if w.count() == 0 || !(w.μ > 0) {
		return 0
	}
	r := min(max(w.after(w.αp, w.αd)/(w.count()*w.μ), 0), 1)
	return r * r * r
}

// advance moves the point along the direction.
func (w *work) advance() {
	sd, αp, αd := &w.side, w.αp, w.αd
	for j, d := range w.dx {
		w.x[j] += αp * d
	}
	for _, i := range w.fixedRows {
		w.y[i] += αd * w.dy[i]
	}
	sd.move(sd.s, sd.ds, αp)
	sd.move(sd.z, sd.dz, αd)
	if w.cone != nil {
		w.advanceCones()
	}
	if w.hom != nil {
		w.hom.advance(αp)
	}
}

// normInf is NaN where v has a NaN. A branch that is seldom taken beats max.
func normInf(v []float64) float64 {
	top := 0.0
	for _, e := range v {
		if a := math.Abs(e); !(a <= top) {
			if a != a {
				return a
			}
			top = a
		}
	}
	return top
}
