package ipm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// contradiction makes a random problem around a feasible point and, where asked
// for, adds a row that a combination of the others contradicts by gap. Rows are
// equalities, one-sided and two-sided; some problems are unbounded.
func contradiction(rng *rand.Rand, add bool) *qpbackend.Problem {
	n, m := 2+rng.IntN(30), 2+rng.IntN(40)
	p := &qpbackend.Problem{}
	rows, point := make([][]float64, m), make([]float64, n)
	for j := range point {
		point[j] = 3 * rng.NormFloat64()
		p.Q = append(p.Q, rng.NormFloat64())
	}
	for i := range rows {
		rows[i] = make([]float64, n)
		for range 3 {
			rows[i][rng.IntN(n)] = rng.NormFloat64()
		}
		rows[i][i%n] = 1 + rng.Float64()
		v := 0.0
		for j, a := range rows[i] {
			v += a * point[j]
		}
		l, u := v-rng.Float64(), v+rng.Float64()
		switch rng.IntN(4) {
		case 0:
			l, u = v, v
		case 1:
			u = inf
		case 2:
			l = -inf
		}
		p.L, p.U = append(p.L, l), append(p.U, u)
	}
	if add {
		sum, bound := make([]float64, n), math.Pow(10, -3*rng.Float64())
		for i, r := range rows {
			y := rng.NormFloat64()
			if rng.IntN(3) != 0 {
				continue
			}
			if y > 0 && math.IsInf(p.U[i], 1) || y < 0 && math.IsInf(p.L[i], -1) {
				y = -y
			}
			for j, a := range r {
				sum[j] += y * a
			}
			bound += max(y, 0)*min(p.U[i], 1e9) + min(y, 0)*max(p.L[i], -1e9)
		}
		rows = append(rows, sum)
		p.L, p.U = append(p.L, bound), append(p.U, inf)
	}
	var t, pt sparse.Triplets
	for i, r := range rows {
		for j, v := range r {
			if v != 0 {
				t.Add(i, j, v)
			}
		}
	}
	if rng.IntN(2) == 0 {
		for j := range n {
			if rng.IntN(2) == 0 {
				t.Add(len(p.L), j, 1)
				p.L, p.U = append(p.L, point[j]-5*rng.Float64()), append(p.U, inf)
			}
		}
	}
	p.A, _ = t.CSC(len(p.L), n)
	if rng.IntN(2) == 0 {
		for range n / 2 {
			b := make([]float64, n)
			for range 3 {
				b[rng.IntN(n)] = rng.NormFloat64()
			}
			for j := range n {
				for i := range j + 1 {
					if b[i]*b[j] != 0 {
						pt.Add(i, j, b[i]*b[j])
					}
				}
			}
		}
	}
	p.P, _ = pt.CSC(n, n)
	return p
}

// TestCertificates asks for a proof of each contradiction, and for none of
// infeasibility where there is a feasible point.
func TestCertificates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[qpbackend.Status]int{}
	for k := range 400 {
		add := k%2 == 0
		p := contradiction(rng, add)
		res := solve(t, p)
		count[res.Status]++
		switch {
		case res.Status == qpbackend.PrimalInfeasible && add:
			if worth := qpbackend.PrimalInfeasibility(p, res.Y, res.Z); !(worth <= 1e-8) {
				t.Errorf("problem %d: a certificate worth %g", k, worth)
			}
		case res.Status == qpbackend.DualInfeasible:
			if worth := qpbackend.DualInfeasibility(p, res.X); !(worth <= 1e-8) {
				t.Errorf("problem %d: a direction worth %g", k, worth)
			}
		case res.Status == qpbackend.Solved && !add:
		default:
			t.Errorf("problem %d, contradicted: %v: %v with residuals %+v", k, add, res.Status, res.Res)
		}
	}
	for _, s := range []qpbackend.Status{qpbackend.Solved, qpbackend.PrimalInfeasible, qpbackend.DualInfeasible} {
		if count[s] < 40 {
			t.Errorf("only %d problems end as %v", count[s], s)
		}
	}
}

// Feasible and bounded problems whose only solutions are huge must not be taken
// for infeasible or unbounded.
func TestNoFalseCertificate(t *testing.T) {
	for name, p := range map[string]*qpbackend.Problem{
		"a bound of 1e9":   {Q: []float64{1}, A: sparse.Identity(1), L: []float64{1e9}, U: []float64{inf}},
		"a slope of −1e9":  {P: sparse.Identity(1), Q: []float64{-1e9}},
		"a slope of −1e12": {P: sparse.Identity(2), Q: []float64{-1e12, 1}, A: matrix(2, [][]float64{{1, 1}}), L: []float64{0}, U: []float64{inf}},
		"a far corner": {
			Q: []float64{1, 1}, A: matrix(2, [][]float64{{1, -0.999}, {1, -1.001}, {1, 1}}),
			L: []float64{1e4, -inf, 0}, U: []float64{inf, -1e4, inf},
		},
		"weak curvature": {P: matrix(1, [][]float64{{1e-6}}), Q: []float64{-100}},
	} {
		res := solve(t, p)
		if res.Status != qpbackend.Solved {
			t.Errorf("%s: %v, residuals %+v", name, res.Status, res.Res)
		}
	}
}

// powell20 is POWELL20 of CUTEst (Powell 1990) with n variables, n even, its last
// bound moved by shift: the sum of all rows is 0 ≥ shift, so it is feasible
// without an interior for shift = 0 and infeasible above.
func powell20(n int, shift float64) *qpbackend.Problem {
	var t sparse.Triplets
	p := &qpbackend.Problem{P: sparse.Identity(n), Q: make([]float64, n)}
	for k := range n - 1 {
		t.Add(k, k+1, 1)
		t.Add(k, k, -1)
		odd := float64(2*(k%2) - 1)
		p.L, p.U = append(p.L, odd*float64(k+1)-0.5), append(p.U, inf)
	}
	t.Add(n-1, 0, 1)
	t.Add(n-1, n-1, -1)
	p.L, p.U = append(p.L, float64(n)-0.5+shift), append(p.U, inf)
	p.A, _ = t.CSC(n, n)
	return p
}

func TestPowell20(t *testing.T) {
	for _, n := range []int{10, 100, 1000} {
		if res := solve(t, powell20(n, 0)); res.Status != qpbackend.Solved {
			t.Errorf("%d variables: %v, residuals %+v", n, res.Status, res.Res)
		}
		if res := solve(t, powell20(n, 0.5)); res.Status != qpbackend.PrimalInfeasible {
			t.Errorf("%d variables, shifted: %v, residuals %+v", n, res.Status, res.Res)
		}
	}
	p := powell20(10000, 0)
	if testing.Short() || shared.Race {
		p = powell20(2000, 0)
	}
	res := solve(t, p)
	wantSolved(t, p, res)
	if len(p.Q) == 10000 { // the value of Maros and Meszaros's table
		near(t, "objective", res.Objective, 5.20895828e10, 1e-8)
	}
}
