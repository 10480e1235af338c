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
	w.res.μ = 0
	for _, c := range w.parts() {
		w.res.μ += c.product()
	}
	w.method.residual(w)
}

// products sets grad, aty and v at x and y.
func (w *Work) products() {
	τ, γx := w.method.τ(), w.prog.γx
	grad, q := w.res.grad[:len(w.x)], w.prog.q[:len(w.x)]
	if w.prog.squares {
		p, θ := w.prog.p.Val[:len(w.x)], w.prog.θ
		for j, x := range w.x {
			grad[j] = τ*q[j] + γx*x + p[j]*(θ*x)
		}
	} else {
		for j, x := range w.x {
			grad[j] = τ*q[j] + γx*x
		}
		w.prog.p.AddSymMulVec(w.res.grad, w.prog.θ, w.x)
	}
	clear(w.res.aty)
	w.lin.sys.AddBoth(w.rowsOf(w.v, w.x, w.y), w.res.aty, w.x, w.y[w.n:])
}

// multiply sets v to (x, Ax − γᵧy).
func (w *Work) multiply(v, x, y []float64) {
	w.prog.at.AddMulVecT(w.rowsOf(v, x, y), 1, x)
}

// rowsOf sets v to (x, −γᵧy) and returns the second part.
func (w *Work) rowsOf(v, x, y []float64) []float64 {
	copy(v, x)
	ax := v[w.n:]
	rows, γy := y[w.n:][:len(ax)], w.prog.γy
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
	grad, aty, y, rd := w.res.grad[:n], w.res.aty[:n], w.y[:n], w.res.rd[:n]
	for j, g := range grad {
		rd[j] = -(g + aty[j] + y[j])
	}
	for _, j := range w.prog.fixedVars {
		y[j], rd[j] = -(grad[j] + aty[j]), 0
	}
	w.res.dinf = w.side.norm(rd)
}

func (w *Work) primalResidual() {
	τ := w.method.τ()
	n, re, lo, v := w.n, w.res.re, w.prog.lo, w.v
	for _, i := range w.prog.fixedRows {
		re[i-n] = τ*lo[i] - v[i]
	}
	w.res.pinf = 0
	if len(w.prog.fixedRows) > 0 {
		w.res.pinf = w.side.norm(w.res.re)
	}
	for _, c := range w.parts() {
		w.res.pinf = max(w.res.pinf, c.residual(w, τ))
	}
}

// weigh eliminates the parts from the KKT matrix and sets its diagonal.
func (w *Work) weigh() {
	diag, own := w.lin.diag, w.prog.γx+w.reg.ρ
	for j := range diag[:w.n] {
		diag[j] = own
	}
	for _, c := range w.parts() {
		c.weigh(w)
	}
	for _, j := range w.prog.fixedVars {
		diag[j] = 1
	}
	for _, i := range w.prog.freeRows {
		diag[i] = -1
	}
	for _, i := range w.prog.fixedRows {
		diag[i] = -(w.prog.γy + w.reg.δ)
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
	σμ := σ * w.res.μ
	for _, c := range w.parts() {
		c.centre(σμ)
	}
	w.method.centre(σμ)
}

// direction solves for the step that belongs to the right-hand sides rp and rc of
// the parts, rd and re. It returns the residual of the KKT solve.
func (w *Work) direction(ctx context.Context) kkt.Accuracy { return w.directionWithin(ctx, w.lin.goal) }

// directionWithin is direction to another goal of the KKT solve.
func (w *Work) directionWithin(ctx context.Context, goal kkt.Accuracy) kkt.Accuracy {
	w.right()
	acc := w.lin.sys.Solve(ctx, w.lin.sol, w.lin.rhs, goal) // sets dx and dy
	w.recover()
	return acc
}

// right makes the right-hand side of the KKT system.
func (w *Work) right() {
	n, rhs := w.n, w.lin.rhs
	copy(rhs, w.res.rd)
	if len(w.cone.of) > 0 {
		clear(rhs[n:])
	}
	for _, i := range w.prog.freeRows {
		rhs[i] = 0
	}
	for _, c := range w.parts() {
		c.right(w)
	}
	for _, j := range w.prog.fixedVars {
		rhs[j] = 0
	}
	for _, i := range w.prog.fixedRows {
		rhs[i] = w.res.re[i-n]
	}
}

// recover makes the rest of the step from the solution of the KKT system.
func (w *Work) recover() {
	ax, γy := w.lin.sys.Ax(), w.prog.γy
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
	if w.degree() == 0 || !(w.res.μ > 0) {
		return 0
	}
	r := min(max(w.after(w.αp, w.αd)/(w.degree()*w.res.μ), 0), 1)
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
	for _, i := range w.prog.fixedRows {
		y[i] += αd * dy[i]
	}
	for _, c := range w.parts() {
		c.advance(w.αp, w.αd)
	}
	w.method.advance(w.αp)
}
