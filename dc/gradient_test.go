package dc_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
)

// TestGradientsOfLargeSplits: squares, products and functions of differences have the slopes of
// their values, also where the parts of their splits are larger by many powers of ten.
func TestGradientsOfLargeSplits(t *testing.T) {
	m := dc.NewModel()
	w, v := m.Var("w", nil, dc.AtLeast(-3), dc.AtMost(3)), m.Var("v", nil, dc.AtLeast(-3), dc.AtMost(3))
	x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	far, near := m.Var("far", nil, dc.AtLeast(0)), m.Var("near", nil, dc.AtLeast(0), dc.AtMost(1e-9))
	unit := dc.InvPos(dc.Sum(dc.Num(1), dc.Exp(w.Scale(6).Add(x.At(0))))) // 1/(1 + exp(6w + x))
	for name, e := range map[string]dc.Expr{
		"square of a product with a unit": dc.Square(dc.Sum(dc.Mul(v, unit), x.At(1))),
		"product of squares":              dc.Mul(dc.Square(dc.Sum(dc.Mul(v, unit), x.At(1))), dc.Square(dc.Mul(w, v))),
		"exp of a product":                dc.Exp(dc.Mul(dc.Mul(w, v), unit)),
		"product of differences":          dc.Mul(dc.Sum(dc.Exp(w.Scale(5)), dc.Exp(v.Scale(4)).Neg()), dc.Sum(dc.Square(x.At(0)), dc.Exp(w).Neg())),
		"absolute value of a difference":  dc.Abs(dc.Sum(dc.Exp(w.Scale(5)), dc.Exp(v.Scale(4)).Neg())),
		"product of unlike factors":       dc.Mul(far, dc.Sum(near, w.Scale(1e-9))),
		"quadratic form":                  dc.Quad(context.Background(), dc.Stack(far, near.Scale(1e-9)), mat.NewSymDense(2, []float64{0, 1, 1, 1e-18})),
	} {
		if err := e.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, at := range [][]float64{{-2, .5, 1, -1, 9e8, 8e-10}, {.75, -1.5, -.25, .5, 1e8, 1e-9}, {-.5, 2.5, 1.5, 1.75, 7, 1e-17}} {
			got := make([]float64, len(at))
			e.Scalar().AddGradient(got, 1, at)
			for j := range at {
				δ := 1e-5 * math.Abs(at[j])
				up, down := append([]float64(nil), at...), append([]float64(nil), at...)
				up[j], down[j] = at[j]+δ, at[j]-δ
				want := (e.Value(up) - e.Value(down)) / (2 * δ)
				if size := math.Abs(at[j]); !(math.Abs(got[j]-want)*size <= 1e-6*max(math.Abs(e.Value(at)), math.Abs(want)*size)) {
					t.Errorf("%s at %v has the slope %g along variable %d, want %g", name, at, got[j], j, want)
				}
			}
		}
	}
}
