package project

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// SecondOrder projects on v₀ ≥ ‖(v₁, …)‖₂.
func SecondOrder(dst, v []float64) {
	top := num.NormInf(v)
	if !num.Finite(top) {
		fill(dst, math.NaN())
		return
	}
	scale := 1.0 // by which the norm does not overflow
	if top > 1e300 {
		scale = 0x1p-30
	}
	t, r := scale*v[0], scaledNorm(v[1:], scale)
	switch {
	case r <= t:
		copy(dst, v)
	case r <= -t:
		fill(dst, 0)
	default: // (t + r)/2 · (1, tail/r)
		h := (t + r) / 2
		dst[0] = h / scale
		for i, e := range v[1:] {
			dst[1+i] = h * (e / r)
		}
	}
}
