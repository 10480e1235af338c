package lang

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// fnNorm is the p-norm of all entries, p = 2 where it is left out.
func (ev *evaluator) fnNorm(n *syntax.Node, args []value) value {
	v, p := args[0], 2.0
	if len(args) == 2 {
		p = ev.limit(n.Args[1], args[1], "the order of a norm")
	}
	switch {
	case !(p >= 1):
		ev.fail(n.Args[1], "", "the order of a norm must be at least 1, not %s", ev.is(n.Args[1], p))
	case v.sort != general:
		out := ev.atom(n, dc.NormP(v.affine(), p), v.costs().weight)
		c := out.costs()
		if math.IsInf(p, 1) {
			c.pieces = ev.afford(n, cost{pieces: 2 * v.len()}).pieces
		}
		return out.costed(c)
	case p == 1:
		return ev.addUp(n, ev.absolute(n, v))
	case math.IsInf(p, 1):
		return ev.foldEntries(n, "max", ev.absolute(n, v))
	}
	return ev.composed(n, v, "convex nonnegative entries", dc.NormPOf(operands(&v), p))
}

// fnWeightedGeoMean is the geometric mean of the entries of the first argument,
// with the weights that the second one has.
func (ev *evaluator) fnWeightedGeoMean(n *syntax.Node, args []value) value {
	v, w := args[0], ev.numeric(n.Args[1], args[1], "the weights of wgeomean")
	if !slices.Equal(v.shape, w.shape) {
		ev.shapesDiffer(n, n.Args[0], n.Args[1], &v, &w)
	}
	total := 0.0
	for _, x := range w.numbers() {
		if !(x >= 0) {
			ev.fail(n.Args[1], "", "the weights of wgeomean must be >= 0, but %s", ev.hasEntry(n.Args[1], &w, x))
		}
		total += x
	}
	if !(total > 0) || math.IsInf(total, 1) {
		ev.fail(n.Args[1], "", "the weights of wgeomean need a sum > 0, but that of %s is %g", ev.say(n.Args[1]), total)
	}
	if v.isData() {
		s := 0.0
		for k, x := range v.numbers() {
			if w.at(k) > 0 {
				s += w.at(k) / total * math.Log(x)
			}
		}
		return ev.finite(n, number(math.Exp(s)))
	}
	if v.sort != general {
		ev.atLeastZero(n, 0, &v)
		return ev.atom(n, dc.WeightedGeoMean(v.affine(), w.numbers()), v.costs().weight)
	}
	return ev.composed(n, v, "concave entries", dc.WeightedGeoMeanOf(operands(&v), w.numbers()))
}

// fnCumSum is the vector of the sums of the first entries.
func (ev *evaluator) fnCumSum(n *syntax.Node, args []value) value {
	v := args[0]
	if len(v.shape) > 1 {
		ev.fail(n, "", "cumsum takes a vector, but %s is %s", ev.say(n.Args[0]), shapeText(v.shape))
	}
	d := v.len()
	ev.spend(n, d)
	switch v.sort {
	case numbers:
		out, s := make([]float64, d), 0.0
		for k, x := range v.numbers() {
			s += x
			out[k] = s
		}
		return ev.finite(n, vector(out))
	case affine:
		rows := make([]dc.Linear, d)
		for k := range rows {
			rows[k] = v.linear(k)
			if k > 0 {
				rows[k] = rows[k-1].AddScaled(1, rows[k])
			}
			ev.spend(n, unitsCoeff*len(rows[k].Idx))
		}
		return fromAffine(dc.Entries(rows...))
	}
	c := v.costs()
	c.parts, c.weight = c.parts*d, c.weight*d
	c = ev.afford(n, c.capped())
	es := make([]dc.Expr, d)
	for k := range es {
		ev.spend(n, k)
		es[k] = ev.combine(n, "sum", v.exprs[:k+1])
	}
	return fromExprs([]int{d}, es, c)
}

// fnReshape is the entries, in row-major order, in another shape.
func (ev *evaluator) fnReshape(n *syntax.Node, args []value) value {
	v := args[0]
	shape := make([]int, len(n.Args)-1)
	for k, a := range n.Args[1:] {
		shape[k] = ev.dimension(a, args[k+1])
	}
	if ev.fits(n, shape) != v.len() {
		ev.fail(n, "", "%s has %s and does not fit %s", ev.say(n.Args[0]), count(v.len(), "entry", "entries"), shapeText(shape))
	}
	ev.spend(n, v.len())
	return v.reshape(shape...)
}
