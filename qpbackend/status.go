package qpbackend

import (
	"context"
	"errors"

	"github.com/dcopt/dcopt/internal/enum"
)

// Status is the outcome of a solve.
type Status uint8

// The outcomes. Result.X and Result.Y hold the best iterate whatever the
// status, but for the two certificates (see Result).
const (
	Unknown Status = iota // not solved yet
	Solved                // residuals and gap within tolerance
	// no further progress, at a point within the loose tolerance that the backend documents
	AlmostSolved
	PrimalInfeasible // Y proves that no point meets the rows
	// X is a direction along which the objective falls for ever, if any point is feasible
	DualInfeasible
	IterationLimit   // Settings.MaxIter reached
	TimeLimit        // the context's deadline passed
	Cancelled        // the context was cancelled
	NumericalTrouble // a factorisation failed or the iterates ceased to be numbers
	numStatus
)

var statusText = [numStatus]string{
	"unknown", "solved", "almost_solved", "primal_infeasible", "dual_infeasible",
	"iteration_limit", "time_limit", "cancelled", "numerical",
}

// String is the status as the program's JSON has it, such as "almost_solved".
func (s Status) String() string { return enum.String(s, "Status", statusText[:]) }

// ParseStatus is the inverse of String.
func ParseStatus(name string) (Status, error) {
	return enum.Parse[Status](name, "qpbackend: no status", statusText[:])
}

// Interrupted is the status that belongs to a context's error: TimeLimit for a
// deadline, Cancelled otherwise.
func Interrupted(err error) Status {
	if errors.Is(err, context.DeadlineExceeded) {
		return TimeLimit
	}
	return Cancelled
}
