package accel

import "math"

// LineSearch goes on along a convex step as long as the merit falls: boosted DCA
// (Aragón Artacho, Fleming and Vuong 2018), with the trial length carried over
// (Aragón Artacho and Vuong 2020). Where g is not smooth the direction may point
// uphill; the step is then kept as it is. Ferreira, Santos and Souza 2024 accept a
// rise there, which did not pay. The zero value is ready for use.
type LineSearch struct {
	λ       float64 // the trial length, in multiples of d
	d, y, t []float64
}

// Source: Aragón Artacho and Vuong 2020, Algorithm 2 with α = sufficient and halved
// trials. The trial length doubles as long as that pays, one value each: where g and h are
// steep and cancel, a step is a small part of the way. Of 300 problems in boxes of ±60 and ±2000
// each (internal/judge), 296 and 292 converge with longestTry 64, 298 and 295 with 1e6.
const (
	sufficient  = 1e-4 // decrease asked for, times λ²‖d‖²/(1 + ‖d‖²)
	firstTrial  = 1.0
	trials      = 3    // halvings of the trial length
	longestTry  = 1e6  // trial length that is not doubled
	shortestTry = 1e-2 // trial lengths below this are not worth a value
	leastStep   = 1e-8 // relative length of a step that is not extended
)

// Reset forgets the trial length.
func (b *LineSearch) Reset() { b.λ = 0 }

// Extend moves s.X on along s.X − s.From, within the bounds. It reports whether s.X has
// moved.
func (b *LineSearch) Extend(s *Step) bool {
	x := s.X
	b.d, b.y, b.t = append(b.d[:0], x...), append(b.y[:0], x...), append(b.t[:0], x...)
	length := 0.0
	for j := range b.d {
		b.d[j] = x[j] - s.From[j]
		length = max(length, math.Abs(b.d[j])/s.Size(j))
	}
	if !(length > leastStep) {
		return false
	}
	if b.λ < shortestTry {
		b.λ = firstTrial
	}
	φ0, open0 := s.Merit(b.y)
	asked := sufficient * length * length / (1 + length*length) * max(s.Span, 1e-3*math.Abs(φ0))
	try := func(λ float64) (float64, bool) {
		for j, v := range b.y {
			b.t[j] = min(max(v+λ*b.d[j], s.Lo[j]), s.Hi[j])
		}
		φ, open := s.Merit(b.t)
		// beyond all numbers there is no tangent
		return φ, φ <= φ0-λ*λ*asked && open <= open0+s.Slip && !math.IsInf(φ, -1)
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
	copy(x, b.t)
	for further := λ == b.λ; further; { // the first trial: further may be better
		φ, ok = try(2 * λ)
		if further = ok && φ < best && λ < longestTry; further {
			λ, best = 2*λ, φ
			copy(x, b.t)
		}
	}
	b.λ = λ
	return true
}
