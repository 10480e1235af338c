package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// eval is the value of n.
func (ev *evaluator) eval(n *syntax.Node) value.Value {
	switch n.Op {
	case syntax.OpNumber:
		return value.Number(n.Num)
	case syntax.OpName:
		ev.spend(n, unitsNode)
		return ev.lookup(n)
	}
	at := ev.noteOf(n)
	if at.memoAt == ev.stamp {
		return at.memo
	}
	ev.spend(n, unitsNode)
	op := n.Op
	if at.complex {
		op = ofComplex
	}
	v := ev.rules[op](ev, n)
	if !at.open && (len(ev.indices) > 0 || ev.keep && (v.Sort == value.Expressions || v.Sort == value.ComplexPairs)) {
		at.memo, at.memoAt = v, ev.stamp
		ev.memos = append(ev.memos, at)
	}
	return v
}

// operand is the value of n where an array of numbers or functions is wanted.
func (ev *evaluator) operand(n *syntax.Node) value.Value { return ev.dense(n, ev.arrayOf(n)) }

// dense is v, with all its entries where it is sparse.
func (ev *evaluator) dense(n *syntax.Node, v value.Value) value.Value {
	if v.Sort != value.SparseNumbers {
		return v
	}
	if s := v.More.Sparse; s.Entries == nil {
		ev.room(n, v.Shape)
	}
	return value.Array(v.Shape, v.More.Sparse.Expanded())
}

// arrayOf is operand, but data may be sparse.
func (ev *evaluator) arrayOf(n *syntax.Node) value.Value { return ev.array(n, ev.eval(n)) }

// array is the value v of n, where an array of real numbers or functions is wanted.
func (ev *evaluator) array(n *syntax.Node, v value.Value) value.Value {
	switch v.Sort {
	case value.ComplexPairs:
		ev.fail(n, "re, im and abs of it are real", "%s is complex, and real numbers are wanted here", ev.say(n))
	case value.Truth:
		ev.fail(n, "", "%s is a condition, not a number", ev.say(n))
	case value.Text:
		if n.Op == syntax.OpName {
			ev.fail(n, "", "%s is the word %q, not a number", n.Name, v.More.Str)
		}
		ev.fail(n, "", "a string is no number; did you mean csv(%q)?", v.More.Str)
	case value.Members:
		if w := v.More.Set.Word; w != nil && n.Op == syntax.OpCall {
			ev.fail(n, "words are members of a set: set S = "+ev.say(n), "csv %q %v", n.Args[0].Name, w)
		}
		ev.fail(n, "", "%s is a set, not an array of numbers", ev.say(n))
	}
	return v
}

// data is the value of n where data are wanted.
func (ev *evaluator) dataOf(n *syntax.Node, what string) value.Value {
	return ev.numeric(n, ev.operand(n), what)
}

// lookup is the value of a name; the resolver has seen to it that it exists.
func (ev *evaluator) lookup(n *syntax.Node) value.Value {
	for k := len(ev.indices) - 1; k >= 0; k-- {
		if ev.indices[k].name == n.Name {
			if ev.indices[k].word != "" {
				return value.TextOf(ev.indices[k].word)
			}
			return value.Number(float64(ev.indices[k].at))
		}
	}
	if s, ok := ev.names[n.Name]; ok {
		return s.value
	}
	return value.Number(fixed[n.Name])
}

// ends are the first and the last number of a range.
func (ev *evaluator) ends(n *syntax.Node) (lo, hi int) {
	lo = ev.integer(n.Args[0], ev.operand(n.Args[0]), "the start of a range")
	hi = ev.integer(n.Args[1], ev.operand(n.Args[1]), "the end of a range")
	if hi-lo >= ev.work {
		ev.fail(n, "", "the range %s has %d members, too many", ev.say(n), hi-lo+1)
	}
	return lo, hi
}

// sequence is the vector of the numbers of a range.
func (ev *evaluator) sequence(n *syntax.Node) value.Value {
	lo, hi := ev.ends(n)
	count := max(0, hi-lo+1)
	ev.room(n, []int{count})
	v := make([]float64, count)
	for k := range v {
		v[k] = float64(lo + k)
	}
	return value.Vector(v)
}

// holds is the truth of a condition.
func (ev *evaluator) holds(n *syntax.Node) bool {
	v := ev.eval(n)
	if v.Sort != value.Truth {
		ev.fail(n, "compare it with something, as in S[i,j] > 0", "%s is no condition", ev.say(n))
	}
	return v.X != 0
}

// fixed are the names that every file has.
var fixed = map[string]float64{"pi": math.Pi, "inf": math.Inf(1)}

// anyArray is arrayOf, but the value may be complex.
func (ev *evaluator) anyArray(n *syntax.Node) value.Value {
	v := ev.eval(n)
	if v.Sort == value.ComplexPairs {
		return v
	}
	return ev.array(n, v)
}

// side is operand, but the value may be complex.
func (ev *evaluator) side(n *syntax.Node) value.Value { return ev.dense(n, ev.anyArray(n)) }

// pairOf is the value of n by its parts.
func (ev *evaluator) pairOf(n *syntax.Node) value.Pair { return pairIn(ev.side(n)) }

func pairIn(v value.Value) value.Pair {
	if v.Sort == value.ComplexPairs {
		return *v.More.Pair
	}
	return value.Pair{Re: v}
}

// complexDataOf is dataOf for numbers that may be complex.
func (ev *evaluator) complexDataOf(n *syntax.Node, what string) value.Value {
	v := ev.side(n)
	if v.ComplexData() {
		return v
	}
	return ev.numeric(n, v, what)
}
