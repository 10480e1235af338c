package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

var _ = register(powers...)

// powers are powers, and functions made of pieces of them.
var powers = []*Curve{
	{ // uᵖ: of positive integers p for all u, of others for u ≥ 0
		Name: "power", HasParameter: true,
		Exponent: func(p float64) (float64, bool) { return p, false },
		Value:    monomial(func(p float64) (float64, float64) { return 1, p }),
		Slope:    monomial(func(p float64) (float64, float64) { return p, p - 1 }),
		Second:   monomial(func(p float64) (float64, float64) { return p * (p - 1), p - 2 }),
		Domain: func(p float64) Interval {
			if p >= 0 && p == math.Trunc(p) {
				return interval.Whole
			}
			return nonnegative(p)
		},
		Inverse: func(v, p float64) float64 {
			switch odd := isOdd(p); {
			case odd && p > 0 && v < 0:
				return -math.Pow(-v, 1/p)
			case v < 0 || p == math.Trunc(p) && p >= 0 && !odd:
				return math.NaN()
			}
			return math.Pow(v, 1/p)
		},
		Inflections: func(i Interval, p float64) []float64 {
			if p > 1 && isOdd(p) {
				return atZero(i, p)
			}
			return nil
		},
		Bound: powerBound, MinusBound: rootBound,
		Bounds: func(p float64, minus bool) bool {
			if minus {
				return p > 0 && p < 1
			}
			return p < 0 || p > 1 && p != math.Trunc(p)
		},
	},
	{ // max(u, 0)ᵖ, p > 1
		Name: "pos_power", HasParameter: true,
		Exponent: func(p float64) (float64, bool) { return p, true },
		Value:    parted(monomial(func(p float64) (float64, float64) { return 1, p }), false, false),
		Slope:    parted(monomial(func(p float64) (float64, float64) { return p, p - 1 }), false, false),
		Second:   parted(monomial(func(p float64) (float64, float64) { return p * (p - 1), p - 2 }), false, false),
		Inverse: func(v, p float64) float64 {
			if !(v > 0) {
				return math.NaN()
			}
			return math.Pow(v, 1/p)
		},
		Bound: posPowerBound,
	},
	{ // |u|ᵖ, p > 1
		Name: "abspower", HasParameter: true,
		Value:  parted(monomial(func(p float64) (float64, float64) { return 1, p }), true, false),
		Slope:  parted(monomial(func(p float64) (float64, float64) { return p, p - 1 }), false, true),
		Second: parted(monomial(func(p float64) (float64, float64) { return p * (p - 1), p - 2 }), true, false),
	},
	{
		Name: "square", Sum: SumSquares,
		Exponent: func(float64) (float64, bool) { return 2, false },
		Doc: Doc{
			Means: "x^2", Go: "Square", Shown: [2]float64{-2.5, 2.5},
			Takes: takesAny, Form: "quadratic", Source: "Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3",
		},
		Value: Part{
			func(u, _ float64) float64 { return u * u },
			func(i Interval, _ float64) Interval { return i.Square() },
		},
		Slope:  monomial(func(float64) (float64, float64) { return 2, 1 }),
		Second: constant(2),
		Bound:  func(_ convex.Canon, u Lin, _ float64) convex.Form { return squareForm(u) },
	},
	{
		Name: "abs", Kinked: true, Sum: Norm1,
		Doc: Doc{
			Means: "the absolute value", Go: "Abs", Shown: [2]float64{-3, 3},
			Takes: takesAny, Form: "rows",
			Source: "Boyd and Vandenberghe 2004, section 6.1.1; split: Horst and Thoai 1999, proposition 2.1",
		},
		Value:  Part{of(math.Abs), func(i Interval, _ float64) Interval { return i.Abs() }},
		Slope:  Part{of(sign), step(-1, 1)},
		Second: Part{constant(0).At, kink},
		Bound: func(c convex.Canon, u Lin, _ float64) convex.Form {
			return convex.Form{Linear: convex.Magnitude(c, u)}
		},
	},
	{
		Name: "pos", Kinked: true,
		Doc: Doc{
			Means: "max(x, 0)", Go: "Pos", Shown: [2]float64{-3, 3},
			Takes: takesAny, Form: "rows", Source: "Boyd and Vandenberghe 2004, section 4.3.1",
		},
		Value: Part{
			func(u, _ float64) float64 { return max(u, 0) },
			func(i Interval, _ float64) Interval { return i.Max(interval.Point(0)) },
		},
		Slope:  Part{func(u, _ float64) float64 { return max(sign(u), 0) }, step(0, 1)},
		Second: Part{constant(0).At, kink},
		Inverse: func(v, _ float64) float64 {
			if !(v > 0) {
				return math.NaN()
			}
			return v
		},
	},
	{ // u² where |u| ≤ p, else 2p|u| − p²
		Name: "huber", HasParameter: true,
		Value: parted(Part{
			At: func(u, p float64) float64 {
				if u > p {
					return 2*p*u - p*p
				}
				return u * u
			},
			Over: func(i Interval, p float64) Interval {
				return interval.New(max(hubers(i.Lo, p).Lo, 0), hubers(i.Hi, p).Hi)
			},
		}, true, false),
		Slope: Part{
			At: func(u, p float64) float64 { return 2 * min(max(u, -p), p) },
			Over: func(i Interval, p float64) Interval {
				return interval.New(2*min(max(i.Lo, -p), p), 2*min(max(i.Hi, -p), p))
			},
		},
		Second: parted(Part{
			At: func(u, p float64) float64 {
				if u > p {
					return 0
				}
				return 2
			},
			Over: func(i Interval, p float64) Interval { return step(0, 2)(interval.New(p-i.Hi, p-i.Lo), 0) },
		}, true, false),
	},
}

// hubers encloses the value of Huber's function of u ≥ 0.
func hubers(u, p float64) Interval {
	if u > p {
		u, p := interval.Point(u), interval.Point(p)
		return p.Scale(2).Mul(u).Add(p.Square().Neg())
	}
	return interval.Point(u).Square()
}

func isOdd(p float64) bool { return math.Abs(math.Mod(p, 2)) == 1 }

func sign(u float64) float64 {
	switch {
	case u > 0:
		return 1
	case u < 0:
		return -1
	}
	return 0
}

// kink is the range of the second derivative of two affine functions that meet at 0.
func kink(i Interval, _ float64) Interval {
	if i.Contains(0) {
		return interval.New(0, math.Inf(1))
	}
	return interval.Point(0)
}

// step is the range of a function that is lo below 0, hi above it and all between both at 0.
func step(lo, hi float64) func(Interval, float64) Interval {
	return func(i Interval, _ float64) Interval {
		out := interval.New(hi, lo)
		if i.Lo <= 0 {
			out.Lo = lo
		}
		if i.Hi >= 0 {
			out.Hi = hi
		}
		return out
	}
}

// monomial is c·u^q: of integers q ≥ 0 for all u, of others for u ≥ 0.
func monomial(of func(p float64) (c, q float64)) Part {
	at := func(u, p float64) float64 {
		c, q := of(p)
		if c == 0 {
			return 0
		}
		return c * pow(u, q)
	}
	ulps := func(u, p float64) float64 { _, q := of(p); return powUlps(u, q) }
	odd := &computed{at: at, within: interval.Whole, ulps: 3, more: ulps}
	even := &computed{at: at, within: interval.Whole, ulps: 3, more: ulps, turns: []float64{0}}
	return Part{At: at, Over: func(i Interval, p float64) Interval {
		switch c, q := of(p); {
		case c == 0 || q == 0:
			return interval.Point(c)
		case q == 1:
			return i.Scale(c)
		case q == 2:
			return i.Square().Scale(c)
		case q > 0 && math.Mod(q, 2) == 0:
			return even.over(i, p)
		}
		return odd.over(i, p)
	}}
}

// pow is math.Pow, exact or rounded once where the exponent allows it. The sign of −0 does not
// count.
func pow(u, q float64) float64 {
	switch q {
	case 2:
		return u * u
	case -1:
		return 1 / max(u, 0)
	case 0.5:
		return math.Sqrt(u)
	}
	if u > 0 && u < 0x1p-1022 { // math.Pow errs there, as math.Log does
		return math.Pow(u*0x1p54, q) * math.Exp2(-54*q)
	}
	return math.Pow(u, q)
}

// powUlps is a bound of the error of math.Pow in units in the last place. Source: derived from
// its code: u^q is exp(f·log u)·uⁿ with |f| ≤ 1/2, where f, the logarithm and their product are
// rounded, and uⁿ by squarings, which double errors.
func powUlps(u, q float64) float64 {
	whole, part := math.Modf(math.Abs(q))
	e := 2 * min(whole, 0x1p50)
	if part != 0 && part != 0.5 {
		l := math.Abs(math.Log(math.Abs(u)))
		e += 2 + 2*min(l, 750)
	}
	return e
}

// powerBound: t·u^|p| ≥ 1 for p < 0; for the inverse ‖(u − t, 2)‖ ≤ u + t. For p > 1, t^(1/p) ≥
// |u|, u ≥ 0.
func powerBound(c convex.Canon, u Lin, p float64) convex.Form {
	t := convex.Column(c)
	switch {
	case p > 1:
		c.Row(u, 0, math.Inf(1))
		c.Cone(powerCone(1/p, t, fixed(1), u))
	case p == -1:
		c.Cone(rotated(u, t, fixed(1)))
	default:
		c.Cone(powerCone(1/(1-p), t, u, fixed(1)))
	}
	return convex.Form{Linear: t}
}

// rootBound: t ≥ −uᵖ by uᵖ ≥ |t| for 0 < p < 1, for the square root by t² ≤ u.
func rootBound(c convex.Canon, u Lin, p float64) convex.Form {
	t := convex.Column(c)
	if p == 0.5 {
		quarter := fixed(0.25)
		c.Cone(secondOrderCone(u.AddScaled(1, quarter), u.AddScaled(-1, quarter), t))
	} else {
		c.Cone(powerCone(p, u, fixed(1), t))
	}
	return convex.Form{Linear: t}
}

// posPowerBound: t^(1/p) ≥ v, v ≥ u, v ≥ 0.
func posPowerBound(c convex.Canon, u Lin, p float64) convex.Form {
	t, v := convex.Column(c), convex.Column(c)
	c.Row(v, 0, math.Inf(1))
	c.Row(u.AddScaled(-1, v), math.Inf(-1), 0)
	c.Cone(powerCone(1/p, t, fixed(1), v))
	return convex.Form{Linear: t}
}
