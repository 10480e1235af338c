package interior

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Weights of the proximal terms, after Schwan et al.
// Source: firstρ, firstδ and floor are defaults of PIQP, Schwan and others 2023;
// docs/lab/bench.md, Constants of ipm. Without safeFloor the program of TestRoundingOfLightWeights
// ends almost solved, at 4e-8; with shares of .1 and .5 it is solved, and others take as many
// iterations.
const (
	firstρ, firstδ = 1e-6, 1e-4
	floor          = 1e-10 // they fall with μ to this
	fineFloor      = 1e-15 // and to this, where they keep a residual from falling
	safeFloor      = 1e-13 // of ρ, where below it solves leave that share of the dual residual behind,
	roundedShare   = 0.25
	ceiling        = 1e-5 // they do not grow beyond, where factorisations fail
	maxRetries     = 8    // of a factorisation, each with weights a hundred times larger
	missed         = 1e3  // a direction that misses the goal of its accuracy by less is taken
)

// nearly is the miss of the goal up to which a direction is taken where rows of cones are
// eliminated, without heavier weights: they cost residuals that do not come down again. Source: of
// 15 problems of SDPLIB (control, hinf, gpp, qap) hinf8 ends in numerical trouble at 3 and less,
// none from 10 to 100; from 30 on hinf2 has residuals below 1e-7. Where the Schur complement is
// without cancellation, a heavier factor is tried, and then any miss up to missed is taken: with
// heavier weights in place of that 66 of 900 random linear matrix inequalities are not solved, and
// 7 so.
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

// coarseFloor is the limit to which light weights grow where the systems lose too many digits.
// Source: of CBLIB db_shear_wall, nql60 and varun take 69, 20 and 25 iterations. With 1e-9 59, 20
// and 25; weights that grow threefold, not tenfold, 58, 23 and 24, a hundredfold 69, 27 and 51
// (7e-8); weights that do not grow 176, 23 and 64 (7e-8).
const coarseFloor = 1e-8

func (w *Work) firstWeights() {
	r := &w.reg
	r.ρ, r.δ = max(firstρ, r.least), firstδ
	r.floorρ, r.floorδ = max(floor, r.least), floor
	r.lastP, r.lastD, r.lastμ, r.held = math.Inf(1), math.Inf(1), 0, kkt.Accuracy{}
}

// heldUp: a residual is held up by a proximal term where that many times the term is as large as it
// is. Source: docs/lab/bench.md, Constants of ipm.
const heldUp = 4

// relax lets the weights fall with μ, and faster where the proximal term holds a residual up, the
// part that a whole step would leave. In the embedding, where every step is a combination of two,
// such a residual is one that has not fallen by the amount that the step should have removed. Where
// the solution of that step's system missed its goal, the argument, rounding holds it up, and light
// weights grow: a pivot that is one of them alone, of a free variable or an equation, takes as many
// digits from its neighbours as it is smaller than they are.
func (w *Work) relax(goal kkt.Accuracy) {
	r := &w.reg
	fall := 1.0
	if r.lastμ > 0 {
		fall = min(max(w.res.μ/r.lastμ, 0), 1)
	}
	if w.degree() == 0 {
		fall = 0.1
	}
	dual, primal := w.res.dinf > 2*(1-w.αd)*r.lastD, w.res.pinf > 2*(1-w.αp)*r.lastP
	if w.light() && (dual && r.left.X > goal.X || primal && r.left.Y > goal.Y) {
		r.floorρ, r.floorδ = max(r.floorρ, min(10*r.ρ, coarseFloor)), max(r.floorδ, min(10*r.δ, coarseFloor))
		dual, primal = false, false
	}
	// The dual residual belongs to the solve:
	rounded := dual && r.ρ < safeFloor && r.left.X > roundedShare*w.res.dinf
	if !w.Homogeneous() { // a residual within the goal of the next solve is rounding
		dual = w.res.dinf > w.lin.goal.X && heldUp*r.held.X >= w.res.dinf
		primal = w.res.pinf > w.lin.goal.Y && heldUp*r.held.Y >= w.res.pinf
	}
	if rounded {
		r.floorρ, dual = safeFloor, false
	}
	if dual {
		r.floorρ = max(fineFloor, r.least, r.floorρ/10)
		r.ρ /= 10
	}
	if primal {
		r.floorδ = max(fineFloor, r.floorδ/10)
		r.δ /= 10
	}
	r.ρ, r.δ = max(r.floorρ, fall*r.ρ), max(r.floorδ, fall*r.δ)
	r.lastP, r.lastD, r.lastμ = w.res.pinf, w.res.dinf, w.res.μ
}

// hold notes the part of the residuals that the proximal terms hold after the step.
func (w *Work) hold() {
	if r, sd := &w.reg, &w.side; !w.Homogeneous() {
		r.held = kkt.Accuracy{X: r.ρ * sd.norm(w.dx), Y: r.δ * max(sd.norm(w.dy[w.n:]), sd.norm(sd.dz))}
	}
}

// light reports whether the weights suit problems with cones: all of these are expanded,
// and no rows are eliminated.
func (w *Work) light() bool {
	return w.cone.expanded > 0 && w.cone.expanded == len(w.cone.of) && w.lin.sys.Strategy() == kkt.Sparse
}

// outweigh makes the factor alone heavier, after a solve with that residual, where that is of use:
// where rows are eliminated, and with light weights where the goal is missed by far. There
// corrections by the factor can grow tenfold each. Source: varun of CBLIB, which ends in 52
// iterations at 7e-8 without, takes 25 to 1e-8, with any miss from 10 to 1e3 goals. Of 1350 random
// programs with second-order, exponential and power cones 9 that were not solved are, in as many
// iterations of all and with as many factorisations. With a miss of one goal db_shear_wall takes
// twice the time; with heavier factors from the start convex problems of internal/judge take 1.4
// times as long, and a sum of square roots that grows without end was not seen as such.
func (w *Work) outweigh(by float64, acc kkt.Accuracy) bool {
	far := w.light() && !acc.Within(kkt.Accuracy{X: missed * w.lin.goal.X, Y: missed * w.lin.goal.Y})
	return (far || w.lin.sys.Strategy() == kkt.Schur) && w.lin.sys.Outweigh(by)
}

// factorAndSolve factors at the present point and solves by the function given. Where that is not
// accurate enough the factor alone becomes heavier, see outweigh, or else ρ and δ grow. It reports
// failure when they cannot help.
//
// With before, which makes a right-hand side, the factorisation begins to solve for it.
func (w *Work) factorAndSolve(ctx context.Context, before func() []float64,
	solve func(context.Context) kkt.Accuracy) bool {
	r, most, missed := &w.reg, ceiling, missed
	if w.light() {
		most, missed = conicCeiling, conicMissed
	}
	goal := w.lin.goal
	taken := kkt.Accuracy{X: missed * goal.X, Y: missed * goal.Y}
	if w.lin.sys.Strategy() == kkt.Schur {
		goal.X, goal.Y = nearly*goal.X, nearly*goal.Y
	}
	w.lin.sys.Outweigh(0)
	heavier := r.ρ
	var rhs []float64
	var acc kkt.Accuracy
	by, tried := 0.0, false // the weight of a factor that serves, and a heavier one has been tried
	for range maxRetries {
		w.weigh()
		if before != nil {
			rhs = before()
		}
		_, err := w.lin.sys.FactoriseAhead(ctx, w.lin.diag, rhs)
		if acc.X = math.NaN(); err == nil {
			acc = solve(ctx)
		}
		if acc.Within(goal) {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		// a heavier factor may be a worse one: it has to halve the residual
		if w.lin.sys.Exact() && (tried || acc.Within(taken)) {
			if tried {
				goal = taken
				w.lin.sys.Outweigh(by)
			} else {
				tried = true
				goal.X, goal.Y = max(goal.X, acc.X/2), max(goal.Y, acc.Y/2)
				w.lin.sys.Outweigh(100 * heavier)
			}
			continue
		}
		if w.lin.sys.FormExactly(true) {
			continue
		}
		// residuals come down further than with heavier ρ and δ
		if heavier *= 100; heavier <= ceiling && w.outweigh(heavier, acc) {
			by = heavier
			continue
		}
		if err != nil { // without a factor accuracy is no concern: nql60 of CBLIB needs that
			most = ceiling
		}
		if r.ρ >= most && r.δ >= most {
			break
		}
		// Rows that are eliminated first leave AᵀA/δ in the equations of x, where it rounds the
		// other terms; variables leave as much in the equations of rows.
		both := w.Homogeneous() || err != nil
		if both || !(acc.Y <= goal.Y) || r.δ >= most {
			r.ρ = max(r.ρ, min(100*r.ρ, most))
			r.floorρ = max(r.least, r.ρ/100)
		}
		if both || !(acc.X <= goal.X) || r.ρ >= most {
			r.δ = max(r.δ, min(100*r.δ, most))
			r.floorδ = r.δ / 100
		}
	}
	return acc.Within(taken)
}

// setGoal says how accurate a KKT solve has to be for the residuals to keep
// falling.
func (w *Work) setGoal() {
	sd := &w.side
	w.lin.goal.X = max(w.res.dinf/20, 1e-11*max(sd.norm(w.res.grad), sd.norm(w.res.aty)), 1e-13)
	w.lin.goal.Y = max(w.res.pinf/20, 1e-11*sd.norm(w.v[w.n:]), 1e-13)
	enough := w.method.goal(w)
	w.lin.goal.X, w.lin.goal.Y = max(w.lin.goal.X, enough), max(w.lin.goal.Y, enough)
}
