package ipm

import "context"

// verdict is the judgement of a point, or of a run by itself.
type verdict uint8

const (
	goOn    verdict = iota
	done            // the judge is satisfied
	givenUp         // nothing more will come of this run
	outOfIterations
	outOfTime
	broken // a factorisation failed or the iterates ceased to be numbers
)

// judge looks at each iterate.
type judge interface {
	look(ctx context.Context, w *work, k int) verdict
}

// run makes a first point and iterates from there.
func (w *work) run(ctx context.Context, j judge, maxIter int) (int, verdict) {
	w.sys.Load(w.θ, w.off)
	if !w.start(ctx) {
		return 0, w.failure(ctx)
	}
	return w.iterate(ctx, j, maxIter)
}

// iterate goes on until j has seen enough or maxIter iterations are done, and
// returns their number.
func (w *work) iterate(ctx context.Context, j judge, maxIter int) (int, verdict) {
	for k := 0; ; k++ {
		w.residuals()
		if v := j.look(ctx, w, k); v != goOn {
			return k, v
		}
		if k == maxIter {
			return k, outOfIterations
		}
		if ctx.Err() != nil {
			return k, outOfTime
		}
		w.relax()
		w.setGoal()
		w.affine()
		if !w.scale(ctx) || !w.factorAndSolve(ctx) { // predictor
			return k, w.failure(ctx)
		}
		w.method.prepare(ctx, w)
		w.method.complete(w)
		w.stepLengths(1)
		σ := w.centring()
		w.method.lowerResiduals(w, σ)
		w.centre(σ)
		w.correct(ctx)
		if w.tooShort() {
			w.forget()
			w.centre(σ)
			w.correct(ctx)
		}
		w.advance()
	}
}

// failure is the verdict on a step that failed: an end of ctx lets it fail too.
func (w *work) failure(ctx context.Context) verdict {
	if ctx.Err() != nil {
		return outOfTime
	}
	return broken
}

// correct solves for the corrector and finds its steps.
func (w *work) correct(ctx context.Context) {
	w.direction(ctx)
	w.method.complete(w)
	w.stepLengths(w.method.back(w.μ))
}
