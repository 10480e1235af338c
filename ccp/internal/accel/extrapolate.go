package accel

import "math"

// Extrapolation takes the tangents ahead of the point where steps follow each other
// in one direction, as along a curved constraint: z = x + β(x − x₋), with β growing
// as Nesterov has it and back to 0 when the merit rises (Phan, Le and Le Thi 2018;
// de Oliveira and Tcheou 2019). A tangent may be taken anywhere, so a convex problem
// still majorises; only the descent in every single step is lost. The zero value is
// ready for use.
type Extrapolation struct {
	d     []float64 // the step before
	count int       // steps in one direction
	τ, φ  float64   // of the iteration before
}

// Source: ablation table of docs/ccp.md; the rule of β is that of Phan, Le and Le
// Thi 2018 with the count of aligned steps in the place of the iteration.
const (
	aligned = 0.8  // cosine between steps in one direction
	fading  = 0.3  // a step shorter than this share of the one before is near its end
	uneven  = 1e-5 // rise of the merit, relative, that is the noise of a solver
	warming = 2    // steps in one direction before the first extrapolation
)

// Reset ends the current direction.
func (n *Extrapolation) Reset() { n.count = 0 }

// Move does nothing.
func (n *Extrapolation) Move(*Step) {}

// Ahead sets s.Z to the point ahead of s.X, within the bounds, unless the step was moved
// on already; where that leaves the domains, to s.X.
func (n *Extrapolation) Ahead(s *Step) bool {
	if s.Moved || !n.ahead(s.Z, s.X, s.Before, s.Units, s.Tau, s.Objective+s.Priced, max(s.Span, s.Priced), s.K <= After) {
		return false
	}
	for j, v := range s.Z {
		s.Z[j] = min(max(v, s.Lo[j]), s.Hi[j])
	}
	if !s.Inside(s.Z) {
		copy(s.Z, s.X)
	}
	return true
}

// ahead writes to z the point ahead of x, which came from before, and reports
// whether there is one. units are those of the variables, φ the merit at x with
// penalty weight τ, span the size of the merit. Where early, it only watches.
func (n *Extrapolation) ahead(z, x, before, units []float64, τ, φ, span float64, early bool) bool {
	first := len(n.d) != len(x)
	n.d = grown(n.d, x)
	var dot, now, then float64
	for j, v := range x {
		d, w := v-before[j], 1/units[j]
		w *= w
		dot, now, then = dot+w*d*n.d[j], now+w*d*d, then+w*n.d[j]*n.d[j]
		n.d[j] = d
	}
	rises := τ == n.τ && φ > n.φ+uneven*span
	n.τ, n.φ = τ, φ
	if first || rises || !(then > 0) || !(dot >= aligned*math.Sqrt(now*then)) || !(now >= fading*fading*then) {
		n.count = 0
		return false
	}
	if n.count++; n.count <= warming || early {
		return false
	}
	β := float64(n.count-warming) / float64(n.count-warming+3)
	for j, v := range x {
		z[j] = v + β*n.d[j]
	}
	return true
}
