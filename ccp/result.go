package ccp

import (
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/qpbackend"
)

// Result is the best point of a run and how it came about.
type Result struct {
	Status Status
	// X has one entry a variable of the problem: the feasible point of least
	// objective or, if none was feasible, the point of least violation. A point
	// of a search that is lower by less than Settings.Tol of the size of the objective's terms may be left aside.
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
	// BoundDuals are a certificate instead, of sum −1: see
	// qpbackend.PrimalInfeasibility.
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
	// Message explains the status where that needs words.
	Message string

	// nearly: X keeps the constraints relative to the size of their terms.
	nearly bool
	work   float64           // see run.work
	least  float64           // the smallest change of the objective that counts
	convex qpbackend.Tangent // the solution of the convex problem, of a run of a session of one
}

// valued is a point with its values.
type valued struct {
	x                    []float64
	objective, violation float64
	feasible, nearly     bool
}

// point is the best point so far.
func (r *Result) point() valued {
	return valued{slices.Clone(r.X), r.Objective, r.Violation, r.Feasible, r.nearly}
}

// goBack makes b the best point again.
func (r *Result) goBack(b valued) {
	copy(r.X, b.x)
	r.Objective, r.Violation, r.Feasible, r.nearly = b.objective, b.violation, b.feasible, b.nearly
}

// take takes over multipliers.
func (r *Result) take(m subproblem.Multipliers) { r.Duals, r.BoundDuals = m.Rows, m.Bounds }

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
	IterationLimit               // Settings.MaxIter reached
	TimeLimit                    // the context's deadline passed
	Infeasible                   // the convex constraints alone, or one other constraint within the bounds and affine equations, cannot be met: a proof
	Unbounded                    // the objective falls for ever along a feasible direction, or has fallen below −1e20
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
