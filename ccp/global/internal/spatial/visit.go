package spatial

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/qpbackend"
)

// visit is the outcome of a node.
type visit struct {
	box     []factorable.Interval // tightened, packed
	bound   float64
	trusted bool // the bound is the backend's word
	dual    *factorable.Dual
	x       []float64
	col     int // to split, −1: none
	at      float64
	empty   bool
	cuts    []factorable.Cut // that hold with equality
	lost    float64          // the least bound of the parts that were cut off
	err     error
}

// visitAll solves nodes side by side.
func (s *Search) visitAll(ctx context.Context, now []node) []visit {
	out := make([]visit, len(now))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	panics := make([]any, len(now))
	for i := range now {
		slots <- struct{}{}
		group.Go(func() {
			defer func() {
				panics[i] = recover()
				<-slots
			}()
			out[i] = s.visit(ctx, &now[i])
		})
	}
	group.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v) // of a user's backend: here the caller can recover
		}
	}
	return out
}

// visit bounds a node and chooses how to split it.
func (s *Search) visit(ctx context.Context, nd *node) (v visit) {
	box, nothing := s.unpack(nd.box), visit{empty: true, bound: math.Inf(1), lost: math.Inf(1)}
	s.Spend(overhead + float64(tightening*nodeRounds*s.P.Columns()+curving*s.curves))
	if !s.P.Tighten(box, s.Upper, nodeRounds) {
		return nothing
	}
	v = visit{box: s.pack(box), bound: math.Inf(-1), col: -1, lost: math.Inf(1)}
	if nd.depth == 0 && !s.Keep && len(s.P.Choices) > 0 {
		if v.err = s.tryHulls(ctx, box); v.err != nil {
			return v
		}
	}
	triangles := wideOnly(nd.cuts, box)
	r, res, err := s.relax(ctx, box, triangles)
	switch {
	case err != nil:
		return visit{err: err}
	case r.phase1 && s.trust:
		nothing.trusted = true
		return nothing
	case !s.solved(res):
		if more, err := s.probe(ctx, nd, &v, box); err != nil || more {
			return s.again(ctx, nd, v, err)
		}
		v.col, v.at = s.widest(box, nil)
		return v
	}
	work := make([]factorable.Interval, s.P.Columns())
	s.bound(&v, r, res, work)
	if r.phase1 {
		if v.bound > 0 {
			v.empty, v.bound = true, math.Inf(1)
			return v
		}
		v.col, v.at = s.choose(box, v.dual.Points, work)
		v.bound, v.dual = math.Inf(-1), nil
		return v
	}
	v.x = slices.Clone(v.dual.Points[:s.P.N])
	if v.err = s.tellRoot(nd, &v); v.err == nil {
		v.err = s.tighter(ctx, nd, &v, r, triangles, work)
	}
	if v.err == nil && nd.depth == 0 && s.block != nil && !s.prunes(v.bound) {
		v.err = s.tryMatrix(ctx, &v, r, work)
	}
	if v.err != nil { // the bound so far holds
		return v
	}
	if !s.prunes(v.bound) {
		much := !v.trusted && s.cutOff(nd, &v, box)
		more, err := s.probe(ctx, nd, &v, box)
		if err != nil || (much || more) && nd.narrowed < mostNarrowed {
			return s.again(ctx, nd, v, err)
		}
	}
	if v.col = r.furthest(res.X); v.col < 0 {
		v.col, v.at = s.choose(box, v.dual.Points, work)
	}
	return v
}

// relax solves the convex problem of a box; where the matrix makes it too hard the one without, and
// where it has no point one that is feasible and shows that, unless the backend's word for it
// counts.
func (s *Search) relax(ctx context.Context, box []factorable.Interval, cuts []factorable.Cut) (
	r *relaxation, res *qpbackend.Result, err error) {
	r = &relaxation{p: s.P, box: box, cuts: cuts, hulls: s.hulls, sizes: s.trust}
	if s.matrix {
		r.block = s.block
	}
	res, err = s.solve(ctx, r)
	if err == nil && r.block != nil && res.Status != qpbackend.Solved && res.Status != qpbackend.PrimalInfeasible {
		r = &relaxation{p: s.P, box: box, cuts: cuts}
		res, err = s.solve(ctx, r)
	}
	if err == nil && res.Status == qpbackend.PrimalInfeasible {
		if r = (&relaxation{p: s.P, box: box, phase1: true}); !s.trust {
			res, err = s.solve(ctx, r)
		}
	}
	return r, res, err
}

// solved reports whether a result has a point of all columns.
func (s *Search) solved(res *qpbackend.Result) bool {
	switch res.Status {
	case qpbackend.Solved, qpbackend.AlmostSolved, qpbackend.IterationLimit:
		return len(res.X) >= s.P.Columns() && !slices.ContainsFunc(res.X, math.IsNaN)
	}
	return false
}

// bound bounds the node by the multipliers of a solution, or by the backend's word where that
// counts.
func (s *Search) bound(v *visit, r *relaxation, res *qpbackend.Result, work []factorable.Interval) {
	v.dual = r.dual(res)
	v.bound = s.boundBy(v.dual, r.box, work)
	if r.phase1 || !s.trust || res.Status == qpbackend.IterationLimit {
		return
	}
	word := res.Objective - res.Res.Gap*max(1, math.Abs(res.Objective))
	if word > v.bound+0.1*s.GapTol*max(1, math.Abs(word)) { // Source: any small number does
		v.bound, v.trusted = word, true
	}
}

// free reports whether some variable has no bounds.
func (s *Search) free(box []factorable.Interval) bool {
	return slices.ContainsFunc(box[:s.P.N], func(b factorable.Interval) bool { return !b.IsFinite() })
}

// again solves a node anew that has become narrower, unless there is an error.
func (s *Search) again(ctx context.Context, nd *node, v visit, err error) visit {
	if v.err = err; err != nil {
		return v
	}
	nd.narrowed++
	again := s.visit(ctx, nd)
	if again.lost = min(again.lost, v.lost); again.err == nil && again.x == nil {
		again.x = v.x
	}
	return again
}

// mostNarrowed bounds how often a node is solved anew since parts of it were cut off. Source: any
// number does.
const mostNarrowed = 3

// solve solves the convex problem of a box. A problem that the backend refuses for its numbers
// counts as one that it has failed on.
func (s *Search) solve(ctx context.Context, r *relaxation) (*qpbackend.Result, error) {
	var res qpbackend.Result
	qp, err := r.state(ctx)
	if err == nil {
		err = qpbackend.CheckCones(s.Backend, qp)
	}
	if err != nil {
		return nil, err
	}
	solver, err := s.Backend.New(ctx, qp, s.Backend.DefaultSettings())
	if err == nil {
		defer solver.Close()
		if s.tooLarge(solver) {
			return nil, ErrTooLarge
		}
		err = solver.Solve(ctx, &res)
		var m subproblem.Meter
		m.Add(&res, float64(len(qp.P.Val)+len(qp.A.Val)))
		s.Spend(m.Work())
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, err
	case err != nil:
		res.Status = qpbackend.NumericalTrouble
	}
	return &res, nil
}

// SolveIterations are the usual iterations of a convex problem. Source: problems of MINLPLib take
// 10 to 40.
const SolveIterations = 30

// tooLarge reports whether the solution would take more work than it may, where the backend knows.
func (s *Search) tooLarge(solver qpbackend.Solver) bool {
	known, ok := solver.(interface{ IterationWork() float64 })
	return ok && s.Most.Solve > 0 && SolveIterations*known.IterationWork() > s.Most.Solve
}

// Work of a node beside its convex problem: overhead, for each column and round of tightening, and
// for each function between lines. Source: profiles of alkyl and of examples/radial_velocity.dc.
const (
	overhead   = 2000
	tightening = 6
	curving    = 1500
)

// worthwhile is the part of the gap that hulls, or the semidefinite matrix, must close at the root
// to be stated at other nodes, too. Source: such nodes take some ten times as long.
const worthwhile = 0.1

// tryHulls compares the root with the hulls of choices and without.
func (s *Search) tryHulls(ctx context.Context, box []factorable.Interval) error {
	var words [2]float64
	for i := range words {
		res, err := s.solve(ctx, &relaxation{p: s.P, box: box, sizes: s.trust, hulls: i == 1})
		if err != nil {
			return err
		}
		if words[i] = math.Inf(-1); res.Status == qpbackend.Solved || res.Status == qpbackend.AlmostSolved {
			words[i] = res.Objective
		}
	}
	plain, hulls := words[0], words[1]
	s.hulls = hulls > plain && (math.IsInf(plain, -1) || hulls-plain > worthwhile*(s.Upper-plain))
	return nil
}

// tryMatrix states the matrix of a block at the root.
func (s *Search) tryMatrix(ctx context.Context, v *visit, r *relaxation, work []factorable.Interval) error {
	before := v.bound
	better, err := s.tighten(ctx, v, &relaxation{p: s.P, box: r.box, cuts: v.cuts, block: s.block}, work)
	if better {
		s.matrix = math.IsInf(before, -1) || v.bound-before > worthwhile*(s.Upper-before)
		v.x = slices.Clone(v.dual.Points[:s.P.N])
	}
	return err
}

// tighten takes over the bound of another relaxation of the box, if it is better.
func (s *Search) tighten(ctx context.Context, v *visit, q *relaxation,
	work []factorable.Interval) (better bool, err error) {
	res, err := s.solve(ctx, q)
	if err != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return false, err
	}
	d, again := q.dual(res), make([]factorable.Interval, len(work))
	bound := s.P.Bound(d, q.box, again)
	if better = bound > v.bound; better {
		v.bound, v.dual = bound, d
		copy(work, again)
	}
	return better, nil
}

// Rounds of triangles: of the root, and of other nodes.
// Source: limits of time; the search ends for any numbers.
const (
	rootCuts = 12
	nodeCuts = 1
)

// tighter adds triangles while they pay, and keeps those that hold with equality.
func (s *Search) tighter(
	ctx context.Context, nd *node, v *visit, r *relaxation, known []factorable.Cut, work []factorable.Interval,
) error {
	rounds := nodeCuts
	if nd.depth == 0 {
		rounds = rootCuts
	}
	for len(s.triples) > 0 {
		v.cuts = nil
		for i, t := range known {
			if v.dual.Cuts[i].Mult > 1e-9 {
				v.cuts = append(v.cuts, t)
			}
		}
		if rounds--; rounds < 0 || s.prunes(v.bound) {
			return nil
		}
		more := s.separate(r.box, v.dual.Points, known)
		if len(more) == 0 {
			return nil
		}
		next := append(slices.Clone(v.cuts), more...)
		q, before := &relaxation{p: s.P, box: r.box, cuts: next, block: r.block}, v.bound
		better, err := s.tighten(ctx, v, q, work)
		if err != nil || !better {
			return err
		}
		known = next
		if err := s.tellRoot(nd, v); err != nil {
			return err
		}
		if v.bound-before < 0.01*(s.Upper-v.bound) {
			rounds = 0
		}
	}
	return nil
}

// wideOnly leaves out triangles of variables that have one value.
func wideOnly(list []factorable.Cut, box []factorable.Interval) []factorable.Cut {
	return slices.DeleteFunc(slices.Clone(list), func(c factorable.Cut) bool {
		return slices.ContainsFunc(c.Cols[:], func(j int) bool { return !(interval.Width(box[j]) > narrow) })
	})
}
