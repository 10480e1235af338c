package ldl

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// coneLike is a KKT matrix as cones make it: a dense block of rows whose
// variables are in all of them, a second one with fewer, and some sparse rows.
func coneLike(rng *rand.Rand, n, dense, rows int) (k *sparse.CSC, sign []int8) {
	var t sparse.Triplets
	size := n + dense + rows
	for j := range n {
		t.Add(j, j, 0.1+rng.Float64())
		sign = append(sign, 1)
	}
	half := n / 2
	for i := range dense {
		sign = append(sign, -1)
		for j := range n {
			if j < half || i%2 == 0 {
				t.Add(j, n+i, rng.NormFloat64())
			}
		}
		for l := range i {
			t.Add(n+l, n+i, -0.5/float64(dense))
		}
		t.Add(n+i, n+i, -1-rng.Float64())
	}
	for i := range rows {
		sign = append(sign, -1)
		t.Add(rng.IntN(n), n+dense+i, rng.NormFloat64())
		t.Add(n+dense+i, n+dense+i, -1)
	}
	k, _ = t.CSC(size, size)
	return k, sign
}

// Joined columns change neither solutions nor pivots but for rounding, and there
// are fewer supernodes.
func TestJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	joined := 0
	for trial := range 30 {
		n, dense, rows := 4+rng.IntN(60), 20+rng.IntN(90), rng.IntN(20)
		k, sign := coneLike(rng, n, dense, rows)
		order, _ := amd.Order(context.Background(), k.Cols, k.ColPtr, k.RowIdx)
		plain, f := mustAnalyseAs(t, k, order, "supernodal"), mustCount(t, k, order)
		if err := f.store(context.Background(), true, -1); err != nil {
			t.Fatal(err)
		}
		if f.sup.count() < plain.sup.count() {
			joined++
		}
		b := randomVec(rng, k.Cols)
		var x [2][]float64
		for c, f := range []*Factor{plain, f} {
			for range 2 {
				if replaced, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{1e-13, 1e-7}); err != nil || replaced != 0 {
					t.Fatalf("trial %d: %d pivots replaced, error %v", trial, replaced, err)
				}
			}
			x[c] = append([]float64(nil), b...)
			f.solve(x[c])
		}
		for i := range b {
			if math.Abs(x[0][i]-x[1][i]) > 1e-9*(1+math.Abs(x[0][i])) {
				t.Fatalf("trial %d: x[%d] = %g, joined %g", trial, i, x[0][i], x[1][i])
			}
		}
		for i, d := range plain.d {
			if math.Abs(f.d[i]-d) > 1e-9*math.Abs(d) {
				t.Fatalf("trial %d: pivot %d is %g, joined %g", trial, i, d, f.d[i])
			}
		}
	}
	if joined < 20 {
		t.Errorf("columns were joined in %d of 30 matrices", joined)
	}
}

// Joined columns change nothing where nothing is dense.
func TestJoinedSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	k, sign := quasiDefinite(rng, 30, 20, 2)
	order, _ := amd.Order(context.Background(), k.Cols, k.ColPtr, k.RowIdx)
	f, err := Count(context.Background(), k, order)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Store(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	g, err := analyse(k, order)
	if err != nil {
		t.Fatal(err)
	}
	b := randomVec(rng, k.Cols)
	c := append([]float64(nil), b...)
	for _, h := range []*Factor{f, g} {
		if _, err := h.Factorise(context.Background(), k.Val, sign, Regularisation{}); err != nil {
			t.Fatal(err)
		}
	}
	f.solve(b)
	g.solve(c)
	for i := range b {
		if b[i] != c[i] {
			t.Fatalf("x[%d] = %g, want %g", i, b[i], c[i])
		}
	}
}
