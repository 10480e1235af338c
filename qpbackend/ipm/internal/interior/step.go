package interior

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// residuals evaluates the point: multipliers of v, gradient, residuals, μ.
func (w *Work) residuals() {
	for _, c := range w.parts() {
		c.multipliers(w.y)
	}
	w.products()
	w.dualResidual()
	w.primalResidual()
	w.μ = 0
	for _, c := range w.parts() {
		w.μ += c.product()
	}
	w.method.residual(w)
}

// products sets grad, aty and v at x and y.
func (w *Work) products() {
	τ, γx := w.method.τ(), w.γx
	grad, q := w.grad[:len(w.x)], w.q[:len(w.x)]
	if w.squares {
		p, θ := w.p.Val[:len(w.x)], w.θ
		for j, x := range w.x {
			grad[j] = τ*q[j] + γx*x + p[j]*(θ*x)
		}
	} else {
		for j, x := range w.x {
			grad[j] = τ*q[j] + γx*x
		}
		w.p.AddSymMulVec(w.grad, w.θ, w.x)
	}
	clear(w.aty)
	w.sys.AddBoth(w.rowsOf(w.v, w.x, w.y), w.aty, w.x, w.y[w.n:])
}

// multiply sets v to (x, Ax − γᵧy).
func (w *Work) multiply(v, x, y []float64) {
	w.at.AddMulVecT(w.rowsOf(v, x, y), 1, x)
}

// rowsOf sets v to (x, −γᵧy) and returns the second part.
func (w *Work) rowsOf(v, x, y []float64) []float64 {
	copy(v, x)
	ax := v[w.n:]
	rows, γy := y[w.n:][:len(ax)], w.γy
	if γy == 0 {
		clear(ax)
		return ax
	}
	for i, y := range rows {
		ax[i] = -γy * y
	}
	return ax
}

func (w *Work) dualResidual() {
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

func (w *Work) primalResidual() {
	τ := w.method.τ()
	n, re, lo, v := w.n, w.re, w.lo, w.v
	for _, i := range w.fixedRows {
		re[i-n] = τ*lo[i] - v[i]
	}
	w.pinf = 0
	if len(w.fixedRows) > 0 {
		w.pinf = w.side.norm(w.re)
	}
	for _, c := range w.parts() {
		w.pinf = max(w.pinf, c.residual(w, τ))
	}
}

// weigh eliminates the parts from the KKT matrix and sets its diagonal.
func (w *Work) weigh() {
	diag, own := w.diag, w.γx+w.reg.ρ
	for j := range diag[:w.n] {
		diag[j] = own
	}
	for _, c := range w.parts() {
		c.weigh(w)
	}
	for _, j := range w.fixedVars {
		diag[j] = 1
	}
	for _, i := range w.freeRows {
		diag[i] = -1
	}
	for _, i := range w.fixedRows {
		diag[i] = -(w.γy + w.reg.δ)
	}
}

// scale finds the scalings at the current point, false where it is no longer
// inside.
func (w *Work) scale(ctx context.Context) bool {
	for _, c := range w.parts() {
		if !c.scale(ctx) {
			return false
		}
	}
	return true
}

// affine sets the complementarity right-hand sides of the predictor.
func (w *Work) affine() {
	for _, c := range w.parts() {
		c.affine()
	}
	w.method.affine()
}

// centre sets the targets of the corrector.
func (w *Work) centre(σ float64) {
	σμ := σ * w.μ
	for _, c := range w.parts() {
		c.centre(σμ)
	}
	w.method.centre(σμ)
}

// direction solves for the step that belongs to the right-hand sides rp and rc of
// the parts, rd and re. It returns the residual of the KKT solve.
func (w *Work) direction(ctx context.Context) kkt.Accuracy { return w.directionWithin(ctx, w.goal) }

// directionWithin is direction to another goal of the KKT solve.
func (w *Work) directionWithin(ctx context.Context, goal kkt.Accuracy) kkt.Accuracy {
	w.right()
	acc := w.sys.Solve(ctx, w.sol, w.rhs, goal) // sets dx and dy
	w.recover()
	return acc
}

// right makes the right-hand side of the KKT system.
func (w *Work) right() {
	n, rhs := w.n, w.rhs
	copy(rhs, w.rd)
	if len(w.cone.of) > 0 {
		clear(rhs[n:])
	}
	for _, i := range w.freeRows {
		rhs[i] = 0
	}
	for _, c := range w.parts() {
		c.right(w)
	}
	for _, j := range w.fixedVars {
		rhs[j] = 0
	}
	for _, i := range w.fixedRows {
		rhs[i] = w.re[i-n]
	}
}

// recover makes the rest of the step from the solution of the KKT system.
func (w *Work) recover() {
	ax, γy := w.sys.Ax(), w.γy
	dv, dy := w.dv[w.n:][:len(ax)], w.dy[w.n:][:len(ax)]
	for i, v := range ax {
		dv[i] = v - γy*dy[i]
	}
	for _, c := range w.parts() {
		c.recover(w)
	}
}

// stepLengths sets αp and αd to the longest steps, up to 1 and the share of the
// way to the boundary, that keep the parts inside.
func (w *Work) stepLengths(share float64) {
	w.αp, w.αd = 1, 1
	for _, c := range w.parts() {
		p, d := c.reach(share)
		w.αp, w.αd = min(w.αp, p), min(w.αd, d)
	}
	w.method.steps(w, share)
	if w.cone.asym { // then the method has one length
		w.αp = w.cone.settle(w, w.αp, share)
		w.αd = w.αp
	}
}

// centring is Mehrotra's σ, from how much μ the predictor would take away.
func (w *Work) centring() float64 {
	if w.degree() == 0 || !(w.μ > 0) {
		return 0
	}
	r := min(max(w.after(w.αp, w.αd)/(w.degree()*w.μ), 0), 1)
	return r * r * r
}

// tooShort reports whether the step is so short that the terms of second and third
// order, good for a whole step, may be to blame: the terms of cones that are not
// symmetric at times are.
func (w *Work) tooShort() bool { return w.cone.asym && w.αp < shortStep }

// shortStep is the step below which the corrector is tried again.
// Source: docs/lab/bench.md, Constants of ipm.
const shortStep = 0.3

// forget makes the next corrector one without these terms.
func (w *Work) forget() {
	for _, c := range w.parts() {
		clear(c.data().ds)
		clear(c.data().dz)
	}
	w.method.forget()
}

// advance moves the point along the direction.
func (w *Work) advance() {
	w.side.move(w.x, w.αp, w.dx)
	y, dy, αd := w.y, w.dy, w.αd
	for _, i := range w.fixedRows {
		y[i] += αd * dy[i]
	}
	for _, c := range w.parts() {
		c.advance(w.αp, w.αd)
	}
	w.method.advance(w.αp)
}
