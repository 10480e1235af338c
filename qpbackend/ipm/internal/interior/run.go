package interior

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend/internal/cone"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Verdict is the judgement of a point, or of a run by itself.
type Verdict uint8

const (
	GoOn    Verdict = iota
	Done            // the judge is satisfied
	GivenUp         // nothing more will come of this run
	OutOfIterations
	OutOfTime
	Broken // a factorisation failed or the iterates ceased to be numbers
)

// Judge looks at each iterate.
type Judge interface {
	Look(ctx context.Context, w *Work, k int) Verdict
}

// Load takes the linear systems from w, which shares them with the embedding that it is given.
func (w *Work) Load() { w.lin.sys.Load(w.prog.θ, w.prog.off) }

// Within lets the operations of large matrices end early once ctx has ended, the context of all
// runs until the next call.
func (w *Work) Within(ctx context.Context) {
	for _, mb := range w.cone.of {
		if c, ok := mb.Cone.(*cone.Semidefinite); ok {
			c.Within(ctx)
		}
	}
}

// Run makes a first point and iterates from there.
func (w *Work) Run(ctx context.Context, j Judge, maxIter int) (int, Verdict) {
	w.Load()
	if !w.start(ctx) {
		return 0, ended(ctx, Broken)
	}
	w.fresh, w.trial.warm = !w.Homogeneous(), false
	return w.Iterate(ctx, j, maxIter)
}

// Iterate goes on until j has seen enough or maxIter iterations are done, and
// returns their number.
func (w *Work) Iterate(ctx context.Context, j Judge, maxIter int) (int, Verdict) {
	w.trial.set, w.trial.tried, w.αp, w.αd = w.trial.set[:0], false, 1, 1
	clear(w.side.ds) // there is no step yet
	clear(w.side.dz)
	w.lin.sys.FormExactly(false)
	for k := 0; ; k++ {
		w.residuals()
		if v := j.Look(ctx, w, k); v == Broken {
			return k, ended(ctx, Broken)
		} else if v != GoOn {
			return k, v
		}
		if k == maxIter {
			return k, OutOfIterations
		}
		if ctx.Err() != nil {
			return k, OutOfTime
		}
		was := w.lin.goal
		w.setGoal()
		w.relax(was)
		if !w.scale(ctx) || !w.step(ctx) {
			return k, ended(ctx, Broken)
		}
		if ctx.Err() != nil { // the step may be of no use
			return k, OutOfTime
		}
		w.advance()
		w.hold()
		w.raise(w.lift(k))
	}
}

// step finds the direction of a step and its lengths, by a predictor and a corrector. It reports
// failure of the factorisation.
func (w *Work) step(ctx context.Context) bool {
	if !w.Homogeneous() {
		return w.factorAndSolve(ctx, w.predictor, w.predictOnce)
	}
	if !w.factorAndSolve(ctx, w.predictor, w.begun) {
		return false
	}
	w.method.prepare(ctx, w)
	w.method.complete(w)
	w.stepLengths(1)
	if ctx.Err() != nil {
		return false
	}
	σ := w.centring()
	w.method.lowerResiduals(w, σ)
	w.centre(σ)
	w.correct(ctx)
	if w.tooShort() {
		w.forget()
		w.centre(σ)
		w.correct(ctx)
	}
	return true
}

// predictor makes the right-hand side of the predictor.
func (w *Work) predictor() []float64 {
	w.affine()
	w.right()
	return w.lin.rhs
}

// begun is direction for the predictor. Where cones are not symmetric, and weights light, its goal
// is a larger one, and the residual that it returns counts as a share of that.
func (w *Work) begun(ctx context.Context) kkt.Accuracy {
	by := 1.0
	if w.cone.asym && w.light() {
		by = predicted
	}
	acc := w.lin.sys.SolveBegun(ctx, w.lin.sol, w.lin.rhs, kkt.Accuracy{X: by * w.lin.goal.X, Y: by * w.lin.goal.Y})
	w.recover()
	return kkt.Accuracy{X: acc.X / by, Y: acc.Y / by}
}

// predicted is by how much that goal is larger. Source: 1150 random programs with exponential and
// power cones, see stepAccuracy of package cone, take 13,557 iterations and 4.2 solves in each with
// 1, 13,562 and 4.1 with 10, 13,612 and 4.1 with 30.
const predicted = 10

// predictOnce takes the predictor of plain as it comes, and returns the residual of the corrector.
// The predictor decides on the centring and the terms of second order alone: refined as the
// corrector is, it saves no iteration of 1042 on 65 problems of Maros and Meszaros, at 1e-9 one of
// 1073.
func (w *Work) predictOnce(ctx context.Context) kkt.Accuracy {
	w.lin.sys.SolveAhead(w.lin.sol, w.lin.rhs)
	w.recover()
	w.stepLengths(1)
	w.centre(w.centring())
	return w.correct(ctx)
}

// ended is the verdict on a step that failed, or on sets that cannot be gone on with: an end of ctx
// lets them fail too.
func ended(ctx context.Context, v Verdict) Verdict {
	if ctx.Err() != nil {
		return OutOfTime
	}
	return v
}

// correct solves for the corrector and finds its steps. It returns the residual of the KKT solve.
func (w *Work) correct(ctx context.Context) kkt.Accuracy {
	acc := w.direction(ctx)
	w.reg.left = acc
	w.method.complete(w)
	w.stepLengths(w.method.back(w.res.μ))
	return acc
}
