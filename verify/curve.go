package verify

import (
	"fmt"
	"math"
	"slices"
)

// kind is the function of a column: its place in curves. Up to products it is the number of the
// function in a proof file, which names the others.
type kind uint8

const (
	isAffine kind = iota
	isSquare
	isAbs
	isEven
	isHuber
	isPosPower
	isExp
	isLogistic
	isXExp
	isPower
	isLog
	isEntropy
	isProduct
)

// curve is a function of one number v, with a parameter p.
type curve struct {
	name   string                       // in problem files and trees; "": it has none
	plain  func(v float64) float64      // by the mathematical library, as programs have it
	exact  func(v ball, p float64) ball // encloses the value
	value  func(v, p float64) span      // so does this; nil: plain with its error
	slope  func(a span, p float64) span // of all numbers in an interval of the domain, of a kink a subgradient
	second func(a span, p float64) span // second derivatives, of a function with one curvature their sign
	image  func(a span, p float64) span // nil: the value rises or falls
	domain span                         // {}: all numbers
	one    func(a span) bool            // an interval is within one branch; nil: there are no others
	size   func(v, p float64) float64   // of the numbers whose difference a value is, for |v|; nil: its own
	param  bool                         // the function depends on p
	least  float64                      // p is larger
}

// curves are the functions of one column; new ones come last, in any order.
var curves = [...]curve{
	isSquare: {
		exact: func(v ball, _ float64) ball { return v.square() }, value: squareOf, image: even(squareOf),
		slope: monotone(func(v, _ float64) span { return just(2).times(just(v)) }), second: convex,
	},
	isAbs: {
		name: "abs", exact: func(v ball, _ float64) ball { return v.abs() }, value: absOf, image: even(absOf),
		slope: monotone(func(v, _ float64) span { return just(math.Copysign(1, v)) }),
		second: func(a span, p float64) span {
			if a.lo >= 0 || a.hi <= 0 {
				return span{}
			}
			return convex(a, p)
		},
		size: func(v, _ float64) float64 { return v },
	},
	isEven: {
		param: true, least: 1,
		exact: func(v ball, p float64) ball { return v.abs().power(p) },
		value: func(v, p float64) span { return powered(math.Abs(v), p) }, image: even(powered),
		slope: monotone(func(v, p float64) span {
			if v < 0 {
				return powerSlope(-v, p).minus()
			}
			return powerSlope(v, p)
		}),
		second: convex,
	},
	isHuber: {
		name: "huber", param: true, exact: ball.huber, value: huberOf, image: even(huberOf),
		slope:  monotone(func(v, p float64) span { return just(2).times(just(span{-p, p}.clip(v))) }),
		second: convex, size: func(v, p float64) float64 { return min(v*v, 2*p*v) },
	},
	isPosPower: {
		param: true, least: 1,
		exact: func(v ball, p float64) ball { return v.max(exactly(0)).power(p) },
		value: func(v, p float64) span { return powered(max(v, 0), p) }, slope: monotone(powerSlope), second: convex,
	},
	isExp: {
		name: "exp", exact: func(v ball, _ float64) ball { return v.exp() },
		value: exp, slope: monotone(exp), second: convex,
	},
	isLogistic: { // max(v, 0) + log(1 + e^−|v|)
		name:  "logistic",
		exact: func(v ball, _ float64) ball { return v.max(exactly(0)).add(exactly(1).add(v.abs().neg().exp()).log()) },
		value: func(v, _ float64) span { return loose(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))).atLeast(0) },
		slope: monotone(library(sigmoid)), second: convex, size: one,
	},
	isXExp: {
		name: "xexp", domain: positive,
		exact: func(v ball, _ float64) ball {
			if v.lo.Sign() < 0 {
				outside("xexp")
			}
			return v.mul(v.exp())
		},
		value: func(v, _ float64) span { return loose(v * math.Exp(v)).atLeast(0) },
		slope: monotone(func(v, _ float64) span { return loose((1 + v) * math.Exp(v)) }), second: convex,
	},
	isPower: {
		param: true, domain: positive, exact: ball.power, value: powered, slope: monotone(powerSlope),
		second: func(a span, p float64) span {
			if p > 0 && p < 1 {
				return concave(a, p)
			}
			return convex(a, p)
		},
	},
	isLog: {
		name: "log", domain: positive, exact: func(v ball, _ float64) ball { return v.log() },
		value: func(v, _ float64) span { return logarithm(v) },
		slope: monotone(func(v, _ float64) span { return loose(1 / v) }), second: concave, size: one,
	},
	isEntropy: {
		name: "entr", domain: positive, exact: func(v ball, _ float64) ball { return v.timesLog().neg() },
		value: entropy,
		slope: monotone(func(v, _ float64) span { return logarithm(v).minus().less(just(1)) }), second: concave,
		image: func(a span, p float64) span {
			out := monotone(entropy)(a, p)
			if a.lo <= 0.3679 && a.hi >= 0.3678 { // the peak 1/e at 1/e
				out.hi = 0.36787944117144239
			}
			return out
		},
	},
	isProduct: {},
	{
		name: "sin", plain: math.Sin, exact: func(v ball, _ float64) ball { return v.wave(0) },
		value: wave(0).value, slope: wave(1).over, second: wave(2).over, image: wave(0).over,
	},
	{
		name: "cos", plain: math.Cos, exact: func(v ball, _ float64) ball { return v.wave(1) },
		value: wave(1).value, slope: wave(2).over, second: wave(3).over, image: wave(1).over,
	},
	{
		name: "tan", plain: math.Tan, exact: ball.tan, value: tan, image: tangents,
		one:    func(a span) bool { return !turns(a, 1) && !turns(a, 3) },
		slope:  tanSlope,
		second: func(a span, p float64) span { return tangents(a, p).times(tanSlope(a, p)).times(just(2)) },
	},
	smooth("atan", math.Atan, increasing(ball.atan), bump(atanSlope), bent(-2, itself, atanSlope, atanSlope)),
	smooth("sinh", math.Sinh, increasing(ball.sinh), even(library(math.Cosh)), monotone(library(math.Sinh))),
	{
		name: "cosh", plain: math.Cosh, exact: func(v ball, p float64) ball { return increasing(ball.cosh)(v.abs(), p) },
		slope: monotone(library(math.Sinh)), second: convex, image: even(library(math.Cosh)),
	},
	smooth("tanh", math.Tanh, increasing(ball.tanh), bump(tanhSlope), bent(-2, math.Tanh, tanhSlope)),
	smooth("asinh", math.Asinh, increasing(ball.asinh), bump(asinhSlope),
		bent(-1, itself, asinhSlope, asinhSlope, asinhSlope)),
	smooth("sigmoid", sigmoid, increasing(ball.sigmoid), bump(sigmoidSlope),
		bent(-1, func(v float64) float64 { return math.Tanh(v / 2) }, sigmoidSlope)),
	smooth("erf", math.Erf, increasing(ball.erf), bump(erfSlope), bent(-2, itself, erfSlope)),
	{
		name: "normcdf", plain: func(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 },
		exact: increasing(ball.normal), slope: bump(normalSlope), second: bent(-1, itself, normalSlope),
		value: func(v, _ float64) span {
			u := just(-v).over(around(math.Sqrt2))
			return span{loose(math.Erfc(u.hi) / 2).lo, loose(math.Erfc(u.lo) / 2).hi}.atLeast(0)
		},
	},
	{
		name: "log1p", domain: span{-1, math.Inf(1)}, plain: math.Log1p,
		exact: func(v ball, _ float64) ball { return v.add(exactly(1)).log() },
		slope: monotone(func(v, _ float64) span { return just(1).over(just(1).plus(just(v))) }), second: concave,
	},
	smooth("expm1", math.Expm1, func(v ball, _ float64) ball { return v.exp().sub(exactly(1)) }, monotone(exp), convex),
	logarithmTo("log2", math.Log2, 2),
	logarithmTo("log10", math.Log10, 10),
	{ // log((1 + v)/(1 − v))/2
		name: "atanh", domain: span{-1, 1}, plain: math.Atanh, slope: even(atanhSlope),
		exact:  func(v ball, _ float64) ball { return exactly(1).add(v).log().sub(exactly(1).sub(v).log()).half() },
		second: monotone(func(v, p float64) span { return squared(atanhSlope(v, p)).times(just(2 * v)) }),
	},
}

// UnknownError says that a problem has a function that this package lacks. Nothing can be shown of
// its results.
type UnknownError struct{ Function string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the function %s is not known to verify", e.Function)
}

// curveOf is the row of a name, −1 if there is none.
func curveOf(name string) int {
	return slices.IndexFunc(curves[:], func(c curve) bool { return c.name == name })
}

// smooth is a row without a domain or branches whose value rises.
func smooth(
	name string, plain func(v float64) float64, exact func(v ball, p float64) ball,
	slope, second func(a span, p float64) span,
) curve {
	return curve{name: name, plain: plain, exact: exact, slope: slope, second: second}
}

// logarithmTo is the row of the logarithm to a base.
func logarithmTo(name string, plain func(v float64) float64, base float64) curve {
	ln := logarithm(base)
	return curve{
		name: name, domain: positive, plain: plain,
		exact: func(v ball, _ float64) ball { return v.log().mul(exactly(base).log().inverse()) },
		value: func(v, _ float64) span { return logarithm(v).over(ln) },
		slope: monotone(func(v, _ float64) span { return just(1).over(just(v).times(ln)) }), second: concave,
	}
}

var positive = span{0, math.Inf(1)}

func one(v, p float64) float64       { return 1 }
func itself(v float64) float64       { return v }
func convex(a span, p float64) span  { return span{0, math.Inf(1)} }
func concave(a span, p float64) span { return span{math.Inf(-1), 0} }
func squared(a span) span            { return a.magnitude().times(a.magnitude()) }
func absOf(v, p float64) span        { return just(math.Abs(v)) }
func squareOf(v, p float64) span     { return just(v).times(just(v)) }
func exp(v, p float64) span          { return exponential(just(v)) }
func entropy(v, p float64) span      { return just(-v).times(logarithm(v)) }

func huberOf(v, p float64) span {
	if a := math.Abs(v); a > p {
		return just(2).times(just(p)).times(just(a)).less(just(p).times(just(p)))
	}
	return just(v).times(just(v))
}

// library is a function of the mathematical library with its error.
func library(f func(v float64) float64) func(v, p float64) span {
	return func(v, _ float64) span { return loose(f(v)) }
}

// monotone is the image of a function that rises or falls, as the slopes of one do that is convex
// or concave; even that of a function of |v| that does.
func monotone(f func(v, p float64) span) func(a span, p float64) span {
	return func(a span, p float64) span {
		u, v := f(a.lo, p), f(a.hi, p)
		return span{min(u.lo, v.lo), max(u.hi, v.hi)}
	}
}

func even(f func(v, p float64) span) func(a span, p float64) span {
	return func(a span, p float64) span { return monotone(f)(a.magnitude(), p) }
}

// bump is for slopes that are positive and fall on either side of 0.
func bump(slope func(v, p float64) span) func(a span, p float64) span {
	return func(a span, p float64) span { return even(slope)(a, p).atLeast(0) }
}

// bent are the products of w, a function that rises and bumps.
func bent(w float64, f func(v float64) float64, bumps ...func(v, p float64) span) func(a span, p float64) span {
	return func(a span, p float64) span {
		out := monotone(library(f))(a, p).times(just(w))
		for _, s := range bumps {
			out = out.times(bump(s)(a, p))
		}
		return out
	}
}

// around encloses a constant that rounding has made a float64 number.
func around(v float64) span {
	return span{math.Nextafter(v, math.Inf(-1)), math.Nextafter(v, math.Inf(1))}
}

func atanSlope(v, p float64) span    { return just(1).over(just(1).plus(squareOf(v, p))) }
func asinhSlope(v, p float64) span   { return loose(1 / math.Hypot(1, v)) }
func tanhSlope(v, p float64) span    { return squared(loose(1 / math.Cosh(v))) }
func sigmoidSlope(v, p float64) span { return loose(sigmoid(v)).times(loose(sigmoid(-v))) }
func erfSlope(v, p float64) span     { return bell(v, -1).times(around(2 / math.SqrtPi)) }

func normalSlope(v, p float64) span {
	return bell(v, -0.5).times(around(1 / (math.Sqrt2 * math.SqrtPi)))
}

func bell(v, w float64) span          { return exponential(squareOf(v, 0).times(just(w))) }
func tanSlope(a span, p float64) span { return just(1).plus(squared(tangents(a, p))) }

func atanhSlope(v, p float64) span {
	return just(1).over(just(1).less(just(v)).times(just(1).plus(just(v))))
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
func tan(v, _ float64) span {
	t := loose(math.Tan(v))
	return t.plus(just(1).plus(squared(t)).times(span{-0x1p-55, 0x1p-55}))
}

// tangents are those of an interval.
func tangents(a span, p float64) span {
	if turns(a, 1) || turns(a, 3) {
		return whole()
	}
	return monotone(tan)(a, p)
}

// wave is sin(v + q·π/2) for a number q of quarters from 0 to 3.
type wave int

func (q wave) value(v, _ float64) span {
	s := loose(math.Sin(v))
	if q%2 == 1 {
		s = loose(math.Cos(v))
	}
	if math.Abs(v) > 1 { // as of tan
		s = s.plus(span{-0x1p-55, 0x1p-55})
	}
	if q >= 2 {
		s = s.minus()
	}
	return s.meet(span{-1, 1})
}

func (q wave) over(a span, p float64) span {
	out := monotone(q.value)(a, p)
	if turns(a, 1-int(q)) {
		out.hi = 1
	}
	if turns(a, 3-int(q)) {
		out.lo = -1
	}
	return out
}

// turns reports whether an interval may have a number (q + 4k)·π/2 for a whole k.
func turns(a span, q int) bool {
	k := a.over(around(math.Pi / 2)).less(just(float64(q))).over(just(4))
	return !(math.Floor(k.hi) < math.Ceil(k.lo))
}

// exponents are those that p stands for: if it is no whole number it may be 1/q, rounded.
func exponents(p float64) span {
	if p == math.Trunc(p) {
		return just(p)
	}
	return around(p)
}

// powered encloses vᵖ, v ≥ 0: by products for whole p. The error of math.Pow grows with p.
func powered(v, p float64) span {
	switch {
	case v == 0 && p > 0:
		return span{}
	case v == 0: // its limit
		return span{math.MaxFloat64, math.Inf(1)}
	case p != math.Trunc(p):
		return exponential(logarithm(v).times(exponents(p)))
	case p < 0:
		return just(1).over(powered(v, -p)).atLeast(0)
	}
	out := just(1)
	for base := just(v); p > 0; base, p = base.times(base), math.Floor(p/2) {
		if math.Mod(p, 2) == 1 {
			out = out.times(base)
		}
	}
	return out
}

// powerSlope encloses p·vᵖ/v, 0 where v is none of a power above 1.
func powerSlope(v, p float64) span {
	if v <= 0 && p > 1 {
		return span{}
	}
	return powered(v, p).times(exponents(p)).over(just(v))
}

func (a span) log() span { return span{logarithm(a.lo).lo, logarithm(a.hi).hi} }

func exponential(a span) span {
	return span{loose(math.Exp(a.lo)).lo, loose(math.Exp(a.hi)).hi}.atLeast(0)
}

// logarithm encloses that of v. Below 2^-1022, where all share an interval, math.Log errs on amd64.
func logarithm(v float64) span {
	if v > 0 && v < 0x1p-1022 {
		return span{-745, -708}
	}
	return loose(math.Log(v))
}
