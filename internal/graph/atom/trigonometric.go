package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// reduction is a bound of the error of an argument that package math has reduced by a multiple of
// π/4. Source: derived from its code: up to 2²⁹ the last of three parts of π/4, 2.7e-15, is
// multiplied by less than 2³⁰ and rounded to 53 bits; beyond, 128 bits of the quotient are used.
const reduction = 0x1p-70

func sine() Part        { return wave(math.Sin, 0.5) }
func cosine() Part      { return wave(math.Cos, 0) }
func minusSine() Part   { return wave(func(u float64) float64 { return -math.Sin(u) }, -0.5) }
func minusCosine() Part { return wave(func(u float64) float64 { return -math.Cos(u) }, 1) }

var _ = register(trigonometric...)

var trigonometric = []*Curve{
	{
		Name:  "sin",
		Doc:   Doc{Means: "the sine", Go: "Sin", Shown: [2]float64{-7, 7}},
		Value: sine(), Slope: cosine(), Second: minusSine(),
		Inflections: everyPi(0),
	},
	{
		Name:  "cos",
		Doc:   Doc{Means: "the cosine", Go: "Cos", Shown: [2]float64{-7, 7}},
		Value: cosine(), Slope: minusSine(), Second: minusCosine(),
		Inflections: everyPi(0.5),
	},
	{ // with infinite ranges where a pole is in the interval
		Name:  "tan",
		Doc:   Doc{Means: "the tangent", Go: "Tan", Shown: [2]float64{-1.4, 1.4}},
		Poles: true,
		Value: Part{of(math.Tan), tangents},
		Slope: Part{
			of(func(u float64) float64 { t := math.Tan(u); return 1 + t*t }),
			func(i Interval, p float64) Interval {
				t := tangents(i, p)
				if t == interval.Whole { // it falls at a pole
					return t
				}
				return interval.Point(1).Add(t.Square())
			},
		},
		Second: Part{
			of(func(u float64) float64 { t := math.Tan(u); return 2 * t * (1 + t*t) }),
			func(i Interval, p float64) Interval {
				t := tangents(i, p)
				ends := func(t float64) Interval {
					at := interval.Point(t)
					return at.Scale(2).Mul(interval.Point(1).Add(at.Square()))
				}
				return interval.New(ends(t.Lo).Lo, ends(t.Hi).Hi)
			},
		},
		Inflections: everyPi(0),
	},
	{
		Name:        "atan",
		Doc:         Doc{Means: "the inverse of the tangent", Go: "Atan", Shown: [2]float64{-5, 5}},
		Value:       computed{at: of(math.Atan), within: interval.New(-1.5708, 1.5708)}.part(),
		Slope:       computed{at: of(atanSlope), turns: []float64{0}, within: interval.New(0, 1)}.part(),
		Second:      computed{at: of(atanSecond), turns: []float64{-rootThird, rootThird}}.part(),
		Inverse:     inverse(atanInverse),
		Inflections: atZero,
	},
}

// rootThird is 1/√3, where the second derivative of the arc tangent is least. Source: derived.
const rootThird = 0.57735026918962576451

// atanSlope is 1/(1 + u²).
func atanSlope(u float64) float64 { h := math.Hypot(1, u); return 1 / h / h }

// atanSecond is −2u/(1 + u²)².
func atanSecond(u float64) float64 {
	if math.IsInf(u, 0) {
		return math.Copysign(0, -u)
	}
	h := math.Hypot(1, u)
	return -2 * (u / h) / h / h / h
}

func atanInverse(v float64) float64 {
	if !(math.Abs(v) < math.Pi/2) {
		return math.NaN()
	}
	return math.Tan(v)
}

// multiples returns the first and the last k for which (k + shift)·π may be in i; ok is false if
// there are too many.
func multiples(i Interval, shift float64) (first, last float64, ok bool) {
	if !(i.Hi-i.Lo < 10) {
		return 0, 0, false
	}
	// The quotients are accurate to two units in the last place.
	slack := 2 * ulp * (1 + max(math.Abs(i.Lo), math.Abs(i.Hi)))
	return math.Ceil(i.Lo/math.Pi - shift - slack), math.Floor(i.Hi/math.Pi - shift + slack), slack < 0.5
}

// wave is a function that is 1 at (k + shift)·π for even k, −1 for odd ones and monotone between
// them.
func wave(f func(float64) float64, shift float64) Part {
	ends := &computed{at: of(f), within: interval.New(-1, 1), ulps: few, abs: reduction}
	return Part{of(f), func(i Interval, p float64) Interval {
		if i.Lo == i.Hi {
			return ends.around(i.Lo, p)
		}
		first, last, ok := multiples(i, shift)
		if !ok || last > first {
			return ends.within
		}
		out := interval.Hull(ends.around(i.Lo, p), ends.around(i.Hi, p))
		if last == first {
			turn := 1.0
			if math.Mod(first, 2) != 0 {
				turn = -1
			}
			out = interval.Hull(out, interval.Point(turn))
		}
		return out
	}}
}

// everyPi are the numbers (k + shift)·π in i, if it is at most 1000 wide.
func everyPi(shift float64) func(Interval, float64) []float64 {
	return func(i Interval, _ float64) []float64 {
		if !(i.Hi-i.Lo < 1e3) || math.Abs(i.Lo) > 1e9 {
			return nil
		}
		var out []float64
		for k := math.Floor(i.Lo/math.Pi - shift); ; k++ {
			switch at := (k + shift) * math.Pi; {
			case at >= i.Hi:
				return out
			case at > i.Lo:
				out = append(out, at)
			}
		}
	}
}

// tangents is the range of the tangent, all numbers if a pole may be in i.
func tangents(i Interval, _ float64) Interval {
	first, last, ok := multiples(i, 0.5)
	if !ok || last >= first {
		return interval.Whole
	}
	around := func(u float64) Interval {
		t := math.Tan(u)
		if u == 0 {
			return interval.Point(0)
		}
		return enclose(t, few, 2*reduction*(1+t*t))
	}
	return interval.New(around(i.Lo).Lo, around(i.Hi).Hi)
}
