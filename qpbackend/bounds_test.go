package qpbackend_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// withBounds is a random problem in which bounds of all kinds occur.
func withBounds(rng *rand.Rand) *qpbackend.Problem {
	n, m := 1+rng.IntN(8), rng.IntN(6)
	p := &qpbackend.Problem{R: rng.NormFloat64()}
	var h, a sparse.Triplets
	side := func() (lo, up float64) {
		lo = 2*rng.Float64() - 1
		up = lo + 2*rng.Float64()*float64(rng.IntN(2))
		if rng.IntN(3) == 0 {
			lo = []float64{-inf, -1e20, -1e30}[rng.IntN(3)]
		}
		if rng.IntN(3) == 0 {
			up = inf
		}
		return lo, up
	}
	for j := range n {
		p.Q = append(p.Q, rng.NormFloat64())
		lo, up := side()
		p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, up)
		h.Add(j, j, 1+rng.Float64())
	}
	for i := range m {
		lo, up := side()
		p.L, p.U = append(p.L, lo), append(p.U, up)
		for range 3 {
			a.Add(i, rng.IntN(n), rng.NormFloat64())
		}
	}
	p.P, _ = h.CSC(n, n)
	p.A, _ = a.CSC(m, n)
	switch rng.IntN(4) {
	case 0:
		p.Lo = nil
	case 1:
		p.Hi = nil
	}
	return p
}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.IntN(3)) * rng.NormFloat64()
	}
	return v
}

// Bounds count as rows of the unit matrix do: in residuals and in both proofs.
func TestBoundsCountAsRowsDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 16))
	same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }
	finite := 0
	for seed := range 500 {
		p := withBounds(rng)
		n, m := p.Dims()
		rows, cols := p.BoundsAsRows()
		if err := rows.Validate(); err != nil || len(rows.L) != m+len(cols) || rows.Lo != nil || rows.Hi != nil {
			t.Fatalf("problem %d: %v, %d rows for %d and %d", seed, err, len(rows.L), m, len(cols))
		}
		x, y, z := normals(rng, n), normals(rng, m), make([]float64, n)
		both := append([]float64(nil), y...)
		for _, j := range cols {
			z[j] = float64(rng.IntN(3)) * rng.NormFloat64()
			both = append(both, z[j])
		}
		got, want := qpbackend.Certify(p, x, y, z), qpbackend.Certify(rows, x, both, nil)
		if !same(got.Primal, want.Primal) || !same(got.Dual, want.Dual) || !same(got.Gap, want.Gap) {
			t.Errorf("problem %d: residuals %+v, of rows %+v", seed, got, want)
		}
		if got, want := qpbackend.PrimalInfeasibility(p, y, z), qpbackend.PrimalInfeasibility(rows, both, nil); !same(got, want) {
			t.Errorf("problem %d: a proof is worth %g, of rows %g", seed, got, want)
		} else if got < inf {
			finite++
		}
		if got, want := qpbackend.DualInfeasibility(p, x), qpbackend.DualInfeasibility(rows, x); !same(got, want) {
			t.Errorf("problem %d: a direction is worth %g, of rows %g", seed, got, want)
		} else if got < inf {
			finite++
		}
		if len(cols) < n { // a multiplier of what has no bound
			j := 0
			for j < len(cols) && cols[j] == j {
				j++
			}
			z[j] = 3
			if r := qpbackend.Certify(p, x, y, z); !(r.Dual > 0.1) {
				t.Errorf("problem %d: a multiplier without a bound: %+v", seed, r)
			}
		}
		z[rng.IntN(n)] = math.NaN()
		if r := qpbackend.Certify(p, x, y, z); r.Max() <= 1e300 {
			t.Errorf("problem %d: with NaN in z: %+v", seed, r)
		}
		if w := qpbackend.PrimalInfeasibility(p, y, z); !math.IsInf(w, 1) {
			t.Errorf("problem %d: a proof with NaN in z is worth %g", seed, w)
		}
	}
	if finite < 100 {
		t.Errorf("only %d proofs had a value", finite)
	}
}

func TestBoundsAreValidated(t *testing.T) {
	for _, c := range []struct {
		lo, hi []float64
		want   string
	}{
		{[]float64{0, 2}, []float64{1, 1}, "variable 1 has bounds 2 and 1"},
		{[]float64{math.NaN(), 0}, nil, "variable 0 has bounds NaN and +Inf"},
		{[]float64{0, 1e20}, nil, "variable 1 has bounds 1e+20 and +Inf, which no point meets"},
		{nil, []float64{-inf, 0}, "variable 0 has bounds -Inf and -Inf"},
		{[]float64{0}, nil, "lo has length 1, hi 0; want 2"},
		{nil, []float64{1, 1, 1}, "lo has length 0, hi 3; want 2"},
	} {
		p := corner()
		p.Lo, p.Hi = c.lo, c.hi
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
		p = corner()
		before := p.Clone()
		if err := p.Apply(qpbackend.Update{Q: []float64{7, 7}, Lo: c.lo, Hi: c.hi}); err == nil || p.Q[0] != before.Q[0] || p.Lo != nil {
			t.Errorf("Apply: error %v, q %v, lo %v", err, p.Q, p.Lo)
		}
	}
	p := corner()
	if err := p.Apply(qpbackend.Update{Lo: []float64{-1, -2}}); err != nil || p.Lo[1] != -2 || p.Hi != nil {
		t.Errorf("%v: %v, %v", err, p.Lo, p.Hi)
	}
	if err := p.Apply(qpbackend.Update{Hi: []float64{1, -3}}); err == nil || !strings.Contains(err.Error(), "variable 1 has bounds -2 and -3") {
		t.Errorf("an upper bound below the lower one that was: %v", err)
	}
}

// all supports everything and makes nothing.
type all struct{ picky }

func (all) Supports(qpbackend.ConeKind) bool { return true }

func TestPrepare(t *testing.T) {
	ctx, set := context.Background(), qpbackend.Settings{Tol: 1e-6, InfeasTol: 1e-6, MaxIter: 1}
	if _, err := qpbackend.Prepare(ctx, all{}, nil, set); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("a nil problem: %v", err)
	}
	p, err := qpbackend.Prepare(ctx, all{}, &qpbackend.Problem{Q: []float64{1, 2}}, set)
	if err != nil || p.P.NNZ() != 0 || p.A.Rows != 0 || len(p.Lo) != 2 || !math.IsInf(p.Hi[1], 1) {
		t.Fatalf("%+v, %v", p, err)
	}
	for want, err := range map[string]error{
		"warm start x has length 1, want 2": p.CheckStart([]float64{1}, nil, nil),
		"warm start y has length 1, want 0": p.CheckStart(nil, []float64{1}, nil),
		"warm start z has length 3, want 2": p.CheckStart(nil, nil, make([]float64, 3)),
		"warm start z[1] is NaN":            p.CheckStart(nil, nil, []float64{0, math.NaN()}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := p.CheckStart([]float64{1, 2}, []float64{}, nil); err != nil {
		t.Error(err)
	}
}
