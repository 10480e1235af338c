package subproblem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/pinned"
	"github.com/dcopt/dcopt/ccp/internal/rows"
	"github.com/dcopt/dcopt/ccp/internal/scaled"
	"github.com/dcopt/dcopt/ccp/internal/workingset"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// Problem is the convex problem of an iteration. Everything but values is
// fixed by compile; linearise overwrites values, solve solves.
type Problem struct {
	DC       *dc.Problem
	QP       *qpbackend.Problem // as compiled: no h, no slack costs; but A has the values of now
	Rows     rows.List
	Cuts     []Cut // the linearised rows of Rows.Single
	Slacks   []int // columns
	H0       dc.Convex
	Domain   []dc.Restricted
	boundary []dc.Representer // ≤ 0 within the domains
	Hard     []*dc.Constraint // the convex ones
	Soft     []*dc.Constraint // those with a slack
	prox     proximal
	least    choices
	pinned   []int             // the columns of parameters, which the solver does not see
	known    []pinned.Equation // which give their columns' values, that it does not see either
	defined  []bool            // variables that equations define; nil: there are none
	Now      qpbackend.Update  // values of this iteration
	tangency
	sizing
	answer
	near
}

// tangency is where the rows and the objective are linearised.
type tangency struct {
	Switched bool      // the last linearise chose other items than the one before
	at       []float64 // where the cuts have their tangents; empty: that is not known
	grad     []float64 // n
	τ        float64   // of the last linearise
	some     []int     // places
	soft     []float64 // see SoftValues
	gaps     gaps      // see Gaps
}

// sizing has the units of variables and slacks.
type sizing struct {
	Units    []float64 // of the variables: powers of 1024 near the sizes of their blocks
	columns  []float64 // units of all columns; nil: they have changed
	sized    []float64 // the point that they are chosen for
	chosen   []float64 // Sizes when they were chosen
	lo, hi   []float64 // bounds of the variables, implied ones included; empty: they are not known
	rowsAt   []float64 // units of the slacks' rows when they were chosen
	powers   []int     // columns that are values of powers or exponentials
	Sizes    []float64 // of the variables: the largest entries of their blocks
	largest  []float64 // of these so far
	rowSize  []float64 // of the DC constraints; see rowUnits
	measured bool      // they are of the rows as they are
	prices   []float64 // of their slacks, in multiples of τ
}

// answer is the solver and its last answer.
type answer struct {
	Solver    *scaled.Solver
	Centre    []float64 // the point from which the solver measures x; nil: 0
	chooses   bool      // the solver works with some of the rows, first with those near a proposed x
	unchanged unchanged // the values of the last solve
	Res       qpbackend.Result
	Worked    float64 // Res.Iterations, each as the share of the entries of the problem that it was for
	Seconds   float64
	Meter     *Meter // of Solve and Project; nil: no one counts
	// Spare is the decrease of the objective from the point of the tangents from which on the solver need not find all of it; 0: always.
	Spare float64
}

// gaps are the sums of Gaps so far.
type gaps struct{ sum, open float64 }

// near is which constraints have rows, and how to make a solver where that changes.
type near struct {
	choice  rows.Choice
	owners  []int32 // by slack: the number in Soft; nil: the same
	far     bool    // the last solution was so far from the point of the choice that tangents had to be looked at, or the next tangents are
	unsized bool    // the sizes of constraints without rows are not known yet
	backend qpbackend.Backend
	set     qpbackend.Settings
}

// Compile assembles the convex problem of p. When ctx ends, the error is that of
// ctx.
func Compile(ctx context.Context, p *dc.Problem) (*Problem, error) {
	return compile(ctx, &Problem{DC: p}, false)
}

// CompileNear is Compile without rows for members of large families that a change of the variables has to be large to break, seen from
// x; nil: with all rows. Solve gives those rows that its solutions break.
func CompileNear(ctx context.Context, p *dc.Problem, x []float64) (*Problem, error) {
	return compile(ctx, &Problem{DC: p, near: nearTo(p, x)}, false)
}

// nearTo is the choice around x; nil: of all rows.
func nearTo(p *dc.Problem, x []float64) (n near) {
	if x != nil {
		n.choice, n.unsized = rows.Around(x), true
		p.Pin(n.choice.Around)
	}
	return n
}

// CompileApart is Compile with each square of the objective by a column of its own: no number of the convex problem is a sum of
// products of coefficients.
func CompileApart(ctx context.Context, p *dc.Problem) (*Problem, error) {
	return compile(ctx, &Problem{DC: p}, true)
}

// compile is Compile, or CompileApart, of s.DC. No other field of s is set but those of near.
func compile(ctx context.Context, s *Problem, apart bool) (of *Problem, err error) {
	defer Unwound(&err)
	b := NewBuilder(ctx, s.DC.NumVars())
	b.apart = apart
	s.pin(b)
	s.addObjective(b)
	b.BoundVariables(s.DC)
	s.addConstraints(b)
	s.restrictMajorants(b)
	if s.QP, err = b.Problem(b.cuts); err != nil {
		return nil, err
	}
	s.compiled(b)
	return s, nil
}

// pin notes which variables are parameters.
func (s *Problem) pin(b *Builder) {
	for _, v := range s.DC.Vars {
		if !v.Param {
			continue
		}
		if b.pinned == nil {
			b.pinned = make([]bool, s.DC.NumVars())
		}
		for j := v.Offset; j < v.Offset+v.Len(); j++ {
			b.pinned[j] = true
			s.pinned = append(s.pinned, j)
		}
	}
}

// addObjective adds g of the objective, and the domain of its h.
func (s *Problem) addObjective(b *Builder) {
	b.Minimise(b.Form(s.DC.Objective.G()))
	if h := s.DC.Objective.H(); len(h.Support()) > 0 {
		s.H0 = h
		s.restrict(b, h)
	}
}

// addConstraints adds the rows of all constraints, and the bounds of slacks.
func (s *Problem) addConstraints(b *Builder) {
	for i := 0; i < len(s.DC.Constraints); i++ {
		b.work(1)
		if n := s.addFamily(b, i); n > 0 {
			i += n - 1
			continue
		}
		b.owner = i
		c := &s.DC.Constraints[i]
		if c.Convex() {
			s.Hard = append(s.Hard, c)
		} else {
			s.Soft = append(s.Soft, c)
		}
		s.addConstraint(b, c)
	}
	b.owner = ownObjective
	for _, j := range s.Slacks {
		b.BoundColumn(j, 0, math.Inf(1))
	}
}

// addFamily adds the rows of the constraints that number i is the first of, where they are one
// object. It returns how many there are, 0 where they are to be added one by one.
func (s *Problem) addFamily(b *Builder, i int) int {
	m := s.DC.Constraints[i].Members()
	if m == nil {
		return 0
	}
	t, ok := m.Tangent()
	if !ok {
		return 0
	}
	n := m.Count()
	some := s.choice.Of(len(b.Rows.Families), m)
	f := rows.NewFamily(m, t, some, i, len(s.Soft), b.Rows.Count(), len(s.Slacks), b.Cols)
	for k := range f.Count() {
		s.Slacks = append(s.Slacks, b.Var())
		s.note(len(s.Soft) + f.Number(k))
	}
	s.Soft = slices.Grow(s.Soft, n)
	for k := range n {
		s.Soft = append(s.Soft, &s.DC.Constraints[i+k])
	}
	b.work(f.Width())
	b.Rows.Families = append(b.Rows.Families, f)
	return n
}

// softOf is the number in Soft of the constraint of a slack.
func (s *Problem) softOf(slack int) int {
	if s.owners == nil {
		return slack
	}
	return int(s.owners[slack])
}

// note keeps the number in Soft of the constraint of the last slack.
func (s *Problem) note(soft int) {
	n := len(s.Slacks) - 1
	switch {
	case s.owners == nil && soft == n:
		return
	case s.owners == nil:
		for k := range n {
			s.owners = append(s.owners, int32(k))
		}
	}
	s.owners = append(s.owners, int32(soft))
}

// restrictMajorants adds the domains of the h that majorants linearise.
func (s *Problem) restrictMajorants(b *Builder) {
	for k := 0; k < len(b.cuts); k++ { // which may grow
		if b.cuts[k].slack == noSlack {
			s.restrict(b, b.cuts[k].H)
		}
	}
}

// compiled takes the assembled problem over, and makes room for values.
func (s *Problem) compiled(b *Builder) {
	qp := s.QP
	s.defined = s.DC.Defined()
	b.Rows.Assembled(s.DC.NumVars())
	s.Cuts, s.Rows, s.least = b.cuts, b.Rows, b.least
	s.known = pinned.Find(qp, s.pinned)
	s.grad = make([]float64, s.DC.NumVars())
	s.powers = scaled.ConeValues(s.QP, s.DC.NumVars())
	if s.prices == nil {
		s.rowSize, s.prices = make([]float64, len(s.Soft)), make([]float64, len(s.Soft))
		for k := range s.Soft {
			s.rowSize[k], s.prices[k] = 1, 1
		}
	}
	s.Now = qpbackend.Update{P: append([]float64(nil), s.least.p...), Q: append([]float64(nil), qp.Q...), Lo: qp.Lo, Hi: qp.Hi, U: append([]float64(nil), qp.U...), A: qp.A.Val}
}

// addConstraint adds the rows of one constraint.
func (s *Problem) addConstraint(b *Builder, c *dc.Constraint) {
	if !c.DC {
		for k := range c.A.Len() {
			b.AddRow(c.A.Linear(k), c.Lo[k], c.Hi[k], k)
		}
		return
	}
	if b.inCone(c) {
		return
	}
	e, convex := c.E(), c.Convex()
	g := e.G()
	if convex && b.atMost(g, 0) {
		return
	}
	h := e.H()
	idx := h.Support()
	slack := dc.Linear{}
	if !convex {
		s.restrict(b, h)
		slack = dc.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
		s.Slacks = append(s.Slacks, slack.Idx[0])
		s.note(len(s.Soft) - 1)
	}
	for k, l := range upperRows(b, g, len(idx)) {
		if convex {
			b.AddRow(l, math.Inf(-1), 0, 0)
			continue
		}
		b.cut(l.AddScaled(-1, slack), h, Cut{Same: k > 0, slack: len(s.Slacks) - 1}, 0)
	}
}

// upperRows returns affine functions that must all be ≤ 0 for g ≤ 0: the
// pieces of a polyhedral g where writing h out for each of them costs no more
// than a column above g, else that column.
func upperRows(b *Builder, g dc.Representer, hSupport int) []dc.Linear {
	if p, ok := g.(dc.Polyhedral); ok {
		if pieces := p.Pieces(); len(pieces) > 0 && len(pieces)*hSupport <= 2*(len(g.Support())+hSupport)+8 {
			return pieces
		}
	}
	return []dc.Linear{b.Bound(g)}
}

// restrict keeps the points within the domain of h.
func (s *Problem) restrict(b *Builder, h dc.Convex) {
	r, ok := h.(dc.Restricted)
	if e, is := h.(interface{ Everywhere() bool }); !ok || is && e.Everywhere() {
		return
	}
	s.Domain = append(s.Domain, r)
	for _, f := range r.Domain() {
		s.boundary = append(s.boundary, f)
		if !b.atMost(f, -1) {
			b.Row(b.Bound(f), math.Inf(-1), 0)
		}
	}
}

// Open makes the solver, unless a session kept it; the problem it sees is that of
// the first linearise.
func (s *Problem) Open(ctx context.Context, b qpbackend.Backend, set qpbackend.Settings) error {
	if s.Solver != nil {
		return nil
	}
	defer s.took(time.Now())
	s.backend, s.set, s.chooses = b, set, workingset.Chooses(b, s.QP)
	known := pinned.Reduction{Cols: s.pinned, Equations: s.known}
	solver, err := scaled.New(ctx, b, s.Stated(), set, s.columnUnits(), s.Slacks, known)
	if err != nil {
		return fmt.Errorf("ccp: the convex problem: %w", err)
	}
	s.Solver = solver
	s.unchanged.held, s.unchanged.answered = true, false
	return nil
}

// count counts the work of a solution.
func (s *Problem) count() {
	s.Worked = s.Solver.Worked()
	s.Meter.Add(&s.Res, s.Entries())
}

// Entries is how many numbers the convex problem has.
func (s *Problem) Entries() float64 { return float64(s.QP.A.NNZ() + s.QP.P.NNZ()) }

// took adds the time since t.
func (s *Problem) took(t time.Time) { s.Seconds += Since(t) }

// Stated is the problem of the last Linearise, with the columns of parameters. It shares
// slices with s.
func (s *Problem) Stated() *qpbackend.Problem {
	p := *s.QP
	p.Q, p.U = s.Now.Q, s.Now.U
	if s.Now.L != nil {
		p.L = s.Now.L
	}
	a := *s.QP.A
	a.Val = s.Now.A
	p.A = &a
	if s.Now.P != nil {
		pm := *s.QP.P
		pm.Val = s.Now.P
		p.P = &pm
	}
	return &p
}

// Solve solves the problem of the last linearise, from the solution before
// where the backend profits from it; s.res holds the result. A problem
// that is the one before is not solved again.
func (s *Problem) Solve(ctx context.Context) error {
	defer s.took(time.Now())
	if s.Centre == nil && s.Res.Status == qpbackend.Solved && s.unchanged.is(&s.Now) {
		s.Res.Iterations, s.Worked = 0, 0
		return ctx.Err()
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.unchanged.ask(s.Solver, s.values()); err != nil {
		return err
	}
	err := s.warmStart(ctx)
	if err == nil {
		err = s.Solver.Solve(ctx, &s.Res)
		s.count()
	}
	s.unchanged.answered = err == nil
	return s.stay(s.include(ctx, err))
}

// stay leaves the variables that the convex problem does not contain where they are: a solver may
// put them anywhere, as far as it likes. err is that of the solution.
func (s *Problem) stay(err error) error {
	if err != nil || len(s.at) != s.DC.NumVars() || len(s.Res.X) < len(s.at) {
		return err
	}
	a, squares := s.QP.A, []bool(nil)
	for j, v := range s.at {
		if s.Now.Q[j] != 0 || a != nil && a.ColPtr[j+1] > a.ColPtr[j] {
			continue
		}
		if squares == nil {
			squares = s.squares()
		}
		if !squares[j] {
			s.Res.X[j] = v
		}
	}
	return nil
}

// squares tells which columns have squares or products in the objective.
func (s *Problem) squares() []bool {
	in := make([]bool, len(s.Now.Q))
	if p := s.QP.P; p != nil {
		for k := range in {
			for _, i := range p.RowIdx[p.ColPtr[k]:p.ColPtr[k+1]] {
				in[i], in[k] = true, true
			}
		}
	}
	return in
}

// ready brings the rows, and the units and the centre of the solver, up to date.
func (s *Problem) ready(ctx context.Context) error {
	err := s.approach(ctx)
	if err == nil {
		s.Solver.Resize(s.columnUnits())
		s.Solver.Centre(s.Centre)
	}
	return err
}

// values are those that the solver does not have: all of them, also those that never
// change, where it was given others for another purpose.
func (s *Problem) values() qpbackend.Update {
	now := s.Now
	if s.unchanged.diverted {
		now.L = s.lower()
		if now.P == nil && s.QP.P != nil {
			now.P = s.QP.P.Val
		}
	}
	return now
}

// warmStart lets the solver begin at the last solution, if it has come near one, and end as soon as enough of the objective's decrease is found.
// It returns ctx.Err() where ctx has ended.
func (s *Problem) warmStart(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.chooses && len(s.at) > 0 {
		s.Solver.Enough(s.at, s.Spare)
	}
	switch s.Res.Status {
	case qpbackend.Solved, qpbackend.AlmostSolved, qpbackend.IterationLimit:
		return s.Solver.WarmStart(s.Res.X, s.Res.Y, s.Res.Z)
	}
	if s.chooses && len(s.at) > 0 {
		return s.Solver.WarmStart(append(slices.Clone(s.at), make([]float64, len(s.QP.Q)-len(s.at))...), nil, nil)
	}
	return nil
}

// lower are the lower bounds of the rows.
func (s *Problem) lower() []float64 {
	if s.Now.L != nil {
		return s.Now.L
	}
	return s.QP.L
}

func (s *Problem) Close() {
	if solver := s.Solver; solver != nil {
		s.Solver = nil // also where Close of a user's solver panics
		solver.Close()
	}
	s.unchanged = unchanged{}
}

// Leap says that the next tangents have nothing to do with the last solution: rows are chosen anew, for the point where they are taken.
func (s *Problem) Leap() { s.far = s.choice.Absent() }

// approach chooses the members with rows anew where the last solution was far, or the tangents are.
func (s *Problem) approach(ctx context.Context) error {
	if !s.far || len(s.at) == 0 {
		return nil
	}
	s.far = false
	next, ok := s.choice.Again(s.at, s.Res.Y, s.Rows.Families)
	if !ok {
		return nil
	}
	return s.renew(ctx, next)
}

// include gives rows to the constraints without one that the last solution breaks, and solves the problem again. err is that of the last
// solution.
func (s *Problem) include(ctx context.Context, err error) error {
	if err != nil || !s.choice.Absent() {
		return err
	}
	next, x := s.choice.All(), s.Res.X
	switch s.Res.Status {
	case qpbackend.DualInfeasible: // others may bound the ray
	case qpbackend.Solved, qpbackend.AlmostSolved:
		x = x[:s.DC.NumVars()]
		if s.choice.Reaches(s.at, x) {
			return nil
		}
		var broken bool
		if next, broken = s.choice.With(s.at, x, s.Rows.Families); !broken {
			s.far = true
			return nil
		}
	default:
		return nil
	}
	iterations, worked := s.Res.Iterations, s.Worked
	if err := s.renew(ctx, next); err != nil {
		return err
	}
	before := s.Seconds // the time of both is that of the first
	err = s.Solve(ctx)
	s.Res.Iterations += iterations
	s.Worked += worked
	s.far, s.Seconds = true, before
	return err
}

// renew compiles the problem anew with the rows of a choice, and opens it with the values of the last Linearise.
func (s *Problem) renew(ctx context.Context, choice rows.Choice) error {
	at := slices.Clone(s.at)
	n := &Problem{DC: s.DC}
	n.choice, n.unsized, n.far = choice, s.unsized, s.far
	n.prices, n.rowSize, n.soft = s.prices, s.rowSize, s.soft
	if _, err := compile(ctx, n, false); err != nil {
		return err
	}
	s.Close()
	n.Units, n.Sizes, n.largest, n.chosen, n.sized, n.lo, n.hi = s.Units, s.Sizes, s.largest, s.chosen, s.sized, s.lo, s.hi
	n.Meter = s.Meter
	n.carry(s)
	if s.prox.slot != nil {
		n.prox.place(n)
		n.prox.ρ = s.prox.ρ
	}
	b, set, τ, before := s.backend, s.set, s.τ, s.Seconds
	*s = *n
	if err := s.Linearise(at, τ); err != nil {
		return err
	}
	err := s.Open(ctx, b, set)
	s.Seconds = before // whoever solves the problem takes the time
	return err
}

// carry takes over the last solution of a problem with the rows of another choice.
func (s *Problem) carry(old *Problem) {
	if len(old.Res.X) != len(old.QP.Q) || len(old.Res.Y) != len(old.QP.L) || len(old.Res.Z) != len(old.QP.Q) {
		return
	}
	now, before, n, m := s.Rows.Families, old.Rows.Families, len(s.QP.Q), len(s.QP.L)
	s.Res.Status = old.Res.Status
	s.Res.X = rows.Carried(n, old.Res.X, now, before, (*rows.Family).Column)
	s.Res.Y = rows.Carried(m, old.Res.Y, now, before, func(f *rows.Family) int { return f.Row })
	s.Res.Z = rows.Carried(n, old.Res.Z, now, before, (*rows.Family).Column)
	if old.Centre != nil {
		s.Centre = slices.Clone(s.Res.X)
	}
}
