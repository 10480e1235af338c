package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

var positive = Interval{Lo: 0, Hi: math.Inf(1)}

// of is a function without a parameter.
func of(f func(float64) float64) func(u, p float64) float64 {
	return func(u, _ float64) float64 { return f(u) }
}

// inverse is an inverse function without a parameter.
func inverse(f func(float64) float64) func(v, p float64) float64 { return of(f) }

func expPart() Part  { return computed{at: of(math.Exp), within: positive, ulps: 3}.part() }
func sinhPart() Part { return computed{at: of(sinh)}.part() }

func coshPart() Part {
	return computed{at: of(cosh), turns: []float64{0}, within: interval.New(1, math.Inf(1))}.part()
}

var _ = register(exponentials...)

var exponentials = []*Curve{
	{
		Name: "exp",
		Doc: Doc{
			Means: "the exponential function", Go: "Exp", Shown: [2]float64{-3, 2},
			Takes: takesConvex, Form: "exponential cone", Source: chares,
		},
		Value: expPart(), Slope: expPart(), Second: expPart(),
		Inverse: inverse(positiveLog),
		Bound:   expBound,
	},
	{
		Name: "expm1",
		Doc: Doc{
			Means: "e^x - 1, accurate for small x", Go: "Expm1", Shown: [2]float64{-3, 2},
			Takes: takesConvex, Form: "exponential cone", Source: chares,
		},
		Value: computed{at: of(math.Expm1), within: interval.New(-1, math.Inf(1))}.part(),
		Slope: expPart(), Second: expPart(),
		Inverse: inverse(math.Log1p),
	},
	{ // u·eᵘ, u ≥ 0
		Name: "xexp",
		Doc: Doc{
			Means: "x e^x", Go: "XExp", Shown: [2]float64{0, 1.5},
			Takes: takesConvex, Form: "second-order and exponential cones",
			Source: "Boyd and Vandenberghe 2004, section 3.1.5: its second derivative is positive",
		},
		Value:   computed{at: of(xexp), within: positive, ulps: 3}.part(),
		Slope:   computed{at: of(func(u float64) float64 { return (1 + u) * math.Exp(u) }), within: positive}.part(),
		Second:  computed{at: of(func(u float64) float64 { return (2 + u) * math.Exp(u) }), within: positive}.part(),
		Domain:  nonnegative,
		Inverse: inverse(lambert),
		Bound:   xexpBound,
	},
	{
		Name: "sinh",
		Doc: Doc{
			Means: "the hyperbolic sine", Go: "Sinh", Shown: [2]float64{-3, 3},
			Takes: takesAffine, Form: "exponential cones", Source: chares,
		},
		Value: sinhPart(), Slope: coshPart(), Second: sinhPart(),
		Inverse:     inverse(math.Asinh),
		Inflections: atZero,
	},
	{
		Name: "cosh",
		Doc: Doc{
			Means: "the hyperbolic cosine", Go: "Cosh", Shown: [2]float64{-3, 3},
			Takes: takesAffine, Form: "exponential cones", Source: chares,
		},
		Value: coshPart(), Slope: sinhPart(), Second: coshPart(),
	},
}

func expBound(c convex.Canon, u Lin, _ float64) convex.Form {
	t := convex.Column(c)
	c.Cone(exponentialCone(u, fixed(1), t))
	return convex.Form{Linear: t}
}

// xexpBound: t ≥ u·exp(w/u), w ≥ u².
func xexpBound(c convex.Canon, u Lin, _ float64) convex.Form {
	t, w := convex.Column(c), convex.Column(c)
	c.Cone(rotated(w, fixed(1), u))
	c.Cone(exponentialCone(w, u, t))
	return convex.Form{Linear: t}
}

func xexp(u float64) float64 { return u * math.Exp(u) }

// positiveLog is log v of v > 0, else NaN.
func positiveLog(v float64) float64 {
	if !(v > 0) {
		return math.NaN()
	}
	return math.Log(v)
}

// lambert is the u with u·eᵘ = b, by Newton's method from log(1 + b), which is
// at least as large as the solution; on that side it converges monotonically.
func lambert(b float64) float64 {
	if !(b >= 0) {
		return math.NaN()
	}
	u := math.Log1p(b)
	for range 100 {
		step := (u - b*math.Exp(-u)) / (1 + u)
		if u -= step; math.Abs(step) <= ulp/2*u {
			break
		}
	}
	return u
}

// sinh and cosh are as in package math, but finite where eᵘ is not and half of it is.
func sinh(u float64) float64 {
	if math.Abs(u) > 21 {
		return math.Copysign(halfExp(math.Abs(u)), u)
	}
	return math.Sinh(u)
}

func cosh(u float64) float64 {
	if math.Abs(u) > 21 {
		return halfExp(math.Abs(u))
	}
	return math.Cosh(u)
}

// halfExp is eᵘ/2.
func halfExp(u float64) float64 {
	e := math.Exp(u / 2)
	return e / 2 * e
}
