//go:build !race

package ccp_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// clusters is k-means of so many points about three centres, from a start with two centres beside
// the first cluster. more, if not nil, states more and is added to the objective.
func clusters(t testing.TB, points int, more func(m *dc.Model, c dc.Expr) dc.Expr) *dc.Problem {
	rng := rand.New(rand.NewPCG(7, 9))
	m := dc.NewModel()
	c := m.Var("c", []int{3, 2}, dc.StartAt(0, 0, .1, 0, 12, 12))
	at := [][]float64{{0, 0}, {20, 0}, {0, 20}}
	var cost []dc.Expr
	for i := range points {
		p := dc.Vec([]float64{at[i%3][0] + rng.NormFloat64()/4, at[i%3][1] + rng.NormFloat64()/4})
		var items []dc.Expr
		for k := range 3 {
			items = append(items, dc.SumSquares(c.Row(k).Sub(p)))
		}
		cost = append(cost, dc.Min(items...).Scale(1/float64(points)))
	}
	if more != nil {
		cost = append(cost, more(m, c))
	}
	m.Minimize(dc.Sum(cost...))
	return build(t, m)
}

func multistart(t *testing.T, ctx context.Context, p *dc.Problem, starts int, change func(*ccp.Settings)) (*ccp.Result, error) {
	t.Helper()
	set := ccp.DefaultSettings()
	plainly(&set)
	if change != nil {
		change(&set)
	}
	res, err := ccp.Multistart(ctx, p, starts, set)
	if res == nil {
		t.Fatal(err)
	}
	return res, err
}

// TestSampleLeadsToABetterStart: the sum of all points from the better start is solved as any other
// problem.
func TestSampleLeadsToABetterStart(t *testing.T) {
	p := clusters(t, 8000, nil)
	ctx := context.Background()
	with, _ := multistart(t, ctx, p, 2, nil)
	alone := solve(t, p, nil, plainly)
	if with.Status != ccp.Converged || with.Objective > .15 || with.Objective != p.Value(with.X) {
		t.Errorf("%v with %g", with.Status, with.Objective)
	}
	if last := with.History[len(with.History)-1].Objective; last != with.Objective {
		t.Errorf("the history ends at %.17g, the objective is %.17g", last, with.Objective)
	}
	if again := solve(t, p, with.X, plainly); again.Objective < with.Objective*(1-1e-5) {
		t.Errorf("%g from %g, which is not converged", again.Objective, with.Objective)
	}
	if alone.Objective < 1 {
		t.Errorf("%g from the start of the problem", alone.Objective)
	}
	for _, procs := range []int{1, 4} {
		before := runtime.GOMAXPROCS(procs)
		again, _ := multistart(t, ctx, p, 2, nil)
		runtime.GOMAXPROCS(before)
		if !slices.Equal(again.X, with.X) {
			t.Errorf("another answer on %d processors", procs)
		}
	}
}

// TestSamplesAreForLargeSumsAlone: explicit starts, few points and constraints leave everything as
// it is.
func TestSamplesAreForLargeSumsAlone(t *testing.T) {
	ctx := context.Background()
	off := func(s *ccp.Settings) { s.Heuristics.Sample = false }
	bounded := func(m *dc.Model, c dc.Expr) dc.Expr {
		m.SubjectTo(dc.LE(dc.Norm2(c.Row(0)), dc.Num(100)))
		return dc.Expr{}
	}
	for name, c := range map[string]struct {
		p      *dc.Problem
		starts int
	}{
		"one start": {clusters(t, 1500, nil), 1},
		"few":       {clusters(t, 400, nil), 2},
		"bounded":   {clusters(t, 1500, bounded), 2},
	} {
		with, _ := multistart(t, ctx, c.p, c.starts, nil)
		without, _ := multistart(t, ctx, c.p, c.starts, off)
		if !slices.Equal(with.X, without.X) || with.Iterations != without.Iterations {
			t.Errorf("%s: %g after %d iterations, without samples %g after %d", name, with.Objective, with.Iterations, without.Objective, without.Iterations)
		}
	}
}

// watched is a function of a user that tells of its values.
type watched struct{ each func() }

func (f watched) Value(u []float64) float64 { f.each(); return 0 }

func (f watched) AddSubgrad(dst []float64, scale float64, u []float64) { f.each() }

// numbered is a problem with a function that calls each with the number of its value.
func numbered(t *testing.T, n *atomic.Int64, each func(n int64)) *dc.Problem {
	p := clusters(t, 1500, func(_ *dc.Model, c dc.Expr) dc.Expr {
		return dc.BlackBox("count", watched{func() { each(n.Add(1)) }}, c.Row(0)).Neg()
	})
	n.Store(0)
	return p
}

// alone is how many values the first start of numbered takes.
func alone(t *testing.T) int64 {
	var n atomic.Int64
	p := numbered(t, &n, func(int64) {})
	multistart(t, context.Background(), p, 1, nil)
	return n.Load()
}

// TestSampleEnds: a run that is ended among the samples returns a point at once.
func TestSampleEnds(t *testing.T) {
	first := alone(t)
	for _, after := range []int64{first + 2, first + 50, first + 150} {
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int64
		p := numbered(t, &n, func(n int64) {
			if n == after {
				cancel()
			}
		})
		res, err := multistart(t, ctx, p, 2, nil)
		if err != context.Canceled || !res.Feasible || !(res.Objective <= p.Value(p.Start(0))) {
			t.Errorf("%v with %g, error %v", res.Status, res.Objective, err)
		}
		if late := n.Load() - after; late < 0 || late > 100 {
			t.Errorf("cancelled after %d values, and %d have followed", after, late)
		}
	}
}

// TestPanicAmongSamples: the run begins at the problem's start, and its own panics are those of any
// run.
func TestPanicAmongSamples(t *testing.T) {
	var n atomic.Int64
	first := alone(t)
	p := numbered(t, &n, func(n int64) {
		if n == first+20 {
			panic("once")
		}
	})
	res, err := multistart(t, context.Background(), p, 2, nil)
	off, _ := multistart(t, context.Background(), p, 2, func(s *ccp.Settings) { s.Heuristics.Sample = false })
	if err != nil || !slices.Equal(res.X, off.X) {
		t.Errorf("%g, error %v; without samples %g", res.Objective, err, off.Objective)
	}
}

// TestFirst: where the number of starts is open, a large sum begins at the point of samples, start
// 0 follows, and both are what they are in the other order.
func TestFirst(t *testing.T) {
	set := ccp.DefaultSettings()
	plainly(&set)
	for points, first := range map[int]int{8000: 1, 400: 0} {
		p := clusters(t, points, nil)
		s, err := ccp.NewStarts(p, set)
		if err != nil {
			t.Fatal(err)
		}
		s.First(t.Context())
		one, _ := s.Result()
		if one.Start != first {
			t.Errorf("%d points: start %d is first", points, one.Start)
		}
		same, _ := ccp.SolveStart(t.Context(), p, first, set)
		if !slices.Equal(one.X, same.X) {
			t.Errorf("%d points: start %d has another result by itself", points, first)
		}
		s.Run(t.Context(), 1)
		both, _ := s.Result()
		want, _ := multistart(t, t.Context(), p, 2, nil)
		if both.Starts != 2 || !slices.Equal(both.X, want.X) {
			t.Errorf("%d points: %g of %d starts, want %g", points, both.Objective, both.Starts, want.Objective)
		}
	}
}
