package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
)

// unchanged holds the values of the last solve. Where every h is piecewise affine,
// as the maxima of a regression are, the procedure ends at a point whose
// tangents are those that led there: its convex problem is the one before, and
// so is the solution.
type unchanged struct {
	held     bool      // the solver has A and P as they are now
	answered bool      // with these and the values below
	diverted bool      // the solver has values that it was given for another purpose
	q, l, u  []float64 // of the last solve
	lo, hi   []float64
}

// is reports whether the values are those of the last solve: the same numbers,
// but for the rounding errors in the bounds that tangents give.
func (a *unchanged) is(now *qpbackend.Update) bool {
	if !a.held || !a.answered || a.diverted || !slices.Equal(a.q, now.Q) || !slices.Equal(a.l, now.L) || !slices.Equal(a.lo, now.Lo) || !slices.Equal(a.hi, now.Hi) {
		return false
	}
	for i, u := range now.U {
		if u != a.u[i] && !(math.Abs(u-a.u[i]) <= rounded*max(1, math.Abs(u))) {
			return false
		}
	}
	return true
}

// rounded is far below the tolerance that a solver is asked for, see tightest.
// Source: derived: some hundred roundings; a ten-thousandth of tightest.
const rounded = 1e-13

// ask hands over the values that have changed.
func (a *unchanged) ask(solver qpbackend.Solver, now qpbackend.Update) error {
	a.keep(now)
	if a.held && !a.diverted {
		now.A, now.P = nil, nil
	}
	err := solver.Update(now)
	a.held, a.diverted = err == nil, a.diverted && err != nil
	return err
}

// keep keeps the values that are about to be solved.
func (a *unchanged) keep(now qpbackend.Update) {
	a.answered = false
	a.q, a.l, a.u = append(a.q[:0], now.Q...), append(a.l[:0], now.L...), append(a.u[:0], now.U...)
	a.lo, a.hi = append(a.lo[:0], now.Lo...), append(a.hi[:0], now.Hi...)
}

// Meter counts work of solvers.
type Meter struct {
	Iterations, Multiplications float64
}

// Work is about that many sparse multiplications of package ipm.
func (m *Meter) Work() float64 { return m.Multiplications + IterationWork*m.Iterations }

// IterationWork is the cost of an iteration of package ipm in multiplications, beside those.
// Source: as of search.Budget.Taken.
const IterationWork = 400

// Add adds the work that led to a result for a problem with so many entries.
func (m *Meter) Add(r *qpbackend.Result, entries float64) {
	if m == nil {
		return
	}
	m.Iterations += float64(r.Iterations)
	if r.Work > 0 {
		m.Multiplications += r.Work
	} else {
		m.Multiplications += float64(r.Iterations) * entries
	}
}
