package lang

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/dc"
)

// count is "1 index", "2 indices".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// set is the members of a set in braces.
func (ev *evaluator) set(n *node) []float64 {
	var out []float64
	if n.op == opFilter {
		if len(n.binders) > 1 {
			ev.fail(n, "", "a set has one index; it holds whole numbers")
		}
		ev.loop(n, n.binders, n.cond, func() {
			out = append(out, float64(ev.indices[len(ev.indices)-1].at))
			ev.fits(n, []int{len(out)})
		})
		return out
	}
	seen := map[float64]bool{}
	for _, a := range n.args {
		v := ev.numeric(a, "a member of a set")
		for _, x := range v.numbers() {
			k, ok := whole(x)
			if !ok {
				ev.fail(a, "", "a set holds whole numbers, not %g", x)
			}
			if x = float64(k); !seen[x] {
				seen[x] = true
				out = append(out, x)
			}
		}
	}
	return out
}

// members are what an index runs over: lo..hi, or a list.
func (ev *evaluator) members(n *node) (lo, hi int, list []int) {
	if n.op == opRange {
		lo, hi = ev.ends(n)
		return lo, hi, nil
	}
	v := ev.numeric(n, "what an index runs over")
	if len(v.shape) != 1 {
		help := ""
		if v.scalar() {
			help = fmt.Sprintf("write 1..%s", ev.say(n))
		}
		ev.fail(n, help, "an index runs over a range or a set, but %s is %s", ev.say(n), shapeText(v.shape))
	}
	list = make([]int, len(v.num))
	for k, x := range v.num {
		i, ok := whole(x)
		if !ok {
			ev.fail(n, "", "an index runs over whole numbers, but %s has the entry %g", ev.say(n), x)
		}
		list[k] = i
	}
	return 0, -1, list
}

// loop runs body for all values of the indices that meet the condition.
func (ev *evaluator) loop(n *node, bs []binder, cond *node, body func()) {
	if len(bs) == 0 {
		if cond == nil || ev.holds(cond) {
			body()
		}
		return
	}
	lo, hi, list := ev.members(bs[0].set)
	at := len(ev.indices)
	ev.indices = append(ev.indices, binding{name: bs[0].name})
	step := func(i int) {
		ev.spend(n, unitsNode)
		ev.indices[at].at = i
		ev.loop(n, bs[1:], cond, body)
		ev.indices = ev.indices[:at+1]
	}
	for i := lo; i <= hi; i++ {
		step(i)
	}
	for _, i := range list {
		step(i)
	}
	ev.indices = ev.indices[:at]
}

// reduce is sum, max or min over indices.
func (ev *evaluator) reduce(n *node) value {
	var vs []value
	var scalars terms
	var total float64
	best := math.Inf(1)
	if n.name == "max" {
		best = math.Inf(-1)
	}
	plain, members := true, 0 // all so far are scalar numbers
	body := n.args[0]
	ev.loop(n, n.binders, n.cond, func() {
		v := ev.operand(body)
		members++
		if plain && v.isData() && v.scalar() {
			total += v.x
			if n.name == "max" {
				best = max(best, v.x)
			} else {
				best = min(best, v.x)
			}
			return
		}
		single := len(vs) == 0 && v.scalar() && (v.sort == general || len(scalars.es) > 0)
		if plain && members > 1 { // the numbers so far become one value
			first := number(total)
			if n.name != "sum" {
				first.x = best
			}
			if single {
				scalars.add(&first)
			} else {
				vs = append(vs, first)
			}
		}
		plain = false
		if single {
			scalars.add(&v)
			return
		}
		if len(scalars.es) > 0 {
			ev.fail(body, "", "the terms of %s differ in shape: %s and %s", n.name, shapeText(nil), shapeText(v.shape))
		}
		if len(vs) > 0 && !sameShape(vs[0].shape, v.shape) {
			ev.fail(body, "", "the terms of %s differ in shape: %s and %s", n.name, shapeText(vs[0].shape), shapeText(v.shape))
		}
		vs = append(vs, v)
	})
	switch {
	case members == 0 && n.name == "sum":
		return number(0)
	case members == 0:
		ev.fail(n, "", "%s over no members has no value", n.name)
	case plain && n.name == "sum":
		return ev.finite(n, number(total))
	case plain:
		return number(best)
	case len(scalars.es) > 0:
		return ev.foldScalars(n, &scalars)
	}
	return ev.fold(n, n.name, vs)
}

// terms are the scalar expressions of a sum, max or min, and their cost.
type terms struct {
	es        []dc.Expr
	sum, most cost
	lifted    bool // one of them is not convex
}

func (t *terms) add(v *value) {
	t.es = append(t.es, v.expr(0))
	t.sum, t.most = t.sum.plus(v.costs()), t.most.over(v.costs())
	t.lifted = t.lifted || v.curvature() > Convex
}

// foldScalars is fold for scalars, not all of them affine.
func (ev *evaluator) foldScalars(n *node, t *terms) value {
	ev.spend(n, len(t.es))
	all := t.sum
	if n.name == "sum" {
		ev.spend(n, min(all.weight+all.parts, 1<<20))
	} else {
		all = ev.maximum(n, len(t.es), t.lifted, t.most)
	}
	return fromExprs(nil, []dc.Expr{ev.combine(n, n.name, t.es)}, all)
}

// fold applies sum, max or min entry by entry to values of one shape.
func (ev *evaluator) fold(n *node, name string, vs []value) value {
	shape, top, sum, most := vs[0].shape, numbers, cost{}, cost{}
	for k := range vs {
		top, sum, most = max(top, vs[k].sort), sum.plus(vs[k].costs()), most.over(vs[k].costs())
	}
	total := size(shape)
	ev.spend(n, total*len(vs))
	switch {
	case top == numbers:
		return ev.foldNumbers(n, name, vs)
	case top == affine && name == "sum" && total != 1:
		return ev.sumAffine(n, vs)
	case top == affine && name == "sum":
		as := make([]dc.Affine, len(vs))
		for k := range vs {
			as[k] = vs[k].affine()
		}
		return ev.sound(n, dc.Stack(as...).Sum().Reshape(shape...))
	case name == "sum":
		ev.spend(n, min(sum.weight+sum.parts, 1<<20))
	default:
		lifted := false
		for k := range vs {
			lifted = lifted || vs[k].curvature() > Convex
		}
		sum = ev.maximum(n, len(vs), lifted, most)
	}
	es := make([]dc.Expr, total)
	parts := make([]dc.Expr, len(vs))
	for i := range es {
		for k := range vs {
			parts[k] = vs[k].expr(min(i, vs[k].len()-1))
		}
		es[i] = ev.combine(n, name, parts)
	}
	return fromExprs(shape, es, sum)
}

// maximum is the cost of a maximum of so many values. Where they are lifted, as
// functions that are not convex, each is by the convex parts of all others.
func (ev *evaluator) maximum(n *node, count int, lifted bool, c cost) cost {
	if lifted {
		c.parts, c.weight = c.parts*count, c.weight*count
	}
	c.parts++
	return ev.afford(n, c.cut())
}

// combine is the sum, max or min of expressions.
func (ev *evaluator) combine(n *node, name string, parts []dc.Expr) dc.Expr {
	var e dc.Expr
	switch name {
	case "sum":
		e = dc.SumExprs(parts)
	case "max":
		e = dc.MaxExprs(parts)
	default:
		neg := make([]dc.Expr, len(parts))
		for k := range parts {
			neg[k] = parts[k].Neg()
		}
		e = dc.MaxExprs(neg).Neg()
	}
	if err := e.Err(); err != nil {
		ev.fail(n, "", "%s: %s", ev.say(n), cause(err))
	}
	return e
}

func (ev *evaluator) foldNumbers(n *node, name string, vs []value) value {
	out := make([]float64, size(vs[0].shape))
	for i := range out {
		out[i] = vs[0].at(i)
		for k := 1; k < len(vs); k++ {
			switch x := vs[k].at(i); name {
			case "sum":
				out[i] += x
			case "max":
				out[i] = max(out[i], x)
			default:
				out[i] = min(out[i], x)
			}
		}
	}
	return ev.finite(n, array(vs[0].shape, out))
}

// holds is the truth of a condition.
func (ev *evaluator) holds(n *node) bool {
	v := ev.eval(n)
	if v.sort != truth {
		ev.fail(n, "compare it with something, as in S[i,j] > 0", "%s is no condition", ev.say(n))
	}
	return v.x != 0
}

// condition is a comparison, or and, or, not.
func (ev *evaluator) condition(n *node) value {
	ok := false
	switch n.op {
	case opNot:
		ok = !ev.holds(n.args[0])
	case opAnd:
		ok = true
		for k := 0; ok && k < len(n.args); k++ {
			ok = ev.holds(n.args[k])
		}
	case opOr:
		for k := 0; !ok && k < len(n.args); k++ {
			ok = ev.holds(n.args[k])
		}
	default:
		ok = true
		left := ev.real(n.args[0], "what a condition compares")
		for k, r := range n.rels {
			right := ev.real(n.args[k+1], "what a condition compares")
			ok = ok && compare(left, r, right)
			left = right
		}
	}
	if ok {
		return value{sort: truth, x: 1}
	}
	return value{sort: truth}
}

// choose is the value of the branch that the condition chooses; the other one is
// not evaluated.
func (ev *evaluator) choose(n *node) value {
	if ev.holds(n.cond) {
		return ev.eval(n.args[0])
	}
	return ev.eval(n.args[1])
}

func compare(a float64, rel kind, b float64) bool {
	switch rel {
	case tLess:
		return a < b
	case tGreater:
		return a > b
	case tLE:
		return a <= b
	case tGE:
		return a >= b
	case tEQ:
		return a == b
	}
	return a != b
}
