package interior

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Weights of the proximal terms, after Schwan et al.
// Source: firstρ, firstδ and floor are defaults of PIQP, Schwan and others 2023; docs/bench.md,
// Constants of ipm.
const (
	firstρ, firstδ = 1e-6, 1e-4
	floor          = 1e-10 // they fall with μ to this
	fineFloor      = 1e-15 // and to this, where they keep a residual from falling
	ceiling        = 1e-5  // they do not grow beyond, where factorisations fail
	maxRetries     = 8     // of a factorisation, each with weights a hundred times larger
	missed         = 1e3   // a direction that misses the goal of its accuracy by less is taken
)

// nearly is the miss of the goal up to which a direction is taken where rows of cones are
// eliminated, without heavier weights: they cost residuals that do not come down again.
// Source: of 15 problems of SDPLIB (control, hinf, gpp, qap) hinf8 ends in numerical trouble at 3 and less,
// none from 10 to 100; from 30 on hinf2 has residuals below 1e-7.
const nearly = 30

// The same for problems with cones. The blocks of cones have eigenvalues far apart, and
// a residual of the rows in their large ones moves s and z by little: a heavier proximal
// term costs more than the accuracy is worth. Source: of 732 convex problems of
// internal/judge's series that plain values leave unsolved or barely solved, 320 are
// solved and 218 end in numerical trouble with the values above, 384 and 176 with this
// ceiling, 439 and 111 with both, 518 and 70 with expanded blocks besides.
const (
	conicCeiling = 1e-10
	conicMissed  = 1e9
)

func (w *Work) firstWeights() {
	r := &w.reg
	r.ρ, r.δ = max(firstρ, r.least), firstδ
	r.floorρ, r.floorδ = max(floor, r.least), floor
	r.lastP, r.lastD, r.lastμ = math.Inf(1), math.Inf(1), 0
}

// relax lets the weights fall with μ, and faster where a residual has not fallen
// by the amount that the step should have removed: then the proximal term holds it up.
func (w *Work) relax() {
	r := &w.reg
	fall := 1.0
	if r.lastμ > 0 {
		fall = min(max(w.μ/r.lastμ, 0), 1)
	}
	if w.degree() == 0 {
		fall = 0.1
	}
	if w.dinf > 2*(1-w.αd)*r.lastD {
		r.floorρ = max(fineFloor, r.least, r.floorρ/10)
		r.ρ /= 10
	}
	if w.pinf > 2*(1-w.αp)*r.lastP {
		r.floorδ = max(fineFloor, r.floorδ/10)
		r.δ /= 10
	}
	r.ρ, r.δ = max(r.floorρ, fall*r.ρ), max(r.floorδ, fall*r.δ)
	r.lastP, r.lastD, r.lastμ = w.pinf, w.dinf, w.μ
}

// factorAndSolve factors at the present point and solves by the function given. Where that is not accurate enough ρ and δ
// grow, and where rows are eliminated the factor alone becomes heavier before. It reports failure when they cannot help.
//
// Source: with heavier factors for all cones db_shear_wall of CBLIB takes 59 iterations (171, or 200 do not solve it) and varun ends at 5e-9
// (4e-7), but convex problems of internal/judge take 1.4 times as long, and a sum of square roots that grows without end was not seen as such.
func (w *Work) factorAndSolve(ctx context.Context, solve func(context.Context) kkt.Accuracy) bool {
	r, most, missed := &w.reg, ceiling, missed
	if w.cone.expanded > 0 && w.cone.expanded == len(w.cone.of) && w.sys.Strategy() == kkt.Sparse {
		most, missed = conicCeiling, conicMissed
	}
	goal := w.goal
	if w.sys.Outweigh(0) {
		goal.X, goal.Y = nearly*goal.X, nearly*goal.Y
	}
	heavier := r.ρ
	for range maxRetries {
		w.weigh()
		_, err := w.sys.Factorise(ctx, w.diag)
		if err == nil && solve(ctx).Within(goal) {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if heavier *= 100; heavier <= ceiling && w.sys.Outweigh(heavier) { // residuals come down further than with heavier ρ and δ
			continue
		}
		if err != nil { // without a factor accuracy is no concern: nql60 of CBLIB needs that
			most = ceiling
		}
		if r.ρ >= most && r.δ >= most {
			break
		}
		r.ρ, r.δ = max(r.ρ, min(100*r.ρ, most)), max(r.δ, min(100*r.δ, most))
		r.floorρ, r.floorδ = max(r.least, r.ρ/100), r.δ/100
	}
	loose := kkt.Accuracy{X: missed * w.goal.X, Y: missed * w.goal.Y}
	return solve(ctx).Within(loose)
}

// setGoal says how accurate a KKT solve has to be for the residuals to keep
// falling.
func (w *Work) setGoal() {
	sd := &w.side
	w.goal.X = max(w.dinf/20, 1e-11*max(sd.norm(w.grad), sd.norm(w.aty)), 1e-13)
	w.goal.Y = max(w.pinf/20, 1e-11*sd.norm(w.v[w.n:]), 1e-13)
	enough := w.method.goal(w)
	w.goal.X, w.goal.Y = max(w.goal.X, enough), max(w.goal.Y, enough)
}
