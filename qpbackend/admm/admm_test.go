package admm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func newSolver(t *testing.T, b admm.Backend, p *qpbackend.Problem, change func(*qpbackend.Settings)) qpbackend.Solver {
	t.Helper()
	set := b.DefaultSettings()
	if change != nil {
		change(&set)
	}
	s, err := b.New(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func solve(t *testing.T, s qpbackend.Solver) *qpbackend.Result {
	t.Helper()
	res := new(qpbackend.Result)
	if err := s.Solve(context.Background(), res); err != nil {
		t.Fatal(err)
	}
	return res
}

// plain does not polish.
func plain() admm.Backend { return admm.Backend{Unpolished: true} }

func wantSolved(t *testing.T, p *qpbackend.Problem, res *qpbackend.Result, tol float64) {
	t.Helper()
	if worst := qpbackend.Certify(p, res.X, res.Y, res.Z).Max(); res.Status != qpbackend.Solved || !(worst <= tol) {
		t.Errorf("%v (%s) with residual %.1e after %d iterations", res.Status, res.Message, worst, res.Iterations)
	}
}

// TestClasses solves the random classes as a user would.
func TestClasses(t *testing.T) {
	count := 0
	problems(func(name string, p *qpbackend.Problem) {
		count++
		for _, tol := range []float64{1e-3, 1e-6, 1e-9} {
			s := newSolver(t, admm.Backend{}, p, func(set *qpbackend.Settings) { set.Tol = tol })
			res := solve(t, s)
			if wantSolved(t, p, res, tol); t.Failed() {
				t.Fatalf("%s at %g", name, tol)
			}
		}
	})
	if count != 21 {
		t.Errorf("%d problems, want seven classes of three sizes", count)
	}
}

// TestPolishing: a polished point is far more accurate than asked for.
func TestPolishing(t *testing.T) {
	p := randomQP(rand.New(rand.NewPCG(1, 2)), 20)
	loose := func(set *qpbackend.Settings) { set.Tol = 1e-8 }
	with, without := admm.Backend{}, plain()
	a, b := solve(t, newSolver(t, with, p, loose)), solve(t, newSolver(t, without, p, loose))
	wantSolved(t, p, a, 1e-10)
	wantSolved(t, p, b, 1e-8)
}

// hard is a linear program on which the iterates crawl.
func hard() *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(8, 1))
	var b builder
	const n = 40
	b.vars(n, 0, 0)
	for j := range n {
		b.prob.Q[j] = math.Pow(10, 3*rng.Float64())
	}
	for range 60 {
		i := b.row(1, math.Inf(1))
		for j := range n {
			if rng.Float64() < 0.2 {
				b.a.Add(i, j, math.Pow(10, 3*rng.Float64()-1))
			}
		}
	}
	b.bounds(0, n, 0, math.Inf(1))
	return b.problem()
}

// TestLimit: where the iterates crawl, the limit is reached, and the message
// names the way out. Nothing is handed over to another method.
func TestLimit(t *testing.T) {
	p := hard()
	s := newSolver(t, plain(), p, func(set *qpbackend.Settings) { set.Tol, set.MaxIter = 1e-9, 3000 })
	res := solve(t, s)
	if res.Status != qpbackend.IterationLimit || res.Iterations != 3000 || !strings.Contains(res.Message, "ipm") {
		t.Errorf("%v after %d iterations, message %q", res.Status, res.Iterations, res.Message)
	}
	ip, err := ipm.Backend{}.New(context.Background(), p, ipm.Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer ip.Close()
	if err := ip.WarmStart(res.X, res.Y, res.Z); err != nil {
		t.Fatal(err)
	}
	wantSolved(t, p, solve(t, ip), 1e-8)
}

// TestAtRest: at a tolerance below what rounding allows, the iterates
// come to rest.
func TestAtRest(t *testing.T) {
	p := equalityQP(rand.New(rand.NewPCG(3, 3)), 30)
	tight := func(set *qpbackend.Settings) { set.Tol, set.MaxIter = 1e-17, 20_000 }
	res := solve(t, newSolver(t, admm.Backend{}, p, tight))
	if res.Status == qpbackend.Solved || res.Message == "" {
		t.Errorf("%v %q", res.Status, res.Message)
	}
	if worst := qpbackend.Certify(p, res.X, res.Y, res.Z); worst != res.Res || !(worst.Max() <= 1e-12) {
		t.Errorf("residuals %+v, certified %+v", res.Res, worst)
	}
	res = solve(t, newSolver(t, plain(), p, tight))
	if res.Status == qpbackend.Solved || !(res.Res.Max() <= 1e-12) {
		t.Errorf("without polishing: %v with %+v", res.Status, res.Res)
	}
}

// TestSameAnswer: without a warm start, what was solved before does not matter.
func TestSameAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := randomQP(rng, 15)
	for _, opt := range []admm.Backend{plain(), admm.Backend{}} {
		used, fresh := newSolver(t, opt, p, nil), newSolver(t, opt, p, nil)
		for k := range 6 {
			u := qpbackend.Update{}
			if k%2 == 0 {
				u.A = jittered(rng, p.A.Val, 0.1)
			}
			if k%3 == 0 {
				u.Q = jittered(rng, p.Q, 0.5)
			}
			for _, s := range []qpbackend.Solver{used, fresh} {
				if err := s.Update(u); err != nil {
					t.Fatal(err)
				}
			}
			// used solves all along, also from a warm start that moves ρ.
			a := solve(t, used)
			if err := used.WarmStart(jittered(rng, a.X, 30), jittered(rng, a.Y, 30), a.Z); err != nil {
				t.Fatal(err)
			}
			solve(t, used)
			a = solve(t, used)
			if k < 5 {
				continue
			}
			b := solve(t, fresh)
			if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) || a.Iterations != b.Iterations {
				t.Errorf("%d iterations, %d after other solves", b.Iterations, a.Iterations)
			}
		}
	}
}

func jittered(rng *rand.Rand, from []float64, share float64) []float64 {
	v := make([]float64, len(from))
	for i, e := range from {
		v[i] = e * (1 + share*rng.NormFloat64())
	}
	return v
}

// TestWarmStart: from the solution, with ρ kept, one test is enough.
func TestWarmStart(t *testing.T) {
	problems(func(name string, p *qpbackend.Problem) {
		s := newSolver(t, plain(), p, nil)
		cold := solve(t, s)
		if err := s.WarmStart(cold.X, cold.Y, cold.Z); err != nil {
			t.Fatal(err)
		}
		if warm := solve(t, s); warm.Status != qpbackend.Solved || warm.Iterations > 50 {
			t.Errorf("%s: %v after %d iterations from the solution, cold %d", name, warm.Status, warm.Iterations, cold.Iterations)
		}
	})
}

// countdown is a context that ends when it has been asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return c.Context.Err()
}

// TestCancel: a context that ends in the middle stops after that iteration,
// with the best point so far.
func TestCancel(t *testing.T) {
	p := randomQP(rand.New(rand.NewPCG(6, 6)), 20)
	s := newSolver(t, plain(), p, nil)
	want := solve(t, s)
	for _, k := range []int{0, 1, 24, 25, 26, 100, 212} {
		var res qpbackend.Result
		err := s.Solve(&countdown{context.Background(), k}, &res)
		if !errors.Is(err, context.Canceled) || res.Status != qpbackend.Cancelled || res.Iterations != k {
			t.Errorf("cancelled after %d iterations: %v, %v after %d", k, err, res.Status, res.Iterations)
		}
		if got := qpbackend.Certify(p, res.X, res.Y, res.Z); got != res.Res || k >= 25 && !(got.Max() < 0.1) {
			t.Errorf("after %d iterations: %+v, certified %+v", k, res.Res, got)
		}
	}
	if got := solve(t, s); !slices.Equal(got.X, want.X) || got.Iterations != want.Iterations {
		t.Error("a cancelled solve changes the next")
	}
}

// TestBestIsKept: more iterations never give a worse point.
func TestBestIsKept(t *testing.T) {
	p := portfolio(rand.New(rand.NewPCG(7, 7)), 1)
	worst := math.Inf(1)
	for k := 25; k <= 400; k += 25 {
		res := solve(t, newSolver(t, plain(), p, func(set *qpbackend.Settings) { set.Tol, set.MaxIter = 1e-12, k }))
		if res.Status != qpbackend.IterationLimit || res.Iterations != k {
			t.Errorf("%v after %d iterations, want the limit of %d", res.Status, res.Iterations, k)
		}
		if r := res.Res.Max(); !(r <= worst*(1+1e-9)) {
			t.Errorf("residual %g after %d iterations, %g before", r, k, worst)
		}
		worst = res.Res.Max()
	}
}

func TestEmptyShapes(t *testing.T) {
	for name, p := range map[string]*qpbackend.Problem{
		"no variables":          {},
		"no variables but rows": {A: sparse.Zero(2, 0), L: []float64{-1, 0}, U: []float64{1, 0}},
		"no rows":               {P: sparse.Identity(2), Q: []float64{1, 2}},
	} {
		res := solve(t, newSolver(t, admm.Backend{}, p, nil))
		if wantSolved(t, p, res, 1e-6); len(res.X) != len(p.Q) || len(res.Y) != len(p.L) {
			t.Errorf("%s: %d and %d entries", name, len(res.X), len(res.Y))
		}
	}
	p := &qpbackend.Problem{A: sparse.Zero(2, 0), L: []float64{-1, 1}, U: []float64{1, 2}}
	if res := solve(t, newSolver(t, plain(), p, nil)); res.Status != qpbackend.PrimalInfeasible {
		t.Errorf("0 ≥ 1: %v", res.Status)
	}
}

// TestProofsOfItsOwn: certificates come from the steps.
func TestProofsOfItsOwn(t *testing.T) {
	inf := math.Inf(1)
	var b builder
	b.vars(2, 1, 1)
	for _, row := range [][4]float64{{1, 1, 3, inf}, {1, 0, -inf, 1}, {0, 1, -inf, 1}, {1, -1, -inf, inf}} {
		b.addRow(b.row(row[2], row[3]), 0, 1, row[:2])
	}
	p := b.problem()
	res := solve(t, newSolver(t, plain(), p, nil))
	if worth := qpbackend.PrimalInfeasibility(p, res.Y, res.Z); res.Status != qpbackend.PrimalInfeasible || !(worth <= 1e-6) {
		t.Errorf("%v, certificate worth %g", res.Status, worth)
	}
	p = &qpbackend.Problem{
		P: &sparse.CSC{Rows: 2, Cols: 2, ColPtr: []int{0, 1, 1}, RowIdx: []int{0}, Val: []float64{1}},
		Q: []float64{1, -1e-3}, A: sparse.Identity(2), L: []float64{-1, 0}, U: []float64{1, inf},
	}
	res = solve(t, newSolver(t, plain(), p, nil))
	if worth := qpbackend.DualInfeasibility(p, res.X); res.Status != qpbackend.DualInfeasible || !(worth <= 1e-6) {
		t.Errorf("%v, certificate worth %g", res.Status, worth)
	}
	// Steep, but bounded.
	p = &qpbackend.Problem{P: sparse.Identity(1), Q: []float64{-1e9}}
	for _, opt := range []admm.Backend{plain(), admm.Backend{}} {
		wantSolved(t, p, solve(t, newSolver(t, opt, p, nil)), 1e-6)
	}
}

func TestRefusals(t *testing.T) {
	p := equalityQP(rand.New(rand.NewPCG(9, 9)), 10)
	s := newSolver(t, plain(), p, nil)
	if s.WarmStart([]float64{math.NaN(), 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil, nil) == nil || s.WarmStart(p.Q[1:], nil, nil) == nil || s.WarmStart(nil, p.Q, nil) == nil {
		t.Error("a bad warm start is accepted")
	}
	cone := p.Clone()
	cone.Cones = []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 0, Len: 3}}
	var e *qpbackend.UnsupportedConeError
	if _, err := (admm.Backend{}).New(context.Background(), cone, admm.Backend{}.DefaultSettings()); !errors.As(err, &e) || e.Backend != "admm" {
		t.Errorf("a cone: %v", err)
	}
	// A P that stops being convex and is convex again.
	p = &qpbackend.Problem{P: sparse.Identity(2), Q: []float64{1, 1}, A: sparse.Identity(2), L: []float64{-3, -3}, U: []float64{3, 3}}
	s = newSolver(t, plain(), p, nil)
	var nc *qpbackend.NonconvexError
	for _, val := range [][]float64{{1, -1}, {-1e-3, 1}} {
		if err := s.Update(qpbackend.Update{P: val}); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(context.Background(), new(qpbackend.Result)); !errors.As(err, &nc) || nc.Index < 0 {
			t.Errorf("P = diag%v: %v", val, err)
		}
	}
	if err := s.Update(qpbackend.Update{P: []float64{1, 1}}); err != nil {
		t.Fatal(err)
	}
	wantSolved(t, p, solve(t, s), 1e-6)
}
