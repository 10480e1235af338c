package qpbackend_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// BenchmarkConvexity times the check of a matrix BᵀB that no diagonal dominates: banded, with each
// row of B in columns near its own, or scattered, with three columns anywhere, or dense. Of each
// the first check, with what depends on the pattern.
func BenchmarkConvexity(b *testing.B) {
	for _, kind := range []string{"banded", "scattered", "dense"} {
		for _, n := range []int{10, 20, 50, 100, 200, 400, 1000} {
			if kind == "dense" && n > 200 {
				continue
			}
			p := gram(kind, n)
			b.Run(fmt.Sprintf("%s-%d", kind, n), func(b *testing.B) {
				for b.Loop() {
					c, err := qpbackend.NewConvexity(context.Background(), p)
					if err != nil {
						b.Fatal(err)
					}
					if exact, err := c.Check(context.Background(), p); !exact || err != nil {
						b.Fatal(exact, err)
					}
				}
			})
		}
	}
}

// gram is the upper triangle of BᵀB + I/100.
func gram(kind string, n int) *sparse.CSC {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var e sparse.Triplets
	for r := range n {
		e.Add(r, r, 0.01)
		at := map[int]float64{}
		for k := range 3 {
			switch kind {
			case "banded":
				at[min(r+k, n-1)] = 1 + rng.Float64()
			case "scattered":
				at[rng.IntN(n)] = 1 + rng.Float64()
			}
		}
		if kind == "dense" {
			for j := range n {
				at[j] = rng.NormFloat64()
			}
		}
		for i, u := range at {
			for j, v := range at {
				if i <= j {
					e.Add(i, j, u*v)
				}
			}
		}
	}
	p, _ := e.CSC(n, n)
	return p
}
