package ccp

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
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
	// states a matrix to be positive semidefinite (program.Constraint.Order > 0) has
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
	iteration float64  // the multiplications of one of the backend, in the mean
	final     bool     // see run.final
	least     float64  // the smallest change of the objective that counts
	end       *outcome // for which the status and the objective were
	concluded float64
	sub       *subproblem.Problem // which has the sizes of variables
	room      room
}

// Work is of the run, in a unit that is the same on every machine: about a multiplication of a
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
	slope      float64             // at most 1 where the multipliers meet the first-order conditions
	degenerate *program.Constraint // see kkt.Point.Project
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
		n := 0
		for _, y := range m.Rows {
			n += len(y)
		}
		all := make([]float64, 0, n)
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

// Seconds are wall-clock times, summed over starts: making the convex problem,
// the whole of Solve, and the backend's part of it.
type Seconds struct {
	Compile, Solve, Backend float64
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
