package qptest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dcopt/dcopt/qpbackend"
)

// controlling checks contexts, limits and the end of a solver.
func (s suite) controlling() []Check {
	return []Check{
		{"context/cancelled before", func(t TB) {
			s.interrupted(t, ended(), context.Canceled, sample())
		}},
		{"context/deadline in the past", func(t TB) {
			ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
			defer cancel()
			s.interrupted(t, ctx, context.DeadlineExceeded, sample())
		}},
		{"context/cancelled before New", s.neverMade},
		{"limit/one iteration", func(t TB) { s.oneIteration(t, sample()) }},
		{"limit/the limit of an unbounded problem is no certificate", s.oneIterationUnbounded},
		{"close/twice, and no work after", s.closed},
	}
}

// ended is a context that has been cancelled.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// neverMade has New refuse to work in a context that has ended.
func (s suite) neverMade(t TB) {
	solver, err := s.b.New(ended(), sample().Problem, s.settings())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("New gives the error %v in a cancelled context, want %v", err, context.Canceled)
	}
	if err == nil {
		solver.Close()
	}
}

// interrupted solves with a context that has ended, then with one that lasts.
func (s suite) interrupted(t TB, ctx context.Context, want error, c Case) {
	t.Helper()
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	res := new(qpbackend.Result)
	if err := solver.Solve(ctx, res); !errors.Is(err, want) {
		fail(t, "the error is %v, want %v", err, want)
	}
	if res.Status != qpbackend.Interrupted(want) {
		t.Errorf("the status is %v, want %v", res.Status, qpbackend.Interrupted(want))
	}
	s.honest(t, c.Problem, res)
	s.optimal(t, c, run(t, solver))
}

func (s suite) oneIteration(t TB, c Case) {
	set := s.settings()
	set.MaxIter = 1
	res := s.solve(t, c.Problem, set)
	if res.Status != qpbackend.IterationLimit || res.Iterations > 1 {
		t.Errorf("the status is %v after %d iterations, want iteration_limit after 1", res.Status, res.Iterations)
	}
	s.honest(t, c.Problem, res)
}

// oneIterationUnbounded: whatever the status, a certificate must be one.
func (s suite) oneIterationUnbounded(t TB) {
	set := s.settings()
	set.MaxIter = 1
	p := falling()
	res := s.solve(t, p, set)
	switch res.Status {
	case qpbackend.DualInfeasible:
		certificate(t, p, res, set.InfeasTol)
	case qpbackend.IterationLimit:
		s.honest(t, p, res)
	default:
		t.Errorf("the status is %v, want iteration_limit or dual_infeasible", res.Status)
	}
}

func (s suite) closed(t TB) {
	c := sample()
	solver := s.make(t, c.Problem, s.settings())
	first := run(t, solver)
	x := slices.Clone(first.X)
	for k := range 2 {
		if err := solver.Close(); err != nil {
			t.Errorf("Close number %d: %v", k+1, err)
		}
	}
	if !slices.Equal(x, first.X) {
		t.Errorf("Close changes the result of an earlier Solve")
	}
	if err := solver.Solve(context.Background(), new(qpbackend.Result)); err == nil {
		t.Errorf("Solve after Close gives no error")
	}
	if err := solver.Update(qpbackend.Update{Q: c.Problem.Q}); err == nil {
		t.Errorf("Update after Close gives no error")
	}
	_ = solver.WarmStart(first.X, first.Y, first.Z) // must not fall over freed memory
}
