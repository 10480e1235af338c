package ccp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/scaled"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// subproblem is the convex problem of an iteration. Everything but values is
// fixed by compile; linearise overwrites values, solve solves.
type subproblem struct {
	p      *dc.Problem
	qp     *qpbackend.Problem // as compiled: no h, no slack costs; but A has the values of now
	rows   []row
	cuts   []cut // the linearised rows
	slacks []int // columns
	h0     dc.Convex
	domain []dc.Restricted
	border []dc.Representer // ≤ 0 within the domains
	hard   []*dc.Constraint // the convex ones
	soft   []*dc.Constraint // those with a slack
	prox   proximal

	solver     *scaled.Solver
	units      []float64        // of the variables: powers of 1024 near the sizes of their blocks
	columns    []float64        // units of all columns; nil: they have changed
	sizes      []float64        // of the variables: the largest entries of their blocks
	largest    []float64        // of these so far
	rowSize    []float64        // of the slacks; see rowUnits
	now        qpbackend.Update // values of this iteration
	asked      question         // those of the last solve
	centre     []float64        // what the solver states the problem in the distance from; nil: 0
	grad       []float64        // n
	some       []int            // places
	at         []float64        // where the cuts have their tangents; empty: that is not known
	res        qpbackend.Result
	backendSec float64
}

// compile assembles the convex problem of p.
func compile(p *dc.Problem) (*subproblem, error) { return compileWith(p, nil) }

// compileWith is compile with the rows that more adds.
func compileWith(p *dc.Problem, more func(b *builder)) (*subproblem, error) {
	n := p.NumVars()
	b := newBuilder(n)
	s := &subproblem{p: p, grad: make([]float64, n)}
	b.minimise(b.Form(p.Objective.G()))
	if len(p.Objective.H().Support()) > 0 {
		s.h0 = p.Objective.H()
		s.restrict(b, s.h0)
	}
	b.bounds(p)
	dcs := 0
	for i := range p.Constraints {
		if !p.Constraints[i].Convex() {
			dcs++
		}
	}
	b.rows = slices.Grow(b.rows, len(p.Constraints)+3*dcs) // a slack and some pieces each
	b.cuts = slices.Grow(b.cuts, 3*dcs)
	for i := range p.Constraints {
		b.owner = i
		c := &p.Constraints[i]
		if c.Convex() {
			s.hard = append(s.hard, c)
		} else {
			s.soft = append(s.soft, c)
		}
		s.addConstraint(b, c)
	}
	b.owner = ownObjective
	for _, j := range s.slacks {
		b.bound(j, 0, math.Inf(1))
	}
	if more != nil {
		more(b)
	}
	for k := 0; k < len(b.cuts); k++ { // which may grow
		if b.cuts[k].slack == noSlack {
			s.restrict(b, b.cuts[k].h)
		}
	}
	s.cuts = b.cuts
	qp, err := b.problem(s.cuts)
	if err != nil {
		return nil, err
	}
	s.qp, s.rows = qp, b.rows
	s.rowSize = make([]float64, len(s.slacks))
	for k := range s.rowSize {
		s.rowSize[k] = 1
	}
	s.now = qpbackend.Update{Q: append([]float64(nil), qp.Q...), Lo: qp.Lo, Hi: qp.Hi, U: append([]float64(nil), qp.U...), A: qp.A.Val}
	return s, nil
}

// addConstraint adds the rows of one constraint.
func (s *subproblem) addConstraint(b *builder, c *dc.Constraint) {
	if !c.DC {
		for k := range c.A.Len() {
			b.addRow(c.A.Entry(k), c.Lo[k], c.Hi[k], k)
		}
		return
	}
	if c.E.IsConvex() && b.atMost(c.E.G(), 0) {
		return
	}
	h := c.E.H()
	idx := h.Support()
	slack := dc.Linear{}
	if !c.E.IsConvex() {
		s.restrict(b, h)
		slack = dc.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
		s.slacks = append(s.slacks, slack.Idx[0])
	}
	for k, l := range upperRows(b, c.E.G(), len(idx)) {
		if c.E.IsConvex() {
			b.addRow(l, math.Inf(-1), 0, 0)
			continue
		}
		b.cut(l.Plus(-1, slack), h, cut{same: k > 0, slack: len(s.slacks) - 1}, 0)
	}
}

// upperRows returns affine functions that must all be ≤ 0 for g ≤ 0: the
// pieces of a polyhedral g where writing h out for each of them costs no more
// than a column above g, else that column.
func upperRows(b *builder, g dc.Representer, hSupport int) []dc.Linear {
	if p, ok := g.(dc.Polyhedral); ok {
		if pieces := p.Pieces(); len(pieces) > 0 && len(pieces)*hSupport <= 2*(len(g.Support())+hSupport)+8 {
			return pieces
		}
	}
	return []dc.Linear{b.Bound(g)}
}

// restrict keeps the points within the domain of h.
func (s *subproblem) restrict(b *builder, h dc.Convex) {
	r, ok := h.(dc.Restricted)
	if !ok {
		return
	}
	s.domain = append(s.domain, r)
	for _, f := range r.Domain() {
		s.border = append(s.border, f)
		if !b.atMost(f, -1) {
			b.Row(b.Bound(f), math.Inf(-1), 0)
		}
	}
}

// dives reports whether a step has used up all but a share of the distance to
// the border of a domain: next to it a tangent is so steep that nothing ever
// leaves again.
func (s *subproblem) dives(x, from []float64, share float64) bool {
	for _, f := range s.border {
		if f.Value(x) > share*f.Value(from) {
			return true
		}
	}
	return false
}

// convex reports whether there is nothing to linearise.
func (s *subproblem) convex() bool {
	return (s.h0 == nil || dc.IsFlat(s.h0)) && len(s.cuts) == 0
}

// inside reports whether every h has a tangent at x.
func (s *subproblem) inside(x []float64) bool {
	for _, r := range s.domain {
		if !r.Inside(x) {
			return false
		}
	}
	return true
}

// breaksHard reports whether x breaks a bound or a convex constraint by more
// than tol, relative to the variable's unit or the row's terms.
func (s *subproblem) breaksHard(x []float64, tol float64) bool {
	for _, v := range s.p.Vars {
		for k := range v.Len() {
			slip := tol * s.units[v.Offset+k]
			if lo, hi := v.Bounds(k); x[v.Offset+k] < lo-slip || x[v.Offset+k] > hi+slip {
				return true
			}
		}
	}
	for _, c := range s.hard {
		if !(s.p.RelativeViolation(c, x) <= tol) {
			return true
		}
	}
	return false
}

// open makes the solver, unless a session kept it; the problem it sees is that of
// the first linearise.
func (s *subproblem) open(ctx context.Context, b qpbackend.Backend, set qpbackend.Settings) error {
	if s.solver != nil {
		return nil
	}
	t := time.Now()
	defer func() { s.backendSec += since(t) }()
	solver, err := scaled.New(ctx, b, s.stated(), set, s.columnUnits(), s.slacks)
	if err != nil {
		return fmt.Errorf("ccp: the convex problem: %w", err)
	}
	s.solver = solver
	s.asked.held, s.asked.answered = true, false
	return nil
}

// stated is the problem of the last linearise.
func (s *subproblem) stated() *qpbackend.Problem {
	p := *s.qp
	p.Q, p.U = s.now.Q, s.now.U
	if s.now.L != nil {
		p.L = s.now.L
	}
	a := *s.qp.A
	a.Val = s.now.A
	p.A = &a
	if s.now.P != nil {
		pm := *s.qp.P
		pm.Val = s.now.P
		p.P = &pm
	}
	return &p
}

// solve solves the problem of the last linearise, from the solution before
// where the backend profits from it; s.res holds what came of it. A problem
// that is the one before is not solved again.
func (s *subproblem) solve(ctx context.Context) error {
	t := time.Now()
	defer func() { s.backendSec += since(t) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.centre == nil && s.res.Status == qpbackend.Solved && s.asked.is(&s.now) {
		s.res.Iterations = 0
		return nil
	}
	now := s.now
	if s.asked.strange { // all of them, also those that never change
		now.L = s.lower()
		if now.P == nil && s.qp.P != nil {
			now.P = s.qp.P.Val
		}
	}
	s.solver.Resize(s.columnUnits())
	s.solver.Centre(s.centre)
	if err := s.asked.ask(s.solver, now); err != nil {
		return err
	}
	switch s.res.Status {
	case qpbackend.Solved, qpbackend.AlmostSolved, qpbackend.IterationLimit:
		if err := s.solver.WarmStart(s.res.X, s.res.Y, s.res.Z); err != nil {
			return err
		}
	}
	if err := s.solver.Solve(ctx, &s.res); err != nil {
		return err
	}
	s.asked.answered = true
	return nil
}

// lower are the lower bounds of the rows.
func (s *subproblem) lower() []float64 {
	if s.now.L != nil {
		return s.now.L
	}
	return s.qp.L
}

func (s *subproblem) close() {
	if s.solver != nil {
		s.solver.Close()
		s.solver = nil
	}
	s.asked = question{}
}

// slack is the sum of the slacks in the last solution; open is that with each in
// the unit of its row. With strict, units above 1 count as 1.
func (s *subproblem) slack(strict bool) (sum, open float64) {
	units := s.rowUnits()
	for k, j := range s.slacks {
		u := units[k]
		if strict {
			u = min(u, 1)
		}
		v := max(s.res.X[j], 0)
		sum, open = sum+v, open+v/u
	}
	return sum, open
}

// duals distributes the multipliers of the rows to the constraints.
func (s *subproblem) duals() [][]float64 {
	out := make([][]float64, len(s.p.Constraints))
	for i := range out {
		n := 1
		if c := &s.p.Constraints[i]; !c.DC {
			n = c.A.Len()
		}
		out[i] = make([]float64, n)
	}
	for i, r := range s.rows {
		if r.owner >= 0 && r.entry >= 0 && i < len(s.res.Y) {
			y := s.res.Y[i]
			if r.either {
				y = math.Abs(y)
			}
			out[r.owner][r.entry] += r.share * y
		}
	}
	return out
}
