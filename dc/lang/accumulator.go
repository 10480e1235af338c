package lang

import (
	"github.com/dcopt/dcopt/dc"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// accumulator holds sums c + Σ val·x[idx] + Σ w·v that are being evaluated, one
// inside the other: each begins at its mark.
type accumulator struct {
	c     float64
	idx   []int
	val   []float64
	terms []summand // arrays and DC expressions
}

// summand is w times the value of a node.
type summand struct {
	w  float64
	v  value
	at *syntax.Node
}

// mark is where a sum begins, and the constant of the one around it.
type mark struct {
	c            float64
	coefs, terms int
}

func (a *accumulator) mark() mark { return mark{a.c, len(a.idx), len(a.terms)} }

// begin starts a sum inside the current one.
func (a *accumulator) begin() mark {
	m := a.mark()
	a.c = 0
	return m
}

// backTo goes back to the sum around the one that began at m.
func (a *accumulator) backTo(m mark) {
	a.c, a.idx, a.val = m.c, a.idx[:m.coefs], a.val[:m.coefs]
	if len(a.terms) > m.terms {
		clear(a.terms[m.terms:])
		a.terms = a.terms[:m.terms]
	}
}

// keptRoom is how many coefficients the accumulator keeps room for between
// statements.
// Source: a limit of memory.
const keptRoom = 1 << 14

func (a *accumulator) reset() {
	a.backTo(mark{})
	if cap(a.idx) > keptRoom {
		a.idx, a.val = nil, nil
	}
}

func (a *accumulator) addLinear(w float64, l *dc.Linear) {
	a.c += w * l.Const
	a.idx = append(a.idx, l.Idx...)
	for _, v := range l.Val {
		a.val = append(a.val, w*v)
	}
}

// add adds w times a value, that of the node at.
func (a *accumulator) add(w float64, v value, at *syntax.Node) {
	switch {
	case len(v.shape) > 0 || v.sort == general:
		a.terms = append(a.terms, summand{w, v, at})
	case v.sort == affine:
		a.addLinear(w, v.lin)
	default:
		a.c += w * v.x
	}
}
