package ldl

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// SolveInOrder is Solve but for the order of the entries, by both methods.
func TestSolveInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	const n = 40
	for _, fill := range []int{2, 30} {
		var tr sparse.Triplets
		for j := range n {
			tr.Add(j, j, n)
			for range fill {
				if i := rng.IntN(j + 1); i != j {
					tr.Add(i, j, rng.NormFloat64())
				}
			}
		}
		k, _ := tr.CSC(n, n)
		f, err := Count(context.Background(), k, rng.Perm(n))
		if err != nil {
			t.Fatal(err)
		}
		if fill == 2 {
			f.row, _ = newRowwise(context.Background(), f)
		} else {
			f.sup, _ = newSupernodal(context.Background(), f, true)
		}
		if _, err := f.Factorise(context.Background(), k.Val, nil, Regularisation{}); err != nil {
			t.Fatal(err)
		}
		b, x := make([]float64, n), make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		_, perm := f.Pivots()
		for k, i := range perm {
			x[k] = b[i]
		}
		f.Solve(b)
		f.SolveInOrder(x)
		for k, i := range perm {
			if x[k] != b[i] {
				t.Errorf("entry %d is %g, want %g", i, x[k], b[i])
			}
		}
		if c := testing.AllocsPerRun(5, func() { f.SolveInOrder(x) }); c != 0 {
			t.Errorf("%g allocations", c)
		}
	}
}
