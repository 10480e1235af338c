package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// Problem is the convex problem of an iteration.
type Problem struct {
	Compiled *Compiled
	Lin      *Linearisation
	Units    *Units
	Session  *Session
}

// Compiled is the pattern, and the values without any h and without the costs of slacks: no
// iteration changes it.
type Compiled struct {
	DC       *program.Problem
	QP       *qpbackend.Problem
	Rows     blocks.List
	Cuts     []Cut   // the linearised rows of Rows.Single
	Slacks   []int   // columns
	owners   []int32 // by slack: the number in Soft
	H0       convex.Func
	Domain   []convex.Restricted
	boundary []convex.Representer  // ≤ 0 within the domains
	Hard     []*program.Constraint // the convex ones
	Soft     []*program.Constraint // those with a slack
	Hidden   fixed.Reduction       // columns that the solver does not see
	alone    []int                 // variables without rows, squares and products
	powers   []int                 // columns that are values of powers or exponentials
	choice   blocks.Choice         // of the constraints that have rows
}

// Linearisation is the values of an iteration.
type Linearisation struct {
	Now      qpbackend.Update
	Switched bool      // the last linearise chose other items than the one before
	at       []float64 // where the cuts have their tangents; empty: that is not known
	grad     []float64 // n
	τ        float64   // of the last linearise
	soft     []float64 // see SoftValues
	gaps     gaps      // see Gaps
	unsized  bool      // the units of constraints without rows are not known yet
	least    choices
	prox     proximal
}

// Units has the units of variables and slacks.
type Units struct {
	Of       []float64 // of the variables: powers of 1024 near the sizes of their blocks
	columns  []float64 // units of all columns; empty: they have changed
	sized    []float64 // the point that they are chosen for
	chosen   []float64 // Sizes when they were chosen
	within   reached   // by the variables
	rowsAt   []float64 // units of the slacks' rows when they were chosen
	Sizes    []float64 // of the variables: the largest entries of their blocks
	largest  []float64 // of these so far
	rowSize  []float64 // of the DC constraints; see rowUnits
	measured bool      // they are of the rows as they are
	prices   []float64 // of their slacks, in multiples of τ
	room     []float64 // of balances and reach
}

// reached are bounds of variables, with those that rows and cones imply.
type reached struct {
	lo, hi []float64      // empty: they are not known
	by     *implied.Reach // nil: nobody has asked for them yet
}

// Session is the solver and its last answer.
type Session struct {
	Solver    *scaling.Solver
	Centre    []float64 // the point from which the solver measures x; nil: 0
	chooses   bool      // the solver works with some of the rows, first with those near a proposed x
	unchanged unchanged // the values of the last solve
	Res       qpbackend.Result
	Worked    float64 // Res.Iterations, each as the share of the entries of the problem that it was for
	Seconds   float64
	Meter     *Meter // of Solve and Project; nil: no one counts
	// Spare is the decrease of the objective from the point of the tangents from which on the
	// solver need not find all of it; 0: always.
	Spare float64
	// the last solution was so far from the point of the choice that tangents had to be looked at,
	// or the next tangents are
	far     bool
	backend qpbackend.Backend
	set     qpbackend.Settings
}

// gaps are the sums of Gaps so far.
type gaps struct{ sum, open float64 }

// Cut is a row a − h ≤ s of a DC constraint: in the values of now the coefficients of h's variables
// are those compiled, which are without h, less ∂h, and the bound is that of the tangent.
type Cut struct {
	H     convex.Func
	Idx   []int // h's support
	Slot  []int // positions in A.Val
	Row   int
	Same  bool // h is that of the cut before
	Slack int  // of the row, an index into Slacks, or NoSlack
	piece int  // the number, from 1, of the piece of h that the row has now; 0: it is not known
}

// NoSlack marks the rows of majorants, which a larger column always meets.
const NoSlack = -1

// Where the convex problem has no least value although the problem may have one, as when slacks
// stay cheaper than the gain of the objective, ½ρ‖x − z‖², each variable in units of its size, is
// added to it: the proximal DC algorithm of Sun, Sampaio and Candido 2003. Every step then exists,
// and the points converge as before.
type proximal struct {
	ρ    float64 // 0: off
	base []float64
	slot []int // of the diagonal, one per variable
}

// Stated is the problem of the last Linearise, with the columns of parameters. It shares
// slices with s.
func (s *Problem) Stated() *qpbackend.Problem { return s.Compiled.with(s.Lin.Now) }

// with is the problem with other values, all of which are given.
func (s *Compiled) with(v qpbackend.Update) *qpbackend.Problem {
	p, a, quad := *s.QP, *s.QP.A, *s.QP.P
	p.Q, p.Lo, p.Hi, p.L, p.U = v.Q, v.Lo, v.Hi, v.L, v.U
	a.Val, quad.Val = v.A, v.P
	p.A, p.P = &a, &quad
	return &p
}

// unchanged holds the values of the last solve. Where every h is piecewise affine,
// as the maxima of a regression are, the procedure ends at a point whose
// tangents are those that led there: its convex problem is the one before, and
// so is the solution.
type unchanged struct {
	held     bool             // the solver has A and P as they are now
	answered bool             // with these and the values below
	last     qpbackend.Update // of the last solve
}

// is reports whether the values are those of the last solve: the same numbers,
// but for the rounding errors in the bounds that tangents give.
func (a *unchanged) is(now *qpbackend.Update) bool {
	if !a.held || !a.answered || !slices.Equal(a.last.Q, now.Q) || !slices.Equal(a.last.L, now.L) ||
		!slices.Equal(a.last.Lo, now.Lo) || !slices.Equal(a.last.Hi, now.Hi) {
		return false
	}
	for i, u := range now.U {
		if was := a.last.U[i]; u != was && !(math.Abs(u-was) <= rounded*max(1, math.Abs(u))) {
			return false
		}
	}
	return true
}

// rounded is far below the tolerance that a solver is asked for, see tightest.
// Source: derived: some hundred roundings; a ten-thousandth of tightest.
const rounded = 1e-13

// ask hands over values that are about to be solved, of A those that may have changed.
func (a *unchanged) ask(solver qpbackend.Solver, now qpbackend.Update) error {
	vectors := reduce.Values(&now)
	for k, v := range reduce.Values(&a.last) {
		if k < reduce.Vectors {
			*v = append((*v)[:0], *vectors[k]...)
		}
	}
	if a.answered = false; a.held {
		now.A = nil
	}
	err := solver.Update(now)
	a.held = err == nil
	return err
}

// Meter counts work of solvers.
type Meter struct {
	Iterations, Multiplications float64
}

// Work is about that many sparse multiplications of package ipm.
func (m *Meter) Work() float64 { return m.Multiplications + IterationWork*m.Iterations }

// IterationWork is the cost of an iteration of package ipm in multiplications, beside those.
// Source: as of search.Budget.Used.
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
