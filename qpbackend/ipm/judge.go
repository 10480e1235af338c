package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// progress is the memory of the main run from one iterate to the next.
type progress struct {
	marks     qpbackend.Residuals // of the iterates, each the last that halved the one before
	since     int                 // iterations since one did
	status    qpbackend.Status    // set with verdict done
	suspected int                 // runs of the embedding
	aux       int                 // iterations that took
	warm      bool                // the run has a warm start
	before    int                 // iterations of runs before this one
	looked    int                 // the iterate after the one that was certified last, 0 for none
	ratio     float64             // certified residual over the scaled estimate of far, at the last certified iterate
}

const (
	patience     = 25 // iterations without progress that end a run at a loose solution
	suspectAfter = 12 // and that make it look infeasible,
	suspectAgain = 48 // and once more

	suspectRemote = 1e-4 // makes it look infeasible too, see looksInfeasible
)

// look certifies the iterate on the stated problem, keeps the best and decides.
// Far from the end every sixth iterate is enough, but for proofs, which every
// other one is asked for, and the first one is not looked at.
func (s *solver) look(ctx context.Context, w *work, k int) verdict {
	pr := &s.progress
	size := w.scaledError()
	if s.far(w, size) && k < pr.looked+5 &&
		pr.since < suspectAfter && k+1+pr.before+pr.aux < s.Set.MaxIter && ctx.Err() == nil {
		if k%2 == 0 {
			return goOn
		}
		_, v := s.proofs(w)
		if v != goOn {
			s.certify(w)
		}
		return v
	}
	step := k + 1 - pr.looked
	first := pr.looked == 0
	pr.looked = k + 1
	res, xNorm := s.certify(w)
	if math.IsNaN(res.Max()) {
		return broken
	}
	pr.ratio = res.Max() / size
	if s.best.res.Max() <= s.Set.Tol {
		pr.status = qpbackend.Solved
		return done
	}
	pr.note(first, step, res, s.Set.Tol)
	weight, v := s.proofs(w)
	switch {
	case v != goOn:
		return v
	case pr.warm:
		if pr.since >= warmPatience {
			return givenUp
		}
	case s.best.res.Max() <= s.loose():
		if pr.since >= patience {
			return givenUp
		}
	case s.looksInfeasible(w, weight*(1+xNorm)):
		if v := s.embed(ctx, k+pr.before); v != goOn {
			return v
		}
	}
	if k+pr.before+pr.aux >= s.Set.MaxIter {
		return outOfIterations
	}
	return goOn
}

// certify measures the iterate on the stated problem and keeps it if it is the
// best so far.
func (s *solver) certify(w *work) (res qpbackend.Residuals, xNorm float64) {
	s.unscale(w)
	res = qpbackend.CertifyWork(s.P, s.cand.x, s.cand.y, s.cand.z, s.work)
	s.cand.res = res
	xNorm = num.Norm1(s.cand.x)
	if res.Max() < s.best.res.Max() {
		s.best, s.cand = s.cand, s.best
	}
	return res, xNorm
}

// proofs tries the multipliers and the last step as proofs of infeasibility. It
// returns the residuals of the multipliers.
func (s *solver) proofs(w *work) (weight float64, v verdict) {
	weight, ok := s.primalProof(w.y[w.n:], w.aty)
	if ok {
		s.progress.status = qpbackend.PrimalInfeasible
		return weight, done
	}
	d, ad := w.method.ray(w)
	if s.dualProof(w.dx, w.dv[w.n:]) || d != nil && s.dualProof(d, ad) {
		s.progress.status = qpbackend.DualInfeasible
		return weight, done
	}
	return weight, goOn
}

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

// loose is the residual up to which a point is AlmostSolved.
func (s *solver) loose() float64 { return min(math.Sqrt(s.Set.Tol), 1e-5) }

// unscale sets s.cand to the present point of w.
func (s *solver) unscale(w *work) {
	sc, τ := s.scale, w.method.τ()
	for j, x := range w.x {
		s.cand.x[j] = x / τ
	}
	w.method.unshift(s.cand.x)
	for j, d := range sc.D {
		s.cand.x[j] *= sc.B * d
	}
	for i, e := range sc.E {
		s.cand.y[i] = e * w.y[w.n+i] / (sc.C * τ)
	}
	for j, d := range sc.D {
		s.cand.z[j] = w.y[j] / (sc.C * d * τ)
	}
}

// finish turns the verdict into a result.
func (s *solver) finish(ctx context.Context, dst *qpbackend.Result, iter int, v verdict) error {
	iter += s.progress.aux
	if math.IsInf(s.best.res.Max(), 1) { // no iterate was good for anything
		s.best.res = qpbackend.CertifyWork(s.P, s.best.x, s.best.y, s.best.z, s.work)
	}
	dst.X = append(dst.X[:0], s.best.x...)
	dst.Y = append(dst.Y[:0], s.best.y...)
	dst.Z = append(dst.Z[:0], s.best.z...)
	dst.Res = s.best.res
	dst.Objective = s.P.Objective(s.best.x)
	dst.Iterations = iter
	dst.Message = ""
	switch {
	case v == done:
		dst.Status = s.progress.status
		if dst.Status == qpbackend.PrimalInfeasible {
			s.infeasible(dst, iter)
		} else if dst.Status == qpbackend.DualInfeasible {
			s.unbounded(dst, iter)
		}
	case v == outOfTime:
		dst.Status = qpbackend.Interrupted(ctx.Err())
		return ctx.Err()
	case v == outOfIterations:
		dst.Status = qpbackend.IterationLimit
	case s.best.res.Max() <= s.loose():
		dst.Status = qpbackend.AlmostSolved
		dst.Message = "no further progress"
	default:
		dst.Status = qpbackend.NumericalTrouble
		dst.Message = "a factorisation failed or the iterates ceased to be numbers"
	}
	s.status = dst.Status
	return nil
}

// infeasible fills dst with the proof of primal infeasibility in s.cert.
func (s *solver) infeasible(dst *qpbackend.Result, iter int) {
	*dst = qpbackend.Result{
		Status: qpbackend.PrimalInfeasible, Objective: math.Inf(1), Iterations: iter,
		X: append(dst.X[:0], s.best.x...), Y: append(dst.Y[:0], s.cert.y...), Z: append(dst.Z[:0], s.cert.z...),
	}
}

// unbounded fills dst with the direction of unboundedness in s.cert.
func (s *solver) unbounded(dst *qpbackend.Result, iter int) {
	*dst = qpbackend.Result{
		Status: qpbackend.DualInfeasible, Objective: math.Inf(-1), Iterations: iter,
		X: append(dst.X[:0], s.cert.x...), Y: append(dst.Y[:0], s.best.y...), Z: append(dst.Z[:0], s.best.z...),
	}
}

// far reports whether the current iterate, with the scaled residual or μ size,
// is far from the end: by many tolerances, or by the result of the last one that
// was certified.
func (s *solver) far(w *work, size float64) bool {
	return size > w.method.distance()*s.Set.Tol || size*s.progress.ratio > certifiable*s.Set.Tol
}
