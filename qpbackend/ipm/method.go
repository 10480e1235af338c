package ipm

import (
	"context"
)

// method holds the differences of the two ways to step: plain solves the problem
// itself, embedding its homogeneous form. Both take predictor and corrector from
// the same KKT system.
//
// The embedding takes one solve more for each iteration and steps of one length
// for primal and dual, and ends at a proof where there is no solution. On the 66
// problems of Maros and Meszaros, at 1e-8 and 1e-9, it solves all in 6 % fewer
// iterations than plain, and in 23 % more time (shifted geometric mean of CPU
// times, 14.4 and 17.8 ms; dcbench qp --tol 1e-8,1e-9 --repeat 5). So problems
// without cones are solved by plain, and by the embedding where plain makes no
// progress: see doubt.go.
type method interface {
	// τ is the factor of the data.
	τ() float64
	// degree is that of the pair (τ, κ), 1 or 0.
	degree() float64
	// load notes the problem just loaded.
	load(w *work)
	// unshift adds to x, in the units of the scaled problem, the fixed values that load took out.
	unshift(x []float64)
	// begin sets τ and κ for a first point.
	begin()
	// moderate bounds the size of the point of the weighted problem.
	moderate(w *work)
	// warmed completes a warm start.
	warmed(w *work)
	// warmth is the share of its distance from optimal by which a warm start is
	// moved inside, and the distance from which on it is of no use.
	warmth() (share, limit float64)

	// residual measures the equations that the method adds to those of the problem,
	// and sets w.μ, given sᵀz there.
	residual(w *work)
	// goal is the accuracy of a KKT solve that is always enough.
	goal(w *work) float64
	affine()
	centre(σμ float64)
	// prepare is called after a factorisation.
	prepare(ctx context.Context, w *work)
	// complete makes the direction of the method from that of the residuals.
	complete(w *work)
	// lowerResiduals reduces the residuals to the part that a corrector with centring σ removes.
	lowerResiduals(w *work, σ float64)
	// forget makes the next corrector one of first order.
	forget()
	// back is the share of the way to the boundary that a step goes.
	back(μ float64) float64
	// steps makes w.αp and w.αd, which keep the parts inside, those of the method.
	steps(w *work, share float64)
	// after is τκ after a step.
	after(α float64) float64
	advance(α float64)

	// distance is how many tolerances, in the scaled residuals, are far from the
	// end.
	distance() float64
	// ray is a direction in which the objective may fall for ever, beside the last
	// step, with its image under A; nil for none.
	ray(w *work) (d, ad []float64)
}

// plain steps on the problem itself. With sameStep primal and dual steps have one
// length.
type plain struct{ sameStep bool }

// A step goes at least the share stepBack of the way to the boundary, and nearly
// all of it once μ is small: a step that stops at .99 leaves a hundredth of the
// residuals, however good its direction is.
// Source: docs/bench.md, Constants of ipm.
const (
	stepBack = 0.99
	mostBack = 1 - 1e-6
	growBack = 10 // that share is 1 − growBack·μ in between
)

func (plain) τ() float64                     { return 1 }
func (plain) degree() float64                { return 0 }
func (plain) load(*work)                     {}
func (plain) unshift([]float64)              {}
func (plain) begin()                         {}
func (plain) moderate(*work)                 {}
func (plain) warmed(*work)                   {}
func (plain) warmth() (share, limit float64) { return warmShare, warmLimit }

func (plain) residual(w *work) {
	if d := w.degree(); d > 0 {
		w.μ /= d
	}
}

func (plain) goal(*work) float64             { return 0 }
func (plain) affine()                        {}
func (plain) centre(float64)                 {}
func (plain) prepare(context.Context, *work) {}
func (plain) complete(*work)                 {}
func (plain) lowerResiduals(*work, float64)  {}
func (plain) forget()                        {}
func (plain) after(float64) float64          { return 0 }
func (plain) advance(float64)                {}
func (plain) distance() float64              { return distance }
func (plain) ray(*work) (d, ad []float64)    { return nil, nil }

func (plain) back(μ float64) float64 { return min(max(stepBack, 1-growBack*μ), mostBack) }

func (p plain) steps(w *work, _ float64) {
	if p.sameStep {
		w.αp = min(w.αp, w.αd)
		w.αd = w.αp
	}
}

// In multiples of the tolerance. In the embedding the scaled residuals tell more,
// and certificates, with projections on cones, take longer.
const (
	distance     = 1e3
	homoDistance = 30
	certifiable  = 30
)

// scaledError is the largest scaled residual or μ of the point over τ.
func (w *work) scaledError() float64 {
	τ := w.method.τ()
	return max(w.pinf, w.dinf, w.μ/τ) / τ
}
