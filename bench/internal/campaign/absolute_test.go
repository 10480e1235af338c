package campaign

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestAbsolute has ½x² − 300x over x ≤ 100 and 2x ≥ −∞, at the solution and beside it.
func TestAbsolute(t *testing.T) {
	one := &sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0, 1}, RowIdx: []int{0}, Val: []float64{1}}
	a := &sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0, 1}, RowIdx: []int{0}, Val: []float64{2}}
	inf := math.Inf(1)
	p := &qpbackend.Problem{P: one, A: a, Q: []float64{-300}, L: []float64{-inf}, U: []float64{200}, Lo: []float64{-inf}, Hi: []float64{inf}}
	for _, c := range []struct {
		x, y float64
		want qpbackend.Residuals
	}{
		{100, 100, qpbackend.Residuals{}},
		{101, 100, qpbackend.Residuals{Primal: 2, Dual: 1, Gap: 99}},
		{100, 99, qpbackend.Residuals{Dual: 2, Gap: 200}},
		{100, -1, qpbackend.Residuals{Dual: 202, Gap: 20000}},
	} {
		if got := absolute(p, []float64{c.x}, []float64{c.y}, []float64{0}); got != c.want {
			t.Errorf("at %g with the multiplier %g: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	p.Cones = []qpbackend.Cone{{}}
	if got := absolute(p, []float64{1}, []float64{1}, []float64{0}); !math.IsNaN(got.Max()) {
		t.Errorf("with a cone: %v", got)
	}
}
