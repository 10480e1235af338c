package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// logarithmic is log u/log base: its slope is 1/(u·log base).
func logarithmic(name string, f, inverse func(float64) float64, base, abs float64) *Curve {
	l := math.Log(base)
	return &Curve{
		Name:  name,
		Value: computed{at: of(f), abs: abs, ulps: 3}.part(),
		Slope: computed{at: of(func(u float64) float64 { return 1 / max(u, 0) / l }), within: positive}.part(),
		Second: computed{
			at: of(func(u float64) float64 { return -1 / max(u, 0) / max(u, 0) / l }), within: positive.Neg(),
		}.part(),
		Domain:  nonnegative,
		Inverse: of(inverse),
	}
}

var logarithms = []*Curve{
	logarithmic("log", math.Log, math.Exp, math.E, 0),
	// math.Log2 and math.Log10 are a sum with the exponent of two.
	logarithmic("log2", math.Log2, math.Exp2, 2, 2*ulp),
	logarithmic("log10", math.Log10, func(v float64) float64 { return math.Pow(10, v) }, 10, 2*ulp),
	{
		Name:  "log1p",
		Value: computed{at: of(math.Log1p)}.part(),
		Slope: computed{at: of(func(u float64) float64 { return 1 / max(1+u, 0) }), within: positive}.part(),
		Second: computed{
			at: of(func(u float64) float64 { return -1 / max(1+u, 0) / max(1+u, 0) }), within: positive.Neg(),
		}.part(),
		Domain:  func(float64) Interval { return interval.New(-1, math.Inf(1)) },
		Inverse: inverse(math.Expm1),
	},
	{ // −u·log u, 0 at u = 0; p = 1: without a value there, as a logarithm that is written has none
		Name: "entr",
		Value: computed{
			at: entropy, ulps: 3, turns: []float64{1 / math.E}, within: interval.New(math.Inf(-1), 0.3679),
		}.part(),
		Slope:  computed{at: of(func(u float64) float64 { return -1 - math.Log(max(u, 0)) }), abs: 2 * ulp}.part(),
		Second: computed{at: of(func(u float64) float64 { return -1 / max(u, 0) }), within: positive.Neg()}.part(),
		Domain: nonnegative,
	},
}

func entropy(u, p float64) float64 {
	if u == 0 && p == 0 {
		return 0
	}
	return -u * math.Log(u)
}
