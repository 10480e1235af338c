package decode

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/wire"
)

// variable is one of the graph and its counterpart.
type variable struct {
	offset int               // of its entries in the vector of all
	n      int               // entries
	perm   []int             // see columnMajor
	dc     *program.Variable // after locate
}

// declare makes the variables, and the parameters that are needed as functions.
func (b *builder) declare() {
	b.p.values = make([]value, 0, b.first()+len(b.g.Nodes))
	nv := len(b.g.Variables)
	for id := range b.first() {
		err := caught(func() {
			if id < nv {
				b.variable(id)
			} else {
				b.parameter(id - nv)
			}
		})
		if err != nil {
			b.fail(b.at(id, err))
		}
	}
}

// fit checks the length of numbers, one for each of n entries or one for all.
func fit(what string, v []float64, n int) {
	if n > 0 && len(v) != n && len(v) != 1 {
		refuse("%s has %d numbers, want %d or 1", what, len(v), n)
	}
}

// fitted are n numbers that v has for each entry or for all.
func fitted(what string, v []float64, n int) []float64 {
	fit(what, v, n)
	return spread(v, n)
}

// spread are n numbers, one for each entry; v fits n.
func spread(v []float64, n int) []float64 {
	if len(v) == n {
		return slices.Clone(v)
	}
	return slices.Repeat(v[:min(n, 1)], n)
}

// variable declares a variable of the graph.
func (b *builder) variable(id int) {
	v := &b.g.Variables[id]
	n := b.entries(v.Shape)
	perm := columnMajor(v.Shape)
	var opts []dc.VarOption
	if n > 0 {
		for _, given := range []struct {
			what string
			v    *wire.Floats
			make func(v ...float64) dc.VarOption
		}{
			{"the lower bound", v.Lo, dc.AtLeast}, {"the upper bound", v.Hi, dc.AtMost},
			{"the start", v.Start, dc.StartAt},
		} {
			if given.v == nil {
				continue
			}
			fit(given.what, given.v.V, n)
			opts = append(opts, given.make(rowMajor(given.v.V, perm)...))
		}
		if v.Lo != nil || v.Hi != nil {
			if k, lo, hi := empty(sideOf("lo", v.Lo, -1, n), sideOf("hi", v.Hi, 1, n)); k >= 0 {
				refuse("entry %d has the bounds %g and %g", k, lo, hi)
			}
		}
		for _, s := range []struct {
			what string
			v    []float64
			make func(a, b float64) dc.VarOption
		}{{"start_normal", v.StartNormal, dc.StartNormal}, {"start_uniform", v.StartUniform, dc.StartUniform}} {
			if s.v == nil {
				continue
			}
			if len(s.v) != 2 {
				refuse("%s has %d numbers, want 2", s.what, len(s.v))
			}
			opts = append(opts, s.make(s.v[0], s.v[1]))
		}
		switch square := len(v.Shape) == 2 && v.Shape[0] == v.Shape[1]; {
		case (v.Symmetric || v.PSD) && !square:
			refuse("shape %v is not symmetric; want a square matrix", v.Shape)
		case v.PSD:
			opts = append(opts, dc.PSD())
		case v.Symmetric:
			opts = append(opts, dc.Symmetric())
		}
	}
	opts = append(opts, dc.CountFrom(make([]int, len(v.Shape))...))
	a := b.m.Var(v.Name, v.Shape, opts...)
	if err := a.Err(); err != nil {
		refuse("%s", cause(err))
	}
	b.p.vars = append(b.p.vars, variable{offset: b.p.Entries, n: n, perm: perm})
	b.p.Entries += n
	b.p.values = append(b.p.values, value{a: flat(a, perm), terms: 1})
}

// sideOf are n sides by one for each or one for all; nil: infinite ones of a sign.
func sideOf(what string, a *wire.Floats, sign, n int) []float64 {
	if a == nil {
		return spread([]float64{math.Inf(sign)}, n)
	}
	return fitted(what, a.V, n)
}

// empty is the first entry between whose sides there is no number; −1: there is none.
func empty(lo, hi []float64) (k int, least, most float64) {
	for k := range lo {
		if !(lo[k] <= hi[k]) || math.IsInf(lo[k], 1) || math.IsInf(hi[k], -1) {
			return k, lo[k], hi[k]
		}
	}
	return -1, 0, 0
}

// flat is an array of a model as a vector in column-major order.
func flat(a dc.Expr, perm []int) dc.Expr {
	if perm == nil {
		return a.Reshape(a.Len())
	}
	return a.Select([]int{len(perm)}, perm)
}

// parameter declares a parameter of the graph with its numbers.
func (b *builder) parameter(k int) {
	p := &b.g.Parameters[k]
	n := b.entries(p.Shape)
	given := b.params[k]
	fit("the value", given, n)
	if i := finite(given); i >= 0 {
		refuse("entry %d of the value is %g", i, given[i])
	}
	data := spread(given, n)
	v := number(data, []int{k})
	if b.needs[len(b.g.Variables)+k] && n > 0 {
		v.a = flat(b.m.Param(p.Name, p.Shape, rowMajor(data, b.orders[k])...).Expr, b.orders[k])
		b.p.Inside[k] = true
	}
	b.p.values = append(b.p.values, v)
}

// ParameterOrder is a value of parameter k as Problem.With wants it.
func (p *Program) ParameterOrder(k int, v []float64) []float64 {
	return rowMajor(v, p.layout.orders[k])
}
