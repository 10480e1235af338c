package ccp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
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
// proximal term, then from another point with a τ that keeps it near the
// constraints. A first problem is asked for feasible points before that. It
// returns false where the run ends, with its status.
func (r *run) rescue(ctx context.Context) (bool, error) {
	sol := &r.sub.Res
	why := fmt.Sprintf("backend %s ended with %v in iteration %d, residual %.1g; %s", r.res.Backend, sol.Status, r.k, sol.Res.Max(), sol.Message)
	if r.rescued++; r.rescued > mostRescued {
		r.giveUp(Numerical, why)
		return false, nil
	}
	switch {
	case r.rescued == 1 && r.k == 1 && !r.res.nearly && r.sub.Excluded(ctx):
		r.res.Iterations++
		r.infeasible(ctx)
		return false, nil
	case r.rescued == 2 && r.set.Proximal:
		r.sub.Dampen(r.z)
	case r.rescued > 2 && r.again < attempts:
		r.sub.Calm()
		r.startAgain()
	}
	return true, r.reopen(ctx)
}

// lost reports whether the point has no tangents in numbers and there is no other
// to go on from.
func (r *run) lost() bool {
	r.sub.SizeUp(r.z, false)
	for r.sub.Linearise(r.z, r.τ) != nil {
		if r.again >= attempts {
			return true
		}
		r.startAgain()
	}
	return false
}

// reopen makes the solver anew for the present linearisation.
func (r *run) reopen(ctx context.Context) error {
	if err := r.sub.Linearise(r.z, r.τ); err != nil {
		return err
	}
	r.sub.Close()
	r.sub.Res.Status = qpbackend.Unknown
	return r.open(ctx)
}

// hold makes a convex problem bounded that is not: by a larger τ where its slacks
// run away, else by a proximal term, heavier each time. It returns false where
// the problem is unbounded itself, or there is nothing left to try.
func (r *run) hold(ctx context.Context) (bool, error) {
	if r.raise() {
		return true, nil
	}
	if r.unbounded(r.sub.Res.X[:r.p.NumVars()]) {
		return false, nil
	}
	if r.held++; !r.set.Proximal || r.held > mostHeld {
		r.stop(Numerical, "the convex problem is unbounded although the problem itself need not be; bound the variables")
		return false, nil
	}
	r.sub.Dampen(r.z)
	return true, r.reopen(ctx)
}

// raise multiplies τ where an unbounded problem may be due to cheap slacks.
func (r *run) raise() bool {
	cheap, tiny := false, 1e-9*subproblem.MaxAbs(r.sub.Res.X)
	for _, j := range r.sub.Slacks {
		cheap = cheap || r.sub.Res.X[j] > tiny
	}
	if !cheap || r.τ >= r.τMax {
		return false
	}
	r.τ = min(10*r.τ, r.τMax)
	return true
}

// unbounded reports whether the objective falls for ever along d, and the verdict
// if so. Where d leads away from the DC constraints it proves nothing. Entries that
// may be the backend's error are tried as they are and as 0.
func (r *run) unbounded(d []float64) bool {
	d = append([]float64(nil), d...)
	for _, share := range trims {
		r.trim(d, share)
		if r.fallsFrom(r.x, d, 1, 1e3) {
			return true
		}
	}
	return false
}

// distance is that of the last point from the start, in units of the start.
func (r *run) distance() float64 {
	far := 0.0
	for j, v := range r.x {
		far = max(far, math.Abs(v-r.x0[j])/r.home[j])
	}
	return far
}

// runsOff reports whether the points are much further from the start than when it
// was last asked, and so far that a ray may prove the problem unbounded.
func (r *run) runsOff() bool {
	far := r.distance()
	if !(far > max(farOut*farOut, 100*r.look)) {
		return false
	}
	r.look = far
	return true
}

// falls reports whether the last point is so far from the start that it can only
// be on the way to infinity, and the verdict if so. It looks from there on along
// the last step, and along the way from the start.
func (r *run) falls() bool {
	far := r.distance()
	if !r.res.nearly || !(far > farOut) || math.IsInf(far, 1) {
		return false
	}
	r.far = far > farOut*farOut
	d := make([]float64, len(r.x))
	for _, from := range [][]float64{r.before, r.x0} {
		if len(from) != len(d) {
			continue
		}
		for j, v := range r.res.X {
			d[j] = v - from[j]
		}
		// What stays behind the large entries may be on a border that the
		// direction must not cross, or on a curve.
		for _, share := range trims {
			r.trim(d, share)
			if r.fallsFrom(r.res.X, d, far, 10) {
				return true
			}
		}
	}
	return false
}

// trims are the shares of its largest entry below which those of a direction are
// taken for 0 in turn: each is proved, so that more of them cost nothing but time.
var trims = [...]float64{0, noise, 1e-3, 0.1, 1}

// trim sets the entries to zero that are below a share of the largest, each in
// the units of the start.
func (r *run) trim(d []float64, share float64) {
	least := share * r.length(d)
	for j, v := range d {
		if math.Abs(v)/r.home[j] < least {
			d[j] = 0
		}
	}
}

// length is the largest entry in the units of the start.
func (r *run) length(d []float64) float64 {
	top := 0.0
	for j, v := range d {
		top = max(top, math.Abs(v)/r.home[j])
	}
	return top
}

// giveUp ends the run as unbounded if it can only be that, else with the given
// status.
func (r *run) giveUp(s Status, why string) {
	switch {
	case r.falls():
	case r.far:
		r.stop(s, strings.TrimSpace("the points run off although no ray proves the problem unbounded; bound the variables; "+why))
	default:
		r.stop(s, why)
	}
}

// farOut is how many times the size of the start a point on the way to infinity
// is away.
const farOut = 30

// fallsFrom proves that the objective falls for ever along a ray from x: the
// variables that change have no bound on that side, no affine row has one in the
// way, and at four points, the first at a distance of size, each growth times as far
// as the one before, the last beyond all data, the other constraints hold and the objective falls at the
// same rate or faster.
func (r *run) fallsFrom(x, d []float64, size, growth float64) bool {
	d = append([]float64(nil), d...)
	length := r.length(d)
	if !(length > 0) || !r.free(d, noise*length) {
		return false
	}
	far := make([]float64, len(d))
	before, at, rate := r.p.Objective.Value(x), 0.0, math.Inf(1)
	for k := range 4 {
		step := size * math.Pow(growth, float64(k))
		if k == 3 {
			step = max(step, beyond)
		}
		for j := range far {
			far[j] = x[j] + step*(d[j]/length)
		}
		v := r.p.Violations(far)
		obj := r.p.Objective.Value(far)
		falls := (before - obj) / (step - at)
		within := v.Excess <= max(r.set.FeasTol, r.res.Violation)*(1+1e-6*step) || v.Relative <= r.set.FeasTol
		if within && math.IsInf(obj, -1) && k > 0 {
			break
		}
		if !within || !(before-obj > noise*finite(r.p.ObjectiveSize(far))) || k > 0 && !(falls >= 0.5*rate) {
			return false
		}
		before, at, rate = obj, step, falls
	}
	r.noBound("the objective falls for ever along a direction that keeps the constraints; bound the variables")
	return true
}

// beyond is further from the start, in its units, than any data.
const beyond = 1e24

// noise is the share of a direction's length, or of a row's or the objective's
// terms, below which a number may be a backend's error or what cancellation left.
const noise = 1e-6

// finite is v, 0 where that is infinite.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// free reports whether d is a direction in which bounds and affine rows let every
// point go for ever. Entries up to least that a bound stops become 0.
func (r *run) free(d []float64, least float64) bool {
	moves := false
	for j, v := range d {
		if v > 0 && !math.IsInf(r.hi[j], 1) || v < 0 && !math.IsInf(r.lo[j], -1) {
			if !(math.Abs(v)/r.home[j] <= least) {
				return false
			}
			d[j] = 0
		}
		moves = moves || d[j] != 0
	}
	if !moves {
		return false
	}
	for i := range r.p.Constraints {
		c := &r.p.Constraints[i]
		for k := range c.Lo {
			rate, size := 0.0, 0.0
			l := c.A.Entry(k)
			for e, j := range l.Idx {
				rate += l.Val[e] * d[j]
				size = max(size, math.Abs(l.Val[e]*d[j]))
			}
			if rate > noise*size && !math.IsInf(c.Hi[k], 1) || rate < -noise*size && !math.IsInf(c.Lo[k], -1) {
				return false
			}
		}
	}
	return true
}

func (r *run) noBound(why string) {
	r.stop(Unbounded, why)
	r.res.Objective = r.minimised(math.Inf(-1))
}

// infeasible is the verdict on convex constraints that exclude each other.
func (r *run) infeasible(ctx context.Context) {
	names := diagnose.Conflict(ctx, r.sub)
	message := "no point meets the convex constraints"
	if len(names) > 0 {
		const most = 6
		if len(names) > most {
			names = append(names[:most:most], "...")
		}
		message += "; those in conflict: " + strings.Join(names, ", ")
	}
	r.stop(Infeasible, message)
	r.res.Objective = r.minimised(math.Inf(1))
}
