package interior

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// embedding is the homogeneous form of a problem. The point is (x, y, s, z)/τ, and
// κ is the complement of τ:
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
// constants of the three equations and d belongs to the residuals.
type embedding struct {
	tau, κ float64
	dτ, dκ float64
	rτ     float64 // residual of the third equation
	rκ     float64 // right-hand side of κ·dτ + τ·dκ
	c      direction
	rhs    direction // right-hand sides of c
	shift  []float64 // fixed variables, scaled; x does not hold their values
	px     []float64
	diff   []float64 // of quadratic
	denom  float64   // of dτ, 0 before the first
	tol    float64   // of the solver
}

// direction is one of work, or in place of dx and so on its right-hand sides.
type direction struct {
	sol, x, v []float64 // x and the multipliers, or x
	part      [2]struct{ s, z []float64 }
}

// newEmbedding is for n variables, m rows and a KKT system of the given size.
func newEmbedding(n, m, size int, tol float64) *embedding {
	vec := func(k int) []float64 { return make([]float64, k) }
	return &embedding{
		tau: 1, κ: 1, tol: tol,
		c:     direction{sol: vec(size), v: vec(n + m)},
		rhs:   direction{x: vec(n), v: vec(m)},
		shift: vec(n), px: vec(n), diff: vec(n),
	}
}

// Source: docs/lab/bench.md, Constants of ipm.
const (
	homoStepBack = 0.985 // nearer to the boundary the parts are less central
	largestStart = 1e2   // size of the first point, bounds being typically 1
	endgame      = 0.2   // share of the tolerance that a KKT solve has to reach

	// c has a part of dτ in a direction, and its system need not be more accurate than that: by the
	// denominator of the iteration before, with a margin, but for a least share: where there are
	// cones that are not symmetric. Source: 1550 random programs with cones of every kind take
	// 17,800 iterations and 4.6 solves in each with a share of 1, 17,796 and 4.3 with 1e-2, 17,804
	// and 4.2 with 1e-3, 17,818 and 4.1 with 1e-4; a margin of 1 or 10 in place of 3 changes
	// neither by more than a hundredth. With second-order cones alone nql60 and db_shear_wall of
	// CBLIB take 23 and 104 iterations for 21 and 72.
	shareMargin = 3
	leastShare  = 1e-3

	// A warm start takes half the iterations of a cold start where coefficients
	// change by 1e-4, and nine tenths at 10 %.
	// Source: measured on sequences of conic programs, see above.
	homoWarmShare = 0.3
	homoWarmLimit = 100.0
)

func (h *embedding) τ() float64                     { return h.tau }
func (h *embedding) degree() float64                { return 1 }
func (h *embedding) begin(*Work)                    { h.tau, h.κ, h.denom = 1, 1, 0 }
func (h *embedding) warmth() (share, limit float64) { return homoWarmShare, homoWarmLimit }
func (h *embedding) back(float64) float64           { return homoStepBack }
func (h *embedding) distance() float64              { return homoDistance }

// goal: blocks with entries of size 1/μ hold residuals up at the end.
func (h *embedding) goal(*Work) float64 { return endgame * h.tol * h.tau }

func (h *embedding) unshift(x []float64) {
	for j, v := range h.shift {
		x[j] += v
	}
}

// takeOutFixed takes the fixed variables out of the problem just loaded: their
// values go into q and the bounds of rows.
func (h *embedding) takeOutFixed(w *Work) {
	shifted := false
	for j := range w.n {
		h.shift[j] = 0
		if w.prog.kind[j] == fixed {
			h.shift[j] = w.prog.lo[j]
			w.prog.lo[j], w.prog.up[j] = 0, 0
			shifted = shifted || h.shift[j] != 0
		}
	}
	if !shifted {
		return
	}
	w.prog.p.AddSymMulVec(w.prog.q, w.prog.θ, h.shift)
	room := w.lin.wsum
	clear(room)
	w.prog.at.AddMulVecT(room[w.n:], 1, h.shift)
	for i := w.n; i < len(w.prog.lo); i++ {
		w.prog.lo[i] -= room[i]
		w.prog.up[i] -= room[i]
	}
	sd := &w.side
	for k, i := range sd.src {
		sd.h[k] -= sd.sgn[k] * room[i]
	}
}

// load notes the constants of the problem just loaded.
func (h *embedding) load(w *Work) {
	h.takeOutFixed(w)
	for j, q := range w.prog.q {
		h.rhs.x[j] = -q
	}
	for i := range w.m {
		h.rhs.v[i] = 0
		if w.prog.kind[w.n+i] == fixed {
			h.rhs.v[i] = w.prog.lo[w.n+i]
		}
	}
	for t, c := range w.parts() {
		for _, v := range [...]*[]float64{&h.c.part[t].s, &h.c.part[t].z, &h.rhs.part[t].s, &h.rhs.part[t].z} {
			length := len(c.data().s)
			*v = slices.Grow((*v)[:0], length)[:length]
		}
		clear(h.rhs.part[t].z)
	}
	copy(h.rhs.part[0].s, w.side.h)
	for _, mb := range w.cone.of {
		lo, rp := mb.rowsOf(w, w.prog.lo), mb.part(h.rhs.part[1].s)
		for i, l := range lo {
			rp[i] = -l
		}
	}
}

// moderate takes the point of the weighted problem back to one of moderate size:
// where the problem has no solution it may be anywhere.
func (h *embedding) moderate(w *Work) {
	vectors := [...][]float64{w.x, w.y, w.side.dz, w.cone.dz}
	size := max(num.NormInf(w.x), num.NormInf(w.y[w.n:]), num.NormInf(w.side.dz), num.NormInf(w.cone.dz))
	if !(size > largestStart) {
		return
	}
	for _, v := range vectors {
		for i := range v {
			v[i] *= largestStart / size
		}
	}
}

// warmed gives κ the complementarity of the other products.
func (h *embedding) warmed(w *Work) {
	h.tau, h.κ, h.denom = 1, 0, 0
	if d := w.degree() - 1; d > 0 {
		h.κ = (num.Dot(w.side.s, w.side.z) + num.Dot(w.cone.s, w.cone.z)) / d
	}
	if !(h.κ > 0) {
		h.κ = 1
	}
}

// support is S at the multipliers y of rows, and z of the parts.
func (h *embedding) support(w *Work, y []float64, z [2][]float64) float64 {
	sum := 0.0
	for t := range z {
		sum += num.Dot(h.rhs.part[t].s, z[t])
	}
	for i, b := range h.rhs.v {
		sum += b * y[w.n+i]
	}
	return sum
}

// residual sets the terms of the third equation.
func (h *embedding) residual(w *Work) {
	if w.prog.p.NNZ() > 0 {
		clear(h.px)
		w.prog.p.AddSymMulVec(h.px, w.prog.θ, w.x)
	}
	support := h.support(w, w.y, [2][]float64{w.side.z, w.cone.z})
	h.rτ = -(h.κ + num.Dot(w.x, h.px)/h.tau + num.Dot(w.prog.q, w.x) + support)
	w.res.μ = (w.res.μ + h.tau*h.κ) / w.degree()
}

func (h *embedding) affine()           { h.rκ = -h.κ * h.tau }
func (h *embedding) centre(σμ float64) { h.rκ = σμ - h.κ*h.tau - h.dτ*h.dκ }

// exchange swaps the direction with c and the right-hand sides with the
// constants.
func (h *embedding) exchange(w *Work) {
	w.lin.sol, h.c.sol = h.c.sol, w.lin.sol
	w.dx, w.dy = w.lin.sol[:w.n], w.lin.sol[:w.n+w.m]
	w.dv, h.c.v = h.c.v, w.dv
	w.res.rd, h.rhs.x = h.rhs.x, w.res.rd
	w.res.re, h.rhs.v = h.rhs.v, w.res.re
	for t, c := range w.parts() {
		d, dir, rhs := c.data(), &h.c.part[t], &h.rhs.part[t]
		d.ds, dir.s = dir.s, d.ds
		d.dz, dir.z = dir.z, d.dz
		d.rp, rhs.s = rhs.s, d.rp
		d.rc, rhs.z = rhs.z, d.rc
	}
}

// prepare computes c. The denominator of dτ is −κ/τ less two squared norms, of
// dx − x/τ in P and of the multipliers in the scaling.
func (h *embedding) prepare(ctx context.Context, w *Work) {
	goal := w.lin.goal
	if h.denom < 0 && w.cone.asym {
		share := max(leastShare, min(shareMargin*math.Abs(h.top(w)/h.denom), 1))
		goal.X, goal.Y = goal.X/share, goal.Y/share
	}
	h.exchange(w)
	w.directionWithin(ctx, goal)
	h.exchange(w)
	x, y := h.c.sol[:w.n], h.c.sol[:w.n+w.m]
	quad, apart := h.quadratic(w, x, nil), h.quadratic(w, x, w.x)
	z := [2][]float64{h.c.part[0].z, h.c.part[1].z}
	h.denom = quad + num.Dot(w.prog.q, x) + h.support(w, y, z) - apart - h.κ/h.tau
}

// quadratic is (c − x/τ)ᵀP(c − x/τ), x nil for zero.
func (h *embedding) quadratic(w *Work, c, x []float64) float64 {
	if w.prog.p.NNZ() == 0 {
		return 0
	}
	d, pd := h.diff, w.lin.rhs[:w.n]
	copy(d, c)
	for j := range x {
		d[j] -= x[j] / h.tau
	}
	clear(pd)
	w.prog.p.AddSymMulVec(pd, w.prog.θ, d)
	return num.Dot(d, pd)
}

// top is the numerator of dτ, from the direction of the residuals.
func (h *embedding) top(w *Work) float64 {
	z := [2][]float64{w.side.dz, w.cone.dz}
	return h.rτ - h.rκ/h.tau - 2*num.Dot(h.px, w.dx)/h.tau - num.Dot(w.prog.q, w.dx) - h.support(w, w.dy, z)
}

// complete adds dτ·c, and sets dτ and dκ.
func (h *embedding) complete(w *Work) {
	h.dτ = h.top(w) / h.denom
	h.dκ = (h.rκ - h.κ*h.dτ) / h.tau
	w.side.move(w.dy, h.dτ, h.c.sol[:w.n+w.m]) // dx too
	w.side.move(w.dv, h.dτ, h.c.v)
	for t, c := range w.parts() {
		w.side.move(c.data().ds, h.dτ, h.c.part[t].s)
		w.side.move(c.data().dz, h.dτ, h.c.part[t].z)
	}
}

// lowerResiduals: here the residuals fall as fast as μ.
func (h *embedding) lowerResiduals(w *Work, σ float64) {
	rest := 1 - σ
	for _, v := range [...][]float64{w.res.rd, w.res.re, w.side.rp, w.cone.rp} {
		for i := range v {
			v[i] *= rest
		}
	}
	h.rτ *= rest
}

func (h *embedding) forget() { h.dτ, h.dκ = 0, 0 }

// steps shortens the step to the length that τ and κ allow, and takes one length.
func (h *embedding) steps(w *Work, share float64) {
	w.αp = min(w.αp, w.αd)
	if h.dτ < 0 {
		w.αp = min(w.αp, share*h.tau/-h.dτ)
	}
	if h.dκ < 0 {
		w.αp = min(w.αp, share*h.κ/-h.dκ)
	}
	w.αd = w.αp
}

func (h *embedding) after(α float64) float64 { return (h.tau + α*h.dτ) * (h.κ + α*h.dκ) }

func (h *embedding) advance(α float64) {
	h.tau += α * h.dτ
	h.κ += α * h.dκ
}

func (h *embedding) ray(w *Work) (d, ad []float64) { return w.x, w.v[w.n:] }
