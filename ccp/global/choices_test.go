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
		var parts, items []dc.Operand
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
				var all []dc.Operand
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
			e = e.Sub(dc.SumLargestOf(items, 2))
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
