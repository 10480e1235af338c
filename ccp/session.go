package ccp

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
)

// Session solves one problem again and again while its parameters change. The
// convex problem is compiled, and the backend's solver made, once: parameters
// change values alone. A Session is for one goroutine.
type Session struct {
	of    *dc.Problem // an instance of the session's own
	p     *program.Problem
	set   Settings
	sub   *subproblem.Problem
	r     *run      // of the last Solve, whose memory the next one uses again; nil: there is none
	x     []float64 // where the next run begins; empty: at the problem's start
	first []float64 // room for a start
	done  bool
}

// NewSession compiles p. Where ctx ends before, the error is the one of ctx, within half a second.
func NewSession(ctx context.Context, of *dc.Problem, set Settings) (s *Session, err error) {
	defer recovered(&err)
	if err := check(of.Program(), set); err != nil {
		return nil, err
	}
	of = of.Instance()
	p := of.Program()
	sub, err := subproblem.Compile(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Session{of: of, p: p, set: set, sub: sub}, nil
}

// Set gives a parameter other values: one for all entries, or one per entry in
// row-major order. On an error nothing has changed.
func (s *Session) Set(param string, values ...float64) error {
	return s.SetAll(map[string][]float64{param: values})
}

// SetAll is Set for several parameters, by name.
func (s *Session) SetAll(values map[string][]float64) (err error) {
	defer recovered(&err)
	if err = s.p.Assign(values); err == nil {
		s.sub.Bind()
	}
	return err
}

// Replace switches to p. If both convex problems have the same sparsity pattern,
// as when only data differ, the backend's solver and its symbolic factorisation
// are kept; otherwise the next Solve makes a new one. On an error nothing has
// changed. Where ctx ends before, the error is the one of ctx, within half a second.
func (s *Session) Replace(ctx context.Context, of *dc.Problem) (err error) {
	defer recovered(&err)
	if of.Program() == nil {
		return errNoProblem
	}
	of = of.Instance()
	p := of.Program()
	sub, err := subproblem.Compile(ctx, p)
	if err != nil {
		return err
	}
	if old := s.sub; subproblem.SamePattern(sub.Compiled.QP, old.Compiled.QP) {
		sub.Session.Solver, old.Session.Solver = old.Session.Solver, nil
		sub.Session.Res = old.Session.Res
	} else {
		guardClose(old)
	}
	if p.NumVars() != s.p.NumVars() {
		s.x = s.x[:0]
	} else {
		sub.Units.KeepSizes(s.sub.Units)
	}
	s.of, s.p, s.sub, s.r = of, p, sub, nil
	s.sub.Session.Forget()
	return nil
}

// Restart lets the next Solve begin at the problem's start, as the first one does.
func (s *Session) Restart() { s.x = s.x[:0] }

// Convex reports whether the problem has nothing to linearise: no other start finds a better point.
func (s *Session) Convex() bool { return s.sub.Convex() }

// Problem is the problem with the current values of its parameters, also after the next change of
// them. It is the session's own: do not change it.
func (s *Session) Problem() *dc.Problem { return s.of }

// Solve is the function Solve for the current values. Without x0 it begins where
// the last run ended, and the first time at the problem's start. Entries of x0
// for parameters are not looked at.
func (s *Session) Solve(ctx context.Context, x0 []float64) (*Result, error) {
	res := new(Result)
	solved, err := s.solve(ctx, x0, res)
	if !solved {
		return nil, err
	}
	return res, err
}

// SolveTo is Solve with the result in res, whose slices are used again: a loop with one result
// allocates little, and nothing where the problem is linear or quadratic and the backend's points
// need no refinement. After an error without a result its Status is Unknown.
func (s *Session) SolveTo(ctx context.Context, x0 []float64, res *Result) error {
	solved, err := s.solve(ctx, x0, res)
	if !solved {
		*res = Result{}
	}
	return err
}

// solve reports whether there is a result.
func (s *Session) solve(ctx context.Context, x0 []float64, res *Result) (solved bool, err error) {
	defer recovered(&err)
	if s.done {
		return false, fmt.Errorf("ccp: the session is closed")
	}
	first := x0 == nil && len(s.x) == 0
	switch {
	case first:
		x0 = s.p.Start(s.set.Seed)
	case x0 == nil:
		x0 = s.x
	}
	if s.first = append(s.first[:0], x0...); len(x0) == s.p.NumVars() {
		s.p.Confine(s.first)
	}
	if err := checkStart(s.p, s.first); err != nil {
		return false, err
	}
	s.sub.Session.Seconds = 0
	r := s.r
	if s.r = nil; r == nil { // also after a panic
		r = newRun(s.p, s.sub, s.set)
	}
	r.begin(s.first, 0, origin{kept: true, drawn: first && s.p.Random()}, res)
	end, err := r.run(ctx)
	if end == nil {
		return false, err
	}
	if s.r = r; s.sub.Convex() && len(res.room.convex.X) == 0 {
		s.sub.Session.Point(&res.room.convex)
	}
	if res.nearly {
		s.x = append(s.x[:0], res.X...)
	}
	return true, err
}

// Close frees the solver. A second Close does nothing.
func (s *Session) Close() {
	s.done = true
	guardClose(s.sub)
}
