//go:build osqp

package osqp

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// random is a convex QP with a point that is strictly feasible for its
// inequalities: n variables, m rows, some of them equalities, some one-sided.
func random(r *rand.Rand, n, m int) *qpbackend.Problem {
	var pt, at sparse.Triplets
	for range n {
		// A dyad keeps P semidefinite, and often singular.
		i, j := r.Intn(n), r.Intn(n)
		a, b := r.NormFloat64(), r.NormFloat64()
		pt.Add(i, i, a*a)
		if i == j {
			continue
		}
		pt.Add(j, j, b*b)
		pt.Add(min(i, j), max(i, j), a*b)
	}
	p := &qpbackend.Problem{Q: make([]float64, n), R: 1, L: make([]float64, m), U: make([]float64, m)}
	p.P, _ = pt.CSC(n, n)
	x := make([]float64, n)
	for j := range n {
		x[j], p.Q[j] = r.NormFloat64(), r.NormFloat64()
	}
	for i := range m {
		at.Add(i, r.Intn(n), 1+r.Float64())
		at.Add(i, r.Intn(n), r.NormFloat64())
	}
	for j := range n { // bounds keep the problem bounded
		at.Add(m+j, j, 1)
	}
	p.L, p.U = make([]float64, m+n), make([]float64, m+n)
	p.A, _ = at.CSC(m+n, n)
	p.A.AddMulVec(p.L, 1, x)
	for i := range p.L {
		c := p.L[i]
		switch {
		case i >= m:
			p.L[i], p.U[i] = c-3, c+3
		case i%4 == 0:
			p.U[i] = c
		case i%4 == 1:
			p.L[i], p.U[i] = math.Inf(-1), c+0.1
		case i%4 == 2:
			p.L[i], p.U[i] = c-0.1, 1e25 // as good as infinite
		default:
			p.L[i], p.U[i] = c-0.1, c+0.2
		}
	}
	return p
}

func mustNew(t *testing.T, b Backend, p *qpbackend.Problem, set qpbackend.Settings) qpbackend.Solver {
	t.Helper()
	s, err := b.New(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustSolve(t *testing.T, s qpbackend.Solver) qpbackend.Result {
	t.Helper()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return res
}

// TestRandom asks for tolerances that OSQP's own test alone would not meet.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	b := Backend{}
	for k := range 60 {
		p := random(r, 2+k/2, k)
		set := b.DefaultSettings()
		set.Tol = []float64{1e-3, 1e-6, 1e-9}[k%3]
		res := mustSolve(t, mustNew(t, b, p, set))
		if res.Status != qpbackend.Solved || !(res.Res.Max() <= set.Tol) {
			t.Errorf("problem %d: %v after %d iterations, residuals %+v, want at most %g: %s", k, res.Status, res.Iterations, res.Res, set.Tol, res.Message)
		}
		if got := qpbackend.Certify(p, res.X, res.Y, res.Z); got != res.Res {
			t.Errorf("problem %d: residuals %+v, certified %+v", k, res.Res, got)
		}
		if math.Abs(res.Objective-p.Objective(res.X)) > 0 {
			t.Errorf("problem %d: objective %g, want %g", k, res.Objective, p.Objective(res.X))
		}
	}
}

// TestPolishingOff has to reach the tolerance by iterating.
func TestPolishingOff(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	b := Backend{Unpolished: true}
	for k := range 10 {
		if res := mustSolve(t, mustNew(t, b, random(r, 10, 10), b.DefaultSettings())); res.Status != qpbackend.Solved {
			t.Errorf("problem %d: %v, residuals %+v: %s", k, res.Status, res.Res, res.Message)
		}
	}
}

// TestSameAnswer: solves, warm starts and step sizes of the past leave no
// trace in a solve without warm start.
func TestSameAnswer(t *testing.T) {
	r, b := rand.New(rand.NewSource(8)), Backend{}
	p := random(r, 30, 40)
	set := b.DefaultSettings()
	used, fresh := mustNew(t, b, p, set), mustNew(t, b, p, set)
	first := mustSolve(t, used)
	if rho := used.(*solver).c.Settings().Rho; rho == used.(*solver).rho {
		t.Errorf("ρ = %g never changed, the test shows nothing", rho)
	}
	if again := mustSolve(t, used); !reflect.DeepEqual(first, again) {
		t.Errorf("the second solve differs from the first")
	}
	if err := used.WarmStart(first.X, first.Y, first.Z); err != nil {
		t.Fatal(err)
	}
	if warm := mustSolve(t, used); warm.Status != qpbackend.Solved || warm.Iterations > first.Iterations {
		t.Errorf("warm %v after %d iterations, cold %d", warm.Status, warm.Iterations, first.Iterations)
	}
	if again := mustSolve(t, used); !reflect.DeepEqual(first, again) {
		t.Errorf("the solve after the warm one differs from the first")
	}
	// An update of everything, with solves before it and without.
	other := random(rand.New(rand.NewSource(4)), 30, 40)
	u := qpbackend.Update{Q: other.Q, A: slices.Clone(p.A.Val)}
	for k := range u.A {
		u.A[k] *= 1 + 0.1*r.Float64()
	}
	u.L, u.U = slices.Clone(p.L), slices.Clone(p.U)
	for i := range u.L {
		u.L[i] -= 0.5
		u.U[i] += 0.5
	}
	for _, s := range []qpbackend.Solver{used, fresh} {
		if err := s.Update(u); err != nil {
			t.Fatal(err)
		}
	}
	one, two := mustSolve(t, used), mustSolve(t, fresh)
	if one.Status != qpbackend.Solved || !reflect.DeepEqual(one, two) {
		t.Errorf("after the update %v and %v, equal: %t", one.Status, two.Status, reflect.DeepEqual(one, two))
	}
	// And the updated solver agrees with one made anew.
	q := p.Clone()
	if err := q.Apply(u); err != nil {
		t.Fatal(err)
	}
	three := mustSolve(t, mustNew(t, b, q, set))
	if math.Abs(one.Objective-three.Objective) > 1e-5*math.Max(1, math.Abs(three.Objective)) {
		t.Errorf("objective %.9g after update, %.9g anew", one.Objective, three.Objective)
	}
}

func TestUpdateRefused(t *testing.T) {
	p := random(rand.New(rand.NewSource(5)), 6, 4)
	s := mustNew(t, Backend{}, p, Backend{}.DefaultSettings())
	before := mustSolve(t, s)
	negative := slices.Clone(p.P.Val)
	for k := range negative {
		negative[k] = -negative[k]
	}
	var nonconvex *qpbackend.NonconvexError
	for name, u := range map[string]qpbackend.Update{
		"long q":      {Q: make([]float64, 99)},
		"crossed":     {L: p.U, U: p.L},
		"NaN in A":    {A: slices.Repeat([]float64{math.NaN()}, p.A.NNZ())},
		"negative P":  {P: negative, Q: make([]float64, 6)},
		"short P":     {P: make([]float64, 1)},
		"infinite P":  {P: slices.Repeat([]float64{math.Inf(1)}, p.P.NNZ())},
		"bad l, fine": {Q: make([]float64, 6), L: make([]float64, 1)},
	} {
		err := s.Update(u)
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		if errors.As(err, &nonconvex) != (name == "negative P") {
			t.Errorf("%s: %v", name, err)
		}
		if after := mustSolve(t, s); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: refused, but the answer has changed", name)
		}
	}
}

// TestNonconvex has cases that OSQP's own inertia test lets pass.
func TestNonconvex(t *testing.T) {
	dense := func(v ...float64) *sparse.CSC { // upper triangle of a 2 × 2 matrix
		return &sparse.CSC{Rows: 2, Cols: 2, ColPtr: []int{0, 1, 3}, RowIdx: []int{0, 0, 1}, Val: v}
	}
	for name, c := range map[string]struct {
		p      *sparse.CSC
		convex bool
	}{
		"negative entry":      {dense(1, 0, -0.01), false},
		"tiny negative entry": {dense(1e6, 0, -0.01), false},
		"indefinite":          {dense(1, 1.1, 1), false},
		"zero diagonal":       {dense(0, 1, 0), false},
		"singular":            {dense(1, 1, 1), true},
		"rounded":             {dense(1, 1+1e-7, 1), true},
		"zero":                {dense(0, 0, 0), true},
		"huge":                {dense(1e150, 0, 1e150), true},
	} {
		p := &qpbackend.Problem{P: c.p, Q: []float64{1, 1}, A: sparse.Identity(2), L: []float64{-1, -1}, U: []float64{1, 1}}
		s, err := Backend{}.New(context.Background(), p, Backend{}.DefaultSettings())
		var e *qpbackend.NonconvexError
		if errors.As(err, &e) == c.convex || c.convex && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s != nil {
			s.Close()
		}
	}
}

// TestInfeasible checks both certificates, and that they are scaled.
func TestInfeasible(t *testing.T) {
	b := Backend{}
	inf := math.Inf(1)
	// x₀ + x₁ ≥ 3 and x ≤ 1; with a row that has nothing to do with it.
	var at sparse.Triplets
	at.Add(0, 0, 1)
	at.Add(0, 1, 1)
	at.Add(1, 0, 1)
	at.Add(2, 1, 1)
	at.Add(3, 2, 1)
	a, _ := at.CSC(4, 3)
	p := &qpbackend.Problem{P: sparse.Identity(3), Q: make([]float64, 3), A: a,
		L: []float64{3, -inf, -inf, -inf}, U: []float64{inf, 1, 1, 1}}
	res := mustSolve(t, mustNew(t, b, p, b.DefaultSettings()))
	if res.Status != qpbackend.PrimalInfeasible || !math.IsInf(res.Objective, 1) || res.Res != (qpbackend.Residuals{}) || num.FirstNotFinite(res.X) >= 0 {
		t.Fatalf("%+v", res)
	}
	support := 3*res.Y[0] + res.Y[1] + res.Y[2] + res.Y[3]
	if math.Abs(support+1) > 1e-9 || !(qpbackend.PrimalInfeasibility(p, res.Y, res.Z) <= 1e-6) {
		t.Errorf("certificate %v has support %g", res.Y, support)
	}

	// min −x₀ over x₀ − x₁ = 0, x ≥ 0: for ever along (1, 1).
	var bt sparse.Triplets
	bt.Add(0, 0, 1)
	bt.Add(0, 1, -1)
	bt.Add(1, 0, 1)
	bt.Add(2, 1, 1)
	a, _ = bt.CSC(3, 2)
	p = &qpbackend.Problem{Q: []float64{-1, 0}, A: a, L: make([]float64, 3), U: []float64{0, inf, inf}}
	res = mustSolve(t, mustNew(t, b, p, b.DefaultSettings()))
	if res.Status != qpbackend.DualInfeasible || !math.IsInf(res.Objective, -1) || num.FirstNotFinite(res.Y) >= 0 {
		t.Fatalf("%+v", res)
	}
	if math.Abs(res.X[0]-1) > 1e-6 || math.Abs(res.X[1]-1) > 1e-5 {
		t.Errorf("direction %v, want (1, 1)", res.X)
	}
}

// TestFalseCertificate: with its tolerance for certificates at 0.5 OSQP calls
// solvable problems infeasible. Nothing of that may get through.
func TestFalseCertificate(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	b := Backend{}
	refuted := 0
	for k := range 40 {
		p := random(r, 12, 20)
		s := mustNew(t, b, p, b.DefaultSettings()).(*solver)
		// Ask OSQP for a certificate of anything, and our solver to judge it.
		info, err := s.run(target{eps: 1e-9, primal: 0.5, dual: 0.5}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		var worth float64
		switch info.Status {
		case raw.PrimalInfeasible, raw.PrimalInfeasibleInaccurate:
			worth = s.primalCertificate(&res, 0)
		case raw.DualInfeasible, raw.DualInfeasibleInaccurate:
			worth = s.dualCertificate(&res, 0)
		default:
			continue
		}
		refuted++
		if !(worth > s.Set.InfeasTol) || res.Status != qpbackend.Unknown {
			t.Errorf("problem %d: %v with worth %g was believed", k, info.Status, worth)
		}
		// The same solver, asked properly, solves the problem.
		if res := mustSolve(t, s); res.Status != qpbackend.Solved {
			t.Errorf("problem %d: %v: %s", k, res.Status, res.Message)
		}
	}
	if refuted == 0 {
		t.Error("OSQP issued no false certificate, the test shows nothing")
	}
}

func TestShapes(t *testing.T) {
	b := Backend{}
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		p      *qpbackend.Problem
		status qpbackend.Status
		x      []float64
	}{
		"no rows":         {&qpbackend.Problem{P: sparse.Identity(2), Q: []float64{-1, 2}}, qpbackend.Solved, []float64{1, -2}},
		"no rows, linear": {&qpbackend.Problem{Q: []float64{-1, 0}}, qpbackend.DualInfeasible, []float64{1, 0}},
		"one variable":    {&qpbackend.Problem{P: sparse.Identity(1), Q: []float64{-3}, A: sparse.Identity(1), L: []float64{-inf}, U: []float64{1}}, qpbackend.Solved, []float64{1}},
		"one, fixed":      {&qpbackend.Problem{Q: []float64{-3}, A: sparse.Identity(1), L: []float64{2}, U: []float64{2}}, qpbackend.Solved, []float64{2}},
		"empty rows":      {&qpbackend.Problem{P: sparse.Identity(1), Q: []float64{-3}, A: sparse.Zero(2, 1), L: []float64{-1, -inf}, U: []float64{1, inf}}, qpbackend.Solved, []float64{3}},
		"nothing":         {&qpbackend.Problem{}, qpbackend.Solved, nil},
		"no variables":    {&qpbackend.Problem{A: sparse.Zero(1, 0), L: []float64{-1}, U: []float64{1}}, qpbackend.Solved, nil},
		"no way":          {&qpbackend.Problem{A: sparse.Zero(2, 0), L: []float64{-1, -4}, U: []float64{1, -2}}, qpbackend.PrimalInfeasible, nil},
	} {
		res := mustSolve(t, mustNew(t, b, c.p, b.DefaultSettings()))
		if res.Status != c.status || len(res.X) != len(c.x) || len(res.Y) != len(c.p.L) {
			t.Errorf("%s: %+v", name, res)
			continue
		}
		for j, want := range c.x {
			if math.Abs(res.X[j]-want) > 1e-5 {
				t.Errorf("%s: x = %v, want %v", name, res.X, c.x)
			}
		}
		if c.status == qpbackend.PrimalInfeasible && qpbackend.PrimalInfeasibility(c.p, res.Y, res.Z) != 0 {
			t.Errorf("%s: certificate %v", name, res.Y)
		}
	}
}

func TestUnsupportedCone(t *testing.T) {
	p := &qpbackend.Problem{Q: make([]float64, 2), A: sparse.Identity(2), L: make([]float64, 2), U: make([]float64, 2),
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Len: 2}}}
	_, err := Backend{}.New(context.Background(), p, Backend{}.DefaultSettings())
	var e *qpbackend.UnsupportedConeError
	if !errors.As(err, &e) || e.Backend != "osqp" {
		t.Errorf("%v", err)
	}
}

// stubborn is a problem and settings on which a solve goes on until MaxIter:
// a tolerance below rounding.
func stubborn(t *testing.T, maxIter int) qpbackend.Solver {
	b := Backend{}
	set := qpbackend.Settings{Tol: 1e-40, InfeasTol: 1e-40, MaxIter: maxIter}
	b.Unpolished = true
	return mustNew(t, b, random(rand.New(rand.NewSource(7)), 20, 30), set)
}

func TestIterationLimit(t *testing.T) {
	for _, limit := range []int{1, 24, 25, 199, 200, 201, 1000} {
		res := mustSolve(t, stubborn(t, limit))
		if res.Status != qpbackend.IterationLimit || res.Iterations != limit || num.FirstNotFinite(res.X) >= 0 || num.FirstNotFinite(res.Y) >= 0 {
			t.Errorf("limit %d: %v after %d iterations", limit, res.Status, res.Iterations)
		}
	}
}

// TestCancel ends a solve that would run for days.
func TestCancel(t *testing.T) {
	s := stubborn(t, math.MaxInt32)
	var res qpbackend.Result
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Solve(ctx, &res); !errors.Is(err, context.Canceled) || res.Status != qpbackend.Cancelled || res.Iterations != 0 || len(res.X) != 20 {
		t.Errorf("cancelled before: %v, %+v", err, res)
	}
	ctx, cancel = context.WithCancel(context.Background())
	go cancel()
	if err := s.Solve(ctx, &res); !errors.Is(err, context.Canceled) || res.Status != qpbackend.Cancelled || num.FirstNotFinite(res.X) >= 0 {
		t.Errorf("cancelled: %v, %+v", err, res)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 1e6)
	defer cancel()
	if err := s.Solve(ctx, &res); !errors.Is(err, context.DeadlineExceeded) || res.Status != qpbackend.TimeLimit || num.FirstNotFinite(res.X) >= 0 {
		t.Errorf("deadline: %v, %+v", err, res)
	}
	// The interruption must not outlive its solve.
	in := s.(*solver)
	if raw.Interruptible() {
		if info, err := in.run(target{1e-40, 1e-40, 1e-40}, 5); err != nil || info.Iterations != 5 {
			t.Errorf("after the deadline: %d iterations, %v", info.Iterations, err)
		}
	}
}

// TestCancelBound counts the iterations that a solve still does after the
// interruption: none with hooks, at most a slice without.
func TestCancelBound(t *testing.T) {
	s := stubborn(t, math.MaxInt32).(*solver)
	s.c.Interrupt()
	info, err := s.run(target{1e-40, 1e-40, 1e-40}, math.MaxInt32)
	want := 1
	if !raw.Interruptible() {
		want = sliceIter
	}
	if err != nil || info.Iterations > want {
		t.Errorf("%d iterations after the interruption, want at most %d, %v", info.Iterations, want, err)
	}
}

// TestParallel runs solvers side by side; the race detector looks on, and the
// flag of one must not stop another.
func TestParallel(t *testing.T) {
	p := random(rand.New(rand.NewSource(8)), 25, 30)
	want := mustSolve(t, mustNew(t, Backend{}, p, Backend{}.DefaultSettings()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			s, err := Backend{}.New(context.Background(), p, Backend{}.DefaultSettings())
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			var res qpbackend.Result
			for range 20 {
				if k%2 == 1 {
					if err := s.Solve(ctx, &res); err == nil {
						t.Error("a cancelled solve returned no error")
					}
					continue
				}
				if err := s.Solve(context.Background(), &res); err != nil || !reflect.DeepEqual(res, want) {
					t.Errorf("another answer in parallel: %v, %v", res.Status, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestClosed(t *testing.T) {
	s := mustNew(t, Backend{}, small(), Backend{}.DefaultSettings())
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
	var res qpbackend.Result
	for _, err := range []error{s.Update(qpbackend.Update{}), s.WarmStart(nil, nil, nil), s.Solve(context.Background(), &res)} {
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("after close: %v", err)
		}
	}
}

func TestWarmStartRefused(t *testing.T) {
	s := mustNew(t, Backend{}, small(), Backend{}.DefaultSettings())
	if s.WarmStart(make([]float64, 3), nil, nil) == nil || s.WarmStart(nil, make([]float64, 3), nil) == nil {
		t.Error("a warm start of the wrong length was accepted")
	}
	if s.WarmStart([]float64{0, 0, math.NaN(), 0}, nil, nil) == nil {
		t.Error("a warm start with NaN was accepted")
	}
}

// small is a problem for tests that do not care.
func small() *qpbackend.Problem {
	return random(rand.New(rand.NewSource(10)), 4, 4)
}
