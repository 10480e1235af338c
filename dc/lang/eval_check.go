package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// numeric refuses a value of n that is no data.
func (ev *evaluator) numeric(n *syntax.Node, v value.Value, what string) value.Value {
	if v.Sort != value.Numbers {
		ev.fail(n, "", "%s must be data, but %s depends on a variable", what, ev.say(n))
	}
	return v
}

// real is the value of n as a single number.
func (ev *evaluator) real(n *syntax.Node, v value.Value, what string) float64 {
	x := ev.limit(n, v, what)
	if math.IsInf(x, 0) {
		ev.fail(n, "", "%s must be finite", what)
	}
	return x
}

// limit is the value of n as a single number, which may be infinite.
func (ev *evaluator) limit(n *syntax.Node, v value.Value, what string) float64 {
	v = ev.numeric(n, v, what)
	if v.Len() != 1 {
		ev.fail(n, "", "%s must be one number, but %s is %s", what, ev.say(n), value.ShapeText(v.Shape))
	}
	return v.At(0)
}

// nearInteger is the relative error by which rounding may have moved a whole
// number.
// Source: derived: rounding of indices up to 1e6 computed in float64.
const nearInteger = 1e-9

// integer is the value of n as a single whole number.
func (ev *evaluator) integer(n *syntax.Node, v value.Value, what string) int {
	x := ev.real(n, v, what)
	k, ok := whole(x)
	if !ok {
		ev.fail(n, "", "%s must be a whole number, not %s", what, ev.is(n, x))
	}
	return k
}

// dimension is the value of n as a number of entries.
func (ev *evaluator) dimension(n *syntax.Node, v value.Value) int {
	d := ev.integer(n, v, "a dimension")
	if d < 0 {
		ev.fail(n, "", "a dimension must be at least 0, not %s", ev.is(n, float64(d)))
	}
	return d
}

// whole rounds a number that is whole except for rounding errors, of at most 2^53.
func whole(x float64) (int, bool) {
	if k := int(x); float64(k) == x && k <= 1<<53 && k >= -1<<53 {
		return k, true
	}
	r := math.Round(x)
	if !(math.Abs(x-r) <= nearInteger*max(1, math.Abs(x))) || !(math.Abs(r) <= 1<<53) {
		return 0, false
	}
	return int(r), true
}

// finite refuses numbers that are not, unless infinite data stand in n. v is new.
func (ev *evaluator) finite(n *syntax.Node, v value.Value) value.Value {
	if len(v.Shape) == 0 {
		if v.X-v.X != 0 {
			ev.infinite(n, v.X)
		}
		return v
	}
	for _, x := range v.Num {
		if x-x != 0 {
			ev.infinite(n, x)
			v.Infinite = true
		}
	}
	return v
}

// infinite reports a number that is not finite, unless it comes from infinite
// data.
func (ev *evaluator) infinite(n *syntax.Node, x float64) {
	if math.IsInf(x, 0) && ev.mentionsInf(n) {
		return
	}
	what := "too large for a number"
	if math.IsNaN(x) {
		what = "not a number"
	}
	if ev.noteOf(n).domain || n.Op == syntax.OpPower && math.IsNaN(x) {
		ev.failDomain(n, "the value of %s is %s", ev.say(n), what)
	}
	ev.fail(n, "", "the value of %s is %s", ev.say(n), what)
}

// mentionsInf reports whether infinite data stand in an expression.
func (ev *evaluator) mentionsInf(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		s := ev.names[n.Name]
		return s == nil && n.Name == "inf" || s != nil && s.value.Cells != nil && s.value.HasInf()
	}
	found := false
	n.Each(func(a *syntax.Node) { found = found || ev.mentionsInf(a) })
	return found
}

// noInf refuses infinite data beside expressions of variables.
func (ev *evaluator) noInf(n *syntax.Node, vs []value.Value) {
	top, inf := value.Numbers, false
	for k := range vs {
		top, inf = max(top, vs[k].Sort), inf || vs[k].HasInf()
	}
	if inf && top > value.Numbers {
		ev.misplacedInf(n)
	}
}

func (ev *evaluator) misplacedInf(n *syntax.Node) {
	ev.fail(n, "", "inf stands alone in bounds, in comparisons and as a side of a constraint; it has no place in %s", ev.say(n))
}
