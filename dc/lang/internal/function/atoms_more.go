package function

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// relative serves functions of two numbers, entry by entry: f on data, apply on affine
// functions.
func relative(f func(x, y float64) float64, apply func(x, y dc.Expr) dc.Expr) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		vs := []value.Value{affineArg(ev, n, args, 0), affineArg(ev, n, args, 1)}
		shape := ev.Common(n, n.Args, vs)
		x, y := &vs[0], &vs[1]
		total := ev.Room(n, shape)
		if x.IsData() && y.IsData() {
			out := make([]float64, total)
			for k := range out {
				out[k] = f(x.At(min(k, x.Len()-1)), y.At(min(k, y.Len()-1)))
			}
			return ev.Finite(n, value.Array(shape, out))
		}
		atLeastZero(ev, n, 0, x)
		atLeastZero(ev, n, 1, y)
		return value.FromEach(shape, ev.Afford(n, x.Costs().Plus(y.Costs()).Times(1)), func(k int) dc.Expr {
			i, j := min(k, x.Len()-1), min(k, y.Len()-1)
			if b, fixed := y.Fixed(j); fixed && b == 0 {
				ev.FailDomain(n.Args[1], "%s needs arguments >= 0 and a second one > 0, but %s", n.Name,
					hasEntry(ev, n.Args[1], y, 0))
			}
			e := apply(x.Expr(i), y.Expr(j))
			inDomain(ev, n, e)
			return e
		})
	}
}

// relEntropy is x·log(x/y), the divergence without its affine part.
func relEntropy(x, y dc.Expr) dc.Expr { return dc.Sum(dc.KL(x, y), x).Sub(y) }

// relativeEntropy has no value outside of its domain, x >= 0 and y > 0.
func relativeEntropy(x, y float64) float64 {
	switch {
	case !(x >= 0 && y > 0):
		return math.NaN()
	case x == 0:
		return 0
	}
	return x * math.Log(x/y)
}

func divergence(x, y float64) float64 { return relativeEntropy(x, y) - x + y }

// atLeastZero refuses an argument with an entry that is the same everywhere, and
// negative: there the atom would have no value anywhere.
func atLeastZero(ev *eval.Evaluator, n *syntax.Node, arg int, v *value.Value) {
	for k := range v.Len() {
		if a, fixed := v.Fixed(k); fixed && a < 0 {
			ev.FailDomain(n.Args[arg], "%s needs arguments >= 0, but %s", n.Name, hasEntry(ev, n.Args[arg], v, a))
		}
	}
}

// hasEntry says where a number comes from.
func hasEntry(ev *eval.Evaluator, n *syntax.Node, v *value.Value, x float64) string {
	if v.Len() == 1 {
		return fmt.Sprintf("%s is %g", n, x)
	}
	return fmt.Sprintf("%s has the entry %g", n, x)
}

// inDomain refuses an atom whose constant argument lies outside of its domain.
func inDomain(ev *eval.Evaluator, n *syntax.Node, e dc.Expr) {
	if err := e.Err(); err != nil {
		ev.Fail(n, "", "%s: %s", n, eval.Cause(err))
	}
}

// fnQuadOverLin is the sum of squares of the first argument over the second.
func fnQuadOverLin(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	x, y := args[0], args[1]
	if y.Len() != 1 {
		ev.Fail(n.Args[1], "", "the denominator of quadoverlin must be one number, but %s is %s", n.Args[1], y.Shape)
	}
	if x.Sort == value.Expressions || y.Sort == value.Expressions {
		e := dc.QuadOverLin(x.Function(), y.Expr(0))
		if c := y.Curvature(); e.Err() != nil && (c == value.Convex || c == value.DC) {
			noSplit(ev, n, n.Args[1], y, "quadoverlin needs a concave denominator, %s is %s", n.Args[1],
				y.CurvatureWord())
		}
		return composed(ev, n, x, "convex nonnegative entries", e)
	}
	if !x.IsData() || !y.IsData() {
		if d, fixed := y.Fixed(0); fixed && !(d > 0) {
			ev.FailDomain(n.Args[1], "quadoverlin needs a denominator > 0, but %s is %g", n.Args[1], d)
		}
		return ev.Atom(n, dc.QuadOverLin(x.Function().Reshape(x.Len()), y.Expr(0)),
			x.Costs().Weight+y.Costs().Weight)
	}
	s := 0.0
	for _, v := range x.Numbers() {
		s += v * v
	}
	return ev.Finite(n, value.Number(s*valuesOf(atom.Find("power"), -1)(y.At(0))))
}

// fnGeoMean is the geometric mean of all entries of all arguments.
func fnGeoMean(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	var parts []dc.Expr
	data, all, count := true, value.Cost{}, 0
	for _, v := range args {
		data, count, all = data && v.IsData(), count+v.Len(), all.Plus(v.Costs())
		parts = append(parts, v.Function().Reshape(v.Len()))
	}
	ev.Spend(n, count)
	switch {
	case count == 0:
		ev.Fail(n, "", "geomean of nothing")
	case data:
		s := 0.0
		for k := range args {
			for _, x := range args[k].Numbers() {
				s += math.Log(x)
			}
		}
		return ev.Finite(n, value.Number(math.Exp(s/float64(count))))
	}
	top := value.Numbers
	for k, v := range args {
		if c := v.Curvature(); c == value.Convex || c == value.DC {
			noSplit(ev, n, n.Args[k], v, "geomean needs concave entries, %s is %s", n.Args[k], v.CurvatureWord())
		}
		if top = max(top, v.Sort); v.Sort != value.Expressions {
			atLeastZero(ev, n, k, &v)
		}
	}
	e := dc.GeoMean(dc.Stack(parts...))
	if top != value.Expressions {
		return ev.Atom(n, e, all.Weight)
	}
	inDomain(ev, n, e)
	all.Parts = all.Parts*max(1, count) + count + 2
	return value.FromExpr(e, ev.Afford(n, all.Capped()))
}
