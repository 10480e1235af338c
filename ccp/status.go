package ccp

import "fmt"

// Status is why the procedure stopped.
type Status uint8

// The outcomes. Result.X is the best point met, whatever the status.
const (
	Unknown        Status = iota // not run
	Converged                    // feasible, and the objective has ceased to change
	Stalled                      // the points have ceased to change, at one that is not feasible
	IterationLimit               // Settings.MaxIter reached
	TimeLimit                    // the context's deadline passed
	Infeasible                   // the convex constraints alone cannot be met: a proof
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
func (s Status) String() string {
	if s < numStatus {
		return statusText[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
