package ipm

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/implicitdiff"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/ipm/internal/interior"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Backend is the interior point method. The zero value is ready for use.
//
// A result is AlmostSolved where no further progress is possible and the largest residual is at
// most min(√Settings.Tol, 1e-5). A warm start needs both x and y, else it is ignored, as is one
// that is far from optimal on the values of that Solve. Where the problem looks infeasible, its
// homogeneous embedding is solved; those iterations count.
type Backend struct {
	KKT KKT // how the linear systems are solved
}

// KKT is a way to solve the linear systems of the method. The choice changes
// times, and results by rounding. A solver has a method KKT() KKT that says
// which way it goes, Sparse or Arrowhead.
type KKT = kkt.Strategy

// The ways.
const (
	// Auto takes the one with fewer operations, by the pattern of P and A. It alone takes
	// semidefinite cones to pieces, or restricts them to faces.
	Auto = kkt.Auto
	// Sparse factors the matrix as a whole.
	Sparse = kkt.Sparse
	// Arrowhead is for tall problems: few variables that are in many rows, such
	// as the parameters of a regression, and any number of variables and rows
	// that hang together by those alone. The systems are reduced to the Schur
	// complement of the few, a dense matrix. Where there is no such structure, or a
	// semidefinite cone of order 3 or more, it is Sparse.
	Arrowhead = kkt.Arrowhead
	// Schur is for semidefinite cones: their rows are eliminated, which leaves the Schur
	// complement of the variables in them, formed from the data matrices by their sparsity.
	// Auto does that for the cones where it takes fewer operations.
	Schur = kkt.Schur
)

// Name is "ipm".
func (Backend) Name() string { return "ipm" }

// Supports is true for all kinds of cones.
func (Backend) Supports(k qpbackend.ConeKind) bool { return k <= qpbackend.Semidefinite }

// DefaultSettings are a tolerance of 1e-8 and 200 iterations.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-8, InfeasTol: 1e-8, MaxIter: 200}
}

// solver is a problem with all that is kept between solves.
type solver struct {
	base.Solver
	lay    *layout
	p      *sparse.CSC // P, scaled, with its pattern
	sys    *kkt.System
	scale  *equil.Scaling
	blocks []kkt.Block // of the cones, as they were when w was made
	w      *interior.Work
	aux    *interior.Work // of the embedding, for a plain one in doubt; made when first needed

	stale struct{ matrix, any bool } // P or A, anything has changed since the values were last loaded

	how     KKT                                               // as asked for
	confirm func(ctx context.Context, x, y, z []float64) bool // see Confirm; nil: always

	status qpbackend.Status         // of the last Solve; Unknown once values have changed
	deriv  *implicitdiff.Derivative // made when first asked for

	best     base.Point
	cand     base.Point // the present iterate, unscaled
	cert     base.Point // a proof: y and z, or the direction x
	work     []float64
	rowSizes []float64 // of the values loaded, for Certify
	colNorms []float64 // the largest entry of each column of A, scaled
	progress progress
}

func newSolver(ctx context.Context, own base.Solver, how KKT) (*solver, error) {
	p := own.P
	n, m := p.Dims()
	s := &solver{
		Solver: own, how: how,
		best:     base.NewPoint(n, m),
		cand:     base.NewPoint(n, m),
		cert:     base.NewPoint(n, m),
		work:     make([]float64, qpbackend.CertifyLen(p)),
		rowSizes: make([]float64, m),
		colNorms: make([]float64, n),
	}
	if err := s.arrange(ctx); err != nil {
		return nil, err
	}
	return s, s.checkConvex(ctx)
}

// arrange lays the problem out by its present values and makes all that depends on that.
func (s *solver) arrange(ctx context.Context) error {
	s.lay = newLayout(s.P)
	s.scale = equil.New(s.lay.at.Rows, s.lay.at.Cols, s.work)
	s.scale.Groups = s.lay.groups()
	s.aux = nil
	return s.build(ctx, s.lay.blocks(s.P))
}

// build makes the linear system with the blocks, and the room to work in.
func (s *solver) build(ctx context.Context, blocks []kkt.Block) error {
	p := &sparse.CSC{Rows: s.P.P.Rows, Cols: s.P.P.Cols, ColPtr: s.P.P.ColPtr, RowIdx: s.P.P.RowIdx,
		Val: make([]float64, s.P.P.NNZ())}
	sys, err := kkt.New(ctx, p, s.lay.at, blocks, s.how, nil)
	if err != nil {
		return fmt.Errorf("ipm: %w", err)
	}
	s.p, s.sys, s.blocks = p, sys, blocks
	s.w = interior.New(p, s.lay.at, sys, s.lay.cones, s.Set.Tol)
	s.stale.matrix, s.stale.any = true, true
	return nil
}

// adapt builds anew where bounds or coefficients that have come or gone change which cones are
// matrix variables, or which rows are bounds.
func (s *solver) adapt(ctx context.Context) error {
	if !s.stale.any {
		return nil
	}
	if !s.lay.hold(s.P) {
		return s.arrange(ctx)
	}
	for k, b := range s.blocks {
		if b.Order == 0 {
			continue
		}
		if own := matrixVariable(s.P, s.lay.at, s.lay.cones[k]); (own == nil) != (b.Own == nil) {
			return s.build(ctx, s.lay.blocks(s.P))
		}
	}
	return nil
}

// Confirm lets a point within tolerance be a solution only where holds returns true; nil: always.
func (s *solver) Confirm(holds func(ctx context.Context, x, y, z []float64) bool) error {
	s.confirm = holds
	return nil
}

// Update overwrites values of the problem.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.Apply(u); err != nil {
		return err
	}
	s.status = qpbackend.Unknown
	s.stale.matrix = s.stale.matrix || u.P != nil || u.A != nil
	s.stale.any = s.stale.any || s.stale.matrix || u.Q != nil || u.Lo != nil || u.Hi != nil || u.L != nil || u.U != nil
	return nil
}

// KKT is the way in which the linear systems are solved.
func (s *solver) KKT() KKT { return s.sys.Strategy() }

// Solve runs the method on the present values.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	start := s.TakeStart()
	s.reset()
	s.status = qpbackend.Unknown
	if err := s.ready(ctx); err != nil {
		if ctx.Err() != nil {
			return s.finish(ctx, dst, 0, interior.OutOfTime)
		}
		return err
	}
	iter, v := s.main(ctx, start)
	return s.finish(ctx, dst, iter, v)
}

// ready brings all up to date with the present values.
func (s *solver) ready(ctx context.Context) error {
	if err := s.adapt(ctx); err != nil {
		return err
	}
	if err := s.checkConvex(ctx); err != nil {
		return err
	}
	s.w.Within(ctx)
	s.load()
	return nil
}

// Differentiate implements qpbackend.Differentiator.
func (s *solver) Differentiate(ctx context.Context) (qpbackend.Derivative, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := base.Differentiable("ipm", s.status); err != nil {
		return nil, err
	}
	return s.linearise(ctx, s.best.X, s.best.Y, s.best.Z)
}

// DifferentiateAt implements qpbackend.Differentiator.
func (s *solver) DifferentiateAt(ctx context.Context, x, y, z []float64) (qpbackend.Derivative, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := s.P.CheckStart(x, y, z); err != nil {
		return nil, err
	}
	if n, m := s.P.Dims(); len(x) != n || len(y) != m || len(z) != n {
		return nil, fmt.Errorf("ipm: a solution has x, y and z, of %d, %d and %d entries", n, m, n)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	return s.linearise(ctx, x, y, z)
}

func (s *solver) linearise(ctx context.Context, x, y, z []float64) (qpbackend.Derivative, error) {
	if s.deriv == nil {
		d, err := implicitdiff.New(ctx, s.P, s.how, s.sys)
		if err != nil {
			return nil, fmt.Errorf("ipm: %w", err)
		}
		s.deriv = d
	}
	if err := s.deriv.Linearise(ctx, x, y, z, s.lay.stated(s.P, s.scale)); err != nil {
		return nil, fmt.Errorf("ipm: %w", err)
	}
	return s.deriv, nil
}

// main runs from the warm start, if there is one: by its sides first, then through the
// interior. Else, or if that does not converge, it runs from a point of its own.
func (s *solver) main(ctx context.Context, start base.Start) (iter int, v interior.Verdict) {
	w := s.w
	// Without both x and y a warm start is of no use.
	n, m := s.P.Dims()
	if start.Given() && (start.X != nil || n == 0) && (start.Y != nil || m == 0) {
		s.propose(start)
		if iter, v = w.Pivot(ctx, s.Set.Tol, s.Set.MaxIter, func() bool {
			return s.solved(ctx)
		}); v != interior.GivenUp {
			return iter, v
		}
		if iter > 0 { // the sets have moved the point
			s.progress.before = iter
			s.propose(start)
		}
		if w.StartFrom() {
			s.progress.warm = true
			k, v := w.Iterate(ctx, s, s.Set.MaxIter)
			if iter += k; v != interior.GivenUp && v != interior.Broken {
				return iter, v
			}
		}
	}
	s.progress = noneYet(iter, s.progress.aux)
	k, v := w.Run(ctx, s, s.Set.MaxIter-iter)
	if v == interior.Broken {
		if s.solved(ctx) { // the last iterate may have gone unseen
			v = interior.Done
		} else if _, proved := s.proofs(w, false); proved != interior.GoOn {
			v = proved
		}
	}
	return iter + k, v
}

// solved certifies the present point and reports whether the best one is a solution.
func (s *solver) solved(ctx context.Context) bool {
	s.certify(ctx, s.w)
	if s.best.Res.Max() > s.Set.Tol {
		return false
	}
	s.progress.status = qpbackend.Solved
	return true
}

// reset forgets the solve before.
func (s *solver) reset() {
	s.progress = noneYet(0, 0)
	s.best.Set(nil, nil, nil)
	inf := math.Inf(1)
	s.best.Res = qpbackend.Residuals{Primal: inf, Dual: inf, Gap: inf}
}

// checkConvex refuses a P that Update has made nonconvex.
func (s *solver) checkConvex(ctx context.Context) error {
	least, err := s.Outweigh(ctx)
	if err == nil {
		s.w.Outweigh(least)
	}
	return err
}

// load brings the scaled problem up to date. The result depends on the
// values alone, not on those before.
func (s *solver) load() {
	sc, at := s.scale, s.lay.at
	if s.stale.matrix {
		s.lay.load(s.P.A)
		sc.Ruiz(s.P.P, at, equilPasses)
		sc.Rows(at)
		clear(s.colNorms)
		for k, j := range at.RowIdx {
			s.colNorms[j] = max(s.colNorms[j], math.Abs(at.Val[k]))
		}
		s.Set.RowSizes(s.P, s.rowSizes)
	}
	if s.stale.any {
		lows, ups := s.w.Bounds()
		n := len(sc.D)
		for j, d := range sc.D {
			lo, up := s.lay.variable(s.P, j)
			lows[j], ups[j] = lo/d, up/d
		}
		for i, e := range sc.E {
			lo, up := s.P.Sides(s.lay.row(i))
			if s.lay.conic[i] {
				up = math.Inf(1)
			}
			lows[n+i], ups[n+i] = lo*e, up*e
		}
		sc.Size(lows, ups)
		for i := range lows {
			lows[i] /= sc.B
			ups[i] /= sc.B
		}
		q := s.w.Costs()
		copy(s.p.Val, s.P.P.Val)
		copy(q, s.P.Q)
		sc.Apply(s.p, q)
		s.w.Loaded()
	}
	s.stale.any, s.stale.matrix = false, false
}

// Source: OSQP's default, 10; docs/lab/bench.md, Constants of ipm.
const equilPasses = 10

// propose brings the warm start into the scaled problem.
func (s *solver) propose(start base.Start) {
	sc := s.scale
	x, y := s.w.Proposal()
	clear(y[:len(x)])
	copy(y, start.Z)
	s.lay.takeOver(s.P, start.Y, y)
	for j, d := range sc.D {
		x[j] = start.X[j] / (sc.B * d)
		y[j] = y[j] * sc.C * d
	}
	for i, e := range sc.E {
		y[len(x)+i] = start.Y[s.lay.row(i)] * sc.C / e
	}
}
