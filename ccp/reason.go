package ccp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/enum"
)

// Status is why the procedure stopped.
type Status uint8

// The outcomes. Result.X is the best point met, whatever the status.
const (
	Unknown Status = iota // not run
	// feasible, and the objective has ceased to change; of a convex problem, a bound shows the
	// minimum
	Converged
	// the points have ceased to change, at one that is not feasible or, of a convex problem, not
	// shown to be the minimum
	Stalled
	IterationLimit // Settings.MaxIter or MaxWork reached
	TimeLimit      // the context's deadline passed
	// the convex constraints alone, or one other constraint within the bounds and affine equations,
	// cannot be met: a proof
	Infeasible
	// the objective falls for ever along a feasible direction, or is −Inf next to a feasible point
	Unbounded
	Cancelled // the context was cancelled
	Numerical // the backend failed, or a function gave no number
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
