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
// solutions that are strictly complementary. Where an iterate keeps the rows and one has feasible
// multipliers there is a solution, and the embedding no more than another way to it.

// auxIter bounds the iterations of the first of these runs; where plain comes to doubt again they
// may take twice as many, and in either case more as long as each auxPace of them at least halve
// the scaled error. At almost a solution a run ends after auxPatience iterations that do not halve
// the residual. Source: the embedding takes at most 30 on the infeasible problems of package
// qptest. Curves with bounds on differences of order three and four (docs/lab/bench.md, Constants
// of ipm) take 97 to 130 iterations with the others before, and 96 to 168, one less solved, where a
// run ends at 50; with an auxPatience of 10 one less is solved, with 25 as many are.
const (
	auxIter     = 50
	auxPace     = 12
	auxPatience = 15
)

// doubt judges a run of the embedding.
type doubt struct {
	s         *solver
	objective bool
	most      int     // iterations, without progress
	errors    halving // of the scaled error
	end       halving // of the residual of the best point, once it is almost a solution
}

// halving counts the iterations since a number was halved. The zero value waits for the first
// number.
type halving struct {
	mark  float64 // the number of that iteration
	since int
}

// note takes in the number of one more iteration.
func (h *halving) note(v float64) {
	if h.since++; h.mark == 0 || v <= h.mark/2 {
		h.mark, h.since = v, 0
	}
}

func (d *doubt) Look(ctx context.Context, w *interior.Work, k int) interior.Verdict {
	s, size := d.s, w.ScaledError()
	if math.IsNaN(size) {
		return interior.Broken
	}
	d.errors.note(size)
	if _, v := s.proofs(w, false); v != interior.GoOn {
		return v
	}
	switch {
	case !d.objective && w.Primal() <= s.Set.InfeasTol:
		return interior.GivenUp // a feasible point
	case k >= d.most && d.errors.since >= auxPace && s.best.Res.Max() > s.loose():
		return interior.OutOfIterations
	case !d.objective || s.far(w, size):
		return interior.GoOn
	}
	if s.certify(ctx, w); s.best.Res.Max() <= s.Set.Tol {
		s.progress.status = qpbackend.Solved
		return interior.Done
	}
	if best := s.best.Res.Max(); best <= s.loose() {
		d.end.note(best)
	}
	if d.end.since > auxPatience {
		return interior.GivenUp
	}
	return interior.GoOn
}

// creeping is the iterate from which on a plain run whose variables all have squares is slower than
// the embedding. Source: docs/lab/bench.md, Constants of ipm.
const creeping = 40

// creeps reports whether the embedding would end sooner than the plain run: its residuals fall
// together with μ, where the steps of plain, one for slacks and one for multipliers, leave the
// residual of the dual behind, and the next steps are short for it.
func (s *solver) creeps(w *interior.Work, k int) bool {
	return k >= creeping && s.progress.suspected == 0 && !w.Homogeneous() && w.Strict()
}

// looksInfeasible decides when the embedding is worth its price to a plain run. A
// feasible point has a norm of at least 1/weight: remote is how near, relative to
// that, the iterate still is.
func (s *solver) looksInfeasible(w *interior.Work, remote float64) bool {
	pr := &s.progress
	switch {
	case w.Homogeneous(): // it is the embedding
		return false
	case s.feasible():
		return pr.suspected == 0 && pr.since >= suspectAgain
	case pr.suspected == 0:
		return pr.since >= suspectAfter || remote < suspectRemote
	case pr.suspected == 1:
		return pr.since >= suspectAgain
	}
	return false
}

// join goes on with steps whose lengths depend on each other where an iterate keeps the rows, and
// so the dual residual may be all that is left: in a problem of which few variables have squares,
// two lengths leave more of it behind at these, step by step, than the next step removes. It
// reports whether that is new to the run. Where all variables have squares the embedding takes
// fewer iterations. Source: docs/lab/bench.md, Constants of ipm.
func (s *solver) join(w *interior.Work) bool {
	if s.progress.primal > s.loose() || w.Strict() || !w.Join() {
		return false
	}
	s.progress.rest()
	return true
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
	most := func() int { return s.Set.MaxIter - k - pr.aux }
	if pr.primal > s.Set.InfeasTol {
		a.TakeOver(w, false)
		iter, v := a.Run(ctx, &doubt{s: s, most: auxIter * pr.suspected}, most())
		pr.aux += iter
		switch v {
		case interior.Done, interior.OutOfTime:
			return v
		case interior.GivenUp:
			pr.primal = 0
		}
	}
	run := a.Run
	if pr.halfway { // it goes on from where it ended
		a.Load()
		run = a.Iterate
	} else {
		a.TakeOver(w, true)
	}
	iter, v := run(ctx, &doubt{s: s, objective: true, most: auxIter * pr.suspected}, most())
	pr.aux += iter
	if v == interior.Done || v == interior.OutOfTime || v == interior.GivenUp {
		return v
	}
	pr.halfway = v == interior.OutOfIterations && pr.primal <= s.Set.InfeasTol
	return interior.GoOn
}
