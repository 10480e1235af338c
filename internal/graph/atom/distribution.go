package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

var _ = register(distributions...)

// distributions are the error function and the distribution function of the standard normal
// distribution.
var distributions = []*Curve{
	{
		Name:        "erf",
		Doc:         Doc{Means: "the error function", Go: "Erf", Shown: [2]float64{-3, 3}},
		Value:       computed{at: of(math.Erf), within: interval.New(-1, 1)}.part(),
		Slope:       computed{at: of(erfSlope), turns: []float64{0}, within: interval.New(0, 1.1284)}.part(),
		Second:      computed{at: of(erfSecond), turns: []float64{-math.Sqrt2 / 2, math.Sqrt2 / 2}}.part(),
		Inverse:     inverse(math.Erfinv),
		Inflections: atZero,
	},
	{
		Name: "normcdf",
		Doc: Doc{
			Means: "the distribution function of the standard normal distribution", Go: "NormCDF",
			Shown: [2]float64{-4, 4},
		},
		Value: computed{at: of(cumulative), within: interval.New(0, 1), more: normalUlps}.part(),
		Slope: computed{at: of(normal), turns: []float64{0}, within: interval.New(0, 0.3990)}.part(),
		Second: computed{
			at: of(func(u float64) float64 { return -inTail(u) * normal(u) }), turns: []float64{-1, 1},
		}.part(),
		Inverse:     inverse(quantile),
		Inflections: atZero,
	},
}

// sqrtPi is √π. Source: derived.
const sqrtPi = 1.7724538509055160273

// bell is exp(−w·u²) for w = 1 or 1/2. The rounding error of u² is added, which exp would
// multiply by its size.
func bell(u, w float64) float64 {
	s := u * u
	if s > 2000 {
		return 0
	}
	return math.Exp(-w*s) * (1 - w*math.FMA(u, u, -s))
}

// inTail is u, and a finite number where bell is 0.
func inTail(u float64) float64 { return min(max(u, -1e3), 1e3) }

// quantile is the u with normcdf(u) = v: of v < 1/2 by Newton's method on the logarithm, which is
// concave, from the left.
func quantile(v float64) float64 {
	switch {
	case !(v > 0 && v < 1):
		return math.NaN()
	case v > 0.5:
		return -quantile(1 - v)
	}
	u := -math.Sqrt(-2 * math.Log(v))
	for range 100 {
		f := cumulative(u)
		step := math.Log(v/f) * f / normal(u)
		if u += step; !(math.Abs(step) > 4*ulp*math.Abs(u)) {
			break
		}
	}
	return u
}

// cumulative is the distribution function.
func cumulative(u float64) float64 { return math.Erfc(-u/math.Sqrt2) / 2 }

func normal(u float64) float64 { return bell(u, 0.5) / (math.Sqrt2 * sqrtPi) }

func erfSlope(u float64) float64  { return 2 / sqrtPi * bell(u, 1) }
func erfSecond(u float64) float64 { return -4 / sqrtPi * inTail(u) * bell(u, 1) }

// normalUlps: the rounding of u/√2 counts with its square.
func normalUlps(u, _ float64) float64 {
	v := min(math.Abs(u), 40)
	return v * v
}
