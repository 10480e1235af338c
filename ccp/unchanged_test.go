//go:build !race

package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// asked counts what is asked of its solvers.
type asked struct {
	ipm.Backend
	solves, matrices *int
}

func (c asked) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := c.Backend.New(ctx, p, set)
	return askedSolver{s, c}, err
}

type askedSolver struct {
	qpbackend.Solver
	c asked
}

func (s askedSolver) Update(u qpbackend.Update) error {
	if u.A != nil {
		*s.c.matrices++
	}
	return s.Solver.Update(u)
}

func (s askedSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	*s.c.solves++
	return s.Solver.Solve(ctx, dst)
}

// The convex problem at the end of a piecewise affine procedure is the one
// before: it is an iteration, but nothing is solved.
func TestSameProblemIsNotSolvedAgain(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-4), dc.AtMost(4))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{1, .25}))))
	m.SubjectTo(dc.GE(dc.NormInf(x), dc.Num(2)).Named("out"))
	p := build(t, m)
	var solves, matrices int
	var trace ccp.Trace
	res := solve(t, p, []float64{.5, .1}, func(s *ccp.Settings) {
		s.Backend, s.Recorder = asked{solves: &solves, matrices: &matrices}, &trace
		plainly(s)
	})
	if res.Status != ccp.Converged || math.Abs(res.X[0]-2) > 1e-6 || math.Abs(res.X[1]-.25) > 1e-6 {
		t.Fatalf("%v at %v", res.Status, res.X)
	}
	worked := 0
	for _, it := range trace.Iterations {
		if it.Solver > 0 {
			worked++
		}
	}
	last := trace.Iterations[len(trace.Iterations)-1]
	if solves != worked || solves != len(trace.Iterations)-1 || last.Solver != 0 || last.Step != 0 {
		t.Errorf("%d solves for %d iterations; the last took %d iterations and a step of %g", solves, len(trace.Iterations), last.Solver, last.Step)
	}
	if matrices != 0 {
		t.Errorf("%d new matrices although no tangent has changed", matrices)
	}
}

// A curved h has other tangents in each iteration, and each is solved.
func TestOtherProblemsAreSolved(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-4), dc.AtMost(4))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{1, .25}))))
	m.SubjectTo(dc.GE(dc.SumSquares(x), dc.Num(4)).Named("out"))
	p := build(t, m)
	var solves, matrices int
	res := solve(t, p, []float64{.5, 1}, func(s *ccp.Settings) {
		s.Backend = asked{solves: &solves, matrices: &matrices}
		plainly(s)
	})
	if res.Status != ccp.Converged || res.Iterations < 4 || solves < res.Iterations-1 || matrices < 2 {
		t.Errorf("%v after %d iterations, %d solves, %d matrices", res.Status, res.Iterations, solves, matrices)
	}
}

// A session whose parameter has changed solves again, although the tangents stay.
func TestSessionSolvesAnew(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-4), dc.AtMost(4))
	c := m.Param("c", nil, 2)
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{1, .25}))))
	m.SubjectTo(dc.GE(dc.NormInf(x), c.Expr).Named("out"))
	s, err := ccp.NewSession(context.Background(), build(t, m), ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []float64{2, 3, 2.5} {
		if err := s.Set("c", want); err != nil {
			t.Fatal(err)
		}
		res, err := s.Solve(context.Background(), nil)
		if err != nil || res.Status != ccp.Converged || math.Abs(res.X[0]-want) > 1e-6 {
			t.Fatalf("c = %g: %v, %v, %v", want, res.Status, res.X, err)
		}
	}
}

// Fits with maxima on both sides, whose pieces share some variables and change
// from iteration to iteration, end where each convex problem is made by another
// way to state the maxima: as functions that are only known by value and slope.
func TestPiecesAndOraclesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for round := range 12 {
		const n = 8
		pieces := func(lo, hi int) (rows []convex.Linear) {
			for range 3 {
				l := convex.Linear{Const: rng.NormFloat64()}
				for j := lo; j < hi; j++ {
					if rng.IntN(3) > 0 {
						l.Idx, l.Val = append(l.Idx, j), append(l.Val, rng.NormFloat64())
					}
				}
				rows = append(rows, l)
			}
			return rows
		}
		type side struct{ g, h []convex.Linear }
		var sides []side
		for range 6 {
			if round%2 == 0 {
				sides = append(sides, side{pieces(0, n), pieces(0, n)})
			} else {
				sides = append(sides, side{pieces(0, n/2), pieces(n/2, n)})
			}
		}
		center := make([]float64, n)
		for j := range center {
			center[j] = 2 * rng.NormFloat64()
		}
		run := func(oracle bool) *ccp.Result {
			m := dc.NewModel()
			x := m.Var("x", []int{n}, dc.AtLeast(-5), dc.AtMost(5))
			m.Minimize(dc.SumSquares(x.Sub(dc.Vec(center))))
			for _, s := range sides {
				g, h := dc.Max(dc.FromAffine(convex.Entries(s.g...))), dc.Max(dc.FromAffine(convex.Entries(s.h...)))
				if oracle {
					h = dc.BlackBox("h", h.Scalar().G(), x)
				}
				m.SubjectTo(dc.LE(g, h.Add(dc.Num(1))).Named("side"))
			}
			return solve(t, build(t, m), make([]float64, n), func(s *ccp.Settings) {
				plainly(s)
			})
		}
		a, b := run(false), run(true)
		if a.Status != b.Status || a.Iterations != b.Iterations || math.Abs(a.Objective-b.Objective) > 1e-6*max(1, math.Abs(b.Objective)) {
			t.Errorf("round %d: by pieces %v, %d iterations, %.9g; by values %v, %d, %.9g",
				round, a.Status, a.Iterations, a.Objective, b.Status, b.Iterations, b.Objective)
		}
	}
}
