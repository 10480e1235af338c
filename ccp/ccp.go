package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Solve runs the convex-concave procedure on p from x0, of length
// p.NumVars(); nil: from p.Start(set.Seed).
//
// An error without a Result is a refusal: settings out of range, x0 of wrong
// length, a problem that the backend does not take. When the context ends, or
// the recorder returns an error, that error comes together with the best point
// so far.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, set Settings) (*Result, error) {
	if err := check(p, set); err != nil {
		return nil, err
	}
	if x0 == nil {
		return guard(func() (*Result, error) { return solveDrawn(ctx, p, set.Seed, set, 0, nil) })
	}
	return guard(func() (*Result, error) {
		r, err := newRun(p, x0, set, 0)
		if err != nil {
			return nil, err
		}
		return r.run(ctx)
	})
}

// solveDrawn runs from the starting point of the seed, moved into the convex
// constraints if any of it was drawn at random.
func solveDrawn(ctx context.Context, p *dc.Problem, seed uint64, set Settings, start int, lead *Result) (*Result, error) {
	x0 := p.Start(seed)
	if start > 0 {
		x0 = around(p, seed)
	}
	near := set.Vary && lead != nil && start%2 == 1
	if near {
		vary(x0, lead.X, seed)
	}
	r, err := newRun(p, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.drawn = start > 0 || p.Random()
	r.near = near
	if lead != nil {
		r.bar = r.minimised(lead.Objective)
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (*Result, error) {
	if !r.kept {
		defer guardClose(r.sub)
	}
	t := time.Now()
	err := r.guarded(ctx)
	if err != nil && r.res.Status == Unknown {
		return nil, err // a refusal
	}
	return r.finish(t), err
}

// guarded is loop; a panic in a user's code becomes an error, and the best point
// stays.
func (r *run) guarded(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
			r.stop(Numerical, err.Error())
		}
	}()
	return r.loop(ctx)
}

// run is the state of one descent.
type run struct {
	p        *dc.Problem
	set      Settings
	sub      *subproblem.Problem
	res      *Result
	x, z     []float64 // the last solution, and the point of the tangents: x unless damped
	last     []float64 // the z before
	before   []float64 // the x before
	τ        float64
	τ0, τMax float64

	drawn     bool    // the start is random: no one minds if it is moved
	kept      bool    // the solver belongs to a session
	tol       float64 // of the solver
	esc       escape
	boost     boost
	inertia   inertia
	probe     probe
	lo, hi    []float64 // bounds of the variables
	home      []float64 // their units at the start
	again     int       // attempts after the first, with a heavy τ
	held      int       // changes of the proximal term
	rescued   int       // failures of the backend that were met
	far       bool      // the points run off
	near      bool      // the start is a variation of the best point so far
	bar       float64   // the best objective of earlier starts, minimised
	idle      int       // iterations at a point that is stuck
	flat      int       // iterations that left the slacks as they were
	strict    bool      // only FeasTol as it is makes a point feasible
	low, high float64   // the range of the objective over the feasible iterations
	span      float64   // what a change of the objective is relative to
	look      float64   // distance from the start at which falls looks next
	noisy     int       // feasible iterations since the best objective improved on anchor
	anchor    float64
	bold      bool // the iteration under way, the first, puts the constraints first
	k         int  // number of the iteration
	work      int  // iterations of the backend so far
	vain      int  // of these, what escapes and hops have cost
	hops      hops
	x0        []float64
	prev      Iteration
	note      string // what the last solve left to say
}

// loop is Lipp and Boyd 2016, Algorithm 3.1.
func (r *run) loop(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil || r.res.Status != Unknown {
		return err
	}
	err := r.descend(ctx)
	for err == nil && r.hop() {
		err = r.descend(ctx)
	}
	return err
}

// descend goes on until the status is known.
func (r *run) descend(ctx context.Context) error {
	for r.k < r.set.MaxIter {
		r.k++
		if r.lost() { // 1. convexify
			r.giveUp(Numerical, subproblem.ErrNotANumber.Error())
			return nil
		}
		it, err := r.step(ctx) // 2. solve
		if err != nil || r.res.Status != Unknown {
			return err
		}
		if err := r.take(it); err != nil {
			return err
		}
		if r.res.Status != Unknown {
			return nil
		}
		if r.timid(it) {
			continue
		}
		if r.hopeless(it) || r.astray(it) {
			r.stop(Stalled, "given up: other starts have led to better points")
			return nil
		}
		if r.failed(it) || r.verdict(it) { // 4. stop
			if (r.res.Status == Converged || r.res.Status == Unknown) && (r.leave() || r.goFrom(it)) {
				r.res.Status = Unknown
				continue
			}
			if r.res.Status == Unknown {
				r.stop(Converged, r.note)
			}
			return nil
		}
		if more, err := r.update(ctx, it); err != nil || !more { // 3. update τ
			return err
		}
	}
	r.giveUp(IterationLimit, r.obstacle())
	return nil
}

func newRun(p *dc.Problem, x0 []float64, set Settings, start int) (*run, error) {
	t := time.Now()
	sub, err := subproblem.Compile(p)
	if err != nil {
		return nil, err
	}
	r, err := begin(p, sub, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.res.Seconds.Compile = subproblem.Since(t)
	return r, nil
}

// begin is newRun with a convex problem that is compiled.
func begin(p *dc.Problem, sub *subproblem.Problem, x0 []float64, set Settings, start int) (*run, error) {
	if len(x0) != p.NumVars() {
		return nil, fmt.Errorf("ccp: the starting point has length %d, the problem %d variables", len(x0), p.NumVars())
	}
	for j, v := range x0 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("ccp: entry %d of the starting point is %g", j, v)
		}
	}
	r := &run{p: p, set: set, sub: sub, τ: set.Tau0, τ0: set.Tau0, τMax: set.TauMax, bar: math.Inf(1)}
	r.lo, r.hi = subproblem.Bounds(p)
	sub.BoundDomains(r.lo, r.hi)
	sub.Calm()
	x0 = append([]float64(nil), x0...)
	p.Pin(x0)
	r.x = append([]float64(nil), x0...)
	r.z = append([]float64(nil), x0...)
	r.x0 = append([]float64(nil), x0...)
	r.res = &Result{
		Starts: 1, Start: start, Backend: set.backend().Name(),
		X: append([]float64(nil), x0...), Objective: p.Value(x0),
	}
	v := p.Violations(x0)
	r.res.Violation = v.Largest
	if subproblem.IsFinite(r.res.Objective) {
		r.res.Feasible = v.Excess <= set.FeasTol
		r.res.nearly = r.res.Feasible || v.Relative <= set.FeasTol
	}
	r.low, r.high = math.Inf(1), math.Inf(-1)
	sub.SizeUp(x0, true)
	r.home = append([]float64(nil), sub.Units...)
	r.prev = Iteration{Objective: math.NaN()}
	return r, nil
}

// prepare moves the start into the domains if need be, opens the solver and
// scales τ.
func (r *run) prepare(ctx context.Context) error {
	if r.drawn && r.sub.BreaksHard(r.z, r.set.FeasTol) || !r.sub.Inside(r.z) {
		z, err := subproblem.Project(ctx, r.p, r.sub, r.z, r.set.backend())
		if ctx.Err() != nil {
			r.interrupted(ctx.Err())
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		copy(r.z, z)
		copy(r.x0, z)
	}
	r.sub.SizeUp(r.z, true)
	if r.sub.Linearise(r.z, r.τ) != nil {
		r.stop(Numerical, "a function or its subgradient is not a finite number at the starting point; give another start")
		return nil
	}
	if r.set.TauRelative {
		if obj, con := r.sub.Slopes(r.z); obj > 0 && con > 0 {
			r.τ0, r.τMax = r.τ0*obj/con, r.τMax*obj/con
			r.τ = r.τ0
			switch {
			case r.near:
				r.τ = min(nearτ*r.τ0, r.τMax)
			case r.τ < min(boldτ*obj/con, r.τMax):
				r.τ, r.bold = min(boldτ*obj/con, r.τMax), true
			}
		}
	}
	if err := r.sub.Linearise(r.z, r.τ); err != nil {
		return err
	}
	r.tol = max(min(r.set.backend().DefaultSettings().Tol, r.set.FeasTol), tightest)
	return r.open(ctx)
}

// open makes the solver, with tolerance r.tol.
func (r *run) open(ctx context.Context) error {
	b := r.set.backend()
	set := b.DefaultSettings()
	set.Tol, set.MaxIter = r.tol, min(set.MaxIter, maxInner)
	err := r.sub.Open(ctx, b, set)
	if err != nil && ctx.Err() != nil {
		r.interrupted(ctx.Err())
		return ctx.Err()
	}
	return err
}

// verdict decides whether the iteration was the last, and why.
func (r *run) verdict(it Iteration) bool {
	feasible := r.keeps(it)
	still := math.Abs(it.Objective-r.prev.Objective) <= r.set.Tol*r.span
	convex := r.sub.Convex() && !r.sub.Damped()
	switch {
	case r.runsOff() && r.falls():
	case r.pole(it):
		r.noBound("the objective is minus infinity at a point that keeps the constraints")
	case !subproblem.IsFinite(it.Objective) && r.again < attempts:
		r.startAgain()
		return false
	case !subproblem.IsFinite(it.Objective):
		r.stop(Numerical, fmt.Sprintf("the objective is %g at the last point", it.Objective))
	case feasible && (convex || still) && r.sub.Res.Res.Max() <= lastEnough:
		if !it.Feasible && !r.retreat(&it) {
			r.insist()
			return false
		}
		r.stop(Converged, r.note)
	case feasible && r.settled(it):
		if !it.Feasible && !r.retreat(&it) {
			r.insist()
			return false
		}
		r.stop(Converged, strings.TrimSpace("the objective does not settle any better than the backend solves the convex problems; "+r.note))
	case convex && !r.strict:
		r.insist()
		return false
	default:
		return false
	}
	return true
}

// obstacle says why the run has not converged yet.
func (r *run) obstacle() string {
	if !r.res.Feasible {
		v, where := r.p.Violation(r.res.X)
		return fmt.Sprintf("%s is broken by %.2g", where, v)
	}
	if n := len(r.res.History); n > 1 {
		last, before := r.res.History[n-1], r.res.History[n-2]
		return fmt.Sprintf("the objective still changes by %.2g per iteration", math.Abs(last.Objective-before.Objective))
	}
	return ""
}

// retreat moves the iteration's point towards the best feasible one until it is
// feasible itself. It reports whether that has cost no more of the objective than
// a decrease that counts as none; else nothing has changed.
func (r *run) retreat(it *Iteration) bool {
	if !r.res.Feasible {
		return false
	}
	y := make([]float64, len(r.x))
	for share := 1e-9; share < 1; share *= 10 {
		for j, v := range r.x {
			y[j] = v + share*(r.res.X[j]-v)
		}
		r.p.Pin(y)
		if f := r.p.Value(y); !(math.Abs(f-it.Objective) <= r.set.Tol*r.span) {
			return false
		}
		if r.p.Feasible(y, r.set.FeasTol) {
			copy(r.x, y)
			r.measure(it, r.x)
			r.keep(*it)
			return true
		}
	}
	return false
}

// insist makes FeasTol as it is the only notion of feasible from now on, and has
// the convex problems solved in the distance from the last solution: their
// residuals are then relative to that distance, not to the size of the terms.
func (r *run) insist() {
	r.strict, r.idle, r.flat, r.noisy = true, 0, 0, 0
	r.low, r.high = math.Inf(1), math.Inf(-1)
}

// pole reports whether the objective is minus infinity at a feasible point, as log
// is at 0: at the iteration's point, with the entries that are next to a bound at
// the bound. Beside a pole the objective is of moderate size, beside an overflow
// it is not.
func (r *run) pole(it Iteration) bool {
	if len(r.sub.Domain) == 0 || !r.keeps(it) || len(r.before) != len(r.x) {
		return false
	}
	at, beside := append([]float64(nil), r.x...), make([]float64, len(r.x))
	for j, v := range r.x {
		for _, bound := range [2]float64{r.lo[j], r.hi[j]} {
			if math.Abs(v-bound) <= noise*r.sub.Sizes[j] {
				at[j] = bound
			}
		}
		beside[j] = at[j] + noise*(r.before[j]-at[j])
	}
	return math.IsInf(r.minimised(r.p.Value(at)), -1) && math.Abs(r.p.Value(beside)) < math.Sqrt(math.MaxFloat64) &&
		r.p.Feasible(at, r.set.FeasTol)
}

// settled reports whether the best objective has not improved for many iterations
// although the points stay feasible and close to it: what is left is the
// backend's noise.
func (r *run) settled(it Iteration) bool {
	best := r.minimised(r.res.Objective)
	if r.noisy == 0 || best < r.anchor-r.set.Tol*r.span {
		r.anchor, r.noisy = best, 0
	}
	r.noisy++
	return r.noisy > longPatience && r.minimised(it.Objective) <= best+100*r.set.Tol*r.span
}

// longPatience bounds the iterations without a better point.
const longPatience = 20

// goFrom jumps to a better point if there is one to be found, and takes note of
// it.
func (r *run) goFrom(it Iteration) bool {
	if !r.jump() {
		return false
	}
	r.measure(&it, r.x)
	r.keep(it)
	r.prev = it
	r.prev.Objective = math.NaN()
	r.esc.tries, r.esc.tried = 0, r.esc.tried[:0]
	return true
}

func (r *run) stop(s Status, message string) { r.res.Status, r.res.Message = s, message }

func (r *run) interrupted(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		r.stop(TimeLimit, "")
	} else {
		r.stop(Cancelled, "")
	}
}

// finish completes the result.
func (r *run) finish(t time.Time) *Result {
	_, r.res.Worst = r.p.Violation(r.res.X)
	r.res.Seconds.Solve = subproblem.Since(t)
	r.res.Seconds.Backend = r.sub.Seconds
	if r.hops.duals != nil && !r.ahead() {
		r.res.Duals = r.hops.duals
	} else if len(r.sub.Res.Y) == len(r.sub.Rows) && r.res.Iterations > 0 {
		r.res.Duals = r.sub.Duals()
	}
	return r.res
}
