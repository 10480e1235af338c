package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

var _ = register(logarithms...)

// logarithmic is log u/log base: its slope is 1/(u·log base).
func logarithmic(name string, doc Doc, f, inverse func(float64) float64, base, abs float64) *Curve {
	l := math.Log(base)
	return &Curve{
		Name:  name,
		Doc:   doc,
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
	logarithmic("log", Doc{
		Means: "the natural logarithm", Go: "Log", Shown: [2]float64{0.02, 4},
		Takes: "affine or concave; products and quotients by their factors; others by their bounds",
		Form:  "exponential cone", Source: chares,
	}, math.Log, math.Exp, math.E, 0),
	// math.Log2 and math.Log10 are a sum with the exponent of two.
	logarithmic("log2", Doc{
		Means: "the logarithm to the base 2", Go: "Log2", Shown: [2]float64{0.05, 4},
		Takes: takesConcave, Form: "exponential cone", Source: chares,
	}, math.Log2, math.Exp2, 2, 2*ulp),
	logarithmic("log10", Doc{
		Means: "the logarithm to the base 10", Go: "Log10", Shown: [2]float64{0.02, 4},
		Takes: takesConcave, Form: "exponential cone", Source: chares,
	}, math.Log10, func(v float64) float64 { return math.Pow(10, v) }, 10, 2*ulp),
	{
		Name: "log1p",
		Doc: Doc{
			Means: "log(1 + x), accurate for small x", Go: "Log1p", Shown: [2]float64{-0.98, 4},
			Takes: takesConcave, Form: "exponential cone", Source: chares,
		},
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
		Doc: Doc{
			Means: "-x log x", Go: "Entropy", Shown: [2]float64{0, 3},
			Takes: takesAffine, Form: "exponential cone", Source: chares,
		},
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
