package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
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

func (d doubt) look(_ context.Context, w *work, _ int) verdict {
	s, size := d.s, w.scaledError()
	if math.IsNaN(size) {
		return broken
	}
	if _, v := s.proofs(w); v != goOn {
		return v
	}
	switch {
	case !d.objective && w.pinf <= s.Set.InfeasTol*w.method.τ():
		return givenUp // a feasible point
	case !d.objective || s.far(w, size):
		return goOn
	}
	if s.certify(w); s.best.res.Max() <= s.Set.Tol {
		s.progress.status = qpbackend.Solved
		return done
	}
	return goOn
}

// looksInfeasible decides when the embedding is worth its price to a plain run. A
// feasible point has a norm of at least 1/weight: remote is how near, relative to
// that, the iterate still is.
func (s *solver) looksInfeasible(w *work, remote float64) bool {
	pr := &s.progress
	switch {
	case w.method.degree() > 0: // it is the embedding
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
func (s *solver) embed(ctx context.Context, k int) verdict {
	pr, w := &s.progress, s.w
	pr.suspected++
	if s.aux == nil {
		s.aux = newWork(w.p, w.at, w.sys, nil, newEmbedding(w.n, w.m, w.sys.Size(), s.Set.Tol))
	}
	a := s.aux
	a.reg.least = w.reg.least
	defer w.sys.Load(w.θ, w.off)
	for _, objective := range [2]bool{false, true} {
		a.θ = 0
		clear(a.q)
		if objective {
			a.θ = w.θ
			copy(a.q, w.q)
		}
		copy(a.lo, w.lo)
		copy(a.up, w.up)
		a.classify()
		a.method.load(a)
		iter, v := a.run(ctx, doubt{s, objective}, min(auxIter*pr.suspected, s.Set.MaxIter-k-pr.aux))
		pr.aux += iter
		if v == done || v == outOfTime {
			return v
		}
	}
	return goOn
}
