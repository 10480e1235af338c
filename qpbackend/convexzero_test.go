package qpbackend_test

import (
	"context"
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
