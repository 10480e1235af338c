//go:build !race

package ccp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// honest checks what a result says of itself.
func honest(t *testing.T, name string, p *dc.Problem, res *ccp.Result, tol float64) {
	t.Helper()
	boxed := true
	for _, v := range p.Program().Vars {
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			boxed = boxed && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
		}
	}
	switch {
	case res.Feasible != p.Feasible(res.X, tol):
		t.Errorf("%s: feasible: %v, but by the problem %v", name, res.Feasible, !res.Feasible)
	case res.Status == ccp.Converged && !res.Feasible:
		t.Errorf("%s: converged at a point that is not feasible, violation %g", name, res.Violation)
	case res.Status == ccp.Unbounded && boxed:
		t.Errorf("%s: unbounded although all variables are bounded", name)
	}
}

// TestHugeRanges: the objective is larger at the bounds than at its minimum by more than a
// float64 has digits.
func TestHugeRanges(t *testing.T) {
	for name, c := range map[string]struct {
		state func(m *dc.Model)
		least float64
	}{
		"exp on [0, 700]": {func(m *dc.Model) {
			m.Minimize(dc.Exp(m.Var("x", []int{1}, dc.AtLeast(0), dc.AtMost(700)).At(0)))
		}, 1},
		"three exponentials": {func(m *dc.Model) {
			x := m.Var("x", []int{2}, dc.AtLeast(0), dc.AtMost(300))
			m.Minimize(dc.Sum(dc.Exp(x.At(0)), dc.Exp(x.At(1)), dc.Exp(dc.Num(100).Sub(x.At(0)).Sub(x.At(1)))))
		}, 3 * math.Exp(100./3)},
		"a logarithm and a quotient": {func(m *dc.Model) {
			x := m.Var("x", []int{1}, dc.AtLeast(1e-9), dc.AtMost(1e9)).At(0)
			m.Minimize(dc.Log(x).Add(dc.InvPos(x)))
		}, 1},
		"a power and a quotient": {func(m *dc.Model) {
			x := m.Var("x", []int{1}, dc.AtLeast(1e-3), dc.AtMost(1e6)).At(0)
			m.Minimize(dc.Sum(dc.Power(x, 20), dc.InvPos(x)))
		}, math.Pow(20, -20./21) + math.Pow(20, 1./21)},
	} {
		m := dc.NewModel()
		c.state(m)
		p := build(t, m)
		for seed := range uint64(5) {
			if res := solve(t, p, p.Start(seed), nil); res.Status != ccp.Converged || math.Abs(res.Objective-c.least) > 1e-5*c.least {
				t.Errorf("%s, seed %d: %v with %g, want %g", name, seed, res.Status, res.Objective, c.least)
			}
		}
	}
}

// TestHugeBounds: linear programs with one bound that is many decades larger than
// the others have the optimum of those without it.
func TestHugeBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n, m := 2+rng.IntN(4), 2+rng.IntN(4)
		a, c, b := draw(rng, m*n, 0.1, 2), draw(rng, n, 0.5, 3), draw(rng, m, 5, 50)
		state := func(huge float64) *dc.Problem {
			model := dc.NewModel()
			x := model.Var("x", []int{n}, dc.AtLeast(0), dc.AtMost(1000))
			var rows []dc.Expr
			for i := range m {
				rows = append(rows, x.Dot(a[i*n:(i+1)*n]))
			}
			bounds := append([]float64(nil), b...)
			if huge > 0 { // one more row, and one that holds nothing back
				rows = append(rows, x.Dot(c))
				bounds = append(bounds, huge)
			}
			model.Maximize(x.Dot(c))
			model.SubjectTo(dc.LE(dc.Stack(rows...), dc.Vec(bounds)).Named("cap"))
			return build(t, model)
		}
		want := solve(t, state(0), nil, nil)
		p := state(math.Pow(10, 5+10*rng.Float64()))
		got := solve(t, p, nil, nil)
		honest(t, "huge", p, got, 1e-6)
		if got.Status != ccp.Converged || math.Abs(got.Objective-want.Objective) > 1e-6*math.Abs(want.Objective) {
			t.Errorf("%v with %g, violation %g; want %g", got.Status, got.Objective, got.Violation, want.Objective)
		}
		if many, err := ccp.Multistart(context.Background(), p, 4, ccp.DefaultSettings()); err != nil || math.Abs(many.Objective-want.Objective) > 1e-6*math.Abs(want.Objective) {
			t.Errorf("from four starts: error %v, %g, want %g", err, many.Objective, want.Objective)
		}
	}
}

func draw(rng *rand.Rand, n int, lo, hi float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}

// shape is a problem that can be stated in other units: its objective times f,
// its constraints times c, its variables in units of v.
type shape func(f, c, v float64) *dc.Model

func shapes() map[string]shape {
	rng := rand.New(rand.NewPCG(3, 3))
	r, a, b := draw(rng, 5, 1, 3), draw(rng, 40, -1, 1), draw(rng, 8, -2, 2)
	x0 := draw(rng, 10, -10, 10)
	scaled := func(w []float64, s float64) []float64 {
		out := make([]float64, len(w))
		for i := range w {
			out[i] = s * w[i]
		}
		return out
	}
	return map[string]shape{
		"packing": func(f, c, v float64) *dc.Model {
			m := dc.NewModel()
			x := m.Var("c", []int{5, 2}, dc.StartAt(scaled(x0, v)...))
			var all []dc.Expr
			for i := range 5 {
				all = append(all, dc.NormInf(x.Row(i)).Add(dc.Num(v*r[i])))
				for j := range i {
					m.SubjectTo(dc.GE(dc.Norm2(x.Row(i).Sub(x.Row(j))).Scale(c/v), dc.Num(c*(r[i]+r[j]))).Named("apart", i, j))
				}
			}
			m.Minimize(dc.Max(all...).Scale(f / v))
			return m
		},
		"l1 - l2": func(f, _, v float64) *dc.Model {
			m := dc.NewModel()
			x := m.Var("x", []int{5}, dc.StartAt(scaled(x0[:5], v)...))
			var rows []dc.Expr
			for i := range 8 {
				rows = append(rows, x.Dot(scaled(a[5*i:5*i+5], 1/v)).Sub(dc.Num(b[i])))
			}
			m.Minimize(dc.Sum(dc.SumSquares(dc.Stack(rows...)).Scale(f), dc.Norm1(x).Scale(0.3*f/v), dc.Norm2(x).Scale(-0.3*f/v)))
			return m
		},
		"linear": func(f, c, v float64) *dc.Model {
			m := dc.NewModel()
			x := m.Var("x", []int{5}, dc.AtLeast(0), dc.AtMost(7*v), dc.StartAt(v))
			for i := range 8 {
				m.SubjectTo(dc.LE(x.Dot(scaled(a[5*i:5*i+5], c/v)), dc.Num(c*(3+b[i]))).Named("row", i))
			}
			m.Maximize(x.Dot(scaled(r, f/v)))
			return m
		},
	}
}

// TestUnits: an objective, constraints or variables times a power of 1024 leave
// the iterates the same to the bit, and times another number between 1e-9 and 1e9
// much the same minimum.
func TestUnits(t *testing.T) {
	for name, state := range shapes() {
		plain := solve(t, build(t, state(1, 1, 1)), nil, nil)
		for _, k := range []int{-30, -20, -10, 10, 20, 30} {
			s := math.Ldexp(1, k)
			for which, u := range map[string][3]float64{"objective": {s, 1, 1}, "constraints": {1, s, 1}, "variables": {1, 1, s}} {
				got := solve(t, build(t, state(u[0], u[1], u[2])), nil, nil)
				// Feasible means 1e-6 in units of a row up to 1: larger rows than that
				// are met more exactly, which may take another path at the end.
				if large := which == "constraints" && k > 0; large && got.Status == ccp.Converged && got.Objective < plain.Objective+1e-6 {
					continue
				}
				if !sameRun(plain, got, u[0]) {
					t.Errorf("%s, %s times 2^%d: %v, objective %v in %d iterations; want %v, %v in %d", name, which, k,
						got.Status, got.Objective/u[0], len(got.History), plain.Status, plain.Objective, len(plain.History))
				}
			}
		}
		for _, s := range []float64{1e-9, 3e-5, 7e3, 1e9} {
			for which, u := range map[string][3]float64{"objective": {s, 1, 1}, "constraints": {1, s, 1}, "variables": {1, 1, s}} {
				got := solve(t, build(t, state(u[0], u[1], u[2])), nil, nil)
				if got.Status != ccp.Converged || !(math.Abs(got.Objective/u[0]-plain.Objective) <= 1e-3*math.Abs(plain.Objective)) {
					t.Errorf("%s, %s times %g: %v, objective %v, want %v; violation %g", name, which, s, got.Status, got.Objective/u[0], plain.Objective, got.Violation)
				}
			}
		}
	}
}

// sameRun compares the objectives of all iterations, those of b over s.
func sameRun(a, b *ccp.Result, s float64) bool {
	if a.Status != b.Status || len(a.History) != len(b.History) {
		return false
	}
	for i := range a.History {
		if a.History[i].Objective != b.History[i].Objective/s {
			return false
		}
	}
	return true
}

// TestProductsOfUnlikeSize: where a row bounds a factor by 1e-15 the other ones are of the
// size that the product implies, and so are their units.
func TestProductsOfUnlikeSize(t *testing.T) {
	for k := range 14 {
		small := math.Pow(10, -float64(k+2))
		for name, factors := range map[string]int{"x*y": 2, "x*y*z": 3} {
			m := dc.NewModel()
			x := m.Var("x", []int{factors}, dc.AtLeast(0))
			product, want := dc.Mul(x.At(0), x.At(1)), 1/small
			m.SubjectTo(dc.LE(x.At(1), dc.Num(small)).Named("small"))
			if factors == 3 {
				product, want = dc.Mul(product, x.At(2)), 0.5/small
				m.SubjectTo(dc.LE(x.At(2), dc.Num(2)).Named("two"))
			}
			m.SubjectTo(dc.GE(product, dc.Num(1)).Named("product"))
			m.Minimize(x.At(0))
			p := build(t, m)
			res := solve(t, p, nil, nil)
			honest(t, name, p, res, 1e-6)
			if res.Status != ccp.Converged || !(math.Abs(res.Objective-want) <= 2e-6*want) {
				t.Errorf("%s >= 1, y <= %g: %v with %g, want %g", name, small, res.Status, res.Objective, want)
			}
		}
	}
}

// explosive is a function of a user that panics on its n-th value.
type explosive struct{ left *atomic.Int64 }

func (e explosive) Value(x []float64) float64 {
	if e.left.Add(-1) == 0 {
		panic("a user's mistake")
	}
	return x[0] * x[0]
}
func (e explosive) AddSubgrad(dst []float64, scale float64, x []float64) { dst[0] += 2 * scale * x[0] }

// TestBoundedInSmallUnits: t = x·y of bounded factors near 1e-6 has a least value. Along a ray of t
// alone the equation is broken by as much as t changes, however small the unit of t.
func TestBoundedInSmallUnits(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(1.7763359036906717e-06), dc.AtMost(2.036280832136366e-06))
	y := m.Var("y", nil, dc.AtLeast(5.614579215988068e-07), dc.AtMost(2.6949021494696665e-06))
	z := m.Var("t", nil)
	m.Minimize(z)
	m.SubjectTo(dc.EQ(z, dc.Mul(x, y)))
	if r := solve(t, build(t, m), nil, nil); r.Status != ccp.Converged || !(r.Objective > -1e-6) {
		t.Errorf("%v at %g: %s", r.Status, r.Objective, r.Message)
	}
}

// TestBoundedOnCircle: a linear function on a large sphere has a least value. Its violation on the
// way there is large, and allows none further on.
func TestBoundedOnCircle(t *testing.T) {
	for _, radius := range []float64{1, 1e3, 645746, 1e6} {
		m := dc.NewModel()
		x := m.Var("x", []int{3})
		m.Minimize(x.Dot([]float64{0.6422063174641895, -0.005794019380480935, 0.47912224535883435}))
		m.SubjectTo(dc.EQ(dc.SumSquares(x), dc.Num(radius*radius)))
		r := solve(t, build(t, m), nil, nil)
		if want := -0.80126 * radius; r.Status != ccp.Converged || !(math.Abs(r.Objective-want) <= 1e-4*radius) {
			t.Errorf("radius %g: %v at %g, want %g: %s", radius, r.Status, r.Objective, want, r.Message)
		}
	}
}

// TestContradiction: the same function below one number and above a larger one is infeasible,
// whatever the function and its sign.
func TestContradiction(t *testing.T) {
	for name, f := range map[string]func(x dc.Expr) dc.Expr{
		"norm1": dc.Norm1, "norm2": dc.Norm2, "sumsq": dc.SumSquares,
		"product":  func(x dc.Expr) dc.Expr { return dc.Mul(x.At(0), x.At(1)) },
		"opposite": func(x dc.Expr) dc.Expr { return dc.Norm1(x).Neg() },
	} {
		for _, gap := range []float64{0.5, 0} {
			below := 1.
			if name == "opposite" {
				below = -1 - gap
			}
			m := dc.NewModel()
			x := m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3))
			m.Minimize(x.At(0))
			m.SubjectTo(dc.LE(f(x), dc.Num(below)), dc.GE(f(x), dc.Num(below+gap)))
			r := solve(t, build(t, m), nil, nil)
			if (r.Status == ccp.Infeasible) != (gap > 0) {
				t.Errorf("%s, gap %g: %v: %s", name, gap, r.Status, r.Message)
			}
		}
	}
}

// TestEquationFromSmallStart: products of variables that begin as small as noise beside the
// constant of their constraint are in the units of the constant.
func TestEquationFromSmallStart(t *testing.T) {
	for _, size := range []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3} {
		for _, start := range [][]float64{{size, size}, {size, -size}, {-size, size / 3}} {
			m := dc.NewModel()
			x, y := m.Var("x", nil), m.Var("y", nil)
			m.Minimize(dc.Square(x.Sub(dc.Num(2))).Add(dc.Square(y)))
			m.SubjectTo(dc.EQ(dc.Mul(x, y), dc.Num(1)))
			r := solve(t, build(t, m), start, nil)
			if r.Status != ccp.Converged || !(math.Abs(r.Objective-0.2367021714) <= 1e-6) {
				t.Errorf("from %g: %v at %g: %s", start, r.Status, r.Objective, r.Message)
			}
		}
	}
}

// TestInfeasibleInSmallUnits: ranges that exclude a constraint count in the unit of its row.
func TestInfeasibleInSmallUnits(t *testing.T) {
	for _, size := range []float64{1, 1e-3, 1e-6} {
		for name, equation := range map[string]bool{"bounds alone": false, "x == y": true} {
			m := dc.NewModel()
			x, y := m.Var("x", nil, dc.AtLeast(0), dc.AtMost(size)), m.Var("y", nil, dc.AtLeast(0), dc.AtMost(size))
			broken := 1.001
			if equation {
				m.SubjectTo(dc.EQ(x, y))
				broken = 0.001
			}
			m.SubjectTo(dc.LE(dc.Square(x).Sub(dc.Square(y)), dc.Num(-broken*size*size)))
			m.Minimize(x)
			if r := solve(t, build(t, m), nil, nil); r.Status != ccp.Infeasible {
				t.Errorf("%s, size %g: %v: %s", name, size, r.Status, r.Message)
			}
		}
	}
}

// TestPanicsOfUsersAreErrors: of one start of several, at any moment; the others
// and the best point remain.
func TestPanicsOfUsersAreErrors(t *testing.T) {
	for n := int64(1); n < 200; n = 2*n + 1 {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(3))
		left := &atomic.Int64{}
		left.Store(n)
		m.Minimize(dc.Abs(x.At(1)).Sub(dc.BlackBox("explosive", explosive{left}, x)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		left.Store(n)
		res, err := ccp.Multistart(context.Background(), p, 4, ccp.DefaultSettings())
		var panicked *ccp.PanicError
		if !errors.As(err, &panicked) {
			if left.Load() > 0 {
				continue // it was never reached
			}
			t.Fatalf("%d: error %v", n, err)
		}
		if !strings.Contains(err.Error(), "explosive.Value") || !strings.Contains(err.Error(), "a user's mistake") {
			t.Errorf("%d: %v", n, err)
		}
		if res == nil || !(res.Objective < -4+1e-3) {
			t.Errorf("%d: no good point of the other starts: %+v", n, res)
		}
	}
}

// closing is a backend whose solvers panic when they are closed.
type closing struct{ ipm.Backend }

func (b closing) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := b.Backend.New(ctx, p, set)
	return closed{s}, err
}

type closed struct{ qpbackend.Solver }

func (closed) Close() error { panic("a user's mistake") }

// TestPanicsOfUsersInSessions: a function that panics, at any moment, and a backend
// that does when it is closed.
func TestPanicsOfUsersInSessions(t *testing.T) {
	for n := int64(1); n < 200; n = 2*n + 1 {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(3))
		m.Param("p", nil, 1)
		left := &atomic.Int64{}
		left.Store(1 << 40)
		m.Minimize(dc.Abs(x.At(1)).Sub(dc.BlackBox("explosive", explosive{left}, x)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Backend = closing{}
		session, err := ccp.NewSession(context.Background(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		left.Store(n)
		_, first := session.Solve(t.Context(), nil)
		changed := errors.Join(session.Set("p", 2), session.Replace(context.Background(), p))
		_, second := session.Solve(t.Context(), nil)
		session.Close()
		session.Close()
		var panicked *ccp.PanicError
		if err := errors.Join(first, changed, second); left.Load() <= 0 && !errors.As(err, &panicked) {
			t.Errorf("%d: error %v", n, err)
		}
	}
}

func TestNilProblems(t *testing.T) {
	set := ccp.DefaultSettings()
	_, one := ccp.Solve(context.Background(), nil, nil, set)
	_, many := ccp.Multistart(context.Background(), nil, 3, set)
	_, session := ccp.NewSession(context.Background(), nil, set)
	_, inspect := ccp.Inspect(context.Background(), nil)
	for name, err := range map[string]error{"Solve": one, "Multistart": many, "NewSession": session, "Inspect": inspect} {
		if err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestMeanAtTheBoundary: a geometric mean that is 0 at the start says nothing of its size. In units
// of 1e-12 the backend took rounding errors for a ray.
func TestMeanAtTheBoundary(t *testing.T) {
	for _, start := range [][]float64{{0.96, 0, 0}, {0, 0, 0}, {1, 1e-9, 0}, {0, 0.5, 0.5}} {
		m := dc.NewModel()
		x := m.Var("x", []int{3}, dc.AtLeast(0))
		m.Maximize(dc.GeoMean(x))
		m.SubjectTo(dc.EQ(x.Sum(), 1))
		res, err := ccp.Solve(context.Background(), build(t, m), start, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged || math.Abs(res.Objective-1.0/3) > 1e-8 {
			t.Errorf("from %v: %v, %.10g, %v", start, res.Status, res.Objective, err)
		}
	}
}
