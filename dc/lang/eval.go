package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// eval is the value of n.
func (ev *evaluator) eval(n *syntax.Node) value {
	switch n.Op {
	case syntax.OpNumber:
		return number(n.Num)
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
	if !at.open && (len(ev.indices) > 0 || ev.keep && (v.sort == general || v.sort == complexPairs)) {
		at.memo, at.memoAt = v, ev.stamp
		ev.memos = append(ev.memos, at)
	}
	return v
}

// operand is the value of n where an array of numbers or functions is wanted.
func (ev *evaluator) operand(n *syntax.Node) value { return ev.dense(n, ev.arrayOf(n)) }

// dense is v, with all its entries where it is sparse.
func (ev *evaluator) dense(n *syntax.Node, v value) value {
	if v.sort != sparseNumbers {
		return v
	}
	if s := v.more.sparse; s.full == nil {
		ev.room(n, v.shape)
	}
	return array(v.shape, v.more.sparse.expanded())
}

// arrayOf is operand, but data may be sparse.
func (ev *evaluator) arrayOf(n *syntax.Node) value { return ev.array(n, ev.eval(n)) }

// array is the value v of n, where an array of real numbers or functions is wanted.
func (ev *evaluator) array(n *syntax.Node, v value) value {
	switch v.sort {
	case complexPairs:
		ev.fail(n, "re, im and abs of it are real", "%s is complex, and real numbers are wanted here", ev.say(n))
	case truth:
		ev.fail(n, "", "%s is a condition, not a number", ev.say(n))
	case text:
		if n.Op == syntax.OpName {
			ev.fail(n, "", "%s is the word %q, not a number", n.Name, v.more.str)
		}
		ev.fail(n, "", "a string is no number; did you mean csv(%q)?", v.more.str)
	case members:
		if w := v.more.set.word; w != nil && n.Op == syntax.OpCall {
			ev.fail(n, "words are members of a set: set S = "+ev.say(n), "csv %q %v", n.Args[0].Name, w)
		}
		ev.fail(n, "", "%s is a set, not an array of numbers", ev.say(n))
	}
	return v
}

// data is the value of n where data are wanted.
func (ev *evaluator) dataOf(n *syntax.Node, what string) value {
	return ev.numeric(n, ev.operand(n), what)
}

// lookup is the value of a name; the resolver has seen to it that it exists.
func (ev *evaluator) lookup(n *syntax.Node) value {
	for k := len(ev.indices) - 1; k >= 0; k-- {
		if ev.indices[k].name == n.Name {
			if ev.indices[k].word != "" {
				return textOf(ev.indices[k].word)
			}
			return number(float64(ev.indices[k].at))
		}
	}
	if s, ok := ev.names[n.Name]; ok {
		return s.value
	}
	return number(fixed[n.Name])
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
func (ev *evaluator) sequence(n *syntax.Node) value {
	lo, hi := ev.ends(n)
	count := max(0, hi-lo+1)
	ev.room(n, []int{count})
	v := make([]float64, count)
	for k := range v {
		v[k] = float64(lo + k)
	}
	return vector(v)
}

// holds is the truth of a condition.
func (ev *evaluator) holds(n *syntax.Node) bool {
	v := ev.eval(n)
	if v.sort != truth {
		ev.fail(n, "compare it with something, as in S[i,j] > 0", "%s is no condition", ev.say(n))
	}
	return v.x != 0
}

// fixed are the names that every file has.
var fixed = map[string]float64{"pi": math.Pi, "inf": math.Inf(1)}

// anyArray is arrayOf, but the value may be complex.
func (ev *evaluator) anyArray(n *syntax.Node) value {
	v := ev.eval(n)
	if v.sort == complexPairs {
		return v
	}
	return ev.array(n, v)
}

// side is operand, but the value may be complex.
func (ev *evaluator) side(n *syntax.Node) value { return ev.dense(n, ev.anyArray(n)) }

// pairOf is the value of n by its parts.
func (ev *evaluator) pairOf(n *syntax.Node) pair { return pairIn(ev.side(n)) }

func pairIn(v value) pair {
	if v.sort == complexPairs {
		return *v.more.pair
	}
	return pair{re: v}
}

// complexDataOf is dataOf for numbers that may be complex.
func (ev *evaluator) complexDataOf(n *syntax.Node, what string) value {
	v := ev.side(n)
	if v.complexData() {
		return v
	}
	return ev.numeric(n, v, what)
}
