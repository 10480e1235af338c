package decode

import (
	"math"

	"github.com/dcopt/dcopt/dc"
)

// variable is one of the graph and its counterpart.
type variable struct {
	offset int          // of its entries in the vector of all
	n      int          // entries
	perm   []int        // see columnMajor
	dc     *dc.Variable // after locate
}

// declare makes the variables, and the parameters that are needed as functions.
func (b *builder) declare() {
	b.p.values = make([]value, 0, b.first()+len(b.g.Nodes))
	for k := range b.g.Variables {
		b.variable(k)
	}
	for k := range b.g.Parameters {
		b.parameter(k)
	}
}

// fit checks the length of numbers, one for each of n entries or one for all.
func fit(what string, v []float64, n int) *Error {
	if len(v) != n && len(v) != 1 {
		return problemf("%s has %d numbers, want %d or 1", what, len(v), n)
	}
	return nil
}

func (b *builder) variable(id int) {
	v := &b.g.Variables[id]
	n := b.entries(v.Shape)
	perm := columnMajor(v.Shape)
	var opts []dc.VarOption
	if n > 0 {
		var err *Error
		if v.Lo != nil {
			err = fit("the lower bound", v.Lo.V, n)
			opts = append(opts, dc.AtLeast(rowMajor(v.Lo.V, perm)...))
		}
		if v.Hi != nil && err == nil {
			err = fit("the upper bound", v.Hi.V, n)
			opts = append(opts, dc.AtMost(rowMajor(v.Hi.V, perm)...))
		}
		for k := 0; k < n && err == nil && (v.Lo != nil || v.Hi != nil); k++ {
			lo, hi := math.Inf(-1), math.Inf(1)
			if v.Lo != nil {
				lo = v.Lo.V[k%len(v.Lo.V)]
			}
			if v.Hi != nil {
				hi = v.Hi.V[k%len(v.Hi.V)]
			}
			if !(lo <= hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
				err = problemf("entry %d has the bounds %g and %g", k, lo, hi)
			}
		}
		if v.Start != nil && err == nil {
			err = fit("the start", v.Start.V, n)
			opts = append(opts, dc.StartAt(rowMajor(v.Start.V, perm)...))
		}
		for _, s := range []struct {
			what string
			v    []float64
			make func(a, b float64) dc.VarOption
		}{{"start_normal", v.StartNormal, dc.StartNormal}, {"start_uniform", v.StartUniform, dc.StartUniform}} {
			if s.v == nil || err != nil {
				continue
			}
			if len(s.v) != 2 {
				err = problemf("%s has %d numbers, want 2", s.what, len(s.v))
				break
			}
			opts = append(opts, s.make(s.v[0], s.v[1]))
		}
		if err == nil && (v.Symmetric || v.PSD) && (len(v.Shape) != 2 || v.Shape[0] != v.Shape[1]) {
			err = problemf("shape %v is not symmetric; want a square matrix", v.Shape)
		}
		if err != nil {
			b.fail(b.at(id, err))
			return
		}
	}
	switch {
	case n == 0:
	case v.PSD:
		opts = append(opts, dc.PSD())
	case v.Symmetric:
		opts = append(opts, dc.Symmetric())
	}
	opts = append(opts, dc.CountFrom(make([]int, len(v.Shape))...))
	a := b.m.Var(v.Name, v.Shape, opts...)
	if err := a.Err(); err != nil {
		b.fail(b.at(id, problemf("%s", cause(err))))
		return
	}
	b.p.vars = append(b.p.vars, variable{offset: b.p.Entries, n: n, perm: perm})
	b.p.Entries += n
	b.p.values = append(b.p.values, value{a: flat(a, perm), terms: 1})
}

// flat is an array of a model as a vector in column-major order.
func flat(a dc.Expr, perm []int) dc.Expr {
	if perm == nil {
		return a.Reshape(a.Len())
	}
	return a.Select([]int{len(perm)}, perm)
}

func (b *builder) parameter(k int) {
	p, id := &b.g.Parameters[k], len(b.g.Variables)+k
	n := b.entries(p.Shape)
	given := b.params[k]
	if err := fit("the value", given, n); err != nil && n > 0 {
		b.fail(b.at(id, err))
		return
	}
	if i := finite(given); i >= 0 {
		b.fail(b.at(id, problemf("entry %d of the value is %g", i, given[i])))
		return
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = given[i%len(given)]
	}
	v := number(data, []int{k})
	if b.needs[id] && n > 0 {
		perm := columnMajor(p.Shape)
		v.a = flat(b.m.Param(p.Name, p.Shape, rowMajor(data, perm)...).Expr, perm)
		b.p.Inside[k] = true
	}
	b.p.values = append(b.p.values, v)
}

// ParameterOrder is a value of parameter k as Problem.With wants it.
func (p *Program) ParameterOrder(k int, v []float64) []float64 {
	return rowMajor(v, columnMajor(p.graph.Parameters[k].Shape))
}
