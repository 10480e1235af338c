package qpbackend

import (
	"context"
	"math"
)

// Violation is the largest amount by which x breaks a row, a cone or a bound, 0 where it
// breaks none, and where that is: a row, for a cone the one that is farthest from the
// nearest point of the cone, or a variable; the other is −1. NaN counts as the largest.
func Violation(p *Problem, x []float64) (worst float64, row, variable int) {
	return ViolationContext(context.Background(), p, x)
}

// ViolationContext is Violation within ctx: where that ends before the nearest point of a large
// semidefinite cone is known, the worst is NaN, at the first row of that cone.
func ViolationContext(ctx context.Context, p *Problem, x []float64) (worst float64, row, variable int) {
	row, variable = -1, -1
	ax := make([]float64, len(p.L))
	if p.A != nil {
		p.A.AddMulVec(ax, 1, x)
	}
	look := func(d float64, i, j int) {
		if d > worst || math.IsNaN(d) && !math.IsNaN(worst) {
			worst, row, variable = d, i, j
		}
	}
	var near []float64
	rows(p, func(i int) {
		look(max(p.L[i]-ax[i], ax[i]-p.U[i]), i, -1)
	}, func(c Cone) {
		s := ax[c.Start : c.Start+c.Len]
		for i, l := range p.L[c.Start : c.Start+c.Len] {
			s[i] -= l
		}
		near = append(near[:0], s...)
		if !nearest(ctx, c, near, s) {
			look(math.NaN(), c.Start, -1)
			return
		}
		for i, v := range s {
			look(math.Abs(v-near[i]), c.Start+i, -1)
		}
	})
	for j, v := range x {
		lo, hi := p.Bounds(j)
		look(max(lo-v, v-hi), -1, j)
	}
	return worst, row, variable
}
