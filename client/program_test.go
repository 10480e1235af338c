package client_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dcopt/dcopt/client"
	"github.com/dcopt/dcopt/internal/need"
)

// program builds dcopt.
func program(t *testing.T) string {
	t.Helper()
	need.Program(t, need.Go)
	path, err := need.Dcopt("..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// endless is a problem whose solution from a million starts takes hours: the largest
// distance from a point within a box, less a norm.
func endless() *client.Graph {
	const n = 40
	g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{n}, Lo: client.F(-1), Hi: client.F(1)}}}
	far := make([]float64, n)
	for k := range far {
		far[k] = math.Sin(float64(k))
	}
	shift := g.Add(client.Node{Op: "sum", Args: []int{0, value(g, []int{n}, far...)}, Shape: []int{n}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
	norm, one := g.Add(client.Node{Op: "norm2", Args: []int{shift}, Shape: []int{}}), g.Add(client.Node{Op: "norm1", Args: []int{0}, Shape: []int{}})
	minimise(g, g.Add(client.Node{Op: "sum", Args: []int{one, norm}, Shape: []int{}, Attrs: &client.Attrs{Factors: []float64{.3, -1}}}))
	return g
}

// The program answers a client, goes on after an interrupt of the group, which is for the
// client, gives the best point when it is cancelled, and ends with the client.
func TestProgram(t *testing.T) {
	c, err := client.Start(program(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Load(context.Background(), endless(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	iterations := 0
	interrupted := false
	res, err := p.Solve(ctx, client.Options{
		Settings: &client.Settings{Starts: client.Ptr(1_000_000)},
		Progress: func(client.Progress) {
			switch iterations++; {
			case iterations == 1 && runtime.GOOS != "windows":
				interrupted = c.Process().Signal(os.Interrupt) == nil
			case iterations == 3:
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if iterations < 3 || !interrupted && runtime.GOOS != "windows" {
		t.Errorf("%d frames of progress, interrupted: %t", iterations, interrupted)
	}
	if res.Status != "cancelled" || !*res.Feasible || len(res.X.V) != 40 || !(float64(res.Objective) < 0) {
		t.Errorf("%+v", res)
	}
	if h, err := c.Hello(context.Background()); err != nil || h.Protocol != 1 {
		t.Errorf("after the interrupt: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A worker that is killed in a request is an error of the request, and of those after it.
func TestKilledProgram(t *testing.T) {
	c, err := client.Start(program(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Load(context.Background(), endless(), nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { c.Process().Kill() })
	if _, err := p.Solve(context.Background(), client.Options{Settings: &client.Settings{Starts: client.Ptr(1_000_000)}}); err == nil {
		t.Error("a solve without a worker")
	}
	if _, err := c.Hello(context.Background()); err == nil {
		t.Error("a request without a worker")
	}
	var exit *exec.ExitError
	if err := c.Close(); !errors.As(err, &exit) {
		t.Errorf("closed with %v", err)
	}
}

// A program that is not there, or another one, is an error.
func TestNoProgram(t *testing.T) {
	if _, err := client.Start(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a program that is not there")
	}
	c, err := client.Start(need.Program(t, need.Go)) // "go serve" is no command
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Hello(context.Background()); err == nil {
		t.Error("a reply of another program")
	}
	c.Close()
}
