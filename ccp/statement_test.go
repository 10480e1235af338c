package ccp_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestStatements: multipliers come back with the shape of what was stated. The problem is
// min (x₀ − 3)² + (x₁ + 2)² + z², of which all multipliers are known.
func TestStatements(t *testing.T) {
	m := dc.NewModel()
	x, z := m.Var("x", []int{2}, dc.StartAt(0, 0)), m.Var("z", nil, dc.StartAt(0))
	m.Minimize(dc.Sum(dc.Square(x.Sub(dc.Vec([]float64{3, -2}))), dc.Square(z)))
	box := m.SubjectTo(dc.LE(dc.Abs(x), 1).Named("box"))
	sum := m.SubjectTo(dc.EQ(z, 2))
	free := m.SubjectTo(dc.Between(-9, dc.Square(z), 9), dc.GE(z, -7))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, p.Start(1), ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged {
		t.Fatal(res, err)
	}
	for name, c := range map[string]struct{ got, want []float64 }{
		"box":  {box.Dual(res), []float64{4, 2}}, // of |x| ≤ 1 at (1, −1)
		"sum":  {sum.Dual(res), []float64{-4}},
		"free": {free.Dual(res), []float64{0, 0}},
	} {
		if len(c.got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
			continue
		}
		for k, v := range c.got {
			if math.Abs(v-c.want[k]) > 1e-5 {
				t.Errorf("%s: %v, want %v", name, c.got, c.want)
			}
		}
	}
	if y := box.Dual(&ccp.Result{}); y != nil {
		t.Errorf("without multipliers %v", y)
	}
}

// TestBetween: both halves of lo ≤ e ≤ hi are stated, whichever sides are arrays, and each entry
// has one multiplier.
func TestBetween(t *testing.T) {
	type (
		expr = dc.Expr
		rule = dc.Constraint
	)
	for name, c := range map[string]struct {
		state func(x, s, t expr) rule
		want  float64 // of all variables, which are drawn to 8
		count int
	}{
		"functions, variables": {func(x, s, _ expr) rule { return dc.Between(dc.Abs(x).Shift(-9), x, 2) }, 2, 3},
		"numbers, a function":  {func(_, s, _ expr) rule { return dc.Between([]float64{-1, -1}, dc.Abs(s), 3) }, 3, 2},
		"a function, numbers":  {func(_, s, _ expr) rule { return dc.Between(-1, dc.Abs(s), []float64{3, 3, 3}) }, 3, 3},
		"variables":            {func(x, _, t expr) rule { return dc.Between(-1, x, t) }, 1, 3},
		"a family": {func(x, _, t expr) rule {
			return dc.Between(-1, x, t).ForEach("b", []int{1, 2, 3})
		}, 1, 3},
		"numbers, a variable": {func(_, s, _ expr) rule { return dc.Between([]float64{1, 2, 3}, s, 5) }, 5, 3},
		"a variable":          {func(_, s, t expr) rule { return dc.Between(-1, s, t).ForEach("b", []int{4}) }, 1, 1},
	} {
		m := dc.NewModel()
		x, s := m.Var("x", []int{3}, dc.StartAt(1, 1, 1)), m.Var("s", nil, dc.StartAt(1))
		one := m.Var("t", nil, dc.AtLeast(1), dc.AtMost(1))
		m.Minimize(dc.Sum(dc.Square(dc.Stack(x, s).Shift(-8))))
		stated := m.SubjectTo(c.state(x, s, one))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(name, err)
		}
		res, err := ccp.Solve(context.Background(), p, p.Start(1), ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged {
			t.Fatal(name, res, err)
		}
		least := math.Inf(1)
		for _, v := range res.X[:4] {
			least = min(least, v)
		}
		if math.Abs(least-c.want) > 1e-5 || len(stated.Dual(res)) != c.count {
			t.Errorf("%s: %v with multipliers %v, want %g with %d", name, res.X, stated.Dual(res), c.want, c.count)
		}
	}
}
