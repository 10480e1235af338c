package lang

import "github.com/dcopt/dcopt/dc/lang/internal/syntax"

// rules say how each operation is computed.
var rules = [syntax.NumOp]rule{
	syntax.OpNumber: func(_ *evaluator, n *syntax.Node) value { return number(n.Num) },
	syntax.OpString: func(_ *evaluator, n *syntax.Node) value { return textOf(n.Name) },
	syntax.OpName:   (*evaluator).lookup,
	syntax.OpIndex:  func(ev *evaluator, n *syntax.Node) value { return ev.index(n).value(ev, n) },
	syntax.OpAll:    noValue,
	syntax.OpRange:  (*evaluator).sequence,
	syntax.OpCall:   (*evaluator).call,
	syntax.OpReduce: (*evaluator).reduce,
	syntax.OpSum:    (*evaluator).sum,
	syntax.OpMul:    (*evaluator).sum,
	syntax.OpDotMul: (*evaluator).sum,
	syntax.OpDiv:    (*evaluator).sum,
	syntax.OpDotDiv: (*evaluator).sum,
	syntax.OpNeg:    (*evaluator).sum,
	syntax.OpPower: func(ev *evaluator, n *syntax.Node) value {
		return ev.power(n, ev.operand(n.Args[0]), ev.operand(n.Args[1]))
	},
	syntax.OpTrans:   func(ev *evaluator, n *syntax.Node) value { return ev.transpose(n, ev.arrayOf(n.Args[0])) },
	syntax.OpCompare: isTrue,
	syntax.OpAnd:     isTrue,
	syntax.OpOr:      isTrue,
	syntax.OpNot:     isTrue,
	syntax.OpIn:      isTrue,
	syntax.OpChoice:  (*evaluator).choice,
	syntax.OpLiteral: (*evaluator).literal,
	syntax.OpMembers: (*evaluator).set,
	syntax.OpFilter:  (*evaluator).set,
	syntax.OpTuple:   noValue,
}

func isTrue(ev *evaluator, n *syntax.Node) value { return truthOf(ev.condition(n)) }

func noValue(ev *evaluator, n *syntax.Node) value {
	ev.fail(n, "", "%s has no value here", ev.say(n))
	return value{}
}

// reduce is sum, max or min over indices.
func (ev *evaluator) reduce(n *syntax.Node) value {
	if n.Name == "sum" {
		return ev.sum(n)
	}
	return ev.extreme(n)
}

// choice is the one of two nodes that a condition asks for.
func (ev *evaluator) choice(n *syntax.Node) value {
	if ev.holds(n.Cond) {
		return ev.eval(n.Args[0])
	}
	return ev.eval(n.Args[1])
}

// call applies a function to the values of its arguments.
func (ev *evaluator) call(n *syntax.Node) value {
	if v, ok := ev.fused(n); ok {
		return v
	}
	fn, from := ev.noteOf(n).fn, len(ev.args)
	for _, a := range n.Args {
		v := ev.eval(a)
		if v.sort > general && !(v.sort == text && fn.text || v.sort == members && n.Name == "len" || v.sort == sparseNumbers && fn.sparse) {
			v = ev.operand(a)
		}
		if v.hasInf() && !fn.inf {
			ev.misplacedInf(n)
		}
		ev.args = append(ev.args, v)
	}
	to := len(ev.args)
	v := fn.eval(ev, n, ev.args[from:to:to])
	ev.args = ev.args[:from]
	return v
}

// fused is sum(f(x)) for an affine x and the functions f whose sum is one atom
// of the whole array.
func (ev *evaluator) fused(n *syntax.Node) (v value, ok bool) {
	if n.Name != "sum" {
		return v, false
	}
	f := n.Args[0]
	square := f.Op == syntax.OpPower && f.Args[1].Op == syntax.OpNumber && f.Args[1].Num == 2
	if !square && (f.Op != syntax.OpCall || f.Name != "square" && f.Name != "abs" && f.Name != "huber") {
		return v, false
	}
	x := ev.operand(f.Args[0])
	if x.sort != affine {
		return v, false
	}
	m := 1.0
	if f.Name == "huber" && len(f.Args) > 1 {
		m = ev.threshold(f, ev.operand(f.Args[1]))
	}
	return ev.sumOf(n, f.Name, x, m), true
}
