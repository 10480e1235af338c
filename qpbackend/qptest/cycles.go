package qptest

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// Cycles makes solvers, updates them, solves, is interrupted in part of the
// solves, and closes them, n times over, and reports memory of Go or C that
// stays behind. C's memory is seen on Linux alone, by the size of the process.
func Cycles(t *testing.T, b qpbackend.Backend, n int) {
	t.Helper()
	plain := sample()
	var cones problems.Case
	have := suite{b: b}.supported()
	if len(have) > 0 {
		cones = sample(have...)
	}
	cancelled := ended()
	cycle := func(k int) {
		c := plain
		if k%16 == 0 && len(have) > 0 {
			c = cones
		}
		solver, err := b.New(context.Background(), c.Problem, b.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		for range 3 {
			if err := solver.Update(qpbackend.Update{Q: c.Problem.Q, L: c.Problem.L, U: c.Problem.U,
				A: c.Problem.A.Val}); err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			if k%4 == 0 {
				ctx = cancelled
			}
			if err := solver.Solve(ctx, &res); err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
		}
		if err := solver.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const settle = 500 // Source: any number that fills pools would do
	for k := range settle {
		cycle(k)
	}
	heap, size := memory()
	for k := range n {
		cycle(k)
	}
	heapAfter, sizeAfter := memory()
	if grown := heapAfter - heap; grown > 1<<20 {
		t.Errorf("after %d cycles the Go heap is %d bytes larger", n, grown)
	}
	// A leak of one solver a cycle would be tens of megabytes.
	if grown := sizeAfter - size; grown > 16<<20 {
		t.Errorf("after %d cycles the process is %d bytes larger", n, grown)
	}
}

// memory is the size of Go's heap, and the resident size of the process, 0
// where it is not known.
func memory() (heap, size int) {
	runtime.GC()
	debug.FreeOSMemory() // a collection; free memory goes back to the system
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 1 {
			pages, err := strconv.Atoi(f[1])
			if err == nil {
				size = pages * os.Getpagesize()
			}
		}
	}
	return int(m.HeapAlloc), size
}
