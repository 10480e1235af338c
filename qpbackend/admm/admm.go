package admm

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

const (
	// With polishing, the first tolerance of the test and by how much it falls
	// down to Settings.Tol: the rows that hold are often known long before the
	// iterates are accurate.
	// Source: OSQP's default tolerance, 1e-3, and one digit at a time.
	firstTol, tolStep = 1e-3, 0.1
)

// progress of one solve.
type progress struct {
	k     int     // iterations
	round int     // of these, since the tolerance of the test last changed
	ε     float64 // tolerance of the test
}

// Solve fills dst; see the package comment for what the statuses mean.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	start := s.TakeStart()
	if err := s.checkConvex(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	s.begin(start)
	return s.finish(ctx, dst, s.iterate(ctx))
}

// begin makes the first iterate, which is the best so far.
func (s *solver) begin(start base.Start) {
	s.run = progress{ε: s.Set.Tol}
	if s.polishes {
		s.run.ε = max(s.run.ε, firstTol)
	}
	if s.best.Set(start.X, start.Y, start.Z); start.Given() {
		s.w.start(&s.best)
	} else {
		s.w.reset()
	}
	s.certify(&s.best)
}

// iterate runs the method until there is an outcome.
func (s *solver) iterate(ctx context.Context) qpbackend.Status {
	w, run := s.w, &s.run
	for run.k < s.Set.MaxIter {
		err := w.factor(ctx)
		if ctx.Err() != nil {
			return qpbackend.Interrupted(ctx.Err())
		}
		if err != nil {
			return qpbackend.NumericalTrouble
		}
		run.k++
		run.round++
		if run.round%testInterval != 0 && run.k < s.Set.MaxIter {
			w.step()
			continue
		}
		w.remember()
		w.step()
		w.difference()
		if status := s.judge(ctx); status != qpbackend.Unknown {
			return status
		}
		if run.round > 0 && run.round%rhoInterval == 0 {
			w.adapt()
		}
	}
	return qpbackend.IterationLimit
}

// judge tests the iterate. The outcome is Unknown where the method is to go on.
func (s *solver) judge(ctx context.Context) qpbackend.Status {
	now := s.look(s.w.x, s.w.y)
	if !(now.Max() <= math.MaxFloat64) {
		return qpbackend.NumericalTrouble
	}
	if now.Max() <= s.run.ε {
		return s.claim(ctx, now)
	}
	return s.infeasible(now)
}

// look measures a scaled point and makes it the best one if it is.
func (s *solver) look(x, y []float64) qpbackend.Residuals {
	s.w.unscale(&s.cand, x, y)
	s.certify(&s.cand)
	now := s.cand.Res
	if !(s.best.Res.Max() <= now.Max()) && s.cand.Finite() && !math.IsNaN(now.Max()) {
		s.best, s.cand = s.cand, s.best
	}
	return now
}

// claim looks whether the iterate, which passed the test, is a solution, also
// after polishing. If not, the test becomes stricter.
func (s *solver) claim(ctx context.Context, now qpbackend.Residuals) qpbackend.Status {
	run := &s.run
	if s.best.Res.Max() <= s.Set.Tol || s.polishes && s.polish(ctx, now) {
		return qpbackend.Solved
	}
	run.round = 0
	run.ε = max(run.ε*tolStep, s.Set.Tol)
	return qpbackend.Unknown
}

// certify measures a point on the stated problem.
func (s *solver) certify(p *base.Point) {
	p.Res = s.Set.Certify(context.Background(), s.P, s.w.rowSizes, p.X, p.Y, p.Z, s.scratch)
}

// finish fills dst with the best point, or a proof.
func (s *solver) finish(ctx context.Context, dst *qpbackend.Result, status qpbackend.Status) error {
	dst.Iterations, dst.Message = s.run.k, ""
	switch status {
	case qpbackend.IterationLimit:
		dst.Message = fmt.Sprintf("after %d iterations the residual is %.1e; the backend ipm gets to smaller ones",
			s.run.k, s.best.Res.Max())
	case qpbackend.NumericalTrouble:
		dst.Message = "the KKT matrix could not be factored, or the iterates grew beyond all bounds"
	case qpbackend.TimeLimit, qpbackend.Cancelled:
		if s.run.k > 0 { // an iterate between two tests
			s.look(s.w.x, s.w.y)
		}
		s.Report(dst, status, &s.best, &s.cert)
		return ctx.Err()
	}
	s.Report(dst, status, &s.best, &s.cert)
	return nil
}
