//go:build !race

// Answers of many solves, each of which is repeated to the bit: with the race detector they take
// some minutes, and other tests have starts side by side.

package ccp_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestRoundingErrorsDecideNothing: the answer is the best of all points that iterations have led
// to, by what is certain of their objectives, and no start at which numbers overflow ends the
// others.
func TestRoundingErrorsDecideNothing(t *testing.T) {
	for kind := range 4 {
		for seed := range uint64(3) {
			for _, s := range []float64{5, 15, 47} {
				for _, starts := range []int{1, 12} {
					name := fmt.Sprintf("kind %d, seed %d, %d starts, terms of e^%g", kind, seed, starts, s)
					var best *ccp.Result
					set := ccp.DefaultSettings()
					set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
						if at := it.Result(); !math.IsInf(it.Objective, 0) && (best == nil || at.Better(best, false)) {
							best = at
						}
						return nil
					})
					res, err := ccp.Multistart(context.Background(), cancelling(t, kind, s, seed), starts, set)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					// Start 0, and a point with multipliers, are kept where another one is better
					// by no more than counts.
					room := max(set.Tol*math.Abs(best.Objective), best.ObjectiveError)
					if !(res.Objective+res.ObjectiveError <= best.Objective+best.ObjectiveError+room) {
						t.Errorf("%s: %v with %g ± %g, but %g ± %g was met", name,
							res.Status, res.Objective, res.ObjectiveError, best.Objective, best.ObjectiveError)
					}
				}
			}
		}
	}
}

// TestCoversAreFound: the tangent at a fraction may ask for the side on which the demand is
// not met; every run has to find a cover. BenchmarkKnownOptima says how often it is the least.
func TestCoversAreFound(t *testing.T) {
	for seed := range shared.Times(20, 5) {
		p, least := cover(t, uint64(seed))
		res, err := ccp.Multistart(context.Background(), p, ccp.Automatic, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged || res.Objective < least-1e-4 {
			t.Errorf("seed %d: %v with %g, %v; the least is %g", seed, res.Status, res.Objective, err, least)
		}
	}
}

// TestSignsAreFound: the automatic starts end at signs, none of which are below the
// optimum. BenchmarkKnownOptima says how often they are optimal.
func TestSignsAreFound(t *testing.T) {
	for seed := range shared.Times(10, 5) {
		p, a, b := signs(t, 12, uint64(seed))
		want := leastOverSigns(a, b)
		res, err := ccp.Multistart(context.Background(), p, ccp.Automatic, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged || !(res.Objective >= want*(1-1e-6)) {
			t.Errorf("seed %d: %v with %g, %v; the least is %g", seed, res.Status, res.Objective, err, want)
		}
	}
}

// TestClusters: points in three clusters and one far away are split as they are made, by
// steps that take the nearest centre of each.
func TestClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	centres := [][2]float64{{0, 0}, {3, 0}, {0, 3}, {1e4, -1e4}}
	var points [][2]float64
	for k, c := range centres {
		for range []int{10, 10, 10, 1}[k] {
			points = append(points, [2]float64{c[0] + .1*rng.NormFloat64(), c[1] + .1*rng.NormFloat64()})
		}
	}
	m := dc.NewModel()
	c := m.Var("c", []int{len(centres), 2}, dc.StartUniform(0, 3))
	var sum []dc.Expr
	for _, q := range points {
		var far []dc.Expr
		for k := range centres {
			far = append(far, dc.SumSquares(c.Row(k).Sub(dc.Vec(q[:]))))
		}
		sum = append(sum, dc.Min(far...))
	}
	m.Minimize(dc.Sum(sum...))
	res, err := ccp.Multistart(context.Background(), build(t, m), ccp.Automatic, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged || !(res.Objective < 1) {
		t.Fatalf("%v with %g, %v", res.Status, res.Objective, err)
	}
}

// TestSystemsOfEquations: u″ + u³ = 1 + sin by differences, with as many equations as unknowns and
// equations of 1e6 times the right-hand side, is reached in some Newton steps, with an objective
// and without one.
func TestSystemsOfEquations(t *testing.T) {
	const n = 400
	for name, objective := range map[string]func(u dc.Expr) dc.Expr{
		"no objective": func(u dc.Expr) dc.Expr { return dc.Num(0) },
		"squares":      func(u dc.Expr) dc.Expr { return dc.SumSquares(u).Scale(1. / n) },
	} {
		m := dc.NewModel()
		u := m.Var("u", []int{n})
		m.Minimize(objective(u))
		h := 1 / (n + 1.)
		for i := range n {
			second := u.At(i).Scale(-2)
			for _, j := range []int{i - 1, i + 1} {
				if j >= 0 && j < n {
					second = second.Add(u.At(j))
				}
			}
			m.SubjectTo(dc.EQ(dc.Power(u.At(i), 3).Add(second.Scale(1/(h*h))), dc.Num(1+math.Sin(float64(i+1)*h))).Named("eq", i))
		}
		p := build(t, m)
		for seed := range uint64(2) {
			res := solve(t, p, p.Start(seed), func(s *ccp.Settings) { s.Heuristics.Search = heuristic.Search{} })
			if res.Status != ccp.Converged || res.Iterations > 40 || !(res.Violation <= 1e-6) {
				t.Errorf("%s, seed %d: %v after %d convex problems, violation %g; %s", name, seed, res.Status, res.Iterations, res.Violation, res.Message)
			}
		}
	}
}

// TestPoles: an objective that falls to minus infinity at the boundary of a domain is unbounded,
// wherever that lies; one that is finite there, or whose pole the constraints exclude, has a
// minimum.
func TestPoles(t *testing.T) {
	num := dc.Num
	for _, c := range []struct {
		name string
		want float64 // -Inf: unbounded
		make func(m *dc.Model)
	}{
		{"no bounds", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", nil)
			m.Minimize(dc.Log(x).Add(dc.Square(x)))
		}},
		{"a line", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0).Sub(x.At(1))).Add(dc.SumSquares(x)))
		}},
		{"a line in a disc", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0).Sub(x.At(1))))
			m.SubjectTo(dc.LE(dc.SumSquares(x), num(1)))
		}},
		{"a circle", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(dc.Norm2(x).Neg().Add(num(1))))
		}},
		{"a parabola", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", nil)
			m.Minimize(dc.Log(dc.Square(x).Neg().Add(num(1))))
		}},
		{"a corner", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(dc.Min(x.At(0), x.At(1))).Add(dc.SumSquares(x)))
		}},
		{"an inverse", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.InvPos(x.At(0).Add(x.At(1).Scale(2))).Neg().Add(dc.SumSquares(x)))
		}},
		{"singular matrices", math.Inf(-1), func(m *dc.Model) {
			x, y := m.Var("X", []int{3, 3}, dc.PSD()), m.Var("Y", []int{2, 2}, dc.PSD())
			m.Minimize(dc.LogDet(x).Sub(dc.LogDet(y)))
			m.SubjectTo(dc.LE(x.Diag().Sum(), num(4)), dc.LE(y.Diag().Sum(), num(4)), dc.GE(x.At(0, 0), num(1)))
		}},
		{"a constraint in the way", math.Log(0.1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0)).Add(dc.Square(x.At(1))))
			m.SubjectTo(dc.GE(x.At(0), dc.Square(x.At(1)).Add(num(0.1))))
		}},
		{"a domain that ends later", math.Log(1e-4) + 2*math.Log(1e-4), func(m *dc.Model) {
			x := m.Var("x", []int{3}, dc.AtLeast(0))
			log := func(k int) dc.Expr { return dc.Log(x.At(k).Add(num(1e-4))) }
			m.Minimize(dc.Sum(log(0), log(1), log(2)))
		}},
		{"a root", 0, func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Sqrt(dc.Norm2(x).Neg().Add(num(1))))
		}},
	} {
		m := dc.NewModel()
		c.make(m)
		res, err := ccp.Multistart(context.Background(), build(t, m), ccp.Automatic, ccp.DefaultSettings())
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case math.IsInf(c.want, -1) != (res.Status == ccp.Unbounded):
			t.Errorf("%s: %v with %g, %s", c.name, res.Status, res.Objective, res.Message)
		case res.Status != ccp.Unbounded && !(math.Abs(res.Objective-c.want) <= 1e-5*max(1, math.Abs(c.want))):
			t.Errorf("%s: %v with %g, want %g", c.name, res.Status, res.Objective, c.want)
		}
	}
}
