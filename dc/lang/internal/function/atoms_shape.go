package function

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// fnNorm is the p-norm of all entries, p = 2 where it is left out.
func fnNorm(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	return normOf(ev, n, args[0], normOrder(ev, n, args))
}

func normOrder(ev *eval.Evaluator, n *syntax.Node, args []value.Value) float64 {
	if len(args) < 2 {
		return 2
	}
	p := ev.Limit(n.Args[1], args[1], "the order of a norm")
	if !(p >= 1) {
		ev.Fail(n.Args[1], "", "the order of a norm must be at least 1, not %s", ev.Is(n.Args[1], p))
	}
	return p
}

// fnWeightedGeoMean is the geometric mean of the entries of the first argument,
// with the weights that the second one has.
func fnWeightedGeoMean(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v, w := args[0], ev.Numeric(n.Args[1], args[1], "the weights of wgeomean")
	if !slices.Equal(v.Shape, w.Shape) {
		ev.ShapesDiffer(n, n.Args[0], n.Args[1], &v, &w)
	}
	total := 0.0
	for _, x := range w.Numbers() {
		if !(x >= 0) {
			ev.Fail(n.Args[1], "", "the weights of wgeomean must be >= 0, but %s", hasEntry(ev, n.Args[1], &w, x))
		}
		total += x
	}
	if !(total > 0) || math.IsInf(total, 1) {
		ev.Fail(n.Args[1], "", "the weights of wgeomean need a sum > 0, but that of %s is %g", n.Args[1], total)
	}
	if v.IsData() {
		s := 0.0
		for k, x := range v.Numbers() {
			if w.At(k) > 0 {
				s += w.At(k) / total * math.Log(x)
			}
		}
		return ev.Finite(n, value.Number(math.Exp(s)))
	}
	if v.Sort != value.Expressions {
		atLeastZero(ev, n, 0, &v)
	}
	return composed(ev, n, v, "concave entries", dc.WeightedGeoMean(v.Function(), w.Numbers()))
}

// fnCumSum is the vector of the sums of the first entries.
func fnCumSum(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) > 1 {
		ev.Fail(n, "", "cumsum takes a vector, but %s is %s", n.Args[0], v.Shape)
	}
	d := v.Len()
	ev.Spend(n, d)
	if v.IsData() {
		out, s := make([]float64, d), 0.0
		for k, x := range v.Numbers() {
			s += x
			out[k] = s
		}
		return ev.Finite(n, value.Vector(out))
	}
	c := lifted(ev, n, v).Cost
	es := make([]dc.Expr, d)
	for k := range es {
		if es[k] = v.Expr(k); k > 0 {
			es[k] = es[k-1].Add(es[k])
		}
		ev.Spend(n, k+eval.UnitsCoeff*es[k].NNZ())
	}
	return value.FromExpr(dc.Stack(es...), c)
}

// fnReshape is the entries, in row-major order, in another shape.
func fnReshape(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	shape := make([]int, len(n.Args)-1)
	for k, a := range n.Args[1:] {
		shape[k] = ev.Dimension(a, args[k+1])
	}
	if ev.Fits(n, shape) != v.Len() {
		ev.Fail(n, "", "%s has %s and does not fit %s", n.Args[0], eval.Count(v.Len(), "entry", "entries"),
			value.Shape(shape))
	}
	ev.Spend(n, v.Len())
	return v.Reshape(shape...)
}
