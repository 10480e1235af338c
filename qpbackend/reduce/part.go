package reduce

import (
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Part is a problem of some rows and columns of another one, both ascending, with room for all its
// values.
type Part struct {
	Problem    *qpbackend.Problem
	Rows, Cols []int // those of the other problem
	a, p       []int // the places of the values of A and P in those of the other problem
	start      Point // see Start
}

// NewPart makes the part of p, which has all bounds, without cones. Entries that are 0 are left
// out, unless zeros.
func NewPart(p *qpbackend.Problem, rows, cols []int, zeros bool) *Part {
	n, m := p.Dims()
	pick := func(from []float64, at []int) []float64 { return Pick(make([]float64, len(at)), from, at) }
	t := &Part{Rows: rows, Cols: cols, Problem: &qpbackend.Problem{
		Q: pick(p.Q, cols), Lo: pick(p.Lo, cols), Hi: pick(p.Hi, cols), L: pick(p.L, rows), U: pick(p.U, rows),
	}}
	t.Problem.A, t.a = entries(p.A, places(m, rows), cols, len(rows), zeros)
	t.Problem.P, t.p = entries(p.P, places(n, cols), cols, len(cols), zeros)
	t.Matrices(p)
	return t
}

// places are, of each of n, its place in list, or −1.
func places(n int, list []int) []int {
	to := make([]int, n)
	for k := range to {
		to[k] = -1
	}
	for k, i := range list {
		to[i] = k
	}
	return to
}

// entries is the pattern of some columns of m, with the rows where to says, and the places of the
// entries.
func entries(m *sparse.CSC, to, cols []int, rows int, zeros bool) (part *sparse.CSC, at []int) {
	part = &sparse.CSC{Rows: rows, Cols: len(cols), ColPtr: make([]int, 1, len(cols)+1)}
	for _, j := range cols {
		for k := m.ColPtr[j]; k < m.ColPtr[j+1]; k++ {
			if i := to[m.RowIdx[k]]; i >= 0 && (zeros || m.Val[k] != 0) {
				part.RowIdx, at = append(part.RowIdx, i), append(at, k)
			}
		}
		part.ColPtr = append(part.ColPtr, len(at))
	}
	part.Val = make([]float64, len(at))
	return part, at
}

// Matrices copies the values of A and P from p.
func (t *Part) Matrices(p *qpbackend.Problem) {
	Pick(t.Problem.A.Val, p.A.Val, t.a)
	Pick(t.Problem.P.Val, p.P.Val, t.p)
}

// Start is the part of a point. Its slices are good until the next call.
func (t *Part) Start(s Point) (of Point) {
	for _, v := range [...]struct {
		of, memory *[]float64
		from       []float64
		at         []int
	}{
		{&of.X, &t.start.X, s.X, t.Cols}, {&of.Y, &t.start.Y, s.Y, t.Rows}, {&of.Z, &t.start.Z, s.Z, t.Cols},
	} {
		if v.from != nil {
			*v.memory = slices.Grow((*v.memory)[:0], len(v.at))[:len(v.at)]
			*v.of = Pick(*v.memory, v.from, v.at)
		}
	}
	return of
}

// Curved says of each variable of p whether it has an entry in P.
func Curved(p *qpbackend.Problem) []bool {
	in := make([]bool, len(p.Q))
	if p.P == nil {
		return in
	}
	for j := range in {
		for _, i := range p.P.RowIdx[p.P.ColPtr[j]:p.P.ColPtr[j+1]] {
			in[i], in[j] = true, true
		}
	}
	return in
}

// Pick sets dst to the entries of from at the places, and returns it.
func Pick[T any](dst, from []T, at []int) []T {
	for k, i := range at {
		dst[k] = from[i]
	}
	return dst
}

// Spread sets the entries of dst at the places to those of from, and returns it.
func Spread(dst, from []float64, at []int) []float64 {
	for k, i := range at {
		dst[i] = from[k]
	}
	return dst
}
