package ccp

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dcopt/dcopt/ccp/sensitivity"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
)

// Of package sensitivity, which has the method.
type (
	// Derivative is the derivative of a strict local minimum with respect to the parameters of the
	// problem.
	Derivative = sensitivity.Derivative
	// KinkError says where an expression has no derivative.
	KinkError = sensitivity.KinkError
	// HeldError is the error along a change that the point does not follow.
	HeldError = sensitivity.HeldError
	// Change is a change of the data of a problem.
	Change = sensitivity.Change
	// Line is a change of numbers of a problem that are no parameters.
	Line = sensitivity.Line
)

// Differentiate linearises at res, the result of the last Solve on the present values of the
// parameters. The point is refined to a fixed point of the procedure first; Point is it. The
// derivative is good until the next one of the session. Where the solution of a convex problem is
// not unique the derivative is regularised: see Unique. Errors: res is not converged, or of another
// problem; the point of a problem that is not convex is no strict local minimum, or its refinement
// leads elsewhere; there is a kink (*KinkError); ctx ended.
func (s *Session) Differentiate(ctx context.Context, res *Result) (d *Derivative, err error) {
	defer recovered(&err)
	at, err := s.source(res)
	if err != nil {
		return nil, err
	}
	return sensitivity.New(ctx, at)
}

// OneSided is the change of the refined point along a change of parameters, as Derivative.Forward
// has it, where the parameters move that way alone. It exists also where a constraint holds with
// multiplier zero, which Differentiate refuses; backwards it is another one there. With H the
// curvature of the h it is a fixed point, as z is: the change of the solution of the convex problem
// with costs −H·dz, found by several quadratic programs. Errors: as Differentiate has them, except
// for multipliers of zero; the convex problem has cones that are not of second order
// (qpbackend.ErrCurved).
func (s *Session) OneSided(ctx context.Context, res *Result, change map[string][]float64, lines ...Line) (
	dx []float64, err error) {
	defer recovered(&err)
	at, err := s.source(res)
	if err != nil {
		return nil, err
	}
	return sensitivity.OneSided(ctx, at, Change{Values: change, Lines: lines})
}

// source is a solution of the session's problem.
func (s *Session) source(res *Result) (sensitivity.Source, error) {
	if s.done {
		return sensitivity.Source{}, fmt.Errorf("ccp: the session is closed")
	}
	at, err := source(s.p.Instance(), res) // of the present values, whatever comes
	if err == nil {
		at.Solved, at.Solution = s.sub, res.room.convex
	}
	return at, err
}

// Differentiate is Session.Differentiate for a result of p from anywhere. The derivative does not
// change.
func Differentiate(ctx context.Context, p *dc.Problem, res *Result) (d *Derivative, err error) {
	defer recovered(&err)
	at, err := source(p.Program(), res)
	if err != nil {
		return nil, err
	}
	return sensitivity.New(ctx, at)
}

// source refuses a result that is not one of p.
func source(p *program.Problem, res *Result) (at sensitivity.Source, err error) {
	switch {
	case p == nil:
		return at, errNoProblem
	case res == nil || res.Status != Converged:
		status := Unknown
		if res != nil {
			status = res.Status
		}
		return at, fmt.Errorf("ccp: no derivative: the run is %v, want %v", status, Converged)
	case len(res.X) != p.NumVars():
		return at, fmt.Errorf("ccp: no derivative: the result has %d entries, the problem %d", len(res.X), p.NumVars())
	}
	for _, v := range p.Vars {
		if v.Param && !slices.Equal(v.Lo, res.X[v.Offset:][:v.Len()]) {
			return at, fmt.Errorf("ccp: no derivative: parameter %s has changed since the run; solve again", v.Name)
		}
	}
	at = sensitivity.Source{Problem: p, X: res.X, Worth: 1, Recover: recovered}
	for _, y := range res.Duals {
		at.Worth = max(at.Worth, num.NormInf(y))
	}
	return at, nil
}

// Batch solves p for each set of values of its parameters, by name, on all processors, and calls f
// with the number of the set, a session with these values and the result. The calls of f run at the
// same time; each has a session of its own, which is closed after it, so that results do not depend
// on their order. The first error by number ends the batch: that of f, or of values that p refuses,
// or of ctx.
func Batch(ctx context.Context, p *dc.Problem, set Settings, values []map[string][]float64,
	f func(k int, s *Session, res *Result) error) error {
	if err := check(p.Program(), set); err != nil {
		return err
	}
	errs := make([]error, len(values))
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(values)) {
		all.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(values) || failed.Load() {
					return
				}
				if errs[k] = one(ctx, p, set, values[k], k, f); errs[k] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	for k, err := range errs {
		if err != nil {
			return fmt.Errorf("ccp: values %d: %w", k, err)
		}
	}
	return nil
}

// one is number k of a batch.
func one(ctx context.Context, p *dc.Problem, set Settings, values map[string][]float64, k int,
	f func(int, *Session, *Result) error) (err error) {
	defer recovered(&err)
	s, err := NewSession(ctx, p, set)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.SetAll(values); err != nil {
		return err
	}
	res, err := s.Solve(ctx, nil)
	if err != nil {
		return err
	}
	return f(k, s, res)
}
