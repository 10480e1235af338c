//go:build osqp

package osqp

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

const (
	// Source: the contract of AlmostSolved, see doc.go.
	looseFactor = 100 // of Settings.Tol, for AlmostSolved
	// Source: a limit: 13 tolerances from 1e-3 to 1e-16, three calls each.
	maxRounds = 40 // calls of OSQP with changed tolerances
	// Source: a limit of the wait after a cancellation; results do not depend on it.
	sliceIter = 200 // iterations between looks at the context without hooks
	// With polishing, OSQP's first tolerance, and by how much it falls down to
	// Settings.Tol: the rows that hold are often known long before the
	// iterates are accurate.
	// Source: OSQP's default tolerance, and one digit at a time.
	firstEps, epsStep = 1e-3, 0.1
	// Where tightening ends. Below, OSQP compares rounding errors.
	// Source: the unit roundoff, 1.1e-16.
	minEps = 1e-16
)

// Solve fills dst; see the package comment for what the statuses mean.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	start := s.TakeStart()
	s.best.Set(start.X, start.Y, start.Z)
	s.best.Res = s.Set.Certify(context.Background(), s.P, nil, s.best.X, s.best.Y, s.best.Z, s.work)
	if err := ctx.Err(); err != nil {
		s.report(dst, qpbackend.Interrupted(err), 0, "")
		return err
	}
	if s.c == nil {
		s.solveEmpty(dst)
		return nil
	}
	if err := s.start(start.Given()); err != nil {
		return err
	}
	defer s.watch(ctx)()
	return s.rounds(ctx, dst)
}

// start brings C to the warm start, which is the best point so far, or to the state of a fresh
// setup.
func (s *solver) start(warmed bool) error {
	if s.broken {
		if err := s.setup(); err != nil {
			return err
		}
	}
	s.c.ColdStart()
	if warmed {
		return s.c.WarmStart(s.best.X, s.toRows(s.best.Y, s.best.Z))
	}
	if s.c.Settings().Rho != s.rho {
		if err := s.c.UpdateRho(s.rho); err != nil {
			s.broken = true
			return s.refusal(err)
		}
	}
	return nil
}

// watch has OSQP interrupted when ctx ends, until the function returned has
// been called.
func (s *solver) watch(ctx context.Context) (release func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.c.Interrupt()
		close(done)
	})
	return func() {
		if !stop() {
			<-done
		}
		s.c.Resume()
	}
}

// target are the tolerances of a round.
type target struct{ eps, primal, dual float64 }

// rounds calls OSQP until its claim is confirmed or nothing is left to try.
func (s *solver) rounds(ctx context.Context, dst *qpbackend.Result) error {
	t := target{eps: s.Set.Tol, primal: s.Set.InfeasTol, dual: s.Set.InfeasTol}
	if s.raw.Polishing {
		t.eps = max(t.eps, firstEps)
	}
	used, claimed, message := 0, false, ""
	for round := 0; round < maxRounds && used < s.Set.MaxIter; round++ {
		info, err := s.run(t, s.Set.MaxIter-used)
		used += info.Iterations
		if info.Status.HasSolution() {
			s.c.Solution(s.cand.X, s.dual)
			s.fromRows(&s.cand)
			s.consider()
			if s.best.Res.Max() <= s.Set.Tol {
				s.report(dst, qpbackend.Solved, used, "")
				return nil
			}
		}
		if ctxErr := ctx.Err(); ctxErr != nil {
			s.report(dst, qpbackend.Interrupted(ctxErr), used, message)
			return ctxErr
		}
		switch info.Status {
		case raw.Solved:
			res := s.best.Res.Max()
			if t.eps > s.Set.Tol {
				t.eps = max(t.eps*epsStep, s.Set.Tol)
				break
			}
			claimed = true
			t.eps *= min(max(s.Set.Tol/(2*min(res, 1)), 1e-3), 0.5)
			message = fmt.Sprintf("OSQP's own test passed, the certified residual is %.1e", res)
		case raw.PrimalInfeasible, raw.PrimalInfeasibleInaccurate:
			worth := s.primalCertificate(dst, used)
			if worth <= s.Set.InfeasTol {
				return nil
			}
			t.primal = tighter(t.primal, s.Set.InfeasTol, worth)
			message = fmt.Sprintf("OSQP claims primal infeasibility, but its certificate is worth %.1e", worth)
		case raw.DualInfeasible, raw.DualInfeasibleInaccurate:
			worth := s.dualCertificate(dst, used)
			if worth <= s.Set.InfeasTol {
				return nil
			}
			t.dual = tighter(t.dual, s.Set.InfeasTol, worth)
			message = fmt.Sprintf("OSQP claims dual infeasibility, but its certificate is worth %.1e", worth)
		case raw.Nonconvex:
			s.report(dst, qpbackend.NumericalTrouble, used, "OSQP diverged")
			return nil
		case raw.Unsolved: // left early with an error, other than a failed polish
			s.broken = true
			s.report(dst, qpbackend.NumericalTrouble, used, s.refusal(err).Error())
			return nil
		default: // inaccurate, or a slice has ended
			round--
		}
		if claimed && t.eps < minEps || info.Iterations == 0 {
			break
		}
	}
	s.giveUp(dst, used, claimed, message)
	return nil
}

// tighter is the next tolerance for certificates after one that was worth too
// little.
func tighter(eps, want, worth float64) float64 {
	if !(worth < math.Inf(1)) {
		return eps / 1000
	}
	return eps * min(max(want/(2*worth), 1e-3), 0.1)
}

// giveUp reports the best iterate when no round ended it.
func (s *solver) giveUp(dst *qpbackend.Result, used int, claimed bool, message string) {
	status := qpbackend.NumericalTrouble
	switch {
	case claimed && s.best.Res.Max() <= looseFactor*s.Set.Tol:
		status = qpbackend.AlmostSolved
	case used >= s.Set.MaxIter:
		status = qpbackend.IterationLimit
	}
	s.report(dst, status, used, message)
}

// run has OSQP iterate at most n times from where it stands. With hooks it is
// stopped by them: OSQP's own limit ends with a test at ten times the
// tolerances, and an infeasibility that it then suspects costs the iterate.
// Without hooks it does one slice, with that factor of ten taken off.
func (s *solver) run(t target, n int) (raw.Info, error) {
	set, limit := s.raw, 0
	set.EpsAbs, set.EpsRel = t.eps, t.eps
	set.EpsPrimInf, set.EpsDualInf = t.primal, t.dual
	if raw.Interruptible() {
		set.MaxIter, limit = n+1, n
	} else {
		set.MaxIter = min(n, sliceIter)
		set.EpsPrimInf /= 10
		set.EpsDualInf /= 10
	}
	if err := s.c.UpdateSettings(set); err != nil {
		return raw.Info{Status: raw.Unsolved}, err
	}
	return s.c.Solve(limit)
}

// consider makes cand the best point if it is. A point with NaN never is.
func (s *solver) consider() {
	s.cand.Res = s.Set.Certify(context.Background(), s.P, nil, s.cand.X, s.cand.Y, s.cand.Z, s.work)
	r := s.cand.Res.Max()
	if !(s.best.Res.Max() <= r) && !math.IsNaN(r) && s.cand.Finite() {
		s.best, s.cand = s.cand, s.best
	}
}

// primalCertificate measures OSQP's certificate on the problem as stated, and
// reports it if it is good enough.
func (s *solver) primalCertificate(dst *qpbackend.Result, used int) (worth float64) {
	y := s.dual
	s.c.PrimalCertificate(y)
	support := 0.0
	for i, v := range y {
		switch {
		case v > 0 && !math.IsInf(s.rows.U[i], 1):
			support += v * s.rows.U[i]
		case v < 0 && !math.IsInf(s.rows.L[i], -1):
			support += v * s.rows.L[i]
		default:
			y[i] = 0
		}
	}
	for i := range y {
		y[i] /= -support
	}
	s.fromRows(&s.cand)
	if worth = qpbackend.PrimalInfeasibility(s.P, s.cand.Y, s.cand.Z); worth <= s.Set.InfeasTol {
		s.report(dst, qpbackend.PrimalInfeasible, used, "")
	}
	return worth
}

// dualCertificate does the same with a direction of unboundedness.
func (s *solver) dualCertificate(dst *qpbackend.Result, used int) (worth float64) {
	d, slope := s.cand.X, 0.0
	s.c.DualCertificate(d)
	for j, v := range d {
		slope += s.P.Q[j] * v
	}
	for j := range d {
		d[j] /= -slope
	}
	if worth = qpbackend.DualInfeasibility(s.P, d); worth <= s.Set.InfeasTol {
		s.report(dst, qpbackend.DualInfeasible, used, "")
	}
	return worth
}

// report fills dst with the best point, or the proof in cand.
func (s *solver) report(dst *qpbackend.Result, status qpbackend.Status, used int, message string) {
	dst.Iterations, dst.Message = used, message
	s.Report(dst, status, &s.best, &s.cand)
}

// solveEmpty solves a problem without variables, which OSQP refuses: the rows
// ask for l ≤ 0 ≤ u.
func (s *solver) solveEmpty(dst *qpbackend.Result) {
	clear(s.best.Y)
	s.best.Res = s.Set.Certify(context.Background(), s.P, nil, s.best.X, s.best.Y, s.best.Z, s.work)
	for i := range s.P.L {
		bound := s.P.L[i]
		if bound <= 0 {
			bound = s.P.U[i]
		}
		if s.P.L[i] > 0 || s.P.U[i] < 0 {
			s.cand.Set(nil, nil, nil)
			s.cand.Y[i] = -1 / bound
			s.report(dst, qpbackend.PrimalInfeasible, 0, "")
			return
		}
	}
	s.report(dst, qpbackend.Solved, 0, "")
}
