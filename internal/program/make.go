package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/num"
)

// Problem returns the model as a problem, checked: see dc.Model.Problem. atom makes functions of
// names.
func (m *Model) Problem(ctx context.Context, atom Atom) (*Problem, error) {
	look := cancelCheck{ctx: ctx}
	type made struct {
		p   *Problem
		err error
	}
	r, err := dense.Await(ctx, func() made {
		p, err := m.problem(&look, atom)
		return made{p, err}
	})
	if err != nil {
		return nil, err
	}
	return r.p, r.err
}

func (m *Model) problem(look *cancelCheck, atom Atom) (*Problem, error) {
	errs := append([]error(nil), m.errs...)
	p := m.p
	p.atom = atom
	p.Vars = append([]*Variable(nil), m.p.Vars...)
	p.Constraints = m.cs.constraints()
	for _, v := range p.Vars {
		for k := range v.Len() {
			if v.lo(k) > v.hi(k) || math.IsInf(v.lo(k), 1) || math.IsInf(v.hi(k), -1) {
				errs = append(errs, fmt.Errorf("dc: variable %s has bounds %g and %g at entry %d", v.Name, v.lo(k),
					v.hi(k), k))
				break
			}
		}
	}
	if m.known != nil && m.Space != nil && !slices.Equal(m.Space.Stated, m.Space.Within) {
		errs = append(errs, errors.New("dc: the model is told by Again of a constraint that it lacks"))
	}
	if m.Space != nil {
		p.within = slices.Clone(m.Space.Within)
	}
	if len(m.costs) > 0 {
		sign := -1.0 // in h, which is subtracted
		if p.Maximize {
			sign = 1
		}
		p.Objective = expr.SumOf([]expr.Scalar{p.Objective, expr.ConcaveOf(newPriced(m.costs, sign), m.Space)})
	}
	if slices.ContainsFunc(p.Constraints, func(c Constraint) bool { return c.Equation }) {
		// An equation may define a variable of it.
		p.Objective = p.Objective.Apart(func(expr.Term) bool { return true })
	}
	stated := p
	stated.Constraints = nil // exactly has them
	touches, err := p.prepare(look, family.MajoriseObjective, expr.Scalar.Majorise)
	if err != nil {
		return nil, err
	}
	if err := checkExpr(p.Objective, m.Space); err != nil {
		errs = append(errs, fmt.Errorf("objective: %w", err))
	}
	for k, c := range p.Constraints {
		if err := look.ended(); err != nil {
			return nil, err
		}
		if c.members != nil && c.member > 0 {
			continue // as the first
		}
		err := c.Err
		if err == nil && c.DC {
			err = checkExpr(c.Function(), m.Space)
		}
		if err == nil && c.cone != nil {
			err = checkCone(c.cone, m.Space)
		}
		if err == nil && !c.DC {
			err = c.checkAffine(m.Space)
		}
		if err != nil {
			name := c.Name()
			if name == "" {
				name = fmt.Sprintf("number %d", k+1)
			}
			errs = append(errs, fmt.Errorf("constraint %s: %w", name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := errors.Join(p.define(look), p.gather(look)); err != nil {
		return nil, err
	}
	p.typical, p.reduced, p.widths = p.typicalPoint(), sync.OnceValue(p.reduce), sync.OnceValue(p.termWidths)
	p.least = p.reach()
	if touches {
		stated.typical = p.typical
		stated.Objective = stated.Objective.Folded(&p.Objective)
		again := m.cs.constraints()
		p.exact = sync.OnceValue(func() *Problem {
			if q := stated.exactly(again); q != nil {
				return q
			}
			return &p
		})
	}
	return &p, nil
}

// exactly is p, as it was stated, with the constraints that were, ready without majorants; nil if
// functions have no split, as the maximum of functions that are bent.
func (p *Problem) exactly(stated []Constraint) *Problem {
	q := *p
	q.Constraints = stated
	q.Objective = q.Objective.Apart(func(expr.Term) bool { return true })
	q.widths = sync.OnceValue(q.termWidths)
	same := func(e expr.Scalar) expr.Scalar { return e }
	look := cancelCheck{ctx: context.Background()} // which never ends
	q.prepare(&look, same, same)
	for k := range q.Constraints {
		if c := &q.Constraints[k]; c.members == nil && c.e.Unrepresentable() != nil {
			return nil
		}
	}
	if q.Objective.Unrepresentable() != nil {
		return nil
	}
	q.define(&look)
	q.gather(&look)
	return &q
}

// prepare gives all expressions the splits that they are solved with, and reports
// whether majorants are among them.
func (p *Problem) prepare(look *cancelCheck, objective, form func(expr.Scalar) expr.Scalar) (touches bool, err error) {
	p.Objective = objective(p.Objective)
	e := &p.Objective
	e.KeepSplit()
	e.MoveTangents()
	touches = e.Err == nil && e.Split().Touches
	for k := range p.Constraints {
		if err := look.ended(); err != nil {
			return false, err
		}
		c := &p.Constraints[k]
		if c.members == nil && c.e.Err == nil {
			if c.e = atMostZero(form(c.e)); c.e.Composite { // else it is the terms by their sign
				c.e.KeepSplit()
				c.e.MoveTangents()
				touches = touches || c.e.Split().Touches
			}
		}
	}
	return touches, nil
}

func checkExpr(e expr.Scalar, of *convex.Space) error {
	if e.Err != nil {
		return e.Err
	}
	if err := e.Owner().Check(of); err != nil {
		return err
	}
	f := e.Unrepresentable()
	if f == nil {
		f = e.TangentInside()
	}
	switch {
	case f == nil:
	case expr.TangentIn(f):
		return fmt.Errorf("dc: no DC split for %s of a smooth function without one; state the smooth function as a "+
			"variable, as in t == x/y or t == sin(x)", describe(f))
	default:
		return fmt.Errorf("dc: %v has no representation; it may stand only where it is linearised: subtracted in a "+
			"minimised objective or on the left of ≤", describe(f))
	}
	if s := e.SplitNow(); convex.NotFinite(s.Lin) {
		return errors.New("dc: a coefficient is not finite")
	}
	return nil
}

func describe(f convex.Func) string {
	if s, ok := f.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", f)
}

// reach are the least values of variables that a product of factors needs to be at least
// c/w where the other factors are at their bounds: by variable, 0 where nothing follows.
func (p *Problem) reach() []float64 {
	var out []float64
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if c.members != nil || !c.DC || len(c.e.Terms) != 1 || !c.e.Lin.IsConst() || !(c.e.Lin.Const > 0) {
			continue
		}
		u, w := rule.AffineFactors(c.e.Terms[0].F, -c.e.Terms[0].W)
		if u == nil || !rule.PositiveFactors(u, w) {
			continue
		}
		for k := range u {
			least := c.e.Lin.Const / math.Abs(w)
			for n := range u {
				if n != k {
					least /= u[n].Over().Hi
				}
			}
			if len(u[k].Idx) == 1 && u[k].Const == 0 && least > 0 && num.Finite(least) {
				if out == nil {
					out = make([]float64, p.n)
				}
				if v := least / u[k].Val[0]; math.Abs(v) > math.Abs(out[u[k].Idx[0]]) {
					out[u[k].Idx[0]] = v
				}
			}
		}
	}
	return out
}

// gather makes families of the terms of all functions.
func (p *Problem) gather(look *cancelCheck) error {
	family.GatherTerms(&p.Objective)
	for k := range p.Constraints {
		if err := look.ended(); err != nil {
			return err
		}
		if c := &p.Constraints[k]; c.DC && c.members == nil {
			family.GatherTerms(&c.e)
		}
	}
	return nil
}
