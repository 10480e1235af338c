package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

var _ = register(hyperbolic...)

// hyperbolic are the functions of the hyperbolic tangent and the inverse ones.
var hyperbolic = []*Curve{
	{ // log(1 + eᵘ)
		Name: "logistic",
		Doc: Doc{
			Means: "log(1 + e^x)", Go: "Logistic", Shown: [2]float64{-4, 4},
			Takes: takesAny, Form: "exponential cones and rows", Source: chares,
		},
		Value:   computed{at: of(softplus), within: positive, ulps: 3}.part(),
		Slope:   sigmoidPart(),
		Second:  bumpPart(),
		Inverse: inverse(func(v float64) float64 { return v + positiveLog(-math.Expm1(-v)) }),
		Bound:   logisticBound,
	},
	{ // 1/(1 + e⁻ᵘ)
		Name:        "sigmoid",
		Doc:         Doc{Means: "1/(1 + e^-x)", Go: "Sigmoid", Shown: [2]float64{-6, 6}},
		Value:       sigmoidPart(),
		Slope:       bumpPart(),
		Second:      computed{at: of(sigmoidSecond), turns: []float64{-sigmoidTurn, sigmoidTurn}}.part(),
		Inverse:     inverse(func(v float64) float64 { return positiveLog(v) - positiveLog(1-v) }),
		Inflections: atZero,
	},
	{
		Name:        "tanh",
		Doc:         Doc{Means: "the hyperbolic tangent", Go: "Tanh", Shown: [2]float64{-4, 4}},
		Value:       computed{at: of(math.Tanh), within: interval.New(-1, 1)}.part(),
		Slope:       computed{at: of(sech2), turns: []float64{0}, within: interval.New(0, 1)}.part(),
		Second:      computed{at: of(tanhSecond), turns: []float64{-tanhTurn, tanhTurn}}.part(),
		Inverse:     inverse(math.Atanh),
		Inflections: atZero,
	},
	{
		Name:  "asinh",
		Doc:   Doc{Means: "the inverse of sinh", Go: "Asinh", Shown: [2]float64{-5, 5}},
		Value: computed{at: of(math.Asinh)}.part(),
		Slope: computed{
			at:    of(func(u float64) float64 { return 1 / math.Hypot(1, u) }),
			turns: []float64{0}, within: interval.New(0, 1),
		}.part(),
		Second:      computed{at: of(asinhSecond), turns: []float64{-math.Sqrt2 / 2, math.Sqrt2 / 2}}.part(),
		Inverse:     inverse(sinh),
		Inflections: atZero,
	},
	{
		Name: "atanh",
		Doc: Doc{
			Means: "the inverse of tanh", Go: "Atanh", Shown: [2]float64{-0.98, 0.98},
			Takes: takesAffine, Form: "exponential cones", Source: chares,
		},
		Value: computed{at: of(math.Atanh)}.part(),
		Slope: computed{
			at:    of(func(u float64) float64 { return 1 / (1 - u) / (1 + u) }),
			turns: []float64{0}, within: interval.New(1, math.Inf(1)),
		}.part(),
		Second: computed{at: of(func(u float64) float64 { // 2u/(1 − u²)²
			return 2 * u / (1 - u) / (1 - u) / (1 + u) / (1 + u)
		})}.part(),
		Domain:      func(float64) Interval { return interval.New(-1, 1) },
		Inverse:     inverse(math.Tanh),
		Inflections: atZero,
	},
}

// logisticBound: t with exp(u − t) + exp(−t) ≤ 1.
func logisticBound(c convex.Canon, u Lin, _ float64) convex.Form {
	t, v, w := convex.Column(c), convex.Column(c), convex.Column(c)
	c.Cone(exponentialCone(u.AddScaled(-1, t), fixed(1), v))
	c.Cone(exponentialCone(t.Scale(-1), fixed(1), w))
	c.Row(v.AddScaled(1, w), math.Inf(-1), 1)
	return convex.Form{Linear: t}
}

func sigmoidPart() Part { return computed{at: of(sigmoid), within: interval.New(0, 1)}.part() }

// bumpPart is the derivative of the sigmoid.
func bumpPart() Part {
	return computed{at: of(func(u float64) float64 {
		e := math.Exp(-math.Abs(u))
		return e / (1 + e) / (1 + e)
	}), turns: []float64{0}, within: interval.New(0, 0.25)}.part()
}

// Where second derivatives turn: log(2 + √3) and half of it. Source: derived: the third
// derivatives are 0 there.
const (
	sigmoidTurn = 1.3169578969248167086
	tanhTurn    = sigmoidTurn / 2
)

func softplus(u float64) float64 { return max(u, 0) + math.Log1p(math.Exp(-math.Abs(u))) }

// sigmoid is accurate on either side.
func sigmoid(u float64) float64 {
	if u < 0 {
		e := math.Exp(u)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-u))
}

func sigmoidSecond(u float64) float64 {
	e := math.Exp(-math.Abs(u))
	return sign(u) * math.Expm1(-math.Abs(u)) * e / (1 + e) / (1 + e) / (1 + e)
}

// sech2 is 1/cosh²u.
func sech2(u float64) float64 { c := cosh(u); return 1 / c / c }

func tanhSecond(u float64) float64 { return -2 * math.Tanh(u) * sech2(u) }

// asinhSecond is −u/(1 + u²)^(3/2).
func asinhSecond(u float64) float64 {
	if math.IsInf(u, 0) {
		return math.Copysign(0, -u)
	}
	h := math.Hypot(1, u)
	return -u / h / h / h
}
