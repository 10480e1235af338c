package ccp

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Session solves one problem again and again while its parameters change. The
// convex problem is compiled, and the backend's solver made, once: parameters
// change values alone. A Session is for one goroutine.
type Session struct {
	p    *dc.Problem
	set  Settings
	sub  *subproblem.Problem
	x    []float64 // where the next run begins; nil: at the problem's start
	done bool
}

// NewSession compiles p. Where ctx ends before, the error is that of ctx, within half a second.
func NewSession(ctx context.Context, p *dc.Problem, set Settings) (s *Session, err error) {
	defer recovered(&err)
	if err := check(p, set); err != nil {
		return nil, err
	}
	sub, err := subproblem.Compile(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Session{p: p, set: set, sub: sub}, nil
}

// Set gives a parameter other values: one for all entries, or one per entry in
// row-major order. On an error nothing has changed.
func (s *Session) Set(param string, values ...float64) error {
	return s.SetAll(map[string][]float64{param: values})
}

// SetAll is Set for several parameters, by name.
func (s *Session) SetAll(values map[string][]float64) (err error) {
	defer recovered(&err)
	p := s.p
	for name, v := range values {
		if p, err = p.With(name, v...); err != nil {
			return err
		}
	}
	s.p = p
	s.sub.Bind(p)
	return nil
}

// Replace switches to p. If both convex problems have the same sparsity pattern,
// as when only data differ, the backend's solver and its symbolic factorisation
// are kept; otherwise the next Solve makes a new one. On an error nothing has
// changed. Where ctx ends before, the error is that of ctx, within half a second.
func (s *Session) Replace(ctx context.Context, p *dc.Problem) (err error) {
	defer recovered(&err)
	if p == nil {
		return errNoProblem
	}
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
		s.x = nil
	} else {
		sub.Units.KeepSizes(s.sub.Units)
	}
	s.p, s.sub = p, sub
	s.sub.Session.Forget()
	return nil
}

// Restart lets the next Solve begin at the problem's start, as the first one does.
func (s *Session) Restart() { s.x = nil }

// Convex reports whether the problem has nothing to linearise: no other start finds a better point.
func (s *Session) Convex() bool { return s.sub.Convex() }

// Problem is the problem with the current values of its parameters. It is the session's
// own: do not change it.
func (s *Session) Problem() *dc.Problem { return s.p }

// Solve is the function Solve for the current values. Without x0 it begins where
// the last run ended, and the first time at the problem's start. Entries of x0
// for parameters are not looked at.
func (s *Session) Solve(ctx context.Context, x0 []float64) (res *Result, err error) {
	defer recovered(&err)
	if s.done {
		return nil, fmt.Errorf("ccp: the session is closed")
	}
	first := x0 == nil && s.x == nil
	switch {
	case first:
		x0 = s.p.Start(s.set.Seed)
	case x0 == nil:
		x0 = s.x
	}
	if len(x0) == s.p.NumVars() {
		x0 = boxed(s.p, x0)
	}
	if err := checkStart(s.p, x0); err != nil {
		return nil, err
	}
	s.sub.Session.Seconds = 0
	res, err = newRun(s.p, s.sub, x0, s.set, 0, origin{kept: true, drawn: first && s.p.Random()}).run(ctx)
	if res != nil && s.sub.Convex() && res.convex.X == nil {
		res.convex = s.sub.Session.Point()
	}
	if res != nil && res.nearly {
		s.x = append(s.x[:0], res.X...)
	}
	return res, err
}

// Close frees the solver. A second Close does nothing.
func (s *Session) Close() {
	s.done = true
	guardClose(s.sub)
}
