//go:build osqp

package osqp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// Backend is OSQP. The zero value is ready for use.
type Backend struct {
	// Options for OSQP; nil stands for DefaultOptions.
	Options *Options
}

// Version is that of the OSQP library.
func Version() string { return raw.Version() }

// Name is "osqp".
func (Backend) Name() string { return "osqp" }

// Supports is false for every cone.
func (Backend) Supports(qpbackend.ConeKind) bool { return false }

// DefaultSettings are a tolerance of 1e-6 and 100 000 iterations, which cost
// about as much as solving with the factorised KKT matrix so many times.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-6, InfeasTol: 1e-6, MaxIter: 100_000}
}

// New checks p, has OSQP scale it and factors its KKT matrix.
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
	p = p.Clone()
	n, m := p.Dims()
	if p.P == nil {
		p.P = sparse.Zero(n, n)
	}
	if p.A == nil {
		p.A = sparse.Zero(m, n)
	}
	s := &solver{
		p: p, set: set, opt: opt, base: opt.settings(),
		l: make([]float64, m), u: make([]float64, m),
		warm: point{x: make([]float64, n), y: make([]float64, m)},
		cand: point{x: make([]float64, n), y: make([]float64, m)},
		best: point{x: make([]float64, n), y: make([]float64, m)},
		work: make([]float64, 2*n+2*m),
	}
	if n == 0 {
		return s, nil
	}
	if err := checkConvex(p.P, p.P.Val); err != nil {
		return nil, err
	}
	if err := s.setup(); err != nil {
		return nil, err
	}
	return s, nil
}

var errClosed = errors.New("osqp: the solver is closed")

// point is a primal-dual pair and what it is worth.
type point struct {
	x, y []float64
	res  qpbackend.Residuals
}

// solver is a problem here and in C. It is not safe for concurrent use.
type solver struct {
	p    *qpbackend.Problem // as stated; P and A are never nil
	set  qpbackend.Settings
	opt  Options
	base raw.Settings
	c    *raw.Solver // nil for a problem without variables
	rho  float64     // ρ of a cold start, as OSQP clamped it
	l, u []float64   // bounds with those beyond qpbackend.Infinity infinite

	// broken: a factorisation in C failed; the next Solve sets up anew.
	broken, closed bool

	warm       point // for the next Solve, where warmed
	warmed     bool
	cand, best point
	work       []float64
}

// setup makes the C side from p, in place of what was there.
func (s *solver) setup() error {
	if s.c != nil {
		s.c.Close()
	}
	s.bounds()
	c, err := raw.New(rawMatrix(s.p.P), s.p.Q, rawMatrix(s.p.A), s.l, s.u, s.base)
	if err != nil {
		s.broken = true
		return s.refusal(err)
	}
	s.c, s.rho, s.broken = c, c.Settings().Rho, false
	return nil
}

// refusal translates an error of OSQP.
func (s *solver) refusal(err error) error {
	var e *raw.Error
	if errors.As(err, &e) && e.Code == raw.ErrNonconvex {
		return &qpbackend.NonconvexError{Index: -1}
	}
	return fmt.Errorf("osqp: %w", err)
}

func rawMatrix(m *sparse.CSC) raw.Matrix {
	nnz := m.NNZ()
	return raw.Matrix{Rows: m.Rows, Cols: m.Cols, ColPtr: m.ColPtr, RowIdx: m.RowIdx[:nnz], Val: m.Val[:nnz]}
}

func (s *solver) bounds() {
	for i := range s.l {
		s.l[i], s.u[i] = s.p.L[i], s.p.U[i]
		if s.l[i] <= -qpbackend.Infinity {
			s.l[i] = math.Inf(-1)
		}
		if s.u[i] >= qpbackend.Infinity {
			s.u[i] = math.Inf(1)
		}
	}
}

// Update overwrites values here and in C. New matrices cost a factorisation.
func (s *solver) Update(u qpbackend.Update) error {
	if s.closed {
		return errClosed
	}
	// What Apply would refuse need not be examined.
	if s.c != nil && len(u.P) == s.p.P.NNZ() && finite(u.P) {
		if err := checkConvex(s.p.P, u.P); err != nil {
			return err
		}
	}
	if err := s.p.Apply(u); err != nil {
		return err
	}
	if s.c == nil || s.broken {
		return nil
	}
	s.bounds()
	q, l, up := s.p.Q, s.l, s.u
	var err error
	if u.P != nil || u.A != nil {
		// OSQP unscales what it keeps and so rounds it: it gets everything.
		err = s.c.UpdateMatrices(s.p.P.Val, s.p.A.Val)
	} else {
		if u.Q == nil {
			q = nil
		}
		if u.L == nil && u.U == nil {
			l, up = nil, nil
		}
	}
	if err == nil {
		err = s.c.UpdateVectors(q, l, up)
	}
	s.broken = err != nil
	return nil
}

// WarmStart keeps a copy of the point for the next Solve.
func (s *solver) WarmStart(x, y []float64) error {
	n, m := s.p.Dims()
	switch {
	case s.closed:
		return errClosed
	case x != nil && len(x) != n:
		return fmt.Errorf("osqp: warm start x has length %d, want %d", len(x), n)
	case y != nil && len(y) != m:
		return fmt.Errorf("osqp: warm start y has length %d, want %d", len(y), m)
	case !finite(x) || !finite(y):
		return errors.New("osqp: warm start with an entry that is no finite number")
	}
	clear(s.warm.x)
	clear(s.warm.y)
	copy(s.warm.x, x)
	copy(s.warm.y, y)
	s.warmed = x != nil || y != nil
	return nil
}

// Close frees the C side.
func (s *solver) Close() error {
	s.closed = true
	if s.c != nil {
		s.c.Close()
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
