package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm/internal/interior"
)

// A plain run whose iterates prove nothing but do not converge either is
// interrupted for two of the embedding. The first one is without the objective:
// a linear problem, whose embedding ends at a feasible point or at a proof that
// there is none. The second one, with the objective, ends at a solution or at a
// direction along which the objective falls. It might end at a proof of the first
// kind too, but slowly where x runs off as well: a quadratic problem need not have
// solutions that are strictly complementary.

// auxIter bounds the iterations of the first of these runs; where plain comes to
// doubt again they may take twice as many.
// Source: the embedding takes at most 30 on the infeasible problems of package qptest.
const auxIter = 50

// doubt judges a run of the embedding.
type doubt struct {
	s         *solver
	objective bool
}

func (d doubt) Look(ctx context.Context, w *interior.Work, _ int) interior.Verdict {
	s, size := d.s, w.ScaledError()
	if math.IsNaN(size) {
		return interior.Broken
	}
	if _, v := s.proofs(w); v != interior.GoOn {
		return v
	}
	switch {
	case !d.objective && w.Feasible(s.Set.InfeasTol):
		return interior.GivenUp // a feasible point
	case !d.objective || s.far(w, size):
		return interior.GoOn
	}
	if s.certify(ctx, w); s.best.res.Max() <= s.Set.Tol {
		s.progress.status = qpbackend.Solved
		return interior.Done
	}
	return interior.GoOn
}

// looksInfeasible decides when the embedding is worth its price to a plain run. A
// feasible point has a norm of at least 1/weight: remote is how near, relative to
// that, the iterate still is.
func (s *solver) looksInfeasible(w *interior.Work, remote float64) bool {
	pr := &s.progress
	switch {
	case w.Homogeneous(): // it is the embedding
		return false
	case pr.suspected == 0:
		return pr.since >= suspectAfter || remote < suspectRemote
	case pr.suspected == 1:
		return pr.since >= suspectAgain
	}
	return false
}

// embed runs the embedding after k iterations. It returns goOn where that decides
// nothing.
func (s *solver) embed(ctx context.Context, k int) interior.Verdict {
	pr, w := &s.progress, s.w
	pr.suspected++
	if s.aux == nil {
		s.aux = w.Embedding(s.Set.Tol)
	}
	a := s.aux
	defer w.Load()
	for _, objective := range [2]bool{false, true} {
		a.TakeOver(w, objective)
		iter, v := a.Run(ctx, doubt{s, objective}, min(auxIter*pr.suspected, s.Set.MaxIter-k-pr.aux))
		pr.aux += iter
		if v == interior.Done || v == interior.OutOfTime {
			return v
		}
	}
	return interior.GoOn
}
