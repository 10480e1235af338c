package admm_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
)

// BenchmarkClasses is the time of an iteration on the random classes, without
// polishing, as a cold solve of a solver that is ready.
func BenchmarkClasses(b *testing.B) {
	benchClasses(b, admm.Backend{Unpolished: true})
}

func benchClasses(b *testing.B, back qpbackend.Backend) {
	problems(func(name string, p *qpbackend.Problem) {
		b.Run(name, func(b *testing.B) {
			set := back.DefaultSettings()
			set.Tol = 1e-4
			s, err := back.New(context.Background(), p, set)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var res qpbackend.Result
			iterations := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
					b.Fatal(res.Status, err)
				}
				iterations += res.Iterations
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(iterations), "ns/iteration")
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
		})
	})
}
