package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Norm1 is the sum of absolute values.
var Norm1 = rowOf(Reduce{
	Name: "norm1", Curvature: 1, Entries: entries(Outward, false), Factored: sumBy("abs"),
	Value: func(dst []float64, u [][]float64, _ []float64) {
		if len(dst) == 1 { // of a single function, which may be of many numbers
			sum := 0.0
			for _, u := range u {
				sum += math.Abs(u[0])
			}
			dst[0] = sum
			return
		}
		clear(dst)
		for _, u := range u {
			for i, v := range u[:len(dst)] {
				dst[i] += math.Abs(v)
			}
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				if u[i] != 0 {
					to[i] += math.Copysign(g, g*u[i])
				}
			}
		}
	},
	Error: func(dst, room []float64, u, e [][]float64, _, _ []float64) {
		sums, rounding := zeros(dst, room), ofAddition(len(u))
		for k, u := range u {
			e := e[k]
			for i := range dst {
				sums[i] += math.Abs(u[i])
				dst[i] += e[i] + rounding*math.Abs(sums[i])
			}
		}
	},
	Over: func(u []Interval, _ []float64) Interval {
		out := interval.Point(0)
		for _, i := range u {
			out = out.Add(i.Abs())
		}
		return out
	},
	Simpler: func(u []Interval) bool { return len(u) == 1 && (u[0].Lo >= 0 || u[0].Hi <= 0) },
	Reach: func(dst []float64, u, r [][]float64, _ []float64) {
		clear(dst)
		for k, u := range u {
			for i, r := range r[k][:len(dst)] {
				if !(math.Abs(u[i]) > r) {
					r = math.Inf(1)
				}
				dst[i] += r
			}
		}
	},
	Change: func(s []float64, _ []float64) float64 { return num.Norm1(s) },
	Bound: func(c convex.Canon, u []Lin, _ []float64) convex.Form {
		sizes := make([]Lin, len(u))
		for k, l := range u {
			sizes[k] = convex.Magnitude(c, l)
		}
		return convex.Form{Linear: convex.SumLinear(sizes, nil)}
	},
})

// Norm2 is the Euclidean norm. At 0 its subgradient is the one along the direction with equal parts
// of all numbers: a linearisation there still says "move away".
var Norm2 = rowOf(Reduce{
	Name: "norm2", Single: Absolute, Curvature: 1, Smooth: true, Entries: entries(Outward, false), Rotates: true,
	Value: norms,
	Factored: func(c Factors, u []Lin, _ []float64) Lin {
		return c.Sum(Find("power"), 0.5, c.Sum(Find("square"), 0, u...))
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, v, _ []float64) {
		flat := 1 / math.Sqrt(float64(len(u)))
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				if v[i] > 0 {
					to[i] += g * u[i] / v[i]
				} else {
					to[i] += g * flat
				}
			}
		}
	},
	// (d − u·(uᵀd)/v²)/v.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, v, _ []float64) {
		for i, g := range adj {
			if v[i] == 0 { // there is none
				g = math.NaN()
			}
			along := 0.0
			for k := range u {
				along += u[k][i] / v[i] * d[k][i]
			}
			for k := range u {
				to[k][i] += g * (d[k][i] - u[k][i]/v[i]*along) / v[i]
			}
		}
	},
	// The norm changes by no more than the norm of the errors. Its own roundings come from the
	// squares, half of them, and of three more operations for each number.
	Error: func(dst, _ []float64, _, e [][]float64, v, _ []float64) {
		clear(dst)
		for _, e := range e {
			for i, d := range e[:len(dst)] {
				dst[i] += d * d
			}
		}
		own := float64(4*len(e)+3) * unit
		for i, d := range dst {
			dst[i] = math.Sqrt(d) + own*math.Abs(v[i])
		}
	},
	Over: func(u []Interval, _ []float64) Interval {
		sum := interval.Point(0)
		for _, i := range u {
			sum = sum.Add(i.Square())
		}
		return interval.Image(sum, math.Sqrt, true, 1).Max(interval.Point(0))
	},
	Change: func(s []float64, _ []float64) float64 {
		sum := 0.0
		for _, v := range s {
			sum = math.Hypot(sum, v)
		}
		return sum
	},
	Slopes: func(int, []float64) (a, b float64) { return 1, 1 },
	Cone: func(t Lin, u []Lin, _ []float64) convex.Cone {
		return secondOrderCone(append([]Lin{t}, u...)...)
	},
})

// norms are the Euclidean norms, by their squares where these are far from underflow and overflow.
func norms(dst []float64, u [][]float64, p []float64) {
	squares(dst, u, p)
	for i, sq := range dst {
		if sq > 1/hugeSquare && sq < hugeSquare {
			dst[i] = math.Sqrt(sq)
			continue
		}
		dst[i] = num.ScaledNorm2(len(u), func(k int) float64 { return u[k][i] })
	}
}

// hugeSquare is a sum of squares up to which none of them has overflown, and above the inverse of
// which none that counts has lost digits. Source: derived: below 2¹⁰²⁴; and of a sum of 2⁻⁹⁰⁰ the
// last digit, 2⁻⁹⁵³, is a normal number.
const hugeSquare = 0x1p900

// NormP is the norm of the order p > 1, (Σ |uₖ|ᵖ)^(1/p). At 0 its subgradient is as in Norm2.
var NormP = rowOf(Reduce{
	Name: "norm", Single: Absolute, HasParameters: true, Curvature: 1, Smooth: true, Entries: entries(Outward, false),
	Value: func(dst []float64, u [][]float64, p []float64) {
		for i := range dst {
			dst[i] = normP(len(u), func(k int) float64 { return math.Abs(u[k][i]) }, p[0])
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, v, p []float64) {
		flat := math.Pow(float64(len(u)), 1/p[0]-1)
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				w := flat
				if v[i] > 0 {
					w = math.Copysign(math.Pow(math.Abs(u[i])/v[i], p[0]-1), u[i])
				}
				to[i] += g * w
			}
		}
	},
	// With sₖ = ±(|uₖ|/v)^(p−1) it is (p − 1)/v times (|uₖ|/v)^(p−2)·dₖ − sₖ·sᵀd.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, v, p []float64) {
		for i, g := range adj {
			if v[i] == 0 { // there is none
				g = math.NaN()
			}
			slope := func(k int) float64 {
				return math.Copysign(math.Pow(math.Abs(u[k][i])/v[i], p[0]-1), u[k][i])
			}
			along := 0.0
			for k := range u {
				along += slope(k) * d[k][i]
			}
			for k := range u {
				if own := math.Pow(math.Abs(u[k][i])/v[i], p[0]-2); d[k][i] != 0 {
					to[k][i] += g * (p[0] - 1) / v[i] * own * d[k][i]
				}
				to[k][i] -= g * (p[0] - 1) / v[i] * slope(k) * along
			}
		}
	},
	// The norm changes by no more than the norm of the errors, which is at most n^(1/p − 1/2) times
	// their Euclidean norm, or that where p ≥ 2.
	Error: func(dst, _ []float64, _, e [][]float64, v, p []float64) {
		n := float64(len(e))
		clear(dst)
		for _, e := range e {
			for i, d := range e[:len(dst)] {
				dst[i] += d * d
			}
		}
		for i, d := range dst {
			dst[i] = math.Sqrt(d)*math.Pow(n, max(1/p[0]-0.5, 0)) + normRoundings(len(e))*unit*v[i]
		}
	},
	Over: func(u []Interval, p []float64) Interval {
		lo := normP(len(u), func(k int) float64 { return u[k].Abs().Lo }, p[0])
		hi := normP(len(u), func(k int) float64 { return u[k].Abs().Hi }, p[0])
		e := 2 * normRoundings(len(u)) * unit
		return interval.New(lo*(1-e), hi*(1+e))
	},
	Change: func(s []float64, _ []float64) float64 { return num.Norm1(s) },
	Slopes: func(int, []float64) (a, b float64) { return 1, 1 },
	Factored: func(c Factors, u []Lin, p []float64) Lin {
		return c.Sum(Find("power"), 1/p[0], c.Sum(Find("abspower"), p[0], u...))
	},
	// rₖ^(1/p)·t^(1−1/p) ≥ |uₖ| with Σ rₖ ≤ t.
	Bound: func(c convex.Canon, u []Lin, p []float64) convex.Form {
		t := convex.Column(c)
		r := make([]Lin, len(u))
		for k, l := range u {
			r[k] = convex.Column(c)
			c.Cone(powerCone(1/p[0], r[k], t, l))
		}
		c.Row(convex.SumLinear(append(r, t.Scale(-1)), nil), math.Inf(-1), 0)
		return convex.Form{Linear: t}
	},
})

// normP is the norm of n numbers ≥ 0. With the largest one up to now, big, it keeps s =
// Σ (vₖ/big)ᵖ.
func normP(n int, v func(k int) float64, p float64) float64 {
	big, s := 0.0, 0.0
	for k := range n {
		switch a := v(k); {
		case a > big:
			s = 1 + s*math.Pow(big/a, p)
			big = a
		case a > 0:
			s += math.Pow(a/big, p)
		case math.IsNaN(a):
			return a
		}
	}
	if math.IsInf(big, 1) {
		return big
	}
	return big * math.Pow(s, 1/p)
}

// normRoundings bounds the roundings of normP, relative to it and in units: each power has at most
// 4 + p, scaling to another largest number 8 + p for each, the sum one for each, and the root
// divides all of these by p.
func normRoundings(n int) float64 { return 11*float64(n) + 16 }

// zeros clears both lists, and returns the second one, as long as the first.
func zeros(dst, room []float64) []float64 {
	clear(dst)
	clear(room[:len(dst)])
	return room[:len(dst)]
}

// ofAddition is the rounding of each addition of a sum of n numbers to 0.
func ofAddition(n int) float64 {
	if n == 1 {
		return 0
	}
	return unit
}
