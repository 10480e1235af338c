package ldl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// laplacian is the upper triangle of the Laplacian of a k × k × k grid plus the
// unit matrix; its factor fills heavily.
func laplacian(k int) *sparse.CSC {
	var t sparse.Triplets
	at := func(a, b, c int) int { return (a*k+b)*k + c }
	for a := range k {
		for b := range k {
			for c := range k {
				i := at(a, b, c)
				t.Add(i, i, 7)
				if a > 0 {
					t.Add(at(a-1, b, c), i, -1)
				}
				if b > 0 {
					t.Add(at(a, b-1, c), i, -1)
				}
				if c > 0 {
					t.Add(at(a, b, c-1), i, -1)
				}
			}
		}
	}
	m, _ := t.CSC(k*k*k, k*k*k)
	return m
}

// chain is the KKT matrix of a control problem of n stages, which hardly fills.
func chain(n int) *sparse.CSC {
	rng := rand.New(rand.NewPCG(1, 1))
	var t sparse.Triplets
	for i := range n {
		for c := range 4 {
			v, r := 8*i+c, 8*i+4+c
			t.Add(v, v, 1)
			t.Add(r, r, -1e-6)
			t.Add(v, r, -1)
			for e := range 4 {
				if i > 0 {
					t.Add(8*(i-1)+e, r, rng.NormFloat64())
				}
			}
		}
	}
	m, _ := t.CSC(8*n, 8*n)
	return m
}

func BenchmarkFactorise(b *testing.B) {
	for _, c := range []struct {
		name string
		k    *sparse.CSC
	}{{"grid20", laplacian(20)}, {"chain1000", chain(1000)}} {
		for _, path := range paths {
			f := mustAnalyse(b, c.k, path)
			b.Run(fmt.Sprintf("%s/%s", c.name, path), func(b *testing.B) {
				for b.Loop() {
					if _, err := f.Factorise(context.Background(), c.k.Val, nil, Regularisation{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(f.Flops()*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
				b.ReportMetric(f.Flops()/float64(f.NNZ()), "flop/entry")
			})
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	k := laplacian(20)
	for _, path := range paths {
		f := mustAnalyse(b, k, path)
		if _, err := f.Factorise(context.Background(), k.Val, nil, Regularisation{}); err != nil {
			b.Fatal(err)
		}
		x := make([]float64, k.Cols)
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				x[0] = 1
				f.solve(x)
			}
		})
	}
}
