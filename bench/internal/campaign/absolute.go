package campaign

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// absolute are the residuals of a point relative to nothing, as benchmarks of predictive control
// have them: the largest violation of a row or bound, the largest entry of Px + q + Aᵀy + z and of
// multipliers on the side of an absent bound, and the distance of the objectives. Of a problem
// with cones it is NaN.
func absolute(p *qpbackend.Problem, x, y, z []float64) qpbackend.Residuals {
	if len(p.Cones) > 0 {
		return qpbackend.Residuals{Primal: math.NaN(), Dual: math.NaN(), Gap: math.NaN()}
	}
	n, m := p.Dims()
	grad, px, ax := make([]float64, n), make([]float64, n), make([]float64, m)
	if p.P != nil {
		p.P.AddSymMulVec(px, 1, x)
	}
	if p.A != nil {
		p.A.AddMulBoth(ax, grad, x, y)
	}
	var res qpbackend.Residuals
	side := func(v, lo, up, multiplier float64) {
		res.Primal = max(res.Primal, lo-v, v-up)
		bound := lo
		if multiplier > 0 {
			bound = up
		}
		if math.Abs(bound) >= qpbackend.Infinity {
			res.Dual = max(res.Dual, math.Abs(multiplier))
		} else {
			res.Gap += multiplier * bound
		}
	}
	for i, v := range ax {
		side(v, p.L[i], p.U[i], y[i])
	}
	for j, v := range x {
		lo, up := p.Bounds(j)
		side(v, lo, up, z[j])
		res.Dual = max(res.Dual, math.Abs(px[j]+p.Q[j]+grad[j]+z[j]))
		res.Gap += v * (px[j] + p.Q[j])
	}
	res.Gap = math.Abs(res.Gap)
	return res
}
