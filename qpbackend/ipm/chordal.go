//go:build !lean

package ipm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/internal/chordal"
	"github.com/dcopt/dcopt/qpbackend/internal/facial"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// leastInPieces is the order of a semidefinite cone from which pieces are thought of.
// Source: a limit of time: below it an iteration takes less than a tenth of a millisecond as it is.
const leastInPieces = 30

func large(c qpbackend.Cone) bool {
	return c.Kind == qpbackend.Semidefinite && c.Len >= leastInPieces*(leastInPieces+1)/2
}

// trees are those of the semidefinite cones of p that cost less in pieces, by the pattern of p: cost is that of all their pieces.
// There is no list where no cone has one. p must have a matrix A.
func trees(ctx context.Context, p *qpbackend.Problem, pattern chordal.Pattern) (list []chordal.Part, cost kkt.Cost, err error) {
	lay := newLayout(p)
	blocks := lay.blocks(p)
	price := func(order, outer int, border float64) float64 { return kkt.PieceCost(order, outer, border).Work }
	for k, c := range p.Cones {
		if !large(c) {
			continue
		}
		least, border, chosen := kkt.CostOf(lay.at, blocks[k:k+1]).Work, 0.0, chordal.Part{}
		for _, o := range [...]chordal.Part{{}, {Completion: true}} {
			in := pattern.Sum
			if o.Completion {
				in = pattern.Completion
			}
			if !slices.Contains(in[c.Start:][:c.Len], false) {
				continue
			}
			if o.Tree, err = chordal.TreeOf(ctx, in, c, price); err != nil {
				return nil, cost, fmt.Errorf("ipm: %w", err)
			}
			if o.Tree.Cost(price, 0) >= least {
				continue
			}
			spread := float64(o.Spread(p, c))
			if now := o.Tree.Cost(price, spread); now < least {
				least, border, chosen = now, spread, o
			}
		}
		if chosen.Tree == nil {
			continue
		}
		if list == nil {
			list = make([]chordal.Part, len(p.Cones))
		}
		list[k] = chosen
		for _, q := range chosen.Tree.Cliques {
			one := kkt.PieceCost(len(q.Vertices), q.Outer, border)
			cost.Bytes, cost.Work = cost.Bytes+one.Bytes, cost.Work+one.Work
		}
	}
	return list, cost, nil
}

// rewriting is a problem that stands for the one as stated, and the way back, see packages chordal and facial.
type rewriting interface {
	Primal(ctx context.Context, dst, x []float64, p *qpbackend.Problem, ray bool) []float64
	Multipliers(ctx context.Context, dst, y []float64) []float64
	Bounds(dst, z []float64) []float64
	Stated(variable int) int
}

// split is the solver of a problem with semidefinite cones that are in pieces, or restricted to faces.
type split struct {
	base.Solver
	backend Backend
	pattern chordal.Pattern // that sub was made for, unless for faces
	pieces  *chordal.Split  // nil: there are none, on the present values
	faces   *facial.Reduction
	faced   bool // there may be faces
	watch   func(x []float64, res qpbackend.Residuals) bool
	parts   rewriting        // the pieces or faces; nil: on the present values nothing is to be gained
	sub     *solver          // of these, or of P
	whole   *solver          // of P, where sub's answer did not hold, and for derivatives; nil until then
	news    qpbackend.Update // values that sub has not got yet
	res     qpbackend.Result // of sub
	last    qpbackend.Result // of the last Solve

	sure    bool                // the point that follows is that of the result of sub, and good
	x, y, z []float64           // as stated
	at      qpbackend.Residuals // of it
}

// newSplit is the solver for own where cones of it are in pieces, or may be after an Update; else nil.
func newSplit(ctx context.Context, own base.Solver, b Backend) (*split, error) {
	if b.KKT != Auto || !slices.ContainsFunc(own.P.Cones, func(c qpbackend.Cone) bool { return c.Kind == qpbackend.Semidefinite }) {
		return nil, nil
	}
	s := &split{Solver: own, backend: b, faced: facial.Possible(own.P)}
	if done, err := s.face(ctx); done || err != nil {
		return s, err
	}
	if !slices.ContainsFunc(own.P.Cones, large) && !s.faced {
		return nil, nil
	}
	pattern := chordal.PatternOf(own.P)
	list, _, err := trees(ctx, own.P, pattern)
	if list == nil && err == nil && !s.faced { // constants, costs and bounds may go, coefficients stay
		bare := *own.P
		bare.L, bare.Q, bare.Lo, bare.Hi = make([]float64, len(own.P.L)), make([]float64, len(own.P.Q)), nil, nil
		least, later := chordal.PatternOf(&bare), list
		if !least.Equal(pattern) {
			later, _, err = trees(ctx, own.P, least)
		}
		if later == nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	return s, s.build(ctx, pattern, list)
}

// face makes sub for the faces that the present values allow, or reports that there are none.
func (s *split) face(ctx context.Context) (done bool, err error) {
	if !s.faced {
		return false, nil
	}
	faces := facial.New(s.P, s.Set.Tol)
	switch {
	case faces == nil:
		return false, nil
	case s.faces != nil && s.faces.Alike(faces):
		p := faces.Problem
		err, s.news = s.sub.Update(qpbackend.Update{P: p.P.Val, Q: p.Q, Lo: p.Lo, Hi: p.Hi, A: p.A.Val, L: p.L, U: p.U}), qpbackend.Update{}
	default:
		err = s.make(ctx, faces.Problem, faces)
	}
	s.faces, s.parts = faces, faces
	return true, err
}

// build makes sub for the pattern and the trees.
func (s *split) build(ctx context.Context, pattern chordal.Pattern, list []chordal.Part) error {
	s.pattern = pattern
	if list == nil {
		return s.make(ctx, s.P, nil)
	}
	pieces := chordal.New(s.P, list)
	if err := s.make(ctx, pieces.Problem, pieces); err != nil {
		return err
	}
	s.pieces = pieces
	return nil
}

// make makes sub for p, which is P rewritten.
func (s *split) make(ctx context.Context, p *qpbackend.Problem, parts rewriting) error {
	sub, err := s.solverOf(ctx, p)
	if err != nil {
		return asStated(err, parts)
	}
	s.pieces, s.faces, s.parts, s.sub, s.news = nil, nil, parts, sub, qpbackend.Update{}
	if parts != nil {
		sub.confirm = s.confirm
	} else {
		sub.Watch(s.watch)
	}
	return nil
}

// asStated names a variable of the problem as stated where err names one of that in its place.
func asStated(err error, parts rewriting) error {
	var nonconvex *qpbackend.NonconvexError
	if parts != nil && errors.As(err, &nonconvex) {
		nonconvex.Index = parts.Stated(nonconvex.Index)
	}
	return err
}

func (s *split) solverOf(ctx context.Context, p *qpbackend.Problem) (*solver, error) {
	own, err := base.New(ctx, s.backend, p, s.Set)
	if err != nil {
		return nil, err
	}
	return newSolver(ctx, own, s.backend.KKT)
}

// Update overwrites values of the problem.
func (s *split) Update(u qpbackend.Update) error {
	if err := s.Apply(u); err != nil {
		return err
	}
	s.last.Status, s.whole = qpbackend.Unknown, nil
	for _, v := range [...]struct {
		to     *[]float64
		given  bool
		values []float64
	}{
		{&s.news.Q, u.Q != nil, s.P.Q}, {&s.news.Lo, u.Lo != nil, s.P.Lo}, {&s.news.Hi, u.Hi != nil, s.P.Hi},
		{&s.news.L, u.L != nil || u.U != nil, s.P.L}, {&s.news.U, u.L != nil || u.U != nil, s.P.U},
		{&s.news.P, u.P != nil, s.P.P.Val}, {&s.news.A, u.A != nil, s.P.A.Val},
	} {
		if v.given {
			*v.to = v.values
		}
	}
	return nil
}

// ready brings sub up to date.
func (s *split) ready(ctx context.Context) error {
	had := s.faces != nil
	if s.changed() {
		if done, err := s.face(ctx); done || err != nil {
			return err
		}
	}
	if s.news.L != nil || s.news.Q != nil || s.news.A != nil || s.news.Lo != nil || s.news.Hi != nil || had && s.changed() {
		if pattern := chordal.PatternOf(s.P); had || !pattern.Equal(s.pattern) {
			list, _, err := trees(ctx, s.P, pattern)
			if err != nil {
				return err
			}
			return s.build(ctx, pattern, list)
		}
	}
	news := s.news
	if s.pieces != nil {
		news = s.pieces.Values(news)
	}
	s.news = qpbackend.Update{}
	return s.sub.Update(news)
}

// changed reports whether sub lacks values.
func (s *split) changed() bool {
	u := s.news
	return u.P != nil || u.Q != nil || u.Lo != nil || u.Hi != nil || u.A != nil || u.L != nil
}

// KKT is the way in which the linear systems are solved.
func (s *split) KKT() KKT { return s.sub.KKT() }

// Watch is that of solver where it is the problem as stated that is solved.
func (s *split) Watch(enough func(x []float64, res qpbackend.Residuals) bool) {
	if s.watch = enough; s.parts == nil {
		s.sub.Watch(enough)
	}
}

// Solve solves the problem of the pieces or faces and puts its solution together. A warm start is passed on but to pieces.
func (s *split) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	x, y, z := s.Start.Parts()
	s.Start.Forget()
	s.last.Status = qpbackend.Unknown
	if err := s.ready(ctx); err != nil {
		return s.early(ctx, dst, err)
	}
	err := s.run(ctx, dst, x, y, z)
	s.last.Status = dst.Status
	s.last.X, s.last.Y, s.last.Z = append(s.last.X[:0], dst.X...), append(s.last.Y[:0], dst.Y...), append(s.last.Z[:0], dst.Z...)
	return err
}

func (s *split) run(ctx context.Context, dst *qpbackend.Result, x, y, z []float64) error {
	if s.parts == nil {
		if err := s.sub.WarmStart(x, y, z); err != nil {
			return err
		}
		return s.sub.Solve(ctx, dst)
	}
	s.sure = false
	if s.faces != nil {
		if err := s.sub.WarmStart(s.faces.Start(x, y, z)); err != nil {
			return err
		}
	}
	if err := s.sub.Solve(ctx, &s.res); err != nil && ctx.Err() == nil {
		return asStated(err, s.parts)
	}
	if s.restore(ctx, dst) || ctx.Err() != nil {
		return ctx.Err()
	}
	iterations, work := s.res.Iterations, s.res.Work
	if err := s.needWhole(ctx); err != nil {
		return s.early(ctx, dst, err)
	}
	err := s.whole.Solve(ctx, dst)
	dst.Iterations, dst.Work = dst.Iterations+iterations, dst.Work+work
	return err
}

func (s *split) needWhole(ctx context.Context) (err error) {
	if s.whole == nil {
		s.whole, err = s.solverOf(ctx, s.P)
	}
	return err
}

// early is the end of a solve without a point: where ctx has ended, dst is the origin.
func (s *split) early(ctx context.Context, dst *qpbackend.Result, err error) error {
	if ctx.Err() == nil {
		return err
	}
	n, m := s.P.Dims()
	*dst = qpbackend.Result{Status: qpbackend.Interrupted(ctx.Err()), X: make([]float64, n), Y: make([]float64, m), Z: make([]float64, n)}
	s.measure(ctx, dst)
	return ctx.Err()
}

func (s *split) measure(ctx context.Context, dst *qpbackend.Result) {
	dst.Objective = s.P.Objective(dst.X)
	dst.Res = s.Set.Certify(ctx, s.P, nil, dst.X, dst.Y, dst.Z, make([]float64, qpbackend.CertifyLen(s.P)))
}

// confirm reports whether the best point of sub is a solution of the problem as stated.
func (s *split) confirm(ctx context.Context) bool {
	best := s.sub.best
	s.x, s.z = s.parts.Primal(ctx, s.x[:0], best.x, s.P, false), s.parts.Bounds(s.z[:0], best.z)
	s.y = s.parts.Multipliers(ctx, s.y[:0], best.y)
	s.at = s.Set.Certify(ctx, s.P, nil, s.x, s.y, s.z, make([]float64, qpbackend.CertifyLen(s.P)))
	s.sure = s.at.Max() <= s.Set.Tol
	return s.sure
}

// restore fills dst from the result of the pieces and reports whether it holds.
func (s *split) restore(ctx context.Context, dst *qpbackend.Result) bool {
	x, y, z := dst.X[:0], dst.Y[:0], dst.Z[:0]
	*dst = s.res
	if s.sure {
		dst.X, dst.Y, dst.Z = append(x, s.x...), append(y, s.y...), append(z, s.z...)
		dst.Res, dst.Objective = s.at, s.P.Objective(dst.X)
		return true
	}
	dst.X = s.parts.Primal(ctx, x, s.res.X, s.P, s.res.Status == qpbackend.DualInfeasible)
	dst.Y, dst.Z = s.parts.Multipliers(ctx, y, s.res.Y), s.parts.Bounds(z, s.res.Z)
	switch s.res.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.P, dst.Y, dst.Z) <= s.Set.InfeasTol
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.P, dst.X) <= s.Set.InfeasTol
	}
	s.measure(ctx, dst)
	switch s.res.Status {
	case qpbackend.NumericalTrouble:
		return false
	case qpbackend.Solved, qpbackend.AlmostSolved:
		worst := dst.Res.Max()
		if dst.Status, dst.Message = qpbackend.Solved, ""; worst > s.Set.Tol {
			dst.Status, dst.Message = qpbackend.AlmostSolved, noProgress
		}
		return worst <= s.sub.loose()
	}
	return true
}

// Differentiate is that of qpbackend.Differentiator.
func (s *split) Differentiate(ctx context.Context) (qpbackend.Derivative, error) {
	if s.parts == nil {
		return s.sub.Differentiate(ctx)
	}
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := differentiable(s.last.Status); err != nil {
		return nil, err
	}
	return s.DifferentiateAt(ctx, s.last.X, s.last.Y, s.last.Z)
}

// DifferentiateAt is that of qpbackend.Differentiator.
func (s *split) DifferentiateAt(ctx context.Context, x, y, z []float64) (qpbackend.Derivative, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := s.needWhole(ctx); err != nil {
		return nil, err
	}
	return s.whole.DifferentiateAt(ctx, x, y, z)
}

// Close frees the solvers.
func (s *split) Close() error {
	s.sub.Close()
	if s.whole != nil {
		s.whole.Close()
	}
	return s.Solver.Close()
}

// semidefinite is the estimate of Semidefinite for a p with rows.
func semidefinite(p *qpbackend.Problem) kkt.Cost {
	list, cost, _ := trees(context.Background(), p, chordal.PatternOf(p))
	lay := newLayout(p)
	blocks := lay.blocks(p)
	if list == nil {
		return kkt.CostOf(lay.at, blocks)
	}
	var others []kkt.Block
	for k, b := range blocks {
		if list[k].Tree == nil {
			others = append(others, b)
		} else {
			n := float64(b.Order) // the completion, and its certificate
			cost.Bytes += 8 * n * n * completed
		}
	}
	rest := kkt.CostOf(lay.at, others)
	return kkt.Cost{Bytes: cost.Bytes + rest.Bytes, Work: cost.Work + rest.Work}
}

// completed are the matrices of the order of a cone in pieces that are held at once at the end, with the problem's own rows.
// Source: derived: the completion and three of the projection, and half a matrix for each of 14 vectors of rows.
const completed = 11
