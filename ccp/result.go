package ccp

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Result is the best point of a run and how it came about.
type Result struct {
	Status Status
	// X has one entry for each variable of the problem: the feasible point of least objective,
	// rounding errors included, or, if none was feasible, the point of least violation: see Better.
	// A better point without multipliers may be dropped if it improves by less than Settings.Tol of
	// the objective's value, or by less than its rounding error.
	X []float64
	// Objective is the problem's at X: of a maximised one, the value that was
	// maximised. +Inf for Infeasible, −Inf (maximised: +Inf) for Unbounded.
	Objective float64
	// ObjectiveError bounds the rounding error of Objective: the exact value at X is
	// within it.
	ObjectiveError float64
	// Violation is the largest amount by which X breaks a constraint or bound,
	// Worst the name of that constraint; 0 and "" where all hold exactly.
	Violation float64
	Worst     string
	// Feasible: X breaks no bound, constraint or domain by more than
	// Settings.FeasTol; see there. Converged implies it.
	Feasible bool
	// Iterations is the number of convex problems solved, Starts that of
	// starting points tried, Start the number of the one that gave X, from 0.
	Iterations, Starts, Start int
	Backend                   string
	// Duals[i] holds the multipliers of constraint i in the convex problem that
	// produced X: one per entry of an affine constraint, one for a DC constraint;
	// positive at an active upper bound, negative at a lower one. A constraint that
	// states a matrix to be positive semidefinite (dc.Constraint.Order > 0) has
	// a matrix, row by row, whose trace is the multiplier of the eigenvalue's
	// bound. A constraint made by dc.InCone has one per entry, together a point
	// of the dual cone. nil if none was solved. With the status Infeasible they and
	// BoundDuals are a certificate instead, of sum −1, see
	// qpbackend.PrimalInfeasibility; nil where ranges show the end.
	Duals [][]float64
	// BoundDuals[j] is the multiplier of the bounds of variable j: positive at an
	// active upper bound, negative at a lower one. nil where Duals is.
	BoundDuals []float64
	History    []Iteration // of the start that gave X; the X of its entries is nil
	Seconds    Seconds
	// Conflict has, with the status Infeasible, the names of constraints that exclude
	// each other, none of which can be left out; bounds count as "bounds of x".
	Conflict []string
	// Ray is, with the status Unbounded, a direction along which the objective falls
	// for ever; nil where it is minus infinity at a point.
	Ray []float64
	// NoMultipliers says, with the status Converged, that there are none at X: Duals is nil.
	NoMultipliers *Absence
	// Loose says, with the status Converged, that FeasTol decides Objective; nil: it does not.
	Loose *Loose
	// Message explains the status where that needs words. Reason has a code for it.
	Message string

	// nearly: X keeps the constraints relative to the size of their terms.
	nearly    bool
	surely    bool     // of starts: X is feasible whatever the rounding errors of the constraints
	work      float64  // see Work
	final     bool     // see run.final
	least     float64  // the smallest change of the objective that counts
	end       *outcome // for which the status and the objective were
	concluded float64
	sub       *subproblem.Problem // which has the sizes of variables
	room      room
}

// Work is that of the run, in a unit that is the same on every machine: about a multiplication of a
// sparse factor, of which Second take about a second of one processor.
func (r *Result) Work() float64 { return r.work }

// Result is the point of the iteration as a result without a status; X is borrowed.
func (it *Iteration) Result() *Result {
	return &Result{
		X: it.X, Objective: it.Objective, ObjectiveError: it.ObjectiveError,
		Violation: it.Violation, Feasible: it.Feasible, Start: it.Start,
	}
}

// noise is ObjectiveError, 0 where nothing is known of it.
func (it *Iteration) noise() float64 {
	if !num.Finite(it.ObjectiveError) {
		return 0
	}
	return it.ObjectiveError
}

// Better reports whether r is better than o, in this order: it is unbounded, feasible, lower,
// earlier. Lower is the objective that is certain, Objective + ObjectiveError (maximised: higher,
// Objective − ObjectiveError): a point whose terms cancel is not preferred for its rounding errors.
// Where none is feasible the violation decides.
func (r *Result) Better(o *Result, maximize bool) bool {
	class, other := rank(r.Feasible, r.nearly), rank(o.Feasible, o.nearly)
	a, b := r.certain(maximize), o.certain(maximize)
	if class == 0 && other == 0 {
		a, b = r.Violation, o.Violation
	}
	switch {
	case (r.Status == Unbounded) != (o.Status == Unbounded):
		return r.Status == Unbounded
	case class != other:
		return class > other
	case a != b:
		return a < b
	}
	return r.Start < o.Start
}

// certain is the least number, minimised, that the exact objective is known not to exceed; +Inf
// where the objective is no number.
func (r *Result) certain(maximize bool) float64 {
	v := r.Objective
	if maximize {
		v = -v
	}
	if v += r.ObjectiveError; math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// rank orders points: feasible ones, those that are so relative to the size of the
// terms, others.
func rank(feasible, nearly bool) int {
	switch {
	case feasible:
		return 2
	case nearly:
		return 1
	}
	return 0
}

// Absence is why there are no multipliers at a point where no small step leads to a better one.
type Absence struct {
	// Constraint has a gradient that vanishes at the point, or cancels with others': no multipliers
	// exist. "": the point is at a kink.
	Constraint string `json:"constraint,omitempty"`
}

// Loose is a constraint that decides the objective by how far it may be broken: by its multiplier,
// a violation that FeasTol allows changes the objective by more than √Tol of its size, or by more
// than Tol where the point breaks it by as much.
type Loose struct {
	Constraint string `json:"row"`
	// of the objective at the largest violation that FeasTol allows
	Change float64 `json:"objective"`
}

// holding is a point that was examined, with the multipliers of the least residual.
type holding struct {
	point      *kkt.Point
	duals      subproblem.Multipliers
	residual   kkt.Residual
	slope      float64        // at most 1 where the multipliers meet the first-order conditions
	degenerate *dc.Constraint // see kkt.Point.Project
}

// restPoint is a point at which the procedure has converged, with its multipliers.
type restPoint struct {
	Result
	duals subproblem.Multipliers
}

// moveTo makes b the best point.
func (r *Result) moveTo(b *Result) {
	copy(r.X, b.X)
	r.Objective, r.ObjectiveError = b.Objective, b.ObjectiveError
	r.Violation, r.Feasible, r.nearly = b.Violation, b.Feasible, b.nearly
}

// Multipliers is Duals: dc.Statement.Dual reads them.
func (r *Result) Multipliers() [][]float64 { return r.Duals }

// room is memory of a result that the next one in its place uses again.
type room struct {
	duals  subproblem.Multipliers
	convex qpbackend.Tangent // the solution, of a run of a session of a convex problem; without X: there is none
}

// take gives the result a copy of multipliers.
func (r *Result) take(m subproblem.Multipliers) {
	if r.Duals, r.BoundDuals = nil, nil; m.Rows == nil {
		return
	}
	to := &r.room.duals
	if len(to.Rows) != len(m.Rows) || to.Rows == nil {
		to.Rows = make([][]float64, len(m.Rows))
		all := make([]float64, 0, sizes(m.Rows))
		for i, y := range m.Rows {
			to.Rows[i] = all[len(all) : len(all) : len(all)+len(y)]
			all = all[:len(all)+len(y)]
		}
	}
	for i, y := range m.Rows {
		to.Rows[i] = append(to.Rows[i][:0], y...)
	}
	r.Duals = to.Rows
	if m.Bounds != nil {
		to.Bounds = append(to.Bounds[:0], m.Bounds...)
		r.BoundDuals = to.Bounds
	}
}

func sizes(rows [][]float64) (n int) {
	for _, y := range rows {
		n += len(y)
	}
	return n
}

// Seconds are wall-clock times, summed over starts: making the convex problem,
// the whole of Solve, and the backend's part of it.
type Seconds struct {
	Compile, Solve, Backend float64
}

// Status is why the procedure stopped.
type Status uint8

// The outcomes. Result.X is the best point met, whatever the status.
const (
	Unknown        Status = iota // not run
	Converged                    // feasible, and the objective has ceased to change; of a convex problem, a bound shows the minimum
	Stalled                      // the points have ceased to change, at one that is not feasible or, of a convex problem, not shown to be the minimum
	IterationLimit               // Settings.MaxIter or MaxWork reached
	TimeLimit                    // the context's deadline passed
	Infeasible                   // the convex constraints alone, or one other constraint within the bounds and affine equations, cannot be met: a proof
	Unbounded                    // the objective falls for ever along a feasible direction, or is −Inf next to a feasible point
	Cancelled                    // the context was cancelled
	Numerical                    // the backend failed, or a function gave no number
	numStatus
)

var statusText = [numStatus]string{
	"unknown", "converged", "stalled", "iteration_limit", "time_limit",
	"infeasible", "unbounded", "cancelled", "numerical",
}

// String is the status as the program's JSON has it, such as
// "iteration_limit".
func (s Status) String() string { return enum.String(s, "Status", statusText[:]) }

// ParseStatus is the inverse of String.
func ParseStatus(name string) (Status, error) {
	return enum.Parse[Status](name, "ccp: no status", statusText[:])
}

// Reason is why a run ended. Each belongs to one Status. docs/messages.md lists them.
type Reason uint8

// The reasons, by status. The last of each is that of package global, too.
const (
	NoReason Reason = iota // Unknown: not known

	Minimum     // Converged: of a convex problem, a bound shows the minimum
	Stationary  // the objective has ceased to change, and first-order conditions hold
	Still       // there are no multipliers, and no small step is better
	Noise       // the objective changes within the accuracy of the backend
	Inexact     // of a convex problem, the backend leaves more open than Settings.Tol
	NotAttained // the point runs off, and the objective tends to its infimum
	Found       // a global search has found the point

	NotShown      // Stalled: of a convex problem, nothing shows the minimum
	Inaccurate    // the backend meets the convex constraints no better
	Broken        // the points have ceased to change although a constraint is broken
	RunsOff       // the points run off, and no ray proves the problem unbounded
	Rounding      // rounding errors may be all that the objective is
	GivenUp       // of a search within a run, of no result: it leads to no better point
	NotStationary // the objective has ceased to fall, and no multipliers hold the point

	MostWork       // IterationLimit: Settings.MaxWork
	MostIterations // Settings.MaxIter

	Deadline // TimeLimit

	Conflict   // Infeasible: the convex constraints exclude each other
	OutOfRange // a constraint holds nowhere within the bounds and the affine equations
	Opposed    // two constraints exclude each other within the bounds
	Excluded   // a global search has shown it

	AtPole   // Unbounded: the objective is −Inf next to a feasible point
	AlongRay // a ray proves it

	ToldToStop  // Cancelled: by the recorder
	Interrupted // by the context

	NoTangent     // Numerical: a function has no finite value or subgradient at the start
	NotANumber    // the objective, or a tangent, has ceased to be finite
	NoLeastValue  // a convex problem is unbounded, although the problem need not be
	Panicked      // a user's function has
	BackendFailed // the backend does not solve a convex problem
	numReasons
)

var reasonText = [numReasons]string{
	"unknown",
	"minimum", "stationary", "no_better_step", "noise", "inexact", "not_attained", "found",
	"not_shown", "constraints_inexact", "constraint_broken", "runs_off", "rounding_errors",
	"given_up", "not_stationary",
	"work_limit", "iteration_limit",
	"time_limit",
	"constraints_conflict", "constraint_out_of_range", "constraints_opposed", "excluded",
	"pole", "ray",
	"recorder", "cancelled",
	"bad_start", "not_a_number", "convex_unbounded", "panic", "backend_failed",
}

// lastReason is by status.
var lastReason = [numStatus]Reason{
	NoReason, Found, NotStationary, MostIterations, Deadline, Excluded, AlongRay, Interrupted, BackendFailed,
}

// plainEnds are ends without details, which never change.
var plainEnds = [numReasons]outcome{
	Minimum:    {Minimum, ""},
	Stationary: {Stationary, ""},

	Still: {Still, "by values and gradients no small step is better"},
	Noise: {Noise, "the objective does not settle any better than the backend solves the convex problems"},

	NotShown: {NotShown,
		"nothing shows that the point is the minimum, and the backend solves the problem no better"},
	Inaccurate: {Inaccurate, "the backend meets the constraints no better"},
	Broken: {Broken,
		"the points have ceased to change although a constraint is broken; try other starting points"},
	RunsOff:       {RunsOff, "the points run off although no ray proves the problem unbounded; bound the variables"},
	GivenUp:       {GivenUp, "given up: the search leads to no better point"},
	NotStationary: {NotStationary, "the objective has ceased to fall at a point that is not stationary"},

	Conflict: {Conflict, "no point meets the convex constraints"},
	AtPole:   {AtPole, "the objective is minus infinity at a point that keeps the constraints"},
	AlongRay: {AlongRay,
		"the objective falls for ever along a direction that keeps the constraints; bound the variables"},

	ToldToStop: {ToldToStop, "stopped by the recorder"},
	NoTangent: {NoTangent,
		"a function or its subgradient is not a finite number at the starting point; give another start"},
	NoLeastValue: {NoLeastValue,
		"the convex problem is unbounded although the problem itself need not be; bound the variables"},
	BackendFailed: {BackendFailed, "the backend cannot solve the convex problems"},
}

// String is the code of JSON, such as "stationary".
func (r Reason) String() string { return enum.String(r, "Reason", reasonText[:]) }

// ParseReason is the inverse of String.
func ParseReason(name string) (Reason, error) {
	return enum.Parse[Reason](name, "ccp: no reason", reasonText[:])
}

// Status is the status that the reason belongs to.
func (r Reason) Status() Status {
	at, _ := slices.BinarySearch(lastReason[:], r)
	return Status(at)
}

// Reason is why the run ended; of a point or a status of package global, the last reason of the
// status; NoReason where it was stored without.
func (r *Result) Reason() Reason {
	bits := math.Float64bits
	if o := r.end; o == nil {
		return NoReason
	} else if r.Status >= numStatus || o.status() == r.Status && bits(r.Objective) == bits(r.concluded) {
		return o.reason
	}
	return lastReason[r.Status]
}

// outcome is why a local search has ended; nil: it has not.
type outcome struct {
	reason  Reason
	message string
}

// conclude is the end for a reason, in the words of its sentence or in others, with remarks.
func conclude(why Reason, words string, remarks ...string) *outcome {
	if words == "" {
		if plainEnds[why].reason == why && strings.Join(remarks, "") == "" {
			return &plainEnds[why]
		}
		words = plainEnds[why].message
	}
	return &outcome{why, joined(append([]string{words}, remarks...)...)}
}

func (o *outcome) status() Status {
	if o == nil {
		return Unknown
	}
	return o.reason.Status()
}

// rests reports whether searches may begin from the point.
func (o *outcome) rests() bool {
	return o.status() == Converged || o != nil && o.reason == NotStationary
}

// ended is how a run ends by err, if that is one: an end of the context, and numbers that overflow,
// leave a point.
func ended(ctx context.Context, err error) (*outcome, error) {
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(ctx.Err()), ctx.Err()
	case subproblem.Overflows(err):
		return conclude(NotANumber, strings.TrimPrefix(subproblem.ErrNotANumber.Error(), "ccp: ")), nil
	}
	return nil, err
}

func interrupted(err error) *outcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return conclude(Deadline, "")
	}
	return conclude(Interrupted, "")
}

// joined is the remarks of a message that are there.
func joined(remarks ...string) string {
	return strings.Join(slices.DeleteFunc(remarks, func(s string) bool { return s == "" }), "; ")
}
