package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// LogSumExp is log Σ exp uₖ.
var LogSumExp = rowOf(Reduce{
	Name: "lse", Means: "log of the sum of e^x", Single: Itself,
	Curvature: 1, Smooth: true, Entries: entries(Rising, false),
	// The largest number is subtracted first, so that nothing overflows.
	Value: func(dst []float64, u [][]float64, p []float64) {
		Max.Value(dst, u, p)
		for i, top := range dst {
			if math.IsInf(top, 0) {
				continue
			}
			s := 0.0
			for _, u := range u {
				s += math.Exp(u[i] - top)
			}
			dst[i] = top + math.Log(s)
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, v, _ []float64) {
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				to[i] += g * math.Exp(u[i]-v[i])
			}
		}
	},
	// With the shares pₖ = exp(uₖ − v) it is pₖ·(dₖ − pᵀd).
	Second: func(to [][]float64, adj []float64, u, d [][]float64, v, _ []float64) {
		for i, g := range adj {
			mean := 0.0
			for k := range u {
				mean += math.Exp(u[k][i]-v[i]) * d[k][i]
			}
			for k := range u {
				to[k][i] += g * math.Exp(u[k][i]-v[i]) * (d[k][i] - mean)
			}
		}
	},
	// The function changes by no more than the largest error of a number. The roundings are those
	// of the differences in the exponents, of at most as many of the sum as it has terms, and of
	// two operations at the end.
	Error: func(dst, _ []float64, u, e [][]float64, v, _ []float64) {
		for i := range dst {
			top, err := 0.0, 0.0
			for k, u := range u {
				top, err = max(top, math.Abs(u[i])), max(err, e[k][i])
			}
			dst[i] = err + unit*(4*top+2*math.Abs(v[i])+float64(len(u)+4))
		}
	},
	Over: func(u []Interval, p []float64) Interval {
		i := Max.Over(u, p)
		return interval.New(i.Lo, num.AddUp(i.Hi, num.Up(math.Log(float64(len(u))))))
	},
	Change: Max.Change,
	Slopes: ofMean,
	Mean:   true,
	Factored: func(c Factors, u []Lin, _ []float64) Lin {
		return c.Sum(Find("log"), 0, c.Sum(Find("exp"), 0, u...))
	},
	// t with Σ vₖ ≤ 1, vₖ ≥ exp(uₖ − t).
	Bound: func(c convex.Canon, u []Lin, _ []float64) convex.Form {
		t := convex.Column(c)
		v := make([]Lin, len(u))
		for k, l := range u {
			v[k] = convex.Column(c)
			c.Cone(exponentialCone(l.AddScaled(-1, t), fixed(1), v[k]))
		}
		c.Row(convex.SumLinear(v, nil), math.Inf(-1), 1)
		return convex.Form{Linear: t}
	},
})

// GeoMean is the geometric mean of numbers ≥ 0, and WeightedGeoMean the product of their powers to
// the parameters wₖ > 0, which have the sum 1.
var (
	GeoMean         = rowOf(geometricMean("geomean", false, geoMeanBound))
	WeightedGeoMean = rowOf(geometricMean("wgeomean", true, weightedBound))
)

// geometricMean is a row.
func geometricMean(name string, weighted bool, bound func(c convex.Canon, u []Lin, w []float64) convex.Form) Reduce {
	return Reduce{
		Name: name, Single: Itself, HasParameters: weighted, Curvature: -1, Smooth: true,
		Entries: entries(Rising, true), Bound: bound,
		Factored: func(c Factors, u []Lin, w []float64) Lin {
			mean := fixed(1)
			for k, l := range u {
				mean = c.Product(mean, c.Sum(Find("power"), share(w, k, len(u)), l))
			}
			return mean
		},
		Value: func(dst []float64, u [][]float64, w []float64) {
			for i := range dst {
				dst[i] = meanOf(u, i, w, 0)
			}
		},
		Slope: func(to [][]float64, adj []float64, u [][]float64, _, w []float64) {
			for i, g := range adj {
				mean := meanOf(u, i, w, Steepest)
				for k, to := range to {
					to[i] += g * mean * share(w, k, len(u)) / max(u[k][i], Steepest)
				}
			}
		},
		// mean·wₖ/uₖ times Σ w·d/u − dₖ/uₖ.
		Second: func(to [][]float64, adj []float64, u, d [][]float64, _, w []float64) {
			for i, g := range adj {
				mean, sum := meanOf(u, i, w, Steepest), 0.0
				for k := range u {
					sum += share(w, k, len(u)) * d[k][i] / max(u[k][i], Steepest)
				}
				for k, to := range to {
					at := max(u[k][i], Steepest)
					to[i] += g * mean * share(w, k, len(u)) / at * (sum - d[k][i]/at)
				}
			}
		},
		Error: func(dst, _ []float64, u, e [][]float64, v, w []float64) {
			for i := range dst {
				dst[i] = meanError(u, e, i, w, v[i])
			}
		},
		Over: func(u []Interval, _ []float64) Interval {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, i := range u {
				lo, hi = min(lo, max(i.Lo, 0)), max(hi, i.Hi)
			}
			return interval.New(lo, hi)
		},
	}
}

// share is the power of number k of n.
func share(w []float64, k, n int) float64 {
	if w == nil {
		return 1 / float64(n)
	}
	return w[k]
}

// meanOf is the mean of member i where no number is below least; −Inf outside of the domain.
func meanOf(u [][]float64, i int, w []float64, least float64) float64 {
	sum := 0.0
	for k := range u {
		v, ok := onDomain(u[k][i])
		if !ok {
			return math.Inf(-1)
		}
		log := math.Log(max(v, least))
		if w != nil {
			log *= w[k]
		}
		sum += log
	}
	if w == nil {
		sum /= float64(len(u))
	}
	return math.Exp(sum)
}

// meanError: the relative errors of the numbers count with their shares, and each logarithm with
// its roundings. Where a number may be 0, the mean of the upper ends is a bound.
func meanError(u, e [][]float64, i int, w []float64, v float64) float64 {
	relative, logs, n := 0.0, 0.0, float64(len(u))
	for k := range u {
		t, d := u[k][i], e[k][i]
		if !(t > d) {
			sum := 0.0
			for k := range u {
				sum += share(w, k, len(u)) * math.Log(max(u[k][i]+spread(u[k][i], e[k][i]), 0))
			}
			return math.Exp(sum)
		}
		relative += share(w, k, len(u)) * d / (t - d)
		logs += share(w, k, len(u)) * math.Abs(math.Log(t))
	}
	return math.Abs(v) * (relative + unit*((n+4)*logs+4*n))
}

// geoMeanBound: powers (u₁⋯uₖ)^(1/k) ≥ gₖ one after the other. Where the number of entries is a
// power of two, pairs by second-order cones.
func geoMeanBound(c convex.Canon, u []Lin, _ []float64) convex.Form {
	if n := len(u); n&(n-1) == 0 {
		return convex.Form{Linear: meanOfPairs(c, u).Scale(-1)}
	}
	g := u[0]
	for k := 1; k < len(u); k++ {
		next := convex.Column(c)
		c.Cone(powerCone(1/float64(k+1), u[k], g, next))
		g = next
	}
	return convex.Form{Linear: g.Scale(-1)}
}

// meanOfPairs is at most the mean: t² ≤ ab for the means a, b of either half.
func meanOfPairs(c convex.Canon, u []Lin) Lin {
	n := len(u)
	if n == 1 {
		return u[0]
	}
	a, b := meanOfPairs(c, u[:n/2]), meanOfPairs(c, u[n/2:])
	t := convex.Column(c)
	c.Cone(rotated(a, b, t))
	return t
}

// weightedBound: with the sum W of the weights before number k, the mean of the first k numbers is
// at most uₖ^(wₖ/(W+wₖ)) times the mean of the ones before to the power W/(W+wₖ).
func weightedBound(c convex.Canon, u []Lin, w []float64) convex.Form {
	g, sum := u[0], w[0]
	for k := 1; k < len(u); k++ {
		next := convex.Column(c)
		sum += w[k]
		c.Cone(powerCone(w[k]/sum, u[k], g, next))
		g = next
	}
	return convex.Form{Linear: g.Scale(-1)}
}
