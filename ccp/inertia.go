package ccp

import "math"

// Where steps follow each other in one direction, as along a curved constraint
// that keeps boost from going on, the tangents are taken ahead of the point:
// z = x + β(x − x₋), with β growing as Nesterov has it and back to 0 when the
// merit rises. A tangent may be taken anywhere, so what the convex problem
// promises holds as before, but for the descent in every single step.
// Accelerated DC algorithm: Phan, Le and Le Thi 2018; inertial steps: de
// Oliveira and Tcheou 2019.
type inertia struct {
	d     []float64 // the step before
	count int       // steps in one direction
	τ, φ  float64   // of the iteration before
}

const (
	aligned = 0.8  // cosine between steps in one direction
	fading  = 0.3  // a step shorter than this share of the one before is near its end
	uneven  = 1e-5 // rise of the merit, relative, that is the noise of a solver
	warming = 2    // steps in one direction before the first
)

// glide moves z ahead of x, which came from before.
func (r *run) glide(before []float64, objective, slack float64) {
	n := &r.inertia
	if !r.set.Inertia || r.sub.Convex() {
		return
	}
	first := len(n.d) != len(r.x)
	n.d = grown(n.d, r.x)
	var dot, now, then float64
	for j, v := range r.x {
		d, w := v-before[j], 1/r.sub.Units[j]
		w *= w
		dot, now, then = dot+w*d*n.d[j], now+w*d*d, then+w*n.d[j]*n.d[j]
		n.d[j] = d
	}
	φ := r.minimised(objective) + r.τ*slack
	rises := r.τ == n.τ && φ > n.φ+uneven*max(r.span, r.τ*slack)
	n.τ, n.φ = r.τ, φ
	if first || rises || !(then > 0) || !(dot >= aligned*math.Sqrt(now*then)) || !(now >= fading*fading*then) {
		n.count = 0
		return
	}
	if n.count++; n.count <= warming || r.k <= plainly {
		return
	}
	β := float64(n.count-warming) / float64(n.count-warming+3)
	for j, v := range r.x {
		r.z[j] = min(max(v+β*n.d[j], r.lo[j]), r.hi[j])
	}
	if !r.sub.Inside(r.z) {
		copy(r.z, r.x)
	}
}
