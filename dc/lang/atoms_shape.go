package lang

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// fnNorm is the p-norm of all entries, p = 2 where it is left out.
func (ev *evaluator) fnNorm(n *syntax.Node, args []value.Value) value.Value {
	v, p := args[0], 2.0
	if len(args) == 2 {
		p = ev.limit(n.Args[1], args[1], "the order of a norm")
	}
	switch {
	case !(p >= 1):
		ev.fail(n.Args[1], "", "the order of a norm must be at least 1, not %s", ev.is(n.Args[1], p))
	case v.Sort != value.Expressions:
		out := ev.atom(n, dc.NormP(v.Affine(), p), v.Costs().Weight)
		c := out.Costs()
		if math.IsInf(p, 1) {
			c.Pieces = ev.afford(n, value.Cost{Pieces: 2 * v.Len()}).Pieces
		}
		return out.Costed(c)
	case p == 1:
		return ev.addUp(n, ev.absolute(n, v))
	case math.IsInf(p, 1):
		return ev.foldEntries(n, "max", ev.absolute(n, v))
	}
	return ev.composed(n, v, "convex nonnegative entries", dc.NormPOf(value.Operands(&v), p))
}

// fnWeightedGeoMean is the geometric mean of the entries of the first argument,
// with the weights that the second one has.
func (ev *evaluator) fnWeightedGeoMean(n *syntax.Node, args []value.Value) value.Value {
	v, w := args[0], ev.numeric(n.Args[1], args[1], "the weights of wgeomean")
	if !slices.Equal(v.Shape, w.Shape) {
		ev.shapesDiffer(n, n.Args[0], n.Args[1], &v, &w)
	}
	total := 0.0
	for _, x := range w.Numbers() {
		if !(x >= 0) {
			ev.fail(n.Args[1], "", "the weights of wgeomean must be >= 0, but %s", ev.hasEntry(n.Args[1], &w, x))
		}
		total += x
	}
	if !(total > 0) || math.IsInf(total, 1) {
		ev.fail(n.Args[1], "", "the weights of wgeomean need a sum > 0, but that of %s is %g", ev.say(n.Args[1]), total)
	}
	if v.IsData() {
		s := 0.0
		for k, x := range v.Numbers() {
			if w.At(k) > 0 {
				s += w.At(k) / total * math.Log(x)
			}
		}
		return ev.finite(n, value.Number(math.Exp(s)))
	}
	if v.Sort != value.Expressions {
		ev.atLeastZero(n, 0, &v)
		return ev.atom(n, dc.WeightedGeoMean(v.Affine(), w.Numbers()), v.Costs().Weight)
	}
	return ev.composed(n, v, "concave entries", dc.WeightedGeoMeanOf(value.Operands(&v), w.Numbers()))
}

// fnCumSum is the vector of the sums of the first entries.
func (ev *evaluator) fnCumSum(n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) > 1 {
		ev.fail(n, "", "cumsum takes a vector, but %s is %s", ev.say(n.Args[0]), value.ShapeText(v.Shape))
	}
	d := v.Len()
	ev.spend(n, d)
	switch v.Sort {
	case value.Numbers:
		out, s := make([]float64, d), 0.0
		for k, x := range v.Numbers() {
			s += x
			out[k] = s
		}
		return ev.finite(n, value.Vector(out))
	case value.AffineFunctions:
		rows := make([]dc.Linear, d)
		for k := range rows {
			rows[k] = v.Linear(k)
			if k > 0 {
				rows[k] = rows[k-1].AddScaled(1, rows[k])
			}
			ev.spend(n, unitsCoeff*len(rows[k].Idx))
		}
		return value.FromAffine(dc.Entries(rows...))
	}
	c := v.Costs()
	c.Parts, c.Weight = c.Parts*d, c.Weight*d
	c = ev.afford(n, c.Capped())
	es := make([]dc.Expr, d)
	for k := range es {
		ev.spend(n, k)
		es[k] = ev.combine(n, "sum", v.Exprs[:k+1])
	}
	return value.FromExprs([]int{d}, es, c)
}

// fnReshape is the entries, in row-major order, in another shape.
func (ev *evaluator) fnReshape(n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	shape := make([]int, len(n.Args)-1)
	for k, a := range n.Args[1:] {
		shape[k] = ev.dimension(a, args[k+1])
	}
	if ev.fits(n, shape) != v.Len() {
		ev.fail(n, "", "%s has %s and does not fit %s", ev.say(n.Args[0]), count(v.Len(), "entry", "entries"), value.ShapeText(shape))
	}
	ev.spend(n, v.Len())
	return v.Reshape(shape...)
}
