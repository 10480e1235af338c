package baseline_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/bench/internal/baseline"
)

// solveRidge solves the normal equations for one α, b as a column of ones.
func solveRidge(t *testing.T, x [][]float64, y []float64, α float64, skip int) *mat.VecDense {
	t.Helper()
	n := len(x[0])
	a, b := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	for i, row := range x {
		if i == skip {
			continue
		}
		row = append(append([]float64{}, row...), 1)
		for j, v := range row {
			b.SetVec(j, b.AtVec(j)+v*y[i])
			for k, w := range row {
				a.Set(j, k, a.At(j, k)+v*w)
			}
		}
	}
	for j := range n {
		a.Set(j, j, a.At(j, j)+α)
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	return &w
}

// TestRidge: the α is that of the least error of fits that leave a sample out,
// one by one, and the model is the one for it.
func TestRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, noise := range []float64{0.01, 1, 10} {
		x, y := make([][]float64, 25), make([]float64, 25)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), 3 * rng.NormFloat64(), 1 + rng.Float64()}
			y[i] = 2*x[i][0] - x[i][1] + 5 + noise*rng.NormFloat64()
		}
		r, err := baseline.FitRidge(x, y)
		if err != nil {
			t.Fatal(err)
		}
		best, least := 0.0, math.Inf(1)
		for k := range 19 {
			// Leaving one out, the mean is that of the others, and the penalty
			// stays.
			α, sum := 25*math.Pow(10, -8+0.5*float64(k)), 0.0
			for i, row := range x {
				w := solveRidge(t, x, y, α, i)
				e := y[i] - w.AtVec(3)
				for j, v := range row {
					e -= w.AtVec(j) * v
				}
				sum += e * e
			}
			if sum < least {
				best, least = α, sum
			}
		}
		if !(math.Abs(r.Penalty-best) <= 1e-9*best) {
			t.Errorf("noise %g: penalty %g, want %g", noise, r.Penalty, best)
		}
		w := solveRidge(t, x, y, r.Penalty, -1)
		for j, v := range r.Weights {
			if !(math.Abs(v-w.AtVec(j)) <= 1e-8) {
				t.Errorf("noise %g: weight %d is %g, want %g", noise, j, v, w.AtVec(j))
			}
		}
		if !(math.Abs(r.Intercept-w.AtVec(3)) <= 1e-8) || !(math.Abs(r.Predict([]float64{0, 0, 0})-r.Intercept) <= 1e-12) {
			t.Errorf("noise %g: intercept %g, want %g", noise, r.Intercept, w.AtVec(3))
		}
	}
	if _, err := baseline.FitRidge(nil, nil); err == nil {
		t.Error("no samples are no error")
	}
}
