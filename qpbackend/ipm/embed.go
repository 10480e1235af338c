package ipm

import "context"

// embedding is the homogeneous form that problems with cones are solved in. The
// point is (x, y, s, z)/τ, and κ is the complement of τ:
//
//	θPx + qτ + Aᵀy + (multipliers of bounds) = 0
//	sgn·v + s = hτ and so on for all rows
//	xᵀPx/τ + qᵀx + S(y) + κ = 0
//
// with S the support function of the rows. Where the problem has a solution τ
// tends to a positive number. Where it has none τ tends to zero, and x or y to a
// proof of that, in as many iterations as a solution would take.
//
// A direction is d + dτ·c, where c is the direction that belongs to the
// constants of the three equations and d is that of the residuals.
type embedding struct {
	τ, κ   float64
	dτ, dκ float64
	rτ     float64 // residual of the third equation
	rκ     float64 // right-hand side of κ·dτ + τ·dκ
	c      direction
	rhs    direction // right-hand sides of c
	shift  []float64 // fixed variables, scaled: what they are is not in x
	px     []float64
	denom  float64 // of dτ
}

// direction holds the slices of work that embedding exchanges: those of a
// direction, or in place of dx and so on the right-hand sides.
type direction struct {
	x, y, v      []float64
	s, z         []float64 // of sides
	coneS, coneZ []float64
}

func newEmbedding(n, m, rows int) *embedding {
	vec := func(k int) []float64 { return make([]float64, k) }
	return &embedding{
		τ: 1, κ: 1,
		c:     direction{x: vec(n), y: vec(n + m), v: vec(n + m), coneS: vec(rows), coneZ: vec(rows)},
		rhs:   direction{x: vec(n), v: vec(m), coneS: vec(rows), coneZ: vec(rows)},
		shift: vec(n), px: vec(n),
	}
}

// embed makes w a run over the embedding. It has two directions at a time, so
// neither may lie in the solution of the KKT system.
func (w *work) embed(h *embedding) {
	w.hom = h
	w.dx, w.dy = make([]float64, w.n), make([]float64, w.n+w.m)
}

// shiftFixed takes the fixed variables out of the problem just loaded: their
// values go into q and the bounds of rows.
func (w *work) shiftFixed() {
	h := w.hom
	shifted := false
	for j := range w.n {
		h.shift[j] = 0
		if w.kind[j] == fixed {
			h.shift[j] = w.lo[j]
			w.lo[j], w.up[j] = 0, 0
			shifted = shifted || h.shift[j] != 0
		}
	}
	if shifted {
		w.p.AddSymMulVec(w.q, 1, h.shift)
		clear(w.bs)
		w.at.AddMulVecT(w.bs[w.n:], 1, h.shift)
		for i := w.n; i < len(w.lo); i++ {
			w.lo[i] -= w.bs[i]
			w.up[i] -= w.bs[i]
		}
		sd := &w.side
		for k, i := range sd.src {
			sd.h[k] -= sd.sgn[k] * w.bs[i]
		}
	}
}

// loadEmbedding notes the constants of the problem just loaded.
func (w *work) loadEmbedding() {
	w.shiftFixed()
	h := w.hom
	for j, q := range w.q {
		h.rhs.x[j] = -q
	}
	for i := range w.m {
		h.rhs.v[i] = 0
		if w.kind[w.n+i] == fixed {
			h.rhs.v[i] = w.lo[w.n+i]
		}
	}
	for k := range w.cone.of {
		mb := &w.cone.of[k]
		lo, rp := mb.rowsOf(w, w.lo), mb.part(h.rhs.coneS)
		for i, l := range lo {
			rp[i] = -l
		}
	}
	sides := len(w.side.s)
	for _, v := range [...]*[]float64{&h.c.s, &h.c.z, &h.rhs.s, &h.rhs.z} {
		if cap(*v) < sides {
			*v = make([]float64, sides)
		}
		*v = (*v)[:sides]
	}
	copy(h.rhs.s, w.side.h)
	clear(h.rhs.z)
}

// moderate takes the point of the weighted problem back to one of moderate size:
// where the problem has no solution it may be anywhere.
func (w *work) moderate() {
	size := max(normInf(w.x), normInf(w.y[w.n:]), normInf(w.side.dz), normInf(w.cone.dz))
	if !(size > largestStart) {
		return
	}
	f := largestStart / size
	for _, v := range [...][]float64{w.x, w.y, w.side.dz, w.cone.dz} {
		for i := range v {
			v[i] *= f
		}
	}
}

// largestStart is the size of the first point, bounds being typically 1.
const largestStart = 1e2

// support is S at y on the rows, and multipliers z of sides and cones.
func (w *work) support(y, z, coneZ []float64) float64 {
	h, sum := w.hom, dot(w.side.h, z)
	for i, b := range h.rhs.v {
		sum += b * y[w.n+i]
	}
	return sum + dot(h.rhs.coneS, coneZ)
}

// homogeneousResidual sets what belongs to the third equation, and adds τκ to μ.
func (w *work) homogeneousResidual() {
	h := w.hom
	clear(h.px)
	w.p.AddSymMulVec(h.px, w.θ, w.x)
	h.rτ = -(h.κ + dot(w.x, h.px)/h.τ + dot(w.q, w.x) + w.support(w.y, w.side.z, w.cone.z))
	count := w.count()
	w.μ = (w.μ*(count-1) + h.τ*h.κ) / count
}

// exchange swaps the direction with c and the right-hand sides with the
// constants.
func (w *work) exchange() {
	h, sd, c := w.hom, &w.side, w.cone
	w.dx, h.c.x = h.c.x, w.dx
	w.dy, h.c.y = h.c.y, w.dy
	w.dv, h.c.v = h.c.v, w.dv
	sd.ds, h.c.s = h.c.s, sd.ds
	sd.dz, h.c.z = h.c.z, sd.dz
	c.ds, h.c.coneS = h.c.coneS, c.ds
	c.dz, h.c.coneZ = h.c.coneZ, c.dz
	w.rd, h.rhs.x = h.rhs.x, w.rd
	w.re, h.rhs.v = h.rhs.v, w.re
	sd.rp, h.rhs.s = h.rhs.s, sd.rp
	sd.rc, h.rhs.z = h.rhs.z, sd.rc
	c.rp, h.rhs.coneS = h.rhs.coneS, c.rp
	c.rc, h.rhs.coneZ = h.rhs.coneZ, c.rc
}

// constants computes c, after a factorisation.
func (w *work) constants(ctx context.Context) {
	h := w.hom
	if h == nil {
		return
	}
	w.exchange()
	w.direction(ctx)
	w.exchange()
	// The denominator is −κ/τ less two squared norms, of dx − x/τ in P and of the
	// multipliers in the scaling.
	quad, apart := w.quadratic(h.c.x, nil), w.quadratic(h.c.x, w.x)
	h.denom = quad + dot(w.q, h.c.x) + w.support(h.c.y, h.c.z, h.c.coneZ) - apart - h.κ/h.τ
}

// quadratic is (c − x/τ)ᵀP(c − x/τ), x nil for zero.
func (w *work) quadratic(c, x []float64) float64 {
	d, pd := w.sol[:w.n], w.rhs[:w.n]
	copy(d, c)
	for j := range x {
		d[j] -= x[j] / w.hom.τ
	}
	clear(pd)
	w.p.AddSymMulVec(pd, w.θ, d)
	return dot(d, pd)
}

// combine completes the direction of the residuals by dτ and dκ.
func (w *work) combine() {
	h, sd, c := w.hom, &w.side, w.cone
	num := h.rτ - h.rκ/h.τ - 2*dot(h.px, w.dx)/h.τ - dot(w.q, w.dx) - w.support(w.dy, sd.dz, c.dz)
	h.dτ = num / h.denom
	h.dκ = (h.rκ - h.κ*h.dτ) / h.τ
	for _, p := range [...][2][]float64{
		{w.dx, h.c.x}, {w.dy[w.n:], h.c.y[w.n:]}, {w.dv, h.c.v},
		{sd.ds, h.c.s}, {sd.dz, h.c.z}, {c.ds, h.c.coneS}, {c.dz, h.c.coneZ},
	} {
		axpy(p[0], h.dτ, p[1])
	}
}

// temper leaves of the residuals what a corrector with centring σ takes away: in
// the embedding they fall as fast as μ.
func (w *work) temper(σ float64) {
	h := w.hom
	if h == nil {
		return
	}
	rest := 1 - σ
	for _, v := range [...][]float64{w.rd, w.re, w.side.rp, w.cone.rp} {
		for i := range v {
			v[i] *= rest
		}
	}
	h.rτ *= rest
}

// jammed reports whether the step is so short that the terms of second and third
// order, good for a whole step, may be to blame: those of cones that are not
// symmetric at times are.
func (w *work) jammed() bool { return w.cone != nil && w.cone.asym && w.αp < shortStep }

// forget makes the next corrector one without these terms.
func (w *work) forget() {
	clear(w.side.ds)
	clear(w.side.dz)
	clear(w.cone.ds)
	clear(w.cone.dz)
	w.hom.dτ, w.hom.dκ = 0, 0
}

// shortStep is the step below which the corrector is tried again.
const shortStep = 0.3

// homogeneousSteps shortens the step to what τ and κ allow.
func (w *work) homogeneousSteps(share float64) {
	h := w.hom
	if h.dτ < 0 {
		w.αp = min(w.αp, share*h.τ/-h.dτ)
	}
	if h.dκ < 0 {
		w.αp = min(w.αp, share*h.κ/-h.dκ)
	}
}

// advance moves τ and κ.
func (h *embedding) advance(α float64) {
	h.τ += α * h.dτ
	h.κ += α * h.dκ
}

// τ is 1 without the embedding.
func (w *work) τ() float64 {
	if w.hom == nil {
		return 1
	}
	return w.hom.τ
}

// complete turns the direction of the residuals into that of the embedding, if
// there is one.
func (w *work) complete() {
	if w.hom != nil {
		w.combine()
	}
}
