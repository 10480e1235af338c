package ccp_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// boastful is a backend that moves its solutions and reports them solved without residuals.
type boastful struct {
	ipm.Backend
	status qpbackend.Status
	move   float64
}

type boastfulSolver struct {
	qpbackend.Solver
	b boastful
}

func (b boastful) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := b.Backend.New(ctx, p, set)
	return &boastfulSolver{s, b}, err
}

func (s *boastfulSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.Solver.Solve(ctx, dst)
	for j := range dst.X {
		dst.X[j] += s.b.move
	}
	dst.Status, dst.Res = s.b.status, qpbackend.Residuals{}
	return err
}

// TestConvexPointIsProved: a convex problem has converged where the multipliers show its point to
// be the minimum, and nowhere else, whatever the backend says.
func TestConvexPointIsProved(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.Minimize(dc.Sum(dc.SumSquares(x.Sub(dc.Vec([]float64{3, 4}))), dc.Exp(x.At(0))))
	m.SubjectTo(dc.LE(dc.Norm1(x), dc.Num(100)))
	p := build(t, m)
	for _, status := range []qpbackend.Status{qpbackend.Solved, qpbackend.AlmostSolved} {
		for _, move := range []float64{0, 1e-5, 0.01, 0.3} {
			set := ccp.DefaultSettings()
			set.Backend = boastful{status: status, move: move}
			res, err := ccp.Solve(context.Background(), p, nil, set)
			if err != nil {
				t.Fatal(err)
			}
			// A move of δ costs some 3δ² of an objective of 10.
			want := ccp.Converged
			if move > 1e-4*math.Sqrt(10) {
				want = ccp.Stalled
			}
			if res.Status != want {
				t.Errorf("%v, moved by %g: %v, %s", status, move, res.Status, res.Message)
			}
			if want == ccp.Stalled && !strings.Contains(res.Message, "above its least value") {
				t.Errorf("%v, moved by %g: message %q", status, move, res.Message)
			}
		}
	}
}

// TestSumsWithTheMinimum0: the terms vanish, and nothing is left that a change could be
// relative to.
func TestSumsWithTheMinimum0(t *testing.T) {
	for name, state := range map[string]func(m *dc.Model, x dc.Expr){
		"absolute values": func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Sum(dc.Norm1(x), dc.Abs(x.At(0).Sub(x.At(1))))) },
		"maxima": func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.Sum(dc.Max(x.At(0), dc.Num(0)), dc.Max(x.At(0).Scale(-2), x.At(1), x.At(1).Scale(-1))))
		},
		"squares": func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Sum(dc.SumSquares(x))) },
		"an exact fit": func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.Sum(dc.Norm2(x.Sub(dc.Vec([]float64{1e3, -2}))), dc.Abs(x.At(0).Scale(2).Sub(dc.Num(2e3)))))
		},
		"powers": func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Sum(dc.Power(dc.Abs(x.At(0)), 3), dc.Abs(x.At(1)))) },
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{2})
		state(m, x)
		p := build(t, m)
		for seed := range uint64(5) {
			set := ccp.DefaultSettings()
			set.Seed = seed
			res, err := ccp.Solve(context.Background(), p, nil, set)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != ccp.Converged || !(res.Objective <= 1e-10) || res.Iterations > 6 {
				t.Errorf("%s, seed %d: %v at %g after %d convex problems, %s", name, seed, res.Status, res.Objective, res.Iterations, res.Message)
			}
		}
	}
}

// TestOutOfRange: a constraint that holds nowhere within the bounds is a proof that there is no
// point, and one whose range only touches 0 is none.
func TestOutOfRange(t *testing.T) {
	for _, c := range []struct {
		radius float64
		status ccp.Status
	}{{2, ccp.Infeasible}, {1.42, ccp.Infeasible}, {1.4, ccp.Converged}} {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(1))
		m.Minimize(x.At(0))
		m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(c.radius)).Named("far"))
		res := solve(t, build(t, m), nil, nil)
		if res.Status != c.status || c.status == ccp.Infeasible && !strings.Contains(res.Message, "far") {
			t.Errorf("radius %g: %v, %s", c.radius, res.Status, res.Message)
		}
	}
}
