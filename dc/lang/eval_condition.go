package lang

// condition is a comparison, or and, or, not.
func (ev *evaluator) condition(n *node) bool {
	switch n.op {
	case opNot:
		return !ev.holds(n.args[0])
	case opIn:
		return ev.isMember(n)
	case opAnd:
		for _, a := range n.args {
			if !ev.holds(a) {
				return false
			}
		}
		return true
	case opOr:
		for _, a := range n.args {
			if ev.holds(a) {
				return true
			}
		}
		return false
	}
	if l, r := ev.eval(n.args[0]), n.args[len(n.args)-1]; l.sort == text && len(n.args) == 2 && (n.rels[0] == tEQ || n.rels[0] == tNE) {
		w := ev.eval(r)
		if w.sort != text {
			ev.fail(n, "", "%s is a word, %s is none", ev.say(n.args[0]), ev.say(r))
		}
		return (l.more.str == w.more.str) == (n.rels[0] == tEQ)
	}
	const what = "what a condition compares"
	left, ok := ev.limit(n.args[0], ev.operand(n.args[0]), what), true
	for k, r := range n.rels {
		a := n.args[k+1]
		right := ev.limit(a, ev.operand(a), what)
		ok = ok && compare(left, r, right)
		left = right
	}
	return ok
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

// isMember is the condition a in S.
func (ev *evaluator) isMember(n *node) bool {
	a, in := n.args[0], n.args[1]
	var k key
	width := 1
	if a.op == opTuple {
		k, width = ev.tuple(a), len(a.args)
	} else {
		k[0] = ev.part(a, "a member of a set")
	}
	lo, hi, list, set := ev.members(in)
	switch {
	case set != nil && set.width != width:
		ev.fail(n, "", "the members of %s have %s, but %s has %d", ev.say(in), count(set.width, "part", "parts"), ev.say(a), width)
	case set != nil:
		_, ok := set.place[k]
		return ok
	case width > 1:
		ev.fail(n, "", "the members of %s are whole numbers, but %s has %d parts", ev.say(in), ev.say(a), width)
	}
	for _, m := range list {
		if m == k[0].k && k[0].word == "" {
			return true
		}
	}
	return list == nil && k[0].word == "" && lo <= k[0].k && k[0].k <= hi
}
