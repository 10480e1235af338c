package ccp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// crowd is a packing of n circles whose constraints one object can state, or, as the numbers of
// their indices differ, none.
func crowd(t *testing.T, n int, joined bool) *dc.Problem {
	t.Helper()
	m := dc.NewModel()
	c := m.Var("c", []int{n, 2}, dc.AtLeast(0), dc.AtMost(9))
	m.Minimize(dc.SumSquares(c))
	for i := range n {
		for j := range i {
			e := dc.GE(dc.Norm2(c.Row(i).Sub(c.Row(j))), dc.Num(1+float64(i%3)/8))
			if joined || j%2 == 0 {
				m.SubjectTo(e.Named("apart", i, j))
			} else {
				m.SubjectTo(e.Named("apart", i, j, 1))
			}
		}
	}
	p, err := m.Problem()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMembers: constraints that are one object lead to the points, multipliers and history that
// they lead to one by one, to the last bit.
func TestMembers(t *testing.T) {
	set := ccp.DefaultSettings()
	set.MaxIter = 12
	var last *ccp.Result
	for _, joined := range []bool{false, true} {
		p := crowd(t, 20, joined)
		if (p.Constraints[0].Members() != nil) != joined {
			t.Fatalf("%d constraints: one object %v", len(p.Constraints), joined)
		}
		sum, err := ccp.Inspect(p)
		if err != nil || sum.Slacks != 190 || sum.Linearised != 190 || sum.Rows != 190 {
			t.Fatal(sum, err)
		}
		res := solve(t, p, nil, func(s *ccp.Settings) { *s = set })
		if last != nil {
			if !slices.Equal(last.X, res.X) || fmt.Sprint(last.History) != fmt.Sprint(res.History) || fmt.Sprint(last.Duals) != fmt.Sprint(res.Duals) || last.Status != res.Status {
				t.Errorf("%v at %g, then %v at %g", last.Status, last.Objective, res.Status, res.Objective)
			}
		}
		last = res
	}
}
