package function

import (
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Rules say how each operation is computed, but for numbers and names.
var Rules = eval.Rules{
	syntax.OpImaginary: func(_ *eval.Evaluator, n *syntax.Node) value.Value {
		return value.ComplexOf(value.Number(0), value.Number(n.Num))
	},
	syntax.OpString: func(_ *eval.Evaluator, n *syntax.Node) value.Value { return value.TextOf(n.Name) },
	syntax.OpIndex:  func(ev *eval.Evaluator, n *syntax.Node) value.Value { return ev.Index(n).Value(ev, n) },
	syntax.OpAll:    noValue,
	syntax.OpRange:  (*eval.Evaluator).Sequence,
	syntax.OpCall:   call,
	syntax.OpReduce: reduce,
	syntax.OpSum:    (*eval.Evaluator).Sum,
	syntax.OpMul:    (*eval.Evaluator).Sum,
	syntax.OpDotMul: (*eval.Evaluator).Sum,
	syntax.OpDiv:    (*eval.Evaluator).Sum,
	syntax.OpDotDiv: (*eval.Evaluator).Sum,
	syntax.OpNeg:    (*eval.Evaluator).Sum,
	syntax.OpPower: func(ev *eval.Evaluator, n *syntax.Node) value.Value {
		if z, p, ok := squaredModuli(ev, n); ok && !p.IsData() { // re^2 + im^2, entry by entry
			c := ev.Afford(n, p.Re.Costs().Plus(p.Im.Costs()).Times(2))
			ev.Spend(n, 2*z.Len())
			return value.FromEach(p.Re.Shape, c, func(k int) dc.Expr {
				return dc.SumSquares(dc.Stack(z.Re.Entry(k), z.Im.Entry(k)))
			})
		}
		base := ev.Side(n.Args[0])
		if base.Sort == value.ComplexPairs {
			return complexPower(ev, n, base.Parts())
		}
		return power(ev, n, base, ev.Operand(n.Args[1]))
	},
	syntax.OpTrans: func(ev *eval.Evaluator, n *syntax.Node) value.Value {
		return ev.Transpose(n, ev.AnyArray(n.Args[0]))
	},
	syntax.OpCompare: isTrue,
	syntax.OpAnd:     isTrue,
	syntax.OpOr:      isTrue,
	syntax.OpNot:     isTrue,
	syntax.OpIn:      isTrue,
	syntax.OpChoice:  choice,
	syntax.OpLiteral: (*eval.Evaluator).Literal,
	syntax.OpMembers: (*eval.Evaluator).Set,
	syntax.OpFilter:  (*eval.Evaluator).Set,
	syntax.OpTuple:   noValue,
}

func isTrue(ev *eval.Evaluator, n *syntax.Node) value.Value { return value.TruthOf(ev.Condition(n)) }

func noValue(ev *eval.Evaluator, n *syntax.Node) value.Value {
	ev.Fail(n, "", "%s has no value here", n)
	return value.Value{}
}

// reduce is sum, max or min over indices.
func reduce(ev *eval.Evaluator, n *syntax.Node) value.Value {
	switch v, together := ev.SumTogether(n); {
	case together:
		return v
	case n.Name == "sum":
		return ev.Sum(n)
	case ev.NoteOf(n).Complex:
		ev.NoOrder(n.Args[0])
	}
	return ev.Extreme(n)
}

// choice is the one of two nodes that a condition asks for.
func choice(ev *eval.Evaluator, n *syntax.Node) value.Value {
	if ev.Holds(n.Cond) {
		return ev.Eval(n.Args[0])
	}
	return ev.Eval(n.Args[1])
}

// call applies a function to the values of its arguments.
func call(ev *eval.Evaluator, n *syntax.Node) (v value.Value) {
	if v, ok := fused(ev, n); ok {
		return v
	}
	fn, from, isComplex := ev.NoteOf(n).Fn, len(ev.Args), (*syntax.Node)(nil)
	if fn.Text {
		return fn.Eval(ev, n, nil)
	}
	for _, a := range n.Args {
		v := ev.Eval(a)
		taken := v.Sort == value.Members && n.Name == "len" || v.Sort == value.SparseNumbers && fn.Sparse
		switch {
		case v.Sort == value.ComplexPairs && isComplex == nil:
			isComplex = a
		case v.Sort > value.Expressions && v.Sort != value.ComplexPairs && !taken:
			v = ev.Operand(a)
		}
		if p := v.Parts(); p.Re.HasInf() && !fn.Inf {
			ev.MisplacedInf(n)
		}
		ev.Args = append(ev.Args, v)
	}
	to := len(ev.Args)
	switch args := ev.Args[from:to:to]; {
	case isComplex == nil:
		v = fn.Eval(ev, n, args)
	case fn.Complex == nil:
		ev.Fail(isComplex, "re, im and abs of it are real", "%s is a function of real numbers, and %s is complex",
			n.Name, isComplex)
	default:
		pairs := make([]value.Pair, len(args))
		for k := range args {
			pairs[k] = args[k].Parts()
		}
		v = fn.Complex(ev, n, pairs)
	}
	ev.Args = ev.Args[:from]
	return v
}

// fused is sum(f(x)) for an affine x and the functions f whose sum is one atom
// of the whole array.
func fused(ev *eval.Evaluator, n *syntax.Node) (v value.Value, ok bool) {
	if n.Name != "sum" || len(n.Args) > 1 {
		return v, false
	}
	f, ofSum := n.Args[0], sumOfSquares
	switch {
	case f.Op == syntax.OpPower && f.Args[1].Op == syntax.OpNumber && f.Args[1].Num == 2:
	case f.Op == syntax.OpCall && ev.NoteOf(f).Fn.OfSum != nil:
		ofSum = ev.NoteOf(f).Fn.OfSum
	default:
		return v, false
	}
	if a := ev.NoteOf(f.Args[0]); a.Complex || a.OfComplex {
		if f.Op == syntax.OpPower {
			if z, _, ok := squaredModuli(ev, f); ok {
				return ev.Atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ()), true
			}
		}
		return v, false
	}
	x := ev.Operand(f.Args[0])
	if x.Sort != value.AffineFunctions {
		return v, false
	}
	m := 1.0
	if f.Op == syntax.OpCall && len(f.Args) > 1 {
		m = threshold(ev, f, ev.Operand(f.Args[1]))
	}
	return ev.Atom(n, ofSum(x.Function(), m), x.Costs().Weight), true
}
