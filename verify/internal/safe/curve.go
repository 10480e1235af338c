package safe

import (
	"math"
	"slices"
)

// Kind is the function of a column: its place in curves. Up to products it is the number of the
// function in a proof file, which names the others.
type Kind uint8

const (
	Affine Kind = iota
	Square
	Abs
	Even
	Huber
	PosPower
	Exp
	isLogistic
	isXExp
	Power
	Log
	Entropy
	Product
)

// curve is a function of one number v, with a parameter p.
type curve struct {
	Name   string                       // in problem files and trees; "": it has none
	Plain  func(v float64) float64      // by the mathematical library, as programs have it
	Exact  func(v Ball, p float64) Ball // encloses the value
	value  func(v, p float64) Span      // so does this; nil: plain with its error
	slope  func(a Span, p float64) Span // of all numbers in an interval of the domain, of a kink a subgradient
	second func(a Span, p float64) Span // second derivatives, of a function with one curvature their sign
	image  func(a Span, p float64) Span // nil: the value rises or falls
	domain Span                         // {}: all numbers
	One    func(a Span) bool            // an interval is within one branch; nil: there are no others
	Size   func(v, p float64) float64   // of the numbers whose difference a value is, for |v|; nil: its own
	Param  bool                         // the function depends on p
	Least  float64                      // p is larger
}

// curves are the functions of one column; new ones come last, in any order.
var Curves = [...]curve{
	Square: {
		Exact: func(v Ball, _ float64) Ball { return v.Square() }, value: squareOf, image: even(squareOf),
		slope: monotone(func(v, _ float64) Span { return Just(2).Times(Just(v)) }), second: convex,
	},
	Abs: {
		Name: "abs", Exact: func(v Ball, _ float64) Ball { return v.Abs() }, value: absOf, image: even(absOf),
		slope: monotone(func(v, _ float64) Span { return Just(math.Copysign(1, v)) }),
		second: func(a Span, p float64) Span {
			if a.Lo >= 0 || a.Hi <= 0 {
				return Span{}
			}
			return convex(a, p)
		},
		Size: func(v, _ float64) float64 { return v },
	},
	Even: {
		Param: true, Least: 1,
		Exact: func(v Ball, p float64) Ball { return v.Abs().Power(p) },
		value: func(v, p float64) Span { return powered(math.Abs(v), p) }, image: even(powered),
		slope: monotone(func(v, p float64) Span {
			if v < 0 {
				return powerSlope(-v, p).Minus()
			}
			return powerSlope(v, p)
		}),
		second: convex,
	},
	Huber: {
		Name: "huber", Param: true, Exact: Ball.huber, value: huberOf, image: even(huberOf),
		slope:  monotone(func(v, p float64) Span { return Just(2).Times(Just(Span{-p, p}.Clip(v))) }),
		second: convex, Size: func(v, p float64) float64 { return min(v*v, 2*p*v) },
	},
	PosPower: {
		Param: true, Least: 1,
		Exact: func(v Ball, p float64) Ball { return v.Max(Exactly(0)).Power(p) },
		value: func(v, p float64) Span { return powered(max(v, 0), p) }, slope: monotone(powerSlope), second: convex,
	},
	Exp: {
		Name: "exp", Exact: func(v Ball, _ float64) Ball { return v.Exp() },
		value: exp, slope: monotone(exp), second: convex,
	},
	isLogistic: { // max(v, 0) + log(1 + e^−|v|)
		Name:  "logistic",
		Exact: func(v Ball, _ float64) Ball { return v.Max(Exactly(0)).Add(Exactly(1).Add(v.Abs().Neg().Exp()).Log()) },
		value: func(v, _ float64) Span { return loose(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))).atLeast(0) },
		slope: monotone(library(sigmoid)), second: convex, Size: one,
	},
	isXExp: {
		Name: "xexp", domain: Positive,
		Exact: func(v Ball, _ float64) Ball {
			if v.Lo.Sign() < 0 {
				Outside("xexp")
			}
			return v.Mul(v.Exp())
		},
		value: func(v, _ float64) Span { return loose(v * math.Exp(v)).atLeast(0) },
		slope: monotone(func(v, _ float64) Span { return loose((1 + v) * math.Exp(v)) }), second: convex,
	},
	Power: {
		Param: true, domain: Positive, Exact: Ball.Power, value: powered, slope: monotone(powerSlope),
		second: func(a Span, p float64) Span {
			if p > 0 && p < 1 {
				return concave(a, p)
			}
			return convex(a, p)
		},
	},
	Log: {
		Name: "log", domain: Positive, Exact: func(v Ball, _ float64) Ball { return v.Log() },
		value: func(v, _ float64) Span { return logarithm(v) },
		slope: monotone(func(v, _ float64) Span { return loose(1 / v) }), second: concave, Size: one,
	},
	Entropy: {
		Name: "entr", domain: Positive, Exact: func(v Ball, _ float64) Ball { return v.TimesLog().Neg() },
		value: entropy,
		slope: monotone(func(v, _ float64) Span { return logarithm(v).Minus().Less(Just(1)) }), second: concave,
		image: func(a Span, p float64) Span {
			out := monotone(entropy)(a, p)
			if a.Lo <= 0.3679 && a.Hi >= 0.3678 { // the peak 1/e at 1/e
				out.Hi = 0.36787944117144239
			}
			return out
		},
	},
	Product: {},
	{
		Name: "sin", Plain: math.Sin, Exact: func(v Ball, _ float64) Ball { return v.wave(0) },
		value: wave(0).value, slope: wave(1).over, second: wave(2).over, image: wave(0).over,
	},
	{
		Name: "cos", Plain: math.Cos, Exact: func(v Ball, _ float64) Ball { return v.wave(1) },
		value: wave(1).value, slope: wave(2).over, second: wave(3).over, image: wave(1).over,
	},
	{
		Name: "tan", Plain: math.Tan, Exact: Ball.tan, value: tan, image: tangents,
		One:    func(a Span) bool { return !turns(a, 1) && !turns(a, 3) },
		slope:  tanSlope,
		second: func(a Span, p float64) Span { return tangents(a, p).Times(tanSlope(a, p)).Times(Just(2)) },
	},
	smooth("atan", math.Atan, increasing(Ball.atan), bump(atanSlope), bent(-2, itself, atanSlope, atanSlope)),
	smooth("sinh", math.Sinh, increasing(Ball.sinh), even(library(math.Cosh)), monotone(library(math.Sinh))),
	{
		Name: "cosh", Plain: math.Cosh,
		Exact: func(v Ball, p float64) Ball { return increasing(Ball.cosh)(v.Abs(), p) },
		slope: monotone(library(math.Sinh)), second: convex, image: even(library(math.Cosh)),
	},
	smooth("tanh", math.Tanh, increasing(Ball.tanh), bump(tanhSlope), bent(-2, math.Tanh, tanhSlope)),
	smooth("asinh", math.Asinh, increasing(Ball.asinh), bump(asinhSlope),
		bent(-1, itself, asinhSlope, asinhSlope, asinhSlope)),
	smooth("sigmoid", sigmoid, increasing(Ball.sigmoid), bump(sigmoidSlope),
		bent(-1, func(v float64) float64 { return math.Tanh(v / 2) }, sigmoidSlope)),
	smooth("erf", math.Erf, increasing(Ball.erf), bump(erfSlope), bent(-2, itself, erfSlope)),
	{
		Name: "normcdf", Plain: func(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 },
		Exact: increasing(Ball.normal), slope: bump(normalSlope), second: bent(-1, itself, normalSlope),
		value: func(v, _ float64) Span {
			u := Just(-v).Over(around(math.Sqrt2))
			return Span{loose(math.Erfc(u.Hi) / 2).Lo, loose(math.Erfc(u.Lo) / 2).Hi}.atLeast(0)
		},
	},
	{
		Name: "log1p", domain: Span{-1, math.Inf(1)}, Plain: math.Log1p,
		Exact: func(v Ball, _ float64) Ball { return v.Add(Exactly(1)).Log() },
		slope: monotone(func(v, _ float64) Span { return Just(1).Over(Just(1).Plus(Just(v))) }), second: concave,
	},
	smooth("expm1", math.Expm1, func(v Ball, _ float64) Ball { return v.Exp().Sub(Exactly(1)) }, monotone(exp), convex),
	logarithmTo("log2", math.Log2, 2),
	logarithmTo("log10", math.Log10, 10),
	{ // log((1 + v)/(1 − v))/2
		Name: "atanh", domain: Span{-1, 1}, Plain: math.Atanh, slope: even(atanhSlope),
		Exact:  func(v Ball, _ float64) Ball { return Exactly(1).Add(v).Log().Sub(Exactly(1).Sub(v).Log()).half() },
		second: monotone(func(v, p float64) Span { return squared(atanhSlope(v, p)).Times(Just(2 * v)) }),
	},
}

// CurveOf is the row of a name, −1 if there is none.
func CurveOf(name string) int {
	return slices.IndexFunc(Curves[:], func(c curve) bool { return c.Name == name })
}

// smooth is a row without a domain or branches whose value rises.
func smooth(
	name string, plain func(v float64) float64, exact func(v Ball, p float64) Ball,
	slope, second func(a Span, p float64) Span,
) curve {
	return curve{Name: name, Plain: plain, Exact: exact, slope: slope, second: second}
}

// logarithmTo is the row of the logarithm to a base.
func logarithmTo(name string, plain func(v float64) float64, base float64) curve {
	ln := logarithm(base)
	return curve{
		Name: name, domain: Positive, Plain: plain,
		Exact: func(v Ball, _ float64) Ball { return v.Log().Mul(Exactly(base).Log().Inverse()) },
		value: func(v, _ float64) Span { return logarithm(v).Over(ln) },
		slope: monotone(func(v, _ float64) Span { return Just(1).Over(Just(v).Times(ln)) }), second: concave,
	}
}

var Positive = Span{0, math.Inf(1)}

func one(v, p float64) float64       { return 1 }
func itself(v float64) float64       { return v }
func convex(a Span, p float64) Span  { return Span{0, math.Inf(1)} }
func concave(a Span, p float64) Span { return Span{math.Inf(-1), 0} }
func squared(a Span) Span            { return a.Magnitude().Times(a.Magnitude()) }
func absOf(v, p float64) Span        { return Just(math.Abs(v)) }
func squareOf(v, p float64) Span     { return Just(v).Times(Just(v)) }
func exp(v, p float64) Span          { return exponential(Just(v)) }
func entropy(v, p float64) Span      { return Just(-v).Times(logarithm(v)) }

func huberOf(v, p float64) Span {
	if a := math.Abs(v); a > p {
		return Just(2).Times(Just(p)).Times(Just(a)).Less(Just(p).Times(Just(p)))
	}
	return Just(v).Times(Just(v))
}

// library is a function of the mathematical library with its error.
func library(f func(v float64) float64) func(v, p float64) Span {
	return func(v, _ float64) Span { return loose(f(v)) }
}

// monotone is the image of a function that rises or falls, as the slopes of one do that is convex
// or concave; even that of a function of |v| that does.
func monotone(f func(v, p float64) Span) func(a Span, p float64) Span {
	return func(a Span, p float64) Span {
		u, v := f(a.Lo, p), f(a.Hi, p)
		return Span{min(u.Lo, v.Lo), max(u.Hi, v.Hi)}
	}
}

func even(f func(v, p float64) Span) func(a Span, p float64) Span {
	return func(a Span, p float64) Span { return monotone(f)(a.Magnitude(), p) }
}

// bump is for slopes that are positive and fall on either side of 0.
func bump(slope func(v, p float64) Span) func(a Span, p float64) Span {
	return func(a Span, p float64) Span { return even(slope)(a, p).atLeast(0) }
}

// bent are the products of w, a function that rises and bumps.
func bent(w float64, f func(v float64) float64, bumps ...func(v, p float64) Span) func(a Span, p float64) Span {
	return func(a Span, p float64) Span {
		out := monotone(library(f))(a, p).Times(Just(w))
		for _, s := range bumps {
			out = out.Times(bump(s)(a, p))
		}
		return out
	}
}

// around encloses a constant that rounding has made a float64 number.
func around(v float64) Span {
	return Span{math.Nextafter(v, math.Inf(-1)), math.Nextafter(v, math.Inf(1))}
}

func atanSlope(v, p float64) Span    { return Just(1).Over(Just(1).Plus(squareOf(v, p))) }
func asinhSlope(v, p float64) Span   { return loose(1 / math.Hypot(1, v)) }
func tanhSlope(v, p float64) Span    { return squared(loose(1 / math.Cosh(v))) }
func sigmoidSlope(v, p float64) Span { return loose(sigmoid(v)).Times(loose(sigmoid(-v))) }
func erfSlope(v, p float64) Span     { return bell(v, -1).Times(around(2 / math.SqrtPi)) }

func normalSlope(v, p float64) Span {
	return bell(v, -0.5).Times(around(1 / (math.Sqrt2 * math.SqrtPi)))
}

func bell(v, w float64) Span          { return exponential(squareOf(v, 0).Times(Just(w))) }
func tanSlope(a Span, p float64) Span { return Just(1).Plus(squared(tangents(a, p))) }

func atanhSlope(v, p float64) Span {
	return Just(1).Over(Just(1).Less(Just(v)).Times(Just(1).Plus(Just(v))))
}

// sigmoid is 1/(1 + e^−v).
func sigmoid(v float64) float64 {
	e := math.Exp(-math.Abs(v))
	if v < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// tan encloses a tangent. Source: the mathematical library takes multiples of π from arguments with
// an error below 2^-55.
func tan(v, _ float64) Span {
	t := loose(math.Tan(v))
	return t.Plus(Just(1).Plus(squared(t)).Times(Span{-0x1p-55, 0x1p-55}))
}

// tangents are those of an interval.
func tangents(a Span, p float64) Span {
	if turns(a, 1) || turns(a, 3) {
		return Whole()
	}
	return monotone(tan)(a, p)
}

// wave is sin(v + q·π/2) for a number q of quarters from 0 to 3.
type wave int

func (q wave) value(v, _ float64) Span {
	s := loose(math.Sin(v))
	if q%2 == 1 {
		s = loose(math.Cos(v))
	}
	if math.Abs(v) > 1 { // as of tan
		s = s.Plus(Span{-0x1p-55, 0x1p-55})
	}
	if q >= 2 {
		s = s.Minus()
	}
	return s.Meet(Span{-1, 1})
}

func (q wave) over(a Span, p float64) Span {
	out := monotone(q.value)(a, p)
	if turns(a, 1-int(q)) {
		out.Hi = 1
	}
	if turns(a, 3-int(q)) {
		out.Lo = -1
	}
	return out
}

// turns reports whether an interval may have a number (q + 4k)·π/2 for a whole k.
func turns(a Span, q int) bool {
	k := a.Over(around(math.Pi / 2)).Less(Just(float64(q))).Over(Just(4))
	return !(math.Floor(k.Hi) < math.Ceil(k.Lo))
}

// exponents are those that p stands for: if it is no whole number it may be 1/q, rounded.
func exponents(p float64) Span {
	if p == math.Trunc(p) {
		return Just(p)
	}
	return around(p)
}

// powered encloses vᵖ, v ≥ 0: by products for whole p. The error of math.Pow grows with p.
func powered(v, p float64) Span {
	switch {
	case v == 0 && p > 0:
		return Span{}
	case v == 0: // its limit
		return Span{math.MaxFloat64, math.Inf(1)}
	case p != math.Trunc(p):
		return exponential(logarithm(v).Times(exponents(p)))
	case p < 0:
		return Just(1).Over(powered(v, -p)).atLeast(0)
	}
	out := Just(1)
	for base := Just(v); p > 0; base, p = base.Times(base), math.Floor(p/2) {
		if math.Mod(p, 2) == 1 {
			out = out.Times(base)
		}
	}
	return out
}

// powerSlope encloses p·vᵖ/v, 0 where v is none of a power above 1.
func powerSlope(v, p float64) Span {
	if v <= 0 && p > 1 {
		return Span{}
	}
	return powered(v, p).Times(exponents(p)).Over(Just(v))
}

func (a Span) Log() Span { return Span{logarithm(a.Lo).Lo, logarithm(a.Hi).Hi} }

func exponential(a Span) Span {
	return Span{loose(math.Exp(a.Lo)).Lo, loose(math.Exp(a.Hi)).Hi}.atLeast(0)
}

// logarithm encloses that of v. Below 2^-1022, where all share an interval, math.Log errs on amd64.
func logarithm(v float64) Span {
	if v > 0 && v < 0x1p-1022 {
		return Span{-745, -708}
	}
	return loose(math.Log(v))
}
