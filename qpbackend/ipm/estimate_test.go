package ipm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestEstimate: none without semidefinite cones, and more for larger ones.
func TestEstimate(t *testing.T) {
	of := func(order, vars int) ipm.Estimate {
		rows := order * (order + 1) / 2
		var a sparse.Triplets
		for j := range vars {
			for i := range order { // the diagonal, times j
				a.Add(i*(i+3)/2, j, float64(i+j))
			}
		}
		m, _ := a.CSC(rows, vars)
		return ipm.Semidefinite(&qpbackend.Problem{
			Q: make([]float64, vars), A: m, L: make([]float64, rows), U: make([]float64, rows),
			Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: rows}},
		})
	}
	last := ipm.Estimate{}
	for _, c := range [][2]int{{3, 3}, {30, 3}, {30, 300}, {300, 300}} {
		e := of(c[0], c[1])
		if !(e.Bytes > last.Bytes && e.Seconds > last.Seconds) {
			t.Errorf("order %d, %d variables: %+v, for a smaller one %+v", c[0], c[1], e, last)
		}
		last = e
	}
	if !(last.Bytes > 1e6 && last.Bytes < 1e8 && last.Seconds < 1) {
		t.Errorf("order 300: %+v", last)
	}
	if e := ipm.Semidefinite(&qpbackend.Problem{Q: []float64{1}}); e != (ipm.Estimate{}) {
		t.Errorf("without cones: %+v", e)
	}
}
