package sparse_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// random returns a random matrix and the same as rows of a dense array.
func random(rng *rand.Rand, rows, cols int) (*sparse.CSC, [][]float64) {
	var t sparse.Triplets
	dense := make([][]float64, rows)
	for i := range dense {
		dense[i] = make([]float64, cols)
	}
	for range 3 * (rows + cols) { // some places are hit twice
		i, j, v := rng.IntN(rows), rng.IntN(cols), rng.NormFloat64()
		t.Add(i, j, v)
		dense[i][j] += v
	}
	m, _ := t.CSC(rows, cols)
	return m, dense
}

func TestTripletsSumAndKeepPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		rows, cols := 1+rng.IntN(8), 1+rng.IntN(8)
		var tr sparse.Triplets
		type entry struct{ i, j int }
		var put []entry
		for range rng.IntN(40) {
			e := entry{rng.IntN(rows), rng.IntN(cols)}
			if n := tr.Add(e.i, e.j, 1); n != len(put) {
				t.Fatalf("entry number %d, want %d", n, len(put))
			}
			put = append(put, e)
		}
		m, pos := tr.CSC(rows, cols)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range m.Val {
			sum += v
		}
		if int(sum) != len(put) {
			t.Fatalf("values sum to %g after %d entries of 1", sum, len(put))
		}
		for k, e := range put {
			p := pos[k]
			if m.RowIdx[p] != e.i || p < m.ColPtr[e.j] || p >= m.ColPtr[e.j+1] {
				t.Fatalf("entry %d (%d, %d) is said to be at %d", k, e.i, e.j, p)
			}
		}
	}
}

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		rows, cols := 1+rng.IntN(8), 1+rng.IntN(8)
		m, dense := random(rng, rows, cols)
		x, y := make([]float64, cols), make([]float64, rows)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		mx, mty := make([]float64, rows), make([]float64, cols)
		m.AddMulVec(mx, 2, x)
		m.AddMulVecT(mty, -1, y)
		for i := range dense {
			for j, v := range dense[i] {
				mx[i] -= 2 * v * x[j]
				mty[j] += v * y[i]
				if m.At(i, j) != v {
					t.Fatalf("At(%d, %d) = %g, want %g", i, j, m.At(i, j), v)
				}
			}
		}
		for _, r := range append(mx, mty...) {
			if math.Abs(r) > 1e-12 {
				t.Fatalf("product differs by %g", r)
			}
		}
		mt, from := m.Transpose()
		if err := mt.Validate(); err != nil {
			t.Fatal(err)
		}
		for k, f := range from {
			if mt.Val[k] != m.Val[f] {
				t.Fatal("Transpose: positions do not match the values")
			}
		}
		for i := range dense {
			for j, v := range dense[i] {
				if mt.At(j, i) != v {
					t.Fatalf("transpose (%d, %d) = %g, want %g", j, i, mt.At(j, i), v)
				}
			}
		}
	}
}

func TestSymmetricProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	n := 7
	var tr sparse.Triplets
	full := make([][]float64, n)
	for i := range full {
		full[i] = make([]float64, n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := rng.NormFloat64()
			tr.Add(i, j, v)
			full[i][j], full[j][i] = v, v
		}
	}
	m, _ := tr.CSC(n, n)
	if !m.IsUpper() {
		t.Fatal("an upper triangle is not recognised")
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	got := make([]float64, n)
	m.AddSymMulVec(got, 3, x)
	for i := range n {
		want := 0.0
		for j := range n {
			want += 3 * full[i][j] * x[j]
		}
		if math.Abs(got[i]-want) > 1e-12 {
			t.Fatalf("row %d: %g, want %g", i, got[i], want)
		}
	}
}

func TestValidateNamesThePlace(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		m    sparse.CSC
		want string
	}{
		{sparse.CSC{Rows: -1}, "-1 × 0"},
		{sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0}}, "ColPtr has length 1"},
		{sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0, -1}}, "column 0"},
		{sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0, 1}, RowIdx: []int{1}, Val: []float64{1}}, "row index 1"},
		{sparse.CSC{Rows: 2, Cols: 1, ColPtr: []int{0, 2}, RowIdx: []int{1, 0}, Val: []float64{1, 1}}, "row index 0 after 1"},
		{sparse.CSC{Rows: 1, Cols: 1, ColPtr: []int{0, 1}, RowIdx: []int{0}, Val: []float64{nan}}, "(0, 0) is NaN"},
	} {
		err := c.m.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if err := sparse.Identity(3).Validate(); err != nil {
		t.Error(err)
	}
	if err := sparse.Zero(2, 0).Validate(); err != nil {
		t.Error(err)
	}
}
