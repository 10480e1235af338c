package implicit

import (
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
)

// Steps of the differences, relative to the point, and how far two of them may be apart for
// the gradient to count as smooth. Source: derived: the fourth-order formula has errors of step⁴
// and 1e-16/step, least near 1e-3; a kink makes them grow tenfold from step to step.
const (
	widest    = 1e-1
	narrowest = 1e-6
	smooth    = 1e-5
	none      = 1e-10 // of the point counts as none: that is its own accuracy
	level     = 1e-3  // of a curvature that counts as none, in gradients per step: a kink has 1/step of them
)

// ErrKink is the error at a point where a gradient jumps.
var ErrKink = errors.New("implicit: the gradient jumps at the point")

// AddProduct adds the product of the Hessian of h at z and v, times the weight, to out. Of
// functions that may have kinks it is a central difference of gradients, of fourth order, with the
// step at which two of them are nearest to each other. The error is ErrKink where no step is good.
func AddProduct(out []float64, weight float64, h dc.Convex, z, v []float64) error {
	idx := h.Support()
	if product, ok := dc.HessianOf(h); ok {
		exact := make([]float64, len(z))
		if product(exact, weight, z, v); num.FirstNotFinite(exact) < 0 {
			num.Axpy(out, 1, exact)
			return nil
		}
	}
	// A unit step moves some entry by its size, and none by more.
	size, fastest := 0.0, 0.0
	for _, j := range idx {
		size = max(size, math.Abs(z[j]))
	}
	if all := num.NormInf(z); size <= none*all { // 0, but for the rounding errors of the point
		if size = all; all == 0 {
			size = 1
		}
	}
	for _, j := range idx {
		fastest = max(fastest, math.Abs(v[j])/max(math.Abs(z[j]), 1e-3*size))
	}
	if fastest == 0 {
		return nil
	}
	at, grad := slices.Clone(z), make([]float64, len(z))
	gradient := func(dst []float64, step, scale float64) {
		for _, j := range idx {
			at[j], grad[j] = z[j]+step*v[j], 0
		}
		h.AddSubgrad(grad, scale, at)
		for k, j := range idx {
			dst[k] += grad[j]
		}
	}
	steepness := make([]float64, len(idx))
	gradient(steepness, 0, 1)
	var best, last []float64
	apart := math.Inf(1)
	for step := widest; step >= narrowest; step /= 10 {
		ε := step / fastest
		now := make([]float64, len(idx))
		gradient(now, ε, 8/(12*ε))
		gradient(now, -ε, -8/(12*ε))
		gradient(now, 2*ε, -1/(12*ε))
		gradient(now, -2*ε, 1/(12*ε))
		if num.FirstNotFinite(now) < 0 {
			if last != nil {
				diff, top := 0.0, 0.0
				for k, e := range now {
					diff, top = max(diff, math.Abs(e-last[k])), max(top, math.Abs(e))
				}
				top = max(top, level*num.NormInf(steepness)*fastest)
				if rel := diff / top; diff == 0 || rel < apart {
					best, apart = now, rel
					if diff == 0 {
						apart = 0
					}
				}
			}
			last = now
		}
		if apart <= 1e-10 {
			break
		}
	}
	if !(apart <= smooth) {
		return ErrKink
	}
	for k, j := range idx {
		out[j] += weight * best[k]
	}
	return nil
}
