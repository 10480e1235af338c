package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
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

	tangent subproblem.Differentiator
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
	if old := s.sub; subproblem.SamePattern(sub.QP, old.QP) {
		sub.Solver, old.Solver = old.Solver, nil
		sub.Res = old.Res
		sub.Now.L = append([]float64(nil), sub.QP.L...)
		if sub.QP.P != nil {
			sub.Now.P = append([]float64(nil), sub.QP.P.Val...)
		}
	} else {
		guardClose(old)
	}
	if p.NumVars() != s.p.NumVars() {
		s.x = nil
	} else {
		sub.KeepSizes(s.sub)
	}
	s.p, s.sub = p, sub
	s.sub.Forget()
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
	s.sub.Seconds = 0
	res, err = newRun(s.p, s.sub, x0, s.set, 0, origin{kept: true, tangent: &s.tangent, drawn: first && s.p.Random()}).run(ctx)
	if res != nil && s.sub.Convex() && res.convex.X == nil {
		res.convex = s.sub.Point()
	}
	if res != nil && res.nearly {
		s.x = append(s.x[:0], res.X...)
	}
	return res, err
}

// Close frees the solver. A second Close does nothing.
func (s *Session) Close() {
	s.done = true
	s.tangent.Close()
	guardClose(s.sub)
}

func (s *Session) Differentiate(ctx context.Context, res *Result) (d *Derivative, err error) {
	defer recovered(&err)
	if d, err = s.linearised(ctx, res); err != nil {
		return nil, err
	}
	return d, d.examine(ctx)
}

func (s *Session) linearised(ctx context.Context, res *Result) (d *Derivative, err error) {
	if s.done {
		return nil, fmt.Errorf("ccp: the session is closed")
	}
	if err := differentiable(s.p, res); err != nil {
		return nil, err
	}
	d = &Derivative{p: s.p.Exact(), z: slices.Clone(res.X)}
	if d.p == s.p && s.sub.Convex() {
		if done, err := d.at(ctx, s.sub, &s.tangent, res); done || err != nil {
			return d, err
		}
	}
	return d, d.settle(ctx, subproblem.Compile, largestMultiplier(res))
}

func (s *Session) OneSided(ctx context.Context, res *Result, change map[string][]float64, lines ...Line) (dx []float64, err error) {
	defer recovered(&err)
	d, err := s.linearised(ctx, res)
	if err != nil {
		return nil, err
	}
	u, err := d.moved(ctx, change, lines)
	if err != nil {
		return nil, err
	}
	fixed := d.wide(nil)
	copy(fixed, u.Q)
	dx = slices.Clone(u.Lo[:len(d.z)])
	for range mostOneSided {
		h, err := d.curvature(dx)
		if err != nil {
			return nil, err
		}
		u.Q = slices.Clone(fixed)
		num.Axpy(u.Q[:len(h)], -1, h)
		t, err := qpbackend.OneSided(ctx, ipm.Backend{}, d.sub.Stated(), d.d.Point(), u)
		if err != nil {
			return nil, err
		}
		apart := 0.0
		for j := range dx {
			apart = max(apart, math.Abs(t.X[j]-dx[j]))
			dx[j] = t.X[j]
		}
		if len(d.curves) == 0 || apart <= settled*max(1, num.NormInf(dx)) {
			return dx, nil
		}
	}
	return nil, errors.New("ccp: no one-sided derivative: the point is not a strict local minimum, or nearly not")
}

func Batch(ctx context.Context, p *dc.Problem, set Settings, values []map[string][]float64, f func(k int, s *Session, res *Result) error) error {
	if err := check(p, set); err != nil {
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

func one(ctx context.Context, p *dc.Problem, set Settings, values map[string][]float64, k int, f func(int, *Session, *Result) error) (err error) {
	defer recovered(&err)
	s, err := NewSession(ctx, p, set)
	if err != nil {
		return err
	}
	defer s.Close()
	for name, v := range values {
		if err := s.Set(name, v...); err != nil {
			return err
		}
	}
	res, err := s.Solve(ctx, nil)
	if err != nil {
		return err
	}
	return f(k, s, res)
}
