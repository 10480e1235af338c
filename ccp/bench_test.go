package ccp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
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

// BenchmarkSearches says what each search is worth on packings of nine circles: the
// mean objective and the iterations of ten of them.
func BenchmarkSearches(b *testing.B) {
	for name, change := range map[string]func(*ccp.Settings){
		"all":                 func(*ccp.Settings) {},
		"without coordinates": func(s *ccp.Settings) { s.Heuristics.Search.Coordinates = 0 },
		"without hops":        func(s *ccp.Settings) { s.Heuristics.Search.Hops = 0 },
		"local search alone": func(s *ccp.Settings) {
			s.Heuristics.Search = heuristic.Search{}
		},
	} {
		b.Run(name, func(b *testing.B) {
			objective, iterations := 0.0, 0
			for range b.N {
				for seed := range uint64(10) {
					set := ccp.DefaultSettings()
					change(&set)
					res, err := ccp.Solve(context.Background(), packing(b, radii(9, seed)), nil, set)
					if err != nil {
						b.Fatal(err)
					}
					objective += res.Objective
					iterations += res.Iterations
				}
			}
			b.ReportMetric(objective/float64(10*b.N), "objective")
			b.ReportMetric(float64(iterations)/float64(10*b.N), "iterations")
		})
	}
}

// BenchmarkKnownOptima counts the answers at the optimum, which is known by enumeration: of
// ten problems of least squares over 12 signs and of 20 of a least cover of 8 sets, with
// automatic starts, from one start, and by one descent alone.
func BenchmarkKnownOptima(b *testing.B) {
	series := map[string]func(seed uint64) (*dc.Problem, float64){
		"signs": func(seed uint64) (*dc.Problem, float64) {
			p, a, y := signs(b, 12, seed)
			return p, leastOverSigns(a, y)
		},
		"covers": func(seed uint64) (*dc.Problem, float64) { return cover(b, seed) },
	}
	for name, rounds := range map[string]uint64{"signs": 10, "covers": 20} {
		for way, starts := range map[string]int{"automatic starts": ccp.Automatic, "one start": 1, "one descent": 1} {
			b.Run(name+"/"+way, func(b *testing.B) {
				optimal := 0
				for range b.N {
					for seed := range rounds {
						p, least := series[name](seed)
						set := ccp.DefaultSettings()
						if way == "one descent" {
							set.Heuristics.Search = heuristic.Search{}
						}
						res, err := ccp.Multistart(context.Background(), p, starts, set)
						if err != nil {
							b.Fatal(err)
						}
						if res.Feasible && res.Objective <= least*(1+1e-4) {
							optimal++
						}
					}
				}
				b.ReportMetric(float64(optimal)/float64(b.N), "optimal")
				b.ReportMetric(float64(rounds), "problems")
			})
		}
	}
}

// BenchmarkSessionOfPackings is a session over the sizes of 160 circles, from where the last run
// ended and, every third time, from random places. It takes 2.2 times as long if rows never leave
// the working set.
func BenchmarkSessionOfPackings(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 160
	m := dc.NewModel()
	c, s := m.Var("c", []int{n, 2}), m.Param("s", nil, 1)
	var sides []dc.Expr
	radius := make([]float64, n)
	for i := range radius {
		radius[i] = 0.5 + r.Float64()
		sides = append(sides, dc.NormInf(c.Row(i)).Add(s.Scale(radius[i])))
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			apart := dc.Norm2(c.Row(i).Sub(c.Row(j)))
			m.SubjectTo(dc.GE(apart, s.Scale(radius[i]+radius[j])).Named("apart", i, j))
		}
	}
	m.Minimize(dc.Max(sides...))
	p, err := m.Problem(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		session, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
		if err != nil {
			b.Fatal(err)
		}
		x := make([]float64, p.NumVars())
		for k := range 9 {
			if k%3 == 0 {
				for j := range x {
					x[j] = 20 * r.NormFloat64()
				}
			}
			if err := session.Set("s", 0.7+0.6*r.Float64()); err != nil {
				b.Fatal(err)
			}
			res, err := session.Solve(b.Context(), x)
			if err != nil {
				b.Fatal(err)
			}
			x = res.X
		}
	}
}
