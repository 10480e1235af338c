package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/client"
)

// The least of sumsq(s x - a) + 0 abs(x) is at a/s: the problem has a as a parameter, and is built anew for s.
func TestDerivative(t *testing.T) {
	ctx := context.Background()
	g := &client.Graph{
		Variables:  []client.Variable{{Name: "x", Shape: []int{2}}},
		Parameters: []client.Parameter{{Name: "a", Shape: []int{2}, Value: client.F(3, 4)}, {Name: "s", Shape: []int{}, Value: client.F(2)}},
	}
	scaled := g.Add(client.Node{Op: "mul", Args: []int{2, 0}, Shape: []int{2}})
	apart := g.Add(client.Node{Op: "sum", Args: []int{scaled, 1}, Shape: []int{2}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
	minimise(g, g.Add(client.Node{Op: "sumsq", Args: []int{apart}, Shape: []int{}}))
	p, err := worker(t).Load(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(err error, kind, text string) {
		t.Helper()
		var list client.Errors
		if !errors.As(err, &list) || list[0].Kind != kind || !strings.Contains(list[0].Text, text) {
			t.Errorf("%v, want %s: %s", err, kind, text)
		}
	}
	_, err = p.Derivative(ctx, nil)
	refused(err, "request", "before there is a result")
	if _, err := p.Solve(ctx, client.Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := p.Derivative(ctx, map[string]*client.Floats{"a": client.F(1, 0), "s": client.F(1)})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", d.Point.V, []float64{1.5, 2}, 1e-9)
	near(t, "dx", d.X.V, []float64{0.5 - 0.75, -1}, 1e-7)
	grad, err := p.Adjoint(ctx, []float64{1, 10})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "da", grad.Parameters["a"].V, []float64{0.5, 5}, 1e-7)
	near(t, "ds", grad.Parameters["s"].V, []float64{-0.75 - 10}, 1e-6)
	if grad, err = p.Adjoint(ctx, []float64{1, 10}, "a"); err != nil || len(grad.Parameters) != 1 {
		t.Errorf("%v, %v", grad, err)
	}
	_, err = p.Derivative(ctx, map[string]*client.Floats{"b": client.F(1)})
	refused(err, "problem", "no parameter")
	_, err = p.Derivative(ctx, map[string]*client.Floats{"a": client.F(1, 2, 3)})
	refused(err, "problem", "change of parameter a")
	_, err = p.Adjoint(ctx, []float64{1})
	refused(err, "problem", "gradient x")
	if err := p.Set(ctx, map[string]*client.Floats{"a": client.F(1)}); err != nil {
		t.Fatal(err)
	}
	_, err = p.Derivative(ctx, nil)
	refused(err, "request", "solve again")
}
