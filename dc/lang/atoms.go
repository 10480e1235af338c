package lang

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/dc"
)

// entrywise applies an atom to every entry of a value that depends on variables.
// grow is in how many convex functions of an entry the atom results.
func (ev *evaluator) entrywise(n *node, v value, grow int, f func(dc.Expr) dc.Expr) value {
	c := ev.afford(n, v.costs().times(grow))
	ev.spend(n, v.len())
	es := make([]dc.Expr, v.len())
	for k := range es {
		es[k] = f(v.expr(k))
		if err := es[k].Err(); err != nil {
			ev.noSplit(n, n.args[0], v, "%s", cause(err))
		}
	}
	return fromExprs(v.shape, es, c)
}

// noSplit reports that an atom of an argument has no split.
func (ev *evaluator) noSplit(n, arg *node, v value, format string, args ...any) {
	help := "give the variables bounds; dc(g, h) states a split by hand"
	switch c := v.curvature(); {
	case (n.name == "sqrt" || n.op == opPower) && arg.op == opMul && v.len() == 1:
		help = fmt.Sprintf("use geomean(%s, %s) for factors >= 0, or dc(g, h)", ev.say(arg.args[0]), ev.say(arg.args[1]))
	case n.name == "sqrt" && c == DC:
		help = fmt.Sprintf("bound it by a variable t >= 0 with t^2 <= %s", ev.say(arg))
	case c == Convex && v.len() == 1 && (n.name == "norm2" || n.name == "huber"):
		help = fmt.Sprintf("shift it, or take %s(pos(%s))", n.name, ev.say(arg))
	}
	ev.failWith(n, help, []Note{ev.note(arg, v.curvatureNote())}, "no DC split for %s: %s", ev.say(n), fmt.Sprintf(format, args...))
}

// affineArg is argument k, which must be affine.
func (ev *evaluator) affineArg(n *node, k int) value {
	v := ev.arg(n, k)
	ev.needAffine(n, n.args[k], n.name, v)
	return v
}

func (ev *evaluator) needAffine(n, arg *node, name string, v value) {
	if v.sort == general {
		ev.noSplit(n, arg, v, "%s needs an affine argument, %s is %s", name, ev.say(arg), v.curvatureWord())
	}
}

func (v *value) curvatureWord() string {
	if c := v.curvature(); c != DC {
		return c.String()
	}
	return "neither convex nor concave"
}

func (ev *evaluator) fnAbs(n *node) value {
	return ev.absolute(n, ev.arg(n, 0))
}

// absolute is |v|, entry by entry.
func (ev *evaluator) absolute(n *node, v value) value {
	if v.isData() {
		return ev.each(n, v, math.Abs)
	}
	out := ev.entrywise(n, v, 3, func(e dc.Expr) dc.Expr { return dc.Abs(e) })
	out.cost.pieces *= 2
	return out
}

func (ev *evaluator) fnPos(n *node) value {
	v := ev.arg(n, 0)
	if v.isData() {
		return ev.each(n, v, func(x float64) float64 { return max(x, 0) })
	}
	out := ev.entrywise(n, v, 3, func(e dc.Expr) dc.Expr { return dc.Pos(e) })
	out.cost.pieces *= 2
	return out
}

func (ev *evaluator) fnSquare(n *node) value { return ev.squares(n, n.args[0], ev.arg(n, 0)) }

// squares is v², entry by entry.
func (ev *evaluator) squares(n, arg *node, v value) value {
	if v.isData() {
		return ev.each(n, v, func(x float64) float64 { return x * x })
	}
	return ev.entrywise(n, v, 4, func(e dc.Expr) dc.Expr {
		s := dc.Square(e)
		if s.Err() != nil {
			ev.noSplit(n, arg, v, "a part of %s is not bounded from below", ev.say(arg))
		}
		return s
	})
}

// curve serves atoms of single numbers: f on data, apply on expressions, which
// must be as need says.
func curve(need string, f func(float64) float64, apply func(dc.Operand) dc.Expr) func(*evaluator, *node) value {
	return func(ev *evaluator, n *node) value {
		return ev.curve(n, n.args[0], n.name, need, ev.arg(n, 0), 1, f, apply)
	}
}

// curve is curve for a value; grow is in how many convex functions of an entry
// the atom results.
func (ev *evaluator) curve(n, arg *node, name, need string, v value, grow int, f func(float64) float64, apply func(dc.Operand) dc.Expr) value {
	if v.isData() {
		return ev.each(n, v, f)
	}
	c := ev.afford(n, v.costs().times(grow))
	ev.spend(n, v.len())
	es := make([]dc.Expr, v.len())
	for k := range es {
		e := v.expr(k)
		es[k] = apply(e)
		switch err := es[k].Err(); {
		case err == nil:
		case e.IsConst():
			ev.failDomain(n, "%s: %s", ev.say(n), cause(err))
		default:
			ev.noSplit(n, arg, v, "%s needs %s argument, %s is %s", name, need, ev.say(arg), v.curvatureWord())
		}
	}
	return fromExprs(v.shape, es, c)
}

func (ev *evaluator) fnHuber(n *node) value {
	v, m := ev.arg(n, 0), ev.threshold(n)
	f := func(x float64) float64 {
		if x = math.Abs(x); x > m {
			return 2*m*x - m*m
		}
		return x * x
	}
	return ev.curve(n, n.args[0], n.name, "an affine, or a convex nonnegative", v, 1, f, func(e dc.Operand) dc.Expr { return dc.HuberOf(m, e) })
}

// threshold is where huber turns linear.
func (ev *evaluator) threshold(n *node) float64 {
	if len(n.args) < 2 {
		return 1
	}
	m := ev.real(n.args[1], "the threshold of huber")
	if !(m > 0) {
		ev.fail(n.args[1], "", "the threshold of huber must be positive, not %g", m)
	}
	return m
}

// fnFold is the max or min of several values entry by entry, or of the entries
// of one.
func (ev *evaluator) fnFold(n *node) value {
	if len(n.args) == 1 {
		v := ev.arg(n, 0)
		if v.len() == 0 {
			ev.fail(n, "", "%s of nothing", n.name)
		}
		ev.spend(n, v.len())
		vs := make([]value, v.len())
		for k := range vs {
			vs[k] = v.entry(k)
		}
		return ev.fold(n, n.name, vs)
	}
	vs := make([]value, len(n.args))
	for k := range vs {
		vs[k] = ev.arg(n, k)
	}
	shape := ev.common(n, n.args, vs)
	for k := range vs {
		if !sameShape(vs[k].shape, shape) {
			vs[k] = vs[k].gather(shape, make([]int, size(shape)))
		}
	}
	return ev.fold(n, n.name, vs)
}

// fused are the atoms that, summed, are one atom of the whole array.
var fused = map[string]func(a dc.Affine) dc.Expr{"square": dc.SumSquares, "abs": dc.Norm1}

func (ev *evaluator) fnSum(n *node) value {
	if a := n.args[0]; a.op == opCall && (fused[a.name] != nil || a.name == "huber") {
		if v := ev.arg(a, 0); v.sort == affine {
			if a.name == "huber" {
				return ev.atom(n, dc.Huber(v.affine(), ev.threshold(a)), v.costs().weight)
			}
			return ev.atom(n, fused[a.name](v.affine()), v.costs().weight)
		}
	} else if a.op == opPower && a.args[1].op == opNumber && a.args[1].num == 2 {
		if v := ev.operand(a.args[0]); v.sort == affine {
			return ev.atom(n, dc.SumSquares(v.affine()), v.costs().weight)
		}
	}
	return ev.total(n, ev.arg(n, 0))
}

// total is the sum of all entries.
func (ev *evaluator) total(n *node, v value) value {
	ev.spend(n, v.len()+v.costs().weight)
	switch v.sort {
	case affine:
		return ev.sound(n, v.affine().Sum())
	case general:
		return fromExprs(nil, []dc.Expr{ev.combine(n, "sum", v.exprs)}, v.cost)
	}
	s := 0.0
	for _, x := range v.numbers() {
		s += x
	}
	return ev.finite(n, number(s))
}

func (ev *evaluator) fnMean(n *node) value {
	v := ev.arg(n, 0)
	if v.len() == 0 {
		ev.fail(n, "", "mean of nothing")
	}
	return ev.scale(n, 1/float64(v.len()), ev.total(n, v))
}

func (ev *evaluator) fnNorm1(n *node) value {
	v := ev.arg(n, 0)
	if v.sort != general {
		return ev.atom(n, dc.Norm1(v.affine()), v.costs().weight)
	}
	return ev.total(n, ev.absolute(n, v))
}

func (ev *evaluator) fnNormInf(n *node) value {
	v := ev.arg(n, 0)
	if v.sort != general {
		ev.afford(n, cost{pieces: 2 * v.len()})
		out := ev.atom(n, dc.NormInf(v.affine()), v.costs().weight)
		out.cost.pieces = 2 * v.len()
		return out
	}
	return ev.largest(n, ev.absolute(n, v))
}

// largest is the largest entry.
func (ev *evaluator) largest(n *node, v value) value {
	vs := make([]value, v.len())
	for k := range vs {
		vs[k] = v.entry(k)
	}
	return ev.fold(n, "max", vs)
}

func (ev *evaluator) fnNorm2(n *node) value {
	v := ev.arg(n, 0)
	if v.sort != general {
		return ev.atom(n, dc.Norm2(v.affine()), v.costs().weight)
	}
	return ev.composed(n, v, "convex nonnegative entries", dc.Norm2Of(operands(&v)...))
}

// operands are the entries of a value.
func operands(v *value) []dc.Operand {
	out := make([]dc.Operand, v.len())
	for k := range out {
		out[k] = v.expr(k)
	}
	return out
}

// composed is an atom of all entries of the first argument, which must be as
// need says.
func (ev *evaluator) composed(n *node, v value, need string, e dc.Expr) value {
	if e.Err() != nil {
		ev.noSplit(n, n.args[0], v, "%s needs %s, %s is %s", n.name, need, ev.say(n.args[0]), v.curvatureWord())
	}
	c := v.costs()
	c.parts = c.parts*max(1, v.len()) + v.len() + 2
	return fromExprs(nil, []dc.Expr{e}, ev.afford(n, c.cut()))
}

func (ev *evaluator) fnSumSquares(n *node) value {
	v := ev.arg(n, 0)
	if v.sort != general {
		return ev.atom(n, dc.SumSquares(v.affine()), v.costs().weight)
	}
	return ev.total(n, ev.squares(n, n.args[0], v))
}

func (ev *evaluator) fnSumLargest(n *node) value {
	v := ev.arg(n, 0)
	k := ev.integer(n.args[1], "the number of entries that sumlargest adds")
	if k < 1 || k > v.len() {
		ev.fail(n.args[1], "", "sumlargest adds 1 to %d entries of %s, not %d", v.len(), ev.say(n.args[0]), k)
	}
	if v.sort != general {
		return ev.atom(n, dc.SumLargest(v.affine(), k), v.costs().weight)
	}
	if v.curvature() > Convex { // each is lifted by the convex parts of all others
		v.cost.parts, v.cost.weight = v.cost.parts*v.len(), v.cost.weight*v.len()
		v.cost = ev.afford(n, v.cost.cut())
	}
	return ev.composed(n, v, "entries with a split", dc.SumLargestOf(k, operands(&v)...))
}

func (ev *evaluator) fnLogSumExp(n *node) value {
	v := ev.arg(n, 0)
	if v.sort != general {
		return ev.atom(n, dc.LogSumExp(v.affine()), v.costs().weight)
	}
	return ev.composed(n, v, "convex entries", dc.LogSumExpOf(operands(&v)...))
}

func (ev *evaluator) fnQuad(n *node) value {
	x, q := ev.affineArg(n, 0), ev.numeric(n.args[1], "the matrix of quad")
	if k := x.len(); len(x.shape) > 1 || q.len() != k*k || k > 1 && !sameShape(q.shape, []int{k, k}) {
		ev.shapesDiffer(n, n.args[0], n.args[1], &x, &q)
	}
	if x.len() == 0 {
		return number(0)
	}
	return ev.quad(n, x, value{shape: []int{x.len(), x.len()}, num: q.numbers()})
}

// fnDC is g − h with the modeller's word that this is the split; that both are
// convex is checked.
func (ev *evaluator) fnDC(n *node) value {
	g, h := ev.arg(n, 0), ev.arg(n, 1)
	for k, v := range []value{g, h} {
		if c := v.curvature(); c == Concave || c == DC {
			part := string("gh"[k])
			ev.fail(n.args[k], "", "the %s of dc(g, h) must be convex, but %s is %s", part, ev.say(n.args[k]), v.curvatureWord())
		}
	}
	return ev.sum(&node{span: n.span, op: opSum, args: n.args, minus: []bool{false, true}, open: n.open}, []value{g, h})
}
