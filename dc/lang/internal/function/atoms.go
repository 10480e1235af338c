package function

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// noSplit reports that an atom of an argument has no split.
func noSplit(ev *eval.Evaluator, n, arg *syntax.Node, v value.Value, format string, args ...any) {
	help := "give the variables bounds; dc(g, h) states a split by hand"
	switch c := v.Curvature(); {
	case (n.Name == "sqrt" || n.Op == syntax.OpPower) && arg.Op == syntax.OpMul && v.Len() == 1:
		help = fmt.Sprintf("use geomean(%s, %s) for factors >= 0, or dc(g, h)", arg.Args[0], arg.Args[1])
	case n.Name == "sqrt" && c == value.DC:
		help = fmt.Sprintf("bound it by a variable t >= 0 with t^2 <= %s", arg)
	}
	ev.FailWith(n, help, []syntax.Note{ev.Note(arg, v.CurvatureNote())}, "no DC split for %s: %s", n,
		fmt.Sprintf(format, args...))
}

// affineArg is argument k, which must be affine.
func affineArg(ev *eval.Evaluator, n *syntax.Node, args []value.Value, k int) value.Value {
	v, arg := args[k].AsAffine(), n.Args[k]
	if v.Sort == value.Expressions {
		noSplit(ev, n, arg, v, "%s needs an affine argument, %s is %s", n.Name, arg, v.CurvatureWord())
	}
	return v
}

func positive(x float64) float64 { return max(x, 0) }

// twoPieces serves functions of two affine pieces: f of data, apply of expressions.
func twoPieces(f func(float64) float64, apply func(dc.Expr) dc.Expr) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		out := applyCurve(ev, n, n.Args[0], n.Name, "", args[0], 3, f, apply)
		c := out.Costs()
		c.Pieces *= 2
		return out.Costed(c)
	}
}

func fnSquare(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	return squares(ev, n, n.Args[0], args[0])
}

// squares is v², entry by entry.
func squares(ev *eval.Evaluator, n, arg *syntax.Node, v value.Value) value.Value {
	if v.IsData() {
		return ev.EachNumber(n, v, func(x float64) float64 { return x * x })
	}
	c := ev.Afford(n, v.Costs().Times(4))
	ev.Spend(n, v.Len())
	return v.Map(c, dc.Square, func(dc.Expr, error) {
		noSplit(ev, n, arg, v, "a part of %s is not bounded from below", arg)
	})
}

// curve serves atoms of single numbers: a row of the table of functions on data, apply on
// expressions, which must be as need says; empty: as the error says.
func curve(
	name string, p float64, need string, apply func(dc.Expr) dc.Expr,
) eval.Apply {
	f := valuesOf(atom.Find(name), p)
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		return applyCurve(ev, n, n.Args[0], n.Name, need, args[0], 1, f, apply)
	}
}

// row serves a row of the table of functions. The curvature that its argument must have follows
// from its own, unless its split comes from bounds.
func row(c *atom.Curve) eval.Apply {
	need := ""
	if w := c.Words("x"); !c.ByBounds() {
		need = "an affine"
		if w.Monotone == "nondecreasing" {
			need = "a " + w.Curvature
		}
	}
	return curve(c.Name, 0, need, func(u dc.Expr) dc.Expr {
		return dc.Apply(c.Name, nil, u)
	})
}

// rowOfArray serves a row of the table of functions of several numbers.
func rowOfArray(f *atom.Reduce) eval.Apply {
	need := map[atom.Monotone]string{
		atom.None: "affine entries", atom.Rising: "convex entries", atom.Outward: "convex nonnegative entries",
		atom.Falling: "concave entries",
	}[f.Entry(0).Monotone]
	if f.Curvature < 0 {
		need = "concave entries"
	}
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		return composed(ev, n, args[0], need, dc.Apply(f.Name, nil, args[0].Function()))
	}
}

// reason is the part of an error behind "no DC split for f of this".
func reason(err error) string {
	text := eval.Cause(err)
	if _, after, ok := strings.Cut(text, " of this: "); ok {
		return after
	}
	return text
}

// valuesOf is a row of the table of functions, NaN outside of its domain.
func valuesOf(row *atom.Curve, p float64) func(float64) float64 {
	return func(x float64) float64 {
		if !row.In(interval.Whole, p).Contains(x) {
			return math.NaN()
		}
		return row.Value.At(x, p)
	}
}

// applyCurve applies an atom of one number to every entry: f to data, apply to
// expressions. grow is the number of convex terms that it creates per entry.
func applyCurve(ev *eval.Evaluator, n, arg *syntax.Node, name, need string, v value.Value, grow int,
	f func(float64) float64, apply func(dc.Expr) dc.Expr) value.Value {
	if v.IsData() {
		return ev.EachNumber(n, v, f)
	}
	c := ev.Afford(n, v.Costs().Times(grow))
	ev.Spend(n, v.Len())
	return v.Map(c, apply, func(u dc.Expr, err error) {
		switch {
		case u.IsConst():
			ev.FailDomain(n, "%s: %s", n, eval.Cause(err))
		case need == "":
			noSplit(ev, n, arg, v, "%s", reason(err))
		default:
			noSplit(ev, n, arg, v, "%s needs %s argument, %s is %s", name, need, arg, v.CurvatureWord())
		}
	})
}

func fnHuber(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v, m := args[0], 1.0
	if len(args) > 1 {
		m = threshold(ev, n, args[1])
	}
	values := valuesOf(atom.Find("huber"), m)
	of := func(e dc.Expr) dc.Expr { return dc.Huber(e.Reshape(e.Len(), 1).Along(1), m).Reshape(e.Shape()...) }
	return applyCurve(ev, n, n.Args[0], n.Name, "an affine, or a convex nonnegative", v, 1, values, of)
}

// threshold is where huber turns linear, its second argument.
func threshold(ev *eval.Evaluator, n *syntax.Node, v value.Value) float64 {
	m := ev.Real(n.Args[1], v, "the threshold of huber")
	if !(m > 0) {
		ev.Fail(n.Args[1], "", "the threshold of huber must be positive, not %g", m)
	}
	return m
}

// fnFold is the max or min of several values entry by entry, or of the entries
// of one.
func fnFold(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	vs := slices.Clone(args)
	if len(args) == 1 {
		if vs = make([]value.Value, args[0].Len()); len(vs) == 0 {
			ev.Fail(n, "", "%s of nothing", n.Name)
		}
		ev.Spend(n, len(vs))
		for k := range vs {
			vs[k] = args[0].Entry(k)
		}
		return ev.Fold(n, n.Name, vs)
	}
	shape := ev.Common(n, n.Args, vs)
	for k := range vs {
		if !slices.Equal(vs[k].Shape, shape) {
			vs[k] = vs[k].Choose(shape, make([]int, value.Size(shape)))
		}
	}
	return ev.Fold(n, n.Name, vs)
}

// fnSum is the sum of all entries, or the sums over one dimension; see also fused.
func fnSum(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	if len(args) == 2 {
		v, _ := overDimension(ev, n, args)
		return v
	}
	return ev.AddUp(n, args[0])
}

func fnMean(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v, count := args[0], args[0].Len()
	if count == 0 {
		ev.Fail(n, "", "mean of nothing")
	}
	if len(args) == 2 {
		v, count = overDimension(ev, n, args)
	} else {
		v = ev.AddUp(n, v)
	}
	return ev.Scale(n, 1/float64(count), v)
}

// ofOrder serves the p-norm.
func ofOrder(p float64) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		return normOf(ev, n, args[0], p)
	}
}

// normOf is the p-norm of all entries.
func normOf(ev *eval.Evaluator, n *syntax.Node, v value.Value, p float64) value.Value {
	if p == 1 {
		return composed(ev, n, v, "", dc.NormP(v.Function(), p))
	}
	if !math.IsInf(p, 1) {
		return composed(ev, n, v, "convex nonnegative entries", dc.NormP(v.Function(), p))
	}
	pieces := ev.Afford(n, value.Cost{Pieces: 2 * v.Len() * v.Costs().Pieces}.Capped()).Pieces
	out := composed(ev, n, v, "", dc.NormP(v.Function(), p))
	c := out.Costs()
	c.Pieces = pieces
	return out.Costed(c)
}

// composed is an atom of all entries of the first argument, which must be as need says; empty: as
// the error says.
func composed(ev *eval.Evaluator, n *syntax.Node, v value.Value, need string, e dc.Expr) value.Value {
	switch {
	case v.Sort != value.Expressions:
		return ev.Atom(n, e, v.Costs().Weight)
	case e.Err() != nil && need == "":
		noSplit(ev, n, n.Args[0], v, "%s", reason(e.Err()))
	case e.Err() != nil:
		noSplit(ev, n, n.Args[0], v, "%s needs %s, %s is %s", n.Name, need, n.Args[0], v.CurvatureWord())
	}
	c := v.Costs()
	c.Parts = c.Parts*max(1, v.Len()) + v.Len() + 2
	return value.FromExpr(e, ev.Afford(n, c.Capped()))
}

func fnSumSquares(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if v.Sort != value.Expressions {
		return ev.Atom(n, dc.SumSquares(v.Function()), v.Costs().Weight)
	}
	return ev.AddUp(n, squares(ev, n, n.Args[0], v))
}

func fnSumLargest(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	k := ev.Integer(n.Args[1], args[1], "the number of entries that sumlargest adds")
	if k < 1 || k > v.Len() {
		ev.Fail(n.Args[1], "", "sumlargest adds 1 to %d entries of %s, not %d", v.Len(), n.Args[0], k)
	}
	if v.Curvature() > value.Convex {
		v = lifted(ev, n, v)
	}
	return composed(ev, n, v, "entries with a split", dc.SumLargest(v.Function(), k))
}

// lifted is v with the cost that its entries have where each is lifted by the convex parts of all
// others.
func lifted(ev *eval.Evaluator, n *syntax.Node, v value.Value) value.Value {
	c := v.Cost
	c.Parts, c.Weight = c.Parts*v.Len(), c.Weight*v.Len()
	return v.Costed(ev.Afford(n, c.Capped()))
}

func fnQuad(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	x, q := affineArg(ev, n, args, 0), ev.Numeric(n.Args[1], args[1], "the matrix of quad")
	if formShapes(ev, n, &x, &q); x.Len() == 0 {
		return value.Number(0)
	}
	return ev.Quad(n, x, value.Array([]int{x.Len(), x.Len()}, q.Numbers()))
}

// formShapes refuses a quadratic form whose matrix does not fit.
func formShapes(ev *eval.Evaluator, n *syntax.Node, x, q *value.Value) {
	if k := x.Len(); len(x.Shape) > 1 || q.Len() != k*k || k > 1 && !slices.Equal(q.Shape, []int{k, k}) {
		ev.ShapesDiffer(n, n.Args[0], n.Args[1], x, q)
	}
}

// fnDC is g − h with the modeller's word that this is the split; that both are
// convex is checked.
func fnDC(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	g, h := args[0], args[1]
	for k, v := range args {
		if c := v.Curvature(); c == value.Concave || c == value.DC {
			part := string("gh"[k])
			ev.Fail(n.Args[k], "", "the %s of dc(g, h) must be convex, but %s is %s", part, n.Args[k],
				v.CurvatureWord())
		}
	}
	return ev.Weighted(n, []value.Summand{{W: 1, V: g, At: n.Args[0]}, {W: -1, V: h, At: n.Args[1]}})
}

// power is base^exponent, entry by entry.
func power(ev *eval.Evaluator, n *syntax.Node, base, exponent value.Value) value.Value {
	if !exponent.IsData() && len(exponent.Shape) == 0 {
		return variablePower(ev, n, base, exponent)
	}
	p := ev.Real(n.Args[1], exponent, "an exponent")
	if base.IsData() {
		return ev.EachNumber(n, base, func(x float64) float64 { return math.Pow(x, p) })
	}
	switch p {
	case 0:
		return base.Constant(1)
	case 1:
		return base
	case 2:
		return squares(ev, n, n.Args[0], base)
	}
	pow := func(x float64) float64 { return math.Pow(x, p) }
	return applyCurve(ev, n, n.Args[0], fmt.Sprintf("the power %g", p), powerNeeds(p), base, 4, pow,
		func(e dc.Expr) dc.Expr {
			return dc.Power(e, p)
		})
}

// variablePower is each entry of a base to the power of an expression.
func variablePower(ev *eval.Evaluator, n *syntax.Node, base, exponent value.Value) value.Value {
	ev.Spend(n, base.Len())
	p := exponent.Expr(0)
	pow := func(b dc.Expr) dc.Expr { return dc.Pow(b, p) }
	return base.Map(ev.Afford(n, base.Costs().Times(4)), pow, func(b dc.Expr, err error) {
		if s := b.Scalar(); s.IsConst() && !(s.Split().Lin.Const > 0) {
			ev.Fail(n.Args[0], "", "the base of %s, whose exponent has variables, must be > 0", n)
		}
		noSplit(ev, n, n.Args[0], base, "%s", reason(err))
	})
}

// powerNeeds names the curvature that the base of a power must have.
func powerNeeds(p float64) string {
	switch {
	case p < 1:
		return "a concave"
	case p != math.Trunc(p):
		return "a convex nonnegative"
	}
	return "an affine, or a convex nonnegative"
}

// Sums over the entries of an affine array, in one piece, of the functions of the same names.
func sumOfAbs(x dc.Expr, _ float64) dc.Expr     { return dc.Norm1(x) }
func sumOfSquares(x dc.Expr, _ float64) dc.Expr { return dc.SumSquares(x) }
