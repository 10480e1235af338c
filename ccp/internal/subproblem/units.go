package subproblem

import (
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/scaled"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// noise is the size, relative to the largest of a session's last run, up to which the
// entries of a point are zeros with the error of a backend: the tolerance that it is asked for.
// Taken for sizes, they would fall with each run from the last one's point until the
// units underflow.
// Source: derived: tightest, the tolerance that a backend is asked for.
const noise = 1e-9

// leastSize is below all sizes that a start has for its own sake: the error that a backend leaves
// in a 0, solved in units of its own, is less.
// Source: derived: problems are to be independent of units from 1e-9 to 1e9, twice.
const leastSize = 1e-18

// SizeUp gives the variables the units of x: that of the largest entry of a
// variable, at least 1/1024 of the largest so far; where all are 0, or noise beside the other
// variables, of its starts and bounds, else that at which the problem's constants are
// balanced, or of the other variables; an entry that is noise beside that balance, or stands in a DC constraint whose terms
// at x are, has its size. An entry is within its own bounds
// and those that rows and cones imply. A unit that still fits
// stays, unless first.
func (s *Problem) SizeUp(x []float64, first bool) {
	if n := len(x); s.Units == nil {
		s.Units, s.Sizes, s.largest, s.chosen, first = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), true
	}
	changed := first
	s.imply()
	var by []float64
	if first {
		by = s.balancing(x)
	}
	least, other := max(leastSize, noise*num.NormInf(x)), 1.0
	if top := num.NormInf(x); top >= leastSize {
		other = top
	}
	for _, v := range s.DC.Vars {
		size := num.NormInf(x[v.Offset : v.Offset+v.Len()])
		if size < least && first {
			if size = v.Size(); size < least {
				if size = s.natural(v); size < least {
					size = other
				}
			}
		}
		for k := range v.Len() {
			j, own := v.Offset+k, size
			if first {
				if balance := s.balance(j); own < noise*balance {
					own = balance
				}
				if by != nil {
					own = max(own, by[j]*math.Abs(x[j]))
				}
			}
			if lo, hi := s.lo[j], s.hi[j]; !v.Param && max(math.Abs(lo), math.Abs(hi)) > 0 {
				own = max(min(own, max(math.Abs(lo), math.Abs(hi))), lo, -hi)
			}
			if first && !(own < noise*s.largest[j]) {
				s.largest[j] = own
			}
			s.largest[j] = max(s.largest[j], own)
			s.Sizes[j] = max(own, s.largest[j]/1024)
			if first || !scaled.Fits(s.Sizes[j], s.Units[j]) {
				s.Units[j], changed = scaled.Unit(s.Sizes[j]), true
			}
			changed = changed || s.Sizes[j] > outgrows*s.chosen[j]
		}
	}
	if s.sized = append(s.sized[:0], x...); changed {
		copy(s.chosen, s.Sizes)
		s.columns, s.measured = nil, false
	}
}

// SizeUpOnce is SizeUp for the first point, unless that has been x.
func (s *Problem) SizeUpOnce(x []float64) {
	if !slices.Equal(s.sized, x) {
		s.SizeUp(x, true)
	}
}

// natural is the size of a variable without starts and bounds by the convex problem's constants: the
// largest of its entries' balances, 0 where no constant tells.
func (s *Problem) natural(v *dc.Variable) float64 {
	size := 0.0
	for j := v.Offset; j < v.Offset+v.Len(); j++ {
		size = max(size, s.balance(j))
	}
	return size
}

// balance is the least size at which entry j balances one of the convex problem's constants alone: |qⱼ|/Pⱼⱼ or the side
// of a row over the coefficient there; 0 where no constant tells.
func (s *Problem) balance(j int) float64 {
	p, least := s.Stated(), math.Inf(1)
	note := func(constant, coefficient float64) {
		if b := math.Abs(constant / coefficient); b > 0 && b < least {
			least = b
		}
	}
	for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
		if p.P.RowIdx[k] == j {
			note(p.Q[j], p.P.Val[k])
		}
	}
	for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
		note(p.L[p.A.RowIdx[k]], p.A.Val[k])
		note(p.U[p.A.RowIdx[k]], p.A.Val[k])
	}
	if least > math.MaxFloat64 {
		return 0
	}
	return least
}

// balancing is, by entry, how much larger than x a point has to be at which the constants of the broken DC constraints, beside
// which their terms are noise at x, are balanced; nil: there is no such constraint. x*y at (1e-6, 1e-6) has a slope, per unit of that size, that no backend tells
// from 0 beside 1.
func (s *Problem) balancing(x []float64) (by []float64) {
	for _, c := range s.Soft {
		if f := c.Balancing(x, noise); f > 1 {
			if by == nil {
				by = make([]float64, len(x))
			}
			for _, j := range c.Support() {
				by[j] = max(by[j], f)
			}
		}
	}
	return by
}

// imply sets the bounds of the variables that follow from the rows and cones of which
// nothing is linearised: x ≥ 10⁹ where x·y ≥ 1 and y ≤ 10⁻⁹. Where these exclude each other,
// or are beyond all sizes, those of the variables remain.
func (s *Problem) imply() {
	n := s.DC.NumVars()
	if len(s.lo) == n {
		return
	}
	p := *s.QP
	p.L, p.U = slices.Clone(p.L), slices.Clone(p.U)
	for k := range s.Cuts {
		p.L[s.Cuts[k].Row], p.U[s.Cuts[k].Row] = math.Inf(-1), math.Inf(1)
	}
	for _, f := range s.Rows.Families {
		for i := f.Row; i < f.Row+f.Count(); i++ {
			p.L[i], p.U[i] = math.Inf(-1), math.Inf(1)
		}
	}
	lo, hi := make([]float64, len(p.Q)), make([]float64, len(p.Q))
	for j := range lo {
		lo[j], hi[j] = p.Bounds(j)
	}
	excluded := !implied.TightenReach(&p, lo, hi, 3)
	s.lo, s.hi = slices.Clone(lo[:n]), slices.Clone(hi[:n]) // without the other columns
	for j := range n {
		if l, h := s.QP.Bounds(j); excluded || !(max(lo[j], -hi[j]) < qpbackend.Infinity) {
			s.lo[j], s.hi[j] = l, h
		}
	}
}

// outgrows is the growth of a variable that makes the units of the columns that atoms have
// added anew. Source: the fourth power of 4 is a quarter of 1024, the step of units.
const outgrows = 4

// Misfit reports whether a variable of x is so far below the size that its unit was
// chosen for that the accuracy of a backend, relative to the unit, says little of it.
func (s *Problem) Misfit(x []float64) bool {
	for _, v := range s.DC.Vars {
		size := num.NormInf(x[v.Offset : v.Offset+v.Len()])
		for k := range v.Len() {
			if size >= leastSize && scaled.Unit(size) < s.Units[v.Offset+k] && !scaled.Fits(size, s.Units[v.Offset+k]) {
				return true
			}
		}
	}
	return false
}

// Refit gives the variables the units of x alone, whatever sizes they had before.
func (s *Problem) Refit(x []float64) {
	clear(s.largest)
	s.SizeUp(x, true)
	s.unchanged.held = false
}

// KeepSizes takes over the sizes of the variables from the problem before in a session,
// which has as many.
func (s *Problem) KeepSizes(old *Problem) {
	s.Units, s.Sizes, s.largest, s.chosen, s.measured = old.Units, old.Sizes, old.largest, old.chosen, false
}

// columnUnits are those of all columns, slacks and auxiliary ones included.
func (s *Problem) columnUnits() []float64 {
	if s.columns == nil || s.outgrown() {
		s.columns = scaled.Spread(s.Stated(), s.Units, s.Sizes, s.sized)
		if s.Units != nil {
			s.rowsAt = append(s.rowsAt[:0], s.rowUnits()...)
		}
	}
	return s.columns
}

// outgrown reports whether units of columns no longer are those of their values: the row
// of a slack, or the last value of a power or an exponential, is of another size.
func (s *Problem) outgrown() bool {
	if s.Units == nil {
		return false
	}
	units := s.rowUnits()
	for n := range s.Slacks {
		k := s.softOf(n)
		if u := units[k]; len(s.rowsAt) == 0 || u > s.rowsAt[k] || u < s.rowsAt[k]/1024 {
			return true
		}
	}
	if len(s.Res.X) != len(s.columns) {
		return false
	}
	for _, j := range s.powers {
		if v := math.Abs(s.Res.X[j]); v > 0 && !scaled.Fits(v, s.columns[j]) {
			return true
		}
	}
	return false
}

// rowUnits are the units of the slacks' rows: of the largest coefficient of the
// linearised function times its variable's unit, and of the bound.
func (s *Problem) rowUnits() []float64 {
	if s.measured {
		return s.rowSize
	}
	s.measured = true
	s.sizeAbsent()
	for n := range s.Slacks {
		s.rowSize[s.softOf(n)] = 0
	}
	for k := range s.Cuts {
		c := &s.Cuts[k]
		if c.slack == noSlack {
			continue
		}
		size := math.Abs(s.Now.U[c.Row])
		for i, at := range c.Slot {
			size = max(size, math.Abs(s.Now.A[at])*s.Units[c.Idx[i]])
		}
		k := s.softOf(c.slack)
		s.rowSize[k] = max(s.rowSize[k], size)
	}
	for _, f := range s.Rows.Families {
		f.Sizes(s.rowSize, s.Now.A, s.Now.U, s.Units)
	}
	for n := range s.Slacks {
		k := s.softOf(n)
		s.rowSize[k] = scaled.Unit(s.rowSize[k])
	}
	return s.rowSize
}

// sizeAbsent gives constraints without rows the units that their rows would have at the first point.
func (s *Problem) sizeAbsent() {
	if !s.unsized || len(s.at) == 0 {
		return
	}
	s.unsized = false
	for _, f := range s.Rows.Families {
		if !f.Absent() {
			continue
		}
		f.SizesAt(s.rowSize, s.at, s.Units)
		for k := f.Soft; k < f.Soft+f.All.Count(); k++ {
			s.rowSize[k] = scaled.Unit(s.rowSize[k])
		}
	}
}

func Since(t time.Time) float64 { return time.Since(t).Seconds() }
