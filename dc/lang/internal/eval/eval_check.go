package eval

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Numeric refuses a value of n that is no data.
func (ev *Evaluator) Numeric(n *syntax.Node, v value.Value, what string) value.Value {
	if v.Sort != value.Numbers {
		ev.Fail(n, "", "%s must be data, but %s depends on a variable", what, n)
	}
	return v
}

// Real is the value of n as a single number.
func (ev *Evaluator) Real(n *syntax.Node, v value.Value, what string) float64 {
	x := ev.Limit(n, v, what)
	if math.IsInf(x, 0) {
		ev.Fail(n, "", "%s must be finite", what)
	}
	return x
}

// Limit is the value of n as a single number, which may be infinite.
func (ev *Evaluator) Limit(n *syntax.Node, v value.Value, what string) float64 {
	v = ev.Numeric(n, v, what)
	if v.Len() != 1 {
		ev.Fail(n, "", "%s must be one number, but %s is %s", what, n, v.Shape)
	}
	return v.At(0)
}

// NearInteger is the relative error by which rounding may have moved a whole
// number.
// Source: derived: rounding of indices up to 1e6 computed in float64.
const NearInteger = 1e-9

// Integer is the value of n as a single whole number.
func (ev *Evaluator) Integer(n *syntax.Node, v value.Value, what string) int {
	x := ev.Real(n, v, what)
	k, ok := Whole(x)
	if !ok {
		ev.Fail(n, "", "%s must be a whole number, not %s", what, ev.Is(n, x))
	}
	return k
}

// Dimension is the value of n as a number of entries.
func (ev *Evaluator) Dimension(n *syntax.Node, v value.Value) int {
	d := ev.Integer(n, v, "a dimension")
	if d < 0 {
		ev.Fail(n, "", "a dimension must be at least 0, not %s", ev.Is(n, float64(d)))
	}
	return d
}

// Whole rounds a number that is whole except for rounding errors, of at most 2^53.
func Whole(x float64) (int, bool) {
	if k := int(x); float64(k) == x && k <= 1<<53 && k >= -1<<53 {
		return k, true
	}
	r := math.Round(x)
	if !(math.Abs(x-r) <= NearInteger*max(1, math.Abs(x))) || !(math.Abs(r) <= 1<<53) {
		return 0, false
	}
	return int(r), true
}

// Finite refuses numbers that are not, unless infinite data stand in n. v is new.
func (ev *Evaluator) Finite(n *syntax.Node, v value.Value) value.Value {
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
func (ev *Evaluator) infinite(n *syntax.Node, x float64) {
	if math.IsInf(x, 0) && ev.mentionsInf(n) {
		return
	}
	what := "too large for a number"
	if math.IsNaN(x) {
		what = "not a number"
	}
	if ev.NoteOf(n).Domain || n.Op == syntax.OpPower && math.IsNaN(x) {
		ev.FailDomain(n, "the value of %s is %s", n, what)
	}
	ev.Fail(n, "", "the value of %s is %s", n, what)
}

// mentionsInf reports whether infinite data stand in an expression.
func (ev *Evaluator) mentionsInf(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		s := ev.Names[n.Name]
		return s == nil && n.Name == "inf" || s != nil && s.Value.Cells != nil && s.Value.HasInf()
	}
	found := false
	n.Each(func(a *syntax.Node) { found = found || ev.mentionsInf(a) })
	return found
}

// noInf refuses infinite data beside expressions of variables.
func (ev *Evaluator) noInf(n *syntax.Node, vs []value.Value) {
	data, inf := true, false
	for k := range vs {
		p := vs[k].Parts()
		data, inf = data && p.IsData(), inf || p.Re.HasInf() || !p.IsReal() && p.Im.HasInf()
	}
	if inf && !data {
		ev.MisplacedInf(n)
	}
}

func (ev *Evaluator) MisplacedInf(n *syntax.Node) {
	ev.Fail(n, "", "inf stands alone in bounds, in comparisons and as a side of a constraint; it has no place in %s", n)
}
