//go:build osqp

package osqp

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// BenchmarkTiny is dominated by what a solve costs apart from iterations.
func BenchmarkTiny(b *testing.B) {
	p := &qpbackend.Problem{P: sparse.Identity(2), Q: []float64{-1, -2}, A: sparse.Identity(2), L: []float64{0, 0}, U: []float64{1, 1}}
	benchmark(b, p, func(qpbackend.Solver, *qpbackend.Result) error { return nil })
}

// BenchmarkSequence updates A and starts from the last solution, as CCP does.
func BenchmarkSequence(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	p := random(r, 200, 300)
	val := make([][]float64, 16)
	for k := range val {
		for _, v := range p.A.Val {
			val[k] = append(val[k], v*(1+0.01*r.Float64()))
		}
	}
	for i := range p.L { // room for the changes
		p.L[i] -= 0.2
		p.U[i] += 0.2
	}
	k := 0
	benchmark(b, p, func(s qpbackend.Solver, last *qpbackend.Result) error {
		k++
		if err := s.Update(qpbackend.Update{A: val[k%len(val)]}); err != nil {
			return err
		}
		return s.WarmStart(last.X, last.Y, last.Z)
	})
}

func benchmark(b *testing.B, p *qpbackend.Problem, before func(qpbackend.Solver, *qpbackend.Result) error) {
	for _, tol := range []float64{1e-3, 1e-6} {
		b.Run(fmt.Sprintf("tol=%g", tol), func(b *testing.B) {
			set := Backend{}.DefaultSettings()
			set.Tol = tol
			s, err := Backend{}.New(context.Background(), p, set)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var res qpbackend.Result
			iterations := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := before(s, &res); err != nil {
					b.Fatal(err)
				}
				if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
					b.Fatal(res.Status, err)
				}
				iterations += res.Iterations
			}
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
		})
	}
}
