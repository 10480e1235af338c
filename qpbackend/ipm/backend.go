package ipm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Backend is the interior point method. The zero value is ready for use.
//
// A result is AlmostSolved where no further progress is possible and the
// largest residual is at most min(√Settings.Tol, 1e-5). Where the problem looks
// infeasible, auxiliary problems are solved for a certificate; their iterations
// count.
type Backend struct {
	KKT KKT // how the linear systems are solved
}

// KKT is a way to solve the linear systems of the method. The choice changes
// times, and results by rounding. A solver has a method KKT() KKT that says
// which way it goes, Sparse or Bordered.
type KKT = kkt.Strategy

// The ways.
const (
	// Auto takes the one with fewer operations, by the pattern of P and A.
	Auto = kkt.Auto
	// Sparse factors the matrix as a whole.
	Sparse = kkt.Sparse
	// Bordered is for tall problems: few variables that are in many rows, such
	// as the parameters of a regression, and any number of variables and rows
	// that hang together by those alone. The systems are reduced to one of the
	// few, a dense one. Where there is no such structure, or a semidefinite cone
	// of order 3 or more, it is Sparse.
	Bordered = kkt.Bordered
)

// Name is "ipm".
func (Backend) Name() string { return "ipm" }

// Supports is true for all kinds of cones.
func (Backend) Supports(k qpbackend.ConeKind) bool { return k <= qpbackend.Semidefinite }

// DefaultSettings are a tolerance of 1e-8 and 200 iterations.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-8, InfeasTol: 1e-8, MaxIter: 200}
}

// New checks p and prepares all that depends on its pattern.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if err := set.Validate(); err != nil {
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
	s, err := newSolver(p, set, b.KKT)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// solver is a problem with all that is kept between solves.
type solver struct {
	set    qpbackend.Settings
	p      *qpbackend.Problem // as stated; P and A are never nil
	lay    *layout
	scale  *equil.Scaling
	convex *convexity
	w      *work
	aux    *auxiliary // made when first needed
	closed bool

	// What an Update has changed since the values were last loaded.
	staleP, staleMatrix, stale bool // P; P or A; anything

	best     point
	cand     point // the present iterate, unscaled
	cert     []float64
	work     []float64
	progress progress
	warm     proposal
}

// point is an unscaled primal-dual pair.
type point struct {
	x, y []float64
	res  qpbackend.Residuals
}

func newSolver(p *qpbackend.Problem, set qpbackend.Settings, how KKT) (*solver, error) {
	p = p.Clone()
	n, m := p.Dims()
	if p.P == nil {
		p.P = sparse.Zero(n, n)
	}
	if p.A == nil {
		p.A = sparse.Zero(m, n)
	}
	lay := newLayout(p.A, p.Cones)
	sp := p.P.Clone()
	blocks, err := lay.blocks()
	if err != nil {
		return nil, err
	}
	sys, err := kkt.NewBlocks(sp, lay.at, blocks, how)
	if err != nil {
		return nil, fmt.Errorf("ipm: %w", err)
	}
	convex, err := newConvexity(p.P)
	if err != nil {
		return nil, fmt.Errorf("ipm: %w", err)
	}
	s := &solver{
		set: set, p: p, lay: lay, convex: convex,
		scale:  equil.New(n, len(lay.rows)),
		w:      newWork(sp, lay.at, sys, lay.cones),
		best:   point{x: make([]float64, n), y: make([]float64, m)},
		cand:   point{x: make([]float64, n), y: make([]float64, m)},
		cert:   make([]float64, max(n, m)),
		work:   make([]float64, 2*n+2*m),
		staleP: true, staleMatrix: true, stale: true,
	}
	s.scale.Groups = lay.groups()
	if c := s.w.cone; c != nil {
		s.w.tol = set.Tol
		s.w.embed(newEmbedding(n, len(lay.rows), len(c.s)))
	}
	return s, s.checkConvex()
}

var errClosed = errors.New("ipm: the solver is closed")

// Update overwrites values of the problem.
func (s *solver) Update(u qpbackend.Update) error {
	if s.closed {
		return errClosed
	}
	s.lay.fresh = s.lay.fresh && u.A == nil
	if err := s.p.Apply(u); err != nil {
		return err
	}
	s.staleP = s.staleP || u.P != nil
	s.staleMatrix = s.staleMatrix || u.P != nil || u.A != nil
	s.stale = s.stale || s.staleMatrix || u.Q != nil || u.L != nil || u.U != nil
	return nil
}

// WarmStart takes a point for the next Solve. Both x and y are needed, else it
// is ignored, as is one that is far from optimal on the values of that Solve.
func (s *solver) WarmStart(x, y []float64) error {
	n, m := s.p.Dims()
	switch {
	case s.closed:
		return errClosed
	case x != nil && len(x) != n:
		return fmt.Errorf("ipm: warm start x has length %d, want %d", len(x), n)
	case y != nil && len(y) != m:
		return fmt.Errorf("ipm: warm start y has length %d, want %d", len(y), m)
	}
	s.warm.x, s.warm.y = append(s.warm.x[:0], x...), append(s.warm.y[:0], y...)
	s.warm.given = len(x) == n && len(y) == m
	return nil
}

// KKT is the way in which the linear systems are solved.
func (s *solver) KKT() KKT { return s.w.sys.Strategy() }

// Close makes the solver refuse all further calls.
func (s *solver) Close() error {
	s.closed = true
	return nil
}

// Solve runs the method on the present values.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if s.closed {
		return errClosed
	}
	if err := s.checkConvex(); err != nil {
		return err
	}
	warm := s.warm.given
	s.warm.given = false
	s.reset()
	if !s.load() {
		s.infeasible(dst, 0)
		dst.Message = "bounds of one variable, or a row without coefficients, contradict each other"
		return nil
	}
	iter, v := s.main(ctx, warm)
	return s.finish(ctx, dst, iter, v)
}

// main runs from the proposal, if there is one, and else or if that does not
// converge from a point of its own.
func (s *solver) main(ctx context.Context, warm bool) (iter int, v verdict) {
	w := s.w
	if warm {
		s.propose()
		w.sys.Load(w.θ, w.off)
		if w.startFrom() {
			s.progress.warm = true
			iter, v = w.iterate(ctx, s, s.set.MaxIter)
			if v != hopeless && v != broken {
				return iter, v
			}
		}
	}
	s.progress = progress{before: iter}
	k, v := w.run(ctx, s, s.set.MaxIter-iter)
	if v == broken {
		s.certify(w) // the last iterate may have gone uncertified
		if s.best.res.Max() <= s.set.Tol {
			s.progress.status, v = qpbackend.Solved, done
		}
	}
	return iter + k, v
}

// reset forgets the solve before.
func (s *solver) reset() {
	s.progress = progress{}
	clear(s.best.x)
	clear(s.best.y)
	inf := math.Inf(1)
	s.best.res = qpbackend.Residuals{Primal: inf, Dual: inf, Gap: inf}
}

// checkConvex refuses a P that Update has made nonconvex.
func (s *solver) checkConvex() error {
	if !s.staleP {
		return nil
	}
	slightly, err := s.convex.check(s.p.P)
	if err != nil {
		return err
	}
	s.staleP = false
	s.w.reg.least = 0
	if slightly {
		s.w.reg.least = slightlyNonconvexρ
	}
	return nil
}

// load brings the scaled problem up to date. What it leaves depends on the
// values alone, not on those before. It reports whether the bounds of each
// variable are consistent; if not, s.cert proves that they are not.
func (s *solver) load() bool {
	w, sc := s.w, s.scale
	if s.staleMatrix {
		s.lay.load(s.p.A)
		sc.Ruiz(s.p.P, w.at, equilPasses)
		sc.Rows(w.at)
	}
	if s.stale {
		if !s.lay.bind(s.p, s.set.Tol/10, s.cert[:len(s.p.L)]) {
			return false
		}
		for j, d := range sc.D {
			w.lo[j], w.up[j] = s.lay.lo[j]/d, s.lay.up[j]/d
		}
		for t, i := range s.lay.rows {
			lo, up := rowBounds(s.p, i)
			if s.lay.conic[t] {
				up = math.Inf(1)
			}
			w.lo[w.n+t], w.up[w.n+t] = lo*sc.E[t], up*sc.E[t]
		}
		sc.Size(w.lo, w.up)
		for i := range w.lo {
			w.lo[i] /= sc.B
			w.up[i] /= sc.B
		}
		copy(w.p.Val, s.p.P.Val)
		copy(w.q, s.p.Q)
		sc.Apply(w.p, w.q)
		w.classify()
		if w.hom != nil {
			w.loadEmbedding()
		}
	}
	s.stale, s.staleMatrix = false, false
	return true
}

const equilPasses = 10
