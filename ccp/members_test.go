//go:build !race

package ccp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
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
	p, err := m.Problem(context.Background())
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
		if (p.Program().Constraints[0].Members() != nil) != joined {
			t.Fatalf("%d constraints: one object %v", len(p.Program().Constraints), joined)
		}
		sum, err := ccp.Inspect(context.Background(), p)
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

// TestFarMembers: where only near members of a family have rows, the point is feasible, all
// constraints have multipliers, and any number of processors leads to the same answer.
func TestFarMembers(t *testing.T) {
	const points = 80 // on a line: 39 distances for each variable
	m := dc.NewModel()
	x := m.Var("x", []int{points}, dc.AtLeast(-200), dc.AtMost(200))
	m.Minimize(dc.NormInf(x))
	for i := range points {
		for j := range i {
			m.SubjectTo(dc.GE(dc.Abs(x.At(i).Sub(x.At(j))), dc.Num(1+float64(i%3)/8)).Named("apart", i, j))
		}
	}
	p := build(t, m)
	rng := rand.New(rand.NewPCG(2, 9))
	start := make([]float64, points)
	for j := range start {
		start[j] = 60 * rng.NormFloat64()
	}
	solved := func(processors int) *ccp.Result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		res := solve(t, p, start, nil)
		if res.Status != ccp.Converged || !p.Feasible(res.X, 1e-6) || len(res.Duals) != len(p.Program().Constraints) {
			t.Fatalf("%v, violation %g, %d multipliers", res.Status, res.Violation, len(res.Duals))
		}
		return res
	}
	one, two := solved(1), solved(2)
	if !slices.Equal(one.X, two.X) || one.Iterations != two.Iterations {
		t.Errorf("%g after %d iterations, with two processors %g after %d", one.Objective, one.Iterations, two.Objective, two.Iterations)
	}
	if sum := float64(points-1) * 1.25 / 2; one.Objective > sum { // all distances the largest
		t.Errorf("the objective %g is above %g", one.Objective, sum)
	}
}
