package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// Solve runs the convex-concave procedure on p from x0, of length
// p.NumVars(); nil: from p.Start(set.Seed).
//
// An error without a Result is a refusal: settings out of range, x0 of wrong
// length, a problem that the backend does not take. When the context ends, or
// the recorder returns an error, that error comes together with the best point
// so far.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, set Settings) (*Result, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if x0 == nil {
		return solveDrawn(ctx, p, set.Seed, set, 0)
	}
	r, err := newRun(p, x0, set, 0)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// solveDrawn runs from the starting point of the seed, moved into the convex
// constraints if any of it was drawn at random.
func solveDrawn(ctx context.Context, p *dc.Problem, seed uint64, set Settings, start int) (*Result, error) {
	x0 := p.Start(seed)
	if start > 0 {
		x0 = around(p, seed)
	}
	r, err := newRun(p, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.drawn = start > 0 || p.Random()
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (*Result, error) {
	if !r.kept {
		defer r.sub.close()
	}
	t := time.Now()
	err := r.loop(ctx)
	if err != nil && r.res.Status == Unknown {
		return nil, err // a refusal
	}
	return r.finish(t), err
}

// run is the state of one descent.
type run struct {
	p        *dc.Problem
	set      Settings
	sub      *subproblem
	res      *Result
	x, z     []float64 // the last solution, and the point of the tangents: x unless damped
	last     []float64 // the z before
	before   []float64 // the x before
	τ        float64
	τ0, τMax float64

	drawn   bool    // the start is random: no one minds if it is moved
	kept    bool    // the solver belongs to a session
	tol     float64 // of the solver
	esc     escape
	boost   boost
	inertia inertia
	probe   probe
	lo, hi  []float64 // bounds of the variables
	again   int       // attempts after the first, with a heavy τ
	held    int       // changes of the proximal term
	rescued int       // failures of the backend that were met
	idle    int       // iterations at a point that is stuck
	flat    int       // iterations that left the slacks as they were
	x0      []float64
	prev    Iteration
	worst   string // the constraint that x breaks most
	note    string // what the last solve left to say
}

// loop is Lipp and Boyd 2016, Algorithm 3.1.
func (r *run) loop(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil || r.res.Status != Unknown {
		return err
	}
	for k := 1; k <= r.set.MaxIter; k++ {
		if r.sub.linearise(r.z, r.τ) != nil { // 1. convexify
			if !r.falls() {
				r.stop(Numerical, errNotANumber.Error())
			}
			return nil
		}
		it, err := r.step(ctx, k) // 2. solve
		if err != nil || r.res.Status != Unknown {
			return err
		}
		if err := r.take(it); err != nil {
			return err
		}
		if r.res.Status != Unknown {
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
		if more, err := r.update(it); err != nil || !more { // 3. update τ
			return err
		}
	}
	if !r.falls() {
		r.stop(IterationLimit, "")
	}
	return nil
}

func newRun(p *dc.Problem, x0 []float64, set Settings, start int) (*run, error) {
	t := time.Now()
	sub, err := compile(p)
	if err != nil {
		return nil, err
	}
	r, err := begin(p, sub, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.res.Seconds.Compile = since(t)
	return r, nil
}

// begin is newRun with a convex problem that is compiled.
func begin(p *dc.Problem, sub *subproblem, x0 []float64, set Settings, start int) (*run, error) {
	if len(x0) != p.NumVars() {
		return nil, fmt.Errorf("ccp: the starting point has length %d, the problem %d variables", len(x0), p.NumVars())
	}
	for j, v := range x0 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("ccp: entry %d of the starting point is %g", j, v)
		}
	}
	r := &run{p: p, set: set, sub: sub, τ: set.Tau0, τ0: set.Tau0, τMax: set.TauMax}
	r.lo, r.hi = bounds(p)
	r.x = append([]float64(nil), x0...)
	r.z = append([]float64(nil), x0...)
	r.x0 = append([]float64(nil), x0...)
	r.res = &Result{
		Starts: 1, Start: start, Backend: set.backend().Name(),
		X: append([]float64(nil), x0...), Objective: p.Value(x0),
	}
	r.res.Violation, r.res.Worst = p.Violation(x0)
	r.res.feasible = p.Infeasibility(x0) <= set.FeasTol && isFinite(r.res.Objective)
	r.prev = Iteration{Objective: math.NaN()}
	return r, nil
}

// bounds are those of all variables.
func bounds(p *dc.Problem) (lo, hi []float64) {
	lo, hi = make([]float64, p.NumVars()), make([]float64, p.NumVars())
	for _, v := range p.Vars {
		for i := range v.Len() {
			lo[v.Offset+i], hi[v.Offset+i] = v.Bounds(i)
		}
	}
	return lo, hi
}

// prepare moves the start into the domains if need be, opens the solver and
// scales τ.
func (r *run) prepare(ctx context.Context) error {
	if r.drawn && r.sub.breaksHard(r.z, r.set.FeasTol) || !r.sub.inside(r.z) {
		z, err := project(ctx, r.p, r.sub, r.z, r.set.backend())
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
	if r.sub.linearise(r.z, r.τ) != nil {
		r.stop(Numerical, "a function or its subgradient is not a finite number at the starting point; give another start")
		return nil
	}
	if r.set.TauRelative {
		if obj, con := r.sub.slopes(r.z); obj > 0 && con > 0 {
			r.τ0, r.τMax = r.τ0*obj/con, r.τMax*obj/con
			r.τ = r.τ0
		}
		if err := r.sub.linearise(r.z, r.τ); err != nil {
			return err
		}
	}
	r.tol = max(min(r.set.backend().DefaultSettings().Tol, r.set.FeasTol), tightest)
	return r.open()
}

// open makes the solver, with tolerance r.tol.
func (r *run) open() error {
	b := r.set.backend()
	set := b.DefaultSettings()
	set.Tol, set.MaxIter = r.tol, min(set.MaxIter, maxInner)
	return r.sub.open(b, set)
}

// A solver's unfinished answer is still a step up to the residual stepEnough,
// and a last point up to lastEnough. maxInner keeps a splitting method from
// polishing a convex problem that the next iteration replaces.
const (
	stepEnough = 1e-3
	lastEnough = 1e-4
	maxInner   = 10_000
	tightest   = 1e-9 // tolerance asked of a solver
)

// step solves the convex problem of iteration k and moves x and z there. It
// sets the status where there is no such point.
func (r *run) step(ctx context.Context, k int) (Iteration, error) {
	for {
		if err := r.sub.solve(ctx); err != nil {
			if ctx.Err() != nil {
				r.interrupted(ctx.Err())
				return Iteration{}, ctx.Err()
			}
			return Iteration{}, fmt.Errorf("ccp: iteration %d: %w", k, err)
		}
		sol, more := &r.sub.res, false
		var err error
		r.note = ""
		switch s := sol.Status; {
		case s == qpbackend.Solved || s == qpbackend.AlmostSolved:
			r.res.Iterations++
			return r.move(k), nil
		case s == qpbackend.DualInfeasible:
			more, err = r.hold()
		case s == qpbackend.PrimalInfeasible && !r.res.feasible && k == 1:
			r.res.Iterations++
			r.infeasible(ctx)
		case s != qpbackend.PrimalInfeasible && sol.Res.Max() <= stepEnough:
			r.note = fmt.Sprintf("the last convex problem was solved to %.1g only (%v)", sol.Res.Max(), s)
			r.res.Iterations++
			return r.move(k), nil
		default:
			more, err = r.rescue(k)
		}
		if err != nil || !more {
			return Iteration{}, err
		}
		if err := r.sub.linearise(r.z, r.τ); err != nil {
			return Iteration{}, err
		}
	}
}

// maxDamped bounds the damping of one iteration.
const maxDamped = 10

// move takes x from the solution and damps z.
func (r *run) move(k int) Iteration {
	sol := &r.sub.res
	it := Iteration{Start: r.res.Start, K: k, Tau: r.τ, Slack: r.sub.slack(), Solver: sol.Iterations}
	before := append(r.before[:0], r.x...)
	r.before = before
	// A solver meets bounds to its tolerance; x meets them exactly.
	for j := range r.x {
		r.x[j] = min(max(sol.X[j], r.lo[j]), r.hi[j])
	}
	last := append(r.last[:0], r.z...)
	boosted := r.extend(last)
	if boosted {
		y := it
		r.measure(&y, r.boost.y)
		r.keep(y)
	}
	for j, v := range r.x {
		it.Step = max(it.Step, math.Abs(v-before[j]))
	}
	// Shen et al. 2016, section 3.3: back towards the last point of tangency
	// until there is a tangent again.
	copy(r.z, r.x)
	damped := 0
	for ; damped < maxDamped && (!r.sub.inside(r.z) || r.sub.dives(r.z, last, r.set.Damping/2)); damped++ {
		for j := range r.z {
			r.z[j] += r.set.Damping * (last[j] - r.z[j])
		}
	}
	r.last = last
	r.measure(&it, r.x)
	if !boosted && damped == 0 {
		r.glide(before, it.Objective, it.Slack)
	}
	return it
}

// measure says what x is worth.
func (r *run) measure(it *Iteration, x []float64) {
	it.Objective = r.p.Value(x)
	it.Violation, it.Relative, r.worst = r.p.Violations(x)
	it.X = x
}

// keep keeps the iteration's point if it is the best so far.
func (r *run) keep(it Iteration) {
	feasible := it.Relative <= r.set.FeasTol
	obj, best := r.minimised(it.Objective), r.minimised(r.res.Objective)
	better := !r.res.feasible && (feasible || it.Violation <= r.res.Violation) || feasible && obj <= best
	if isFinite(obj) && (better || !isFinite(best)) {
		copy(r.res.X, it.X)
		r.res.Objective, r.res.feasible = it.Objective, feasible
		r.res.Violation, r.res.Worst = it.Violation, r.worst
	}
}

// take keeps the iteration and tells the recorder.
func (r *run) take(it Iteration) error {
	r.keep(it)
	kept := it
	kept.X = nil
	r.res.History = append(r.res.History, kept)
	if r.set.Recorder == nil {
		return nil
	}
	err := r.set.Recorder.Record(it)
	if err != nil {
		r.stop(Cancelled, "stopped by the recorder")
	}
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// verdict decides whether the iteration was the last, and why.
func (r *run) verdict(it Iteration) bool {
	feasible := it.Relative <= r.set.FeasTol
	still := math.Abs(it.Objective-r.prev.Objective) <= r.set.Tol*max(1, math.Abs(it.Objective))
	convex := r.sub.convex()
	switch {
	case !isFinite(it.Objective):
		r.stop(Numerical, fmt.Sprintf("the objective is %g at the last point", it.Objective))
	case feasible && (convex || still) && r.sub.res.Res.Max() <= lastEnough:
		r.stop(Converged, r.note)
	case convex:
		r.stop(Stalled, strings.TrimSpace("the solution breaks a constraint by more than the tolerance; "+r.note))
	default:
		return false
	}
	return true
}

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

// stuck: the point has not moved, and is not feasible.
func (r *run) stuck(it Iteration) bool {
	return it.Relative > r.set.FeasTol && it.Step <= r.set.Tol*max(1, maxAbs(r.x))
}

// update prepares the next iteration: it raises τ as long as slacks are open.
// A point that is stuck without slack waits for a sharper solver. One that is
// stuck at the largest τ sits at a kink, or was drawn there by the objective
// while τ was small: other tangents are tried, then the start once more with a
// τ that puts the constraints first, and last beside the start, should that be
// a saddle. It returns false where there is nothing left to try.
func (r *run) update(it Iteration) (bool, error) {
	open := it.Slack > r.set.FeasTol
	if r.idle++; !r.stuck(it) {
		r.idle = 0
	}
	if r.flat++; it.Slack < (1-1e-3)*r.prev.Slack {
		r.flat = 0
	}
	switch {
	case r.stuck(it) && !open:
		if r.tol <= tightest {
			r.stop(Stalled, strings.TrimSpace("the backend does not meet the convex constraints any better; "+r.note))
			return false, nil
		}
		r.tol = max(r.tol/100, tightest)
		r.sub.close()
		if err := r.open(); err != nil {
			return false, err
		}
	case (r.stuck(it) || open && r.flat > flatPatience) && r.τ >= r.τMax:
		switch {
		case r.leave():
			r.esc.on = false // a feasible point is all that counts
		case r.again == attempts:
			r.stop(Stalled, "the points have ceased to change although a constraint is broken; try other starting points")
			return false, nil
		default:
			r.startAgain()
			it.Objective = math.NaN()
		}
	case it.Relative > r.set.FeasTol && open && it.Slack > closing*r.prev.Slack:
		r.τ = min(r.set.Mu*r.τ, r.τMax)
		if r.idle > stuckPatience { // until τ outweighs the objective, nothing moves
			r.τ = min(stuckGrowth*r.τ, r.τMax)
		}
	}
	r.prev = it
	return true, nil
}

// closing is the share of the slacks before that leaves τ as it is: they are on
// the way to 0 by themselves.
const closing = 0.1

// stuckGrowth is the growth of τ, beside Settings.Mu, at a point that has not
// moved for stuckPatience iterations.
const (
	stuckGrowth   = 5
	stuckPatience = 3
	flatPatience  = 10 // iterations at the largest τ that leave the slacks as they were
)

// attempts bounds those after the first.
const attempts = 2

// startAgain goes back to the start, the second time to a point beside it.
func (r *run) startAgain() {
	r.again++
	copy(r.x, r.x0)
	if r.again > 1 {
		rng := rand.New(rand.NewPCG(r.set.Seed, 0x6167)) // the second word is arbitrary and fixed
		for j := range r.x {
			r.x[j] += 0.1 * max(1, math.Abs(r.x[j])) * rng.NormFloat64()
		}
		if !r.sub.inside(r.x) {
			copy(r.x, r.x0)
		}
	}
	copy(r.z, r.x)
	r.τ = math.Sqrt(r.τ0 * r.τMax)
	r.esc.tries, r.esc.tried = 0, r.esc.tried[:0]
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
	r.res.Seconds.Solve = since(t)
	r.res.Seconds.Backend = r.sub.backendSec
	if len(r.sub.res.Y) == len(r.sub.rows) && r.res.Iterations > 0 {
		r.res.Duals = r.sub.duals()
	}
	return r.res
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func maxAbs(v []float64) float64 {
	m := 0.0
	for _, e := range v {
		m = max(m, math.Abs(e))
	}
	return m
}
