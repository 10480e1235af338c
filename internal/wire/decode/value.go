package decode

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// value is the value of a node: an array of functions, flat, in column-major order. Where no
// variable occurs it is data; the functions of data are those of their parameters, and are made
// where they are wanted.
type value struct {
	all   dc.Expr        // shape [n]; see array
	state func() dc.Expr // makes it; nil: it is there
	data  []float64      // the numbers, for the values of the parameters at hand; nil: variables occur
	deps  []int          // parameters in them, ascending
	terms int            // the terms that an entry may have: see spend
}

// number is data without parameters as a value.
func number(data []float64) *value {
	return &value{data: data, terms: 1, state: func() dc.Expr { return dc.Vec(data) }}
}

// array is the value as functions.
func (v *value) array() dc.Expr {
	if v.state != nil {
		v.all, v.state = v.state(), nil
	}
	return v.all
}

func (v *value) n() int {
	if v.isData() {
		return len(v.data)
	}
	return v.all.Len()
}

func (v *value) isData() bool { return v.data != nil }

func (v *value) affine() bool { return v.isData() || v.all.Plain() }

// expr is entry k; of a value of one entry that one.
func (v *value) expr(k int) dc.Expr { return v.array().Entry(min(k, v.n()-1)) }

// at is the number of entry k of data, and an infinite one of a sign of others.
func (v *value) at(k, sign int) float64 {
	if !v.isData() {
		return math.Inf(sign)
	}
	return v.data[min(k, len(v.data)-1)]
}

// broadcast is a value with n entries.
func (v *value) broadcast(n int) dc.Expr {
	if v.n() == n {
		return v.array()
	}
	return v.array().Select([]int{n}, make([]int, n))
}

// frozen is data with the numbers that parameters have now, which have been used; other values are
// as they were.
func (b *builder) frozen(v *value) *value {
	if len(v.deps) == 0 {
		return v
	}
	b.structural(v.deps)
	return number(v.data)
}

// structural says that the numbers of these parameters have been used.
func (b *builder) structural(deps []int) {
	for _, k := range deps {
		b.p.Structural[k] = true
	}
}

// finite reports the first entry that is not finite, −1 if there is none.
func finite(v []float64) int {
	return slices.IndexFunc(v, func(x float64) bool { return x-x != 0 })
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

// spread are n numbers, one for each entry; v has so many, or one.
func spread(v []float64, n int) []float64 {
	if len(v) == n {
		return slices.Clone(v)
	}
	return slices.Repeat(v[:min(n, 1)], n)
}

// columnMajor is the place in row-major order of each entry of an array in column-major
// order; nil where they are the same.
func columnMajor(shape []int) []int {
	n, long := 1, 0
	for _, d := range shape {
		if n *= d; d > 1 {
			long++
		}
	}
	if long < 2 || n == 0 {
		return nil
	}
	out := make([]int, n)
	for k := range out {
		rest, stride := k, n
		for _, d := range shape {
			stride /= d
			out[k], rest = out[k]+rest%d*stride, rest/d
		}
	}
	return out
}

// rowMajor brings numbers in column-major order into row-major order; a single number
// stays as it is.
func rowMajor(v []float64, perm []int) []float64 {
	if perm == nil || len(v) != len(perm) {
		return v
	}
	out := make([]float64, len(v))
	for k, i := range perm {
		out[i] = v[k]
	}
	return out
}

// flat is an array of a model as a vector in column-major order.
func flat(a dc.Expr, perm []int) dc.Expr {
	if perm == nil {
		return a.Reshape(a.Len())
	}
	return a.Select([]int{len(perm)}, perm)
}

func isInf(v float64) bool { return math.IsInf(v, 0) }
