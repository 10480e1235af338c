package kkt

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/num"
)

// Newton is the step of Newton's method on the first-order conditions: to the point x, and to the
// multipliers there. Equations, and the rows and bounds whose slack is less than their multiplier,
// in units of the sizes of variables, hold at x, to first order. ok is false where there are more
// than most unknowns, a function without second derivatives, or no step.
func (p *Point) Newton(duals [][]float64, bounds []float64, most int) (x []float64, to [][]float64, ok bool) {
	n, f := len(p.X), &p.P.Objective
	if n > most || !f.Smooth() {
		return nil, nil, false
	}
	grad, long := make([]float64, n), 0.0
	f.AddSubgrad(grad, 1, p.X)
	for j, g := range grad {
		long = max(long, math.Abs(g)*p.Size[j])
	}
	held, smooth := p.held(duals, long)
	for _, r := range held {
		long = max(long, math.Abs(r.y)*r.top)
	}
	all := n + len(held)
	if !smooth || all > most || !(long > 0) {
		return nil, nil, false
	}
	k, b, fixed := mat.NewDense(all, all, nil), make([]float64, all), make([]bool, n)
	for j, v := range p.X {
		side, y := p.Lo[j], 0-bounds[j]
		if y < 0 {
			side, y = p.Hi[j], 0-y
		}
		if fixed[j] = p.Lo[j] == p.Hi[j] || math.Abs(side-v)*long < y*p.Size[j]*p.Size[j]; fixed[j] {
			k.Set(j, j, 1)
			b[j] = (side - v) / p.Size[j]
			continue
		}
		b[j] = 0 - grad[j]*p.Size[j]/long
	}
	smooth = p.curve(k, fixed, f, 1/long)
	for e, r := range held {
		if c := &p.P.Constraints[r.c]; c.DC {
			f := c.Function()
			smooth = smooth && p.curve(k, fixed, &f, r.y/long)
		}
		for t, j := range r.idx {
			v := r.val[t] * p.Size[j] / r.top
			if k.Set(n+e, j, v); !fixed[j] {
				k.Set(j, n+e, v)
			}
		}
		b[n+e] = (r.side - r.value) / r.top
	}
	if !smooth {
		return nil, nil, false
	}
	s, _, err := dense.Solve(context.Background(), all, 1, k.RawMatrix().Data, b)
	if s == nil || err != nil || num.FirstNotFinite(s) >= 0 {
		return nil, nil, false
	}
	x, to = slices.Clone(p.X), blocks.Zeros(nil, p.P)
	for j := range x {
		x[j] += s[j] * p.Size[j]
	}
	for e, r := range held {
		y := s[n+e] * long / r.top
		if to[r.c][r.entry] = y; p.P.Constraints[r.c].Equation {
			to[r.c][0], to[r.c+1][0] = max(y, 0), max(0-y, 0)
		}
	}
	return x, to, true
}

// curve adds y·∇²f, in units of the sizes, to the rows of variables that are not fixed. It is false
// where f has no second derivatives.
func (p *Point) curve(k *mat.Dense, fixed []bool, f convex.Func, y float64) bool {
	product, ok := convex.HessianOf(f)
	if !ok {
		return false
	}
	unit, column, of := make([]float64, len(p.X)), make([]float64, len(p.X)), f.Support()
	for _, j := range of {
		unit[j] = 1
		product(column, y, p.X, unit)
		unit[j] = 0
		for _, i := range of {
			if !fixed[i] {
				k.Set(i, j, k.At(i, j)+column[i]*p.Size[i]*p.Size[j])
			}
			column[i] = 0
		}
	}
	return true
}

// holding is a row that holds, with its side and its largest coefficient in units of the variables.
type holding struct {
	row
	side, top float64
}

// held are the rows that hold. smooth is false where one of them is kinked.
func (p *Point) held(duals [][]float64, long float64) (out []holding, smooth bool) {
	smooth = true
	y := func(i, k int) float64 {
		c, y := &p.P.Constraints[i], p.multiplier(duals, i, k)
		if y == 0 && (c.Equation || !c.DC && c.Lo[k] == c.Hi[k]) {
			return math.SmallestNonzeroFloat64
		}
		return y
	}
	p.rows(y, math.Inf(1), func(r row) {
		h := holding{row: r, side: r.hi}
		for t, j := range r.idx {
			h.top = max(h.top, math.Abs(r.val[t])*p.Size[j])
		}
		if r.y < 0 {
			h.side = r.lo
		}
		by := math.Abs(r.y) * h.top
		if slack := math.Abs(h.side - r.value); r.lo == r.hi || slack*max(long, by) < by*h.top {
			out, smooth = append(out, h), smooth && !r.kinked && h.top > 0
		}
	})
	return out, smooth
}

// Owed is by how much the objective is lower at X, by multipliers, than where all rows hold.
func (p *Point) Owed(duals [][]float64) (sum float64) {
	p.rows(func(i, k int) float64 { return p.multiplier(duals, i, k) }, math.Inf(1), func(r row) {
		sum += math.Abs(r.y) * max(r.lo-r.value, r.value-r.hi, 0)
	})
	return sum
}
