package reduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

// Reduction states problems by others.
type Reduction interface {
	// New returns the reduction of p, which has both matrices and all bounds; nil where p stays as
	// it is, whatever values it gets. The problem belongs to the chain. Its values, and the slices
	// that hold them, change between calls of the Reduced, its patterns do not.
	New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (Reduced, error)
}

// Reduced is the reduction of one problem p, which each call gets with its present values.
type Reduced interface {
	// Apply returns the next problem to solve.
	Apply(ctx context.Context, p *qpbackend.Problem, ask Ask) (Task, error)
	// Invert sets X, Y and Z of to, reusing their slices, to the answer for p that from, the answer
	// for the problem of the last Task, stands for; from is nil after Task.Nothing. The other
	// fields of to are those of from. It is called for points, for proofs of infeasibility and for
	// rays, as to.Status says.
	Invert(ctx context.Context, p *qpbackend.Problem, from, to *qpbackend.Result) (Verdict, error)
}

// Ask is a request for the next solve.
type Ask struct {
	First bool             // in New: a Task with Nothing leaves the work to the first solve
	Round int              // 0, and one more each time that Invert has returned Again
	News  qpbackend.Update // the values that have changed since the last Apply; all after an error
	Start Point            // in round 0
	Goal  Goal             // in round 0
}

// Changed reports whether there are news.
func (a Ask) Changed() bool { return has(a.News) }

// All are the values of p, which has both matrices.
func All(p *qpbackend.Problem) qpbackend.Update {
	return qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val}
}

// Point is a warm start: slices are nil where nothing is proposed.
type Point = base.Start

// Goal says which points are enough, see EarlyEnder; At is nil for a solution.
type Goal struct {
	At    []float64
	Least float64
}

// Task is a problem to solve.
type Task struct {
	// Problem belongs to the reduction, which may overwrite it in Apply. It has both matrices and
	// all bounds; nil: the problem as stated is solved, and its answer is the answer.
	Problem *qpbackend.Problem
	// Keep says that Problem differs from the one before by the values News alone.
	Keep bool
	News qpbackend.Update
	// Nothing says that there is no problem to solve: Invert has the answer.
	Nothing bool

	Start Point
	Goal  Goal
	Early Early
	Tol   float64 // of a Problem that is not kept; 0: the one of the settings
	Cols  []int   // of each variable of Problem, the one as stated; nil: the same
	// Share is the worth of an iteration, as a share of one for the problem as stated; 0: all of
	// it.
	Share float64
	// Spent are iterations of the reduction's own.
	Spent int
	// Confirm lets a solution of Problem count only where Invert makes a solution of it.
	Confirm bool
}

// Early says what becomes of a Goal.
type Early uint8

// The values.
const (
	Refused Early = iota // nobody looks at it
	Used                 // by the reduction
	Passed               // on to the next solver, in Task.Goal
)

// Verdict says what an inverted answer is worth.
type Verdict uint8

// The verdicts.
const (
	Measured Verdict = iota // it is the answer, with its residuals and objective
	Final                   // it is the answer, and its residuals and objective are to be measured
	Checked                 // it is the answer if it holds; else the problem is solved as stated
	Again                   // Apply has another problem
)

// Backend solves problems with the embedded one, often another Backend of this package, after the
// reduction.
type Backend struct {
	qpbackend.Backend
	Reduction Reduction
	// Shares lets solvers share the values of A with the problem: whoever changes them calls Update
	// with them before the next Solve. Values are not validated here: sides may be of any size that
	// the reduction can state.
	Shares bool
}

// Chain is b with the reductions before it, the first of them first.
func Chain(b qpbackend.Backend, list ...Reduction) qpbackend.Backend {
	for _, r := range slices.Backward(list) {
		b = Backend{Reduction: r, Backend: b}
	}
	return b
}

// EarlyEnder is a Solver whose solves may end early.
type EarlyEnder interface {
	// Enough lets the next Solve end, as AlmostSolved, with a point whose objective is lower than
	// at a point, of which the first entries are at, by at least least, and that is above the least
	// value by no more than a hundredth of that. least = +Inf asks for a solution. The error is a
	// *LackError where only a solution will do.
	Enough(at []float64, least float64) error
}

// Confirmer is a Solver that lets others decide whether a solution counts.
type Confirmer interface {
	// Confirm lets a point within tolerance count as a solution only where holds returns true; nil:
	// always. The error is a *LackError.
	Confirm(holds func(ctx context.Context, x, y, z []float64) bool) error
}

// Solver is a solver with a reduction before it.
type Solver interface {
	// Differentiate and DifferentiateAt are those of a solver of the problem as stated by the
	// backend behind all reductions; a *LackError where that does not differentiate.
	qpbackend.Differentiator
	EarlyEnder
	Confirmer
	// Reduced reports whether the last answer, or before the first the problem that is ready, is
	// one of another problem than the one stated.
	Reduced() bool
	// Last is the solver behind all reductions, nil where there is none yet.
	Last() qpbackend.Solver
}

// LackError refuses a power that a chain of solvers lacks.
type LackError struct {
	Backend string
	Power   string // such as "differentiate"
}

func (e *LackError) Error() string {
	return fmt.Sprintf("%s: the solver cannot %s with the reductions before it", e.Backend, e.Power)
}
