package client_test

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/dcopt/dcopt/client"
	"github.com/dcopt/dcopt/internal/serve"
)

// worker is one in this process.
func worker(t testing.TB) *client.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := serve.Run(context.Background(), inR, outW, serve.DefaultConfig())
		outW.Close()
		ended <- err
	}()
	c := client.New(outR, inW)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the worker goes on after its input has ended")
		}
	})
	return c
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d entries, want %d: %v", what, len(got), len(want), got)
	}
	for k := range got {
		if !(math.Abs(got[k]-want[k]) <= tol) {
			t.Errorf("%s[%d] = %g, want %g", what, k, got[k], want[k])
		}
	}
}

// lasso is the sum of squares of A x - b plus λ norm1(x), with b and λ parameters.
func lasso(m, n int, seed uint64) *client.Graph {
	g := &client.Graph{
		Variables:  []client.Variable{{Name: "x", Shape: []int{n}}},
		Parameters: []client.Parameter{{Name: "b", Shape: []int{m}, Value: client.F(make([]float64, m)...)}, {Name: "lambda", Shape: []int{}, Value: client.F(1)}},
	}
	ptr, idx, val := []int{0}, []int{}, []float64{}
	s := seed
	for i := range m {
		for j := range n {
			s = s*6364136223846793005 + 1442695040888963407
			idx, val = append(idx, j), append(val, float64(int64(s))/math.MaxInt64)
		}
		idx, val = append(idx, n+i), append(val, -1)
		ptr = append(ptr, len(idx))
	}
	r := g.Add(client.Node{Op: "affine", Args: []int{0, 1}, Shape: []int{m}, Attrs: &client.Attrs{Indptr: client.I(ptr...), Indices: client.I(idx...), Data: client.F(val...)}})
	sq := g.Add(client.Node{Op: "sumsq", Args: []int{r}, Shape: []int{}})
	l1 := g.Add(client.Node{Op: "norm1", Args: []int{0}, Shape: []int{}})
	w := g.Add(client.Node{Op: "mul", Args: []int{2, l1}, Shape: []int{}})
	f := g.Add(client.Node{Op: "sum", Args: []int{sq, w}, Shape: []int{}})
	g.Objective = &client.Objective{Sense: "minimize", Node: f}
	return g
}

func BenchmarkLoop(b *testing.B) {
	c := worker(b)
	ctx := context.Background()
	p, err := c.Load(ctx, lasso(30, 20, 1), nil)
	if err != nil {
		b.Fatal(err)
	}
	v := make([]float64, 30)
	n := 0
	for b.Loop() {
		n++
		for k := range v {
			v[k] = math.Sin(float64(n + k))
		}
		if _, err := p.Solve(ctx, client.Options{Parameters: map[string]*client.Floats{"b": client.F(v...)}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoopStructural(b *testing.B) {
	c := worker(b)
	ctx := context.Background()
	p, err := c.Load(ctx, lasso(30, 20, 1), nil)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		λ := 1 + 0.5*math.Sin(float64(n))
		if _, err := p.Solve(ctx, client.Options{Parameters: map[string]*client.Floats{"lambda": client.F(λ)}}); err != nil {
			b.Fatal(err)
		}
	}
}
