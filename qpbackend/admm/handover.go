package admm

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

const (
	firstMark = 500 // iterations; the first comparison is at twice that
	maxIPM    = 500 // iterations of the interior point method
	// What an interior point solve costs: so many factorisations, and solves
	// with each, residuals and steps included.
	typicalIPM, solvesEach = 30, 6
)

// trend follows the least worth of the iterates from mark to mark, each at twice
// the iterations of the one before.
type trend struct {
	low        float64
	mark, next int
	atMark     float64 // low there
}

func newTrend() trend {
	return trend{low: math.Inf(1), next: firstMark, atMark: math.Inf(1)}
}

// ahead predicts the iterations still to come until tol, at the pace since the
// last mark. It is asked at every test and has an answer at the marks.
func (t *trend) ahead(k int, worth, tol float64) (iterations float64, known bool) {
	t.low = min(t.low, worth)
	if k < t.next {
		return 0, false
	}
	pace := math.Log(t.atMark/t.low) / float64(k-t.mark)
	known = t.mark > 0
	t.mark, t.next, t.atMark = k, 2*k, t.low
	return math.Log(t.low/tol) / pace, known
}

// hopeless reports whether the interior point method is the quicker way to the
// end, by a wide margin: predictions are vague.
func (s *solver) hopeless() bool {
	k := s.run.k
	ahead, known := s.run.trend.ahead(k, s.w.now.worth, s.set.Tol)
	return known && !(ahead <= max(2*s.w.sys.successorCost(), float64(k)/2))
}

// successorCost is that of an interior point solve in iterations of this
// method. A solve takes four operations an entry of the factor.
func (s *system) successorCost() float64 {
	solve := 4 * float64(s.f.NNZ()+s.n+s.m)
	return typicalIPM * (solvesEach + s.f.Flops()/solve)
}

// successor is the interior point method on the same problem, made when first
// needed.
type successor struct {
	solver qpbackend.Solver
	stale  bool // the problem has changed since
}

// reserve is the iterations kept for the interior point method.
func (s *solver) reserve() int { return min(maxIPM, max(1, s.set.MaxIter/2)) }

// handOver lets the interior point method go on from the best point.
func (s *solver) handOver(ctx context.Context, dst *qpbackend.Result, why string) error {
	if err := s.readySuccessor(ctx); err != nil {
		s.report(dst, s.short(qpbackend.NumericalTrouble), fmt.Sprintf("%s; %v", why, err))
		return nil
	}
	why = fmt.Sprintf("handed over to the interior point method after %d iterations: %s", s.run.k, why)
	err := s.ip.solver.WarmStart(s.best.x, s.best.y, s.best.z)
	if err == nil {
		err = s.ip.solver.Solve(ctx, dst)
	}
	if err != nil && ctx.Err() == nil { // refused
		s.report(dst, s.short(qpbackend.NumericalTrouble), fmt.Sprintf("%s; %v", why, err))
		return nil
	}
	s.run.k += dst.Iterations
	dst.Iterations = s.run.k
	switch dst.Status {
	case qpbackend.Solved, qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		dst.Message = why
		return err
	case qpbackend.IterationLimit:
		dst.Status = qpbackend.NumericalTrouble // its own limit, not Settings.MaxIter
	}
	status, message := dst.Status, dst.Message
	s.cand.set(dst.X, dst.Y, dst.Z)
	s.certify(&s.cand)
	s.consider()
	if message != "" {
		why += "; " + message
	}
	s.report(dst, status, why)
	return err
}

// readySuccessor makes the interior point solver or brings it up to date.
func (s *solver) readySuccessor(ctx context.Context) error {
	if s.ip == nil {
		set := s.set
		set.MaxIter = s.reserve()
		solver, err := ipm.Backend{}.New(ctx, s.p, set)
		if err != nil {
			return err
		}
		s.ip = &successor{solver: solver}
		return nil
	}
	if !s.ip.stale {
		return nil
	}
	s.ip.stale = false
	p := s.p
	return s.ip.solver.Update(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val})
}
