package scaling

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/qpbackend"
)

// Unit is a power of 1024 for a size: 1 for sizes from 1/8 to 128, for 0 and
// for NaN. It has a reciprocal.
func Unit(size float64) float64 {
	if !(size > 0) || math.IsInf(size, 1) {
		return 1
	}
	if size >= 0x1p-3 && size < 0x1p7 {
		return 1 // as below, in less time
	}
	_, e := math.Frexp(size) // size is from 2^(e−1) to 2^e, exactly
	return math.Ldexp(1, 10*max(-100, min(int(math.Floor(float64(e+2)/10)), 100)))
}

// Fits reports whether a size is near a unit, a little beyond the sizes that have
// it as their Unit.
func Fits(size, unit float64) bool { return !(size > 1024*unit) && !(size < unit/32) }

// Spread returns units for all columns of p from those of the first, whose entries have
// the given sizes. A column that atoms or slacks have added gets that of its size as rows and
// cones imply it: where it is the only one of a row or a cone whose size is not known, that of
// the largest other term, and as a side of a cone 4uv ≥ ‖w‖² that at which both sides are
// equal. Sizes and not units go from row to row: a unit is up to 128 times too small, and the
// unit of a fourth power would be 128⁴ times. A column that is alone in the row of a power or
// an exponential gets that of its bounds where the first columns are at the point x.
func Spread(p *qpbackend.Problem, first, sizes, x []float64) []float64 {
	n, m := p.Dims()
	size := make([]float64, n)
	for j, u := range first {
		if size[j] = u; j < len(sizes) && sizes[j] > 0 {
			size[j] = sizes[j]
		}
	}
	fromImplied(size, p, x)
	f := follower{
		p: p, first: len(first), size: size, group: groups(p), cones: boosts(p),
		w: make([]float64, m), top: make([]float64, m), open: make([]int, m), lone: make([]lone, m),
	}
	for k := 0; k < implied.Sweeps && f.sweep(); k++ {
	}
	for j, v := range size {
		if size[j] = Unit(v); j < len(first) && first[j] != 0 {
			size[j] = first[j]
		}
	}
	return size
}

// leastShare of its size is the least that an entry counts for where values of powers get their
// size: at the boundary of a domain, as that of a geometric mean at 0, the value is a rounding
// error. Source: derived: units are powers of 1024.
const leastShare = 0x1p-10

// fromImplied gives columns that are values of exponentials or powers the
// size of their bounds as rows and cones imply them at x: e^u and uᵖ are of other sizes
// than u, and than the other terms of the rows that they are added up in.
func fromImplied(sizes []float64, p *qpbackend.Problem, x []float64) {
	values := ConeValues(p, len(x))
	if len(x) == 0 || len(values) == 0 {
		return
	}
	lo, hi := make([]float64, len(sizes)), make([]float64, len(sizes))
	for j := range sizes {
		if lo[j], hi[j] = p.Bounds(j); j < len(x) {
			v := x[j]
			if least := sizes[j] * leastShare; math.Abs(v) < least {
				v = math.Copysign(least, v)
			}
			lo[j], hi[j] = v, v
		}
	}
	implied.Tighten(p, lo, hi, implied.Sweeps) // bounds that exclude each other are sizes, too
	for _, j := range values {
		if lo[j] < 0 && (hi[j] > 0 || hi[j] < lo[j]) { // one end may be a rounding error of 0
			if size := max(-lo[j], math.Abs(hi[j])); size <= math.MaxFloat64 {
				sizes[j] = size
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
			sizes[j] = size
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
	for j := range p.A.Cols {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i := p.A.RowIdx[k]
			switch at, ok := alone[i]; {
			case !ok || p.A.Val[k] == 0:
			case at == none:
				alone[i] = j
			default:
				alone[i] = several
			}
		}
	}
	for _, j := range alone {
		if j >= first {
			columns = append(columns, j)
		}
	}
	return columns
}

// of a row that has no column, or more than one
const none, several = -1, -2

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
