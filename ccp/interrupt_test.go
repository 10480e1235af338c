package ccp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/shared"
)

// seen is the best point that a run has reported.
type seen struct {
	feasible  bool
	objective float64
}

func (s *seen) record(tol float64) ccp.Recorder {
	s.objective = math.Inf(1)
	return ccp.RecorderFunc(func(it ccp.Iteration) error {
		if it.Relative <= tol && it.Objective < s.objective {
			s.feasible, s.objective = true, it.Objective
		}
		return nil
	})
}

func (s *seen) check(t *testing.T, p *dc.Problem, moment int, res *ccp.Result) {
	t.Helper()
	checkResult(t, p, res)
	if least := 1e-9 * math.Abs(s.objective); s.feasible && (res.Violation > 1e-6 || res.Objective > s.objective+least) { // less does not count
		t.Errorf("moment %d: a feasible point with %g was seen, %v returns %g with violation %g", moment, s.objective, res.Status, res.Objective, res.Violation)
	}
}

// TestInterruptedAtAnyMoment: at 200 moments each a run is cancelled, meets its
// deadline or the limit of its iterations. What it returns is the best point so
// far, and nothing is left behind.
func TestInterruptedAtAnyMoment(t *testing.T) {
	p := packing(t, radii(6, 1))
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(1, 41))
	interrupted := 0
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		want := map[error]ccp.Status{context.Canceled: ccp.Cancelled, context.DeadlineExceeded: ccp.TimeLimit}[end]
		for range shared.Times(200, 5) {
			moment := rng.IntN(150)
			set := ccp.DefaultSettings()
			set.Seed = rng.Uint64()
			var s seen
			set.Recorder = s.record(set.FeasTol)
			res, err := ccp.Solve(shared.Countdown(moment, end), p, nil, set)
			if err == nil {
				continue // it had ended before
			}
			interrupted++
			if !errors.Is(err, end) || res == nil || res.Status != want {
				t.Fatalf("moment %d: error %v, result %+v", moment, err, res)
			}
			s.check(t, p, moment, res)
		}
	}
	if interrupted < shared.Times(250, 5) {
		t.Errorf("%d runs were interrupted: the moments come too late", interrupted)
	}
	for range shared.Times(200, 5) {
		set := ccp.DefaultSettings()
		set.Seed, set.MaxIter = rng.Uint64(), 1+rng.IntN(20)
		var s seen
		set.Recorder = s.record(set.FeasTol)
		res, err := ccp.Solve(context.Background(), p, nil, set)
		if err != nil || res.Iterations > set.MaxIter || res.Status != ccp.IterationLimit && res.Status != ccp.Converged {
			t.Fatalf("at most %d iterations: error %v, result %+v", set.MaxIter, err, res)
		}
		s.check(t, p, set.MaxIter, res)
	}
	leftBehind(t, before)
}

func TestMultistartInterruptedAtAnyMoment(t *testing.T) {
	p := packing(t, radii(5, 1))
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(2, 41))
	for range 100 {
		moment := rng.IntN(400)
		set := ccp.DefaultSettings()
		set.Seed = rng.Uint64()
		var s seen
		set.Recorder = s.record(set.FeasTol)
		res, err := ccp.Multistart(shared.Countdown(moment, context.Canceled), p, 6, set)
		if res == nil || err != nil && !errors.Is(err, context.Canceled) || err == nil && res.Starts != 6 {
			t.Fatalf("moment %d: error %v, result %+v", moment, err, res)
		}
		s.check(t, p, moment, res)
	}
	leftBehind(t, before)
}

// leftBehind waits for goroutines to end.
func leftBehind(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
