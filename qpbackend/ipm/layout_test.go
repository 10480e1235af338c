package ipm

import (
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A layout of many entries is the transpose, and takes over values.
func TestLayoutOfManyEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const m, n, each = 2500, 300, 120
	var tr sparse.Triplets
	for i := range m {
		switch {
		case i%50 == 7: // one entry
			tr.Add(i, rng.IntN(n), 1)
		case i%50 == 8: // empty
		default:
			from := rng.IntN(n - each)
			for j := from; j < from+each; j++ {
				tr.Add(i, j, rng.NormFloat64())
			}
		}
	}
	a, _ := tr.CSC(m, n)
	l := newLayout(&qpbackend.Problem{Q: make([]float64, a.Cols), A: a, Lo: make([]float64, a.Cols)}) // no row is a bound of its own
	if l.at.Rows != n || l.at.Cols != m {
		t.Fatalf("%d × %d", l.at.Rows, l.at.Cols)
	}
	step := 1 // between the rows that are compared
	if shared.Race {
		step = 13
	}
	for range 2 {
		l.load(a)
		if err := l.at.Validate(); err != nil || l.at.NNZ() != a.NNZ() {
			t.Fatal(l.at.NNZ(), err)
		}
		for i := 0; i < m; i += step {
			for k := l.at.ColPtr[i]; k < l.at.ColPtr[i+1]; k++ {
				if v := a.At(i, l.at.RowIdx[k]); v != l.at.Val[k] {
					t.Fatalf("entry (%d, %d) is %g, want %g", i, l.at.RowIdx[k], l.at.Val[k], v)
				}
			}
		}
		for k := range a.Val {
			a.Val[k] = rng.NormFloat64()
		}
	}
}
