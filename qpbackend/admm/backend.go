package admm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Backend is the operator splitting method. The zero value is ready for use.
type Backend struct {
	// Options of the method; nil stands for DefaultOptions.
	Options *Options
}

// Name is "admm".
func (Backend) Name() string { return "admm" }

// Supports is false for every cone.
func (Backend) Supports(qpbackend.ConeKind) bool { return false }

// DefaultSettings are a tolerance of 1e-6 and 100 000 iterations.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-6, InfeasTol: 1e-6, MaxIter: 100_000}
}

// New checks p, scales it and analyses its KKT matrix.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	opt := DefaultOptions()
	if b.Options != nil {
		opt = *b.Options
	}
	if err := errors.Join(opt.Validate(), set.Validate()); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := qpbackend.CheckCones(b, p); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := newSolver(p, set, opt)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// solver is a problem with all that is kept between solves.
type solver struct {
	p   *qpbackend.Problem // as stated; P and A are never nil
	set qpbackend.Settings
	opt Options

	convex *convexity
	staleP bool // P has changed since it was last found convex
	w      *work
	ip     *successor
	closed bool

	warm       point // for the next Solve, where warmed
	warmed     bool
	cand, best point
	cert       []float64 // of length max(n, m)
	scratch    []float64 // for qpbackend.CertifyWork
	run        progress
}

// point is an unscaled primal-dual pair. What it is worth is res.Max() once it
// is certified, before that what the iteration itself reckons.
type point struct {
	x, y      []float64
	worth     float64
	res       qpbackend.Residuals
	certified bool
}

func newPoint(n, m int) point {
	return point{x: make([]float64, n), y: make([]float64, m)}
}

// set takes over the coordinates.
func (p *point) set(x, y []float64) {
	copy(p.x, x)
	copy(p.y, y)
	p.worth, p.certified = math.Inf(1), false
}

func newSolver(p *qpbackend.Problem, set qpbackend.Settings, opt Options) (*solver, error) {
	p = p.Clone()
	n, m := p.Dims()
	if p.P == nil {
		p.P = sparse.Zero(n, n)
	}
	if p.A == nil {
		p.A = sparse.Zero(m, n)
	}
	convex, err := newConvexity(p.P)
	if err != nil {
		return nil, fmt.Errorf("admm: %w", err)
	}
	if err := convex.check(p.P); err != nil {
		return nil, err
	}
	w, err := newWork(p, opt)
	if err != nil {
		return nil, fmt.Errorf("admm: %w", err)
	}
	return &solver{
		p: p, set: set, opt: opt, convex: convex, w: w,
		warm: newPoint(n, m), cand: newPoint(n, m), best: newPoint(n, m),
		cert:    make([]float64, max(n, m)),
		scratch: make([]float64, 2*n+2*m),
	}, nil
}

var errClosed = errors.New("admm: the solver is closed")

// Update overwrites values. New matrices are scaled anew at once and factored
// in the next Solve.
func (s *solver) Update(u qpbackend.Update) error {
	if s.closed {
		return errClosed
	}
	if err := s.p.Apply(u); err != nil {
		return err
	}
	switch {
	case u.P != nil || u.A != nil:
		s.staleP = s.staleP || u.P != nil
		s.w.loadMatrices(s.p)
	case u.Q != nil || u.L != nil || u.U != nil:
		s.w.loadVectors(s.p)
	}
	if s.ip != nil {
		s.ip.stale = true
	}
	return nil
}

// WarmStart keeps a copy of the point for the next Solve.
func (s *solver) WarmStart(x, y []float64) error {
	n, m := s.p.Dims()
	switch {
	case s.closed:
		return errClosed
	case x != nil && len(x) != n:
		return fmt.Errorf("admm: warm start x has length %d, want %d", len(x), n)
	case y != nil && len(y) != m:
		return fmt.Errorf("admm: warm start y has length %d, want %d", len(y), m)
	case !finite(x) || !finite(y):
		return errors.New("admm: warm start with an entry that is no finite number")
	}
	clear(s.warm.x)
	clear(s.warm.y)
	s.warm.set(x, y)
	s.warmed = x != nil || y != nil
	return nil
}

// Close makes the solver refuse all further calls.
func (s *solver) Close() error {
	s.closed = true
	if s.ip != nil {
		return s.ip.solver.Close()
	}
	return nil
}

func finite(v []float64) bool {
	for _, e := range v {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return false
		}
	}
	return true
}
