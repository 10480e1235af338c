package ccp

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/scaled"
)

// sizeUp gives the variables the units of x: that of the largest entry of a
// variable or, where all are 0, of its starts and bounds. A unit that still fits
// stays, unless first.
func (s *subproblem) sizeUp(x []float64, first bool) {
	if s.units == nil {
		s.units, s.sizes, s.largest, first = make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x)), true
	}
	if first {
		clear(s.largest)
	}
	changed := first
	for _, v := range s.p.Vars {
		if v.Len() == 0 {
			continue
		}
		size := maxAbs(x[v.Offset : v.Offset+v.Len()])
		if size == 0 && first {
			size = v.Size()
		}
		if !first {
			size = max(size, s.largest[v.Offset]/1024)
		}
		for k := range v.Len() {
			s.sizes[v.Offset+k] = size
			s.largest[v.Offset+k] = max(size, s.largest[v.Offset+k])
		}
		u := s.units[v.Offset]
		if !first && scaled.Fits(size, u) {
			continue
		}
		u, changed = scaled.Unit(size), true
		for k := range v.Len() {
			s.units[v.Offset+k] = u
		}
	}
	if changed {
		s.columns = nil
	}
}

// columnUnits are those of all columns, slacks and auxiliary ones included.
func (s *subproblem) columnUnits() []float64 {
	if s.columns == nil {
		s.columns = scaled.Spread(s.stated(), s.units)
	}
	return s.columns
}

// weigh gives each slack one over the unit of its row: of the largest of its
// coefficients times their variables' units and its bound, as linearised last.
func (s *subproblem) weigh() {
	top := make(map[int]float64, len(s.cuts)) // by row
	for k := range s.cuts {
		top[s.cuts[k].row] = 0
	}
	a := s.qp.A
	for j, u := range s.units {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			i := a.RowIdx[k]
			if t, ok := top[i]; ok {
				top[i] = max(t, math.Abs(s.now.A[k])*u)
			}
		}
	}
	size := make([]float64, len(s.slacks))
	for k := range s.cuts {
		c := &s.cuts[k]
		size[c.slack] = max(size[c.slack], top[c.row], math.Abs(s.now.U[c.row]))
	}
	for k := range s.weight {
		s.weight[k] = 1 / scaled.Unit(size[k])
	}
}
