package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
)

// run is one start: the local search and the searches around it.
type run struct {
	p     *program.Problem
	set   Settings
	sub   *subproblem.Problem
	where diagnose.Region // bounds and start
	seed  origin

	state
	penalty penalty.Schedule
	recover recovery
	course  stop.Progress
	gap     stop.Gap
	means   means
	budget  search.Budget
	tip     *subproblem.Problem // the convex problem that has led to x
	kept    *restPoint          // the best one; nil: there is none yet
	holding holding             // the last
	extra   *subproblem.Problem // another convex problem, to be closed at the end
	patient bool                // a point that no multipliers hold is not left at once
	far     bool                // the points run off
}

// state is where the procedure is.
type state struct {
	x, z   []float64  // the last solution, and the point of the tangents: x unless damped
	step   accel.Step // the last one, from x and z of the iteration before
	k, hop int        // number of the iteration, and of the hop that it belongs to
	prev   Iteration
	res    *Result    // with the best point so far
	last   evaluation // see worthOf
}

// origin is where the start comes from.
type origin struct {
	drawn  bool    // it is random: no one minds if it is moved
	share  float64 // of penalty.Schedule.Scale
	kept   bool    // the solver belongs to a session
	before float64 // seconds that led to it
}

// means are the tools and the memory that runs of a session share.
type means struct {
	backend qpbackend.Backend
	local   local
	forget  func()        // lets local forget the last run; nil: it keeps nothing
	device  accel.Device  // nil: none
	kinds   *search.Kinds // nil: nobody has asked for them yet
	rest    *restPoint    // room for the first point of a convex problem at which the procedure converges
	point   *kkt.Point    // and for the first that is examined
}

// local is a local search from a move.
type local func(ctx context.Context, m search.Move) (*outcome, error)

// beforeFirst is the message where there is no iteration.
const beforeFirst = "there was no time for the first iteration; the point is the start"

// checkStart refuses an x0 that is no point of p, whatever the entries that equations define are.
func checkStart(p *program.Problem, x0 []float64) error {
	if len(x0) != p.NumVars() {
		return fmt.Errorf("ccp: the starting point has length %d, the problem %d variables", len(x0), p.NumVars())
	}
	defined := p.Defined()
	for j, v := range x0 {
		if !num.Finite(v) && (defined == nil || !defined[j]) {
			return fmt.Errorf("ccp: entry %d of the starting point is %g", j, v)
		}
	}
	return nil
}

// resultAt makes res the result before the first iteration. The memory of one before is used again.
func resultAt(res *Result, p *program.Problem, x0 []float64, set Settings, start int) *Result {
	*res = Result{Starts: 1, Start: start,
		X: append(res.X[:0], x0...), History: res.History[:0], room: res.room}
	res.room.convex.X = res.room.convex.X[:0]
	res.Objective, res.ObjectiveError = p.Evaluate(x0)
	v, finite := p.Violations(x0), num.Finite(res.Objective)
	res.Violation, res.Worst = v.Largest, v.Where()
	res.Feasible = finite && v.Excess <= set.FeasTol
	res.nearly = res.Feasible || finite && v.Relative <= set.FeasTol
	return res
}

// close closes the solvers of the run, which a panic may have left in any state.
func (r *run) close() {
	if !r.seed.kept {
		guardClose(r.sub)
	}
	if r.extra != nil {
		guardClose(r.extra)
	}
}

// final reports whether no other start can find a better point: where there is nothing to linearise
// it leads to the same one, and where the objective is constant to none that is better.
func (r *run) final() bool {
	return r.sub.Convex() && r.res.Start == 0 || r.res.Feasible && r.p.Objective.IsConst()
}

// minimised is an objective as reported, with the sign in which it is minimised.
func (r *run) minimised(objective float64) float64 {
	if r.p.Maximize {
		return -objective
	}
	return objective
}

// evaluation has the objective of a point, its size and error, and the violations.
type evaluation struct {
	x         []float64
	size, err float64 // of the objective: program.Problem.ObjectiveSize, and the bound of its rounding error
	broken    program.Violations
}

// worthOf evaluates x. The evaluation of the last point is kept.
func (r *run) worthOf(x []float64) *evaluation {
	w := &r.last
	if !slices.Equal(w.x, x) {
		w.x = append(w.x[:0], x...)
		_, w.err = r.p.Evaluate(x) // with which families compute the sizes
		w.size = r.p.ObjectiveSize(x)
		w.broken = r.p.Violations(x)
	}
	return w
}

// noise bounds the rounding error of the objective at x.
func (r *run) noise(x []float64) float64 { return r.worthOf(x).err }

// measure says what x is worth.
func (r *run) measure(it *Iteration, x []float64) {
	w := r.worthOf(x)
	it.Objective, it.ObjectiveError = r.p.Value(x), w.err
	r.budget.Values += 3 // these two, and the subgradient of the next convex problem
	it.size = w.size
	it.Violation, it.Relative, it.Feasible = w.broken.Largest, w.broken.Relative, w.broken.Excess <= r.set.FeasTol
	it.X = x
}

// result is the iteration's point as a result.
func (r *run) result(it *Iteration) *Result {
	at := it.Result()
	at.nearly = it.Feasible || it.Relative <= r.set.FeasTol
	return at
}

// keep keeps the iteration's point if it is the best so far, the later one of equals.
func (r *run) keep(it Iteration) {
	at := r.result(&it)
	if num.Finite(it.Objective) && (!r.res.Better(at, r.p.Maximize) || !num.Finite(r.res.Objective)) {
		r.res.moveTo(at)
	}
}

// best is the least objective, minimised, that is certain at a point that keeps the constraints.
func (r *run) best() float64 {
	if !r.res.nearly {
		return math.Inf(1)
	}
	return r.res.certain(r.p.Maximize)
}

// least is the smallest change of the objective that counts.
func (r *run) least() float64 { return r.set.Tol * r.course.Span }

// leastDifference is the least by which the objective at another point differs from the value at
// this one: the size of its terms, which may cancel, is the tolerance of the procedure, and values
// tell more.
func (r *run) leastDifference(at *Result, size float64) float64 {
	return max(r.set.Tol*min(size, math.Abs(at.Objective)), at.ObjectiveError)
}

// counts is the smallest decrease below the best point that counts: no rounding error of the
// objective there does.
func (r *run) counts() float64 { return max(r.least(), r.res.ObjectiveError) }

// keeps reports whether the iteration's point keeps the constraints: relative to the
// size of their terms or, once the procedure has settled at such a point, as FeasTol
// says.
func (r *run) keeps(it Iteration) bool {
	return it.Feasible || !r.course.Strict && it.Relative <= r.set.FeasTol
}

// duals are the multipliers of the convex problem that has led to x, in the memory of others.
func (r *run) duals(in subproblem.Multipliers) (none subproblem.Multipliers) {
	if len(r.tip.Session.Res.Y) != r.tip.Compiled.Rows.Count() {
		return none
	}
	return r.tip.WrittenDuals(in, r.tip.Session.Last())
}

// giveUp ends the run as unbounded if it can only be that, else for the given reason.
func (r *run) giveUp(why Reason, words string, remarks ...string) *outcome {
	if ray, far := r.runsOff(); ray != nil {
		return r.unbounded(ray)
	} else if end := conclude(why, words, remarks...); !far {
		return end
	} else if end.status() != Stalled {
		return conclude(why, plainEnds[RunsOff].message, end.message)
	} else {
		return conclude(RunsOff, "", end.message)
	}
}

// unbounded is the end where the objective falls for ever along a ray.
func (r *run) unbounded(ray []float64) *outcome {
	r.res.Ray = ray
	return conclude(AlongRay, "")
}

// runsOff is a ray from the best point that proves the problem unbounded, nil for none. far: the
// points run off.
func (r *run) runsOff() (ray []float64, far bool) {
	d := r.where.Distance(r.x)
	if !r.res.nearly || !(d > diagnose.Far) || math.IsInf(d, 1) {
		return nil, r.far
	}
	return r.where.RunsOff(r.res.X, r.step.Before, d), d > diagnose.Far*diagnose.Far
}

// limit is the reason where no further convex problem may be solved.
func (r *run) limit() Reason {
	if r.k < r.set.MaxIter {
		return MostWork
	}
	return MostIterations
}

// recovery is how a run has dealt with a backend that fails.
type recovery struct {
	tol      float64 // asked of the solver
	failures int     // failures that were recovered from
	held     int     // changes of the proximal term
	note     string  // a remark of the last solve
}

var errNoProblem = errors.New("ccp: the problem is nil; did Model.Problem return an error?")

// PanicError is a panic in code of a user that a run called: a backend, a
// function that is a user's own, or a recorder. The other runs go on.
type PanicError struct {
	Where string // the function that panicked, with its package
	Value any    // of the panic
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("ccp: panic in %s: %v", e.Where, e.Value) }

// caught makes an error of what recover returned. It is for deferred functions.
func caught(v any) error {
	p := &PanicError{Where: "an unknown function", Value: v, Stack: debug.Stack()}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for panicking, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			p.Where = f.Function
			return p
		}
	}
	return p
}

// recovered, deferred, makes the error of a panic.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = caught(v)
	}
}

// guardClose closes the solver, which a panic may have left in any state.
func guardClose(s *subproblem.Problem) {
	defer func() { _ = recover() }()
	s.Close()
}

// check refuses arguments that no run can begin with.
func check(p *program.Problem, set Settings) error {
	if p == nil {
		return errNoProblem
	}
	return set.Validate()
}

// more reports whether so many convex problems and another one may be solved.
func (r *run) more(solves int) bool {
	return r.k+solves < r.set.MaxIter && (r.set.MaxWork == 0 || r.budget.Used() < r.set.MaxWork)
}

// clippedToBox is a copy of x in the box of p, beyond which functions may have other values than
// they were written with.
func clippedToBox(p *program.Problem, x []float64) []float64 {
	x = slices.Clone(x)
	p.Confine(x)
	return x
}

// slow lets the device begin anew.
func (r *run) slow() {
	if r.means.device != nil {
		r.means.device.Reset()
	}
}

// A solver's unfinished answer is still a step up to the residual stepEnough. maxInner keeps a
// splitting method from polishing a convex problem that the next iteration replaces. Source: larger
// values change the answers of admm on the test set, smaller ones the number of failures.
const (
	stepEnough = 1e-3
	maxInner   = 10_000
	tightest   = 1e-9  // tolerance asked of a solver: that of double precision after scaling
	finest     = 1e-13 // and where the objective is far below its unit: a thousand units of rounding
	looser     = 100   // so many times Tol may stay open, with a remark. Source: docs/lab/ccp.md

	mostFailures = 4 // recoveries of a run
	mostHeld     = 6 // changes of its proximal term
)
