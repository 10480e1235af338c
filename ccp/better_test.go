package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestBetter: the objective that is certain decides between feasible points, in one order for all
// who compare.
func TestBetter(t *testing.T) {
	at := func(objective, e float64) *ccp.Result {
		return &ccp.Result{Objective: objective, ObjectiveError: e, Feasible: true}
	}
	infeasible := func(violation float64) *ccp.Result { return &ccp.Result{Objective: -9, Violation: violation} }
	for _, c := range []struct {
		name         string
		better, than *ccp.Result
	}{
		{"lower", at(1, 1e-15), at(2, 1e-15)},
		{"a rounding error is no decrease", at(6e-5, 1e-18), at(-132782, 8.7e7)},
		{"less than all of an error is no decrease", at(0, 1e-3), at(-5e-4, 2e-3)},
		{"clearly lower for all its error", at(-1e9, 8.7e7), at(6e-5, 1e-18)},
		{"an error that is known", at(1, 1), at(0, math.Inf(1))},
		{"a number", at(1, 1), at(math.NaN(), 0)},
		{"feasible", at(9, 1), infeasible(1e-3)},
		{"broken less", infeasible(1e-3), infeasible(1e-2)},
		{"unbounded", &ccp.Result{Status: ccp.Unbounded, Objective: math.Inf(-1)}, at(-1e300, 0)},
		{"the earlier of equals", at(1, 0), &ccp.Result{Objective: 1, Feasible: true, Start: 3}},
	} {
		if !c.better.Better(c.than, false) || c.than.Better(c.better, false) {
			t.Errorf("%s: %+v is not better than %+v alone", c.name, c.better, c.than)
		}
		a, b := *c.better, *c.than
		a.Objective, b.Objective = -a.Objective, -b.Objective
		if !a.Better(&b, true) || b.Better(&a, true) {
			t.Errorf("%s, maximised: %+v is not better than %+v alone", c.name, a, b)
		}
		for _, list := range [][]*ccp.Result{{&a, &b}, {&b, &a}} {
			if top := ccp.Best(true, list); top != &a {
				t.Errorf("%s: Best prefers %g ± %g", c.name, top.Objective, top.ObjectiveError)
			}
		}
	}
}

// cancelling is a sum whose exact values are at least 0, and whose terms are up to e^s and cancel.
func cancelling(t *testing.T, kind int, s float64, seed uint64) *dc.Problem {
	rng := rand.New(rand.NewPCG(seed, 11))
	m := dc.NewModel()
	x, y := m.Var("x", nil), m.Var("y", nil)
	minimum := func(a, b dc.Expr) dc.Expr { return a.Add(b).Sub(dc.Max(a, b)) }
	var sum []dc.Expr
	for range 5 {
		a, b, c, d := s*rng.NormFloat64(), s*rng.NormFloat64(), s*rng.NormFloat64(), s*rng.NormFloat64()
		u := x.Scale(a).Add(y.Scale(b))
		switch kind {
		case 0:
			sum = append(sum, minimum(dc.Exp(x.Scale(a).Add(dc.Num(c))), dc.Exp(y.Scale(b).Add(dc.Num(d)))))
		case 1:
			sum = append(sum, minimum(dc.Exp(u), dc.Square(x.Sub(dc.Num(c)))))
		case 2:
			sum = append(sum, minimum(dc.Square(dc.Square(x.Scale(a).Add(dc.Num(c)))), dc.Exp(u)))
		case 3: // e^c·e^u − e^(u + c) is 0
			sum = append(sum, dc.Exp(u).Scale(math.Exp(c)), dc.Exp(u.Add(dc.Num(c))).Neg())
			sum = append(sum, dc.Square(x.Sub(dc.Num(1))), dc.Square(y.Sub(dc.Num(d))))
		}
	}
	m.Minimize(dc.Sum(sum...))
	return build(t, m)
}

// TestOverflowAtStarts: starts at which the numbers of the model overflow are left aside. Where all
// do, a status says so.
func TestOverflowAtStarts(t *testing.T) {
	for _, c := range []struct {
		name  string
		scale float64 // of the starts
		f     func(x, y dc.Expr) dc.Expr
		all   bool
	}{
		{"powers", 1e150, func(x, y dc.Expr) dc.Expr {
			return dc.Square(dc.Square(x)).Sub(dc.Square(x.Add(y))).Add(dc.Square(dc.Square(y)))
		}, false},
		{"exponentials", 1000, func(x, y dc.Expr) dc.Expr {
			return dc.Exp(x).Add(dc.Exp(y.Neg())).Sub(dc.Exp(x.Sub(y).Scale(0.4))).Add(dc.Square(y))
		}, false},
		{"all", 1, func(x, y dc.Expr) dc.Expr {
			return dc.Exp(dc.Square(x).Add(dc.Num(800))).Sub(dc.Exp(y))
		}, true},
	} {
		m := dc.NewModel()
		x, y := m.Var("x", nil, dc.StartNormal(0, c.scale)), m.Var("y", nil, dc.StartNormal(0, c.scale))
		m.Minimize(c.f(x, y))
		res, err := ccp.Multistart(context.Background(), build(t, m), 12, ccp.DefaultSettings())
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.all && (res.Status != ccp.Numerical || res.Message == ""):
			t.Errorf("%s: %v, %q", c.name, res.Status, res.Message)
		case !c.all && (!res.Feasible || math.IsInf(res.Objective, 0) || res.Starts != 12):
			t.Errorf("%s: %v with %g after %d starts, %q", c.name, res.Status, res.Objective, res.Starts, res.Message)
		}
	}
}
