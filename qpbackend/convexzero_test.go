package qpbackend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestConvexityAtZeroPivots: of a matrix whose only entries are off the diagonal, the
// third pivot cancels to zero whatever is added to the diagonal; the second is negative.
func TestConvexityAtZeroPivots(t *testing.T) {
	for _, v := range [][2]float64{{1, 1}, {-0.18195524845068167, 0.6391361891113672}, {3, -5}} {
		var e sparse.Triplets
		for j := range 4 {
			for i := range j + 1 {
				e.Add(i, j, 0)
			}
		}
		e.Add(1, 3, v[0])
		e.Add(2, 3, v[1])
		p, _ := e.CSC(4, 4)
		c, err := qpbackend.NewConvexity(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Check(context.Background(), p); err == nil {
			t.Errorf("entries %v off the diagonal pass as convex", v)
		}
	}
}

// TestConvexityBesideSquares: variables without products are looked at one by one, and the index of
// the error is that of the variable.
func TestConvexityBesideSquares(t *testing.T) {
	for bad := range 6 {
		var e sparse.Triplets
		for j := range 6 {
			e.Add(j, j, 2) // variables 0, 3 and 5 have no products
		}
		e.Add(1, 4, 1)
		e.Add(2, 4, -1)
		if bad < 5 {
			e.Add(bad, bad, -3)
		}
		p, _ := e.CSC(6, 6)
		c, err := qpbackend.NewConvexity(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := c.Check(context.Background(), p)
		var nonconvex *qpbackend.NonconvexError
		switch found := errors.As(err, &nonconvex); {
		case bad == 5 && (err != nil || !exact):
			t.Errorf("a convex matrix: %v, %v", exact, err)
		case bad < 5 && !found:
			t.Errorf("square %d negative: %v", bad, err)
		case (bad == 0 || bad == 3) && nonconvex.Index != bad:
			t.Errorf("square %d negative: the error names %d", bad, nonconvex.Index)
		}
	}
}

// TestConvexityOfDominantMatrices: a diagonal that dominates decides without a factor, also in rows
// that are all zero; with a diagonal just short of that a factor decides, either way.
func TestConvexityOfDominantMatrices(t *testing.T) {
	const n = 6
	for _, c := range []struct {
		first         float64 // diagonal entry; the others are 2, those beside the diagonal ±1
		convex, exact bool
	}{{1, true, true}, {0.9, true, true}, {-0.1, false, false}} {
		var e sparse.Triplets
		for j := range n {
			e.Add(j, j, 2)
			if j > 0 {
				e.Add(j-1, j, float64(1-2*(j%2)))
			}
		}
		e.Add(0, 0, c.first-2)
		e.Add(n, n, 0)
		p, _ := e.CSC(n+1, n+1)
		v, err := qpbackend.NewConvexity(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := v.Check(context.Background(), p)
		if (err == nil) != c.convex || exact != c.exact {
			t.Errorf("first entry %g: exact %v, error %v", c.first, exact, err)
		}
		if err == nil && c.first == 1 {
			if k := testing.AllocsPerRun(3, func() { v.Check(context.Background(), p) }); k != 0 {
				t.Errorf("%g allocations beside a dominant diagonal", k)
			}
		}
	}
}
