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
	p, err := m.Problem()
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
