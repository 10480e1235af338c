package ipm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Backend is the interior point method. The zero value is ready for use.
//
// A result is AlmostSolved where no further progress is possible and the
// largest residual is at most min(√Settings.Tol, 1e-5). Where the problem looks
// infeasible, its homogeneous embedding is solved; those iterations count.
type Backend struct {
	KKT KKT // how the linear systems are solved
}

// KKT is a way to solve the linear systems of the method. The choice changes
// times, and results by rounding. A solver has a method KKT() KKT that says
// which way it goes, Sparse or Arrowhead.
type KKT = kkt.Strategy

// The ways.
const (
	// Auto takes the one with fewer operations, by the pattern of P and A.
	Auto = kkt.Auto
	// Sparse factors the matrix as a whole.
	Sparse = kkt.Sparse
	// Arrowhead is for tall problems: few variables that are in many rows, such
	// as the parameters of a regression, and any number of variables and rows
	// that hang together by those alone. The systems are reduced to the Schur
	// complement of the few, a dense matrix. Where there is no such structure, or a
	// semidefinite cone of order 3 or more, it is Sparse.
	Arrowhead = kkt.Arrowhead
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
	p, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(ctx, p, set, b.KKT)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// solver is a problem with all that is kept between solves.
type solver struct {
	set    qpbackend.Settings
	p      *qpbackend.Problem // as stated, by qpbackend.Prepare
	lay    *layout
	scale  *equil.Scaling
	convex *qpbackend.Convexity
	w      *work
	aux    *work // of the embedding, for a plain one in doubt; made when first needed
	closed bool

	// Changes by Update since the values were last loaded.
	staleP, staleMatrix, stale bool // P; P or A; anything

	best     point
	cand     point // the present iterate, unscaled
	cert     point // a proof: y and z, or the direction x
	work     []float64
	progress progress
	warm     proposal
}

// point is an unscaled primal-dual pair.
type point struct {
	x, y, z []float64
	res     qpbackend.Residuals
}

func newPoint(n, m int) point {
	return point{x: make([]float64, n), y: make([]float64, m), z: make([]float64, n)}
}

func newSolver(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings, how KKT) (*solver, error) {
	n, m := p.Dims()
	lay := newLayout(p.A, p.Cones)
	sp := p.P.Clone()
	blocks, err := lay.blocks()
	if err != nil {
		return nil, err
	}
	sys, err := kkt.NewBlocks(ctx, sp, lay.at, blocks, how)
	if err != nil {
		return nil, fmt.Errorf("ipm: %w", err)
	}
	convex, err := qpbackend.NewConvexity(ctx, p.P)
	if err != nil {
		return nil, fmt.Errorf("ipm: %w", err)
	}
	var step method = plain{}
	if len(lay.cones) > 0 {
		step = newEmbedding(n, m, sys.Size(), set.Tol)
	}
	s := &solver{
		set: set, p: p, lay: lay, convex: convex,
		scale:  equil.New(n, m),
		w:      newWork(sp, lay.at, sys, lay.cones, step),
		best:   newPoint(n, m),
		cand:   newPoint(n, m),
		cert:   newPoint(n, m),
		work:   make([]float64, qpbackend.CertifyLen(p)),
		staleP: true, staleMatrix: true, stale: true,
	}
	s.scale.Groups = lay.groups()
	return s, s.checkConvex(ctx)
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
	s.stale = s.stale || s.staleMatrix || u.Q != nil || u.Lo != nil || u.Hi != nil || u.L != nil || u.U != nil
	return nil
}

// WarmStart takes a point for the next Solve. Both x and y are needed, else it
// is ignored, as is one that is far from optimal on the values of that Solve.
func (s *solver) WarmStart(x, y, z []float64) error {
	if s.closed {
		return errClosed
	}
	if err := s.p.CheckStart(x, y, z); err != nil {
		return err
	}
	n, m := s.p.Dims()
	s.warm.x, s.warm.y, s.warm.z = append(s.warm.x[:0], x...), append(s.warm.y[:0], y...), append(s.warm.z[:0], z...)
	for len(s.warm.z) < n {
		s.warm.z = append(s.warm.z, 0)
	}
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
	warm := s.warm.given
	s.warm.given = false
	s.reset()
	if err := s.checkConvex(ctx); err != nil {
		if ctx.Err() != nil {
			return s.finish(ctx, dst, 0, outOfTime)
		}
		return err
	}
	s.load()
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
			if v != givenUp && v != broken {
				return iter, v
			}
		}
	}
	s.progress = progress{before: iter}
	k, v := w.run(ctx, s, s.set.MaxIter-iter)
	if v == broken {
		s.certify(w) // the last iterate may have gone unseen
		if s.best.res.Max() <= s.set.Tol {
			s.progress.status, v = qpbackend.Solved, done
		} else if _, proved := s.proofs(w); proved != goOn {
			v = proved
		}
	}
	return iter + k, v
}

// reset forgets the solve before.
func (s *solver) reset() {
	s.progress = progress{}
	clear(s.best.x)
	clear(s.best.y)
	clear(s.best.z)
	inf := math.Inf(1)
	s.best.res = qpbackend.Residuals{Primal: inf, Dual: inf, Gap: inf}
}

// checkConvex refuses a P that Update has made nonconvex.
func (s *solver) checkConvex(ctx context.Context) error {
	if !s.staleP {
		return nil
	}
	exact, err := s.convex.Check(ctx, s.p.P)
	if err != nil {
		return err
	}
	s.staleP = false
	s.w.reg.least = 0
	if !exact {
		s.w.reg.least = qpbackend.Outweigh
	}
	return nil
}

// load brings the scaled problem up to date. The result depends on the
// values alone, not on those before.
func (s *solver) load() {
	w, sc := s.w, s.scale
	if s.staleMatrix {
		s.lay.load(s.p.A)
		sc.Ruiz(s.p.P, w.at, equilPasses)
		sc.Rows(w.at)
	}
	if s.stale {
		for j, d := range sc.D {
			lo, up := s.p.Bounds(j)
			w.lo[j], w.up[j] = lo/d, up/d
		}
		for i, e := range sc.E {
			lo, up := s.p.Sides(i)
			if s.lay.conic[i] {
				up = math.Inf(1)
			}
			w.lo[w.n+i], w.up[w.n+i] = lo*e, up*e
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
		w.method.load(w)
	}
	s.stale, s.staleMatrix = false, false
}

// Source: OSQP's default, 10; docs/bench.md, Constants of ipm.
const equilPasses = 10

// propose brings the proposal into the scaled problem.
func (s *solver) propose() {
	w, sc := s.w, s.scale
	for j, d := range sc.D {
		w.x[j] = s.warm.x[j] / (sc.B * d)
		w.y[j] = s.warm.z[j] * sc.C * d
	}
	for i, e := range sc.E {
		w.y[w.n+i] = s.warm.y[i] * sc.C / e
	}
}
