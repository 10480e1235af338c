package printer

import (
	"slices"
	"sort"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// slices writes a as a sum of multiples of slices, and of constants.
func (pr *printer) slices(ps *phrase, a convex.Array) bool {
	head := a.Linear(0)
	for k := 1; k < a.Len(); k++ {
		if l := a.Linear(k); !slices.Equal(l.Val, head.Val) {
			return false
		}
	}
	type slice struct{ v, d, lo, hi int }
	shape := a.Shape
	parts := make([]slice, len(head.Idx))
	for t := range parts {
		idx := make([]int, a.Len())
		for k := range idx {
			idx[k] = a.Linear(k).Idx[t]
		}
		v, d, lo, ok := pr.sliceOf(idx, shape)
		if !ok {
			return false
		}
		parts[t] = slice{v, d, lo, lo + a.Len() - 1}
	}
	if len(parts) == 0 {
		return false
	}
	for t, s := range parts {
		ps.coefficient(t == 0, head.Val[t])
		if s.d < 0 {
			ps.text(pr.names[s.v] + strings.Repeat("'", -1-s.d))
			continue
		}
		_, index := pr.place(head.Idx[t])
		pr.indexed(ps, s.v, index, s.d, s.lo, s.hi)
	}
	consts := make([]float64, a.Len())
	zero := true
	for k := range consts {
		consts[k] = a.Linear(k).Const
		zero = zero && consts[k] == 0
	}
	if !zero {
		ps.text(" + ")
		ps.array(shape, consts)
	}
	return true
}

// sliceOf says of which dimension of which variable the entries are a slice in
// order, −1 for all of the variable, −2 for its transpose.
func (pr *printer) sliceOf(idx []int, shape []int) (v, d, lo int, ok bool) {
	v, first := pr.place(idx[0])
	x, step := pr.p.Vars[v], 1
	are := func(place func(k int) int) bool { // of each entry in x
		for k, j := range idx {
			if j != x.Offset+place(k) {
				return false
			}
		}
		return true
	}
	switch {
	case x.Symmetric:
		n := x.Shape[0]
		return v, -1, 0, slices.Equal(shape, x.Shape) && are(func(k int) int { return expr.Place(k/n, k%n) })
	case x.Skew:
		return 0, 0, 0, false
	case len(shape) == 2 && len(x.Shape) == 2 && len(idx) == x.Len():
		r, c := x.Shape[0], x.Shape[1]
		if r != 1 && c != 1 && are(func(k int) int { return k%r*c + k/r }) {
			return v, -2, 0, shape[0] == c
		}
	}
	if len(idx) > 1 {
		step = idx[1] - idx[0]
	}
	if !are(func(k int) int { return idx[0] - x.Offset + k*step }) {
		return 0, 0, 0, false
	}
	if step == 1 && idx[0] == x.Offset && len(idx) == x.Len() && slices.Equal(shape, x.Shape) {
		return v, -1, 0, true
	}
	stride := 1
	for d = len(x.Shape) - 1; d >= 0 && stride != step; d-- {
		stride *= x.Shape[d]
	}
	if d < 0 || len(shape) != 1 || first[d]-pr.origin(v, d)+len(idx) > x.Shape[d] {
		return 0, 0, 0, false
	}
	return v, d, first[d], true
}

// product writes a as A*x + b for data A without zeros and a vector x.
func (pr *printer) product(ps *phrase, a convex.Array) bool {
	rows := a.Len()
	head := a.Linear(0)
	if len(head.Idx) < 2 || len(a.Shape) != 1 {
		return false
	}
	v, _ := pr.place(head.Idx[0])
	x := pr.p.Vars[v]
	n := x.Len()
	if len(x.Shape) != 1 || len(head.Idx) != n {
		return false
	}
	m, b := make([]float64, 0, rows*n), make([]float64, rows)
	zero := true
	for k := range rows {
		l := a.Linear(k)
		if len(l.Idx) != n || l.Idx[0] != x.Offset || l.Idx[n-1] != x.Offset+n-1 {
			return false
		}
		m, b[k] = append(m, l.Val...), l.Const
		zero = zero && b[k] == 0
	}
	ps.array([]int{rows, n}, m)
	ps.text("*" + pr.names[v])
	if !zero {
		ps.text(" + ")
		ps.array([]int{rows}, b)
	}
	return true
}

// place is a variable and the indices of one of its entries, from its origin.
func (pr *printer) place(j int) (v int, index []int) {
	vars := pr.p.Vars
	v = sort.Search(len(vars), func(k int) bool { return vars[k].Offset+vars[k].Len() > j })
	x := vars[v]
	k := j - x.Offset
	if x.Symmetric || x.Skew {
		col := 0 // of the triangle
		for (col+1)*(col+2)/2 <= k {
			col++
		}
		if index = []int{k - col*(col+1)/2, col}; x.Skew { // above the diagonal
			index[1]++
		}
	} else {
		index = make([]int, len(x.Shape))
		for d := len(index) - 1; d >= 0; d-- {
			index[d] = k % x.Shape[d]
			k /= x.Shape[d]
		}
	}
	for d := range index {
		index[d] += pr.origin(v, d)
	}
	return v, index
}

func (pr *printer) origin(v, d int) int {
	if o := pr.p.Vars[v].Origin; o != nil {
		return o[d]
	}
	return 1
}

// entry is entry j of x.
func (pr *printer) entry(ps *phrase, j int) {
	v, index := pr.place(j)
	pr.indexed(ps, v, index, -1, 0, 0)
}

// indexed is an entry of a variable, or the slice that has all indices from lo to
// hi in dimension d.
func (pr *printer) indexed(ps *phrase, v int, index []int, d, lo, hi int) {
	ps.text(pr.names[v])
	for k, i := range index {
		ps.text(map[bool]string{true: "[", false: ","}[k == 0])
		switch {
		case k != d:
			ps.number(pieceIndex, float64(i))
		case hi-lo+1 == pr.p.Vars[v].Shape[k]:
			ps.text(":")
		default:
			ps.number(pieceIndex, float64(lo))
			ps.text("..")
			ps.number(pieceIndex, float64(hi))
		}
	}
	if len(index) > 0 {
		ps.text("]")
	}
}
