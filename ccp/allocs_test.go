//go:build !race

package ccp_test

import (
	"runtime"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// With the race detector pools forget at random.

// TestIterationsDoNotAllocate counts what is allocated from one iteration to the
// next, after the first few, which make room. The history grows now and then, and
// the runtime has needs of its own.
func TestIterationsDoNotAllocate(t *testing.T) {
	ls, _ := boxLS(t, 20, 1)
	sparse, _ := l1l2(t, 60, 1)
	for name, p := range map[string]*dc.Problem{"packing": packing(t, radii(8, 1)), "bits": ls, "l1 - l2": sparse} {
		var stats runtime.MemStats
		var mallocs []uint64
		var hops []int
		set := func(s *ccp.Settings) {
			s.Seed, s.Tau0, s.Mu = 2, 1e-4, 1.2 // many iterations
			s.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
				hops = append(hops, it.Hop)
				runtime.ReadMemStats(&stats)
				mallocs = append(mallocs, stats.Mallocs)
				return nil
			})
		}
		mallocs, hops = make([]uint64, 0, 1000), make([]int, 0, 1000)
		solve(t, p, nil, set)
		quiet, n := 0, 0
		for k := 4; k < len(mallocs); k++ {
			if hops[k] != hops[k-1] {
				continue // a hop makes a point of its own
			}
			n++
			if mallocs[k]-mallocs[k-1] == 0 {
				quiet++
			}
		}
		if n > 4 && 3*quiet < 2*n {
			var each []uint64
			for k := 1; k < len(mallocs); k++ {
				each = append(each, mallocs[k]-mallocs[k-1])
			}
			t.Errorf("%s: allocations from iteration to iteration: %v", name, each)
		}
	}
}

// A parametric loop with one result allocates nothing.
func TestParametricLoopDoesNotAllocate(t *testing.T) {
	p, sides := changingSides(t)
	s := session(t, p)
	var res ccp.Result
	k := 0
	solve := func() {
		again(t, s, sides[k%len(sides)], &res)
		k++
	}
	for range sides { // makes room
		solve()
	}
	if n := testing.AllocsPerRun(len(sides), solve); n > 0 {
		t.Errorf("%g allocations per solve", n)
	}
}
