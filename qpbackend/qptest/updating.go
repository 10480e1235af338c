package qptest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// everything is the update that makes any problem of p's pattern equal to p.
func everything(p *qpbackend.Problem) qpbackend.Update {
	return qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val}
}

// updateParts are the parts of an update that stand alone.
var updateParts = []struct {
	name string
	only func(u *qpbackend.Update)
}{
	{"q", func(u *qpbackend.Update) { *u = qpbackend.Update{Q: u.Q} }},
	{"lo", func(u *qpbackend.Update) { *u = qpbackend.Update{Lo: u.Lo} }},
	{"hi", func(u *qpbackend.Update) { *u = qpbackend.Update{Hi: u.Hi} }},
	{"l", func(u *qpbackend.Update) { *u = qpbackend.Update{L: u.L} }},
	{"u", func(u *qpbackend.Update) { *u = qpbackend.Update{U: u.U} }},
	{"l and u", func(u *qpbackend.Update) { *u = qpbackend.Update{L: u.L, U: u.U} }},
	{"lo and hi", func(u *qpbackend.Update) { *u = qpbackend.Update{Lo: u.Lo, Hi: u.Hi} }},
	{"P", func(u *qpbackend.Update) { *u = qpbackend.Update{P: u.P} }},
	{"A", func(u *qpbackend.Update) { *u = qpbackend.Update{A: u.A} }},
	{"everything", func(u *qpbackend.Update) {}},
	{"nothing", func(u *qpbackend.Update) { *u = qpbackend.Update{} }},
}

// updating compares updated solvers with fresh ones, and warm starts.
func (s suite) updating() []Check {
	var out []Check
	for _, part := range updateParts {
		out = append(out, Check{"update/" + part.name, func(t TB) { s.updateAgainstFresh(t, part.only) }})
	}
	return append(out,
		Check{"update/before the first solve", s.updateFirst},
		Check{"update/bounds that come and go", s.boundsComeAndGo},
		Check{"update/refused, nothing changed", s.updateRefused},
		Check{"warm/own solution", func(t TB) { s.warmOwn(t, moving(1)) }},
		Check{"warm/garbage", func(t TB) { s.warmGarbage(t, boxedSample()) }},
		Check{"warm/wrong lengths", s.warmLengths},
	)
}

// moving is a strictly convex problem with cones of the kinds given, and others of the same
// pattern, whatever parts of them are mixed: zero lies inside of all cones, rows and bounds.
func moving(k int, kinds ...qpbackend.ConeKind) *qpbackend.Problem {
	p := sample(kinds...).Problem
	rng := rand.New(rand.NewPCG(uint64(k), 42))
	// P's values are scaled as a whole, so that they stay semidefinite.
	scale := 0.5 + rng.Float64()
	for i := range p.P.Val {
		p.P.Val[i] *= scale
	}
	for i := range p.A.Val {
		p.A.Val[i] += 0.3 * rng.NormFloat64()
	}
	for j := range p.Q {
		p.Q[j] = 3 * rng.NormFloat64()
		p.Lo, p.Hi = append(p.Lo, -0.2-rng.Float64()), append(p.Hi, 0.2+rng.Float64())
	}
	for i := range p.L {
		p.L[i], p.U[i] = -0.2-rng.Float64(), 0.2+rng.Float64()
	}
	for _, c := range p.Cones {
		for i, e := range problems.InsidePoint(rng, c) {
			p.L[c.Start+i], p.U[c.Start+i] = -e, 0
		}
	}
	return p
}

// updateAgainstFresh walks through problems by updates, each compared with a
// fresh solver.
func (s suite) updateAgainstFresh(t TB, only func(*qpbackend.Update), kinds ...qpbackend.ConeKind) {
	now := moving(0, kinds...)
	solver := s.make(t, now, s.settings())
	defer solver.Close()
	for k := range 4 {
		u := everything(moving(k, kinds...))
		only(&u)
		must(t, fmt.Sprintf("update %d: Apply", k), now.Apply(u))
		s.asFresh(t, k, solver, u, now)
	}
}

// asFresh compares the solver, once it has had update k, with a fresh one of the problem that it
// has then.
func (s suite) asFresh(t TB, k int, solver qpbackend.Solver, u qpbackend.Update, now *qpbackend.Problem) {
	t.Helper()
	must(t, fmt.Sprintf("update %d", k), solver.Update(u))
	got, want := run(t, solver), s.solve(t, now, s.settings())
	if got.Status != want.Status {
		fail(t, "update %d: the status is %v, from a fresh solver %v", k, got.Status, want.Status)
	}
	s.ended(t, Case{Problem: now, Want: got.Status}, got)
	s.ended(t, Case{Problem: now, Want: got.Status}, want)
	if got.Objective != want.Objective && !agree(got.Objective, want.Objective, grades[s.g].objTol) {
		t.Errorf("update %d: the objective is %.10g, from a fresh solver %.10g", k, got.Objective, want.Objective)
	}
}

func (s suite) updateFirst(t TB) {
	solver := s.make(t, moving(0), s.settings())
	defer solver.Close()
	p := moving(3)
	must(t, "Update", solver.Update(everything(p)))
	s.certified(t, p, run(t, solver))
}

// boundsComeAndGo turns rows into free rows, equalities and back, and variables
// likewise.
func (s suite) boundsComeAndGo(t TB) {
	p := moving(0)
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	for k := range 6 {
		now := p.Clone()
		absent := [...]float64{problems.Inf(), 1e20}[k%2]
		vary := func(lo, up []float64, cycle, few int) {
			for i := range lo {
				switch (i + k) % cycle {
				case 0:
					lo[i], up[i] = -problems.Inf(), problems.Inf()
				case 1:
					lo[i] = -absent
				case 2:
					up[i] = absent
				case 3:
					if i < few {
						lo[i], up[i] = 0, 0
					}
				}
			}
		}
		vary(now.L, now.U, 6, 5)
		vary(now.Lo, now.Hi, 5, 4)
		s.asFresh(t, k, solver, qpbackend.Update{Lo: now.Lo, Hi: now.Hi, L: now.L, U: now.U}, now)
	}
}

// updateRefused sends wrong updates, some half right, and solves again.
func (s suite) updateRefused(t TB) {
	c := sample()
	p := c.Problem
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	n, m := p.Dims()
	nan := math.NaN()
	spoiled := func(v []float64, x float64) []float64 {
		w := slices.Clone(v)
		w[len(w)/2] = x
		return w
	}
	crossed := slices.Clone(p.U)
	for i := range crossed {
		crossed[i] = min(p.U[i], 1e3) + 1
	}
	for _, bad := range []struct {
		name string
		u    qpbackend.Update
	}{
		{"q too short", qpbackend.Update{Q: problems.Filled(n-1, 1)}},
		{"l too long", qpbackend.Update{L: problems.Filled(m+1, -9)}},
		{"u too short", qpbackend.Update{Q: problems.Filled(n, 9), U: problems.Filled(m-1, 9)}},
		{"P too short", qpbackend.Update{Q: problems.Filled(n, 9), P: p.P.Val[1:]}},
		{"A too short", qpbackend.Update{Q: problems.Filled(n, 9), A: p.A.Val[1:]}},
		{"NaN in q", qpbackend.Update{Q: spoiled(p.Q, nan)}},
		{"an infinite q", qpbackend.Update{Q: spoiled(p.Q, problems.Inf())}},
		{"NaN in l", qpbackend.Update{Q: problems.Filled(n, 9), L: spoiled(p.L, nan)}},
		{"NaN in u", qpbackend.Update{L: problems.Filled(m, -9), U: spoiled(p.U, nan)}},
		{"NaN in P", qpbackend.Update{Q: problems.Filled(n, 9), P: spoiled(p.P.Val, nan)}},
		{"NaN in A", qpbackend.Update{Q: problems.Filled(n, 9), L: problems.Filled(m, -9), A: spoiled(p.A.Val, nan)}},
		{"crossed bounds", qpbackend.Update{Q: problems.Filled(n, 9), L: crossed}},
		{"an upper bound of -inf", qpbackend.Update{L: problems.Filled(m, -problems.Inf()),
			U: problems.Filled(m, -problems.Inf())}},
	} {
		if err := solver.Update(bad.u); err == nil {
			fail(t, "the update with %s is accepted", bad.name)
		}
	}
	s.optimal(t, c, run(t, solver))
}

func (s suite) warmOwn(t TB, p *qpbackend.Problem) {
	cold := s.solve(t, p, s.settings())
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	s.certified(t, p, cold)
	for _, which := range []string{"x, y and z", "x", "y and z"} {
		x, y, z := cold.X, cold.Y, cold.Z
		switch which {
		case "x":
			y, z = nil, nil
		case "y and z":
			x = nil
		}
		must(t, "WarmStart with "+which, solver.WarmStart(x, y, z))
		warm := run(t, solver)
		s.certified(t, p, warm)
		if which == "x, y and z" && warm.Iterations > cold.Iterations {
			t.Errorf("%d iterations from the solution, %d without", warm.Iterations, cold.Iterations)
		}
	}
}

func (s suite) warmGarbage(t TB, c Case) {
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	rng := rand.New(rand.NewPCG(9, 25))
	n, m := c.Problem.Dims()
	for _, size := range []float64{1, 1e4, 1e8} {
		x, y, z := make([]float64, n), make([]float64, m), make([]float64, n)
		for j := range x {
			x[j], z[j] = size*rng.NormFloat64(), size*rng.NormFloat64()
		}
		for i := range y {
			y[i] = size * rng.NormFloat64()
		}
		must(t, "WarmStart", solver.WarmStart(x, y, z))
		spoil(x, y, z) // they are copied
		s.optimal(t, c, run(t, solver))
	}
	// A point that is not finite is refused.
	for _, v := range []float64{math.NaN(), problems.Inf()} {
		for _, err := range []error{
			solver.WarmStart(problems.Filled(n, v), nil, nil), solver.WarmStart(nil, problems.Filled(m, v), nil),
			solver.WarmStart(nil, nil, problems.Filled(n, v)),
		} {
			if err == nil {
				t.Errorf("a warm start with entries %g is accepted", v)
			}
		}
		s.optimal(t, c, run(t, solver))
	}
}

func (s suite) warmLengths(t TB) {
	c := sample()
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	n, m := c.Problem.Dims()
	if solver.WarmStart(problems.Filled(n+1, 0), nil, nil) == nil ||
		solver.WarmStart(nil, problems.Filled(m-1, 0), nil) == nil ||
		solver.WarmStart(nil, nil, problems.Filled(n+1, 0)) == nil {
		t.Errorf("a warm start of the wrong length is accepted")
	}
	must(t, "WarmStart(nil, nil, nil)", solver.WarmStart(nil, nil, nil))
	s.optimal(t, c, run(t, solver))
}
