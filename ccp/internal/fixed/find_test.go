package fixed_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// row is lo ≤ Σ val·x[idx] ≤ hi.
type row struct {
	lo, hi float64
	idx    []int
	val    []float64
}

// ofRows is a problem of n variables with no objective.
func ofRows(n int, list []row) *qpbackend.Problem {
	p := &qpbackend.Problem{Q: make([]float64, n)}
	var at sparse.Triplets
	for i, r := range list {
		p.L, p.U = append(p.L, r.lo), append(p.U, r.hi)
		for k, j := range r.idx {
			at.Add(i, j, r.val[k])
		}
	}
	p.A, _ = at.CSC(len(list), n)
	return p
}

// Equations of one variable that is not known are found one after the other; those with a
// coefficient that is small beside others are not.
func TestFind(t *testing.T) {
	p := ofRows(7, []row{
		{1, 1, []int{1, 2}, []float64{1, 2}},
		{3, 3, []int{1}, []float64{1}},
		{0, 0, []int{2, 3}, []float64{1, 1e-6}},
		{0, 0, []int{0, 4}, []float64{1, 1}},
		{0, 1, []int{0}, []float64{1}},
		{2, 2, []int{5, 6}, []float64{1, 1}},
	})
	if got, want := fixed.Find(p, []int{6}), []fixed.Equation{{Row: 1, Col: 1}, {Row: 5, Col: 5}, {Row: 0, Col: 2}}; !slices.Equal(got, want) {
		t.Errorf("equations %v, want %v", got, want)
	}
}

// A matrix variable is eliminated with its cone by the backend: its entries stay, as the diagonal
// of a relaxation of a cut does. Of a matrix in a larger cone as well they go.
func TestFindOfMatrices(t *testing.T) {
	inf, one := math.Inf(1), []float64{1}
	p := ofRows(4, []row{
		{0, inf, []int{0}, one}, {0, inf, []int{1}, one}, {0, inf, []int{2}, one},
		{1, 1, []int{0}, one}, {1, 1, []int{2}, one},
		{0, inf, []int{2}, one}, {0, inf, nil, nil}, {0, inf, []int{3}, one},
	})
	cones := []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: 3}, {Kind: qpbackend.Semidefinite, Start: 5, Len: 3}}
	for n, want := range []int{2, 0, 2} {
		p.Cones = cones[:n]
		if got := fixed.Find(p, nil); len(got) != want {
			t.Errorf("%d cones: equations %v, want %d", n, got, want)
		}
	}
}
