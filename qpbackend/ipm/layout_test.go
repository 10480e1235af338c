package ipm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A layout of more entries than a tile holds is the transpose without the rows
// that have one entry, and takes over values.
func TestLayoutOfManyEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const m, n, each = 2500, 300, 120
	var tr sparse.Triplets
	var want []int
	for i := range m {
		switch {
		case i%50 == 7: // a bound
			tr.Add(i, rng.IntN(n), 1)
		case i%50 == 8: // empty
		default:
			from := rng.IntN(n - each)
			for j := from; j < from+each; j++ {
				tr.Add(i, j, rng.NormFloat64())
			}
			want = append(want, i)
		}
	}
	a, _ := tr.CSC(m, n)
	l := newLayout(a, nil)
	if len(l.tiles) < 4 || !slices.Equal(l.rows, want) || len(l.empty) != m/50 || len(l.row) != m/50 {
		t.Fatalf("%d tiles, %d rows of %d, %d empty, %d bounds", len(l.tiles)-1, len(l.rows), len(want), len(l.empty), len(l.row))
	}
	for j := range n {
		for k := l.ptr[j]; k < l.ptr[j+1]; k++ {
			if e := l.entry[k]; e < a.ColPtr[j] || e >= a.ColPtr[j+1] || a.RowIdx[e] != l.row[k] {
				t.Fatalf("bound %d of variable %d is entry %d of row %d", k, j, e, l.row[k])
			}
		}
	}
	for range 3 {
		l.load(a)
		if err := l.at.Validate(); err != nil {
			t.Fatal(err)
		}
		for r, i := range l.rows {
			for k := l.at.ColPtr[r]; k < l.at.ColPtr[r+1]; k++ {
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
