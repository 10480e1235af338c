package lang

// eval is the value of n.
func (ev *evaluator) eval(n *node) value {
	switch n.op {
	case opNumber:
		return number(n.num)
	case opName:
		ev.spend(n, unitsNode)
		return ev.lookup(n)
	}
	if n.memoAt == ev.stamp {
		return n.memo
	}
	ev.spend(n, unitsNode)
	v := ev.compute(n)
	if !n.open && (len(ev.indices) > 0 || ev.keep && v.sort == general) {
		n.memo, n.memoAt = v, ev.stamp
		ev.memos = append(ev.memos, n)
	}
	return v
}

func (ev *evaluator) compute(n *node) value {
	switch n.op {
	case opSum, opNeg, opMul, opDotMul, opDiv, opDotDiv:
		return ev.sum(n)
	case opReduce:
		if n.name == "sum" {
			return ev.sum(n)
		}
		return ev.extreme(n)
	case opString:
		return textOf(n.name)
	case opIndex:
		return ev.index(n).value(ev, n)
	case opRange:
		lo, hi := ev.ends(n)
		return ev.sequence(n, lo, hi)
	case opCall:
		return ev.call(n)
	case opPower:
		return ev.power(n, ev.operand(n.args[0]), ev.operand(n.args[1]))
	case opTrans:
		return ev.transpose(n, ev.operand(n.args[0]))
	case opCompare, opAnd, opOr, opNot, opIn:
		return truthOf(ev.condition(n))
	case opChoice:
		if ev.holds(n.cond) {
			return ev.eval(n.args[0])
		}
		return ev.eval(n.args[1])
	case opLiteral:
		return ev.literal(n)
	case opMembers, opFilter:
		return ev.set(n)
	}
	ev.fail(n, "", "%s has no value here", ev.say(n)) // opAll
	return value{}
}

// operand is the value of n where an array of numbers or functions is wanted.
func (ev *evaluator) operand(n *node) value {
	v := ev.eval(n)
	switch v.sort {
	case truth:
		ev.fail(n, "", "%s is a condition, not a number", ev.say(n))
	case text:
		if n.op == opName {
			ev.fail(n, "", "%s is the word %q, not a number", n.name, v.more.str)
		}
		ev.fail(n, "", "a string is no number; did you mean csv(%q)?", v.more.str)
	case members:
		if n.op == opCall { // csv, of columns with words
			ev.wordFound(n)
		}
		ev.fail(n, "", "%s is a set, not an array of numbers", ev.say(n))
	}
	return v
}

// data is the value of n where data are wanted.
func (ev *evaluator) dataOf(n *node, what string) value {
	return ev.numeric(n, ev.operand(n), what)
}

// lookup is the value of a name; the resolver has seen to it that it exists.
func (ev *evaluator) lookup(n *node) value {
	for k := len(ev.indices) - 1; k >= 0; k-- {
		if ev.indices[k].name == n.name {
			if ev.indices[k].word != "" {
				return textOf(ev.indices[k].word)
			}
			return number(float64(ev.indices[k].at))
		}
	}
	if s, ok := ev.names[n.name]; ok {
		return s.value
	}
	return number(fixed[n.name])
}

// call applies a function to the values of its arguments.
func (ev *evaluator) call(n *node) value {
	if v, ok := ev.fused(n); ok {
		return v
	}
	from := len(ev.args)
	for _, a := range n.args {
		v := ev.eval(a)
		if v.sort > general && !(v.sort == text && n.fn.text || v.sort == members && n.name == "len") {
			v = ev.operand(a)
		}
		if v.hasInf() && !n.fn.inf {
			ev.misplacedInf(n)
		}
		ev.args = append(ev.args, v)
	}
	to := len(ev.args)
	v := n.fn.eval(ev, n, ev.args[from:to:to])
	ev.args = ev.args[:from]
	return v
}

// fused is sum(f(x)) for an affine x and the functions f whose sum is one atom
// of the whole array.
func (ev *evaluator) fused(n *node) (v value, ok bool) {
	if n.name != "sum" {
		return v, false
	}
	f := n.args[0]
	square := f.op == opPower && f.args[1].op == opNumber && f.args[1].num == 2
	if !square && (f.op != opCall || f.name != "square" && f.name != "abs" && f.name != "huber") {
		return v, false
	}
	x := ev.operand(f.args[0])
	if x.sort != affine {
		return v, false
	}
	m := 1.0
	if f.name == "huber" && len(f.args) > 1 {
		m = ev.threshold(f, ev.operand(f.args[1]))
	}
	return ev.sumOf(n, f.name, x, m), true
}

// ends are the first and the last number of a range.
func (ev *evaluator) ends(n *node) (lo, hi int) {
	lo = ev.integer(n.args[0], ev.operand(n.args[0]), "the start of a range")
	hi = ev.integer(n.args[1], ev.operand(n.args[1]), "the end of a range")
	if hi-lo >= ev.work {
		ev.fail(n, "", "the range %s has %d members, too many", ev.say(n), hi-lo+1)
	}
	return lo, hi
}

func (ev *evaluator) sequence(n *node, lo, hi int) value {
	count := max(0, hi-lo+1)
	ev.room(n, []int{count})
	v := make([]float64, count)
	for k := range v {
		v[k] = float64(lo + k)
	}
	return vector(v)
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
