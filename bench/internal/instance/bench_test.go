package instance_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// BenchmarkSequence solves the problems of Sequence one after another, with
// values updated. An operation is one of them.
func BenchmarkSequence(b *testing.B) {
	all, err := instance.Sequence().Make()
	if err != nil {
		b.Fatal(err)
	}
	for _, warm := range []bool{false, true} {
		b.Run(map[bool]string{false: "cold", true: "warm"}[warm], func(b *testing.B) {
			var back ipm.Backend
			s, err := back.New(context.Background(), all[0], back.DefaultSettings())
			if err != nil {
				b.Fatal(err)
			}
			var res qpbackend.Result
			iterations, k := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				p := all[k%len(all)]
				if warm && k%len(all) > 0 {
					if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
						b.Fatal(err)
					}
				}
				k++
				if err := s.Update(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val}); err != nil {
					b.Fatal(err)
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

// BenchmarkRegression sets up and solves the problem of --lder.
func BenchmarkRegression(b *testing.B) {
	in, err := instance.Regression(2000, 50)
	if err != nil {
		b.Fatal(err)
	}
	all, err := in.Make()
	if err != nil {
		b.Fatal(err)
	}
	iterations := 0
	for b.Loop() {
		var back ipm.Backend
		s, err := back.New(context.Background(), all[0], back.DefaultSettings())
		if err != nil {
			b.Fatal(err)
		}
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
			b.Fatal(res.Status, res.Res, err)
		}
		iterations += res.Iterations
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}
