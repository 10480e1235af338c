package ipm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var inf = math.Inf(1)

func newSolver(t testing.TB, p *qpbackend.Problem) qpbackend.Solver {
	t.Helper()
	return newSolverBy(t, ipm.Backend{}, p)
}

func newSolverBy(t testing.TB, b ipm.Backend, p *qpbackend.Problem) qpbackend.Solver {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t testing.TB, s qpbackend.Solver) *qpbackend.Result {
	t.Helper()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return &res
}

func solve(t testing.TB, p *qpbackend.Problem) *qpbackend.Result {
	t.Helper()
	return run(t, newSolver(t, p))
}

func wantSolved(t *testing.T, p *qpbackend.Problem, res *qpbackend.Result) {
	t.Helper()
	if worst := qpbackend.Certify(p, res.X, res.Y, res.Z).Max(); res.Status != qpbackend.Solved || !(worst <= 1e-8) {
		t.Fatalf("%v with residual %.1e after %d iterations", res.Status, worst, res.Iterations)
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// matrix stores the nonzero entries of rows and those named in keep.
func matrix(cols int, rows [][]float64, keep ...[2]int) *sparse.CSC {
	var t sparse.Triplets
	for i, r := range rows {
		for j, v := range r {
			if v != 0 || slices.Contains(keep, [2]int{i, j}) {
				t.Add(i, j, v)
			}
		}
	}
	m, _ := t.CSC(len(rows), cols)
	return m
}

// Several rows bound each variable, with coefficients of either sign and zero;
// an Update changes which of them binds.
func TestRowsOfOneEntry(t *testing.T) {
	p := &qpbackend.Problem{
		P: sparse.Identity(2), Q: []float64{-10, 4},
		A: matrix(2, [][]float64{{1, 0}, {2, 0}, {-4, 0}, {0, 3}, {0, 0}, {1, 1}}, [2]int{4, 1}),
		L: []float64{-inf, -8, -12, -6, -1, -inf}, U: []float64{5, 8, 12, inf, 1, 100},
	}
	// x₀ ≤ min(5, 4, 3), x₁ ≥ −2: the third row and the fourth bind.
	s := newSolver(t, p)
	res := run(t, s)
	wantSolved(t, p, res)
	for i, want := range []float64{0, 0, -7. / 4, -2. / 3, 0, 0} {
		near(t, fmt.Sprintf("y[%d]", i), res.Y[i], want, 1e-6)
	}
	near(t, "x[0]", res.X[0], 3, 1e-6)
	near(t, "x[1]", res.X[1], -2, 1e-6)

	// The third row goes away, the second fixes x₀ = 2, the fifth says
	// −x₁ ≤ 1 from now on.
	a := slices.Clone(p.A.Val)
	for k, i := range p.A.RowIdx {
		switch i {
		case 2:
			a[k] = 0
		case 4:
			a[k] = -1
		}
	}
	l, u := slices.Clone(p.L), slices.Clone(p.U)
	l[1], u[1] = 4, 4
	if err := s.Update(qpbackend.Update{A: a, L: l, U: u}); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(qpbackend.Update{A: a, L: l, U: u}); err != nil {
		t.Fatal(err)
	}
	res = run(t, s)
	wantSolved(t, p, res)
	for i, want := range []float64{0, 4, 0, 0, 3, 0} {
		near(t, fmt.Sprintf("y[%d]", i), res.Y[i], want, 1e-6)
	}

	// 0·x₀ ≥ 1 is impossible, and so is x₀ ≤ 5 with x₀ ≥ 6.
	for _, bad := range []struct {
		row  int
		l, u float64
	}{{2, 1, 3}, {1, 12, 13}} {
		l2, u2 := slices.Clone(l), slices.Clone(u)
		l2[bad.row], u2[bad.row] = bad.l, bad.u
		if err := s.Update(qpbackend.Update{L: l2, U: u2}); err != nil {
			t.Fatal(err)
		}
		now := p.Clone()
		now.L, now.U = l2, u2
		res = run(t, s)
		if worth := qpbackend.PrimalInfeasibility(now, res.Y, res.Z); res.Status != qpbackend.PrimalInfeasible || !(worth <= 1e-8) {
			t.Errorf("row %d: %v, certificate worth %g", bad.row, res.Status, worth)
		}
	}
	if err := s.Update(qpbackend.Update{L: l, U: u}); err != nil {
		t.Fatal(err)
	}
	wantSolved(t, p, run(t, s))
}

func TestEmptyShapes(t *testing.T) {
	for name, p := range map[string]*qpbackend.Problem{
		"no variables":          {},
		"no variables but rows": {A: sparse.Zero(2, 0), L: []float64{-1, 0}, U: []float64{1, 0}},
		"no rows":               {P: sparse.Identity(2), Q: []float64{1, 2}},
	} {
		res := solve(t, p)
		wantSolved(t, p, res)
		if len(res.X) != len(p.Q) || len(res.Y) != len(p.L) {
			t.Errorf("%s: %d and %d entries", name, len(res.X), len(res.Y))
		}
	}
	p := &qpbackend.Problem{A: sparse.Zero(2, 0), L: []float64{-1, 1}, U: []float64{1, 2}}
	if res := solve(t, p); res.Status != qpbackend.PrimalInfeasible {
		t.Errorf("0 ≥ 1: %v", res.Status)
	}
}

// A repeated Solve, a fresh solver, and one with a history give the same bits.
func TestSameBits(t *testing.T) {
	for _, how := range strategies {
		t.Run(how.String(), func(t *testing.T) { sameBits(t, ipm.Backend{KKT: how}) })
	}
}

func sameBits(t *testing.T, b ipm.Backend) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := regression(rng, 60, 3, 3)
	other := p.Clone()
	for k := range other.A.Val {
		other.A.Val[k] *= 1 + 0.1*rng.NormFloat64()
	}
	for i := range other.L {
		other.L[i] += 0.1 * rng.NormFloat64()
	}
	want := run(t, newSolverBy(t, b, p))
	wantSolved(t, p, want)
	s := newSolverBy(t, b, other)
	run(t, s)
	hopeless := slices.Clone(p.U)
	lo := slices.Clone(p.L)
	for i := range lo {
		lo[i], hopeless[i] = 1, 1
	}
	if err := s.Update(qpbackend.Update{L: lo, U: hopeless}); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	if err := s.Update(qpbackend.Update{Q: p.Q, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val}); err != nil {
		t.Fatal(err)
	}
	unused := newSolverBy(t, b, other)
	if err := unused.Update(qpbackend.Update{L: p.L, U: p.U, A: p.A.Val}); err != nil {
		t.Fatal(err)
	}
	for k, s := range []qpbackend.Solver{s, s, unused} {
		got := run(t, s)
		if !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || got.Iterations != want.Iterations {
			t.Errorf("solve %d differs from that of a fresh solver", k)
		}
	}
}

func TestSolveDoesNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for name, p := range map[string]*qpbackend.Problem{
		"linear": packing(rng, 6), "quadratic": regression(rng, 30, 3, 2), "dense": classes.Dense(rng, 20, 40, 0.5), "tall": fit(rng, 40, 3),
	} {
		for _, how := range strategies {
			s := newSolverBy(t, ipm.Backend{KKT: how}, p)
			res := run(t, s)
			wantSolved(t, p, res)
			u := qpbackend.Update{Q: p.Q, L: p.L, U: p.U, A: p.A.Val}
			if p.P != nil {
				u.P = p.P.Val
			}
			ctx := context.Background()
			if allocs := testing.AllocsPerRun(10, func() {
				if err := s.Update(u); err != nil {
					t.Error(err)
				}
				if err := s.Solve(ctx, res); err != nil {
					t.Error(err)
				}
			}); allocs != 0 {
				t.Errorf("%s, %v: %v allocations", name, how, allocs)
			}
		}
	}
}

func TestNonconvexIsRefused(t *testing.T) {
	b := ipm.Backend{}
	box := func(p *sparse.CSC) *qpbackend.Problem {
		n := p.Cols
		return &qpbackend.Problem{P: p, Q: make([]float64, n), A: sparse.Identity(n), L: slices.Repeat([]float64{-1}, n), U: slices.Repeat([]float64{1}, n)}
	}
	for _, c := range []struct {
		name string
		rows [][]float64
		at   []int // where the curvature may be reported
	}{
		{"diagonal", [][]float64{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, []int{1}},
		{"small beside large", [][]float64{{1e8, 0}, {0, -1}}, []int{1}},
		{"saddle", [][]float64{{0, 1}, {0, 0}}, []int{0, 1}},
		{"indefinite", [][]float64{{1, 2}, {0, 1}}, []int{0, 1}},
	} {
		_, err := b.New(context.Background(), box(matrix(len(c.rows), c.rows)), b.DefaultSettings())
		var e *qpbackend.NonconvexError
		if !errors.As(err, &e) || !slices.Contains(c.at, e.Index) {
			t.Errorf("%s: %v", c.name, err)
		}
	}

	// An Update makes P nonconvex and convex again.
	p := box(matrix(2, [][]float64{{2, 1}, {0, 2}}))
	s := newSolver(t, p)
	run(t, s)
	if err := s.Update(qpbackend.Update{P: []float64{2, 3, 2}}); err != nil {
		t.Fatal(err)
	}
	var res qpbackend.Result
	var e *qpbackend.NonconvexError
	for range 2 {
		if err := s.Solve(context.Background(), &res); !errors.As(err, &e) {
			t.Fatalf("the nonconvex update gives %v", err)
		}
	}
	if err := s.Update(qpbackend.Update{P: p.P.Val}); err != nil {
		t.Fatal(err)
	}
	wantSolved(t, p, run(t, s))
}

// Curvature of −1.3e-5 beside entries of size 100 is what rounding leaves of a
// semidefinite matrix, and somewhat more is tolerated too; the point returned is
// stationary all the same.
func TestSlightlyNonconvexIsSolved(t *testing.T) {
	for _, λ := range []float64{-1.3e-5, -1e-3, -4e-3} {
		for _, free := range []int{0, 5} {
			p := covariance(rand.New(rand.NewPCG(6, 6)), 30, 10, free, λ)
			wantSolved(t, p, solve(t, p))
		}
	}
	b := ipm.Backend{}
	p := covariance(rand.New(rand.NewPCG(6, 6)), 30, 10, 0, -1)
	var e *qpbackend.NonconvexError
	if _, err := b.New(context.Background(), p, b.DefaultSettings()); !errors.As(err, &e) {
		t.Errorf("curvature −1 gives %v", err)
	}
}

// covariance minimises over the unit simplex of n variables, the first few of
// them free of bounds but in the sum, with P of the given rank and entries of
// size 100, plus λ·I.
func covariance(rng *rand.Rand, n, rank, free int, λ float64) *qpbackend.Problem {
	b := make([][]float64, rank)
	for k := range b {
		b[k] = make([]float64, n)
		for j := range b[k] {
			b[k][j] = 5 * rng.NormFloat64()
		}
	}
	var tp, ta sparse.Triplets
	for j := range n {
		for i := range j + 1 {
			v := 0.0
			for k := range b {
				v += b[k][i] * b[k][j]
			}
			if i == j {
				v += λ
			}
			tp.Add(i, j, v)
		}
	}
	p := &qpbackend.Problem{L: []float64{1}, U: []float64{1}}
	p.P, _ = tp.CSC(n, n)
	for j := range n {
		ta.Add(0, j, 1)
		ta.Add(1+j, j, 1)
		p.Q = append(p.Q, rng.NormFloat64())
		low, up := 0.0, 1.0
		if j < free {
			low, up = -inf, inf
		}
		p.L, p.U = append(p.L, low), append(p.U, up)
	}
	p.A, _ = ta.CSC(1+n, n)
	return p
}

// A warm start from the solution of nearby values saves iterations over a whole
// sequence, and one from nowhere does no harm.
func TestWarmStartPays(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	p := classes.Dense(rng, 30, 90, 0.3)
	s := newSolver(t, p)
	cold, warm := 0, 0
	last := run(t, s)
	for range 8 {
		for j := range p.Q {
			p.Q[j] += 0.02 * rng.NormFloat64()
		}
		if err := s.Update(qpbackend.Update{Q: p.Q}); err != nil {
			t.Fatal(err)
		}
		res := run(t, s)
		wantSolved(t, p, res)
		cold += res.Iterations
		if err := s.WarmStart(last.X, last.Y, last.Z); err != nil {
			t.Fatal(err)
		}
		got := run(t, s)
		wantSolved(t, p, got)
		near(t, "objective", got.Objective, res.Objective, 1e-6)
		warm += got.Iterations
		last = got
	}
	if !(float64(warm) < 0.8*float64(cold)) {
		t.Errorf("%d iterations warm, %d cold", warm, cold)
	}
	for j := range last.X {
		last.X[j] = 1e6 * rng.NormFloat64()
	}
	if err := s.WarmStart(last.X, last.Y, last.Z); err != nil {
		t.Fatal(err)
	}
	wantSolved(t, p, run(t, s))
}

func TestCancelled(t *testing.T) {
	p := regression(rand.New(rand.NewPCG(8, 8)), 40, 3, 2)
	s := newSolver(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var res qpbackend.Result
	if err := s.Solve(ctx, &res); !errors.Is(err, context.Canceled) || res.Status != qpbackend.Cancelled {
		t.Fatalf("%v, %v", res.Status, err)
	}
	if len(res.X) != len(p.Q) || math.IsNaN(res.Res.Max()) || math.IsInf(res.Res.Max(), 0) {
		t.Errorf("%d entries with residuals %+v", len(res.X), res.Res)
	}
}

// Values near the ends of the range end in some status, without a NaN.
func TestExtremeValues(t *testing.T) {
	for _, big := range []float64{1e-300, 1e-30, 1e30, 1e150, 1e300} {
		p := &qpbackend.Problem{
			P: matrix(2, [][]float64{{big, 0}, {0, 1}}), Q: []float64{big, -1},
			A: matrix(2, [][]float64{{1, big}, {1, 1}, {0, 1}}), L: []float64{-big, -1, -inf}, U: []float64{inf, 1, big},
		}
		if big >= 1e20 {
			p.L[0] = -1e19
		}
		res := solve(t, p)
		for _, v := range append(slices.Clone(res.X), res.Y...) {
			if math.IsNaN(v) {
				t.Errorf("%g: x = %v, y = %v", big, res.X, res.Y)
				break
			}
		}
		t.Logf("%g: %v after %d iterations", big, res.Status, res.Iterations)
	}
}
