package dc_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// Starts that are tied have the values of their expressions, in order; infinite ones are left out.
func TestTie(t *testing.T) {
	m := dc.NewModel()
	x, s := m.Var("x", []int{3}, dc.StartAt(1, 2, 0)), m.Var("s", []int{3}, dc.StartAt(9))
	sums := s.MulSparse([]int{0, 0, 1, 2}, []int{0, 1}, []float64{1, 1}).Add(x)
	tie(m, s, sums)
	u := m.Var("u", []int{2}, dc.StartAt(7))
	tie(m, u, dc.Stack(dc.Square(x.At(1)), dc.Log(x.At(2))))
	m.Minimize(dc.Sum(x))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := p.Start(1)
	for k, want := range []float64{1, 2, 0, 1, 3, 3, 4, 7} {
		if at[k] != want {
			t.Errorf("entry %d starts at %g, want %g", k, at[k], want)
		}
	}
}

func tie(m *dc.Model, t, e dc.Expr) {
	var vars []convex.Linear
	var values []expr.Scalar
	for k := range t.Len() {
		vars, values = append(vars, t.Linear(k)), append(values, e.Entry(k).Scalar())
	}
	m.Program().Tie(vars, values)
}
