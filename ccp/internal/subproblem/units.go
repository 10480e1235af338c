package subproblem

import (
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
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

// SizeUp gives the variables the units of x: that of the largest entry of a variable, at least
// 1/1024 of the largest so far; where all are 0, or noise beside the other variables, of its starts
// and bounds, else that at which the problem's constants are balanced, or of the other variables;
// an entry that is noise beside that balance, or stands in a DC constraint whose terms at x are,
// has its size. An entry is within its own bounds and those that rows and cones imply. A unit that
// still fits stays, unless first.
func (s *Problem) SizeUp(x []float64, first bool) {
	if n := len(x); s.Units.Of == nil {
		s.Units.Of, s.Units.Sizes, first = make([]float64, n), make([]float64, n), true
		s.Units.largest, s.Units.chosen = make([]float64, n), make([]float64, n)
	}
	changed := first
	s.imply()
	var by, balance []float64
	if first {
		by, balance = s.Compiled.balancing(x), s.balances()
	}
	least, other := max(leastSize, noise*num.NormInf(x)), 1.0
	if top := num.NormInf(x); top >= leastSize {
		other = top
	}
	for _, v := range s.Compiled.DC.Vars {
		size := num.NormInf(x[v.Offset : v.Offset+v.Len()])
		if size < least && first {
			if size = v.Size(); size < least {
				if size = num.NormInf(balance[v.Offset:][:v.Len()]); size < least {
					size = other
				}
			}
		}
		for k := range v.Len() {
			j, own := v.Offset+k, size
			if first {
				if own < noise*balance[j] {
					own = balance[j]
				}
				if by != nil {
					own = max(own, by[j]*math.Abs(x[j]))
				}
			}
			if lo, hi := s.Units.within.lo[j], s.Units.within.hi[j]; !v.Param && max(math.Abs(lo), math.Abs(hi)) > 0 {
				own = max(min(own, max(math.Abs(lo), math.Abs(hi))), lo, -hi)
			}
			if first && !(own < noise*s.Units.largest[j]) {
				s.Units.largest[j] = own
			}
			s.Units.largest[j] = max(s.Units.largest[j], own)
			s.Units.Sizes[j] = max(own, s.Units.largest[j]/1024)
			if first || !scaling.Fits(s.Units.Sizes[j], s.Units.Of[j]) {
				s.Units.Of[j], changed = scaling.Unit(s.Units.Sizes[j]), true
			}
			changed = changed || s.Units.Sizes[j] > outgrows*s.Units.chosen[j]
		}
	}
	if s.Units.sized = append(s.Units.sized[:0], x...); changed {
		copy(s.Units.chosen, s.Units.Sizes)
		s.Units.columns, s.Units.measured = s.Units.columns[:0], false
	}
}

// SizeUpOnce is SizeUp for the first point, unless that has been x.
func (s *Problem) SizeUpOnce(x []float64) {
	if !slices.Equal(s.Units.sized, x) {
		s.SizeUp(x, true)
	}
}

// balances are, until the room is used again, by entry of the variables, the least size at which
// one of the convex problem's constants alone is balanced: |qⱼ|/Pⱼⱼ or the side of a row over the
// coefficient there; 0 where no constant tells.
func (s *Problem) balances() []float64 {
	now, p, a := &s.Lin.Now, s.Compiled.QP.P, s.Compiled.QP.A
	n := len(s.Units.Of)
	s.Units.room = slices.Grow(s.Units.room[:0], n)[:n]
	for j := range s.Units.room {
		least := math.Inf(1)
		note := func(constant, coefficient float64) {
			if constant == 0 || math.IsInf(constant, 0) {
				return
			}
			if b := math.Abs(constant / coefficient); b > 0 && b < least {
				least = b
			}
		}
		if q := now.Q[j]; q != 0 {
			note(q, diagonal(p, now.P, j))
		}
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			note(now.L[a.RowIdx[k]], now.A[k])
			note(now.U[a.RowIdx[k]], now.A[k])
		}
		if s.Units.room[j] = 0; least <= math.MaxFloat64 {
			s.Units.room[j] = least
		}
	}
	return s.Units.room
}

// diagonal is entry (j, j) of a matrix with the pattern of p, and 0 where that has none.
func diagonal(p *sparse.CSC, val []float64, j int) float64 {
	if k := p.ColPtr[j+1] - 1; k >= p.ColPtr[j] && p.RowIdx[k] == j { // the last of the upper triangle
		return val[k]
	}
	return 0
}

// balancing is, by entry, how much larger than x a point has to be at which the constants of the
// broken DC constraints, beside which their terms are noise at x, are balanced; nil: there is no
// such constraint. x*y at (1e-6, 1e-6) has a slope, per unit of that size, that no backend tells
// from 0 beside 1.
func (s *Compiled) balancing(x []float64) (by []float64) {
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
	n := s.Compiled.DC.NumVars()
	if len(s.Units.within.lo) == n {
		return
	}
	by := s.Units.within.by
	if by == nil {
		by = implied.NewReach(s.Compiled.unlinearised())
	}
	if s.Compiled.parametric() { // other values have other bounds
		s.Units.within.by = by
	}
	cols := len(s.Compiled.QP.Q)
	lo, hi := slices.Grow(s.Units.within.lo[:0], cols)[:cols], slices.Grow(s.Units.within.hi[:0], cols)[:cols]
	for j := range lo {
		lo[j], hi[j] = s.Compiled.QP.Bounds(j)
	}
	excluded := !by.Tighten(lo, hi, 3)
	s.Units.within.lo, s.Units.within.hi = lo[:n], hi[:n]
	for j := range n {
		if l, h := s.Compiled.QP.Bounds(j); excluded || !(max(lo[j], -hi[j]) < qpbackend.Infinity) {
			s.Units.within.lo[j], s.Units.within.hi[j] = l, h
		}
	}
}

// parametric reports whether the problem has parameters.
func (s *Compiled) parametric() bool {
	return slices.ContainsFunc(s.DC.Vars, func(v *program.Variable) bool { return v.Param })
}

// unlinearised is the problem without the bounds of the rows that are linearised.
func (s *Compiled) unlinearised() *qpbackend.Problem {
	p := *s.QP
	p.L, p.U = slices.Clone(p.L), slices.Clone(p.U)
	free := func(i int) { p.L[i], p.U[i] = math.Inf(-1), math.Inf(1) }
	for k := range s.Cuts {
		free(s.Cuts[k].Row)
	}
	for f := range s.Rows.All {
		for i := f.Row; i < f.Row+f.Count(); i++ {
			free(i)
		}
	}
	return &p
}

// outgrows is the growth of a variable that makes the units of the columns that atoms have
// added anew. Source: the fourth power of 4 is a quarter of 1024, the step of units.
const outgrows = 4

// BadlyScaled reports whether a variable of x is so far below the size that its unit was
// chosen for that the accuracy of a backend, relative to the unit, says little of it.
func (s *Problem) BadlyScaled(x []float64) bool {
	for _, v := range s.Compiled.DC.Vars {
		size := num.NormInf(x[v.Offset : v.Offset+v.Len()])
		for k := range v.Len() {
			unit := s.Units.Of[v.Offset+k]
			if size >= leastSize && scaling.Unit(size) < unit && !scaling.Fits(size, unit) {
				return true
			}
		}
	}
	return false
}

// Rescale gives the variables the units of x alone, whatever sizes they had before.
func (s *Problem) Rescale(x []float64) {
	clear(s.Units.largest)
	s.SizeUp(x, true)
	s.Session.unchanged.held = false
}

// KeepSizes takes over the sizes of the variables from the problem before in a session,
// which has as many.
func (s *Units) KeepSizes(old *Units) {
	s.Of, s.Sizes, s.largest, s.chosen, s.measured = old.Of, old.Sizes, old.largest, old.chosen, false
}

// columnUnits are those of all columns, slacks and auxiliary ones included.
func (s *Problem) columnUnits() []float64 {
	if len(s.Units.columns) == 0 || s.outgrown() {
		if len(s.Units.Of) == len(s.Compiled.QP.Q) {
			s.Units.columns = append(s.Units.columns[:0], s.Units.Of...)
		} else {
			s.Units.columns = scaling.Spread(s.Stated(), s.Units.Of, s.Units.Sizes, s.Units.sized)
		}
		if s.Units.Of != nil {
			s.Units.rowsAt = append(s.Units.rowsAt[:0], s.rowUnits()...)
		}
	}
	return s.Units.columns
}

// outgrown reports whether units of columns no longer are those of their values: the row
// of a slack, or the last value of a power or an exponential, is of another size.
func (s *Problem) outgrown() bool {
	if s.Units.Of == nil {
		return false
	}
	units := s.rowUnits()
	for n := range s.Compiled.Slacks {
		k := s.Compiled.owners[n]
		if u := units[k]; len(s.Units.rowsAt) == 0 || u > s.Units.rowsAt[k] || u < s.Units.rowsAt[k]/1024 {
			return true
		}
	}
	if len(s.Session.Res.X) != len(s.Units.columns) {
		return false
	}
	for _, j := range s.Compiled.powers {
		if v := math.Abs(s.Session.Res.X[j]); v > 0 && !scaling.Fits(v, s.Units.columns[j]) {
			return true
		}
	}
	return false
}

// rowUnits are the units of the slacks' rows: of the largest coefficient of the
// linearised function times its variable's unit, and of the bound.
func (s *Problem) rowUnits() []float64 {
	if s.Units.measured {
		return s.Units.rowSize
	}
	s.Units.measured = true
	s.sizeAbsent()
	for n := range s.Compiled.Slacks {
		s.Units.rowSize[s.Compiled.owners[n]] = 0
	}
	for k := range s.Compiled.Cuts {
		c := &s.Compiled.Cuts[k]
		if c.Slack == NoSlack {
			continue
		}
		size := math.Abs(s.Lin.Now.U[c.Row])
		for i, at := range c.Slot {
			size = max(size, math.Abs(s.Lin.Now.A[at])*s.Units.Of[c.Idx[i]])
		}
		k := s.Compiled.owners[c.Slack]
		s.Units.rowSize[k] = max(s.Units.rowSize[k], size)
	}
	for _, f := range s.Compiled.Rows.Families {
		f.Sizes(s.Units.rowSize, s.Lin.Now.A, s.Lin.Now.U, s.Units.Of)
	}
	for n := range s.Compiled.Slacks {
		k := s.Compiled.owners[n]
		s.Units.rowSize[k] = scaling.Unit(s.Units.rowSize[k])
	}
	return s.Units.rowSize
}

// sizeAbsent gives constraints without rows the units that their rows would have at the first
// point.
func (s *Problem) sizeAbsent() {
	if !s.Lin.unsized || len(s.Lin.at) == 0 {
		return
	}
	s.Lin.unsized = false
	for _, f := range s.Compiled.Rows.Families {
		if !f.Absent() {
			continue
		}
		f.SizesAt(s.Units.rowSize, s.Lin.at, s.Units.Of)
		for k := f.Soft; k < f.Soft+f.All.Count(); k++ {
			s.Units.rowSize[k] = scaling.Unit(s.Units.rowSize[k])
		}
	}
}

func Since(t time.Time) float64 { return time.Since(t).Seconds() }
