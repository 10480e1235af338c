package decode

import (
	"math"

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
	for k, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return k
		}
	}
	return -1
}

// union is the union of ascending lists.
func union(a, b []int) []int {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]int, 0, len(a)+len(b))
	for i, k := 0, 0; i < len(a) || k < len(b); {
		switch {
		case k == len(b) || i < len(a) && a[i] < b[k]:
			out = append(out, a[i])
			i++
		case i == len(a) || b[k] < a[i]:
			out = append(out, b[k])
			k++
		default:
			out = append(out, a[i])
			i, k = i+1, k+1
		}
	}
	return out
}
