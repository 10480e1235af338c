package admm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
)

// TestAllocations: after the first, an update, a warm start and a solve make
// nothing new.
func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	p := randomQP(rng, 15)
	a, q := jittered(rng, p.A.Val, 0.01), jittered(rng, p.Q, 0.01)
	for _, opt := range []admm.Backend{plain(), admm.Backend{}} {
		s := newSolver(t, opt, p, nil)
		res := solve(t, s)
		if n := testing.AllocsPerRun(10, func() {
			if err := errors.Join(s.Update(qpbackend.Update{A: a, Q: q}), s.WarmStart(res.X, res.Y, res.Z), s.Solve(context.Background(), res)); err != nil {
				t.Fatal(err)
			}
			a, p.A.Val = p.A.Val, a
		}); n != 0 || res.Status != qpbackend.Solved {
			t.Errorf("polishing %t: %g allocations, %v", !opt.Unpolished, n, res.Status)
		}
	}
}

// TestNoLeak updates, solves and cancels again and again.
func TestNoLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	p := randomQP(rng, 6)
	val := [2][]float64{p.A.Val, jittered(rng, p.A.Val, 0.05)}
	s := newSolver(t, admm.Backend{}, p, nil)
	var res qpbackend.Result
	cycle := func(k int) {
		if err := s.Update(qpbackend.Update{A: val[k%2]}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if k%4 == 3 {
			cancel()
		}
		err := s.Solve(&countdown{ctx, 30 + k%40}, &res)
		if (err == nil) != (res.Status == qpbackend.Solved) {
			t.Fatalf("cycle %d: %v, %v", k, res.Status, err)
		}
		other, err := admm.Backend{}.New(context.Background(), p, admm.Backend{}.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		if k%16 == 0 {
			solve(t, other)
		}
		other.Close()
	}
	measure := func() (uint64, int) {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	for k := range 100 {
		cycle(k)
	}
	before, routines := measure()
	for k := range 2000 {
		cycle(k)
	}
	after, now := measure()
	if after > before+200_000 || now > routines {
		t.Errorf("the heap grew from %d to %d bytes, goroutines from %d to %d", before, after, routines, now)
	}
}
