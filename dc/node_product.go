package dc

import (
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Mul returns x·y. Affine functions are multiplied by polarisation, see Inner.
// Other factors are written as P − Q + l with convex P, Q ≥ 0 and an affine l,
// and the products are split one by one: of P and Q by 2PQ = (P + Q)² − P² − Q²,
// of P and l by the bounds of l or, where it has none, by l = l₊ − (−l)₊. An affine x that
// stands in a logarithm of y, as in x·log(x/z), gives entropies and divergences.
//
//	arguments  x, y: arrays, entry by entry
//	curvature  DC; convex or concave where one factor is a multiple of the other
//	sign       any; nonnegative or nonpositive where one factor is a multiple of the other
//	monotone   x: none, by sign where y is a multiple of x; y: none
//	domain     all
//	takes      any with a split whose product has one
//	refuses    factors without a bound that the split needs
//	form       quadratic
//	source     Horst and Thoai 1999, section 2
func Mul(x, y Expr) Expr { return pairwise("product", x, y, timesOf) }

func timesOf(a, b scalar) scalar {
	if err := errors.Join(a.err, b.err); err != nil {
		return scalar{err: err}
	}
	switch {
	case a.IsConst():
		return b.Scale(a.split().lin.Const)
	case b.IsConst():
		return a.Scale(b.split().lin.Const)
	case a.isAffineNow() && b.isAffineNow():
		if w, ok := a.lin.MultipleOf(b.lin); ok {
			return squareOf(b).Scale(w)
		}
		return inner(a.lin.Number(), b.lin.Number())
	case a.same(&b):
		return squareOf(a)
	}
	for _, by := range [][2]scalar{{a, b}, {a.Neg(), b.Neg()}, {b, a}, {b.Neg(), a.Neg()}} {
		if e, ok := timesLogs(by[0], by[1]); ok {
			return e
		}
	}
	of := func(p parted) written { return newWritten(atom.Inner, nil, []scalar{a, b}, &p) }
	if a.withTangents() || b.withTangents() {
		return linearised(of, errProduct, a, b)
	}
	s, err := productSplit(a.split(), b.split())
	if err != nil {
		return scalar{err: err}
	}
	return made(of, s, a, b)
}

// timesLogs is u·(Σ cₖ·log vₖ + r) for affine u and vₖ, where u > 0 by its bounds or as one of the
// vₖ is a positive multiple of it: u·log v is −Entropy(u) − KL(u, v) + v − u.
func timesLogs(u, v scalar) (scalar, bool) {
	if !u.isAffineNow() || v.withFamilies() {
		return scalar{}, false
	}
	positive, c := u.Range().Lo > 0, 0.0
	rest, parts := []scalar{{lin: v.lin}}, []scalar{}
	for _, t := range v.terms {
		l, isLog := logArgument(t.f)
		if !isLog {
			rest = append(rest, scalar{terms: []term{t}, composite: v.composite, of: v.of})
			continue
		}
		c -= t.w
		if w, ok := l.MultipleOf(u.lin); ok && w > 0 {
			positive = true
			parts = append(parts, u.Scale(-t.w*math.Log(w)))
			continue
		}
		parts = append(parts, divergence(u, linearExpr(l), true).Scale(t.w), linearExpr(l).Sub(u).Scale(-t.w))
	}
	if !positive || len(rest) > len(v.terms) {
		return scalar{}, false
	}
	if c != 0 {
		parts = append(parts, openEntropy(u).Scale(-c))
	}
	return sumExprs(append(parts, timesOf(u, sumExprs(rest)))), true
}

// twoFactors are u and v of f = u·v.
func twoFactors(f convex.Func) (u, v scalar, ok bool) {
	switch g := f.(type) {
	case *vectorAtom:
		if g.row == atom.Inner && len(g.items) == 2 {
			return g.items[0], g.items[1], true
		}
	case *curveAtom:
		if g.f.is("square") && g.own != nil {
			return *g.e(), *g.e(), true
		}
	}
	if a, _ := affineFactors(f, 1); len(a) == 2 {
		return linearExpr(a[0]), linearExpr(a[1]), true
	}
	return scalar{}, scalar{}, false
}

// Inner is the sum of uₖ·vₖ: uv = ((αu + v/α)² − (αu − v/α)²)/4, with an α that
// gives both factors ranges of one width.
//
//	arguments  u, v: arrays with as many entries
//	curvature  DC
//	sign       any
//	monotone   u: none; v: none
//	domain     all
//	takes      any whose products have splits
//	refuses    arrays with another number of entries
//	form       quadratic
//	source     Horst and Thoai 1999, section 2
func Inner(u, v Expr) Expr {
	switch err := errors.Join(u.Err(), v.Err()); {
	case err != nil:
		return wrong(err)
	case u.Len() != v.Len():
		return failed("inner product of shapes %v and %v", u.arr.Shape, v.arr.Shape)
	}
	return number(innerOf(u.list(), v.list()))
}

// innerOf is the inner product of as many entries each.
func innerOf(u, v array) scalar {
	if !u.bent() && !v.bent() {
		return inner(u.Array, v.Array)
	}
	products := make([]scalar, u.Len())
	for k := range products {
		products[k] = timesOf(u.scalar(k), v.scalar(k))
	}
	all := listOf([]int{len(products)}, products)
	return all.sum()
}

// inner is innerOf for affine functions.
func inner(u, v convex.Array) scalar {
	u, v = u.Reshaped(u.Len()), v.Reshaped(v.Len())
	switch {
	case u.IsConst():
		return linearExpr(v.Dot(u.C))
	case v.IsConst():
		return linearExpr(u.Dot(v.C))
	case sameEntries(&u, &v):
		return reduce(atom.SumSquares, nil, u)
	}
	both := convex.Stack(u, v)
	f, own := newVectorAtom(atom.Inner, nil, both), newParted(innerSplit(u, v))
	f.own = func() *parted { return &own }
	return node(f, both.Of)
}

// innerSplit is the sum of the products that have a factor which is constant by
// the bounds of its variables, and the polarisation of the others.
func innerSplit(u, v convex.Array) split {
	var plus, minus, lins []convex.Linear
	for k := range u.C {
		a, b := u.Linear(k).Fixed(), v.Linear(k).Fixed()
		switch {
		case a.IsConst():
			lins = append(lins, b.Scale(a.Const))
		case b.IsConst():
			lins = append(lins, a.Scale(b.Const))
		default:
			α := balance(a.Over(), b.Over())
			a, b = a.Scale(α), b.Scale(1/α)
			plus, minus = append(plus, a.AddScaled(1, b)), append(minus, a.AddScaled(-1, b))
		}
	}
	s := split{lin: convex.SumLinear(lins, slices.Repeat([]float64{1}, len(lins)))}
	if plus == nil {
		return s
	}
	return addSplits([]split{s, squares(convex.Entries(plus...)), squares(convex.Entries(minus...))}, 1, 0.25, -0.25)
}

// squares is the sum of squares as a split.
func squares(a convex.Array) split {
	f := newVectorAtom(atom.SumSquares, nil, a)
	if a.IsConst() {
		return split{lin: convex.Linear{Const: f.Value(nil)}}
	}
	return convexSplit(f)
}

// balance is the power of two nearest to the α with which αu and v/α have ranges
// of one width; 1 where one has no finite width, or is constant.
func balance(u, v interval.Interval) float64 {
	ratio := (v.Hi - v.Lo) / (u.Hi - u.Lo)
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return 1
	}
	return math.Exp2(math.Round(math.Log2(ratio) / 2))
}

var errProduct = errors.New("dc: no split is known for this product or square: a factor is not bounded from below; " +
	"give its variables bounds")

// signedParts is a function as p − q + l with convex p, q ≥ 0.
type signedParts struct {
	p, q split
	l    convex.Linear
}

// nonnegativeParts lifts the convex functions of a split to where they are ≥ 0:
// by the lower ends of their ranges or, where there are none, by a tangent. An
// affine part that is bounded on one side goes with them; then l is constant.
func nonnegativeParts(s *split) (signedParts, error) {
	out := signedParts{l: s.lin}
	for side, terms := range [2][]term{s.g, s.h} {
		sign, part := 1-2*float64(side), &out.p
		if side == 1 {
			part = &out.q
		}
		for _, t := range terms {
			low := convex.Linear{Const: convex.RangeOf(t.f).Lo}
			if math.IsInf(low.Const, 0) {
				var ok bool
				if low, ok = minorant(t.f); !ok {
					return out, errProduct
				}
			}
			part.g = append(part.g, t)
			part.lin = part.lin.AddScaled(-t.w, low)
			out.l = out.l.AddScaled(sign*t.w, low)
		}
	}
	switch i := out.l.Over(); {
	case out.l.IsConst():
	case !math.IsInf(i.Lo, 0):
		out.p.lin = out.p.lin.AddScaled(1, out.l).AddScaled(-1, convex.Linear{Const: i.Lo})
		out.l = convex.Linear{Const: i.Lo}
	case !math.IsInf(i.Hi, 0):
		out.q.lin = out.q.lin.AddScaled(-1, out.l).AddScaled(1, convex.Linear{Const: i.Hi})
		out.l = convex.Linear{Const: i.Hi}
	}
	return out, nil
}

// minorant is a tangent of f: an affine function below it.
func minorant(f convex.Func) (convex.Linear, bool) {
	idx := f.Support()
	if len(idx) == 0 {
		return convex.Linear{}, false
	}
	n := idx[len(idx)-1] + 1
	x, grad := make([]float64, n), make([]float64, n)
	for _, at := range []float64{0, 1, 0.5, 2} { // until one is in the domain
		for _, j := range idx {
			x[j] = at
		}
		if r, ok := f.(convex.Restricted); ok && !r.Inside(x) {
			continue // the slope may be infinite
		}
		v := f.Value(x)
		clear(grad)
		f.AddSubgrad(grad, 1, x)
		l := convex.Linear{Const: v}
		for _, j := range idx {
			l.Const -= grad[j] * x[j]
			if grad[j] != 0 {
				l.Idx, l.Val = append(l.Idx, j), append(l.Val, grad[j])
			}
		}
		if !convex.NotFinite(l) {
			return l, true
		}
	}
	return convex.Linear{}, false
}

// productSplit is the split of a product.
func productSplit(a, b *split) (split, error) {
	if a.isConst() {
		return b.scale(a.lin.Const), nil
	}
	if b.isConst() {
		return a.scale(b.lin.Const), nil
	}
	if a.isAffine() && b.isAffine() {
		return *inner(a.lin.Number(), b.lin.Number()).split(), nil
	}
	x, err := nonnegativeParts(a)
	if err != nil {
		return split{}, err
	}
	y, err := nonnegativeParts(b)
	if err != nil {
		return split{}, err
	}
	parts := []split{
		convexProduct(x.p, y.p), convexProduct(x.q, y.q), convexProduct(x.p, y.q), convexProduct(x.q, y.p),
		affineProduct(x.l, y.p), affineProduct(x.l, y.q), affineProduct(y.l, x.p), affineProduct(y.l, x.q),
		*timesOf(linearExpr(x.l), linearExpr(y.l)).split(),
	}
	return addSplits(parts, 1, 1, -1, -1, 1, -1, 1, -1, 1), nil
}

// convexProduct is p·q for convex p, q ≥ 0.
func convexProduct(p, q split) split {
	switch {
	case p.isConst():
		return q.scale(p.lin.Const)
	case q.isConst():
		return p.scale(q.lin.Const)
	}
	α := balance(p.Over(), q.Over())
	u, v := p.scale(α), q.scale(1/α)
	both := addSplits([]split{u, v})
	return addSplits([]split{convexSquare(both), convexSquare(u), convexSquare(v)}, 0.5, -0.5, -0.5)
}

// affineProduct is l·p for a convex p ≥ 0.
func affineProduct(l convex.Linear, p split) split {
	i := l.Over()
	switch {
	case l.IsConst():
		return p.scale(l.Const)
	case p.isConst():
		return (&split{lin: l}).scale(p.lin.Const)
	case !math.IsInf(i.Lo, 0):
		return addSplits([]split{convexProduct(split{lin: l.AddScaled(-1, convex.Linear{Const: i.Lo})}, p), p}, 1, i.Lo)
	case !math.IsInf(i.Hi, 0):
		return addSplits([]split{convexProduct(split{lin: convex.Linear{Const: i.Hi}.AddScaled(-1, l)}, p), p}, -1,
			i.Hi)
	}
	return addSplits([]split{convexProduct(positivePart(l), p), convexProduct(positivePart(l.Scale(-1)), p)}, 1, -1)
}

// positivePart is max(l, 0).
func positivePart(l convex.Linear) split {
	return convexSplit(newMaxOfAffine([]convex.Linear{l, {}}))
}

// convexSquare is p² for a convex p ≥ 0.
func convexSquare(p split) split {
	if p.isAffine() {
		return squares(p.lin.Number())
	}
	return convexSplit(newCurveAtom(rowOf("square"), p.expr(), nil))
}

// squareSplit is s² for any s.
func squareSplit(s *split) (split, error) {
	if s.isAffine() {
		return squares(s.lin.Number()), nil
	}
	if s.nonnegative() {
		return convexSquare(*s), nil
	}
	if t := s.scale(-1); t.nonnegative() {
		return convexSquare(t), nil
	}
	x, err := nonnegativeParts(s)
	if err != nil {
		return split{}, err
	}
	if s.isConvex() || s.isConcave() { // ±s = lo + t: t² + 2lo·t + lo²
		t := *s
		if s.isConcave() {
			t = s.scale(-1)
		}
		if lo := t.Over().Lo; !math.IsInf(lo, 0) {
			t.lin = t.lin.AddScaled(-1, convex.Linear{Const: lo})
			return addSplits([]split{convexSquare(t), t, {lin: convex.Linear{Const: lo * lo}}}, 1, 2*lo, 1), nil
		}
	}
	// (p − q + l)² = (p − q)² + 2l(p − q) + l².
	out := []split{
		convexSquare(x.p), convexSquare(x.q), convexProduct(x.p, x.q),
		affineProduct(x.l, x.p), affineProduct(x.l, x.q), squares(x.l.Number()),
	}
	return addSplits(out, 1, 1, -2, 2, -2, 1), nil
}

func productAtoms() []constructor {
	return []constructor{
		{op: "mul", args: 2, make: func(args []Expr, _ []float64) Expr { return Mul(args[0], args[1]) }},
		{op: "cost", args: 2, make: func([]Expr, []float64) Expr {
			return failed("costs are stated by Model.AddCost")
		}},
		{op: "sum", args: 1, make: func(args []Expr, _ []float64) Expr { return Sum(args[0]) }},
	}
}

func squareOf(e scalar) scalar {
	switch {
	case e.err != nil:
		return e
	case e.IsAffine():
		return reduce(atom.SumSquares, nil, e.split().lin.Number())
	}
	of := func(p parted) written { return newCurveAtom(rowOf("square"), e, &p) }
	if e.withTangents() {
		return linearised(of, errProduct, e)
	}
	s, err := squareSplit(e.split())
	if err != nil {
		return scalar{err: err}
	}
	return made(of, s, e)
}
