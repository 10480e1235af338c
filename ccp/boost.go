package ccp

import (
	"math"
)

// A convex step ends at the solution y of the convex problem. The direction d
// that led there is one of descent at y too where g is smooth, and often where
// it is not: boost goes on along it as long as the merit falls. Boosted DC
// algorithm: Aragón Artacho, Fleming and Vuong 2018; the trial length is
// carried over as by Aragón Artacho and Vuong 2020.
// Where g is nonsmooth d may point uphill; the step y is then kept as it is.
// Ferreira, Santos and Souza 2024 accept a rise there, which did not pay.
type boost struct {
	λ       float64 // the trial length, in multiples of d
	d, y, t []float64
}

// plainly is the number of iterations before the procedure is sped up. Long steps
// early lead elsewhere, and as often to a worse point as to a better one; most
// runs are short. What is slow gains later.
const plainly = 8

const (
	sufficient  = 1e-4 // decrease asked for, times λ²‖d‖²/(1 + ‖d‖²)
	firstTrial  = 1.0
	trials      = 3    // halvings of the trial length
	longestTry  = 64   // trial length that is not doubled
	shortestTry = 1e-2 // trial lengths below this are not worth a value
)

// merit is φ = objective + τ·Σ(cᵢ)₊ over the DC constraints, +Inf where x breaks
// a convex one or leaves the domain of an h. open is Σ(cᵢ)₊ with each in the unit of
// its row.
func (r *run) merit(x []float64) (φ, open float64) {
	if !r.sub.Inside(x) || r.sub.BreaksHard(x, 1e-3*r.set.FeasTol) {
		return math.Inf(1), math.Inf(1)
	}
	sum, open := r.sub.Gaps(x)
	φ = r.p.Objective.Value(x) + r.τ*sum
	if math.IsNaN(φ) {
		φ = math.Inf(1)
	}
	return φ, open
}

// extend moves x, the solution of the convex problem with its tangents at from,
// on along x − from. It reports whether x has moved.
func (r *run) extend(from []float64) bool {
	b := &r.boost
	if !r.set.Boost || r.k <= plainly || r.sub.Convex() {
		return false
	}
	b.d, b.y, b.t = grown(b.d, r.x), append(b.y[:0], r.x...), grown(b.t, r.x)
	length := 0.0
	for j := range b.d {
		b.d[j] = r.x[j] - from[j]
		length = max(length, math.Abs(b.d[j])/max(r.sub.Units[j], r.sub.Sizes[j]))
	}
	if !(length > 1e-8) {
		return false
	}
	if b.λ < shortestTry {
		b.λ = firstTrial
	}
	φ0, open0 := r.merit(b.y)
	asked := sufficient * length * length / (1 + length*length) * max(r.span, 1e-3*math.Abs(φ0))
	try := func(λ float64) (float64, bool) {
		for j, v := range b.y {
			b.t[j] = min(max(v+λ*b.d[j], r.lo[j]), r.hi[j])
		}
		φ, open := r.merit(b.t)
		return φ, φ <= φ0-λ*λ*asked && open <= open0+1e-3*r.set.FeasTol
	}
	λ := b.λ
	φ, ok := try(λ)
	for range trials {
		if ok {
			break
		}
		λ /= 2
		φ, ok = try(λ)
	}
	if !ok {
		b.λ = max(λ, 2*shortestTry)
		return false
	}
	best := φ
	copy(r.x, b.t)
	for further := λ == b.λ; further; { // the first trial: further may be better
		φ, ok = try(2 * λ)
		if further = ok && φ < best && λ < longestTry; further {
			λ, best = 2*λ, φ
			copy(r.x, b.t)
		}
	}
	b.λ = λ
	return true
}

// grown is a slice as long as x, v itself if it has the length.
func grown(v, x []float64) []float64 {
	if len(v) == len(x) {
		return v
	}
	return make([]float64, len(x))
}
