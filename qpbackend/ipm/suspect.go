package ipm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Where the iterates of the main run prove nothing but do not converge either,
// two auxiliary problems decide; with cones, the embedding does without. Both always have a solution, and share the
// pattern and the factorisation of the main one.
//
// Primal: minimise ½‖v‖² over l ≤ Ax + v ≤ u, the bounds of variables kept. Its
// multipliers y are the optimal v, Aᵀy + (multipliers of bounds) = 0 and the
// support value of y is −‖v‖²: a proof unless v = 0.
//
// Dual: minimise ½K·dᵀPd + qᵀd + ½‖d − c‖² over the directions d in which all
// rows and bounds stay met, c = 0 first and then the solution before. It is the
// proximal point method; its steps d − c tend to the element of least norm in
// the closure of the gradients' range, for which Pd = 0 and qᵀd = −‖d‖², unless
// it is zero.
const (
	stiffness     = 1e4 // K
	proximalSteps = 4
	auxAccuracy   = 1e-12
	refuted       = 1e-7 // violation, in the scaled problem, that refutes primal infeasibility
)

// auxiliary judges an auxiliary run.
type auxiliary struct {
	s      *solver
	w      *work
	centre []float64 // c
	d      []float64
	dual   bool
}

func (s *solver) newAuxiliary(sys *kkt.System) *auxiliary {
	n := s.w.n
	a := &auxiliary{
		s: s, w: newWork(s.w.p, s.w.at, sys, nil),
		centre: make([]float64, n), d: make([]float64, n),
	}
	a.w.sameStep = true
	return a
}

// look stops at a proof, or where the run has converged without one.
func (a *auxiliary) look(_ context.Context, w *work, _ int) verdict {
	if a.dual {
		for j, x := range w.x {
			a.d[j] = x - a.centre[j]
		}
		clear(w.bs[w.n:])
		w.sys.AddAx(w.bs[w.n:], a.d)
		if a.s.dualProof(a.d, w.bs[w.n:]) {
			return done
		}
	} else if _, ok := a.s.primalProof(w.y[w.n:], w.aty); ok {
		return done
	}
	if math.IsNaN(w.pinf + w.dinf + w.μ) {
		return broken
	}
	if !a.dual && max(w.pinf, normInf(w.y[w.n:])) <= refuted {
		return hopeless
	}
	size := 1 + max(normInf(w.x), normInf(w.y))
	if max(w.pinf, w.dinf, math.Sqrt(w.μ)) <= auxAccuracy*size {
		return hopeless
	}
	return goOn
}

// provePrimal solves the primal auxiliary problem with at most maxIter
// iterations.
func (a *auxiliary) provePrimal(ctx context.Context, maxIter int) (int, verdict) {
	w := a.w
	w.θ, w.γx, w.γy = 0, 0, 1
	a.dual = false
	clear(w.q)
	copy(w.lo, a.s.w.lo)
	copy(w.up, a.s.w.up)
	w.classify()
	return w.run(ctx, a, maxIter)
}

// proveDual takes proximal steps on the dual one.
func (a *auxiliary) proveDual(ctx context.Context, maxIter int) (iter int, v verdict) {
	w := a.w
	w.θ, w.γx, w.γy = stiffness, 1, 0
	a.dual = true
	clear(a.centre)
	for i := range w.lo {
		w.lo[i], w.up[i] = math.Inf(-1), math.Inf(1)
		if !math.IsInf(a.s.w.lo[i], -1) {
			w.lo[i] = 0
		}
		if !math.IsInf(a.s.w.up[i], 1) {
			w.up[i] = 0
		}
	}
	w.classify()
	for range proximalSteps {
		for j, q := range a.s.w.q {
			w.q[j] = q - a.centre[j]
		}
		var k int
		k, v = w.run(ctx, a, maxIter-iter)
		iter += k
		if v != hopeless {
			return iter, v
		}
		copy(a.centre, w.x)
	}
	return iter, v
}

// suspect decides by the auxiliary problems whether the main one is infeasible.
// It returns done with a proof in s.cert, and goOn where there is none.
func (s *solver) suspect(ctx context.Context, w *work, k int) verdict {
	pr := &s.progress
	pr.suspected++
	if s.aux == nil {
		s.aux = s.newAuxiliary(w.sys)
	}
	defer w.sys.Load(w.θ, w.off)
	for _, try := range [2]struct {
		prove  func(context.Context, int) (int, verdict)
		status qpbackend.Status
	}{{s.aux.provePrimal, qpbackend.PrimalInfeasible}, {s.aux.proveDual, qpbackend.DualInfeasible}} {
		iter, v := try.prove(ctx, min(auxIter*pr.suspected, s.set.MaxIter-k-pr.aux))
		pr.aux += iter
		switch v {
		case done:
			pr.status = try.status
			return done
		case outOfTime:
			return v
		}
	}
	return goOn
}

// auxIter bounds the iterations of one auxiliary problem.
const auxIter = 50
