package lder

import (
	"maps"
	"slices"
)

// Terms is the number of terms of the formula: slopes and constants that are not 0.
func (m *Model) Terms() int {
	terms := 0
	for _, pieces := range []struct {
		w [][]float64
		a []float64
	}{{m.W, m.A}, {m.M, m.B}} {
		for k, row := range pieces.w {
			for _, v := range append(row[:len(row):len(row)], pieces.a[k]) {
				if v != 0 {
					terms++
				}
			}
		}
	}
	return terms
}

// Terms is the number of terms, coefficients and constants that are not 0, of all its
// l-DERs.
func (e *Stack) Terms() int {
	terms := 0
	for _, c := range e.Chains {
		for _, p := range c.Parts {
			p.Each(func(m *Model, _ []int) { terms += m.Terms() })
		}
	}
	return terms
}

// Terms is the number of terms of the fitted formula, 0 before a fit.
func (r *Regressor) Terms() int {
	switch {
	case r.Model != nil:
		return r.Model.Terms()
	case r.Ensemble != nil:
		return r.Ensemble.Terms()
	}
	return 0
}

// Used are the numbers of the features that the fitted formula depends on, ascending.
func (r *Regressor) Used() []int {
	used := map[int]bool{}
	add := func(m *Model, features []int) {
		for _, rows := range [][][]float64{m.W, m.M} {
			for _, row := range rows {
				for j, v := range row {
					if v == 0 {
						continue
					}
					if features != nil {
						j = features[j]
					}
					used[j] = true
				}
			}
		}
	}
	if r.Model != nil {
		add(r.Model, nil)
	}
	if r.Ensemble != nil {
		for _, c := range r.Ensemble.Chains {
			for _, p := range c.Parts {
				p.Each(add)
			}
		}
	}
	return slices.Sorted(maps.Keys(used))
}
