package factorable

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
)

// ColumnOf is the function that is one column.
func ColumnOf(j int) convex.Linear { return convex.Linear{Idx: []int{j}, Val: []float64{1}} }

// noise says which coefficients a function does not have: those of at most noise times the
// magnitudes of the numbers whose sum they are, which rounding errors may have left over.
// Source: 8 units in the last place.
const noise = 0x1p-50

// sum adds weighted functions.
func sum(c float64, parts []convex.Linear, weights []float64) convex.Linear {
	type entry struct {
		idx int
		val float64
	}
	var all []entry
	size := math.Abs(c)
	for k, l := range parts {
		w := 1.0
		if weights != nil {
			w = weights[k]
		}
		c += w * l.Const
		size += math.Abs(w * l.Const)
		for i, j := range l.Idx {
			all = append(all, entry{j, w * l.Val[i]})
		}
	}
	if math.Abs(c) <= noise*size {
		c = 0
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.idx - b.idx })
	out := convex.Linear{Const: c}
	for k := 0; k < len(all); {
		j, v, size := all[k].idx, 0.0, 0.0
		for ; k < len(all) && all[k].idx == j; k++ {
			v += all[k].val
			size += math.Abs(all[k].val)
		}
		if math.Abs(v) > noise*size {
			out.Idx, out.Val = append(out.Idx, j), append(out.Val, v)
		}
	}
	return out
}

// roughly is the same text for functions that rounding errors alone make different.
func roughly(l convex.Linear) string {
	var b strings.Builder
	for k, j := range l.Idx {
		fmt.Fprintf(&b, "%d*%.9e ", j, l.Val[k])
	}
	return b.String()
}

// same reports whether the numbers of two functions of the same columns differ by rounding errors
// at most. Errors beside the values of columns do not count: over [-10, 1e18] they are larger than
// 1.
func same(l, o convex.Linear) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= noise*math.Abs(a) }
	for k := range l.Idx {
		if !near(l.Val[k], o.Val[k]) {
			return false
		}
	}
	return near(l.Const, o.Const)
}

// proportional is v/u where that is one number, else 0.
func proportional(u, v []float64) float64 {
	r := v[0] / u[0]
	for k := range u {
		if v[k] != r*u[k] {
			return 0
		}
	}
	return r
}
