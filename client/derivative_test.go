package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/client"
)

// The least of sumsq(s x - a) + 0 abs(x) is at a/s: the problem has a as a parameter, and is built
// anew for s.
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

// The least v >= q, v >= r follows both together alone: both hold, and the one that is let go first
// follows from the way in which they move.
func TestHeldPoint(t *testing.T) {
	ctx := context.Background()
	g := &client.Graph{
		Variables:  []client.Variable{{Name: "v", Shape: []int{}}},
		Parameters: []client.Parameter{{Name: "q", Shape: []int{}, Value: client.F(1)}, {Name: "r", Shape: []int{}, Value: client.F(1)}},
	}
	minimise(g, 0)
	for k := range 2 {
		g.Constraints = append(g.Constraints, client.Constraint{Kind: "le", Args: []int{1 + k, 0}})
	}
	p, err := worker(t).Load(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Solve(ctx, client.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Adjoint(ctx, []float64{3}); err == nil || !strings.Contains(err.Error(), "more constraints hold") {
		t.Errorf("%v", err)
	}
	grad, err := p.AdjointAlong(ctx, []float64{3}, map[string]*client.Floats{"q": client.F(2), "r": client.F(2)})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "gradient", []float64{grad.Parameters["q"].V[0] + grad.Parameters["r"].V[0]}, []float64{3}, 1e-7)
	b, err := p.Batch(ctx, 2, map[string]*client.Floats{"q": client.F(1, 2)}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", b.X.V, []float64{1, 2}, 1e-6)
	if _, err := b.Adjoint(ctx, []float64{3, 5}); err == nil || !strings.Contains(err.Error(), "set 0") {
		t.Errorf("%v", err)
	}
	same := map[string]*client.Floats{"q": client.F(1, 0), "r": client.F(1)}
	if grad, err = b.AdjointAlong(ctx, []float64{3, 5}, same, "q"); err != nil {
		t.Fatal(err)
	}
	near(t, "gradient of the set without a kink", grad.Parameters["q"].V[1:], []float64{5}, 1e-7)
	same["q"] = client.F(1, 0, 3)
	if _, err := b.AdjointAlong(ctx, []float64{3, 5}, same); err == nil || !strings.Contains(err.Error(), "change of parameter q") {
		t.Errorf("%v", err)
	}
	if err := b.Free(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Adjoint(ctx, []float64{3, 5}); err == nil || !strings.Contains(err.Error(), "no batch") {
		t.Errorf("%v", err)
	}
}

// The least of w sq(x - a) with x <= 1 has a kink where a is 1. The solution of the others is not
// unique.
func TestKinkAndNotUnique(t *testing.T) {
	ctx := context.Background()
	g := &client.Graph{
		Variables:  []client.Variable{{Name: "x", Shape: []int{}}, {Name: "y", Shape: []int{}, Lo: client.F(-1), Hi: client.F(1)}},
		Parameters: []client.Parameter{{Name: "a", Shape: []int{}, Value: client.F(1)}, {Name: "w", Shape: []int{}, Value: client.F(2)}},
	}
	apart := g.Add(client.Node{Op: "sum", Args: []int{0, 2}, Shape: []int{}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
	minimise(g, g.Add(client.Node{Op: "mul", Args: []int{3, g.Add(client.Node{Op: "sumsq", Args: []int{apart}, Shape: []int{}})}, Shape: []int{}}))
	one := value(g, []int{}, 1)
	g.Constraints = append(g.Constraints, client.Constraint{Kind: "le", Args: []int{0, one}, Name: "cap"})
	p, err := worker(t).Load(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.OneSided(ctx, nil); err == nil || !strings.Contains(err.Error(), "before there is a result") {
		t.Errorf("%v", err)
	}
	if _, err := p.Solve(ctx, client.Options{}); err != nil {
		t.Fatal(err)
	}
	var list client.Errors
	if _, err := p.Derivative(ctx, nil); !errors.As(err, &list) || !strings.Contains(list[0].Text, "cap") || !strings.Contains(list[0].Help, "one_sided") {
		t.Errorf("%v", err)
	}
	for _, way := range []float64{1, -2} {
		d, err := p.OneSided(ctx, map[string]*client.Floats{"a": client.F(way), "w": client.F(1)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "dx", d.X.V[:1], []float64{min(way, 0)}, 1e-6)
	}
	if _, err := p.Solve(ctx, client.Options{Parameters: map[string]*client.Floats{"a": client.F(0.5)}}); err != nil {
		t.Fatal(err)
	}
	d, err := p.Derivative(ctx, map[string]*client.Floats{"a": client.F(3)})
	if err != nil || !d.Regularised {
		t.Fatalf("%+v, %v", d, err)
	}
	near(t, "dx", d.X.V, []float64{3, 0}, 1e-7)
	grad, err := p.Adjoint(ctx, []float64{1, 10})
	if err != nil || !grad.Regularised {
		t.Fatalf("%+v, %v", grad, err)
	}
	near(t, "da", grad.Parameters["a"].V, []float64{1}, 1e-7)
}
