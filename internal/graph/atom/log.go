package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
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
		MinusBound: func(c convex.Canon, u Lin, _ float64) convex.Form { // u ≥ exp(−t)
			t := convex.Column(c)
			c.Cone(exponentialCone(t.Scale(-1), fixed(1), u))
			return convex.Form{Linear: t.Scale(1 / l)}
		},
	}
}

var logarithms = []*Curve{
	logarithmic("log", Doc{
		Means: "the natural logarithm", Go: "Log", Shown: [2]float64{0.02, 4},
		Takes: "affine or concave; products and quotients by their factors; others by their bounds",
		Form:  "exponential cone", Source: chares,
	}, num.Log, math.Exp, math.E, 0),
	// math.Log2 is a sum with the exponent of two.
	logarithmic("log2", Doc{
		Means: "the logarithm to the base 2", Go: "Log2", Shown: [2]float64{0.05, 4},
		Takes: takesConcave, Form: "exponential cone", Source: chares,
	}, math.Log2, math.Exp2, 2, 2*ulp),
	logarithmic("log10", Doc{
		Means: "the logarithm to the base 10", Go: "Log10", Shown: [2]float64{0.02, 4},
		Takes: takesConcave, Form: "exponential cone", Source: chares,
	}, log10, func(v float64) float64 { return math.Pow(10, v) }, 10, 2*ulp),
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
		Slope:  computed{at: of(func(u float64) float64 { return -1 - num.Log(max(u, 0)) }), abs: 2 * ulp}.part(),
		Second: computed{at: of(func(u float64) float64 { return -1 / max(u, 0) }), within: positive.Neg()}.part(),
		Domain: nonnegative,
		MinusBound: func(c convex.Canon, u Lin, _ float64) convex.Form { // u·exp(−t/u) ≤ 1
			t := convex.Column(c)
			c.Cone(exponentialCone(t.Scale(-1), u, fixed(1)))
			return convex.Form{Linear: t}
		},
	},
}

// log10 is math.Log10, which errs where math.Log does.
func log10(v float64) float64 {
	if v < 0x1p-1022 {
		return num.Log(v) / math.Ln10
	}
	return math.Log10(v)
}

func entropy(u, p float64) float64 {
	if u == 0 && p == 0 {
		return 0
	}
	return -u * num.Log(u)
}

// KL is the divergence u·log(u/v) − u + v of u, v ≥ 0; with a parameter it has no value at u = 0,
// as a logarithm that is written has none.
var KL = rowOf(Reduce{
	Name: "kl", Curvature: 1, Smooth: true, Entries: entries(None, true), Places: FirstBefore,
	Value: func(dst []float64, u [][]float64, p []float64) {
		for i := range dst {
			dst[i] = divergenceOf(u[0][i], u[1][i], len(p) > 0)
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for i, g := range adj {
			u, v := max(u[0][i], Steepest), max(u[1][i], Steepest)
			to[0][i] += g * math.Log(u/v)
			to[1][i] += g * (1 - u/v)
		}
	},
	// With c = d₀ − d₁·u/v it is c/u and −c/v.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, _ []float64) {
		for i, g := range adj {
			u, v := max(u[0][i], Steepest), max(u[1][i], Steepest)
			c := d[0][i] - d[1][i]*u/v
			to[0][i] += g * c / u
			to[1][i] -= g * c / v
		}
	},
	Error: func(dst, _ []float64, u, e [][]float64, _, _ []float64) {
		for i := range dst {
			dst[i] = divergenceError(u[0][i], e[0][i], u[1][i], e[1][i])
		}
	},
	Over: func([]Interval, []float64) Interval { return interval.New(0, math.Inf(1)) },
	Factored: func(c Factors, u []Lin, _ []float64) Lin {
		a, b := c.Column(u[0]), c.Column(u[1])
		cross := c.Product(a, c.Column(c.Sum(Find("log"), 0, b)))
		return c.Total(c.Sum(Find("entr"), 0, a).Scale(-1), cross.Scale(-1), a.Scale(-1), b)
	},
	// s ≥ u·log(u/v) by u·exp(−s/u) ≤ v.
	Bound: func(c convex.Canon, u []Lin, _ []float64) convex.Form {
		s := convex.Column(c)
		c.Cone(exponentialCone(s.Scale(-1), u[0], u[1]))
		return convex.Form{Linear: s.AddScaled(-1, u[0]).AddScaled(1, u[1])}
	},
})

func divergenceOf(u, v float64, open bool) float64 {
	u, ok := onDomain(u)
	switch {
	case !ok || v < -DomainTol || u > 0 && v <= 0, open && u == 0:
		return math.Inf(1)
	case u == 0:
		return max(v, 0)
	}
	return u*math.Log(u/v) - u + v
}

// divergenceError: by the partial derivatives log(u/v) and 1 − u/v at both ends of the errors, and
// the roundings of the three terms.
func divergenceError(u, d, v, e float64) float64 {
	u0, v0 := max(u, 0), max(v-e, Steepest)
	log := 0.0
	if u0 > 0 {
		log = max(math.Abs(math.Log(u0/v0)), math.Abs(math.Log(u0/(v+e))))
	}
	slope := max(math.Abs(1-(u0+d)/v0), math.Abs(1-max(u0-d, 0)/(v+e)))
	err := (log+d/max(u0-d, Steepest))*d + slope*e
	if u0 == 0 && d == 0 {
		err = e
	}
	return err + 4*unit*(u0*(log+1)+math.Abs(v))
}
