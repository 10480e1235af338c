package family

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"gonum.org/v1/gonum/floats"
)

// Along computes an expression where one variable changes at a time: only the terms
// that have it are computed again, and of sums of squares and of absolute values and of
// Euclidean norms only the entries that have it. An Along is for one goroutine.
type Along struct {
	e     expr.Scalar
	x     []float64
	value float64
	terms []alongTerm
	of    [][]alongPlace // the terms that each variable stands in
	lin   []float64
}

// Gram matrices of more columns than this are not kept.
// Source: a limit of memory: 32 MB.
const gramColumns = 2000

// alongPlace is a term, and the variable's column in its sum.
type alongPlace struct{ term, column int }

type alongTerm struct {
	expr.Term
	v    float64
	sum  *alongSum // nil: computed as a whole
	cost int
}

// alongSum is a function of the squares or of the absolute values of the entries of an
// affine function; it has the coefficients by columns.
type alongSum struct {
	a     *convex.Array
	abs   bool // of absolute values
	root  bool // the square root of the sum
	vals  []float64
	sum   float64
	ptr   []int
	row   []int
	coeff []float64
	dense bool // every column has all rows

	moves int          // so far
	curve []alongCurve // of each column, for squares
	gram  [][]float64  // its columns, aᵢ·aⱼ, from a column's first move on; nil where it were large
}

// alongCurve is the change of a sum of squares by the change of one variable, d: it is
// d·(slope + d·norm). The slope is that after so many moves.
type alongCurve struct {
	slope, norm float64
	moves       int
}

// NewAlong prepares e, an expression of the first n variables.
func NewAlong(e expr.Scalar, n int) *Along {
	a := &Along{e: e, x: make([]float64, n), of: make([][]alongPlace, n), lin: make([]float64, n)}
	for k, j := range e.Lin.Idx {
		a.lin[j] += e.Lin.Val[k]
	}
	column := make([]int, n)
	for k, t := range e.Terms {
		u := alongTerm{Term: t, cost: visits(t.F)}
		for i, j := range t.F.Support() {
			a.of[j] = append(a.of[j], alongPlace{k, i})
			column[j] = i
		}
		if f, is := t.F.(*expr.VectorAtom); is && (f.Is(atom.SumSquares) || f.Is(atom.Norm2) || f.Is(atom.Norm1)) {
			u.sum = newAlongSum(&f.Args.Array, f.Indices, column)
			u.sum.root, u.sum.abs = f.Row == atom.Norm2, f.Row == atom.Norm1
		}
		a.terms = append(a.terms, u)
	}
	return a
}

// newAlongSum has the coefficients of a by the variables of support; column has the
// place of each of these.
func newAlongSum(a *convex.Array, support, column []int) *alongSum {
	s := &alongSum{a: a, vals: make([]float64, len(a.C)), ptr: make([]int, len(support)+1)}
	for _, j := range a.Idx {
		s.ptr[column[j]+1]++
	}
	for k := range support {
		s.ptr[k+1] += s.ptr[k]
	}
	s.curve = make([]alongCurve, len(support))
	if len(support) <= gramColumns {
		s.gram = make([][]float64, len(support))
	}
	next := slices.Clone(s.ptr[:len(support)])
	s.row, s.coeff = make([]int, len(a.Idx)), make([]float64, len(a.Idx))
	for i := range a.C {
		l := a.Linear(i)
		for k, j := range l.Idx {
			at := &next[column[j]]
			s.row[*at], s.coeff[*at] = i, l.Val[k]
			*at++
		}
	}
	s.dense = len(a.Idx) == len(a.C)*len(support)
	return s
}

// column has the coefficients of one column, and their rows.
func (s *alongSum) column(k int) (row []int, coeff []float64) {
	lo, hi := s.ptr[k], s.ptr[k+1]
	return s.row[lo:hi], s.coeff[lo:hi]
}

// dot is the inner product of a column with v, a number for each row.
func (s *alongSum) dot(k int, v []float64) float64 {
	row, coeff := s.column(k)
	if s.dense {
		return floats.Dot(coeff, v)
	}
	sum := 0.0
	for e, i := range row {
		sum += coeff[e] * v[i]
	}
	return sum
}

// add adds w times a column to v.
func (s *alongSum) add(v []float64, w float64, k int) {
	row, coeff := s.column(k)
	if s.dense {
		floats.AddScaled(v, w, coeff)
		return
	}
	for e, i := range row {
		v[i] += w * coeff[e]
	}
}

// At goes to x and returns the value there.
func (a *Along) At(x []float64) float64 {
	copy(a.x, x)
	a.value = a.e.Lin.Value(x)
	for k := range a.terms {
		t := &a.terms[k]
		if s := t.sum; s != nil {
			t.v = s.at(x)
		} else {
			t.v = t.F.Value(x)
		}
		a.value += t.W * t.v
	}
	return a.value
}

// Value is that at the point.
func (a *Along) Value() float64 { return a.value }

// at goes to x and returns the value there.
func (s *alongSum) at(x []float64) float64 {
	s.a.ValueTo(s.vals, x)
	s.sum = 0
	s.moves++
	for _, v := range s.vals {
		if s.abs {
			s.sum += math.Abs(v)
		} else {
			s.sum += v * v
		}
	}
	return s.of(s.sum)
}

// of is the function for a sum.
func (s *alongSum) of(sum float64) float64 {
	if s.root {
		return math.Sqrt(max(sum, 0))
	}
	return sum
}

// Cost is about how many coefficients a Try of variable j visits, and a Move there.
func (a *Along) Cost(j int) (try, move int) {
	try = 1
	for _, p := range a.of[j] {
		t := &a.terms[p.term]
		switch s := t.sum; {
		case s == nil:
			try += t.cost
			move += t.cost
		case s.abs || s.gram == nil:
			try += s.ptr[p.column+1] - s.ptr[p.column]
		case s.gram[p.column] == nil:
			try++
			move += len(s.coeff)
		default:
			try++
			move += len(s.curve)
		}
	}
	return try, move + try
}

// Try is the value where variable j is v and all others are as they are.
func (a *Along) Try(j int, v float64) float64 {
	old := a.x[j]
	a.x[j] = v
	sum := a.value + a.lin[j]*(v-old)
	for _, p := range a.of[j] {
		t := &a.terms[p.term]
		if t.sum != nil {
			sum += t.W * (t.sum.of(t.sum.sum+t.sum.change(p.column, v-old)) - t.v)
		} else {
			sum += t.W * (t.F.Value(a.x) - t.v)
		}
	}
	a.x[j] = old
	return sum
}

// change is the change of the sum where the variable of a column grows by d.
func (s *alongSum) change(column int, d float64) float64 {
	if !s.abs {
		c := s.curveOf(column)
		return d * (c.slope + d*c.norm)
	}
	c := 0.0
	row, coeff := s.column(column)
	for e, i := range row {
		v := s.vals[i]
		c += math.Abs(v+coeff[e]*d) - math.Abs(v)
	}
	return c
}

// curveOf computes the curve of a column where that was not done since the last move.
func (s *alongSum) curveOf(column int) *alongCurve {
	c := &s.curve[column]
	if c.moves == s.moves {
		return c
	}
	if c.moves == 0 {
		_, coeff := s.column(column)
		c.norm = floats.Dot(coeff, coeff)
	}
	c.slope, c.moves = 2*s.dot(column, s.vals), s.moves
	return c
}

// move has the variable of a column grow by d and returns the value there.
func (s *alongSum) move(column int, d float64) float64 {
	s.sum += s.change(column, d)
	s.add(s.vals, d, column)
	s.moves++
	if s.gram == nil || s.abs {
		return s.of(s.sum)
	}
	if s.gram[column] == nil {
		s.gram[column] = s.products(column)
	}
	for k, g := range s.gram[column] {
		if c := &s.curve[k]; c.moves == s.moves-1 {
			c.slope += 2 * d * g
			c.moves++
		}
	}
	return s.of(s.sum)
}

// products are the inner products of a column with all. Those with columns that have theirs
// are known.
func (s *alongSum) products(column int) []float64 {
	_, v := s.column(column)
	if !s.dense {
		v = make([]float64, len(s.vals))
		s.add(v, 1, column)
	}
	g := make([]float64, len(s.curve))
	for k := range g {
		if other := s.gram[k]; other != nil {
			g[k] = other[column]
		} else {
			g[k] = s.dot(k, v)
		}
	}
	return g
}

// Move sets variable j to v.
func (a *Along) Move(j int, v float64) {
	d := v - a.x[j]
	a.x[j] = v
	a.value += a.lin[j] * d
	for _, p := range a.of[j] {
		t := &a.terms[p.term]
		old := t.v
		if t.sum != nil {
			t.v = t.sum.move(p.column, d)
		} else {
			t.v = t.F.Value(a.x)
		}
		a.value += t.W * (t.v - old)
	}
}
