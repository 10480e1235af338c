//go:build !race

package ccp_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// plainly switches off all that is done beyond the plain procedure.
func plainly(s *ccp.Settings) {
	s.Heuristics.Acceleration = heuristic.Acceleration{}
	s.Heuristics.Search = heuristic.Search{}
}

// TestProximalTermBoundsTheStep: with so small a τmax the slack stays cheaper
// than what the objective gains, so no convex problem has a least value.
func TestProximalTermBoundsTheStep(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.StartAt(0.5, 0.5))
	m.Minimize(x.Sum().Neg())
	m.SubjectTo(dc.LE(dc.Norm1(x.Scale(2)).Sub(dc.Norm2(x)), dc.Num(1)).Named("cap"))
	p := build(t, m)
	small := func(s *ccp.Settings) {
		s.TauRelative, s.Tau0, s.TauMax, s.MaxIter = false, 1e-3, 2e-3, 30
		s.Heuristics.Acceleration.Newton = false // it bounds steps, too
	}
	with := solve(t, p, nil, small)
	without := solve(t, p, nil, func(s *ccp.Settings) { small(s); s.Heuristics.Proximal = false })
	if with.Status == ccp.Unbounded || with.Status == ccp.Converged || without.Status != ccp.Numerical || !strings.Contains(without.Message, "unbounded") {
		t.Errorf("%v with a proximal term, %v without: %s", with.Status, without.Status, without.Message)
	}
	if free := solve(t, p, nil, nil); free.Status != ccp.Converged || math.Abs(free.Objective+1) > 1e-5 {
		t.Errorf("by default %v with %g", free.Status, free.Objective)
	}
}

func TestFailuresOfTheBackendAreMet(t *testing.T) {
	p := packing(t, radii(6, 1))
	n := 0
	good := solve(t, p, nil, func(s *ccp.Settings) { s.Backend = flaky{solves: &n} })
	if good.Status != ccp.Converged {
		t.Errorf("%v although one solve in seven fails: %s", good.Status, good.Message)
	}
	bad := solve(t, p, nil, func(s *ccp.Settings) { s.Backend = flaky{always: true, solves: &n} })
	if bad.Status != ccp.Converged || !strings.Contains(bad.Message, "the backend cannot solve") || !bad.Feasible || bad.Duals != nil {
		t.Errorf("%v where every solve fails: %s", bad.Status, bad.Message)
	}
	descent := solve(t, p, bad.X, func(s *ccp.Settings) { s.Heuristics.Search = heuristic.Search{} })
	if descent.Objective < bad.Objective*(1-1e-5) {
		t.Errorf("%g where every solve fails, and a descent from there ends at %g", bad.Objective, descent.Objective)
	}
}

// TestNoRayNoProof: the way down is a curve, so that no ray proves anything; the
// overflow of the objective far out is no proof either.
func TestNoRayNoProof(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.StartAt(1, 1))
	m.Minimize(dc.Exp(x.At(0)).Scale(-1))
	m.SubjectTo(dc.LE(dc.Square(x.At(0)).Sub(x.At(1)), dc.Num(0)).Named("under"))
	m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(1)).Named("out"))
	res := solve(t, build(t, m), nil, nil)
	if res.Status == ccp.Unbounded || res.Status == ccp.Converged || !res.Feasible {
		t.Errorf("%v, feasible: %v: %s", res.Status, res.Feasible, res.Message)
	}
}

// TestConflictIsIrreducible: of five constraints and the bounds three are in
// conflict, and only all three together.
func TestConflictIsIrreducible(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.AtLeast(-100), dc.AtMost(100))
	m.Minimize(dc.SumSquares(x).Sub(dc.Norm2(x)))
	m.SubjectTo(
		dc.GE(x.At(0).Add(x.At(1)), dc.Num(3)).Named("much"),
		dc.LE(x.At(0).Add(x.At(1)).Add(x.At(2).Scale(0.1)), dc.Num(1)).Named("little"),
		dc.LE(dc.Abs(x.At(2)), dc.Num(5)).Named("narrow"),
		dc.GE(x.At(0), x.At(1)).Named("order"),
		dc.GE(dc.Norm2(x), dc.Num(1)).Named("out"),
	)
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Infeasible {
		t.Fatalf("%v: %s", res.Status, res.Message)
	}
	for _, name := range []string{"much", "little", "narrow"} {
		if !strings.Contains(res.Message, name) {
			t.Errorf("%q lacks %s", res.Message, name)
		}
	}
	for _, name := range []string{"order", "out", "bounds"} {
		if strings.Contains(res.Message, name) {
			t.Errorf("%q has %s", res.Message, name)
		}
	}
}

// TestUnboundedWithoutAStraightWay: the way down ends in infinite values, or
// follows a bound that the last steps have rounded across.
func TestUnboundedWithoutAStraightWay(t *testing.T) {
	for name, state := range map[string]func(m *dc.Model){
		"exponential": func(m *dc.Model) {
			x := m.Var("x", []int{2}, dc.StartAt(1, 1))
			m.Minimize(dc.Exp(x.At(0)).Scale(-1).Add(dc.Square(x.At(1))))
			m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(1)).Named("out"))
		},
		"along a bound": func(m *dc.Model) {
			x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.StartAt(1, 1))
			m.Minimize(dc.Norm2(x).Add(dc.Square(x.At(1).Sub(x.At(0)))).Sub(dc.Square(x.At(1).Add(x.At(0)))))
		},
	} {
		m := dc.NewModel()
		state(m)
		p := build(t, m)
		if res := solve(t, p, nil, nil); res.Status != ccp.Unbounded || !math.IsInf(res.Objective, -1) {
			t.Errorf("%s: %v, objective %g: %s", name, res.Status, res.Objective, res.Message)
		} else if !p.Feasible(res.X, 1e-6) {
			t.Errorf("%s: the point breaks a constraint by %g", name, res.Violation)
		}
	}
}

// TestConvergedIsAtRest: along x[1] = 0 the objective falls for ever, beside it x[1]
// decides. No point is a minimum, and none is called one.
func TestConvergedIsAtRest(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.Minimize(dc.Sum(dc.Mul(dc.Square(x.At(0)), dc.Square(x.At(1))), x.At(0), x.At(1).Scale(-1)))
	p := build(t, m)
	for seed := range uint64(10) {
		if res := solve(t, p, p.Start(seed), nil); res.Status == ccp.Converged {
			t.Errorf("seed %d: converged at %v: %s", seed, res.X, res.Message)
		}
	}
}

// TestInfeasibleBesideAnUnboundedObjective: the backend fails on the first
// problem as a whole, which says nothing of its constraints.
func TestInfeasibleBesideAnUnboundedObjective(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.StartAt(0.961276, -1.45674, -0.425575))
	of := func(c float64, w ...float64) dc.Expr { return x.Dot(w).Add(dc.Num(c)) }
	m.Minimize(dc.Sum(
		dc.Mul(x.At(0).Scale(-0.13), x.At(1)),
		dc.Huber(of(-0.61, 0.2, 1.41, 0), 1).Scale(-1.28),
		dc.Square(of(-1.53, 0, 0, 0.64)).Scale(2.48),
		dc.Power(x.At(2), 4).Scale(2.19)))
	top := dc.Max(of(1.57, -0.67, 0, -0.5), x.At(0), dc.Num(1.57))
	m.SubjectTo(dc.LE(dc.Square(x.At(1)).Sub(top.Scale(1.68)), dc.Num(3.12441)).Named("soft"))
	v := dc.Abs(of(0.81, -0.7, 0.81, 0)).Add(dc.Square(of(0.2, -0.99, 0, -0.36)).Scale(1.97))
	m.SubjectTo(dc.LE(v, dc.Num(-0.145357)).Named("hard"))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Infeasible || !strings.HasSuffix(res.Message, "in conflict: hard") {
		t.Errorf("%v: %s", res.Status, res.Message)
	}
}

// TestPricesFollowConstraintsThatFlatten: from x = 30 the slack of exp(y) − exp(x) ≤ −3 has the
// price of a slope of e^30, and must get that of the slope further down.
func TestPricesFollowConstraintsThatFlatten(t *testing.T) {
	for _, from := range []float64{20, 30, 50} {
		m := dc.NewModel()
		x, y := m.Var("x", nil, dc.StartAt(from)), m.Var("y", nil, dc.StartAt(0))
		m.Minimize(dc.Sum(x, dc.Square(y.Sub(dc.Num(1)))))
		m.SubjectTo(dc.LE(dc.Sum(dc.Exp(y), dc.Exp(x).Neg()), dc.Num(-3)).Named("flattens"))
		const want = 1.693408914 // by Newton's method on the optimality conditions
		if res := solve(t, build(t, m), nil, nil); res.Status != ccp.Converged || !(math.Abs(res.Objective-want) <= 1e-6) {
			t.Errorf("from %g: %v with %g, want %g", from, res.Status, res.Objective, want)
		}
	}
}

// TestFlatConstraintsAreMetByLooking: around the start all tangents of the h are
// flat, and the feasible points are on the far side.
func TestFlatConstraintsAreMetByLooking(t *testing.T) {
	for seed := range uint64(20) {
		m := dc.NewModel()
		x := m.Var("x", []int{6}, dc.StartNormal(0, 1))
		m.Minimize(dc.SumSquares(x))
		m.SubjectTo(dc.GE(dc.Pos(x.Sum().Sub(dc.Num(12))), dc.Num(1)).Named("beyond"))
		res := solve(t, build(t, m), nil, func(s *ccp.Settings) { s.Seed = seed })
		if want := 169.0 / 6; res.Status != ccp.Converged || math.Abs(res.Objective-want) > 1e-4 {
			t.Errorf("seed %d: %v with %g, want %g", seed, res.Status, res.Objective, want)
		}
	}
}
