package fixed_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// equations is a convex problem of 7 variables whose rows 1 to 3 give x1 = 2, x4 from x1, and x2
// from a parameter, x0, and x4. Those of a second-order cone are last.
func equations(rng *rand.Rand) (p *qpbackend.Problem, cols []int, list []fixed.Equation) {
	n, m := 7, 9
	var at, pt sparse.Triplets
	for j := range n {
		for _, i := range [...]int{0, 4, 5, 6, 7, 8} {
			at.Add(i, j, rng.NormFloat64())
		}
		for i := range j {
			pt.Add(i, j, rng.NormFloat64()/4)
		}
		pt.Add(j, j, 4)
	}
	for _, e := range [...]struct {
		i, j int
		v    float64
	}{{1, 1, -3}, {2, 1, 1}, {2, 4, 2}, {3, 0, 1.5}, {3, 4, -1}, {3, 2, 0.5}} {
		at.Add(e.i, e.j, e.v)
	}
	p = &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m), Lo: make([]float64, n), Hi: make([]float64, n)}
	p.A, _ = at.CSC(m, n)
	p.P, _ = pt.CSC(n, n)
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 6, Len: 3}}
	x := make([]float64, n)
	for j := range n {
		p.Q[j], p.Lo[j], p.Hi[j] = 3*rng.NormFloat64(), -20, 20
		x[j] = rng.NormFloat64()
	}
	p.Lo[0], p.Hi[0] = x[0], x[0]
	x[1], x[4] = 2, -1
	x[2] = 2 * (0.25 - 1.5*x[0] - 1)
	ax := make([]float64, m)
	p.A.AddMulVec(ax, 1, x)
	for i, v := range ax {
		p.L[i], p.U[i] = v-0.2, v+0.2
		if i >= 1 && i <= 3 {
			p.L[i], p.U[i] = v, v
		}
	}
	p.L[6] -= 1
	for i := 6; i < m; i++ {
		p.U[i] = math.Inf(1)
	}
	return p, []int{0}, []fixed.Equation{{Row: 1, Col: 1}, {Row: 2, Col: 4}, {Row: 3, Col: 2}}
}

// solveWith opens a solver of a copy of p.
func solveWith(t *testing.T, b qpbackend.Backend, p *qpbackend.Problem) (qpbackend.Solver, qpbackend.Result) {
	t.Helper()
	set := b.DefaultSettings()
	set.Tol = 1e-10
	s, err := b.New(context.Background(), p.CloneValues(), set)
	if err != nil {
		t.Fatal(err)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return s, res
}

// Columns that equations give their values are left out, and points and multipliers are those of
// the whole problem, also of other values and from a warm start.
func TestEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 10 {
		p, cols, list := equations(rng)
		one, want := solveWith(t, ipm.Backend{}, p)
		two, got := solveWith(t, reduce.Chain(ipm.Backend{}, fixed.Reduction{Cols: cols, Equations: list}), p)
		compare := func() {
			t.Helper()
			if want.Status != qpbackend.Solved || got.Status != qpbackend.Solved || got.Res.Max() > 1e-8 {
				t.Fatalf("%v and %v, residuals %v", want.Status, got.Status, got.Res)
			}
			for k, v := range [...][2][]float64{{got.X, want.X}, {got.Y, want.Y}, {got.Z, want.Z}} {
				for j := range v[1] {
					if math.Abs(v[0][j]-v[1][j]) > 1e-5*(1+num.NormInf(v[1])) {
						t.Fatalf("entry %d of vector %d of x, y, z is %g, want %g", j, k, v[0][j], v[1][j])
					}
				}
			}
		}
		compare()
		lo, q := append([]float64(nil), p.Lo...), append([]float64(nil), p.Q...)
		hi := append([]float64(nil), p.Hi...)
		lo[0] += 0.01
		hi[0], q[3] = lo[0], q[3]+1
		if err := two.WarmStart(got.X, got.Y, got.Z); err != nil {
			t.Fatal(err)
		}
		for s, res := range map[qpbackend.Solver]*qpbackend.Result{one: &want, two: &got} {
			if err := s.Update(qpbackend.Update{Q: q, Lo: lo, Hi: hi}); err != nil {
				t.Fatal(err)
			}
			if err := s.Solve(context.Background(), res); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
		compare()
	}
}

// Equations that ask for values beyond bounds, and rows that do not hold for the values, are proofs
// of infeasibility.
func TestEquationsInConflict(t *testing.T) {
	for name, change := range map[string]func(p *qpbackend.Problem){
		"bound": func(p *qpbackend.Problem) { p.Hi[4] = -1.5 },
		"row":   func(p *qpbackend.Problem) { p.L[0], p.U[0] = 500, 501 },
		"chain": func(p *qpbackend.Problem) { p.Lo[2] = 15 },
	} {
		p, cols, list := equations(rand.New(rand.NewPCG(7, 7)))
		change(p)
		s, res := solveWith(t, reduce.Chain(ipm.Backend{}, fixed.Reduction{Cols: cols, Equations: list}), p)
		if v := qpbackend.PrimalInfeasibility(p, res.Y, res.Z); res.Status != qpbackend.PrimalInfeasible || v > 1e-6 {
			t.Errorf("%s: %v, and the proof fails by %g", name, res.Status, v)
		}
		s.Close()
	}
}
