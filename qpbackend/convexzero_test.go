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

// TestConvexityBesideSquares: variables without products are looked at one by one, and the index of the error is that of the variable.
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
