package subproblem

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// TestCompileNear: a convex problem in which far constraints have no rows has the solution and the
// multipliers of the whole one, however far its solution is from the point of the tangents.
func TestCompileNear(t *testing.T) {
	const points = 8*blocks.PerVariable + 10 // on a line: n(n−1)/2 distances of n variables
	m := dc.NewModel()
	x := m.Var("x", []int{points})
	y := m.Var("y", nil, dc.AtLeast(-1), dc.AtMost(1))
	m.Minimize(dc.Sum(dc.SumSquares(x), dc.Max(x.At(0), y, dc.Num(-7))))
	m.SubjectTo(dc.GE(dc.Norm2(dc.Stack(x.At(3), y)), dc.Num(2)).Named("first"))
	for i := range points {
		for j := range i {
			m.SubjectTo(dc.GE(dc.Abs(x.At(i).Sub(x.At(j))), dc.Num(1+float64(i%3)/8)).Named("apart", i, j))
		}
	}
	m.SubjectTo(dc.GE(dc.Norm2(dc.Stack(x.At(5), y)), dc.Num(3)).Named("last"))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 3))
	at := make([]float64, p.NumVars())
	for j := range at {
		at[j] = 80 * rng.NormFloat64()
	}
	b := ipm.Backend{}
	set := b.DefaultSettings()
	set.Tol = 1e-10
	open := func(s *Problem, err error) *Problem {
		if err != nil {
			t.Fatal(err)
		}
		s.SizeUp(at, true)
		if err := s.Linearise(at, 1.5); err != nil {
			t.Fatal(err)
		}
		s.SetPrices(at)
		if err := s.Linearise(at, 1.5); err != nil {
			t.Fatal(err)
		}
		if err := s.Open(ctx, b, set); err != nil {
			t.Fatal(err)
		}
		return s
	}
	near, whole := open(CompileNear(ctx, p.Program(), at)), open(Compile(ctx, p.Program()))
	defer near.Close()
	defer whole.Close()
	few := len(near.Compiled.QP.L)
	if !near.Compiled.choice.Absent() || few >= len(whole.Compiled.QP.L) {
		t.Fatalf("%d rows of %d", few, len(whole.Compiled.QP.L))
	}
	renewed := 0
	for round := range 6 {
		if round == 4 { // weights so small that rows break
			near.Units.prices[5], whole.Units.prices[5] = 1e-3, 1e-3
		}
		for _, s := range []*Problem{near, whole} {
			before := s.Compiled.QP
			if err := s.Linearise(at, 1.5); err != nil {
				t.Fatal(err)
			}
			if err := s.Solve(ctx); err != nil || s.Session.Res.Status != qpbackend.Solved {
				t.Fatal(round, err, s.Session.Res.Status)
			}
			if s.Compiled.QP != before {
				renewed++
			}
		}
		if d := math.Abs(near.Session.Res.Objective - whole.Session.Res.Objective); d > 1e-6*math.Abs(whole.Session.Res.Objective) {
			t.Errorf("round %d: objective %.10g, of the whole problem %.10g", round, near.Session.Res.Objective, whole.Session.Res.Objective)
		}
		for j := range at {
			if v := whole.Session.Res.X[j]; math.Abs(near.Session.Res.X[j]-v) > 1e-4*(1+math.Abs(v)) {
				t.Errorf("round %d: entry %d is %g, of the whole problem %g", round, j, near.Session.Res.X[j], v)
			}
		}
		some, all := near.Duals(Multipliers{}, near.Session.Last()), whole.Duals(Multipliers{}, whole.Session.Last())
		for i := range all.Rows {
			if v := all.Rows[i][0]; math.Abs(some.Rows[i][0]-v) > 1e-2*(1+math.Abs(v)) {
				t.Errorf("round %d: multiplier %g of %s, of the whole problem %g", round, some.Rows[i][0], p.Program().Constraints[i].Name(), v)
			}
		}
		if a, b := near.Stated(), whole.Stated(); len(a.L) > len(b.L) {
			t.Errorf("%d rows of %d", len(a.L), len(b.L))
		}
		φ, open := near.Gaps(at)
		ψ, want := whole.Gaps(at)
		if φ != ψ || open != want {
			t.Errorf("round %d: gaps %g and %g, of the whole problem %g and %g", round, φ, open, ψ, want)
		}
		copy(at, whole.Session.Res.X[:len(at)])
	}
	if renewed == 0 {
		t.Error("the rows have never changed")
	}
	for j := range at {
		at[j] = 80 * rng.NormFloat64()
	}
	before := whole.Compiled.QP
	near.Session.far = false // as after a solution that was near
	for _, s := range []*Problem{near, whole} {
		s.Leap()
		if err := s.Linearise(at, 1.5); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(ctx); err != nil || s.Session.Res.Status != qpbackend.Solved {
			t.Fatal(err, s.Session.Res.Status)
		}
	}
	if !slices.Equal(near.Compiled.choice.Around, at) || whole.Compiled.QP != before {
		t.Error("after a leap the rows are not those of the point where it led")
	}
	if a, b := near.Session.Res.Objective, whole.Session.Res.Objective; math.Abs(a-b) > 1e-6*math.Abs(b) {
		t.Errorf("after a leap: objective %.10g, of the whole problem %.10g", a, b)
	}
}
