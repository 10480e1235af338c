package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// A plain run whose iterates prove nothing but do not converge either is
// interrupted for one of the embedding, which ends at a solution or at a proof
// that there is none.

// auxIter bounds the iterations of the first such run; the second may take twice
// as many. The embedding takes at most 30 on the infeasible problems of package
// qptest.
const auxIter = 50

// doubt judges the run of the embedding.
type doubt struct{ s *solver }

func (d doubt) look(_ context.Context, w *work, _ int) verdict {
	s := d.s
	if math.IsNaN(w.scaledError()) {
		return broken
	}
	if _, v := s.proofs(w); v != goOn {
		return v
	}
	if s.far(w, w.scaledError()) {
		return goOn
	}
	if s.certify(w); s.best.res.Max() <= s.set.Tol {
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
		s.aux = newWork(w.p, w.at, w.sys, nil, newEmbedding(w.n, w.m, w.sys.Size(), s.set.Tol))
	}
	a := s.aux
	copy(a.q, w.q)
	copy(a.lo, w.lo)
	copy(a.up, w.up)
	a.reg.least = w.reg.least
	a.classify()
	a.method.load(a)
	defer w.sys.Load(w.θ, w.off)
	iter, v := a.run(ctx, doubt{s}, min(auxIter*pr.suspected, s.set.MaxIter-k-pr.aux))
	pr.aux += iter
	if v == done || v == outOfTime {
		return v
	}
	return goOn
}
