package ccp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// counting is a backend that counts the solvers it makes.
type counting struct {
	qpbackend.Backend
	made *int
}

func (c counting) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	*c.made++
	return c.Backend.New(ctx, p, set)
}

// family makes a problem with data b of the fit, bounds u, a right-hand side s and
// costs c, as parameters or as constants.
func family(dcPart, params bool, b, u, s, c []float64) *dc.Model {
	rng := rand.New(rand.NewPCG(8, 8))
	a := mat.NewDense(6, 4, nil)
	for i := range 6 {
		for j := range 4 {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	m := dc.NewModel()
	x := m.Var("x", []int{4}, dc.StartAt(0.1, 0.2, 0.3, 0.4))
	bb, uu, ss := dc.Vec(b), dc.Vec(u), dc.Num(s[0])
	if params {
		bb = m.Param("b", []int{6}, b...).Expr
		uu = m.Param("u", []int{4}, u...).Expr
		ss = m.Param("s", nil, s...).Expr
		m.AddCost(m.Param("c", []int{4}, c...), x)
	}
	fit := dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(bb)).Add(dc.Norm1(x.Sub(uu)).Scale(0.1))
	if !params {
		fit = fit.Add(x.Dot(c))
	}
	if dcPart {
		fit = fit.Sub(dc.Norm1(x).Scale(0.5))
		m.SubjectTo(dc.GE(dc.Norm1(x), dc.Num(0.5)), dc.GE(dc.Norm2(x.Sub(uu)), ss.Scale(-0.2)))
	}
	m.Minimize(fit)
	m.SubjectTo(dc.LE(x, uu), dc.EQ(x.Sum(), ss))
	return m
}

// TestSession: a session with new values finds what the model with these values
// as constants has, and makes one solver for all of them, and one that polishes the points.
func TestSession(t *testing.T) {
	for name, dcPart := range map[string]bool{"convex": false, "DC": true} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 9))
			draw := func(n int) []float64 {
				v := make([]float64, n)
				for k := range v {
					v[k] = rng.NormFloat64()
				}
				return v
			}
			zero := func(n int) []float64 { return make([]float64, n) }
			p := build(t, family(dcPart, true, zero(6), zero(4), zero(1), zero(4)))
			set := ccp.DefaultSettings()
			made := 0
			set.Backend = counting{ipm.Backend{}, &made}
			session, err := ccp.NewSession(context.Background(), p, set)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			start := p.Start(0)
			for range 8 {
				b, u, s, c := draw(6), draw(4), draw(1), draw(4)
				s[0] = -math.Abs(s[0])
				for k := range u {
					u[k] = math.Abs(u[k]) + 0.2
				}
				for name, v := range map[string][]float64{"b": b, "u": u, "s": s, "c": c} {
					if err := session.Set(name, v...); err != nil {
						t.Fatal(err)
					}
				}
				res, err := session.Solve(context.Background(), start)
				if err != nil {
					t.Fatal(err)
				}
				want := solve(t, build(t, family(dcPart, false, b, u, s, c)), start[:4], nil)
				if res.Status != ccp.Converged || math.Abs(res.Objective-want.Objective) > 1e-5*(1+math.Abs(want.Objective)) {
					t.Errorf("%v, objective %g; as constants %v, %g", res.Status, res.Objective, want.Status, want.Objective)
				}
				if !dcPart && res.Iterations != 1 {
					t.Errorf("%d convex problems for a convex one", res.Iterations)
				}
				if v, where := session.Problem().Violation(res.X); v > 1e-5 {
					t.Errorf("the point breaks %s by %g", where, v)
				}
			}
			if made != 2 && !dcPart || made > 8 {
				t.Errorf("%d solvers were made", made)
			}
		})
	}
}

// TestSessionReplace: a problem with other data everywhere is solved by the same
// solver, one of another shape by another.
func TestSessionReplace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	state := func(n int) *dc.Problem {
		random := func(r, c int) *mat.Dense {
			a := mat.NewDense(r, c, nil)
			a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
			return a
		}
		m := dc.NewModel()
		x := m.Var("x", []int{n}, dc.StartAt(0.1))
		m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(random(6, n)), x).Sub(dc.Num(rng.NormFloat64()))).Add(dc.Norm2(dc.MatMul(dc.Mat(random(3, n)), x)).Scale(rng.Float64())))
		m.SubjectTo(dc.LE(dc.MatMul(dc.Mat(random(2, n)), x), dc.Num(rng.Float64())), dc.LE(dc.Norm2(x), dc.Num(1+rng.Float64())))
		return build(t, m)
	}
	set := ccp.DefaultSettings()
	made := 0
	set.Backend = counting{ipm.Backend{}, &made}
	session, err := ccp.NewSession(context.Background(), state(4), set)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for k := range 6 {
		p := state(4 + k/5)
		if err := session.Replace(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		res, err := session.Solve(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := solve(t, p, nil, nil)
		if res.Status != ccp.Converged || math.Abs(res.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Errorf("problem %d: %v, objective %g, want %g", k, res.Status, res.Objective, want.Objective)
		}
		if wantMade := 2 + 2*(k/5); made != wantMade {
			t.Errorf("problem %d: %d solvers were made, want %d", k, made, wantMade)
		}
	}
}

func TestSessionMistakes(t *testing.T) {
	p := build(t, family(false, true, make([]float64, 6), make([]float64, 4), []float64{0}, make([]float64, 4)))
	session, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"no parameter z":     session.Set("z", 1),
		"x is a variable":    session.Set("x", 1),
		"want 1 or 6":        session.Set("b", 1, 2),
		"parameter is NaN":   session.Set("s", math.NaN()),
		"value 1 is +Inf":    session.Set("u", 1, math.Inf(1), 1, 1),
		"has length 3, the ": second(session.Solve(context.Background(), make([]float64, 3))),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	session.Close()
	session.Close()
	if _, err := session.Solve(context.Background(), nil); err == nil {
		t.Error("a closed session solves")
	}
}

func second(_ *ccp.Result, err error) error { return err }

// A session goes on after an instance whose conflict was looked for, with the
// objective and the bounds as they were.
func TestSessionAfterConflict(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-4), dc.AtMost(4))
	c := m.Param("c", nil, 1)
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{3, 1}))))
	m.SubjectTo(
		dc.LE(x.At(0).Add(x.At(1)), c.Expr).Named("little"),
		dc.GE(x.At(0), dc.Num(0)).Named("right"),
		dc.GE(x.At(1), dc.Num(0)).Named("up"),
		dc.GE(dc.NormInf(x), dc.Num(.1)).Named("out"),
	)
	set := ccp.DefaultSettings()
	set.Heuristics.Acceleration, set.Heuristics.Search.Coordinates = heuristic.Acceleration{}, 0
	s, err := ccp.NewSession(context.Background(), build(t, m), set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, step := range []struct {
		c, want float64
		status  ccp.Status
	}{{2, 2, ccp.Converged}, {-1, 0, ccp.Infeasible}, {10, 0, ccp.Converged}} {
		if err := s.Set("c", step.c); err != nil {
			t.Fatal(err)
		}
		res, err := s.Solve(context.Background(), []float64{1, 1, step.c})
		if err != nil || res.Status != step.status || step.status == ccp.Converged && math.Abs(res.Objective-step.want) > 1e-5 {
			t.Fatalf("c = %g: %v with %g, %v, %s", step.c, res.Status, res.Objective, err, res.Message)
		}
	}
}

// TestContexts: sessions and summaries end at any look at the context; a session whose
// Replace has ended keeps its problem.
func TestContexts(t *testing.T) {
	problem := func(at float64) *dc.Problem {
		m := dc.NewModel()
		x := m.Var("x", []int{3000}, dc.AtLeast(-1), dc.AtMost(1))
		for k := range 3000 {
			m.SubjectTo(dc.LE(dc.Abs(x.At(k).Sub(dc.Num(at))), dc.Num(.5)))
		}
		m.Minimize(dc.Sum(x))
		return build(t, m)
	}
	p, q, set := problem(0), problem(.25), ccp.DefaultSettings()
	s, err := ccp.NewSession(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := s.Problem()
	for name, call := range map[string]func(context.Context) error{
		"NewSession": func(ctx context.Context) error {
			s, err := ccp.NewSession(ctx, p, set)
			if err == nil {
				s.Close()
			}
			return err
		},
		"Replace": func(ctx context.Context) error { return s.Replace(ctx, q) },
		"Inspect": func(ctx context.Context) error { _, err := ccp.Inspect(ctx, p); return err },
	} {
		err := call(shared.Countdown(0, context.Canceled))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Problem() != before {
		t.Error("Replace has ended and yet changed the problem")
	}
	for looks := 0; ; looks++ {
		if err := s.Replace(shared.Countdown(looks, context.Canceled), q); err == nil {
			break
		}
		if looks > 1000 {
			t.Fatal("Replace never comes to an end")
		}
	}
	res, err := s.Solve(context.Background(), nil)
	if err != nil || math.Abs(res.Objective-3000*-.25) > 1e-3 {
		t.Errorf("after Replace: %v, %v", res, err)
	}
}
