//go:build !race

package global_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/shared"
)

// drawMinima is a random problem with minima of convex functions, or a sum of the least
// of some, and the convex problems for each choice of those that count. The optimum is
// the least of theirs.
func drawMinima(t *testing.T, seed uint64) (whole *dc.Problem, each []*dc.Problem) {
	rng := rand.New(rand.NewPCG(seed, 32))
	const n, m = 3, 5
	kind, boxed := seed%4, seed%3 == 0
	rows, shift, target := make([][]float64, m), make([]float64, m), make([]float64, n)
	for k := range rows {
		rows[k] = make([]float64, n)
		for j := range rows[k] {
			rows[k][j] = rng.NormFloat64()
		}
		shift[k] = 2 * rng.NormFloat64()
	}
	for j := range target {
		target[j] = 2 * rng.NormFloat64()
	}
	state := func(code int) *dc.Problem { // −1: all
		model := dc.NewModel()
		opts := []dc.VarOption{dc.StartAt(0.1)}
		if boxed {
			opts = append(opts, dc.AtLeast(-2), dc.AtMost(2))
		}
		x := model.Var("x", []int{n}, opts...)
		if seed%2 == 1 {
			model.SubjectTo(dc.LE(dc.Norm1(x), dc.Num(4)))
		}
		var parts, items []dc.Expr
		fits := dc.Sum(dc.SumSquares(x.Sub(dc.Vec(target))).Scale(0.5), x.Sum().Scale(0.1))
		for k := range rows {
			d := x.Dot(rows[k]).Add(dc.Num(shift[k]))
			item, other := dc.Abs(d), dc.Num(0.7)
			if kind == 1 {
				item = dc.Square(d)
			}
			least := dc.Min(item, other)
			if kind == 2 { // three items
				least = dc.Min(item, dc.Abs(x.At(k%n).Sub(dc.Num(1))).Add(dc.Num(0.2)), other)
			}
			switch {
			case kind == 3:
				items = append(items, item)
				if code < 0 || code>>k&1 == 1 {
					parts = append(parts, item)
				}
			case code < 0:
				parts = append(parts, least)
			default:
				var all []dc.Expr
				all = append(all, item, other)
				if kind == 2 {
					all = append(all, dc.Abs(x.At(k%n).Sub(dc.Num(1))).Add(dc.Num(0.2)))
				}
				parts = append(parts, all[code%len(all)])
				code /= len(all)
			}
		}
		e := dc.Sum(parts...)
		if kind == 3 && code < 0 { // the two largest do not count
			e = e.Sub(dc.SumLargest(dc.Stack(items...), 2))
		}
		model.Minimize(dc.Sum(fits, e.Scale(1.5)))
		return build(t, model)
	}
	codes := 1 << m
	if kind == 2 {
		codes = 3 * 3 * 3 * 3 * 3
	}
	for code := range codes {
		kept := 0
		for k := range m {
			kept += code >> k & 1
		}
		if kind != 3 || kept == m-2 {
			each = append(each, state(code))
		}
	}
	return state(-1), each
}

// TestGlobalOfChoices compares proofs for minima of convex functions, and for trimmed
// sums, with the best of all choices.
func TestGlobalOfChoices(t *testing.T) {
	nodes := 0
	for seed := range uint64(shared.Times(24, 4)) {
		whole, each := drawMinima(t, seed)
		best := math.Inf(1)
		for _, p := range each {
			if res := solve(t, p, nil, nil); res.Status == ccp.Converged {
				best = min(best, res.Objective)
			}
		}
		res, err := global.Solve(context.Background(), whole, nil, 1, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(seed, err)
		}
		nodes += res.Nodes
		tol := 3e-6 * max(1, math.Abs(best))
		if !res.Proved || res.Status != ccp.Converged || math.Abs(res.Objective-best) > tol || math.Abs(res.Bound-best) > tol {
			t.Errorf("seed %d: %v, proved %v, %.9g with bound %.9g after %d nodes; the best of all %d choices is %.9g; %s", seed, res.Status, res.Proved, res.Objective, res.Bound, res.Nodes, len(each), best, res.Message)
		}
	}
	t.Logf("%d nodes", nodes)
}

// TestGlobalOfMajorants: the bound is that of the function, not of the majorant that touches it
// at a point.
func TestGlobalOfMajorants(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-1), dc.AtMost(1), dc.StartAt(0.3))
	m.Minimize(dc.Sum(dc.Abs(dc.Abs(x).Sub(dc.Num(0.5))), x.Scale(0.1)))
	res, err := global.Solve(context.Background(), build(t, m), nil, 1, ccp.DefaultSettings())
	if err != nil || !res.Proved || math.Abs(res.Objective+0.05) > 1e-6 || math.Abs(res.Bound+0.05) > 1e-6 {
		t.Errorf("error %v, %+v", err, res)
	}
}

// ramps is a support vector machine with the ramp loss and free variables, which is stated as the
// minimum of a positive part and 1, as a difference of positive parts, or as one of maxima.
func ramps(t *testing.T, seed uint64, samples, way int) *dc.Problem {
	rng := rand.New(rand.NewPCG(seed, 33))
	m := dc.NewModel()
	w, b := m.Var("w", []int{2}, dc.StartAt(0.1, 0.1)), m.Var("b", nil, dc.StartAt(0))
	parts := []dc.Expr{dc.SumSquares(w).Scale(0.5)}
	for range samples {
		x := []float64{rng.NormFloat64(), rng.NormFloat64()}
		margin := w.Dot(x).Add(b).Scale(float64(1 - 2*rng.IntN(2)))
		less := dc.Num(1).Sub(margin)
		switch way {
		case 0:
			parts = append(parts, dc.Min(dc.Pos(less), dc.Num(1)))
		case 1:
			parts = append(parts, dc.Pos(less), dc.Pos(margin.Neg()).Scale(-1))
		case 2:
			parts = append(parts, margin.Neg(), dc.Max(dc.Num(1), margin), dc.Max(margin.Neg(), dc.Num(0)).Scale(-1))
		}
	}
	m.Minimize(dc.Sum(parts...))
	return build(t, m)
}

// TestRamps: ramp losses of free variables have the optimum of the minima that they equal, and the
// bound of the first node, where the positive parts by themselves have none.
func TestRamps(t *testing.T) {
	for seed := range uint64(shared.Times(4, 4)) {
		var found [3]float64
		for way := range found {
			set := ccp.DefaultSettings()
			few, err := global.Solve(t.Context(), ramps(t, seed, 8, way), nil, 3, set)
			if err != nil {
				t.Fatal(err)
			}
			if found[way] = few.Objective; !(few.Gap <= 1e-5) {
				t.Errorf("seed %d, way %d: %g with a gap of %g after %d nodes", seed, way, few.Objective, few.Gap, few.Nodes)
			}
			set.Global.MaxNodes = 1
			many, err := global.Solve(t.Context(), ramps(t, seed, 120, way), nil, 1, set)
			if err != nil {
				t.Fatal(err)
			}
			if !(many.Bound > -1e-6) {
				t.Errorf("seed %d, way %d: the bound of the first node is %g", seed, way, many.Bound)
			}
		}
		for _, f := range found {
			if math.Abs(f-found[0]) > 1e-5*(1+math.Abs(f)) {
				t.Errorf("seed %d: %v by three ways", seed, found)
			}
		}
	}
}

// TestSafe: bounds by hulls and of variables without bounds are the backend's, and are left out
// where a proof is kept.
func TestSafe(t *testing.T) {
	capped, free, boxed := dc.NewModel(), dc.NewModel(), dc.NewModel()
	x := capped.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	capped.Minimize(dc.Sum(dc.SumSquares(x.Sub(dc.Num(0.5))), dc.Min(dc.Abs(x.At(0)), dc.Num(0.2)),
		dc.Min(dc.Abs(x.At(1)), dc.Num(0.2))))
	y := free.Var("y", []int{2})
	free.Minimize(dc.SumSquares(y).Sub(dc.Norm1(y)))
	z := boxed.Var("z", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	boxed.Minimize(dc.SumSquares(z).Sub(dc.Norm1(z)))
	for _, c := range []struct {
		name        string
		m           *dc.Model
		least       float64
		safe, shown bool // without a proof; there is one with a tree
	}{{"capped", capped, 0.4, false, true}, {"free", free, -0.5, false, false}, {"boxed", boxed, -0.5, true, true}} {
		for _, tree := range []bool{false, true} {
			set := ccp.DefaultSettings()
			set.Global.Proof = tree
			res, err := global.Solve(t.Context(), build(t, c.m), nil, 1, set)
			if err != nil || res.Bound > c.least+1e-9 {
				t.Errorf("%s: %v, a bound of %g, the least value is %g", c.name, err, res.Bound, c.least)
			}
			proved, safe := !tree || c.shown, tree || c.safe
			if res.Proved != proved || proved && res.Safe != safe || (res.Proof != nil) != (tree && proved) {
				t.Errorf("%s, with a tree %v: proved %v, safe %v, %d nodes; %s",
					c.name, tree, res.Proved, res.Safe, res.Nodes, res.NoBound)
			}
		}
	}
}
