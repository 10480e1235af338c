package ipm

import "context"

// start makes the first point: x and the multipliers of equalities solve the
// problem in which each side is a penalty of weight one, and s and z are moved
// from there into the interior as Mehrotra does. It reports failure of the
// factorisation.
func (w *work) start(ctx context.Context) bool {
	sd := &w.side
	w.firstWeights()
	clear(w.x)
	clear(w.y)
	clear(sd.s)
	clear(sd.z)
	if w.cone != nil {
		clear(w.cone.s)
		clear(w.cone.z)
	}
	if w.hom != nil {
		w.hom.τ, w.hom.κ = 1, 1
	}
	for j := range w.n {
		if w.kind[j] == fixed {
			w.x[j] = w.lo[j]
		}
	}
	w.residuals()
	for k := range sd.s {
		sd.s[k], sd.z[k], sd.rc[k] = 1, 1, 0
		sd.rp[k] = min(max(sd.rp[k], -distant), distant)
	}
	if w.cone != nil && !w.startCones(ctx) {
		return false
	}
	w.setGoal()
	if !w.factorAndSolve(ctx) {
		return false
	}
	w.firstWeights()
	for j, d := range w.dx {
		w.x[j] += d
	}
	for i := w.n; i < len(w.y); i++ {
		w.y[i] += w.dy[i]
	}
	if w.hom != nil {
		w.moderate()
	}
	w.multiply(w.v, w.x, w.y)
	w.interior()
	return true
}

// interior sets s and z from the point of the weighted problem.
func (w *work) interior() {
	sd := &w.side
	if w.count() == 0 {
		return
	}
	minS, minZ := 0.0, 0.0
	for k, i := range sd.src {
		sd.s[k] = sd.h[k] - sd.sgn[k]*w.v[i]
		sd.z[k] = sd.dz[k]
		minS, minZ = min(minS, sd.s[k]), min(minZ, sd.z[k])
	}
	if w.cone != nil {
		minS, minZ = w.rawCones(minS, minZ)
	}
	addS, addZ := -1.5*minS, -1.5*minZ
	prod, sumS, sumZ := 0.0, 0.0, 0.0
	for k, s := range sd.s {
		prod += (s + addS) * (sd.z[k] + addZ)
		sumS += s + addS
		sumZ += sd.z[k] + addZ
	}
	if w.cone != nil {
		p, s, z := w.coneSums(addS, addZ)
		prod, sumS, sumZ = prod+p, sumS+s, sumZ+z
	}
	if prod > 0 && sumS > 0 && sumZ > 0 {
		addS += prod / (2 * sumZ)
		addZ += prod / (2 * sumS)
	}
	for k := range sd.s {
		sd.s[k] = max(sd.s[k]+addS, leastStart)
		sd.z[k] = max(sd.z[k]+addZ, leastStart) * min(1, distant/sd.s[k])
	}
	if w.cone != nil {
		w.pushCones(addS, addZ)
	}
}

// distant is the size, bounds being typically 1, from which a side attracts
// the first point no more, and its multiplier starts the smaller the farther
// it is: one huge bound would rule μ.
const distant = 1e3

// leastStart keeps the first s and z from zero where no side is violated.
const leastStart = 1e-2
