package value

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Accumulator holds sums c + Σ val·x[idx] + Σ w·v that are being evaluated, one
// inside the other: each begins at its mark.
type Accumulator struct {
	C     float64
	Size  float64 // the sum of the sizes of the constants in C
	Idx   []int
	Val   []float64
	Terms []Summand // arrays and DC expressions
}

// Summand is w times the value of a node.
type Summand struct {
	W  float64
	V  Value
	At *syntax.Node
}

// Mark is where a sum begins, and the constant of the one around it.
type Mark struct {
	c, size      float64
	Coefs, Terms int
}

func (a *Accumulator) Mark() Mark { return Mark{a.C, a.Size, len(a.Idx), len(a.Terms)} }

// Begin starts a sum inside the current one.
func (a *Accumulator) Begin() Mark {
	m := a.Mark()
	a.C, a.Size = 0, 0
	return m
}

// BackTo goes back to the sum around the one that began at m.
func (a *Accumulator) BackTo(m Mark) {
	a.C, a.Size, a.Idx, a.Val = m.c, m.size, a.Idx[:m.Coefs], a.Val[:m.Coefs]
	if len(a.Terms) > m.Terms {
		clear(a.Terms[m.Terms:])
		a.Terms = a.Terms[:m.Terms]
	}
}

// keptRoom is how many coefficients the accumulator keeps room for between
// statements.
// Source: a limit of memory.
const keptRoom = 1 << 14

func (a *Accumulator) Reset() {
	a.BackTo(Mark{})
	if cap(a.Idx) > keptRoom {
		a.Idx, a.Val = nil, nil
	}
}

func (a *Accumulator) AddLinear(w float64, l *convex.Linear) {
	a.C, a.Size = a.C+w*l.Const, a.Size+math.Abs(w)*l.ConstSize()
	a.Idx = append(a.Idx, l.Idx...)
	for _, v := range l.Val {
		a.Val = append(a.Val, w*v)
	}
}

// Add adds w times a value, the value of the node at.
func (a *Accumulator) Add(w float64, v Value, at *syntax.Node) {
	switch {
	case len(v.Shape) > 0 || v.Sort >= Expressions:
		a.Terms = append(a.Terms, Summand{w, v, at})
	case v.Sort == AffineFunctions:
		l := v.Linear(0)
		a.AddLinear(w, &l)
	default:
		a.AddNumber(w * v.X)
	}
}

// AddNumber adds a constant.
func (a *Accumulator) AddNumber(c float64) { a.C, a.Size = a.C+c, a.Size+math.Abs(c) }
