package lder_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestStartFitsCells: three far clusters, found by KKZ, in each of which y is
// another affine function. W fits half of each exactly.
func TestStartFitsCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	centres := [][]float64{{40, 0}, {-30, 0}, {0, 20}} // by descending norm, as KKZ meets them
	slopes := [][]float64{{1, 2, 3}, {-4, 0, 1}, {0, 5, -2}}
	var x [][]float64
	var y []float64
	for i := range 60 {
		k := i % 3
		p := []float64{centres[k][0] + rng.Float64(), centres[k][1] + rng.Float64()}
		x, y = append(x, p), append(y, slopes[k][0]*p[0]+slopes[k][1]*p[1]+slopes[k][2])
	}
	m := lder.Start(x, y, 3, 3)
	for k, s := range slopes {
		got := append(slices.Clone(m.W[k]), m.A[k])
		neg := append(slices.Clone(m.M[k]), m.B[k])
		for j := range s {
			if math.Abs(got[j]-s[j]/2) > 1e-10 || math.Abs(neg[j]+s[j]/2) > 1e-10 {
				t.Errorf("cell %d: W has %v, M has %v, want half of ±%v", k, got, neg, s)
				break
			}
		}
	}
}

// TestStartIsLeastSquares: with one piece each, τ is the least squares fit.
func TestStartIsLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := normalRows(rng, 50, 4), normals(rng, 50)
	m := lder.Start(x, y, 1, 1)
	// Residuals are orthogonal to the columns and to the constant.
	for j := range 5 {
		s := 0.0
		for i, row := range x {
			v := 1.0
			if j < 4 {
				v = row[j]
			}
			s += v * (y[i] - m.Predict(row))
		}
		if math.Abs(s) > 1e-11 {
			t.Errorf("column %d · residual = %g", j, s)
		}
	}
}

// TestStartDegenerate: cells of one row, repeated rows and dependent columns
// give finite models, of least norm.
func TestStartDegenerate(t *testing.T) {
	one := lder.Start([][]float64{{3, 4}}, []float64{26}, 1, 1)
	// The least ‖(w, a)‖ with 3w₁ + 4w₂ + a = 13 is 13/26 · (3, 4, 1).
	for j, want := range []float64{1.5, 2, .5} {
		if got := append(slices.Clone(one.W[0]), one.A[0])[j]; math.Abs(got-want) > 1e-13 {
			t.Errorf("coefficient %d is %g, want %g", j, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(2, 3))
	for _, c := range []struct {
		what string
		x    [][]float64
	}{
		{"one row, five pieces", [][]float64{{1, 2}}},
		{"equal rows", [][]float64{{1, 2}, {1, 2}, {1, 2}}},
		{"zeros", [][]float64{{0, 0}, {0, 0}}},
		{"two different rows", [][]float64{{1, 2}, {1, 2}, {0, 1}}},
		{"dependent columns", [][]float64{{1, 2}, {2, 4}, {3, 6}, {4, 8}, {5, 10}, {6, 12}}},
	} {
		y := normals(rng, len(c.x))
		m := lder.Start(c.x, y, 5, 5)
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if len(m.W) != 5 || len(m.M) != 5 {
			t.Errorf("%s: %d and %d pieces", c.what, len(m.W), len(m.M))
		}
		for _, v := range m.Params() {
			if math.Abs(v) > 10 {
				t.Errorf("%s: coefficient %g for data of size 1", c.what, v)
			}
		}
	}
}

// TestStartMatchesBruteForce follows the rule with independent code.
func TestStartMatchesBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for range 20 {
		m, n, r := 30+rng.IntN(40), 1+rng.IntN(3), 1+rng.IntN(4)
		x, y := normalRows(rng, m, n), normals(rng, m)
		got := lder.Start(x, y, r, 1)
		dist := func(i, k int) float64 {
			var d mat.VecDense
			d.SubVec(mat.NewVecDense(n, x[i]), mat.NewVecDense(n, x[k]))
			return mat.Norm(&d, 2)
		}
		var centres []int
		for len(centres) < r {
			far, best := -1, -1.0
			for i := range x {
				d := mat.Norm(mat.NewVecDense(n, x[i]), 2)
				for c, k := range centres {
					if c == 0 || dist(i, k) < d {
						d = dist(i, k)
					}
				}
				if d > best {
					far, best = i, d
				}
			}
			centres = append(centres, far)
		}
		for c, k := range centres {
			var rows []int
			for i := range x {
				near := true
				for _, l := range centres {
					near = near && dist(i, k) <= dist(i, l)
				}
				if near {
					rows = append(rows, i)
				}
			}
			if len(rows) < n+1 {
				continue // the fit of least norm is tested elsewhere
			}
			lhs, rhs := mat.NewDense(len(rows), n+1, nil), mat.NewDense(len(rows), 1, nil)
			for q, i := range rows {
				lhs.SetRow(q, append(slices.Clone(x[i]), 1))
				rhs.Set(q, 0, y[i]/2)
			}
			var want mat.Dense
			if err := want.Solve(lhs, rhs); err != nil {
				continue
			}
			for j, v := range append(slices.Clone(got.W[c]), got.A[c]) {
				if math.Abs(v-want.At(j, 0)) > 1e-8*(1+math.Abs(v)) {
					t.Fatalf("piece %d, coefficient %d: %g, want %g", c, j, v, want.At(j, 0))
				}
			}
		}
	}
}

// standardised returns x with columns of mean 0 and deviation 1.
func standardised(t *testing.T, x [][]float64) [][]float64 {
	t.Helper()
	s, err := dataset.FitScaler(x)
	if err != nil {
		t.Fatal(err)
	}
	z := make([][]float64, len(x))
	for i, row := range x {
		z[i] = slices.Clone(row)
		s.Apply(z[i])
	}
	return z
}

// Well posed cells are fitted by one factorisation, others by another: a column
// that is there twice shares its weight, and nothing else changes.
func TestStartWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	x, y := normalRows(rng, 60, 4), normals(rng, 60)
	want := lder.Start(x, y, 1, 1)
	for i := range x {
		x[i] = append(x[i][:4:4], x[i][3])
	}
	got := lder.Start(x, y, 1, 1)
	for j, v := range append(want.W[0][:3:3], want.W[0][3]/2, want.W[0][3]/2) {
		if math.Abs(got.W[0][j]-v) > 1e-12 {
			t.Errorf("slope %d is %.15g, want %.15g", j, got.W[0][j], v)
		}
	}
	if math.Abs(got.A[0]-want.A[0]) > 1e-12 {
		t.Errorf("constant %.15g, want %.15g", got.A[0], want.A[0])
	}
}
