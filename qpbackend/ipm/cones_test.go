package ipm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var allCones = []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}

// mixed is a solvable problem with cones of all kinds, rows and bounds.
func mixed(seed uint64) *qpbackend.Problem {
	return qptest.ConeSpec{
		Want: qpbackend.Solved, Kinds: allCones, Cones: 8, Rows: 12, Order: 4,
		Vars: 15, Intervals: 10, Rank: 8, Density: 0.4,
	}.Case(seed).Problem
}

func solveCones(t *testing.T, s qpbackend.Solver, want qpbackend.Status) *qpbackend.Result {
	t.Helper()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	if res.Status != want {
		t.Fatalf("the status is %v (%s) after %d iterations, want %v", res.Status, res.Message, res.Iterations, want)
	}
	return &res
}

func newCones(t *testing.T, p *qpbackend.Problem, b ipm.Backend) qpbackend.Solver {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A solver that has seen other values gives, bit for bit, what a fresh one does.
func TestConesAfterUpdate(t *testing.T) {
	for seed := range uint64(10) {
		p := mixed(seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		fresh := solveCones(t, newCones(t, p, ipm.Backend{}), qpbackend.Solved)
		other := p.Clone()
		for i := range other.A.Val {
			other.A.Val[i] *= 1 + 0.1*rng.NormFloat64()
		}
		for i := range other.Q {
			other.Q[i] += 0.1 * rng.NormFloat64()
		}
		s := newCones(t, other, ipm.Backend{})
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil {
			t.Fatal(err)
		}
		u := qpbackend.Update{Q: p.Q, L: p.L, U: p.U, A: p.A.Val}
		if p.P != nil {
			u.P = p.P.Val
		}
		if err := s.Update(u); err != nil {
			t.Fatal(err)
		}
		got := solveCones(t, s, qpbackend.Solved)
		if !slices.Equal(got.X, fresh.X) || !slices.Equal(got.Y, fresh.Y) {
			t.Errorf("seed %d: another result than that of a fresh solver", seed)
		}
		again := newCones(t, p, ipm.Backend{})
		var warm [2]qpbackend.Result
		for k, s := range []qpbackend.Solver{s, again} {
			if err := s.WarmStart(fresh.X, res.Y, res.Z); err != nil {
				t.Fatal(err)
			}
			if err := s.Solve(context.Background(), &warm[k]); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(warm[0].X, warm[1].X) || !slices.Equal(warm[0].Y, warm[1].Y) {
			t.Errorf("seed %d: another result from a warm start than that of a fresh solver", seed)
		}
	}
}

func TestConesDoNotAllocate(t *testing.T) {
	p := qptest.ConeSpec{ // certifying semidefinite cones does allocate
		Want: qpbackend.Solved, Kinds: allCones[:3], Cones: 8, Rows: 12,
		Vars: 15, Intervals: 10, Rank: 8, Density: 0.4,
	}.Case(3).Problem
	s := newCones(t, p, ipm.Backend{})
	var res qpbackend.Result
	if k := testing.AllocsPerRun(3, func() {
		if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
			t.Fatal(res.Status, err)
		}
	}); k != 0 && !shared.Race { // the race detector allocates
		t.Errorf("%g allocations", k)
	}
}

// From the solution of nearby values a warm start needs no more than a few
// iterations beyond a cold one in the worst case, and fewer on the whole.
func TestConesWarmStart(t *testing.T) {
	cold, warm := 0, 0
	for seed := range uint64(40) {
		p := mixed(seed)
		s := newCones(t, p, ipm.Backend{})
		first := solveCones(t, s, qpbackend.Solved)
		rng := rand.New(rand.NewPCG(seed, 9))
		q := slices.Clone(p.Q)
		for i := range q {
			q[i] += 0.01 * rng.NormFloat64()
		}
		if err := s.Update(qpbackend.Update{Q: q}); err != nil {
			t.Fatal(err)
		}
		var a, b qpbackend.Result
		if err := s.Solve(context.Background(), &a); err != nil {
			t.Fatal(err)
		}
		if a.Status != qpbackend.Solved {
			continue
		}
		if err := s.WarmStart(first.X, first.Y, first.Z); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if b.Status != qpbackend.Solved {
			t.Errorf("seed %d: warm %v, cold %v", seed, b.Status, a.Status)
		}
		cold, warm = cold+a.Iterations, warm+b.Iterations
		if b.Iterations > a.Iterations+8 {
			t.Errorf("seed %d: %d iterations warm, %d cold", seed, b.Iterations, a.Iterations)
		}
	}
	t.Logf("%d iterations cold, %d warm", cold, warm)
	if warm > cold {
		t.Errorf("%d iterations warm, %d cold", warm, cold)
	}
}

// conic makes a problem with the rows of A.
func conic(q []float64, l []float64, cones []qpbackend.Cone, rows ...[]float64) *qpbackend.Problem {
	var t sparse.Triplets
	for i, r := range rows {
		for j, v := range r {
			if v != 0 {
				t.Add(i, j, v)
			}
		}
	}
	a, _ := t.CSC(len(l), len(q))
	u := make([]float64, len(l))
	for i := range u {
		u[i] = math.NaN() // on the rows of cones it is not looked at
	}
	inCone := make([]bool, len(l))
	for _, c := range cones {
		for i := range c.Len {
			inCone[c.Start+i] = true
		}
	}
	for i, in := range inCone {
		if !in {
			u[i] = math.Inf(1)
		}
	}
	return &qpbackend.Problem{Q: q, A: a, L: l, U: u, Cones: cones}
}

// The smallest cones, cones over constants, and the same cone twice.
func TestOddCones(t *testing.T) {
	const soc, exp, pow, psd = qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		p    *qpbackend.Problem
		want qpbackend.Status
		obj  float64
	}{
		{"a second-order cone of one row", conic([]float64{2}, []float64{3}, []qpbackend.Cone{{Kind: soc, Len: 1}}, []float64{1}), qpbackend.Solved, 6},
		{"a matrix of order one", conic([]float64{2}, []float64{-3}, []qpbackend.Cone{{Kind: psd, Len: 1}}, []float64{1}), qpbackend.Solved, -6},
		{"a row with two entries as a cone", conic([]float64{1, 2}, []float64{3, 0, 0}, []qpbackend.Cone{{Kind: psd, Start: 0, Len: 1}}, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}), qpbackend.Solved, 3},
		{"the tail is constant", conic([]float64{1}, []float64{0, 3, -4}, []qpbackend.Cone{{Kind: soc, Len: 3}}, []float64{1}, nil, nil), qpbackend.Solved, 5},
		{"a cone of constants that holds", conic([]float64{1}, []float64{-5, 3, 3.9, 2}, []qpbackend.Cone{{Kind: soc, Len: 3}}, nil, nil, nil, []float64{1}), qpbackend.Solved, 2},
		{"a cone of constants that does not", conic([]float64{1}, []float64{-4, 3, 4, 2}, []qpbackend.Cone{{Kind: soc, Len: 3}}, nil, nil, nil, []float64{1}), qpbackend.PrimalInfeasible, inf},
		{"an exponential of constants", conic([]float64{1}, []float64{0, -1, 0}, []qpbackend.Cone{{Kind: exp, Len: 3}}, nil, nil, []float64{1}), qpbackend.Solved, 1},
		{"a power of constants", conic([]float64{-1}, []float64{-4, -1, 0}, []qpbackend.Cone{{Kind: pow, Len: 3, Alpha: 0.5}}, nil, nil, []float64{1}), qpbackend.Solved, -2},
		{"one cone twice", conic([]float64{1, 0}, []float64{0, 3, 0, 3}, []qpbackend.Cone{{Kind: soc, Start: 0, Len: 2}, {Kind: soc, Start: 2, Len: 2}}, []float64{1, 0}, nil, []float64{1, 0}, nil), qpbackend.Solved, 3},
		{"a variable with no price above", conic([]float64{0}, []float64{1}, []qpbackend.Cone{{Kind: soc, Len: 1}}, []float64{1}), qpbackend.Solved, 0},
		{"unbounded on the boundary", conic([]float64{1, -1}, []float64{0, 0}, []qpbackend.Cone{{Kind: soc, Len: 2}}, []float64{1, 0}, []float64{0, 2}), qpbackend.Solved, 0},
		{"unbounded along the logarithm's argument", conic([]float64{-1, 0}, []float64{0, -1, 0}, []qpbackend.Cone{{Kind: exp, Len: 3}}, []float64{1, 0}, nil, []float64{0, 1}), qpbackend.Unknown, 0},
		{"no variables", &qpbackend.Problem{L: []float64{-2, 1}, U: []float64{0, 0}, A: sparse.Zero(2, 0), Cones: []qpbackend.Cone{{Kind: soc, Len: 2}}}, qpbackend.Solved, 0},
		{"no variables, no point", &qpbackend.Problem{L: []float64{-1, 2}, U: []float64{0, 0}, A: sparse.Zero(2, 0), Cones: []qpbackend.Cone{{Kind: soc, Len: 2}}}, qpbackend.PrimalInfeasible, inf},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, how := range []ipm.KKT{ipm.Auto, ipm.Sparse, ipm.Arrowhead} {
				s := newCones(t, c.p, ipm.Backend{KKT: how})
				var res qpbackend.Result
				if err := s.Solve(context.Background(), &res); err != nil {
					t.Fatal(err)
				}
				if c.want == qpbackend.Unknown { // no proof exists: any honest answer
					if res.Status == qpbackend.PrimalInfeasible {
						t.Fatalf("the status is %v", res.Status)
					}
					continue
				}
				if res.Status != c.want {
					t.Fatalf("%v: the status is %v (%s), want %v; residuals %+v", how, res.Status, res.Message, c.want, res.Res)
				}
				if c.want == qpbackend.Solved && !(math.Abs(res.Objective-c.obj) <= 1e-6) {
					t.Errorf("%v: the objective is %.9g, want %g", how, res.Objective, c.obj)
				}
			}
		})
	}
}

// Each kind alone, in both ways to factor, near the scale of real models.
func TestLargerCones(t *testing.T) {
	for _, kind := range allCones {
		for _, how := range []ipm.KKT{ipm.Sparse, ipm.Arrowhead} {
			t.Run(fmt.Sprint(kind, " ", how), func(t *testing.T) {
				c := qptest.ConeSpec{
					Want: qpbackend.Solved, Kinds: []qpbackend.ConeKind{kind}, Cones: 12, Rows: 60, Order: 9,
					Vars: 60, Intervals: 40, Rank: 30, Density: 0.2,
				}.Case(5)
				s := newCones(t, c.Problem, ipm.Backend{KKT: how})
				res := solveCones(t, s, qpbackend.Solved)
				if d := math.Abs(res.Objective - c.Objective); !(d <= 1e-6*max(1, math.Abs(c.Objective))) {
					t.Errorf("the objective is off by %g", d)
				}
			})
		}
	}
}

// The first four programs end at 1e-8 to 9e-8 where their small semidefinite cones, with more
// columns than rows, are eliminated beside the other ones. The last one ends at 1.2e-8 where the
// residual of a solve is taken though it is many times that of the iterate, and a heavier factor
// halves it.
func TestSmallSemidefinite(t *testing.T) {
	for _, seed := range []uint64{15, 231, 327, 432} {
		p := qptest.ConeSpec{Want: qpbackend.Solved, Kinds: allCones, Cones: 16, Rows: 10, Order: 6, Vars: 60, Intervals: 30, Density: 0.05}.Case(seed).Problem
		solveCones(t, newCones(t, p, ipm.Backend{}), qpbackend.Solved)
	}
	const seed = 92
	p := qptest.ConeSpec{
		Want: qpbackend.Solved, Kinds: []qpbackend.ConeKind{qpbackend.Semidefinite}, Cones: 4, Order: 10,
		Vars: 50, Intervals: 10, Rank: rand.New(rand.NewPCG(seed, 2)).IntN(50), Density: 0.05,
	}.Case(seed).Problem
	solveCones(t, newCones(t, p, ipm.Backend{}), qpbackend.Solved)
}

// A cone whose block would not fit into memory is eliminated, and refused where that is
// ruled out.
func TestTooLargeACone(t *testing.T) {
	const rows = 400 * 401 / 2
	var a sparse.Triplets
	for i := range rows { // the cone would be taken apart at rows without entries
		a.Add(i, 0, 1)
	}
	matrix, _ := a.CSC(rows, 1)
	p := &qpbackend.Problem{
		Q: []float64{1}, A: matrix, L: make([]float64, rows), U: make([]float64, rows),
		Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: rows}},
	}
	if _, err := (ipm.Backend{KKT: ipm.Sparse}).New(context.Background(), p, ipm.Backend{}.DefaultSettings()); err == nil || !strings.Contains(err.Error(), "eliminate") {
		t.Errorf("the error is %v", err)
	}
	s, err := (ipm.Backend{}).New(context.Background(), p, ipm.Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if how := s.(interface{ KKT() ipm.KKT }).KKT(); how != ipm.Schur {
		t.Errorf("auto took %v", how)
	}
	s.Close()
}
