package sparse_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestAddMulBoth against the two products by themselves.
func TestAddMulBoth(t *testing.T) {
	var tr sparse.Triplets
	for k := range 12 {
		tr.Add(k*5%4, k%3, float64(k)-4.5)
	}
	a, _ := tr.CSC(4, 3)
	x, y := []float64{1, -2, 3}, []float64{4, 0, -5, 6}
	ax, aty := []float64{1, 1, 1, 1}, []float64{2, 2, 2}
	wantAx, wantAty := []float64{1, 1, 1, 1}, []float64{2, 2, 2}
	a.AddMulBoth(ax, aty, x, y)
	a.AddMulVec(wantAx, 1, x)
	a.AddMulVecT(wantAty, 1, y)
	for i, want := range wantAx {
		if ax[i] != want {
			t.Errorf("A·x[%d] is %g, want %g", i, ax[i], want)
		}
	}
	for j, want := range wantAty {
		if aty[j] != want {
			t.Errorf("Aᵀ·y[%d] is %g, want %g", j, aty[j], want)
		}
	}
}
