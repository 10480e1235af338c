//go:build osqp

package osqp

// #include "shim.h"
import "C"

import "fmt"

// Status is OSQP's word on a solve.
type Status int

// The statuses of OSQP. An inaccurate one met ten times the tolerance when the
// iterations ran out.
const (
	Solved                     Status = C.OSQP_SOLVED
	SolvedInaccurate           Status = C.OSQP_SOLVED_INACCURATE
	PrimalInfeasible           Status = C.OSQP_PRIMAL_INFEASIBLE
	PrimalInfeasibleInaccurate Status = C.OSQP_PRIMAL_INFEASIBLE_INACCURATE
	DualInfeasible             Status = C.OSQP_DUAL_INFEASIBLE
	DualInfeasibleInaccurate   Status = C.OSQP_DUAL_INFEASIBLE_INACCURATE
	MaxIterReached             Status = C.OSQP_MAX_ITER_REACHED
	TimeLimitReached           Status = C.OSQP_TIME_LIMIT_REACHED
	Nonconvex                  Status = C.OSQP_NON_CVX
	Interrupted                Status = C.OSQP_SIGINT
	Unsolved                   Status = C.OSQP_UNSOLVED
)

// String is OSQP's own wording.
func (s Status) String() string {
	switch s {
	case Solved:
		return "solved"
	case SolvedInaccurate:
		return "solved inaccurate"
	case PrimalInfeasible:
		return "primal infeasible"
	case PrimalInfeasibleInaccurate:
		return "primal infeasible inaccurate"
	case DualInfeasible:
		return "dual infeasible"
	case DualInfeasibleInaccurate:
		return "dual infeasible inaccurate"
	case MaxIterReached:
		return "maximum iterations reached"
	case TimeLimitReached:
		return "run time limit reached"
	case Nonconvex:
		return "problem non convex"
	case Interrupted:
		return "interrupted"
	case Unsolved:
		return "unsolved"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// HasSolution reports whether x and y are an iterate; otherwise OSQP has
// overwritten it and gone back to zero.
func (s Status) HasSolution() bool {
	switch s {
	case PrimalInfeasible, PrimalInfeasibleInaccurate, DualInfeasible, DualInfeasibleInaccurate, Nonconvex:
		return false
	}
	return true
}

// PolishStatus is the outcome of polishing a solution.
type PolishStatus int

// The polish statuses of OSQP.
const (
	PolishLinsysError  PolishStatus = C.OSQP_POLISH_LINSYS_ERROR
	PolishFailed       PolishStatus = C.OSQP_POLISH_FAILED
	PolishNotPerformed PolishStatus = C.OSQP_POLISH_NOT_PERFORMED
	PolishSuccess      PolishStatus = C.OSQP_POLISH_SUCCESS
	PolishNoActiveSet  PolishStatus = C.OSQP_POLISH_NO_ACTIVE_SET_FOUND
)

// Info is OSQP's account of the last solve, in its own measures. Times are
// zero in a library without clock.
type Info struct {
	Status Status
	Polish PolishStatus

	Objective, DualObjective           float64
	PrimalResidual, DualResidual       float64
	DualityGap                         float64
	Iterations, RhoUpdates             int
	RhoEstimate                        float64
	SetupTime, SolveTime               float64
	UpdateTime, PolishTime, RunTime    float64
	PrimalDualIntegral, RelativeKKTErr float64
}

// Error is a call that OSQP refused.
type Error struct {
	Call string // the C function
	Code int    // ErrDataValidation, ...; others are exit flags without a name
}

// Codes of Error.
const (
	ErrDataValidation     = C.OSQP_DATA_VALIDATION_ERROR
	ErrSettingsValidation = C.OSQP_SETTINGS_VALIDATION_ERROR
	ErrLinsysInit         = C.OSQP_LINSYS_SOLVER_INIT_ERROR
	ErrNonconvex          = C.OSQP_NONCVX_ERROR
	ErrMemory             = C.OSQP_MEM_ALLOC_ERROR
	ErrNotInitialised     = C.OSQP_WORKSPACE_NOT_INIT_ERROR
)

func (e *Error) Error() string {
	text := ""
	switch e.Code {
	case ErrDataValidation:
		text = "the data are invalid"
	case ErrSettingsValidation:
		text = "the settings are invalid"
	case ErrLinsysInit:
		text = "the linear system solver could not be set up"
	case ErrNonconvex:
		text = "the KKT matrix has the wrong inertia; the problem seems to be nonconvex"
	case ErrMemory:
		text = "out of memory"
	case ErrNotInitialised:
		text = "the solver is closed"
	default:
		text = fmt.Sprintf("exit flag %d", e.Code)
	}
	return e.Call + ": " + text
}

func check(call string, flag C.OSQPInt) error {
	if flag == 0 {
		return nil
	}
	return &Error{Call: call, Code: int(flag)}
}
