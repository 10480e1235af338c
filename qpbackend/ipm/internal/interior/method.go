package interior

import (
	"context"

	"github.com/dcopt/dcopt/internal/num"
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
// progress: see doubt.go of package ipm.
type method interface {
	// τ is the factor of the data.
	τ() float64
	// degree of the pair (τ, κ), 1 or 0.
	degree() float64
	// load notes the problem just loaded.
	load(w *Work)
	// unshift adds to x, in the units of the scaled problem, the fixed values that load took out.
	unshift(x []float64)
	// begin makes τ, κ and the kind of steps fit for a first point.
	begin(w *Work)
	// moderate bounds the size of the point of the weighted problem.
	moderate(w *Work)
	// warmed completes a warm start.
	warmed(w *Work)
	// warmth is the share of its distance from optimal by which a warm start is
	// moved inside, and the distance from which on it is of no use.
	warmth() (share, limit float64)

	// residual measures the equations that the method adds to the equations of the problem,
	// and sets w.res.μ, given sᵀz there.
	residual(w *Work)
	// goal is the accuracy of a KKT solve that is always enough.
	goal(w *Work) float64
	affine()
	centre(σμ float64)
	// prepare is called after a factorisation.
	prepare(ctx context.Context, w *Work)
	// complete makes the direction of the method from the one of the residuals.
	complete(w *Work)
	// lowerResiduals reduces the residuals to the part that a corrector with centring σ removes.
	lowerResiduals(w *Work, σ float64)
	// forget makes the next corrector one of first order.
	forget()
	// back is the share of the way to the boundary that a step goes.
	back(μ float64) float64
	// steps makes w.αp and w.αd, which keep the parts inside, the steps of the method.
	steps(w *Work, share float64)
	// after is τκ after a step.
	after(α float64) float64
	advance(α float64)

	// distance is how many tolerances, in the scaled residuals, are far from the
	// end.
	distance() float64
	// ray is a direction in which the objective may fall for ever, beside the last
	// step, with its image under A; nil for none.
	ray(w *Work) (d, ad []float64)
}

// plain steps on the problem itself.
type plain struct {
	joint bool      // see Join
	pdx   []float64 // θP·dx
}

// A step goes at least the share stepBack of the way to the boundary, and nearly
// all of it once μ is small: a step that stops at .99 leaves a hundredth of the
// residuals, however good its direction is.
// Source: docs/lab/bench.md, Constants of ipm.
const (
	stepBack = 0.99
	mostBack = 1 - 1e-6
	growBack = 10 // that share is 1 − growBack·μ in between
)

func (plain) τ() float64                     { return 1 }
func (plain) degree() float64                { return 0 }
func (plain) load(*Work)                     {}
func (plain) unshift([]float64)              {}
func (p *plain) begin(w *Work)               { p.joint = float64(w.n-w.prog.bare) <= fewSquares*float64(w.n) }
func (plain) moderate(*Work)                 {}
func (plain) warmed(*Work)                   {}
func (plain) warmth() (share, limit float64) { return warmShare, warmLimit }

func (plain) residual(w *Work) {
	if d := w.degree(); d > 0 {
		w.res.μ /= d
	}
}

func (plain) goal(*Work) float64             { return 0 }
func (plain) affine()                        {}
func (plain) centre(float64)                 {}
func (plain) prepare(context.Context, *Work) {}
func (plain) complete(*Work)                 {}
func (plain) lowerResiduals(*Work, float64)  {}
func (plain) forget()                        {}
func (plain) after(float64) float64          { return 0 }
func (plain) advance(float64)                {}
func (plain) distance() float64              { return distance }
func (plain) ray(*Work) (d, ad []float64)    { return nil, nil }

func (plain) back(μ float64) float64 { return min(max(stepBack, 1-growBack*μ), mostBack) }

// fewSquares is the share of the variables that have squares in the objective up to which the
// lengths of steps are joined from the first one on. Source: docs/lab/bench.md, Constants of ipm.
const fewSquares = 1e-3

// Join lets the lengths of the steps of x and of the multipliers depend on each other until the
// next run (Curtis and Nocedal 2007): they leave (αd − αp)·P·dx of the dual residual behind, and
// the step that reaches farther is shortened to the length with the smallest residual, at most to
// the length of the other. It reports whether that changes anything: lengths of the embedding are
// equal, and a linear problem has no P.
func (w *Work) Join() bool {
	p, ok := w.method.(*plain)
	if !ok || p.joint || w.prog.bare == w.n {
		return false
	}
	p.joint = true
	return true
}

func (p *plain) steps(w *Work, _ float64) {
	if !p.joint || w.αp == w.αd || w.prog.bare == w.n {
		return
	}
	if p.pdx == nil {
		p.pdx = make([]float64, w.n)
	}
	g, r := p.pdx, w.res.rd
	clear(g)
	w.prog.p.AddSymMulVec(g, w.prog.θ, w.dx)
	for _, j := range w.prog.fixedVars {
		g[j] = 0
	}
	// The residual will be (1−αd)·r + (αd−αp)·g.
	rr, rg, gg := num.Dot(r, r), num.Dot(r, g), num.Dot(g, g)
	if w.αp < w.αd {
		if d := rr - 2*rg + gg; d > 0 {
			w.αd = min(w.αd, max((rr-rg-w.αp*(rg-gg))/d, w.αp))
		}
	} else if gg > 0 {
		w.αp = min(w.αp, max(((1-w.αd)*rg+w.αd*gg)/gg, w.αd))
	}
}

// In multiples of the tolerance. In the embedding the scaled residuals tell more,
// and certificates, with projections on cones, take longer.
// Source: docs/lab/bench.md, Constants of ipm.
const (
	distance     = 1e3
	homoDistance = 30
)

// ScaledError is the largest scaled residual or μ of the point over τ.
func (w *Work) ScaledError() float64 {
	return max(w.Primal(), w.Dual(), w.Complementarity())
}
