package ccp

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/sl1qp"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// latest is the iteration from which Newton's method goes on although constraints are
// broken: while τ grows, the procedure still chooses between minima. Source: 8 instead
// ends at worse ones, as in half of DCCP's sparse singular vectors; 20 and 30 change
// nothing there, nor on the problems of cmd/dcopt/testdata/equations.
const latest = 14

// newton is Newton's method around a descent.
type newton struct {
	*run
	descend local
	q       *program.Problem // of program.Problem.Linearised; nil: along inequalities, and not needed yet
	along   linearised
	method  *sl1qp.Method
	asked   bool // the method has been asked for; where it is nil still, the problem has no such method
}

// linearised names the functions that are linearised.
type linearised uint8

const (
	objective    linearised = iota // alone
	equations                      // nonlinear ones, and all else
	inequalities                   // that are not convex, and the objective
)

// newton is the local search that goes on by Newton's method. Along nonlinear equations
// that begins where descend has led in a few iterations. With a smooth objective, under
// convex constraints, it begins where descend claims to have converged, creeps or gives
// up: where the curvature of h is large, steps are short, and decreases below the
// tolerance long before the point is stationary. With smooth inequalities that are not convex
// it begins where descend creeps or gives up.
func (r *run) newton(descend local) local {
	if !r.set.Heuristics.Acceleration.Newton {
		return descend
	}
	curved, smooth, halves := r.curved()
	if curved && !halves {
		if !smooth || r.p.NumVars() > mostPolished {
			return descend
		}
		return r.newtonAlong(inequalities, nil, descend)
	}
	q, systems, ok := r.p.Linearised()
	what := objective
	if systems {
		what = equations
	} else if curved || !ok || len(q.Objective.H().Support()) > mostPolished {
		return descend
	}
	return r.newtonAlong(what, q, descend)
}

// newtonAlong is descend with Newton's method around it, along those functions of q.
func (r *run) newtonAlong(what linearised, q *program.Problem, descend local) local {
	n := &newton{run: r, descend: descend, q: q, along: what}
	r.means.forget = func() { n.method, n.asked = nil, false }
	return n.search
}

// curved reports whether some constraints are not convex, whether these and the objective are
// smooth, and whether some constraints are halves of equations.
func (r *run) curved() (curved, smooth, halves bool) {
	e := r.p.Objective
	smooth = e.Smooth()
	for k := range r.p.Constraints {
		c := &r.p.Constraints[k]
		if halves = halves || c.Equation; !c.Convex() {
			curved, smooth = true, smooth && c.Written().Smooth()
		}
	}
	return curved, smooth, halves
}

// mostPolished bounds the variables of a Hessian that is computed where there are no
// equations. Source: a limit of time; of a dense form of 300 variables the method
// takes as much processor time as the descent and its searches, 0.3 s.
const mostPolished = 300

func (n *newton) search(ctx context.Context, m search.Move) (*outcome, error) {
	if n.along == equations && !n.made(ctx) {
		return n.descend(ctx, m)
	}
	fixed := 0.0
	if n.along == equations {
		fixed = n.fixed()
	}
	first := fixed >= 0.5 || n.hop == 0 && (n.set.Effort == Local || n.along != inequalities &&
		(n.res.Start%4 > 1 || n.along == equations && n.res.Start > 0 || n.set.Heuristics.NewtonFirst))
	// no choice between minima
	only := n.along == equations && (n.p.Objective.IsConst() || fixed >= 1 && !n.p.Feasible(n.z, n.set.FeasTol))
	if first && n.made(ctx) || only {
		copy(n.x, n.z)
		if end, err := n.reach(ctx); err != nil || end != nil {
			return end, err
		}
		copy(n.z, n.x)
	}
	return n.alternate(ctx, m)
}

// mostChosen is the number of variables from which a descent does not choose between solutions of
// equations before Newton's method begins, where these fix half of the freedom or more. Source: a
// limit of time; of 400 unknowns of u″ + u³ = f (TestSystemsOfEquations) its 14 convex problems
// take 40 s, Newton's 5 some 0.1 s. With fewer variables, or with fewer equations, the descent
// finds lower minima (overlap, snl_exact of cmd/dcopt/testdata/equations).
const mostChosen = 100

// reach follows the equations, without the objective first where they are many and leave it no
// choice nearby.
func (n *newton) reach(ctx context.Context) (*outcome, error) {
	if !n.p.Objective.IsConst() && n.fixed() >= 1 {
		alone := *n.q
		alone.Objective = expr.Scalar{}
		method, err := sl1qp.New(ctx, &alone, n.means.backend)
		if err != nil || method == nil {
			return nil, ctx.Err()
		}
		defer guardClose(method.Sub)
		if end, err := n.follow(ctx, method); err != nil || end == nil {
			return end, err
		}
	}
	return n.follow(ctx, n.method)
}

// fixed is the part of the freedom that affine equations leave which nonlinear ones fix: their
// number over its dimension; 0 of fewer than mostChosen variables. Equations of one variable, as
// x² = 1, do not count: they leave it a choice.
func (n *newton) fixed() float64 {
	if n.p.NumVars() < mostChosen {
		return 0
	}
	equations, free := 0, 0
	for c := range n.p.Written() {
		for k := range c.Lo {
			if c.Lo[k] == c.Hi[k] {
				free--
			}
		}
		if !c.Equation {
			continue
		}
		if e := c.Function(); len(e.Support()) > 1 {
			equations++
		}
	}
	for j, lo := range n.where.Lo {
		if lo != n.where.Hi[j] {
			free++
		}
	}
	return float64(equations) / float64(max(free, 1))
}

// alternate descends, follows the linearised problem from there and, where that leads nowhere,
// descends. If equations were broken there, it follows once more from where the descent keeps them.
func (n *newton) alternate(ctx context.Context, m search.Move) (*outcome, error) {
	for tries, after := 0, 0; tries < 2; tries++ {
		before, handed := n.best(), false
		early := m
		early.Lost = func(t search.Trial) bool {
			lost := m.Lost != nil && m.Lost(t)
			handed = !lost && n.hands(t, after)
			return lost || handed
		}
		end, err := n.descend(ctx, early)
		if err != nil || !handed && !n.doubtful(end, before) {
			return end, err
		}
		broken := n.along == equations && !n.keeps(n.prev)
		if n.made(ctx) {
			if to, err := n.reach(ctx); err != nil || to != nil {
				return to, err
			}
		}
		if !handed && (end.rests() || n.along != equations) {
			return end, nil
		}
		if after = n.k; !broken {
			break
		}
	}
	return n.descend(ctx, m)
}

// creeping is the iteration from which Newton's method goes on with a smooth objective.
// Source: of 2304 descents of polynomials and others (dc/lang, TestAcceptedConverge, four sets
// of starts) one lasts longer.
const creeping = 50

// hands reports whether a descent that goes on after so many iterations is to be left to Newton's
// method.
func (n *newton) hands(t search.Trial, after int) bool {
	if n.along == equations {
		return t.K >= after+accel.After && t.Feasible || after == 0 && t.K >= latest
	}
	return t.K >= creeping && t.Feasible
}

// doubtful reports whether Newton's method may do better than the end of a descent that
// began where before was the best objective.
func (n *newton) doubtful(end *outcome, before float64) bool {
	switch s := end.status(); {
	case n.along == equations:
		return n.hop == 0 && (s == Converged || s == Stalled)
	case n.hop > 0:
		return end.rests() && n.best() < before && !(n.along == inequalities && s == Converged)
	case n.along == inequalities:
		return s == Stalled || s == Numerical
	default:
		return s == Converged || s == Stalled || s == Numerical
	}
}

// made makes the method, and reports whether there is one.
func (n *newton) made(ctx context.Context) bool {
	if !n.asked {
		n.asked = true
		if n.along == inequalities {
			q, _, ok := n.p.Linearised()
			if !ok {
				return false
			}
			n.q = q
		}
		m, err := sl1qp.New(ctx, n.q, n.means.backend)
		if err == nil && m != nil {
			n.method, m.Sub.Session.Meter = m, n.sub.Session.Meter
			n.extra = m.Sub
		}
	}
	return n.method != nil
}

// follow goes from x, by n.method or that without the objective, to a point that keeps the
// constraints and from which linearised ones lead no further. If there is none it goes where the
// merit is lower, and has no outcome.
func (n *newton) follow(ctx context.Context, method *sl1qp.Method) (end *outcome, err error) {
	r := n.run
	noted := 0
	at := sl1qp.Start{
		X: r.x, Tau: r.penalty.Firm(), Unit: r.penalty.Unit,
		More:  func(solves int) bool { return r.more(solves - noted) },
		Least: n.leastAt, Tol: r.recover.tol, Feas: r.set.FeasTol,
		Slope: func(x []float64) float64 {
			r.holding = r.conditions(ctx, method.Sub, x, false)
			return r.holding.slope
		},
		Note: func(x []float64, τ float64, cost int) (err error) {
			r.k++
			noted++
			r.budget.Add(float64(cost), r.k)
			it := Iteration{Start: r.res.Start, Hop: r.hop, K: r.k, Tau: τ, Solver: cost}
			r.measure(&it, x)
			end, err = r.take(it)
			return err
		},
	}
	if method == n.method && len(r.sub.Session.Res.Y) == r.sub.Compiled.Rows.Count() {
		at.Duals = r.sub.Duals(subproblem.Multipliers{}, r.sub.Session.Last()).Rows
	}
	to, err := method.From(ctx, at)
	solves := max(to.Solves, noted) // a start that is stationary is noted without one
	r.k += solves - noted
	r.res.Iterations += solves
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx.Err()), ctx.Err()
	case err != nil || end != nil:
		return end, err
	}
	before, _ := r.merit(r.x)
	after, _ := r.merit(to.X)
	if n.along != equations && !(before-after > n.leastAt(to.X)) && !math.IsInf(before, 1) {
		return nil, nil // the point of the descent stays
	}
	if to.Stationary && method != n.method {
		r.arrive(to.X)
		return conclude(Stationary, ""), nil
	}
	if to.Stationary {
		r.tip = n.method.Sub
		r.arrive(to.X)
		r.recover.note = ""
		return r.converged(Stationary), nil
	}
	if after < before {
		r.arrive(to.X)
	}
	return nil, nil
}

// leastAt is the smallest change of the objective that counts at x, without the accuracy of the
// backend in the units of the descent: from 10⁷ to 2 the terms of the objective may fall by 10¹⁴.
func (n *newton) leastAt(x []float64) float64 {
	if n.set.Scale > 0 {
		return n.set.Tol * n.set.Scale
	}
	return n.set.Tol * min(n.p.ObjectiveSize(x), max(math.Abs(n.p.Value(x)), n.course.Range()))
}

// arrive goes to x, from where the procedure begins anew.
func (r *run) arrive(x []float64) {
	copy(r.x, x)
	copy(r.z, x)
	r.prev = Iteration{}
	r.measure(&r.prev, r.x)
	r.penalty.Recount()
	r.slow()
}
