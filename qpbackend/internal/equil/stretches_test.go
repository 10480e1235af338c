package equil

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Passes by stretches give the same numbers.
func TestStretches(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(3, 9))
	for range 40 {
		const n, m = 60, 25
		var tp, ta sparse.Triplets
		for j := range n {
			if rng.IntN(3) > 0 {
				tp.Add(rng.IntN(j+1), j, rng.NormFloat64())
			}
		}
		for i := range m {
			for j := rng.IntN(4); j < n; j += 1 + rng.IntN(3) {
				for end := j + 1 + rng.IntN(30); j < min(end, n); j++ {
					ta.Add(j, i, rng.NormFloat64()*float64(1+i))
				}
			}
		}
		p, _ := tp.CSC(n, n)
		at, _ := ta.CSC(n, m)
		plain, wide := New(n, m, nil), New(n, m, nil)
		plain.asked = true
		wide.asked = true
		for i := range m {
			for lo, hi := at.ColPtr[i], at.ColPtr[i+1]; lo < hi; {
				lo += stretch(at.RowIdx[lo:hi])
				wide.ends = append(wide.ends, int32(lo))
			}
		}
		plain.Ruiz(p, at, 10)
		wide.Ruiz(p, at, 10)
		if !slices.Equal(plain.D, wide.D) || !slices.Equal(plain.E, wide.E) {
			t.Fatal("the factors differ")
		}
		other := at.Clone()
		plain.Rows(at)
		wide.Rows(other)
		if !slices.Equal(at.Val, other.Val) {
			t.Fatal("the scaled rows differ")
		}
	}
}

func TestStretchedIsForDenseBlocks(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	for _, c := range []struct {
		length int
		want   bool
	}{{1, false}, {4, false}, {12, true}, {40, true}} {
		var ta sparse.Triplets
		for i := range 10 {
			for j := range 2 * c.length {
				if j%(c.length+1) != c.length {
					ta.Add(j, i, 1)
				}
			}
		}
		at, _ := ta.CSC(2*c.length, 10)
		if s := New(at.Rows, at.Cols, nil); s.stretched(at) != c.want {
			t.Errorf("stretches of %d: %v", c.length, !c.want)
		}
	}
}

func TestStretch(t *testing.T) {
	for _, c := range []struct {
		idx  []int
		want int
	}{{[]int{4}, 1}, {[]int{4, 5}, 2}, {[]int{4, 6}, 1}, {[]int{1, 2, 3, 5}, 3}, {[]int{1, 2, 4, 5, 6}, 2}, {[]int{0, 1, 2, 3, 4, 9}, 5}} {
		if got := stretch(c.idx); got != c.want {
			t.Errorf("%v: %d, want %d", c.idx, got, c.want)
		}
	}
}
