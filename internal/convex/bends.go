package convex

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// A function f with a bounded second derivative is a difference of convex functions: ½ρ‖Ax‖² −
// (½ρ‖Ax‖² − f) where ½ρ‖Ax‖² bends at least as much as f does in every direction (Hartman 1959).
// The square is found along the expression as it is written, by the bounds of its variables.

// Bends bounds the values, the gradient and the Hessian of a smooth function e.
type Bends struct {
	Over     interval.Interval
	affine   bool     // e is the a of slope, of weight 1
	Slope    []square // ∇e·∇eᵀ ≼ Σ w·aaᵀ
	Up, Down []square // ∇²e ≼ Σ w·aaᵀ and −∇²e ≼ Σ w·aaᵀ
}

// square is w·aaᵀ for the coefficients of a.
type square struct {
	W float64
	A Linear
}

// extent is how much a function with such a bound of its gradient changes within the bounds of
// the variables, or between −1 and 1 where there are none.
func extent(list []square) float64 {
	s := 0.0
	for _, q := range list {
		width := interval.Width(q.A.Over())
		if !(width <= math.MaxFloat64) {
			width = 2 * num.Norm2(q.A.Val)
		}
		s += q.W * width * width
	}
	return math.Sqrt(s)
}

// Plus appends w·more, nothing for w = 0.
func Plus(list []square, w float64, more []square) []square {
	if w == 0 {
		return list
	}
	for _, q := range more {
		list = append(list, square{w * q.W, q.A})
	}
	return list
}

func (l Linear) Bends() (Bends, bool) { return AffineBends(l), true }

// AffineBends are the bends of an affine function.
func AffineBends(l Linear) Bends {
	b := Bends{Over: l.Over()}
	if len(l.Idx) > 0 {
		b.affine, b.Slope = true, []square{{1, l}}
	}
	return b
}

// Times are the bends of a product: a·∇²b + b·∇²a + ∇a·∇bᵀ + ∇b·∇aᵀ.
func (a Bends) Times(b Bends) Bends {
	t := extent(b.Slope) / extent(a.Slope)
	if !(t > 0) || math.IsInf(t, 1) {
		t = 1
	}
	ua, ub := max(a.Over.Hi, 0), max(b.Over.Hi, 0)
	da, db := max(-a.Over.Lo, 0), max(-b.Over.Lo, 0)
	out := Bends{Over: a.Over.Mul(b.Over)}
	if a.affine && b.affine { // twice the product is a square less a square
		r := math.Sqrt(t)
		l, m := a.Slope[0].A.Scale(r), b.Slope[0].A.Scale(1/r)
		out.Up, out.Down = []square{{0.5, l.AddScaled(1, m)}}, []square{{0.5, l.AddScaled(-1, m)}}
	} else {
		out.Up = Plus(Plus(nil, t, a.Slope), 1/t, b.Slope)
		out.Down = slices.Clone(out.Up)
	}
	out.Up = Plus(Plus(Plus(Plus(out.Up, ub, a.Up), db, a.Down), ua, b.Up), da, b.Down)
	out.Down = Plus(Plus(Plus(Plus(out.Down, ub, a.Down), db, a.Up), ua, b.Down), da, b.Up)
	// (p + q)(p + q)ᵀ ≼ (1 + θ)ppᵀ + (1 + 1/θ)qqᵀ
	p, q := max(ub, db), max(ua, da)
	θ := q / p * t
	switch {
	case p == 0 || q == 0:
		out.Slope = Plus(Plus(nil, p*p, a.Slope), q*q, b.Slope)
	default:
		out.Slope = Plus(Plus(nil, (1+θ)*p*p, a.Slope), (1+1/θ)*q*q, b.Slope)
	}
	return out
}

// MostBends bounds the squares that a function is split by.
// Source: a limit of time: a function beyond is linearised without them.
const MostBends = 1000

// Neg are the bends of −e.
func (e Bends) Neg() Bends {
	if e.affine {
		return AffineBends(e.Slope[0].A.Scale(-1))
	}
	e.Over, e.Up, e.Down = e.Over.Neg(), e.Down, e.Up
	return e
}

// BendsOfSum are the bends of a sum of n functions.
func BendsOfSum(n int, of func(k int) Bends) Bends {
	out := Bends{Over: interval.Point(0)}
	for k := range n {
		b := of(k)
		out.Over = out.Over.Add(b.Over)
		out.Slope = Plus(out.Slope, float64(n), b.Slope)
		out.Up, out.Down = Plus(out.Up, 1, b.Up), Plus(out.Down, 1, b.Down)
	}
	return out
}

// SumOfBends are the bends of a sum with weights.
func SumOfBends(over interval.Interval, parts []Bends, weights []float64) Bends {
	out, total, sizes := Bends{Over: over}, 0.0, make([]float64, len(parts))
	for k, b := range parts {
		w := weights[k]
		sizes[k] = math.Abs(w) * extent(b.Slope)
		total += sizes[k]
		if w < 0 {
			b.Up, b.Down = b.Down, b.Up
		}
		out.Up, out.Down = Plus(out.Up, math.Abs(w), b.Up), Plus(out.Down, math.Abs(w), b.Down)
	}
	for k, b := range parts { // (Σ vₖ)(Σ vₖ)ᵀ ≼ Σ vₖvₖᵀ/λₖ with Σ λₖ = 1
		if sizes[k] > 0 {
			out.Slope = Plus(out.Slope, weights[k]*weights[k]*total/sizes[k], b.Slope)
		}
	}
	return out
}
