package eval

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Eval is the value of n.
func (ev *Evaluator) Eval(n *syntax.Node) value.Value {
	switch n.Op {
	case syntax.OpNumber:
		return value.Number(n.Num)
	case syntax.OpName:
		ev.Spend(n, UnitsNode)
		return ev.Lookup(n)
	}
	at := ev.NoteOf(n)
	if at.memoAt == ev.stamp {
		return at.memo
	}
	ev.Spend(n, UnitsNode)
	v := ev.rules[n.Op](ev, n)
	if !at.Open && (len(ev.Indices) > 0 || ev.Keep && (v.Sort == value.Expressions || v.Sort == value.ComplexPairs)) {
		at.memo, at.memoAt = v, ev.stamp
		ev.memos = append(ev.memos, at)
	}
	return v
}

// Operand is the value of n where an array of numbers or functions is wanted.
func (ev *Evaluator) Operand(n *syntax.Node) value.Value { return ev.Dense(n, ev.ArrayOf(n)) }

// Dense is v, with all its entries where it is sparse.
func (ev *Evaluator) Dense(n *syntax.Node, v value.Value) value.Value {
	if v.Sort != value.SparseNumbers {
		return v
	}
	if s := v.More.Sparse; s.Entries == nil {
		ev.Room(n, v.Shape)
	}
	return value.Array(v.Shape, v.More.Sparse.Expanded())
}

// ArrayOf is operand, but data may be sparse.
func (ev *Evaluator) ArrayOf(n *syntax.Node) value.Value { return ev.array(n, ev.Eval(n)) }

// array is the value v of n, where an array of real numbers or functions is wanted.
func (ev *Evaluator) array(n *syntax.Node, v value.Value) value.Value {
	switch v.Sort {
	case value.ComplexPairs:
		ev.Fail(n, "re, im and abs of it are real", "%s is complex, and real numbers are wanted here", n)
	case value.Truth:
		ev.Fail(n, "", "%s is a condition, not a number", n)
	case value.Text:
		if n.Op == syntax.OpName {
			help := "words index arrays over their set, as in param R[:,A] = ..., and are compared by == and != alone"
			ev.Fail(n, help, "%s is the word %q, not a number", n.Name, v.More.Str)
		}
		ev.Fail(n, "", "a string is no number; did you mean csv(%q)?", v.More.Str)
	case value.Members:
		if w := v.More.Set.Word; w != nil && n.Op == syntax.OpCall {
			ev.Fail(n, "words are members of a set: set S = "+n.String(), "csv %q %v", n.Args[0].Name, w)
		}
		ev.Fail(n, "", "%s is a set, not an array of numbers", n)
	}
	return v
}

// data is the value of n where data are wanted.
func (ev *Evaluator) DataOf(n *syntax.Node, what string) value.Value {
	return ev.Numeric(n, ev.Operand(n), what)
}

// Lookup is the value of a name; the resolver has seen to it that it exists.
func (ev *Evaluator) Lookup(n *syntax.Node) value.Value {
	for k := len(ev.Indices) - 1; k >= 0; k-- {
		if ev.Indices[k].Name == n.Name {
			if ev.Indices[k].Word != "" {
				return value.TextOf(ev.Indices[k].Word)
			}
			return value.Number(float64(ev.Indices[k].At))
		}
	}
	if s, ok := ev.Names[n.Name]; ok {
		return s.Value
	}
	return value.Number(Fixed[n.Name])
}

// ends are the first and the last number of a range.
func (ev *Evaluator) ends(n *syntax.Node) (lo, hi int) {
	lo = ev.Integer(n.Args[0], ev.Operand(n.Args[0]), "the start of a range")
	hi = ev.Integer(n.Args[1], ev.Operand(n.Args[1]), "the end of a range")
	if hi-lo >= ev.Work {
		ev.Fail(n, "", "the range %s has %d members, too many", n, hi-lo+1)
	}
	return lo, hi
}

// Sequence is the vector of the numbers of a range.
func (ev *Evaluator) Sequence(n *syntax.Node) value.Value {
	lo, hi := ev.ends(n)
	count := max(0, hi-lo+1)
	ev.Room(n, []int{count})
	v := make([]float64, count)
	for k := range v {
		v[k] = float64(lo + k)
	}
	return value.Vector(v)
}

// Holds is the truth of a condition.
func (ev *Evaluator) Holds(n *syntax.Node) bool {
	v := ev.Eval(n)
	if v.Sort != value.Truth {
		ev.Fail(n, "compare it with something, as in S[i,j] > 0", "%s is no condition", n)
	}
	return v.X != 0
}

// Fixed are the names that every file has.
var Fixed = map[string]float64{"pi": math.Pi, "inf": math.Inf(1)}

// AnyArray is arrayOf, but the value may be complex.
func (ev *Evaluator) AnyArray(n *syntax.Node) value.Value {
	v := ev.Eval(n)
	if v.Sort == value.ComplexPairs {
		return v
	}
	return ev.array(n, v)
}

// Side is operand, but the value may be complex.
func (ev *Evaluator) Side(n *syntax.Node) value.Value { return ev.Dense(n, ev.AnyArray(n)) }

// PairOf is the value of n by its parts.
func (ev *Evaluator) PairOf(n *syntax.Node) value.Pair { return ev.Side(n).Parts() }

// ComplexDataOf is dataOf for numbers that may be complex.
func (ev *Evaluator) ComplexDataOf(n *syntax.Node, what string) value.Value {
	v := ev.Side(n)
	if v.ComplexData() {
		return v
	}
	return ev.Numeric(n, v, what)
}
