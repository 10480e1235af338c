package global

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/rows"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// mostHull bounds the columns of the convex hull's problem.
// Source: a limit of time.
const mostHull = 20_000

// hull bounds the problem without any choice: for each maximum there is a copy
// of the columns z for each piece, within the rows of the convex constraints
// and of the pieces' region, each scaled by a weight λ, and the copies add up to
// z, the weights to 1. Balas 1979, for each maximum by itself. It
// returns −Inf if that is unbounded or too large.
func (g *searcher) hull(ctx context.Context) (bound float64, err error) {
	defer subproblem.Unwound(&err)
	b := subproblem.NewBuilder(ctx, g.p.NumVars())
	b.Minimise(b.Form(g.exact.Objective.G()))
	subproblem.HardRows(b, g.exact)
	var dcRows []dc.Linear // g of each, without h
	var owner []int
	at := 0
	for i := range g.exact.Constraints {
		if c := &g.exact.Constraints[i]; !c.Convex() {
			for _, l := range subproblem.UpperRows(b, c.E().G(), 0) {
				dcRows, owner = append(dcRows, l), append(owner, at)
			}
			at++
		}
	}
	n, plain := b.Cols, plainRows(b)
	copies := 0
	for _, t := range g.terms {
		copies += len(t.pieces)
	}
	if copies*(n+1) > mostHull {
		return math.Inf(-1), nil
	}
	value := make([]dc.Linear, len(g.terms))
	for k, t := range g.terms {
		value[k] = disjunction(b, t, n, plain)
	}
	sum := func(q *part) dc.Linear {
		l := q.lin
		for i, k := range q.term {
			l = l.AddScaled(q.weight[i], value[k])
		}
		return l
	}
	for i, l := range dcRows {
		b.Row(l.AddScaled(-1, sum(&g.parts[owner[i]])), math.Inf(-1), 0)
	}
	b.AddLinear(sum(&g.parts[at]).Scale(-1))
	qp, err := b.Problem(nil)
	if err != nil {
		return 0, err
	}
	var res qpbackend.Result
	g.aside++
	if err := g.solveOnce(ctx, qp, &res); err != nil || res.Status != qpbackend.Solved {
		return math.Inf(-1), nil // the root has no bound
	}
	return res.Objective - res.Res.Gap*max(1, math.Abs(res.Objective)), nil
}

// plainRows are the rows that are not in a cone, and the bounds of columns as
// rows.
func plainRows(b *subproblem.Builder) []rows.Row {
	var out []rows.Row
	i := 0
	for _, c := range b.Cones {
		out = append(out, b.Rows.Single[i:c.Start]...)
		i = c.Start + c.Len
	}
	out = append(out, b.Rows.Single[i:]...)
	for j, lo := range b.Lo {
		if hi := b.Hi[j]; !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			out = append(out, rows.Row{A: dc.Linear{Idx: []int{j}, Val: []float64{1}}, Lo: lo, Hi: hi})
		}
	}
	return out
}

// disjunction adds the copies of the first n columns for each piece of t, and
// returns the sum of the pieces, each at its copy.
func disjunction(b *subproblem.Builder, t *maximum, n int, plain []rows.Row) dc.Linear {
	weights := dc.Linear{}
	sums := make([]dc.Linear, n)
	for j := range sums {
		sums[j] = dc.Linear{Idx: []int{j}, Val: []float64{-1}}
	}
	value := dc.Linear{}
	for k, piece := range t.pieces {
		first := b.Cols
		b.Cols += n + 1
		λ := dc.Linear{Idx: []int{first + n}, Val: []float64{1}}
		at := func(l dc.Linear) dc.Linear { // without the constant, at the copy
			idx := make([]int, len(l.Idx))
			for i, j := range l.Idx {
				idx[i] = first + j
			}
			return dc.Linear{Idx: idx, Val: l.Val}
		}
		for _, r := range plain {
			a := at(r.A)
			if !math.IsInf(r.Hi, 1) {
				lo := math.Inf(-1)
				if r.Lo == r.Hi {
					lo = 0
				}
				b.Row(a.AddScaled(-r.Hi, λ), lo, 0)
			}
			if !math.IsInf(r.Lo, -1) && r.Lo != r.Hi {
				b.Row(a.AddScaled(-r.Lo, λ), 0, math.Inf(1))
			}
		}
		for i, other := range t.pieces {
			if i != k {
				d := piece.AddScaled(-1, other)
				b.Row(at(d).AddScaled(d.Const, λ), 0, math.Inf(1))
			}
		}
		b.BoundColumn(λ.Idx[0], 0, math.Inf(1))
		weights = weights.AddScaled(1, λ)
		for j := range sums {
			sums[j] = sums[j].AddScaled(1, dc.Linear{Idx: []int{first + j}, Val: []float64{1}})
		}
		value = value.AddScaled(1, at(piece).AddScaled(piece.Const, λ))
	}
	b.Row(weights, 1, 1)
	for _, s := range sums {
		b.Row(s, 0, 0)
	}
	return value
}
