package ccp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// bench reports, beside the time of a whole solve, that of one iteration.
func bench(b *testing.B, p *dc.Problem) {
	set := ccp.DefaultSettings()
	iterations, seconds := 0, 0.0
	for b.Loop() {
		res, err := ccp.Solve(context.Background(), p, nil, set)
		if err != nil {
			b.Fatal(err)
		}
		iterations += res.Iterations
		seconds += res.Seconds.Solve
	}
	b.ReportMetric(1e3*seconds/float64(iterations), "ms/iteration")
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations")
}

func BenchmarkPacking(b *testing.B) {
	for _, n := range []int{10, 20, 40} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { bench(b, packing(b, radii(n, 1))) })
	}
}

func BenchmarkControl(b *testing.B) { bench(b, control(b)) }

func BenchmarkBooleanLS(b *testing.B) {
	for _, n := range []int{50, 100} {
		p, _ := boxLS(b, n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) { bench(b, p) })
	}
}

func BenchmarkL1MinusL2(b *testing.B) {
	for _, n := range []int{200, 500} {
		p, _ := l1l2(b, n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) { bench(b, p) })
	}
}
