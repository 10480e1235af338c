package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm/internal/interior"
)

// progress is the memory of the main run from one iterate to the next.
type progress struct {
	marks     qpbackend.Residuals // of the iterates, each the last that halved the one before
	since     int                 // iterations since one did
	mark      float64             // and μ, once the problem is feasible, to the accuracy of loose
	primal    float64             // the least scaled primal residual of an iterate, of any one,
	dual      float64             // and the least dual one
	status    qpbackend.Status    // set with verdict done
	suspected int                 // runs of the embedding
	halfway   bool                // the last one, with the objective, came to the end of its iterations
	aux       int                 // iterations that took
	warm      bool                // the run has a warm start
	before    int                 // iterations of runs before this one
	looked    int                 // the iterate after the one that was certified last, 0 for none
	ratio     float64             // certified residual over the scaled estimate of far, at the last certified iterate
}

// noneYet is the memory before the first iterate, after so many iterations of other runs and of
// auxiliary ones.
func noneYet(before, aux int) progress {
	inf := math.Inf(1)
	return progress{before: before, aux: aux, mark: inf, primal: inf, dual: inf}
}

// Source: docs/lab/bench.md, Constants of ipm.
const (
	patience     = 25 // iterations without progress that end a run at a loose solution
	warmPatience = 8  // and that end a warm run: see interior/warm.go
	suspectAfter = 12 // and that make it look infeasible,
	suspectAgain = 48 // and once more

	certifiable = 30 // a certified residual of so many tolerances is near the end, beside interior.Work.Far

	suspectRemote = 1e-4 // makes it look infeasible too, see looksInfeasible
)

// Look certifies the iterate on the stated problem, keeps the best and decides.
// Far from the end every sixth iterate is enough, but for proofs, which every
// other one is asked for, and the first one is not looked at.
func (s *solver) Look(ctx context.Context, w *interior.Work, k int) interior.Verdict {
	pr := &s.progress
	size := w.ScaledError()
	pr.primal, pr.dual = min(pr.primal, w.Primal()), min(pr.dual, w.Dual())
	if s.foreseen(ctx, w, k, size) {
		pr.status = qpbackend.Solved
		return interior.Done
	}
	far := s.far(w, size)
	if far && k < pr.looked+5 &&
		pr.since < suspectAfter && k+1+pr.before+pr.aux < s.Set.MaxIter && ctx.Err() == nil {
		if k%2 == 0 {
			return interior.GoOn
		}
		_, v := s.proofs(w, false)
		if v != interior.GoOn {
			s.certify(ctx, w)
		}
		return v
	}
	step := k + 1 - pr.looked
	first := pr.looked == 0
	pr.looked = k + 1
	res, xNorm := s.certify(ctx, w)
	if math.IsNaN(res.Max()) {
		return interior.Broken
	}
	pr.ratio = res.Max() / size
	if s.best.Res.Max() <= s.Set.Tol && (s.confirm == nil || s.confirm(ctx, s.best.X, s.best.Y, s.best.Z)) {
		pr.status = qpbackend.Solved
		s.sharpen(ctx, w, k)
		return interior.Done
	}
	pr.note(first, step, res, s.Set.Tol)
	if μ := w.Complementarity(); s.feasible() && pr.mark > s.Set.Tol && μ < pr.mark/2 {
		pr.mark, pr.since = μ, 0
	}
	weight, v := s.proofs(w, !s.feasible() && pr.suspected == 0)
	switch {
	case v != interior.GoOn:
		return v
	case pr.warm:
		if pr.since >= warmPatience {
			return interior.GivenUp
		}
	case s.best.Res.Max() <= s.loose():
		if pr.since >= patience {
			return interior.GivenUp
		}
	case s.creeps(w, k), s.looksInfeasible(w, weight*(1+xNorm)) && !s.join(w):
		if v := s.embed(ctx, k+pr.before); v != interior.GoOn {
			return v
		}
	}
	if k+pr.before+pr.aux >= s.Set.MaxIter {
		return interior.OutOfIterations
	}
	return interior.GoOn
}

// certify measures the iterate on the stated problem and keeps it if it is the
// best so far.
func (s *solver) certify(ctx context.Context, w *interior.Work) (res qpbackend.Residuals, xNorm float64) {
	s.unscale(w)
	res = s.Set.Certify(ctx, s.P, s.rowSizes, s.cand.X, s.cand.Y, s.cand.Z, s.work)
	s.cand.Res = res
	xNorm = num.Norm1(s.cand.X)
	if res.Max() < s.best.Res.Max() {
		s.best, s.cand = s.cand, s.best
	}
	return res, xNorm
}

// proofs tries the multipliers and the last step as proofs of infeasibility. It
// returns the residuals of the multipliers, with weigh of all.
func (s *solver) proofs(w *interior.Work, weigh bool) (weight float64, v interior.Verdict) {
	y, aty := w.Multipliers()
	weight, ok := s.primalProof(y, aty, weigh)
	if ok {
		s.progress.status = qpbackend.PrimalInfeasible
		return weight, interior.Done
	}
	d, ad := w.Ray()
	if s.dualProof(w.Step()) || d != nil && s.dualProof(d, ad) {
		s.progress.status = qpbackend.DualInfeasible
		return weight, interior.Done
	}
	return weight, interior.GoOn
}

// rest begins the count of iterations without progress anew, with the residuals of the next iterate
// that is certified.
func (pr *progress) rest() { pr.looked, pr.mark, pr.since = 0, math.Inf(1), 0 }

// note counts the iterations in which no residual above tol is halved.
func (pr *progress) note(first bool, step int, r qpbackend.Residuals, tol float64) {
	if first {
		pr.marks = r
		return
	}
	pr.since += step
	for _, t := range [...]struct {
		mark *float64
		now  float64
	}{{&pr.marks.Primal, r.Primal}, {&pr.marks.Dual, r.Dual}, {&pr.marks.Gap, r.Gap}} {
		if *t.mark > tol && t.now < *t.mark/2 {
			*t.mark, pr.since = t.now, 0
		}
	}
}

// feasible reports whether iterates have shown that the problem and its dual have feasible points,
// and so a solution.
func (s *solver) feasible() bool { return max(s.progress.primal, s.progress.dual) <= s.loose() }

// loose is the residual up to which a point is AlmostSolved.
func (s *solver) loose() float64 { return min(math.Sqrt(s.Set.Tol), 1e-5) }

// unscale sets s.cand to the present point of w.
func (s *solver) unscale(w *interior.Work) {
	sc := s.scale
	y, τ := w.Scaled(s.cand.X)
	for j, d := range sc.D {
		s.cand.X[j] *= sc.B * d
	}
	for i, e := range sc.E {
		s.cand.Y[s.lay.row(i)] = e * y[len(sc.D)+i] / (sc.C * τ)
	}
	for j, d := range sc.D {
		s.cand.Z[j] = y[j] / (sc.C * d * τ)
	}
	s.lay.handOver(s.P, s.cand.Y, s.cand.Z)
}

// IterationWork is about the multiplications of an iteration, as Result.Work counts them. It is
// known before Solve.
func (s *solver) IterationWork() float64 { return s.sys.Work() }

// finish turns the verdict into a result.
func (s *solver) finish(ctx context.Context, dst *qpbackend.Result, iter int, v interior.Verdict) error {
	iter += s.progress.aux
	if math.IsInf(s.best.Res.Max(), 1) { // no iterate was good for anything
		s.best.Res = s.Set.Certify(ctx, s.P, nil, s.best.X, s.best.Y, s.best.Z, s.work)
	}
	dst.Iterations, dst.Work, dst.Message = iter, float64(iter)*s.sys.Work(), ""
	status := qpbackend.NumericalTrouble
	switch {
	case v == interior.Done:
		status = s.progress.status
	case v == interior.OutOfTime:
		status = qpbackend.Interrupted(ctx.Err())
	case v == interior.OutOfIterations:
		status = qpbackend.IterationLimit
	case s.best.Res.Max() <= s.loose():
		status, dst.Message = qpbackend.AlmostSolved, "no further progress"
	default:
		dst.Message = "a factorisation failed or the iterates ceased to be numbers"
	}
	s.Report(dst, status, &s.best, &s.cert)
	if v == interior.OutOfTime {
		return ctx.Err()
	}
	s.status = status
	return nil
}

// far reports whether the current iterate, with the scaled residual or μ size, is far from the end:
// by many tolerances, or by more than one and by the result of the last one that was certified.
// Below one tolerance nothing but rounding is left, and that ratio says no more. With cones an
// iterate that may be almost a solution is near: rounding may keep those that follow from being
// better.
func (s *solver) far(w *interior.Work, size float64) bool {
	if ratio := s.progress.ratio; len(s.P.Cones) > 0 && ratio > 0 && size*ratio <= s.loose() {
		return false
	}
	return size > w.Far()*s.Set.Tol || size > s.Set.Tol && size*s.progress.ratio > certifiable*s.Set.Tol
}

// The system of the sides that hold at a solution, see Work.Try of internal/interior, ends a run
// before its iterates have come to the tolerance, and makes a point that is solved exact but for
// rounding. It is for problems without cones whose variables all have squares in the objective: of
// many solutions a run through the interior finds the middle, from which a convex-concave procedure
// goes on better (facility location ends at 123.7 so, at 126.6 from the points of trials).

const (
	// foreseeable is the scaled error of an iterate from which on the sides that hold are tried.
	// Source: docs/lab/bench.md, Constants of ipm.
	foreseeable = 0.1
	// exact is a relative residual that is nothing but rounding.
	// Source: derived: some tens of unit roundoffs.
	exact = 1e-14
)

// triable is the number of factorisations that trials after k iterations may take, at most 0 for
// none.
func (s *solver) triable(w *interior.Work, k int) int {
	if len(s.P.Cones) > 0 || s.confirm != nil || !w.Strict() {
		return 0
	}
	return s.Set.MaxIter - k - s.progress.before - s.progress.aux
}

// foreseen tries the sides that hold at the iterate, where they are steady, and reports whether
// that solves the problem.
func (s *solver) foreseen(ctx context.Context, w *interior.Work, k int, size float64) bool {
	most := s.triable(w, k)
	if most <= 0 || !w.Steady() || size > foreseeable {
		return false
	}
	rounds, ok := w.Try(ctx, s.Set.Tol, most, func() bool { return s.solved(ctx) })
	s.progress.aux += rounds
	return ok
}

// sharpen tries the end of the last step, or the sides that hold, at a solution. It takes the point
// where the largest residual falls and none grows beyond rounding. The end of a step is at the
// boundary: it is not for points to go on from. Of 460 nonconvex problems of package ccp
// (differences of maxima, packings) 27 end higher and 10 lower where all of their convex problems
// end there.
func (s *solver) sharpen(ctx context.Context, w *interior.Work, k int) {
	most := s.triable(w, k)
	if most <= 0 {
		if s.confirm == nil && !s.Set.Intermediate && s.best.Res.Max() > exact {
			w.Whole(func() bool { return s.sharper(ctx) })
		}
		return
	}
	if w.Untried() {
		rounds, _ := w.Try(ctx, s.Set.Tol, most, func() bool { return s.sharper(ctx) })
		s.progress.aux += rounds
	}
}

// sharper certifies the present point, and takes it for the best one where the largest residual
// falls and none grows beyond rounding.
func (s *solver) sharper(ctx context.Context) bool {
	was := s.best.Res
	s.unscale(s.w)
	r := s.Set.Certify(ctx, s.P, s.rowSizes, s.cand.X, s.cand.Y, s.cand.Z, s.work)
	if !(r.Max() < was.Max() && r.Primal <= max(was.Primal, exact) && r.Dual <= max(was.Dual, exact) &&
		r.Gap <= max(was.Gap, exact)) {
		return false
	}
	s.cand.Res = r
	s.best, s.cand = s.cand, s.best
	return true
}
