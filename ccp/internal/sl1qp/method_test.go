package sl1qp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/sl1qp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// problem makes a problem of x, of length n and within ±5, from its objective and
// constraints.
func problem(t *testing.T, n int, make func(x dc.Expr) (dc.Expr, []dc.Constraint)) *dc.Problem {
	t.Helper()
	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.AtLeast(-5), dc.AtMost(5))
	f, cs := make(x)
	m.Minimize(f)
	m.SubjectTo(cs...)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func power(x dc.Expr, p float64) dc.Expr { return dc.Power(x, p) }

// start is where a run begins, with settings as those of ccp.
func start(x ...float64) sl1qp.Start {
	return sl1qp.Start{X: x, Tau: 1, Unit: 1, More: func(solves int) bool { return solves < 200 },
		Least: func([]float64) float64 { return 1e-6 }, Tol: 1e-8,
		Feas: 1e-6, Slope: func([]float64) float64 { return 0 }, Note: func([]float64, float64, int) error { return nil }}
}

// TestFrom: problems 39, 71 and 78 of Hock and Schittkowski 1981 from the starts
// given there, and a unit vector of least x'Qx from one on the other side of a saddle.
func TestFrom(t *testing.T) {
	at := func(x dc.Expr, k int) dc.Expr { return x.At(k - 1) }
	times := func(es ...dc.Expr) dc.Expr {
		out := es[0]
		for _, e := range es[1:] {
			out = dc.Mul(out, e)
		}
		return out
	}
	eq := func(e dc.Expr, v float64) dc.Constraint { return dc.EQ(e, dc.Num(v)) }
	for _, c := range []struct {
		name  string
		p     *dc.Problem
		start []float64
		best  float64
		most  int // convex problems
	}{
		{"hs39", problem(t, 4, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return at(x, 1).Neg(), []dc.Constraint{
				eq(at(x, 2).Sub(power(at(x, 1), 3)).Sub(dc.Square(at(x, 3))), 0),
				eq(dc.Square(at(x, 1)).Sub(at(x, 2)).Sub(dc.Square(at(x, 4))), 0),
			}
		}), []float64{2, 2, 2, 2}, -1, 30},
		{"hs71", problem(t, 4, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			sum := at(x, 1).Add(at(x, 2)).Add(at(x, 3))
			return times(at(x, 1), at(x, 4), sum).Add(at(x, 3)), []dc.Constraint{
				dc.GE(times(at(x, 1), at(x, 2), at(x, 3), at(x, 4)), dc.Num(25)),
				eq(dc.SumSquares(x), 40), dc.GE(x, dc.Num(1)),
			}
		}), []float64{1, 5, 5, 1}, 17.0140173, 25},
		{"hs78", problem(t, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return times(at(x, 1), at(x, 2), at(x, 3), at(x, 4), at(x, 5)), []dc.Constraint{
				eq(dc.SumSquares(x), 10),
				eq(times(at(x, 2), at(x, 3)).Sub(times(at(x, 4), at(x, 5)).Scale(5)), 0),
				eq(power(at(x, 1), 3).Add(power(at(x, 2), 3)), -1),
			}
		}), []float64{-2, 1.5, 2, -1, -1}, -2.91970041, 15},
		{"sphere", problem(t, 3, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return dc.Square(at(x, 1)).Scale(3).Sub(dc.Square(at(x, 2))).Add(dc.Square(at(x, 3)).Scale(-2)), []dc.Constraint{eq(dc.SumSquares(x), 1)}
		}), []float64{.9, .4, .1}, -2, 25},
	} {
		m, err := sl1qp.New(t.Context(), linearised(t, c.p), ipm.Backend{})
		if err != nil || m == nil {
			t.Fatalf("%s: no method: %v", c.name, err)
		}
		notes := 0
		at := start(c.start...)
		at.Note = func([]float64, float64, int) error { notes++; return nil }
		end, err := m.From(context.Background(), at)
		m.Sub.Close()
		if err != nil || !end.Stationary || !c.p.Feasible(end.X, 1e-6) || !(math.Abs(c.p.Value(end.X)-c.best) <= 1e-5) {
			t.Errorf("%s ends at %v, %.9g, stationary %v: %v", c.name, end.X, c.p.Value(end.X), end.Stationary, err)
		}
		if end.Solves > c.most || notes == 0 || notes > end.Solves {
			t.Errorf("%s takes %d convex problems, %d steps", c.name, end.Solves, notes)
		}
	}
}

// TestFromEnds: at the limit, on an error of Note, with the context, and without a claim
// where the equations cannot be met or a step only ends where the region does.
func TestFromEnds(t *testing.T) {
	circle := problem(t, 2, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.At(0).Add(x.At(1)), []dc.Constraint{dc.EQ(dc.SumSquares(x), dc.Num(1)), dc.EQ(dc.Mul(x.At(0), x.At(1)), dc.Num(.25))}
	})
	run := func(p *dc.Problem, ctx context.Context, at sl1qp.Start) (sl1qp.End, error) {
		m, err := sl1qp.New(t.Context(), linearised(t, p), ipm.Backend{})
		if err != nil || m == nil {
			t.Fatal("no method", err)
		}
		defer m.Sub.Close()
		return m.From(ctx, at)
	}
	at := start(2, 3)
	at.More = func(solves int) bool { return solves < 2 }
	if end, err := run(circle, context.Background(), at); err != nil || end.Stationary || end.Solves < 2 || end.Solves > 2+6 {
		t.Errorf("limit 2: %+v, %v", end, err)
	}
	at, wrong := start(2, 3), errors.New("enough")
	at.Note = func([]float64, float64, int) error { return wrong }
	if end, err := run(circle, context.Background(), at); err != wrong || end.Stationary {
		t.Errorf("an error of Note: %+v, %v", end, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if end, err := run(circle, ctx, start(2, 3)); err == nil || end.Stationary {
		t.Errorf("a context that has ended: %+v, %v", end, err)
	}
	apart := problem(t, 2, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.At(0), []dc.Constraint{dc.EQ(dc.SumSquares(x), dc.Num(1)), dc.EQ(dc.Mul(x.At(0), x.At(1)), dc.Num(2))}
	})
	if end, err := run(apart, context.Background(), start(1, .5)); err != nil || end.Stationary {
		t.Errorf("equations that exclude each other: %+v, %v", end, err)
	}
}

func linearised(t *testing.T, p *dc.Problem) *program.Problem {
	t.Helper()
	q, _, ok := p.Program().Linearised()
	if !ok {
		t.Fatal("the problem has nothing to linearise")
	}
	return q
}

// TestLinearised: without a smooth constraint or objective that is not convex there is nothing for
// the method.
func TestLinearised(t *testing.T) {
	for name, c := range map[string]struct {
		constraint    func(x dc.Expr) dc.Constraint
		sign          float64 // of the objective, a sum of squares
		equations, ok bool
	}{
		"inequality": {func(x dc.Expr) dc.Constraint { return dc.GE(dc.SumSquares(x), dc.Num(1)) }, 1, false, true},
		"affine":     {func(x dc.Expr) dc.Constraint { return dc.EQ(x.At(0), x.At(1)) }, 1, false, false},
		"kinks":      {func(x dc.Expr) dc.Constraint { return dc.EQ(dc.Norm1(x), dc.Num(1)) }, 1, false, false},
		"equation":   {func(x dc.Expr) dc.Constraint { return dc.EQ(dc.SumSquares(x), dc.Num(1)) }, 1, true, true},
		"objective":  {func(x dc.Expr) dc.Constraint { return dc.LE(dc.Norm1(x), dc.Num(1)) }, -1, false, true},
	} {
		p := problem(t, 2, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return dc.SumSquares(x).Scale(c.sign), []dc.Constraint{c.constraint(x)}
		})
		if _, equations, ok := p.Program().Linearised(); equations != c.equations || ok != c.ok {
			t.Errorf("%s: equations %v, ok %v", name, equations, ok)
		}
	}
}
