package rule

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Hyperbola is the split of a function that is ≤ 0 exactly where c ≤ w·u₁·…·uₙ, for
// numbers c > 0 and w and affine uₖ, all of one sign each by their bounds but for one at
// most: then that one has a sign too, and (c/w)^(1/n) ≤ (u₁·…·uₙ)^(1/n) says the same
// with a concave geometric mean. The constraint is convex then, whatever the sizes of
// the factors (Boyd and Vandenberghe 2004, section 4.4). ok is false for other
// expressions.
func Hyperbola(e expr.Scalar) (s expr.Split, ok bool) {
	if len(e.Terms) != 1 || !e.Lin.IsConst() || !(e.Lin.Const > 0) {
		return expr.Split{}, false
	}
	u, w := AffineFactors(e.Terms[0].F, -e.Terms[0].W)
	if u == nil || !PositiveFactors(u, w) {
		return expr.Split{}, false
	}
	n := float64(len(u))
	root := math.Pow(e.Lin.Const/math.Abs(w), 1/n)
	// By p = w·u₁·…·uₙ the function is c − p and the split root·(1 − (p/c)^(1/n)).
	rate := root / (n * e.Lin.Const)
	other := func(v convex.Linear) bool { d := v.AddScaled(-1, u[0]); return !d.IsZero() }
	if !slices.ContainsFunc(u, other) { // a power
		return expr.Split{Lin: convex.Linear{Const: root}.AddScaled(-1, u[0]), Rate: rate}, true
	}
	for k, α := range balanced(e.Of, u, root) {
		u[k] = u[k].Scale(α)
	}
	mean := expr.Reduce(atom.GeoMean, nil, convex.Entries(u...))
	out := mean.Split().Scale(-1)
	out.Lin, out.Rate = out.Lin.AddScaled(1, convex.Linear{Const: root}), rate
	return out, true
}

// AffineFactors are the factors of w·f where all are affine, and their weight; nil else.
func AffineFactors(f convex.Func, w float64) ([]convex.Linear, float64) {
	g, ok := f.(*expr.VectorAtom)
	switch {
	case !ok:
	case g.Is(atom.SumSquares) && g.Len() == 1:
		return []convex.Linear{g.Args.Linear(0), g.Args.Linear(0)}, w
	case g.Row != atom.Inner || g.Len() != 2:
	case !g.Args.Bent():
		return []convex.Linear{g.Args.Linear(0), g.Args.Linear(1)}, w
	default:
		u, w := factorsOf(&g.Args.Fs[0], w)
		if u == nil {
			return nil, 0
		}
		v, w := factorsOf(&g.Args.Fs[1], w)
		if v == nil {
			return nil, 0
		}
		return append(u, v...), w
	}
	return nil, 0
}

func factorsOf(e *expr.Scalar, w float64) ([]convex.Linear, float64) {
	switch {
	case len(e.Terms) == 0:
		return []convex.Linear{e.Lin}, w
	case len(e.Terms) == 1 && e.Lin.IsZero():
		return AffineFactors(e.Terms[0].F, w*e.Terms[0].W)
	}
	return nil, 0
}

// PositiveFactors turns the factors of w·u₁·…·uₙ, to be positive, so that all are, and
// reports whether that is known.
func PositiveFactors(u []convex.Linear, w float64) bool {
	open, negative := -1, w < 0
	for k := range u {
		switch i := u[k].Over(); {
		case i.Lo >= 0:
		case i.Hi <= 0:
			u[k], negative = u[k].Scale(-1), !negative
		case open >= 0:
			return false
		default:
			open = k
		}
	}
	switch {
	case !negative:
		return true
	case open < 0: // w·u₁·…·uₙ ≤ 0: no point has it
		return false
	}
	u[open] = u[open].Scale(-1)
	return true
}

// balanced are powers of two with product 1 that bring factors, whose product is of the
// size of that many times root, to one size: those without finite bounds have the share
// that the others leave.
func balanced(s *convex.Space, u []convex.Linear, root float64) []float64 {
	out := make([]float64, len(u))
	sizes, known, logs := make([]float64, len(u)), 0, 0.0
	for k := range u {
		if sizes[k] = s.Size(u[k]); sizes[k] > 0 {
			known++
			logs += math.Log2(sizes[k])
		}
	}
	mean := math.Log2(root)
	if known == len(u) {
		mean = logs / float64(known)
	}
	rest, last := 0.0, 0
	for k, size := range sizes {
		if size > 0 {
			out[k] = math.Round(mean - math.Log2(size))
			rest -= out[k]
			last = k
		}
	}
	open := len(u) - known
	for k, size := range sizes {
		if size <= 0 {
			out[k] = math.Round(rest / float64(open))
			rest, open = rest-out[k], open-1
		}
	}
	out[last] += rest
	for k, v := range out {
		out[k] = math.Exp2(v)
	}
	return out
}
