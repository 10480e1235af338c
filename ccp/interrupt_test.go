package ccp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
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

// counted is |u|² of a user, which counts how often it is computed.
type counted struct{ n *atomic.Int64 }

func (c counted) Value(u []float64) float64 {
	c.n.Add(1)
	return u[0]*u[0] + u[1]*u[1]
}

func (c counted) AddSubgrad(dst []float64, scale float64, u []float64) {
	c.n.Add(1)
	dst[0] += 2 * scale * u[0]
	dst[1] += 2 * scale * u[1]
}

// noting notes the count at which a context is first seen to have ended.
type noting struct {
	context.Context
	n  *atomic.Int64
	at int64 // −1 before
}

func (c *noting) Err() error {
	err := c.Context.Err()
	if err != nil && c.at < 0 {
		c.at = c.n.Load()
	}
	return err
}

// TestFewPassesBetweenLooks: wherever a run before its first solution ends, it looks at no
// constraint more than a few times between two looks at its context, and after the last of them.
func TestFewPassesBetweenLooks(t *testing.T) {
	const constraints, most = 50, 4
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.StartAt(0.3, 0.1))
	m.Minimize(x.Dot([]float64{1, 2}))
	var n atomic.Int64
	for k := range constraints {
		shift := dc.Const([]int{2}, []float64{float64(k), 0})
		m.SubjectTo(dc.GE(dc.BlackBox("square", counted{&n}, x.Sub(shift)), dc.Num(1)))
	}
	m.SubjectTo(dc.LE(dc.Norm2(x), dc.Num(9)))
	p := build(t, m)
	last := int64(-1)
	for moment := range 40 {
		ctx := &noting{shared.Countdown(moment, context.Canceled), &n, -1}
		before := n.Load()
		res, err := ccp.Solve(ctx, p, nil, ccp.DefaultSettings())
		if !errors.Is(err, context.Canceled) || res.Iterations > 1 {
			break
		}
		at, after := ctx.at-before, n.Load()-ctx.at
		if last >= 0 && at-last > most*constraints || after > most*constraints {
			t.Errorf("moment %d: %d computed since the look before, %d after it, of %d constraints", moment, at-last, after, constraints)
		}
		last = at
	}
	if last < 0 {
		t.Error("no run ended early")
	}
}
