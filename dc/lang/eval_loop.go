package lang

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// members are the values of an index: lo..hi, a list, or a set.
func (ev *evaluator) members(n *syntax.Node) (lo, hi int, list []int, set *value.Set) {
	if n.Op == syntax.OpRange {
		lo, hi = ev.ends(n)
		return lo, hi, nil, nil
	}
	v := ev.eval(n)
	if v.Sort == value.Members {
		return 0, -1, nil, v.More.Set
	}
	v = ev.dataOf(n, "what an index runs over")
	if len(v.Shape) != 1 {
		help := ""
		if v.Scalar() {
			help = fmt.Sprintf("write 1..%s", ev.say(n))
		}
		ev.fail(n, help, "an index runs over a range or a set, but %s is %s", ev.say(n), value.ShapeText(v.Shape))
	}
	list = make([]int, len(v.Num))
	for k, x := range v.Num {
		i, ok := whole(x)
		if !ok {
			ev.fail(n, "", "an index runs over whole numbers, but %s has the entry %g", ev.say(n), x)
		}
		list[k] = i
	}
	return 0, -1, list, nil
}

// loop runs body for all values of the indices that meet the condition.
func (ev *evaluator) loop(n *syntax.Node, bs []syntax.Binder, cond *syntax.Node, body func()) {
	if len(bs) == 0 {
		if cond == nil || ev.holds(cond) {
			body()
		}
		return
	}
	lo, hi, list, set := ev.members(bs[0].Set)
	at := len(ev.indices)
	for _, name := range bs[0].Names {
		ev.indices = append(ev.indices, binding{name: name})
	}
	if width := max(1, set.Parts()); width != len(bs[0].Names) {
		ev.fail(bs[0].Set, "", "the members of %s have %s, the index %d", ev.say(bs[0].Set), count(width, "part", "parts"), len(bs[0].Names))
	}
	to := len(ev.indices)
	step := func(i int) {
		ev.spend(n, unitsNode)
		ev.indices[at].at = i
		ev.loop(n, bs[1:], cond, body)
		ev.indices = ev.indices[:to]
	}
	for i := lo; i <= hi; i++ {
		step(i)
	}
	for _, i := range list {
		step(i)
	}
	if set != nil {
		for k := range set.List {
			ev.bind(at, k, set)
			step(ev.indices[at].at)
		}
	}
	ev.indices = ev.indices[:at]
}

// bind gives the indices from a place on the parts of a member. The number of a
// word is the place of the member.
func (ev *evaluator) bind(at, k int, set *value.Set) {
	for i := range set.Width {
		b, p := &ev.indices[at+i], set.List[k][i]
		if b.at, b.word = p.K, p.Word; p.Word != "" {
			b.at = k + 1
		}
	}
}

// extreme is the max or min over indices.
func (ev *evaluator) extreme(n *syntax.Node) value.Value {
	var vs []value.Value
	var best float64
	body, members, plain := n.Args[0], 0, true // plain: all so far are numbers
	ev.loop(n, n.Binders, n.Cond, func() {
		v := ev.operand(body)
		members++
		if plain && v.IsData() && v.Scalar() {
			if members == 1 || (v.X > best) == (n.Name == "max") {
				best = v.X
			}
			return
		}
		if plain && members > 1 {
			vs = append(vs, value.Number(best))
		}
		plain = false
		if len(vs) > 0 && !slices.Equal(vs[0].Shape, v.Shape) {
			ev.fail(body, "", "the terms of %s differ in shape: %s and %s", n.Name, value.ShapeText(vs[0].Shape), value.ShapeText(v.Shape))
		}
		vs = append(vs, v)
	})
	switch {
	case members == 0:
		ev.fail(n, "", "%s over no members has no value", n.Name)
	case plain:
		return value.Number(best)
	}
	return ev.fold(n, n.Name, vs)
}

// part is the value of n as a part of a member of a set.
func (ev *evaluator) part(n *syntax.Node, what string) value.Part {
	v := ev.eval(n)
	if v.Sort == value.Text {
		return value.Part{Word: v.More.Str}
	}
	return value.Part{K: ev.integer(n, ev.operand(n), what)}
}
