package qptest

import (
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// coneCase is a problem with one kind of cone. X is unique.
type coneCase struct {
	kind qpbackend.ConeKind
	Case
}

// cones checks, for each kind of cone, either that it is refused or that it
// works.
func (s suite) cones() []Check {
	var out []Check
	for _, c := range coneCases() {
		if !s.b.Supports(c.kind) {
			continue
		}
		out = append(out, Check{fmt.Sprintf("cone/%v: %s", c.kind, c.Name), func(t TB) { s.cone(t, c) }})
	}
	for _, kind := range coneKinds {
		if s.b.Supports(kind) {
			continue
		}
		out = append(out, Check{fmt.Sprintf("cone/%v: refused", kind), func(t TB) { s.coneRefused(t, kind) }})
	}
	return append(out, Check{"cone/of an unknown kind", func(t TB) {
		if s.b.Supports(250) {
			t.Errorf("a cone of an unknown kind is supported")
		}
	}})
}

var coneKinds = []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}

// onCone has three variables that form a cone of the kind, the given costs, and
// an interval for each variable.
func onCone(kind qpbackend.ConeKind, cost, l, u []float64) *qpbackend.Problem {
	var t sparse.Triplets
	for i := range 3 {
		t.Add(i, i, 1)
		t.Add(3+i, i, 1)
	}
	a, _ := t.CSC(6, 3)
	c := qpbackend.Cone{Kind: kind, Start: 3, Len: 3}
	if kind == qpbackend.Power {
		c.Alpha = 0.5
	}
	return &qpbackend.Problem{
		Q: cost, A: a, L: append(l, 0, 0, 0), U: append(u, 0, 0, 0), Cones: []qpbackend.Cone{c},
	}
}

func coneCases() []coneCase {
	optimum := func(kind qpbackend.ConeKind, name string, p *qpbackend.Problem, x ...float64) coneCase {
		c := solved(name, p, x, nil, true, false)
		return coneCase{kind, c}
	}
	free, no := fill(3, -inf()), fill(3, inf())
	with := func(v []float64, i int, x float64) []float64 {
		w := append([]float64(nil), v...)
		w[i] = x
		return w
	}
	const soc = qpbackend.SecondOrder
	projection := onCone(soc, []float64{0, -3, -4}, with(free, 0, -9), no)
	projection.P = diag(1, 1, 1)
	distance := onCone(soc, []float64{1, 0, 0}, free, []float64{inf(), 0, 0})
	distance.L[4], distance.L[5] = 3, 4
	two := &qpbackend.Problem{
		// Two cones with a row between them: x₀ ≥ |x₁|, x₁ + x₂ ≥ 3, x₃ ≥ 2.
		P: diag(1, 1, 1, 1), Q: fill(4, 0), A: matrix(4,
			[]float64{1, 0, 0, 0}, []float64{0, 1, 0, 0}, []float64{0, 1, 1, 0}, []float64{0, 0, 0, 1}),
		L: []float64{0, 0, 3, 2}, U: []float64{0, 0, inf(), 0},
		Cones: []qpbackend.Cone{{Kind: soc, Start: 0, Len: 2}, {Kind: soc, Start: 3, Len: 1}},
	}
	none := onCone(soc, []float64{0, 1, 1}, free, []float64{-1, inf(), inf()})
	falls := onCone(soc, []float64{-1, 0, 0}, free, no)
	return []coneCase{
		optimum(soc, "distance from a quadrant", distance, 5, 0, 0),
		optimum(soc, "projection", projection, 2.5, 1.5, 2),
		optimum(soc, "two cones and a row", two, 1, 1, 2, 2),
		{soc, Case{Name: "infeasible", Problem: none, Want: qpbackend.PrimalInfeasible}},
		{soc, Case{Name: "unbounded", Problem: falls, Want: qpbackend.DualInfeasible}},
		optimum(qpbackend.Exponential, "e", onCone(qpbackend.Exponential, []float64{0, 0, 1}, with(with(free, 0, 1), 1, 1), with(with(no, 0, 1), 1, 1)), 1, 1, math.E),
		optimum(qpbackend.Exponential, "logarithm", onCone(qpbackend.Exponential, []float64{-1, 0, 0}, with(free, 1, 1), with(with(no, 1, 1), 2, 2)), math.Ln2, 1, 2),
		optimum(qpbackend.Power, "geometric mean", onCone(qpbackend.Power, []float64{0, 0, -1}, with(with(free, 0, 4), 1, 1), with(with(no, 0, 4), 1, 1)), 4, 1, 2),
		optimum(qpbackend.Semidefinite, "least trace", onCone(qpbackend.Semidefinite, []float64{1, 0, 1}, with(free, 1, math.Sqrt2), with(no, 1, math.Sqrt2)), 1, math.Sqrt2, 1),
	}
}

func (s suite) cone(t TB, c coneCase) {
	set := s.settings()
	res := s.solve(t, c.Problem, set)
	switch {
	case res == nil:
	case res.Status != c.Want:
		t.Errorf("the status is %v (%s), want %v", res.Status, res.Message, c.Want)
	case c.Want != qpbackend.Solved:
		certificate(t, c.Problem, res, set.InfeasTol)
	case c.kind == qpbackend.SecondOrder:
		s.optimal(t, c.Case, res)
	case shaped(t, c.Problem, res): // Certify does not measure these cones
		if !near(res.Objective, c.Objective, s.g.objTol()) {
			t.Errorf("the objective is %.10g, want %.10g", res.Objective, c.Objective)
		}
		s.samePoint(t, "X", res.X, c.X)
	}
}

func (s suite) coneRefused(t TB, kind qpbackend.ConeKind) {
	solver, err := s.b.New(onCone(kind, fill(3, 0), fill(3, -1), fill(3, 1)), s.settings())
	if err == nil {
		solver.Close()
		t.Errorf("New accepts a %v cone, which is not supported", kind)
		return
	}
	var u *qpbackend.UnsupportedConeError
	if !errors.As(err, &u) || u.Kind != kind || u.Backend != s.b.Name() {
		t.Errorf("the error is %v, want an *UnsupportedConeError for %v and %s", err, kind, s.b.Name())
	}
}
