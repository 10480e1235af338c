package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// A function f with a bounded second derivative is a difference of convex functions: ½ρ‖Ax‖² −
// (½ρ‖Ax‖² − f) where ½ρ‖Ax‖² bends at least as much as f does in every direction (Hartman 1959).
// The square is found along the expression as it is written, by the bounds of its variables.

// bends bounds the values, the gradient and the Hessian of a smooth function e.
type bends struct {
	over     Interval
	affine   bool     // e is the a of slope, of weight 1
	slope    []square // ∇e·∇eᵀ ≼ Σ w·aaᵀ
	up, down []square // ∇²e ≼ Σ w·aaᵀ and −∇²e ≼ Σ w·aaᵀ
}

// square is w·aaᵀ for the coefficients of a.
type square struct {
	w float64
	a Linear
}

// extent is how much a function with such a bound of its gradient changes within the bounds of
// the variables, or between −1 and 1 where there are none.
func extent(list []square) float64 {
	s := 0.0
	for _, q := range list {
		width := interval.Width(q.a.over())
		if !(width <= math.MaxFloat64) {
			width = 2 * num.Norm2(q.a.Val)
		}
		s += q.w * width * width
	}
	return math.Sqrt(s)
}

// plus appends w·more, nothing for w = 0.
func plus(list []square, w float64, more []square) []square {
	if w == 0 {
		return list
	}
	for _, q := range more {
		list = append(list, square{w * q.w, q.a})
	}
	return list
}

func (l Linear) bends() (bends, bool) { return affineBends(l), true }

// affineBends are the bends of an affine function.
func affineBends(l Linear) bends {
	b := bends{over: l.over()}
	if len(l.Idx) > 0 {
		b.affine, b.slope = true, []square{{1, l}}
	}
	return b
}

// times are the bends of a product: a·∇²b + b·∇²a + ∇a·∇bᵀ + ∇b·∇aᵀ.
func (a bends) times(b bends) bends {
	t := extent(b.slope) / extent(a.slope)
	if !(t > 0) || math.IsInf(t, 1) {
		t = 1
	}
	ua, ub := max(a.over.Hi, 0), max(b.over.Hi, 0)
	da, db := max(-a.over.Lo, 0), max(-b.over.Lo, 0)
	out := bends{over: a.over.Mul(b.over)}
	if a.affine && b.affine { // twice the product is a square less a square
		r := math.Sqrt(t)
		l, m := a.slope[0].a.Scale(r), b.slope[0].a.Scale(1/r)
		out.up, out.down = []square{{0.5, l.AddScaled(1, m)}}, []square{{0.5, l.AddScaled(-1, m)}}
	} else {
		out.up = plus(plus(nil, t, a.slope), 1/t, b.slope)
		out.down = slices.Clone(out.up)
	}
	out.up = plus(plus(plus(plus(out.up, ub, a.up), db, a.down), ua, b.up), da, b.down)
	out.down = plus(plus(plus(plus(out.down, ub, a.down), db, a.up), ua, b.down), da, b.up)
	// (p + q)(p + q)ᵀ ≼ (1 + θ)ppᵀ + (1 + 1/θ)qqᵀ
	p, q := max(ub, db), max(ua, da)
	θ := q / p * t
	switch {
	case p == 0 || q == 0:
		out.slope = plus(plus(nil, p*p, a.slope), q*q, b.slope)
	default:
		out.slope = plus(plus(nil, (1+θ)*p*p, a.slope), (1+1/θ)*q*q, b.slope)
	}
	return out
}

// mostBends bounds the squares that a function is split by.
// Source: a limit of time: a function beyond is linearised without them.
const mostBends = 1000

// neg are the bends of −e.
func (e bends) neg() bends {
	if e.affine {
		return affineBends(e.slope[0].a.Scale(-1))
	}
	e.over, e.up, e.down = e.over.Neg(), e.down, e.up
	return e
}

// bendsOfSum are the bends of a sum of n functions.
func bendsOfSum(n int, of func(k int) bends) bends {
	out := bends{over: point(0)}
	for k := range n {
		b := of(k)
		out.over = out.over.Add(b.over)
		out.slope = plus(out.slope, float64(n), b.slope)
		out.up, out.down = plus(out.up, 1, b.up), plus(out.down, 1, b.down)
	}
	return out
}

// sumOfBends are the bends of a sum with weights.
func sumOfBends(over Interval, parts []bends, weights []float64) bends {
	out, total, sizes := bends{over: over}, 0.0, make([]float64, len(parts))
	for k, b := range parts {
		w := weights[k]
		sizes[k] = math.Abs(w) * extent(b.slope)
		total += sizes[k]
		if w < 0 {
			b.up, b.down = b.down, b.up
		}
		out.up, out.down = plus(out.up, math.Abs(w), b.up), plus(out.down, math.Abs(w), b.down)
	}
	for k, b := range parts { // (Σ vₖ)(Σ vₖ)ᵀ ≼ Σ vₖvₖᵀ/λₖ with Σ λₖ = 1
		if sizes[k] > 0 {
			out.slope = plus(out.slope, weights[k]*weights[k]*total/sizes[k], b.slope)
		}
	}
	return out
}
