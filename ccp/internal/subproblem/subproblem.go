package subproblem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/ccp/internal/workingset"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Compile assembles the convex problem of p. When ctx ends, the error is that of
// ctx.
func Compile(ctx context.Context, p *program.Problem) (*Problem, error) {
	return compile(ctx, p, blocks.Choice{}, false)
}

// CompileNear is Compile without rows for members of large families that a change of the variables
// has to be large to break, seen from x; nil: with all rows. Solve gives those rows that its
// solutions break.
func CompileNear(ctx context.Context, p *program.Problem, x []float64) (*Problem, error) {
	return compile(ctx, p, blocks.Around(x), false)
}

// CompileApart is Compile with each square of the objective by a column of its own: no number of
// the convex problem is a sum of products of coefficients.
func CompileApart(ctx context.Context, p *program.Problem) (*Problem, error) {
	return compile(ctx, p, blocks.Choice{}, true)
}

// compile is Compile, or CompileApart, with the rows of a choice.
func compile(ctx context.Context, p *program.Problem, choice blocks.Choice, apart bool) (s *Problem, err error) {
	defer Unwound(&err)
	s = &Problem{&Compiled{DC: p, choice: choice}, &Linearisation{unsized: choice.Around != nil}, &Units{}, &Session{}}
	b := NewBuilder(ctx, p.NumVars())
	b.apart = apart
	s.Compiled.pin(b)
	s.Compiled.addObjective(b)
	b.BoundVariables(p)
	s.Compiled.addConstraints(b)
	s.Compiled.restrictMajorants(b)
	s.Compiled.QP = b.Problem()
	s.compiled(b)
	return s, nil
}

// compiled takes the assembled problem over, and makes room for values.
func (s *Problem) compiled(b *Builder) {
	qp := s.Compiled.QP
	b.Rows.Assembled(s.Compiled.DC.NumVars())
	s.Compiled.Cuts, s.Compiled.Rows, s.Lin.least = b.cuts, b.Rows, b.least
	s.Compiled.Hidden.Equations = fixed.Find(qp, s.Compiled.Hidden.Cols)
	s.Compiled.alone = lonely(qp, s.Compiled.DC.NumVars())
	s.Lin.grad = make([]float64, s.Compiled.DC.NumVars())
	s.Compiled.powers = scaling.ConeValues(s.Compiled.QP, s.Compiled.DC.NumVars())
	ones := slices.Repeat([]float64{1}, len(s.Compiled.Soft))
	s.Units.rowSize, s.Units.prices = ones, slices.Clone(ones)
	s.Lin.Now = qpbackend.Update{P: qp.P.Val, Q: slices.Clone(qp.Q), Lo: qp.Lo, Hi: qp.Hi, L: qp.L,
		U: slices.Clone(qp.U), A: qp.A.Val}
	if s.Lin.least.p != nil {
		s.Lin.Now.P = slices.Clone(s.Lin.least.p)
	}
	if s.NumCuts() > 0 {
		s.Lin.Now.A = slices.Clone(qp.A.Val)
	}
}

// Open makes the solver, unless a session kept it; the problem it sees is that of
// the first linearise.
func (s *Problem) Open(ctx context.Context, b qpbackend.Backend, set qpbackend.Settings) error {
	if s.Session.Solver != nil {
		return nil
	}
	defer s.took(time.Now())
	s.Session.backend, s.Session.set, s.Session.chooses = b, set, workingset.Chooses(b, s.Compiled.QP)
	solver, err := scaling.New(ctx, b, s.Stated(), set, s.columnUnits(), s.Compiled.Slacks, s.Compiled.Hidden)
	if err != nil {
		return fmt.Errorf("ccp: the convex problem: %w", err)
	}
	s.Session.Solver = solver
	s.Session.unchanged.held, s.Session.unchanged.answered = true, false
	return nil
}

// count counts the work of a solution.
func (s *Problem) count() {
	s.Session.Worked = float64(s.Session.Res.Iterations)
	if s.Session.Res.Share > 0 {
		s.Session.Worked *= s.Session.Res.Share
	}
	s.Session.Meter.Add(&s.Session.Res, s.Entries())
}

// Entries is how many numbers the convex problem has.
func (s *Problem) Entries() float64 { return float64(s.Compiled.QP.A.NNZ() + s.Compiled.QP.P.NNZ()) }

// took adds the time since t.
func (s *Problem) took(t time.Time) { s.Session.Seconds += Since(t) }

// Solve solves the problem of the last linearise, from the solution before
// where the backend profits from it; s.res holds the result. A problem
// that is the one before is not solved again.
func (s *Problem) Solve(ctx context.Context) error {
	defer s.took(time.Now())
	if s.Session.Centre == nil && s.Session.Res.Status == qpbackend.Solved && s.Session.unchanged.is(&s.Lin.Now) {
		s.Session.Res.Iterations, s.Session.Worked = 0, 0
		return ctx.Err()
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.Session.unchanged.ask(s.Session.Solver, s.Lin.Now); err != nil {
		return err
	}
	err := s.warmStart(ctx)
	if err == nil {
		err = s.Session.Solver.Solve(ctx, &s.Session.Res)
		s.count()
	}
	s.Session.unchanged.answered = err == nil
	return s.stay(s.include(ctx, err))
}

// stay leaves the variables that the convex problem does not contain where they are: a solver may
// put them anywhere, as far as it likes. err is that of the solution.
func (s *Problem) stay(err error) error {
	if err != nil || len(s.Lin.at) != s.Compiled.DC.NumVars() || len(s.Session.Res.X) < len(s.Lin.at) {
		return err
	}
	for _, j := range s.Compiled.alone {
		if s.Lin.Now.Q[j] == 0 {
			s.Session.Res.X[j] = s.Lin.at[j]
		}
	}
	return nil
}

// ready brings the rows, and the units and the centre of the solver, up to date.
func (s *Problem) ready(ctx context.Context) error {
	err := s.approach(ctx)
	if err == nil {
		s.Session.Solver.Resize(s.columnUnits())
		s.Session.Solver.Shift(s.Session.Centre)
	}
	return err
}

// warmStart lets the solver begin at the last solution, if it has come near one, and end as soon as
// enough of the objective's decrease is found. It returns ctx.Err() where ctx has ended.
func (s *Problem) warmStart(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.Session.chooses && len(s.Lin.at) > 0 {
		_ = s.Session.Solver.Enough(s.Lin.at, s.Session.Spare) // it is a permission: others solve to the end
	}
	switch s.Session.Res.Status {
	case qpbackend.Solved, qpbackend.AlmostSolved, qpbackend.IterationLimit:
		return s.Session.Solver.WarmStart(s.Session.Res.X, s.Session.Res.Y, s.Session.Res.Z)
	}
	if s.Session.chooses && len(s.Lin.at) > 0 {
		return s.Session.Solver.WarmStart(append(slices.Clone(s.Lin.at),
			make([]float64, len(s.Compiled.QP.Q)-len(s.Lin.at))...), nil, nil)
	}
	return nil
}

func (s *Problem) Close() {
	if solver := s.Session.Solver; solver != nil {
		s.Session.Solver = nil // also where Close of a user's solver panics
		solver.Close()
	}
	s.Session.unchanged = unchanged{}
}

// staleConstant is how much larger than that of the new problem the constant of
// an old objective may be, which an Update leaves: gaps are relative to it.
// Source: docs/lab/ccp.md, Constants.
const staleConstant = 100

// SamePattern reports whether an Update makes p of q.
func SamePattern(p, q *qpbackend.Problem) bool {
	return math.Abs(q.R) <= staleConstant*max(1, math.Abs(p.R)) && samePlaces(p.P, q.P) && samePlaces(p.A, q.A) &&
		slices.Equal(p.Cones, q.Cones)
}

func samePlaces(a, b *sparse.CSC) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.Equal(a.ColPtr, b.ColPtr) && slices.Equal(a.RowIdx, b.RowIdx)
}

// Bind takes over the values of the parameters of the problem, an instance, after a change of them.
func (s *Problem) Bind() {
	for _, v := range s.Compiled.DC.Vars {
		if v.Param {
			copy(s.Compiled.QP.Lo[v.Offset:], v.Lo) // now has the same slices
			copy(s.Compiled.QP.Hi[v.Offset:], v.Hi)
		}
	}
	s.Units.within.lo, s.Units.within.hi = s.Units.within.lo[:0], s.Units.within.hi[:0]
	s.Session.Forget()
}

// Forget drops the point of a proof of infeasibility, which is no start for the next instance.
func (s *Session) Forget() {
	if s.Res.Status == qpbackend.PrimalInfeasible || math.IsNaN(s.Res.Objective) {
		s.Res.Status = qpbackend.Unknown
	}
}

// DifferentiateAt is the derivative at a solution of the problem of the last Linearise, by the
// solver that there is. It is good until the next call.
func (s *Problem) DifferentiateAt(ctx context.Context, point qpbackend.Tangent) (qpbackend.Derivative, error) {
	if err := s.Session.unchanged.ask(s.Session.Solver, s.Lin.Now); err != nil {
		return nil, err
	}
	return s.Session.Solver.DifferentiateAt(ctx, point.X, point.Y, point.Z)
}
