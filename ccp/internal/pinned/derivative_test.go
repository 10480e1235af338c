package pinned_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/pinned"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// The derivative without columns that have one value is the derivative with them.
func TestDerivative(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(4, 4))
	normal := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	compared := 0
	for range 10 {
		n, m := 8, 9
		var at, pt sparse.Triplets
		for j := range n {
			for i := range m {
				at.Add(i, j, rng.NormFloat64())
			}
			for i := range j {
				pt.Add(i, j, rng.NormFloat64()/4)
			}
			pt.Add(j, j, 4)
		}
		p := &qpbackend.Problem{Q: normal(n), L: make([]float64, m), U: make([]float64, m), Lo: make([]float64, n), Hi: make([]float64, n)}
		p.A, _ = at.CSC(m, n)
		p.P, _ = pt.CSC(n, n)
		p.Cones = []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 5, Len: 4}}
		cols := []int{1, 4, 5}
		for j := range n {
			p.Lo[j], p.Hi[j] = -1, 1
		}
		for _, j := range cols {
			p.Lo[j] = rng.NormFloat64()
			p.Hi[j] = p.Lo[j]
		}
		inside := make([]float64, n)
		for j := range inside {
			inside[j] = p.Lo[j] + (p.Hi[j]-p.Lo[j])*rng.Float64()
		}
		ax := make([]float64, m)
		p.A.AddMulVec(ax, 1, inside)
		for i, v := range ax {
			p.L[i] = v - 0.3*rng.Float64()
			p.U[i] = p.L[i] + 1
		}
		p.L[5] -= 1
		solve := func(b qpbackend.Backend) (qpbackend.Differentiator, qpbackend.Result) {
			s, err := b.New(ctx, p, b.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			var res qpbackend.Result
			if err := s.Solve(ctx, &res); err != nil {
				t.Fatal(err)
			}
			return s.(qpbackend.Differentiator), res
		}
		one, res := solve(ipm.Backend{})
		two, _ := solve(pinned.Backend{Inner: ipm.Backend{}, Cols: cols})
		if res.Status != qpbackend.Solved {
			continue // of random rows some exclude each other
		}
		d, err := one.Differentiate(ctx)
		if err != nil {
			t.Fatal(err)
		}
		e, err := two.DifferentiateAt(ctx, res.X, res.Y, res.Z)
		if err != nil {
			t.Fatal(err)
		}
		if r := d.Regularity(); !r.Regular {
			continue
		}
		compared++
		same := func(what string, a, b []float64) {
			t.Helper()
			for i, v := range a {
				if !(math.Abs(v-b[i]) <= 1e-6*max(1, math.Abs(v))) {
					t.Errorf("%s %d: %g, want %g", what, i, b[i], v)
				}
			}
		}
		tangent := func(a, b qpbackend.Tangent) {
			t.Helper()
			same("x", a.X, b.X)
			same("y", a.Y, b.Y)
			same("z", a.Z, b.Z)
		}
		tangent(d.Point(), e.Point())
		u := qpbackend.Update{Q: normal(n), Lo: normal(n), L: normal(m), U: normal(m), P: normal(p.P.NNZ()), A: normal(p.A.NNZ())}
		u.Hi = u.Lo
		var a, b qpbackend.Tangent
		if err := d.Forward(ctx, u, &a); err != nil {
			t.Fatal(err)
		}
		if err := e.Forward(ctx, u, &b); err != nil {
			t.Fatal(err)
		}
		tangent(a, b)
		g := qpbackend.Tangent{X: normal(n), Y: normal(m), Z: normal(n)}
		var v, w qpbackend.Update
		if err := d.Adjoint(ctx, g, &v); err != nil {
			t.Fatal(err)
		}
		if err := e.Adjoint(ctx, g, &w); err != nil {
			t.Fatal(err)
		}
		same("q", v.Q, w.Q)
		for j := range v.Lo { // of one value the two sides move together
			v.Lo[j], w.Lo[j] = v.Lo[j]+v.Hi[j], w.Lo[j]+w.Hi[j]
		}
		same("lo", v.Lo, w.Lo)
		same("l", v.L, w.L)
		same("u", v.U, w.U)
		same("P", v.P, w.P)
		same("A", v.A, w.A)
	}
	if compared < 5 {
		t.Errorf("%d of 10 problems compared", compared)
	}
}
