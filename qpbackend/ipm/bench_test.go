package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// packing is a linear program as the convex-concave procedure makes it for
// circles in a square: per pair of circles a linearised distance row over their
// four coordinates and a slack, the slack penalised, and a common side.
func packing(rng *rand.Rand, circles int) *qpbackend.Problem {
	pairs := circles * (circles - 1) / 2
	n := 2*circles + 1 + pairs
	var t sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, n)}
	p.Q[2*circles] = 1
	x := make([]float64, 2*circles)
	for k := range x {
		x[k] = 10 * rng.Float64()
	}
	row := 0
	for i := range circles {
		for j := range i {
			dx, dy := x[2*i]-x[2*j], x[2*i+1]-x[2*j+1]
			norm := math.Hypot(dx, dy)
			for c, v := range [...]float64{dx, dy} {
				t.Add(row, 2*i+c, v/norm)
				t.Add(row, 2*j+c, -v/norm)
			}
			t.Add(row, 2*circles+1+row, 1)
			p.L, p.U = append(p.L, 2), append(p.U, math.Inf(1))
			p.Q[2*circles+1+row] = 10
			row++
		}
	}
	for k := range x { // x ≤ side − 1
		t.Add(row, k, 1)
		t.Add(row, 2*circles, -1)
		p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, -1)
		row++
	}
	for j := range n {
		t.Add(row, j, 1)
		low := 0.0
		if j < 2*circles {
			low = 1
		}
		p.L, p.U = append(p.L, low), append(p.U, math.Inf(1))
		row++
	}
	p.A, _ = t.CSC(row, n)
	return p
}

// regression is a step of a piecewise-linear fit: minimise (1/m) Σ ξᵢ² where
// pieces rows bound each residual ξᵢ by affine functions with params parameters.
func regression(rng *rand.Rand, samples, params, pieces int) *qpbackend.Problem {
	n := samples + params*pieces
	var t, pt sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, n)}
	row := 0
	for i := range samples {
		pt.Add(i, i, 2/float64(samples))
		v := make([]float64, params)
		for d := range v {
			v[d] = rng.NormFloat64()
		}
		target := math.Abs(v[0]) + 0.3*rng.NormFloat64()
		for k := range pieces {
			t.Add(row, i, 1)
			for d := range params {
				t.Add(row, samples+k*params+d, -v[d])
			}
			p.L, p.U = append(p.L, -target), append(p.U, math.Inf(1))
			row++
		}
	}
	p.P, _ = pt.CSC(n, n)
	p.A, _ = t.CSC(row, n)
	return p
}

// sequence solves p again and again, its values changed by change before each
// solve, cold and from the solution before.
func sequence(b *testing.B, p *qpbackend.Problem, change func() qpbackend.Update) {
	for _, warm := range []bool{false, true} {
		b.Run(map[bool]string{false: "cold", true: "warm"}[warm], func(b *testing.B) {
			back := ipm.Backend{}
			s, err := back.New(context.Background(), p, back.DefaultSettings())
			if err != nil {
				b.Fatal(err)
			}
			var res qpbackend.Result
			iterations := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Update(change()); err != nil {
					b.Fatal(err)
				}
				if warm && res.Status == qpbackend.Solved {
					if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
					b.Fatal(res.Status, res.Res, err)
				}
				iterations += res.Iterations
			}
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
		})
	}
}

// jitter changes each value by a share.
func jitter(rng *rand.Rand, dst, from []float64, share float64) {
	for i, v := range from {
		dst[i] = v * (1 + share*rng.NormFloat64())
	}
}

func BenchmarkPacking(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := packing(rng, 30)
	a := append([]float64(nil), p.A.Val...)
	sequence(b, p, func() qpbackend.Update {
		for k, v := range p.A.Val {
			if v != 1 && v != -1 { // a direction between two circles
				a[k] = v * (1 + 0.03*rng.NormFloat64())
			}
		}
		return qpbackend.Update{A: a}
	})
}

func BenchmarkRegression500(b *testing.B)  { benchRegression(b, 500) }
func BenchmarkRegression2000(b *testing.B) { benchRegression(b, 2000) }

func benchRegression(b *testing.B, samples int) {
	rng := rand.New(rand.NewPCG(2, 2))
	p := regression(rng, samples, 4, 5)
	a := append([]float64(nil), p.A.Val...)
	sequence(b, p, func() qpbackend.Update {
		jitter(rng, a, p.A.Val, 0.03)
		return qpbackend.Update{A: a}
	})
}

func BenchmarkDense150(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 3))
	p := classes.Dense(rng, 150, 1500, 0.15)
	q := append([]float64(nil), p.Q...)
	sequence(b, p, func() qpbackend.Update {
		jitter(rng, q, p.Q, 0.03)
		return qpbackend.Update{Q: q}
	})
}

func BenchmarkNew(b *testing.B) {
	p := regression(rand.New(rand.NewPCG(2, 2)), 500, 4, 5)
	for b.Loop() {
		if _, err := (ipm.Backend{}).New(context.Background(), p, ipm.Backend{}.DefaultSettings()); err != nil {
			b.Fatal(err)
		}
	}
}
