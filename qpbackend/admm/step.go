package admm

import "math"

// step is one iteration of Stellato et al. 2020, Algorithm 1.
func (w *work) step() {
	σ, α, b := w.mat.σ, relaxation, w.rhs
	x := w.x
	q := w.q[:len(x)]
	for j, v := range x {
		b[j] = σ*v - q[j]
	}
	z, ν := w.z[:w.m], b[len(x):][:w.m]
	y, ρ, inv := w.y[:len(z)], w.mat.rowρ[:len(z)], w.mat.inverse[:len(z)]
	for i, v := range z {
		ν[i] = v - inv[i]*y[i]
	}
	w.boundsRHS(b)
	w.mat.sys.SolveOnce(b, b) // x̃ and ν
	w.boundsStep(b)
	for j, v := range x {
		x[j] = α*b[j] + (1-α)*v
	}
	l, u := w.side.lo[:len(z)], w.side.up[:len(z)]
	for i, v := range z {
		shift := inv[i] * y[i]
		mix := α*(v-shift+inv[i]*ν[i]) + (1-α)*v // αz̃ + (1−α)z
		next := mix + shift
		if next < l[i] {
			next = l[i]
		} else if next > u[i] {
			next = u[i]
		}
		y[i] += ρ[i] * (mix - next)
		z[i] = next
	}
}

// boundsRHS adds to the right-hand side b the terms that the eliminated rows of bounds
// leave there.
func (w *work) boundsRHS(b []float64) {
	z, y, ρ := w.z[w.m:], w.y[w.m:], w.mat.rowρ[w.m:]
	for k, j := range w.box {
		b[j] += ρ[k]*z[k] - y[k]
	}
}

// boundsStep moves z and y of the bounds, with x̃ in b.
func (w *work) boundsStep(b []float64) {
	α, z, y, ρ, inv := relaxation, w.z[w.m:], w.y[w.m:], w.mat.rowρ[w.m:], w.mat.inverse[w.m:]
	l, u := w.side.lo[w.m:], w.side.up[w.m:]
	for k, j := range w.box {
		mix := α*b[j] + (1-α)*z[k] // αz̃ + (1−α)z, z̃ = x̃
		next := min(max(mix+inv[k]*y[k], l[k]), u[k])
		y[k] += ρ[k] * (mix - next)
		z[k] = next
	}
}

// remember keeps the iterate, for difference.
func (w *work) remember() {
	copy(w.dx, w.x)
	copy(w.dy, w.y)
}

// difference makes dx and dy the step from the point that remember kept.
func (w *work) difference() {
	for j, v := range w.x {
		w.dx[j] = v - w.dx[j]
	}
	for i, v := range w.y {
		w.dy[i] = v - w.dy[i]
	}
}

// adapt moves ρ to where it would balance the scaled residuals, each relative to the terms that it
// compares (Stellato et al. 2020, section 5.2), if that is far enough away.
func (w *work) adapt() {
	clear(w.product.px)
	w.p.AddSymMulVec(w.product.px, 1, w.x)
	w.multiplyT(w.product.aty, w.y)
	w.multiply(w.product.ax, w.x)
	var prim, primSize, dual, dualSize float64
	for i, a := range w.product.ax {
		prim, primSize = max(prim, math.Abs(a-w.z[i])), max(primSize, math.Abs(a), math.Abs(w.z[i]))
	}
	for j, p := range w.product.px {
		q, a := w.q[j], w.product.aty[j]
		dual, dualSize = max(dual, math.Abs(p+q+a)), max(dualSize, math.Abs(p), math.Abs(q), math.Abs(a))
	}
	prim, dual = prim/(primSize+math.SmallestNonzeroFloat64), dual/(dualSize+math.SmallestNonzeroFloat64)
	if !(dual > 0) { // also for NaN
		if prim > 0 {
			w.setRho(maxRho)
		}
		return
	}
	ρ := min(max(w.mat.ρ*math.Sqrt(prim/dual), minRho), maxRho)
	if ρ > rhoChange*w.mat.ρ || ρ < w.mat.ρ/rhoChange {
		w.setRho(ρ)
	}
}
