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
	w.products()
	w.dualResidual()
	w.primalResidual()
}

// products sets grad, aty and v at x and y.
func (w *work) products() {
	for j, x := range w.x {
		w.grad[j] = w.q[j] + w.γx*x
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
	sd := &w.side
	for i := range w.m {
		if w.kind[w.n+i] == fixed {
			w.re[i] = w.lo[w.n+i] - w.v[w.n+i]
		} else {
			w.re[i] = 0
		}
	}
	c := len(sd.src)
	s, z, h, sgn, rp := sd.s[:c], sd.z[:c], sd.h[:c], sd.sgn[:c], sd.rp[:c]
	μ := 0.0
	for k, i := range sd.src {
		rp[k] = h[k] - s[k] - sgn[k]*w.v[i]
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
			if w.wsum[i] < leastWeight {
				w.wsum[i] = leastWeight
			}
			w.diag[i] = -(w.γy + 1/w.wsum[i])
		}
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
}

// centred sets those of the corrector, from the predictor in ds and dz: second
// order, and s·z to σμ.
func (w *work) centred(σμ float64) {
	sd := &w.side
	for k, s := range sd.s {
		sd.rc[k] = σμ - s*sd.z[k] - sd.ds[k]*sd.dz[k]
	}
}

// direction solves for the step that belongs to the right-hand sides in
// sides.rc. It returns the residual of the KKT solve.
func (w *work) direction() kkt.Accuracy {
	n, sd, rhs := w.n, &w.side, w.rhs
	copy(rhs, w.rd)
	clear(rhs[n:])
	c := len(sd.src)
	b, rp, rc, z, sgn, wt := sd.b[:c], sd.rp[:c], sd.rc[:c], sd.z[:c], sd.sgn[:c], sd.wt[:c]
	for k, i := range sd.src {
		t := rp[k] - rc[k]/z[k]
		b[k] = t
		rhs[i] += sgn[k] * wt[k] * t
	}
	for j, kind := range w.kind[:n] {
		if kind == fixed {
			rhs[j] = 0
		}
	}
	for i, kind := range w.kind[n:] {
		switch kind {
		case free:
			rhs[n+i] = 0
		case fixed:
			rhs[n+i] = w.re[i]
		case sided:
			rhs[n+i] /= w.wsum[n+i]
		}
	}
	acc := w.sys.Solve(w.sol, rhs, w.goal) // sets dx and dy
	copy(w.dv, w.dx)
	for i, v := range w.sys.Ax() {
		w.dv[n+i] = v - w.γy*w.dy[n+i]
	}
	w.recoverBounds()
	w.recoverRows()
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
		ds[k] = slackStep(s[k], z[k], rp[k], rc[k], dzk, δ, dv)
	}
}

// recoverRows computes the steps of the sides of rows from dv and dy.
func (w *work) recoverRows() {
	sd, δ, c := &w.side, w.reg.δ, len(w.side.src)
	s, z, ds, dz, rp, rc := sd.s[:c], sd.z[:c], sd.ds[:c], sd.dz[:c], sd.rp[:c], sd.rc[:c]
	src, sgn, wt, b := sd.src[:c], sd.sgn[:c], sd.wt[:c], sd.b[:c]
	for k := sd.vars; k < c; k++ {
		i := src[k]
		dv, dy := w.dv[i], w.dy[i]
		if k+1 == c || src[k+1] != i {
			dv *= sgn[k]
			dzk := sgn[k] * dy
			dz[k] = dzk
			ds[k] = slackStep(s[k], z[k], rp[k], rc[k], dzk, δ, dv)
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
		ds[lo] = slackStep(s[lo], z[lo], rp[lo], rc[lo], dz[lo], δ, -dv)
		ds[up] = slackStep(s[up], z[up], rp[up], rc[up], dz[up], δ, dv)
		k = up
	}
}

// slackStep takes ds from the equation that has the smaller coefficients, given
// the step dv of sgn·v. Which one it is cannot be guessed, so both are computed:
// a branch would cost more.
func slackStep(s, z, rp, rc, dz, δ, dv float64) float64 {
	byProduct := math.Float64bits((rc - s*dz) / z)
	bySide := math.Float64bits(rp + δ*dz - dv)
	small := uint64(int64(math.Float64bits(s-z)) >> 63) // s < z
	return math.Float64frombits(byProduct&small | bySide&^small)
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
	if w.sameStep {
		w.αp = min(w.αp, w.αd)
		w.αd = w.αp
	}
}

// centring is Mehrotra's σ, from how much μ the predictor would take away.
func (w *work) centring() float64 {
	sd := &w.side
	if len(sd.s) == 0 || !(w.μ > 0) {
		return 0
	}
	after := 0.0
	for k, s := range sd.s {
		after += (s + w.αp*sd.ds[k]) * (sd.z[k] + w.αd*sd.dz[k])
	}
	r := min(max(after/(float64(len(sd.s))*w.μ), 0), 1)
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
