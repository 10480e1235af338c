package eval

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Members are the values of an index: lo..hi, a list, or a set.
func (ev *Evaluator) Members(n *syntax.Node) value.Indices {
	if n.Op == syntax.OpRange {
		lo, hi := ev.ends(n)
		return value.Indices{Lo: lo, N: max(0, hi-lo+1)}
	}
	v := ev.Eval(n)
	if v.Sort == value.Members {
		set := v.More.Set
		return value.Indices{Lo: 1, N: len(set.List), Set: set}
	}
	v = ev.DataOf(n, "what an index runs over")
	if len(v.Shape) != 1 {
		help := ""
		if v.Scalar() {
			help = fmt.Sprintf("write 1..%s", n)
		}
		ev.Fail(n, help, "an index runs over a range or a set, but %s is %s", n, v.Shape)
	}
	list := make([]int, len(v.Num))
	for k, x := range v.Num {
		i, ok := Whole(x)
		if !ok {
			ev.Fail(n, "", "an index runs over whole numbers, but %s has the entry %g", n, x)
		}
		list[k] = i
	}
	return value.Indices{N: len(list), List: list}
}

// Loop runs body for all values of the indices that meet the condition.
func (ev *Evaluator) Loop(n *syntax.Node, bs []syntax.Binder, cond *syntax.Node, body func()) {
	ev.loop(n, bs, cond, body, nil)
}

// loop is Loop. many, if not nil, is called with the values of the last index that are left, n from
// lo on, and returns how many of the first ones it has seen to; it is not called where there is a
// condition, or the index runs over a set.
func (ev *Evaluator) loop(n *syntax.Node, bs []syntax.Binder, cond *syntax.Node, body func(),
	many func(lo, n int) int) {
	if len(bs) == 0 {
		if cond == nil || ev.Holds(cond) {
			body()
		}
		return
	}
	m := ev.Members(bs[0].Set)
	at := len(ev.Indices)
	for _, name := range bs[0].Names {
		ev.Indices = append(ev.Indices, binding{Name: name})
	}
	if width := max(1, m.Set.Parts()); width != len(bs[0].Names) {
		ev.Fail(bs[0].Set, "", "the members of %s have %s, the index %d", bs[0].Set, Count(width, "part", "parts"),
			len(bs[0].Names))
	}
	to := len(ev.Indices)
	atOnce := many != nil && len(bs) == 1 && cond == nil && m.List == nil && m.Set == nil
	for k := 0; k < m.N; k++ {
		member := m.At(k)
		for i := range bs[0].Names {
			b, p := &ev.Indices[at+i], member[i]
			if b.At, b.Word = p.K, p.Word; p.Word != "" {
				b.At = k + 1 // the number of a word is the place of the member
			}
		}
		if atOnce {
			if seen := many(m.Lo+k, m.N-k); seen > 0 {
				k += seen - 1
				continue
			}
		}
		ev.Spend(n, UnitsNode)
		ev.loop(n, bs[1:], cond, body, many)
		ev.Indices = ev.Indices[:to]
	}
	ev.Indices = ev.Indices[:at]
}

// Extreme is the max or min over indices.
func (ev *Evaluator) Extreme(n *syntax.Node) value.Value {
	var vs []value.Value
	var best float64
	body, members, plain := n.Args[0], 0, true // plain: all so far are numbers
	ev.Loop(n, n.Binders, n.Cond, func() {
		v := ev.Operand(body)
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
			ev.Fail(body, "", "the terms of %s differ in shape: %s and %s", n.Name, vs[0].Shape, v.Shape)
		}
		vs = append(vs, v)
	})
	switch {
	case members == 0:
		ev.Fail(n, "", "%s over no members has no value", n.Name)
	case plain:
		return value.Number(best)
	}
	return ev.Fold(n, n.Name, vs)
}

// part is the value of n as a part of a member of a set.
func (ev *Evaluator) part(n *syntax.Node, what string) value.Part {
	v := ev.Eval(n)
	if v.Sort == value.Text {
		return value.Part{Word: v.More.Str}
	}
	return value.Part{K: ev.Integer(n, ev.Operand(n), what)}
}
