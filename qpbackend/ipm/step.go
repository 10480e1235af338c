package ipm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// residuals evaluates the point: multipliers of v, gradient, residuals, μ.
func (w *work) residuals() {
	sd := &w.side
	for i, k := range w.kind {
		if k == sided {
			w.y[i] = sd.multiplier(i)
		} else if k == free {
			w.y[i] = 0
		}
	}
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

// multiplier is the entry i of y that the sides stand for.
func (sd *sides) multiplier(i int) float64 {
	y := 0.0
	if k := sd.up[i]; k >= 0 {
		y += sd.z[k]
	}
	if k := sd.lo[i]; k >= 0 {
		y -= sd.z[k]
	}
	return y
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
	grad, aty, y, rd, kinds := w.grad[:n], w.aty[:n], w.y[:n], w.rd[:n], w.kind[:n]
	for j, g := range grad {
		g += aty[j]
		if kinds[j] == fixed {
			y[j] = -g
		}
		rd[j] = -(g + y[j])
	}
	w.dinf = normInf(rd)
}

func (w *work) primalResidual() {
	sd, τ := &w.side, w.τ()
	for i := range w.m {
		if w.kind[w.n+i] == fixed {
			w.re[i] = τ*w.lo[w.n+i] - w.v[w.n+i]
		} else {
			w.re[i] = 0
		}
	}
	c := len(sd.src)
	s, z, h, sgn, rp := sd.s[:c], sd.z[:c], sd.h[:c], sd.sgn[:c], sd.rp[:c]
	μ := 0.0
	for k, i := range sd.src {
		rp[k] = τ*h[k] - s[k] - sgn[k]*w.v[i]
		μ += s[k] * z[k]
	}
	w.pinf, w.μ = max(normInf(w.re), normInf(rp)), μ
	if c > 0 {
		w.μ /= float64(c)
	}
}

// weigh eliminates the sides from the KKT matrix and sets its diagonal.
func (w *work) weigh() {
	sd, δ := &w.side, w.reg.δ
	clear(w.wsum)
	for k, i := range sd.src {
		z := sd.z[k]
		sd.wt[k] = z / (sd.s[k] + δ*z)
		w.wsum[i] += sd.wt[k]
	}
	for j := range w.n {
		w.diag[j] = w.γx + w.reg.ρ + w.wsum[j]
		if w.kind[j] == fixed {
			w.diag[j] = 1
		}
	}
	for i := w.n; i < w.n+w.m; i++ {
		switch w.kind[i] {
		case free:
			w.diag[i] = -1
		case fixed:
			w.diag[i] = -(w.γy + δ)
		case sided:
			w.wsum[i] = max(w.wsum[i], leastWeight)
			w.diag[i] = -(w.γy + 1/w.wsum[i])
		}
	}
	if w.cone != nil {
		w.weighCones()
	}
}

// leastWeight keeps the reciprocal of a row's weight in range.
const leastWeight = 1e-20

// affine sets the complementarity right-hand sides of the predictor: μ to zero.
func (w *work) affine() {
	sd := &w.side
	for k, s := range sd.s {
		sd.rc[k] = -s * sd.z[k]
	}
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
	sd, σμ := &w.side, σ*w.μ
	for k, s := range sd.s {
		sd.rc[k] = σμ - s*sd.z[k] - sd.ds[k]*sd.dz[k]
	}
	if w.cone != nil {
		w.centreCones(σμ)
	}
	if h := w.hom; h != nil {
		h.rκ = σμ - h.κ*h.τ - h.dτ*h.dκ
	}
}

// direction solves for the step that belongs to the right-hand sides in
// sides.rc. It returns the residual of the KKT solve.
func (w *work) direction() kkt.Accuracy {
	n, sd := w.n, &w.side
	clear(w.bs)
	c := len(sd.src)
	b, rp, rc, z, sgn, wt := sd.b[:c], sd.rp[:c], sd.rc[:c], sd.z[:c], sd.sgn[:c], sd.wt[:c]
	for k, i := range sd.src {
		b[k] = rp[k] - rc[k]/z[k]
		w.bs[i] += sgn[k] * wt[k] * b[k]
	}
	for j := range n {
		w.rhs[j] = w.rd[j] + w.bs[j]
		if w.kind[j] == fixed {
			w.rhs[j] = 0
		}
	}
	for i := range w.m {
		switch w.kind[n+i] {
		case free:
			w.rhs[n+i] = 0
		case fixed:
			w.rhs[n+i] = w.re[i]
		case sided:
			w.rhs[n+i] = w.bs[n+i] / w.wsum[n+i]
		}
	}
	if w.cone != nil {
		w.coneRHS()
	}
	acc := w.sys.Solve(w.sol, w.rhs, w.goal)
	copy(w.dx, w.sol[:n])
	copy(w.dy[n:], w.sol[n:])
	w.multiply(w.dv, w.dx, w.dy)
	w.recoverBounds()
	for i := n; i < len(w.kind); i++ {
		if w.kind[i] == sided {
			w.recoverRow(i)
		}
	}
	if w.cone != nil {
		w.recoverCones()
	}
	return acc
}

// recoverBounds computes the steps of the sides of variables from dv: their
// multipliers are no unknowns of the KKT matrix.
func (w *work) recoverBounds() {
	sd, δ, c := &w.side, w.reg.δ, w.side.vars
	s, z, ds, dz, rp, rc := sd.s[:c], sd.z[:c], sd.ds[:c], sd.dz[:c], sd.rp[:c], sd.rc[:c]
	sgn, wt, b := sd.sgn[:c], sd.wt[:c], sd.b[:c]
	for k, i := range sd.src[:c] {
		dv := sgn[k] * w.dv[i]
		dzk := wt[k] * (dv - b[k])
		dz[k] = dzk
		if s[k] < z[k] { // as in slackStep
			ds[k] = (rc[k] - s[k]*dzk) / z[k]
		} else {
			ds[k] = rp[k] + δ*dzk - dv
		}
	}
}

// recoverRow computes the steps of the sides of entry i of v, a row, from dv
// and dy.
func (w *work) recoverRow(i int) {
	sd := &w.side
	lo, up := sd.lo[i], sd.up[i]
	// The heavier side takes what the other leaves of dy: its own formula
	// would be a difference of nearly equal numbers times a large weight.
	switch {
	case lo < 0:
		sd.dz[up] = w.dy[i]
	case up < 0:
		sd.dz[lo] = -w.dy[i]
	case sd.wt[lo] < sd.wt[up]:
		sd.dz[lo] = sd.wt[lo] * (-w.dv[i] - sd.b[lo])
		sd.dz[up] = w.dy[i] + sd.dz[lo]
	default:
		sd.dz[up] = sd.wt[up] * (w.dv[i] - sd.b[up])
		sd.dz[lo] = sd.dz[up] - w.dy[i]
	}
	if lo >= 0 {
		w.slackStep(lo, -w.dv[i])
	}
	if up >= 0 {
		w.slackStep(up, w.dv[i])
	}
}

// slackStep takes ds from the equation that has the smaller coefficients.
func (w *work) slackStep(k int, sgnDv float64) {
	sd := &w.side
	if sd.s[k] < sd.z[k] {
		sd.ds[k] = (sd.rc[k] - sd.s[k]*sd.dz[k]) / sd.z[k]
	} else {
		sd.ds[k] = sd.rp[k] + w.reg.δ*sd.dz[k] - sgnDv
	}
}

// stepLengths sets αp and αd to the longest steps, up to 1, that keep s and z
// from falling below 1−τ of what they are.
func (w *work) stepLengths(τ float64) {
	sd := &w.side
	w.αp, w.αd = 1, 1
	for k, ds := range sd.ds {
		if s := sd.s[k]; ds*w.αp < -τ*s {
			w.αp = -τ * s / ds
		}
		if z, dz := sd.z[k], sd.dz[k]; dz*w.αd < -τ*z {
			w.αd = -τ * z / dz
		}
	}
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
	for i := w.n; i < len(w.y); i++ {
		if w.kind[i] == fixed {
			w.y[i] += αd * w.dy[i]
		}
	}
	for k := range sd.s {
		sd.s[k] += αp * sd.ds[k]
		sd.z[k] += αd * sd.dz[k]
	}
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
