package ccp

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// mostRescued bounds the rescues of a run, mostHeld the changes of the proximal
// term.
const (
	mostRescued = 4
	mostHeld    = 6
)

// rescue is called where the backend has failed: first it gets the problem once
// more, scaled for the present values and without a starting point, then with a
// proximal term. It returns false where the run ends, with its status.
func (r *run) rescue(k int) (bool, error) {
	sol := &r.sub.res
	why := fmt.Sprintf("backend %s ended with %v in iteration %d, residual %.1g; %s", r.res.Backend, sol.Status, k, sol.Res.Max(), sol.Message)
	if r.rescued++; r.rescued > mostRescued {
		if !r.falls() {
			r.stop(Numerical, why)
		}
		return false, nil
	}
	if r.rescued%2 == 0 && r.set.Proximal {
		r.sub.dampen(r.nextρ())
	}
	return true, r.reopen()
}

// reopen makes the solver anew for the present linearisation.
func (r *run) reopen() error {
	if err := r.sub.linearise(r.z, r.τ); err != nil {
		return err
	}
	r.sub.close()
	r.sub.res.Status = qpbackend.Unknown
	return r.open()
}

// nextρ is a weight for the proximal term, heavier each time.
func (r *run) nextρ() float64 {
	if ρ := r.sub.prox.ρ; ρ > 0 {
		return 10 * ρ
	}
	obj, _ := r.sub.slopes(r.z)
	return 1e-2 * max(obj, 1e-3) / max(1, maxAbs(r.z))
}

// hold makes a convex problem bounded that is not: by a larger τ where its slacks
// run away, else by a proximal term, heavier each time. It returns false where
// the problem is unbounded itself, or there is nothing left to try.
func (r *run) hold() (bool, error) {
	if r.raise() {
		return true, nil
	}
	if r.unbounded(r.sub.res.X[:r.p.NumVars()]) {
		return false, nil
	}
	if r.held++; !r.set.Proximal || r.held > mostHeld {
		r.stop(Numerical, "the convex problem is unbounded although the problem itself need not be; bound the variables")
		return false, nil
	}
	r.sub.dampen(r.nextρ())
	return true, r.reopen()
}

// raise multiplies τ where an unbounded problem may be due to cheap slacks.
func (r *run) raise() bool {
	cheap, tiny := false, 1e-9*maxAbs(r.sub.res.X)
	for _, j := range r.sub.slacks {
		cheap = cheap || r.sub.res.X[j] > tiny
	}
	if !cheap || r.τ >= r.τMax {
		return false
	}
	r.τ = min(10*r.τ, r.τMax)
	return true
}

// unbounded reports whether the objective falls for ever along d, and the verdict
// if so. Where d leads away from the DC constraints it proves nothing.
func (r *run) unbounded(d []float64) bool { return r.fallsFrom(r.x, d, 1) }

// falls reports whether the best point is so far from the start that it can only
// be on the way to infinity, and the verdict if so.
func (r *run) falls() bool {
	d := make([]float64, len(r.x))
	for j := range d {
		d[j] = r.res.X[j] - r.x0[j]
	}
	far := maxAbs(d)
	if !r.res.feasible || !(far > farOut*max(1, maxAbs(r.x0))) || math.IsInf(far, 1) {
		return false
	}
	return r.fallsFrom(r.res.X, d, far)
}

// farOut is how many times the size of the start a point on the way to infinity
// is away.
const farOut = 100

// fallsFrom looks at points ever further along d, in steps of the given size.
func (r *run) fallsFrom(x, d []float64, size float64) bool {
	far := make([]float64, len(d))
	before, length := r.p.Objective.Value(x), max(maxAbs(d), math.SmallestNonzeroFloat64)
	for _, step := range []float64{1, 1e3, 1e6} {
		for j := range far {
			far[j] = x[j] + size*step*(d[j]/length)
		}
		v, relative, _ := r.p.Violations(far)
		obj := r.p.Objective.Value(far)
		within := v <= max(r.set.FeasTol, r.res.Violation)*(1+1e-6*step*size) || relative <= r.set.FeasTol
		if !within || !(obj < before) {
			return false
		}
		before = obj
	}
	r.stop(Unbounded, "the objective falls for ever along a direction that keeps the constraints; bound the variables")
	r.res.Objective = math.Inf(-1)
	if r.p.Maximize {
		r.res.Objective = math.Inf(1)
	}
	return true
}
