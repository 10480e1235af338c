package rule

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// TimesOf is a·b, see dc.Mul.
func TimesOf(a, b expr.Scalar) expr.Scalar {
	if err := errors.Join(a.Err, b.Err); err != nil {
		return expr.Scalar{Err: err}
	}
	switch {
	case a.IsConst():
		return b.Scale(a.Split().Lin.Const)
	case b.IsConst():
		return a.Scale(b.Split().Lin.Const)
	case a.IsAffineNow() && b.IsAffineNow():
		if w, ok := a.Lin.MultipleOf(b.Lin); ok {
			return SquareOf(b).Scale(w)
		}
		return inner(a.Lin.Number(), b.Lin.Number())
	case a.Same(&b):
		return SquareOf(a)
	}
	for _, by := range [][2]expr.Scalar{{a, b}, {a.Neg(), b.Neg()}, {b, a}, {b.Neg(), a.Neg()}} {
		if e, ok := timesLogs(by[0], by[1]); ok {
			return e
		}
	}
	of := writtenOf(atom.Inner, a, b)
	if a.WithTangents() || b.WithTangents() {
		return expr.Linearised(of, expr.ErrProduct, a, b)
	}
	s, err := productSplit(a.Split(), b.Split())
	if err != nil {
		return expr.Scalar{Err: err}
	}
	return expr.Made(of, s, a, b)
}

// timesLogs is u·(Σ cₖ·log vₖ + r) for affine u and vₖ, where u > 0 by its bounds or as one of the
// vₖ is a positive multiple of it: u·log v is −Entropy(u) − KL(u, v) + v − u.
func timesLogs(u, v expr.Scalar) (expr.Scalar, bool) {
	if !u.IsAffineNow() || v.WithFamilies() {
		return expr.Scalar{}, false
	}
	positive, c := u.Over().Lo > 0, 0.0
	rest, parts := []expr.Scalar{{Lin: v.Lin}}, []expr.Scalar{}
	for _, t := range v.Terms {
		l, isLog := logArgument(t.F)
		if !isLog {
			rest = append(rest, expr.Scalar{Terms: []expr.Term{t}, Composite: v.Composite, Of: v.Of})
			continue
		}
		c -= t.W
		if w, ok := l.MultipleOf(u.Lin); ok && w > 0 {
			positive = true
			parts = append(parts, u.Scale(-t.W*math.Log(w)))
			continue
		}
		parts = append(parts, Divergence(u, expr.OfLinear(l), true).Scale(t.W), expr.OfLinear(l).Sub(u).Scale(-t.W))
	}
	if !positive || len(rest) > len(v.Terms) {
		return expr.Scalar{}, false
	}
	if c != 0 {
		parts = append(parts, openEntropy(u).Scale(-c))
	}
	return expr.SumOf(append(parts, TimesOf(u, expr.SumOf(rest)))), true
}

// twoFactors are u and v of f = u·v.
func twoFactors(f convex.Func) (u, v expr.Scalar, ok bool) {
	switch g := f.(type) {
	case *expr.VectorAtom:
		if g.Row == atom.Inner && len(g.Args.Fs) == 2 {
			return g.Args.Fs[0], g.Args.Fs[1], true
		}
	case *expr.CurveAtom:
		if g.F.Is("square") && g.Own != nil {
			return *g.E(), *g.E(), true
		}
	}
	if a, _ := AffineFactors(f, 1); len(a) == 2 {
		return expr.OfLinear(a[0]), expr.OfLinear(a[1]), true
	}
	return expr.Scalar{}, expr.Scalar{}, false
}

// InnerOf is the inner product of as many entries each.
func InnerOf(u, v expr.Array) expr.Scalar {
	if !u.Bent() && !v.Bent() {
		return inner(u.Array, v.Array)
	}
	products := make([]expr.Scalar, u.Len())
	for k := range products {
		products[k] = TimesOf(u.Scalar(k), v.Scalar(k))
	}
	all := expr.ListOf([]int{len(products)}, products)
	return all.Sum()
}

// inner is innerOf for affine functions.
func inner(u, v convex.Array) expr.Scalar {
	u, v = u.Reshaped(u.Len()), v.Reshaped(v.Len())
	switch {
	case u.IsConst():
		return expr.OfLinear(v.Dot(u.C))
	case v.IsConst():
		return expr.OfLinear(u.Dot(v.C))
	case expr.SameEntries(&u, &v):
		return expr.Reduce(atom.SumSquares, nil, u)
	}
	return expr.AsWritten(atom.Inner, nil, innerSplit(u, v), expr.Array{Array: convex.Stack(u, v)})
}

// writtenOf makes a row of expressions with a split.
func writtenOf(row *atom.Reduce, es ...expr.Scalar) func(p expr.Parted) expr.Written {
	return func(p expr.Parted) expr.Written { return expr.NewWritten(row, nil, expr.Array{Fs: es}, &p) }
}

// innerSplit is the sum of the products that have a factor which is constant by
// the bounds of its variables, and the polarisation of the others.
func innerSplit(u, v convex.Array) expr.Split {
	var plus, minus, lins []convex.Linear
	for k := range u.C {
		a, b := u.Linear(k).Fixed(), v.Linear(k).Fixed()
		switch {
		case a.IsConst():
			lins = append(lins, b.Scale(a.Const))
		case b.IsConst():
			lins = append(lins, a.Scale(b.Const))
		default:
			α := expr.Balance(a.Over(), b.Over())
			a, b = a.Scale(α), b.Scale(1/α)
			plus, minus = append(plus, a.AddScaled(1, b)), append(minus, a.AddScaled(-1, b))
		}
	}
	s := expr.Split{Lin: convex.SumLinear(lins, nil)}
	if plus == nil {
		return s
	}
	return expr.AddSplits([]expr.Split{s, expr.Squares(convex.Entries(plus...)),
		expr.Squares(convex.Entries(minus...))}, 1, 0.25, -0.25)
}

// productSplit is the split of a product.
func productSplit(a, b *expr.Split) (expr.Split, error) {
	if a.IsConst() {
		return b.Scale(a.Lin.Const), nil
	}
	if b.IsConst() {
		return a.Scale(b.Lin.Const), nil
	}
	if a.IsAffine() && b.IsAffine() {
		return *inner(a.Lin.Number(), b.Lin.Number()).Split(), nil
	}
	x, err := expr.NonnegativeParts(a)
	if err != nil {
		return expr.Split{}, err
	}
	y, err := expr.NonnegativeParts(b)
	if err != nil {
		return expr.Split{}, err
	}
	parts := []expr.Split{
		expr.ConvexProduct(x.P, y.P), expr.ConvexProduct(x.Q, y.Q), expr.ConvexProduct(x.P,
			y.Q), expr.ConvexProduct(x.Q, y.P),
		expr.AffineProduct(x.L, y.P), expr.AffineProduct(x.L, y.Q), expr.AffineProduct(y.L,
			x.P), expr.AffineProduct(y.L, x.Q),
		*TimesOf(expr.OfLinear(x.L), expr.OfLinear(y.L)).Split(),
	}
	return expr.AddSplits(parts, 1, 1, -1, -1, 1, -1, 1, -1, 1), nil
}

// SquareOf is e².
func SquareOf(e expr.Scalar) expr.Scalar {
	switch {
	case e.Err != nil:
		return e
	case e.IsAffine():
		return expr.Reduce(atom.SumSquares, nil, e.Split().Lin.Number())
	}
	of := func(p expr.Parted) expr.Written { return expr.NewCurveAtom(expr.RowOf("square"), e, &p) }
	if e.WithTangents() {
		return expr.Linearised(of, expr.ErrProduct, e)
	}
	s, err := expr.SquareSplit(e.Split())
	if err != nil {
		return expr.Scalar{Err: err}
	}
	return expr.Made(of, s, e)
}
