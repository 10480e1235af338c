package admm

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

const (
	// Source: the contract of AlmostSolved, see doc.go.
	looseFactor = 100 // of Settings.Tol, for AlmostSolved
	// With polishing, the first tolerance of the test and by how much it falls
	// down to Settings.Tol: the rows that hold are often known long before the
	// iterates are accurate.
	// Source: OSQP's default tolerance, 1e-3, and one digit at a time.
	firstTol, tolStep = 1e-3, 0.1
	// Where tightening ends. Below, the test compares rounding errors.
	// Source: the unit roundoff, 1.1e-16.
	minTol = 1e-16
)

// verdict is why the iteration ends.
type verdict uint8

const (
	goOn verdict = iota
	solved
	primalInfeasible
	dualInfeasible
	exhausted // the test passes at minTol, and yet the point is not certified
	broken    // a factorisation failed or the iterates ceased to be numbers
	outOfTime
	atLimit
)

// progress of one solve.
type progress struct {
	k       int     // iterations
	round   int     // of these, since the tolerance of the test last changed
	ε       float64 // tolerance of the test
	claimed bool    // the test has passed at Settings.Tol
}

// Solve fills dst; see the package comment for what the statuses mean.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	warmed := s.Start.Given()
	s.Start.Forget()
	if err := s.checkConvex(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	s.begin(warmed)
	return s.finish(ctx, dst, s.iterate(ctx))
}

// begin makes the first iterate, which is the best so far.
func (s *solver) begin(warmed bool) {
	s.run = progress{ε: s.Set.Tol}
	if s.polishes {
		s.run.ε = max(s.run.ε, firstTol)
	}
	if warmed {
		s.best.Set(s.Start.X, s.Start.Y, s.Start.Z)
		s.w.start(&s.best)
	} else {
		s.best.Set(nil, nil, nil)
		s.w.reset()
	}
	s.certify(&s.best)
}

// iterate runs the method until there is a verdict.
func (s *solver) iterate(ctx context.Context) verdict {
	w, run := s.w, &s.run
	for run.k < s.Set.MaxIter {
		if ctx.Err() != nil {
			return outOfTime
		}
		if err := w.factor(ctx); err != nil {
			if ctx.Err() != nil {
				return outOfTime
			}
			return broken
		}
		run.k++
		run.round++
		test := run.round%testInterval == 0 || run.k == s.Set.MaxIter
		adapt := run.round%rhoInterval == 0
		if test {
			w.remember()
		}
		w.step()
		if !test && !adapt {
			continue
		}
		w.now = w.measure(w.x, w.z, w.y, s.P.R)
		if test {
			w.difference()
			if v := s.judge(ctx); v != goOn {
				return v
			}
		}
		if adapt && run.round > 0 {
			w.adapt()
		}
	}
	return atLimit
}

// judge tests the iterate.
func (s *solver) judge(ctx context.Context) verdict {
	w, run := s.w, &s.run
	if !(w.now.worth <= math.MaxFloat64) {
		return broken
	}
	best := s.keep()
	if w.now.worth <= s.Set.Tol || w.now.within(run.ε) {
		return s.claim(ctx, best)
	}
	return s.infeasible()
}

// keep makes the iterate the best point if it is, and reports whether it is.
func (s *solver) keep() bool {
	if s.best.worth <= s.w.now.worth {
		return false
	}
	s.w.unscale(&s.best, s.w.x, s.w.y)
	s.best.worth, s.best.certified = s.w.now.worth, false
	return true
}

// claim looks whether the iterate, which passed the test, is a solution, also
// after polishing. If not, the test becomes stricter. best says that the iterate
// is the best point.
func (s *solver) claim(ctx context.Context, best bool) verdict {
	w, run := s.w, &s.run
	var worth float64
	if best {
		worth = s.certify(&s.best)
	} else {
		w.unscale(&s.cand, w.x, w.y)
		worth = s.certify(&s.cand)
		s.consider()
	}
	if s.best.certified && s.best.worth <= s.Set.Tol || s.polishes && s.polish(ctx) {
		return solved
	}
	run.round = 0
	if run.ε > s.Set.Tol {
		run.ε = max(run.ε*tolStep, s.Set.Tol)
		return goOn
	}
	run.claimed = true
	run.ε *= min(max(s.Set.Tol/(2*min(worth, 1)), 1e-3), 0.5)
	if run.ε < minTol {
		return exhausted
	}
	return goOn
}

// certify measures a point on the stated problem and returns its worth.
func (s *solver) certify(p *point) float64 {
	p.Res = s.Set.Certify(context.Background(), s.P, s.w.least.rowSizes, p.X, p.Y, p.Z, s.scratch)
	p.worth, p.certified = p.Res.Max(), true
	return p.worth
}

// consider makes cand, certified, the best point if it is.
func (s *solver) consider() {
	if !(s.best.worth < s.cand.worth) && s.cand.Finite() && !math.IsNaN(s.cand.worth) {
		s.best, s.cand = s.cand, s.best
	}
}

// finish turns the verdict into a result.
func (s *solver) finish(ctx context.Context, dst *qpbackend.Result, v verdict) error {
	switch v {
	case solved:
		s.report(dst, qpbackend.Solved, "")
	case primalInfeasible:
		s.report(dst, qpbackend.PrimalInfeasible, "")
	case dualInfeasible:
		s.report(dst, qpbackend.DualInfeasible, "")
	case outOfTime:
		s.last()
		err := ctx.Err()
		s.report(dst, qpbackend.Interrupted(err), "")
		return err
	case atLimit:
		status := s.short(qpbackend.IterationLimit)
		s.report(dst, status, fmt.Sprintf("after %d iterations the residual is %.1e; the backend ipm gets to "+
			"smaller ones", s.run.k, s.best.worth))
	default:
		s.report(dst, s.short(qpbackend.NumericalTrouble), s.why(v))
	}
	return nil
}

// why puts a verdict into words.
func (s *solver) why(v verdict) string {
	if v == exhausted {
		return fmt.Sprintf("the iterates come to rest at a residual of %.1e", s.best.worth)
	}
	return "the KKT matrix could not be factored, or the iterates grew beyond all bounds"
}

// last looks at an iterate between two tests.
func (s *solver) last() {
	if s.run.k > 0 {
		s.w.now = s.w.measure(s.w.x, s.w.z, s.w.y, s.P.R)
		if s.w.now.worth <= math.MaxFloat64 {
			s.keep()
		}
	}
}

// short is AlmostSolved where the best point deserves that, else status.
func (s *solver) short(status qpbackend.Status) qpbackend.Status {
	if !s.best.certified {
		s.certify(&s.best)
	}
	if s.run.claimed && s.best.worth <= looseFactor*s.Set.Tol {
		return qpbackend.AlmostSolved
	}
	return status
}

// report fills dst with the best point, or the proof.
func (s *solver) report(dst *qpbackend.Result, status qpbackend.Status, message string) {
	if !s.best.certified {
		s.certify(&s.best)
	}
	dst.Iterations, dst.Message = s.run.k, message
	s.Report(dst, status, &s.best.Point, &s.cert)
}
