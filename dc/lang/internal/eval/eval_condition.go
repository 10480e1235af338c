package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// Condition is a comparison, or and, or, not.
func (ev *Evaluator) Condition(n *syntax.Node) bool {
	switch n.Op {
	case syntax.OpNot:
		return !ev.Holds(n.Args[0])
	case syntax.OpIn:
		return ev.isMember(n)
	case syntax.OpAnd:
		for _, a := range n.Args {
			if !ev.Holds(a) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for _, a := range n.Args {
			if ev.Holds(a) {
				return true
			}
		}
		return false
	}
	if l, r := ev.Eval(n.Args[0]), n.Args[len(n.Args)-1]; l.Sort == value.Text && len(n.Args) == 2 && (n.Rels[0] == syntax.EQ || n.Rels[0] == syntax.NE) {
		w := ev.Eval(r)
		if w.Sort != value.Text {
			ev.Fail(n, "", "%s is a word, %s is none", ev.Say(n.Args[0]), ev.Say(r))
		}
		return (l.More.Str == w.More.Str) == (n.Rels[0] == syntax.EQ)
	}
	const what = "what a condition compares"
	left, ok := ev.Limit(n.Args[0], ev.Operand(n.Args[0]), what), true
	for k, r := range n.Rels {
		a := n.Args[k+1]
		right := ev.Limit(a, ev.Operand(a), what)
		ok = ok && compare(left, r, right)
		left = right
	}
	return ok
}

func compare(a float64, rel syntax.Kind, b float64) bool {
	switch rel {
	case syntax.Less:
		return a < b
	case syntax.Greater:
		return a > b
	case syntax.LE:
		return a <= b
	case syntax.GE:
		return a >= b
	case syntax.EQ:
		return a == b
	}
	return a != b
}

// isMember is the condition a in S.
func (ev *Evaluator) isMember(n *syntax.Node) bool {
	a, in := n.Args[0], n.Args[1]
	var k value.Member
	width := 1
	if a.Op == syntax.OpTuple {
		k, width = ev.tuple(a), len(a.Args)
	} else {
		k[0] = ev.part(a, "a member of a set")
	}
	lo, hi, list, set := ev.Members(in)
	switch {
	case set != nil && set.Width != width:
		ev.Fail(n, "", "the members of %s have %s, but %s has %d", ev.Say(in), Count(set.Width, "part", "parts"), ev.Say(a), width)
	case set != nil:
		_, ok := set.Place[k]
		return ok
	case width > 1:
		ev.Fail(n, "", "the members of %s are whole numbers, but %s has %d parts", ev.Say(in), ev.Say(a), width)
	}
	for _, m := range list {
		if m == k[0].K && k[0].Word == "" {
			return true
		}
	}
	return list == nil && k[0].Word == "" && lo <= k[0].K && k[0].K <= hi
}
