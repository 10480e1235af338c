package qptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// supported are the kinds of cones that the backend has.
func (s suite) supported() []qpbackend.ConeKind {
	return slices.DeleteFunc(slices.Clone(problems.Kinds), func(k qpbackend.ConeKind) bool { return !s.b.Supports(k) })
}

// cones checks, for each kind of cone, either that it is refused or that it
// works: alone and, where there are several, all mixed.
func (s suite) cones() []Check {
	var out []Check
	have := s.supported()
	for _, kind := range problems.Kinds {
		if !slices.Contains(have, kind) {
			out = append(out, Check{fmt.Sprintf("cone/%v: refused", kind), func(t TB) { s.coneRefused(t, kind) }})
			continue
		}
		out = append(out, s.conesOf(kind.String(), kind)...)
	}
	if len(have) > 1 {
		out = append(out, s.conesOf("mixed", have...)...)
	}
	return append(out, Check{"cone/of an unknown kind", func(t TB) {
		if s.b.Supports(250) {
			t.Errorf("a cone of an unknown kind is supported")
		}
	}})
}

// conesOf are the checks for problems with cones of the kinds given.
func (s suite) conesOf(name string, kinds ...qpbackend.ConeKind) []Check {
	name = "cone/" + name + ": "
	var out []Check
	for _, c := range problems.WithCones(kinds...) {
		if len(kinds) > 1 && len(problems.KindsOf(c.Problem)) < 2 {
			continue // among the checks of its kind
		}
		out = append(out, Check{name + c.Name, func(t TB) { s.settled(t, c) }})
	}
	for _, part := range updateParts {
		out = append(out, Check{name + "update of " + part.name, func(t TB) {
			s.updateAgainstFresh(t, part.only, kinds...)
		}})
	}
	return append(out,
		Check{name + "u is not looked at", func(t TB) { s.coneUpper(t, kinds) }},
		Check{name + "feasible, infeasible and back", func(t TB) { s.coneBack(t, kinds) }},
		Check{name + "warm, own solution", func(t TB) { s.warmOwn(t, moving(1, kinds...)) }},
		Check{name + "warm, garbage", func(t TB) { s.warmGarbage(t, sample(kinds...)) }},
		Check{name + "cancelled before", func(t TB) {
			s.interrupted(t, ended(), context.Canceled, sample(kinds...))
		}},
		Check{name + "one iteration", func(t TB) { s.oneIteration(t, sample(kinds...)) }},
		Check{name + "slices are reused", func(t TB) { s.reused(t, sample(kinds...)) }},
		Check{name + "two runs agree bit for bit", func(t TB) { s.deterministic(t, sample(kinds...)) }},
		Check{name + "the problem is copied", func(t TB) { s.copied(t, sample(kinds...)) }},
		Check{name + "solvers side by side", func(t TB) { s.sideBySide(t, sample(kinds...)) }},
	)
}

// coneUpper has nonsense in u on the rows of cones, from the start and by an
// update.
func (s suite) coneUpper(t TB, kinds []qpbackend.ConeKind) {
	c := sample(kinds...)
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	for k, bad := range []float64{-1e3, problems.Inf(), -problems.Inf(), math.NaN()} {
		spoiled := c
		spoiled.Problem = c.Problem.Clone()
		for _, cone := range spoiled.Problem.Cones {
			for i := cone.Start; i < cone.Start+cone.Len; i++ {
				spoiled.Problem.U[i] = bad
			}
		}
		must(t, fmt.Sprintf("Update with %g in u", bad), solver.Update(qpbackend.Update{U: spoiled.Problem.U}))
		s.optimal(t, spoiled, run(t, solver))
		if k%2 == 0 {
			s.optimal(t, spoiled, s.solve(t, spoiled.Problem, s.settings()))
		}
	}
}

// coneBack takes one cone out of reach and back. Where A is zero on its rows, the cone is asked to
// hold −l, which is inside of it, and then l.
func (s suite) coneBack(t TB, kinds []qpbackend.ConeKind) {
	p := moving(2, kinds...)
	c, nothing, away := p.Cones[0], slices.Clone(p.A.Val), slices.Clone(p.L)
	for k, i := range p.A.RowIdx {
		if i >= c.Start && i < c.Start+c.Len {
			nothing[k] = 0
		}
	}
	for i := c.Start; i < c.Start+c.Len; i++ {
		away[i] = -p.L[i]
	}
	var stages []stage
	now := p
	for k, u := range []qpbackend.Update{{}, {L: away, A: nothing}, {L: p.L}, {A: p.A.Val}} {
		now = now.Clone()
		must(t, "Apply", now.Apply(u))
		want := Case{Problem: now, Want: qpbackend.Solved}
		if k == 1 {
			want.Want = qpbackend.PrimalInfeasible
		}
		stages = append(stages, stage{u, want})
	}
	s.walk(t, p, stages)
}

func (s suite) coneRefused(t TB, kind qpbackend.ConeKind) {
	solver, err := s.b.New(context.Background(), problems.OnCone(kind, 0.5, problems.Filled(3, 0),
		problems.Filled(3, -1), problems.Filled(3, 1)), s.settings())
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
