package scaled

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Unit is a power of 1024 for a size: 1 for sizes from 1/8 to 128, and for 0 and
// what is no number.
func Unit(size float64) float64 {
	if !(size > 0) || math.IsInf(size, 1) {
		return 1
	}
	return math.Ldexp(1, 10*int(math.Floor((math.Log2(size)+3)/10)))
}

// Fits reports whether a size is near a unit, a little beyond the sizes that have
// it as their Unit.
func Fits(size, unit float64) bool { return !(size > 1024*unit) && !(size < unit/32) }

// Spread returns units for all columns of p from those of the first: a column
// that atoms or slacks have added gets that of the largest other term in its rows
// over its own coefficient. One that is alone in its rows, as the value of a power is,
// gets that of its bounds where the first columns are at the point x.
func Spread(p *qpbackend.Problem, first, x []float64) []float64 {
	n, m := p.Dims()
	col := make([]float64, n)
	copy(col, first)
	if p.A != nil {
		group, top := groups(p), make([]float64, m)
		cones := boosts(p)
		fromImplied(col, p, x)
		const passes = 3 // an epigraph in an epigraph in a residual
		for range passes {
			followCones(col, len(first), p, cones)
			constants(top, group, p)
			each(p.A, func(i, j int, v float64) { top[group[i]] = max(top[group[i]], math.Abs(v)*col[j]) })
			follow(col, len(first), p.A, group, top)
		}
	}
	for j, u := range col {
		if u == 0 {
			col[j] = 1
		}
	}
	return col
}

// fromImplied gives columns that are values of exponentials or powers the
// unit of their bounds as rows and cones imply them at x: e^u and uᵖ are of other sizes
// than u, and than what else stands in the rows that they are added up in.
func fromImplied(col []float64, p *qpbackend.Problem, x []float64) {
	values := ConeValues(p, len(x))
	if len(x) == 0 || len(values) == 0 {
		return
	}
	lo, hi := make([]float64, len(col)), make([]float64, len(col))
	for j := range col {
		if lo[j], hi[j] = p.Bounds(j); j < len(x) {
			lo[j], hi[j] = x[j], x[j]
		}
	}
	Implied(p, lo, hi, sweeps) // bounds that exclude each other are sizes, too
	for _, j := range values {
		if lo[j] < 0 && hi[j] > 0 { // one end may be a rounding error of 0
			if size := max(-lo[j], hi[j]); size <= math.MaxFloat64 {
				col[j] = Unit(size)
			}
			continue
		}
		size := math.Inf(1) // the end next to 0 is that of the value, the other one is far
		for _, b := range [2]float64{math.Abs(lo[j]), math.Abs(hi[j])} {
			if b > 0 {
				size = min(size, b)
			}
		}
		if size <= math.MaxFloat64 {
			col[j] = Unit(size)
		}
	}
}

// ConeValues are the columns from the first-th on that are alone in a row of a power cone,
// or in the last one of an exponential cone.
func ConeValues(p *qpbackend.Problem, first int) (columns []int) {
	alone := map[int]int{} // row of a cone to its column, −1: several
	for _, c := range p.Cones {
		switch c.Kind {
		case qpbackend.Exponential: // the other rows are exponents, of moderate size
			alone[c.Start+2] = none
		case qpbackend.Power:
			for i := range c.Len {
				alone[c.Start+i] = none
			}
		}
	}
	if len(alone) == 0 {
		return nil
	}
	each(p.A, func(i, j int, v float64) {
		switch at, ok := alone[i]; {
		case !ok || v == 0:
		case at == none:
			alone[i] = j
		default:
			alone[i] = several
		}
	})
	for _, j := range alone {
		if j >= first {
			columns = append(columns, j)
		}
	}
	return columns
}

// of a row that has no column, or more than one
const none, several = -1, -2

// followCones gives a column without a unit that is all there is in the u or in the
// v of a cone 4uv ≥ ‖w‖² the unit at which the cone's sides are equal.
func followCones(col []float64, first int, p *qpbackend.Problem, cones []boost) {
	if len(cones) == 0 {
		return
	}
	byRow := map[int]float64{} // the largest term of the rows w
	for k := range cones {
		for i := range cones[k].w {
			byRow[cones[k].row+2+i] = math.Abs(p.L[cones[k].row+2+i])
		}
	}
	unknown := map[int]bool{}
	each(p.A, func(i, j int, v float64) {
		if top, ok := byRow[i]; ok {
			byRow[i] = max(top, math.Abs(v)*col[j])
			unknown[i] = unknown[i] || col[j] == 0 && v != 0
		}
	})
	for k := range cones {
		b := &cones[k]
		w, open := 0.0, false
		for i := range b.w {
			w, open = max(w, byRow[b.row+2+i]), open || unknown[b.row+2+i]
		}
		u, v := b.sizes(p, col)
		if open || !(w > 0) || (u > 0) == (v > 0) {
			continue
		}
		for i, j := range b.cols {
			if j < first || col[j] != 0 {
				continue
			}
			a := (math.Abs(p.A.Val[b.at[i][0]]) + math.Abs(p.A.Val[b.at[i][1]])) / 2
			if size := w * w / (4 * max(u, v) * a); a > 0 && finiteUnit(size) {
				col[j] = Unit(size)
			}
		}
	}
}

func finiteUnit(size float64) bool { return size > 0 && !math.IsInf(size, 1) }

// follow gives columns from the first-th on without a unit that of their rows.
func follow(col []float64, first int, a *sparse.CSC, group []int, top []float64) {
	for j := first; j < len(col); j++ {
		if col[j] != 0 {
			continue
		}
		largest, size := 0.0, 0.0
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			largest = max(largest, math.Abs(a.Val[k]))
		}
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			// A coefficient far below the others is a rest of cancellation.
			if v := math.Abs(a.Val[k]); v > 0x1p-20*largest {
				size = max(size, top[group[a.RowIdx[k]]]/v)
			}
		}
		if size > 0 {
			col[j] = Unit(size)
		}
	}
}

// groups is for each row the first row of its cone, or the row itself: the rows of
// a cone share a unit, but for exponential and power cones.
func groups(p *qpbackend.Problem) []int {
	group := make([]int, len(p.L))
	for i := range group {
		group[i] = i
	}
	for _, c := range p.Cones {
		if separate(c.Kind) {
			continue
		}
		for i := range c.Len {
			group[c.Start+i] = c.Start
		}
	}
	return group
}

// constants sets top, by group, to the constants of the rows, which are terms as the
// coefficients are: of a row with bounds the smaller one.
func constants(top []float64, group []int, p *qpbackend.Problem) {
	for i, g := range group {
		lo, hi := math.Abs(p.L[i]), math.Abs(p.U[i])
		if top[i] = min(lo, hi); g != i || math.IsInf(top[i], 1) {
			top[i] = 0
		}
	}
	for _, c := range p.Cones {
		for i := range c.Len {
			g := group[c.Start+i]
			top[g] = max(top[g], math.Abs(p.L[c.Start+i]))
		}
	}
}
