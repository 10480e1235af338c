package ccp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/qpbackend"
)

// open makes the solver.
func (r *run) open(ctx context.Context) (*outcome, error) {
	b := r.means.backend
	set := b.DefaultSettings()
	set.Tol, set.MaxIter = r.recover.tol, min(set.MaxIter, maxInner)
	set.Intermediate, set.OwnUnits = !r.sub.Convex(), true
	return ended(ctx, r.sub.Open(ctx, b, set))
}

// usualTol is the tolerance of the backend at first.
func (r *run) usualTol() float64 {
	return max(min(r.means.backend.DefaultSettings().Tol, r.set.FeasTol), tightest)
}

// tighten makes the solver anew with another tolerance.
func (r *run) tighten(ctx context.Context, tol float64) (*outcome, error) {
	r.recover.tol = tol
	r.sub.Close()
	return r.open(ctx)
}

// reopen makes the solver anew for the current linearisation.
func (r *run) reopen(ctx context.Context) (*outcome, error) {
	if err := r.sub.Linearise(r.z, r.penalty.Tau); err != nil {
		return ended(ctx, err)
	}
	r.sub.Close()
	r.sub.Session.Res.Status = qpbackend.Unknown
	end, err := r.open(ctx)
	if err != nil && end == nil {
		return r.failed(ctx, err)
	}
	return end, err
}

// failed is the end where a convex problem could not be tried. That of the first
// iteration is a refusal.
func (r *run) failed(ctx context.Context, err error) (*outcome, error) {
	err = fmt.Errorf("ccp: iteration %d: %w", r.k, err)
	if r.k == 1 || ctx.Err() != nil {
		return ended(ctx, err)
	}
	return r.giveUp(BackendFailed, err.Error()), nil
}

// afterFailure recovers from a failure of the backend. It first gets the problem once more, scaled
// for the current values and without a starting point, then with a proximal term, then from another
// point with a τ that keeps it near the constraints.
func (r *run) afterFailure(ctx context.Context) (*outcome, error) {
	sol, c := &r.sub.Session.Res, &r.recover
	if r.course.Sharpened && r.sub.Convex() { // it was solved before, to the usual accuracy
		return r.shown(), nil
	}
	why := fmt.Sprintf("backend %s ended with %v in iteration %d, residual %.1g; %s", r.res.Backend, sol.Status, r.k,
		sol.Res.Max(), sol.Message)
	if c.failures++; c.failures > mostFailures {
		return r.giveUp(BackendFailed, why), nil
	}
	switch {
	case c.failures == 2 && r.set.Heuristics.Proximal:
		r.sub.AddProximal(r.z)
	case c.failures > 2 && r.penalty.Restarts < penalty.MostRestarts:
		r.sub.RemoveProximal()
		r.restart()
	}
	return r.reopen(ctx)
}

// boundSubproblem makes a convex problem bounded that is not: by a larger τ where its slacks run
// away, else by a proximal term, heavier each time. It ends the run where the problem
// is unbounded itself, or there is nothing left to try.
func (r *run) boundSubproblem(ctx context.Context) (*outcome, error) {
	if r.sub.SlacksRun() && r.penalty.Raise() {
		return ended(ctx, r.sub.Linearise(r.z, r.penalty.Tau))
	}
	if ray := r.where.Ray(r.x, r.sub.Session.Res.X[:r.p.NumVars()], 1, 1e3); ray != nil {
		return r.unbounded(ray), nil
	}
	if r.recover.held++; !r.set.Heuristics.Proximal || r.recover.held > mostHeld {
		return conclude(NoLeastValue, ""), nil
	}
	r.sub.AddProximal(r.z)
	return r.reopen(ctx)
}

// undoFirst goes back to the start, with a small τ, from a first iteration that has put the
// constraints first and left slacks open. Where it has closed them all the tangents can
// be met together, and no later convex problem needs slacks: the descent is one among
// feasible points, and short.
func (r *run) undoFirst(it Iteration) bool {
	first := r.penalty.SlacksFirst
	r.penalty.SlacksFirst = false
	if !first || it.open <= r.set.FeasTol {
		return false
	}
	copy(r.x, r.where.Start)
	copy(r.z, r.where.Start)
	r.penalty.Tau = r.penalty.First
	r.prev = Iteration{Objective: math.NaN()}
	return true
}

// restart goes back to the best point that keeps the constraints if there is one, else
// to the start, then to points beside it, further each time.
func (r *run) restart() {
	s := &r.penalty
	s.Restarts++
	copy(r.x, r.where.Start)
	switch {
	case r.res.nearly: // from there it can stay so
		copy(r.x, r.res.X)
	case s.Restarts > 1:
		r.perturbStart()
	}
	copy(r.z, r.x)
	s.Again()
	r.slow()
	r.course.Strict, r.course.Sharpened = false, false
}

// turn takes the tangents on the other side of the DC constraints of one variable with two
// bounds that are open although τ puts them first, where these are broken no more than
// here: the variable is mirrored about the middle, or leaves it. Where 0 or 1 is
// wanted, the tangent at .4 asks for 0; if that breaks a convex constraint, the point
// stays, and 1 has to be asked for. It reports whether there are such constraints.
func (r *run) turn() bool {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x7475+uint64(r.penalty.Turns))) // the second word names the stream
	turned := false
	copy(r.z, r.x)
	for k, gap := range r.sub.SoftValues(r.x) {
		c := r.sub.Compiled.Soft[k]
		if !(gap > r.set.FeasTol) {
			continue
		}
		idx := c.Function().H().Support()
		if len(idx) != 1 {
			continue
		}
		j := idx[0]
		lo, hi := r.where.Lo[j], r.where.Hi[j]
		if lo == hi || math.IsInf(hi-lo, 1) {
			continue
		}
		r.z[j] = lo + hi - r.x[j]
		if math.Abs(r.z[j]-r.x[j]) < middle*(hi-lo) {
			r.z[j] = lo + (hi-lo)*rng.Float64()
		}
		if !(c.Value(r.z) <= gap*(1+1e-6)) {
			r.z[j] = r.x[j]
		}
		turned = turned || r.z[j] != r.x[j]
	}
	if !turned || !r.sub.Compiled.Inside(r.z) {
		copy(r.z, r.x)
		return false
	}
	return true
}

// middle is how near, in parts of the range, an entry and its mirror image are at the
// middle.
// Source: docs/lab/ccp.md, Constants.
const middle = 1e-2

// looks are the points that perturbStart compares.
// Source: docs/lab/ccp.md, Constants.
const looks = 50

// perturbStart moves x from the start to the point that breaks the DC constraints least among
// some beside it, further each time. Where their h is flat, as that of max(0, ·) on one
// side, tangents do not lead anywhere, but values do.
func (r *run) perturbStart() {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x6167+uint64(r.penalty.Restarts))) // the second word names the stream
	reach := 0.1 * math.Pow(4, float64(r.penalty.Restarts-2))
	least, y := math.Inf(1), make([]float64, len(r.x))
	r.budget.Values += looks
	for range looks {
		for j, v := range r.where.Start {
			y[j] = v + reach*max(r.sub.Units.Of[j], math.Abs(v))*rng.NormFloat64()
			y[j] = min(max(y[j], r.where.Lo[j]), r.where.Hi[j])
		}
		if open, _ := r.sub.Gaps(y); open < least && r.sub.Compiled.Inside(y) {
			least = open
			copy(r.x, y)
		}
	}
}
