package decode

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/wire"
)

// declare makes the value of a variable or parameter.
func (b *builder) declare(id int) {
	var v *value
	if k := id - len(b.g.Variables); k < 0 {
		v = b.variable(&b.g.Variables[id])
	} else {
		v = b.parameter(k)
	}
	b.p.values = append(b.p.values, v)
}

// variable declares a variable of the graph.
func (b *builder) variable(v *wire.Variable) *value {
	n, perm := b.entries(v.Shape), columnMajor(v.Shape)
	opts := []dc.VarOption{dc.CountFrom(make([]int, len(v.Shape))...)}
	for _, given := range []struct {
		what string
		v    *wire.Floats
		make func(v ...float64) dc.VarOption
	}{
		{"the lower bound", v.Lo, dc.AtLeast}, {"the upper bound", v.Hi, dc.AtMost}, {"the start", v.Start, dc.StartAt},
	} {
		if given.v != nil && n > 0 {
			fit(given.what, given.v.V, n)
			opts = append(opts, given.make(rowMajor(given.v.V, perm)...))
		}
	}
	if v.Lo != nil || v.Hi != nil {
		if k, lo, hi := empty(sideOf("lo", v.Lo, -1, n), sideOf("hi", v.Hi, 1, n)); k >= 0 {
			refuse("entry %d has the bounds %g and %g", k, lo, hi)
		}
	}
	for _, drawn := range []struct {
		what string
		v    []float64
		make func(a, b float64) dc.VarOption
	}{{"start_normal", v.StartNormal, dc.StartNormal}, {"start_uniform", v.StartUniform, dc.StartUniform}} {
		switch {
		case drawn.v == nil || n == 0:
		case len(drawn.v) != 2:
			refuse("%s has %d numbers, want 2", drawn.what, len(drawn.v))
		default:
			opts = append(opts, drawn.make(drawn.v[0], drawn.v[1]))
		}
	}
	switch square := len(v.Shape) == 2 && v.Shape[0] == v.Shape[1]; {
	case n == 0 || !v.Symmetric && !v.PSD:
	case !square:
		refuse("shape %v is not symmetric; want a square matrix", v.Shape)
	case v.PSD:
		opts = append(opts, dc.PSD())
	default:
		opts = append(opts, dc.Symmetric())
	}
	a := b.m.Var(v.Name, v.Shape, opts...)
	if err := a.Err(); err != nil {
		refuse("%s", cause(err))
	}
	b.p.Entries += n
	return &value{all: flat(a, perm), terms: 1}
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

// parameter is a parameter of the graph with its numbers. The problem has it if it is needed as a
// function.
func (b *builder) parameter(k int) *value {
	p := &b.g.Parameters[k]
	given := b.params[k]
	data := fitted("the value", given, b.entries(p.Shape))
	if i := finite(given); i >= 0 {
		refuse("entry %d of the value is %g", i, given[i])
	}
	v := number(data)
	if v.deps = []int{k}; b.needs[k] && len(data) > 0 {
		v.all, v.state = flat(b.m.Param(p.Name, p.Shape, rowMajor(data, b.orders[k])...).Expr, b.orders[k]), nil
		b.p.Inside[k] = true
	}
	return v
}

// ParameterOrder is a value of parameter k as Problem.With wants it.
func (p *Program) ParameterOrder(k int, v []float64) []float64 { return rowMajor(v, p.orders[k]) }
