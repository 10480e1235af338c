package lang

// rules say how each operation is computed.
var rules = [numOp]rule{
	opNumber:  func(_ *evaluator, n *node) value { return number(n.num) },
	opString:  func(_ *evaluator, n *node) value { return textOf(n.name) },
	opName:    (*evaluator).lookup,
	opIndex:   func(ev *evaluator, n *node) value { return ev.index(n).value(ev, n) },
	opAll:     noValue,
	opRange:   (*evaluator).sequence,
	opCall:    (*evaluator).call,
	opReduce:  (*evaluator).reduce,
	opSum:     (*evaluator).sum,
	opMul:     (*evaluator).sum,
	opDotMul:  (*evaluator).sum,
	opDiv:     (*evaluator).sum,
	opDotDiv:  (*evaluator).sum,
	opNeg:     (*evaluator).sum,
	opPower:   func(ev *evaluator, n *node) value { return ev.power(n, ev.operand(n.args[0]), ev.operand(n.args[1])) },
	opTrans:   func(ev *evaluator, n *node) value { return ev.transpose(n, ev.arrayOf(n.args[0])) },
	opCompare: isTrue,
	opAnd:     isTrue,
	opOr:      isTrue,
	opNot:     isTrue,
	opIn:      isTrue,
	opChoice:  (*evaluator).choice,
	opLiteral: (*evaluator).literal,
	opMembers: (*evaluator).set,
	opFilter:  (*evaluator).set,
	opTuple:   noValue,
}

func isTrue(ev *evaluator, n *node) value { return truthOf(ev.condition(n)) }

func noValue(ev *evaluator, n *node) value {
	ev.fail(n, "", "%s has no value here", ev.say(n))
	return value{}
}

// reduce is sum, max or min over indices.
func (ev *evaluator) reduce(n *node) value {
	if n.name == "sum" {
		return ev.sum(n)
	}
	return ev.extreme(n)
}

// choice is the one of two nodes that a condition asks for.
func (ev *evaluator) choice(n *node) value {
	if ev.holds(n.cond) {
		return ev.eval(n.args[0])
	}
	return ev.eval(n.args[1])
}
