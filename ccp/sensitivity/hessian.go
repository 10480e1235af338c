package sensitivity

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/num"
)

// curve is an h, the name of the expression that it is part of, and the sum of its multipliers.
type curve struct {
	h      convex.Func
	name   string
	weight float64
}

// curvature is H·v.
func (d *Derivative) curvature(_ context.Context, v []float64) ([]float64, error) {
	out := make([]float64, len(d.z))
	for k := range d.curves {
		c := &d.curves[k]
		if product, ok := convex.HessianOf(c.h); ok {
			exact := make([]float64, len(d.z))
			if product(exact, c.weight, d.z, v); num.FirstNotFinite(exact) < 0 {
				num.Axpy(out, 1, exact)
				continue
			}
		}
		if !addDifference(out, c.weight, c.h, d.z, v) {
			return nil, &KinkError{Expression: c.name}
		}
	}
	return out, nil
}

// Steps of the differences, relative to the point, and how far two of them may be apart for
// the gradient to count as smooth. Source: derived: the fourth-order formula has errors of step⁴
// and 1e-16/step, least near 1e-3; a kink makes them grow tenfold from step to step.
const (
	widest    = 1e-1
	narrowest = 1e-6
	equal     = 1e-10
	smooth    = 1e-5
	none      = 1e-10 // of the point counts as none: that is its own accuracy
	level     = 1e-3  // of a curvature that counts as none, in gradients per step: a kink has 1/step of them
)

// addDifference adds the product of the Hessian of h at z and v, times the weight, to out, as a
// central difference of gradients, with the step at which two of them are nearest to each other. It
// is false where no step is good: a gradient jumps at z.
func addDifference(out []float64, weight float64, h convex.Func, z, v []float64) bool {
	idx := h.Support()
	size, fastest := 0.0, 0.0
	for _, j := range idx {
		size = max(size, math.Abs(z[j]))
	}
	if all := num.NormInf(z); size <= none*all { // 0, but for the rounding errors of the point
		if size = all; all == 0 {
			size = 1
		}
	}
	for _, j := range idx { // a unit step moves some entry by its size, and none by more
		fastest = max(fastest, math.Abs(v[j])/max(math.Abs(z[j]), 1e-3*size))
	}
	if fastest == 0 {
		return true
	}
	at, grad := slices.Clone(z), make([]float64, len(z))
	difference := func(dst []float64, steps ...float64) []float64 { // of steps and weights, in turn
		for ; len(steps) > 0; steps = steps[2:] {
			for _, j := range idx {
				at[j], grad[j] = z[j]+steps[0]*v[j], 0
			}
			h.AddSubgrad(grad, steps[1], at)
			for k, j := range idx {
				dst[k] += grad[j]
			}
		}
		return dst
	}
	flat := level * fastest * num.NormInf(difference(make([]float64, len(idx)), 0, 1))
	var best, last []float64
	apart := math.Inf(1)
	for step := widest; step >= narrowest && !(apart <= equal); step /= 10 {
		ε := step / fastest
		w := 1 / (12 * ε)
		now := difference(make([]float64, len(idx)), ε, 8*w, -ε, -8*w, 2*ε, -w, -2*ε, w)
		if num.FirstNotFinite(now) >= 0 {
			continue
		}
		if last != nil {
			if diff := num.DistInf(now, last); diff == 0 {
				best, apart = now, 0
			} else if rel := diff / max(flat, num.NormInf(now)); rel < apart {
				best, apart = now, rel
			}
		}
		last = now
	}
	if !(apart <= smooth) {
		return false
	}
	for k, j := range idx {
		out[j] += weight * best[k]
	}
	return true
}
