package dc

import "math"

// Along computes an expression where one variable changes at a time: only the terms
// that have it are computed again, and of sums of squares and Euclidean norms only the
// entries that have it. An Along is for one goroutine.
type Along struct {
	e     *Expr
	x     []float64
	value float64
	terms []alongTerm
	of    [][]int // the terms that each variable stands in
	lin   map[int]float64
}

type alongTerm struct {
	term
	v       float64
	squares *alongSquares // nil: computed as a whole
	root    bool
	cost    int
}

// alongSquares is the squares of the entries of an affine function.
type alongSquares struct {
	a      *Affine
	vals   []float64
	sum    float64
	column map[int]int // of a variable: its place in ptr
	ptr    []int
	row    []int
	coeff  []float64
}

// NewAlong prepares e, an expression of the first n variables.
func NewAlong(e *Expr, n int) *Along {
	a := &Along{e: e, x: make([]float64, n), of: make([][]int, n), lin: map[int]float64{}}
	for k, j := range e.lin.Idx {
		a.lin[j] = e.lin.Val[k]
	}
	for k, t := range e.terms {
		u := alongTerm{term: t, cost: len(t.f.Support())}
		switch f := t.f.(type) {
		case *family:
			u.cost = f.coefficients()
		case *sumSquares:
			u.squares = newAlongSquares(&f.a)
		case *norm2:
			u.squares, u.root = newAlongSquares(&f.a), true
		}
		for _, j := range t.f.Support() {
			a.of[j] = append(a.of[j], k)
		}
		a.terms = append(a.terms, u)
	}
	return a
}

// Coefficients is about how many coefficients a value of e visits.
func (e Expr) Coefficients() int {
	n := len(e.lin.Idx)
	for _, t := range e.terms {
		switch f := t.f.(type) {
		case *family:
			n += f.coefficients()
		case *sumSquares:
			n += f.a.NNZ()
		case *norm2:
			n += f.a.NNZ()
		default:
			n += len(t.f.Support())
		}
	}
	return n
}

func newAlongSquares(a *Affine) *alongSquares {
	s := &alongSquares{a: a, vals: make([]float64, len(a.c)), column: map[int]int{}}
	count := []int{}
	for _, j := range a.idx {
		k, ok := s.column[j]
		if !ok {
			k = len(count)
			s.column[j], count = k, append(count, 0)
		}
		count[k]++
	}
	s.ptr = make([]int, len(count)+1)
	for k, c := range count {
		s.ptr[k+1] = s.ptr[k] + c
	}
	next := append([]int(nil), s.ptr...)
	s.row, s.coeff = make([]int, len(a.idx)), make([]float64, len(a.idx))
	for i := range a.c {
		l := a.Entry(i)
		for k, j := range l.Idx {
			at := next[s.column[j]]
			s.row[at], s.coeff[at], next[s.column[j]] = i, l.Val[k], at+1
		}
	}
	return s
}

// At goes to x and returns the value there.
func (a *Along) At(x []float64) float64 {
	copy(a.x, x)
	a.value = a.e.lin.Value(x)
	for k := range a.terms {
		t := &a.terms[k]
		if s := t.squares; s != nil {
			s.a.ValueTo(s.vals, x)
			s.sum = 0
			for _, v := range s.vals {
				s.sum += v * v
			}
			t.v = t.of(s.sum)
		} else {
			t.v = t.f.Value(x)
		}
		a.value += t.w * t.v
	}
	return a.value
}

// Value is that at the point.
func (a *Along) Value() float64 { return a.value }

// of is the term's function for a sum of squares.
func (t *alongTerm) of(sum float64) float64 {
	if t.root {
		return math.Sqrt(max(sum, 0))
	}
	return sum
}

// Cost is about how many coefficients a Try of variable j visits.
func (a *Along) Cost(j int) int {
	c := 1
	for _, k := range a.of[j] {
		if s := a.terms[k].squares; s != nil {
			at := s.column[j]
			c += s.ptr[at+1] - s.ptr[at]
		} else {
			c += a.terms[k].cost
		}
	}
	return c
}

// Try is the value where variable j is v and all others are as they are.
func (a *Along) Try(j int, v float64) float64 {
	old := a.x[j]
	a.x[j] = v
	sum := a.value + a.lin[j]*(v-old)
	for _, k := range a.of[j] {
		t := &a.terms[k]
		if t.squares != nil {
			sum += t.w * (t.of(t.squares.sum+t.squares.change(j, v-old)) - t.v)
		} else {
			sum += t.w * (t.f.Value(a.x) - t.v)
		}
	}
	a.x[j] = old
	return sum
}

// change is that of the sum where variable j grows by d.
func (s *alongSquares) change(j int, d float64) float64 {
	c, at := 0.0, s.column[j]
	for e := s.ptr[at]; e < s.ptr[at+1]; e++ {
		step := s.coeff[e] * d
		c += step * (2*s.vals[s.row[e]] + step)
	}
	return c
}

// Move sets variable j to v.
func (a *Along) Move(j int, v float64) {
	d := v - a.x[j]
	a.x[j] = v
	a.value += a.lin[j] * d
	for _, k := range a.of[j] {
		t := &a.terms[k]
		old := t.v
		if s := t.squares; s != nil {
			s.sum += s.change(j, d)
			at := s.column[j]
			for e := s.ptr[at]; e < s.ptr[at+1]; e++ {
				s.vals[s.row[e]] += s.coeff[e] * d
			}
			t.v = t.of(s.sum)
		} else {
			t.v = t.f.Value(a.x)
		}
		a.value += t.w * (t.v - old)
	}
}
