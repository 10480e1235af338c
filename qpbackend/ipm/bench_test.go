package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/internal/num"
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

// BenchmarkDerivative solves problems of the classes of bench/peers/python/derivatives.py, and
// computes the gradient of a function of x with respect to all values: one problem, as new, and
// problems that differ in their values, by one solver.
func BenchmarkDerivative(b *testing.B) {
	for _, class := range []string{"qp", "soc", "sdp"} {
		rng := rand.New(rand.NewPCG(8, 8))
		draw := func() *qpbackend.Problem { return derivativeProblem(rng, class) }
		gradient := func(s qpbackend.Solver, n int) {
			var r qpbackend.Result
			if err := s.Solve(context.Background(), &r); err != nil || r.Status != qpbackend.Solved {
				b.Fatal(class, r.Status, err)
			}
			d, err := s.(qpbackend.Differentiator).Differentiate(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			g := make([]float64, n)
			for j := range g {
				g[j] = 1
			}
			var u qpbackend.Update
			if err := d.Adjoint(context.Background(), qpbackend.Tangent{X: g}, &u); err != nil {
				b.Fatal(err)
			}
			if !d.Regularity().Regular {
				b.Fatal(class, d.Regularity())
			}
		}
		begin := func(p *qpbackend.Problem) qpbackend.Solver {
			s, err := ipm.Backend{}.New(context.Background(), p, ipm.Backend{}.DefaultSettings())
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
		b.Run(class+"/one", func(b *testing.B) {
			p := draw()
			for b.Loop() {
				s := begin(p)
				gradient(s, len(p.Q))
				s.Close()
			}
		})
		b.Run(class+"/batch", func(b *testing.B) {
			list := make([]*qpbackend.Problem, 16)
			for k := range list {
				list[k] = draw()
			}
			s := begin(list[0])
			defer s.Close()
			for k := 0; b.Loop(); k++ {
				p := list[k%len(list)]
				u := qpbackend.Update{Q: p.Q, L: p.L, U: p.U, A: p.A.Val}
				if p.P != nil {
					u.P = p.P.Val
				}
				if err := s.Update(u); err != nil {
					b.Fatal(err)
				}
				gradient(s, len(p.Q))
			}
		})
	}
}

// derivativeProblem is a random problem with a solution: 100 variables and 200 dense rows with a
// dense P; 50 variables and ten second-order cones of 11 rows; 30 variables and a semidefinite cone
// of order 20.
func derivativeProblem(rng *rand.Rand, class string) *qpbackend.Problem {
	n, m := 100, 200
	switch class {
	case "soc":
		n, m = 50, 110
	case "sdp":
		n, m = 30, 210
	}
	var at sparse.Triplets
	for i := range m {
		for j := range n {
			at.Add(i, j, rng.NormFloat64())
		}
	}
	p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m)}
	p.A, _ = at.CSC(m, n)
	x, y := make([]float64, n), make([]float64, m)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	p.A.AddMulVec(p.L, 1, x)
	switch class {
	case "qp": // half of the rows of n/2 are active
		var pt sparse.Triplets
		f := make([][]float64, n)
		for i := range f {
			for range n {
				f[i] = append(f[i], rng.NormFloat64()/10)
			}
		}
		for j := range n {
			for i := range j + 1 {
				pt.Add(i, j, num.Dot(f[i], f[j]))
			}
			p.Q[j] = rng.NormFloat64()
		}
		p.P, _ = pt.CSC(n, n)
		for i := range m {
			p.L[i], p.U[i] = math.Inf(-1), p.L[i]+rng.Float64()
		}
		return p
	case "soc":
		for k := range 10 {
			p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.SecondOrder, Start: 11 * k, Len: 11})
			p.L[11*k] -= 4 // slacks and multipliers inside
			y[11*k] = -4
			for i := range 10 {
				p.L[11*k+1+i] -= rng.NormFloat64() / 2
				y[11*k+1+i] = rng.NormFloat64() / 2
			}
		}
	case "sdp":
		p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: m}}
		for j, at := 0, 0; j < 20; j++ {
			at += j
			p.L[at]--
			y[at] = -1
			at++
		}
	}
	p.A.AddMulVecT(p.Q, -1, y)
	return p
}
