package instance_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/internal/shared"
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

// BenchmarkStrategies compares the ways of ipm to solve its linear systems where both are
// possible: the processor time of set-up and solution, the least of three, by each way and
// by Auto, whose model of the costs (package kkt) chooses by the pattern. The metrics
// auto/best and sparse/best are geometric means over the problems of a group, of the time of
// Auto and of Sparse over that of the faster way; arrowhead is how often Auto takes that
// way, worse how often it takes over 1.3 times as long as the faster.
func BenchmarkStrategies(b *testing.B) {
	all, err := instance.Classes([]string{"all"}, []string{"small", "medium"})
	if err != nil {
		b.Fatal(err)
	}
	all = append(all, instance.Sequence())
	for _, size := range [][2]int{{500, 5}, {500, 20}, {2000, 10}, {2000, 50}} {
		in, err := instance.Regression(size[0], size[1])
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, in)
	}
	files, err := instance.Files(shared.Path(b, "data", "maros_meszaros"))
	if err != nil {
		b.Fatal(err)
	}
	groups := map[string][]instance.Instance{}
	for _, in := range append(all, files...) {
		groups[in.Group] = append(groups[in.Group], in)
	}
	for name, group := range groups {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				strategies(b, group)
			}
		})
	}
}

func strategies(b *testing.B, group []instance.Instance) {
	logs, sparseLogs, n, arrowheads, worse := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, in := range group {
		problems, err := in.Make()
		if err != nil {
			b.Fatal(err)
		}
		way, arrowhead := seconds(b, ipm.Arrowhead, problems[0])
		if way != ipm.Arrowhead {
			continue // there is no such form
		}
		_, sparse := seconds(b, ipm.Sparse, problems[0])
		chosen, auto := seconds(b, ipm.Auto, problems[0])
		if chosen == ipm.Arrowhead {
			arrowheads++
		}
		best := min(sparse, arrowhead)
		b.Logf("%-20s sparse %8.4f arrowhead %8.4f auto %8.4f %v", in.Name, sparse, arrowhead, auto, chosen)
		if n++; auto > 1.3*best {
			worse++
		}
		logs += math.Log(auto / best)
		sparseLogs += math.Log(sparse / best)
	}
	b.ReportMetric(n, "problems")
	b.ReportMetric(math.Exp(logs/max(n, 1)), "auto/best")
	b.ReportMetric(math.Exp(sparseLogs/max(n, 1)), "sparse/best")
	b.ReportMetric(arrowheads, "arrowhead")
	b.ReportMetric(worse, "worse")
}

// seconds is the way that a solver goes and its processor time for a problem, 10 where it
// takes longer.
func seconds(b *testing.B, how ipm.KKT, p *qpbackend.Problem) (way ipm.KKT, least float64) {
	back := ipm.Backend{KKT: how}
	least = 10
	for spent := 0.0; spent < 3; {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		begin := clock.CPU()
		s, err := back.New(ctx, p, back.DefaultSettings())
		if err == nil {
			way = s.(interface{ KKT() ipm.KKT }).KKT()
			var res qpbackend.Result
			err = s.Solve(ctx, &res)
		}
		cancel()
		t := clock.CPU() - begin
		if err != nil {
			return how, least
		}
		least = min(least, t)
		spent += max(t, 1)
	}
	return way, least
}
