package lang

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// rules say how each operation is computed.
var rules = [ofComplex + 1]rule{
	syntax.OpNumber: func(_ *evaluator, n *syntax.Node) value.Value { return value.Number(n.Num) },
	syntax.OpImaginary: func(_ *evaluator, n *syntax.Node) value.Value {
		return value.ComplexOf(value.Number(0), value.Number(n.Num))
	},
	syntax.OpString: func(_ *evaluator, n *syntax.Node) value.Value { return value.TextOf(n.Name) },
	syntax.OpName:   (*evaluator).lookup,
	syntax.OpIndex:  func(ev *evaluator, n *syntax.Node) value.Value { return ev.index(n).value(ev, n) },
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
	syntax.OpPower: func(ev *evaluator, n *syntax.Node) value.Value {
		if v, ok := ev.squaredModulus(n); ok {
			return v
		}
		return ev.power(n, ev.operand(n.Args[0]), ev.operand(n.Args[1]))
	},
	syntax.OpTrans:   func(ev *evaluator, n *syntax.Node) value.Value { return ev.transpose(n, ev.arrayOf(n.Args[0])) },
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
	ofComplex:        (*evaluator).complexNode,
}

func isTrue(ev *evaluator, n *syntax.Node) value.Value { return value.TruthOf(ev.condition(n)) }

func noValue(ev *evaluator, n *syntax.Node) value.Value {
	ev.fail(n, "", "%s has no value here", ev.say(n))
	return value.Value{}
}

// reduce is sum, max or min over indices.
func (ev *evaluator) reduce(n *syntax.Node) value.Value {
	if n.Name == "sum" {
		return ev.sum(n)
	}
	return ev.extreme(n)
}

// choice is the one of two nodes that a condition asks for.
func (ev *evaluator) choice(n *syntax.Node) value.Value {
	if ev.holds(n.Cond) {
		return ev.eval(n.Args[0])
	}
	return ev.eval(n.Args[1])
}

// call applies a function to the values of its arguments.
func (ev *evaluator) call(n *syntax.Node) value.Value {
	if ev.noteOf(n).ofComplex {
		return ev.complexCall(n)
	}
	return ev.realCall(n)
}

// realCall is call where no argument is complex.
func (ev *evaluator) realCall(n *syntax.Node) value.Value {
	if v, ok := ev.fused(n); ok {
		return v
	}
	fn, from := ev.noteOf(n).fn, len(ev.args)
	for _, a := range n.Args {
		v := ev.eval(a)
		if v.Sort > value.Expressions && !(v.Sort == value.Text && fn.text || v.Sort == value.Members && n.Name == "len" || v.Sort == value.SparseNumbers && fn.sparse) {
			v = ev.operand(a)
		}
		if v.HasInf() && !fn.inf {
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
func (ev *evaluator) fused(n *syntax.Node) (v value.Value, ok bool) {
	if n.Name != "sum" {
		return v, false
	}
	f := n.Args[0]
	square := f.Op == syntax.OpPower && f.Args[1].Op == syntax.OpNumber && f.Args[1].Num == 2
	if !square && (f.Op != syntax.OpCall || f.Name != "square" && f.Name != "abs" && f.Name != "huber") {
		return v, false
	}
	if a := ev.noteOf(f.Args[0]); a.complex || a.ofComplex {
		return ev.fusedModuli(n, f)
	}
	x := ev.operand(f.Args[0])
	if x.Sort != value.AffineFunctions {
		return v, false
	}
	m := 1.0
	if f.Name == "huber" && len(f.Args) > 1 {
		m = ev.threshold(f, ev.operand(f.Args[1]))
	}
	return ev.sumOf(n, f.Name, x, m), true
}

// complexNode computes a node that may be complex.
func (ev *evaluator) complexNode(n *syntax.Node) value.Value {
	switch n.Op {
	case syntax.OpIndex:
		p := ev.pairOf(n.Args[0])
		re := ev.indexed(n, p.Re).value(ev, n)
		if p.IsReal() {
			return re
		}
		return value.ComplexOf(re, ev.indexed(n, p.Im).value(ev, n))
	case syntax.OpCall:
		return ev.complexCall(n)
	case syntax.OpReduce:
		return ev.complexReduction(n)
	case syntax.OpSum:
		parts := make([]value.Pair, len(n.Args))
		ev.each(len(n.Args), func(k int) { parts[k] = ev.pairOf(n.Args[k]) })
		return ev.complexSum(n, n.Args, parts, n.Minus)
	case syntax.OpNeg:
		return ev.complexSum(n, n.Args, []value.Pair{ev.pairOf(n.Args[0])}, []bool{true})
	case syntax.OpMul:
		if v, ok := ev.hermitianForm(n); ok {
			return v
		}
		return ev.bilinear(n, ev.pairOf(n.Args[0]), ev.pairOf(n.Args[1]), func(a, b value.Value) value.Value { return ev.multiply(n, a, b) })
	case syntax.OpDotMul:
		return ev.bilinear(n, ev.pairOf(n.Args[0]), ev.pairOf(n.Args[1]), func(a, b value.Value) value.Value { return ev.times(n, a, b) })
	case syntax.OpDiv, syntax.OpDotDiv:
		return ev.complexQuotient(n)
	case syntax.OpPower:
		return ev.complexPower(n)
	case syntax.OpTrans:
		p := ev.pairOf(n.Args[0])
		re := ev.transpose(n, p.Re)
		if p.IsReal() {
			return re
		}
		return value.ComplexOf(re, ev.scale(n, -1, ev.transpose(n, p.Im)))
	case syntax.OpLiteral:
		return ev.complexLiteral(n)
	case syntax.OpChoice:
		return ev.choice(n)
	case syntax.OpImaginary:
		return value.ComplexOf(value.Number(0), value.Number(n.Num))
	}
	return ev.lookup(n)
}

// complexCall applies a function to arguments some of which may be complex.
func (ev *evaluator) complexCall(n *syntax.Node) value.Value {
	f := ev.noteOf(n).fn.complex
	args, isComplex := make([]value.Pair, len(n.Args)), (*syntax.Node)(nil)
	for k, a := range n.Args {
		if args[k] = ev.pairOf(a); !args[k].IsReal() && isComplex == nil {
			isComplex = a
		}
		if args[k].Re.HasInf() && !ev.noteOf(n).fn.inf {
			ev.misplacedInf(n)
		}
	}
	switch {
	case isComplex == nil:
		return ev.realCall(n)
	case f == nil && (n.Name == "max" || n.Name == "min" || n.Name == "sumlargest" || n.Name == "sort" || n.Name == "pos"):
		ev.noOrder(isComplex)
	case f == nil:
		ev.fail(isComplex, "re, im and abs of it are real", "%s is a function of real numbers, and %s is complex", n.Name, ev.say(isComplex))
	}
	return f(ev, n, args)
}
