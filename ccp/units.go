package ccp

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/scaled"
)

// sizeUp gives the variables the units of x: that of the largest entry of a
// variable, at least 1/1024 of the largest so far; where all are 0, of its starts
// and bounds. An entry is no larger than its own bounds. A unit that still fits
// stays, unless first.
func (s *subproblem) sizeUp(x []float64, first bool) {
	if n := len(x); s.units == nil {
		s.units, s.sizes, s.largest, first = make([]float64, n), make([]float64, n), make([]float64, n), true
	}
	changed := first
	for _, v := range s.p.Vars {
		size := maxAbs(x[v.Offset : v.Offset+v.Len()])
		if size == 0 && first {
			size = v.Size()
		}
		for k := range v.Len() {
			j, own := v.Offset+k, size
			if lo, hi := v.Bounds(k); max(math.Abs(lo), math.Abs(hi)) > 0 {
				own = min(own, max(math.Abs(lo), math.Abs(hi)))
			}
			if first {
				s.largest[j] = own
			}
			s.largest[j] = max(s.largest[j], own)
			s.sizes[j] = max(own, s.largest[j]/1024)
			if first || !scaled.Fits(s.sizes[j], s.units[j]) {
				s.units[j], changed = scaled.Unit(s.sizes[j]), true
			}
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

// measures are units of all columns for the slopes of the objective: that of a
// column that an atom has added is the largest of the variables in its rows.
func (s *subproblem) measures() []float64 {
	a := s.qp.A
	row := make([]float64, a.Rows)
	out := make([]float64, a.Cols)
	copy(out, s.units)
	for j, u := range s.units {
		for _, i := range a.RowIdx[a.ColPtr[j]:a.ColPtr[j+1]] {
			row[i] = max(row[i], u)
		}
	}
	for _, c := range s.qp.Cones {
		top := 0.0
		for _, u := range row[c.Start : c.Start+c.Len] {
			top = max(top, u)
		}
		for i := range c.Len {
			row[c.Start+i] = top
		}
	}
	for j := len(s.units); j < a.Cols; j++ {
		for _, i := range a.RowIdx[a.ColPtr[j]:a.ColPtr[j+1]] {
			out[j] = max(out[j], row[i])
		}
		if out[j] == 0 {
			out[j] = 1
		}
	}
	return out
}

// rowUnits are the units of the slacks' rows: of the largest coefficient of the
// linearised function times its variable's unit, and of the bound.
func (s *subproblem) rowUnits() []float64 {
	clear(s.rowSize)
	for k := range s.cuts {
		c := &s.cuts[k]
		if c.slack == noSlack {
			continue
		}
		size := math.Abs(s.now.U[c.row])
		for i, at := range c.slot {
			size = max(size, math.Abs(s.now.A[at])*s.units[c.idx[i]])
		}
		s.rowSize[c.slack] = max(s.rowSize[c.slack], size)
	}
	for k, size := range s.rowSize {
		s.rowSize[k] = scaled.Unit(size)
	}
	return s.rowSize
}
