package decode

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// value is the value of a node: an array, flat, in column-major order. data are its numbers, for
// the values of the parameters at hand, where it has no variable.
type value struct {
	a     dc.Expr // shape [n]
	data  []float64
	deps  []int // parameters in it, ascending
	terms int   // the terms that an entry may have: see spend
}

func (v *value) n() int { return v.a.Len() }

func (v *value) affine() bool { return v.a.Plain() }

func (v *value) isData() bool { return v.data != nil }

// expr is entry k; of a value of one entry that one.
func (v *value) expr(k int) dc.Expr {
	if v.n() == 1 {
		k = 0
	}
	return v.a.Entry(k)
}

// at is the number of entry k of data.
func (v *value) at(k int) float64 {
	if len(v.data) == 1 {
		return v.data[0]
	}
	return v.data[k]
}

// orInf is at of data, and an infinite number of a sign of others.
func (v *value) orInf(k, sign int) float64 {
	if !v.isData() {
		return math.Inf(sign)
	}
	return v.at(k)
}

// broadcast is a value with n entries.
func (v *value) broadcast(n int) dc.Expr {
	if v.n() == n {
		return v.a
	}
	return v.a.Select([]int{n}, make([]int, n))
}

// number is data as a value.
func number(data []float64, deps []int) value {
	return value{a: dc.Vec(data), data: data, deps: deps, terms: 1}
}

// frozen is the value for the numbers that parameters have now.
func (v value) frozen() value {
	if v.isData() && len(v.deps) > 0 {
		return number(v.data, v.deps)
	}
	return v
}

// finite reports the first entry that is not finite, −1 if there is none.
func finite(v []float64) int {
	return slices.IndexFunc(v, func(x float64) bool { return x-x != 0 })
}

// union is the union of ascending lists.
func union(a, b []int) []int {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// columnMajor is the place in row-major order of each entry of an array in column-major
// order; nil where they are the same.
func columnMajor(shape []int) []int {
	long := 0
	n := 1
	for _, d := range shape {
		if d > 1 {
			long++
		}
		n *= d
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

func isInf(v float64) bool { return math.IsInf(v, 0) }
