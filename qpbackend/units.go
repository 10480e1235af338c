package qpbackend

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Units are the least sizes that residuals are relative to. They are at most 1, and smaller for a
// problem whose sides, or whose objective, are all smaller: a small factor of these leaves its
// solution alone.
type Units struct {
	// of rows and variables: the largest finite side, of a row divided by the largest size of its
	// entries if that is below 1
	Side float64
	// of the objective: the largest entry of q, and of P times v, where v is the largest finite
	// side divided by the largest of its row's entries
	Gradient float64
	Value    float64 // of the objective: v times the gradient's
}

// noUnits are the units of a problem stated in units of its own.
func noUnits() Units { return Units{Side: 1, Gradient: 1, Value: 1} }

// RowSizes writes the size of the largest entry of each row of p to dst, of length m, and of all
// rows of a cone to each of them; 1 where there is none, and everywhere with OwnUnits. It returns
// dst.
func (s Settings) RowSizes(p *Problem, dst []float64) []float64 {
	clear(dst)
	if p.A != nil && !s.OwnUnits {
		for k, i := range p.A.RowIdx {
			dst[i] = max(dst[i], math.Abs(p.A.Val[k]))
		}
	}
	for _, c := range p.Cones {
		of := dst[c.Start : c.Start+c.Len]
		top := num.NormInf(of)
		for i := range of {
			of[i] = top
		}
	}
	for i, v := range dst {
		if v == 0 {
			dst[i] = 1
		}
	}
	return dst
}

// Units are the units of p, rowSizes the sizes that RowSizes writes.
func (s Settings) Units(p *Problem, rowSizes []float64) Units {
	if s.OwnUnits {
		return noUnits()
	}
	largest, variable := 0.0, 0.0
	note := func(size, side float64) {
		if v := math.Abs(side); v < Infinity {
			largest, variable = max(largest, v/min(1, size)), max(variable, v/size)
		}
	}
	rows(p, func(i int) {
		note(rowSizes[i], p.L[i])
		note(rowSizes[i], p.U[i])
	}, func(c Cone) {
		for i := c.Start; i < c.Start+c.Len; i++ {
			note(rowSizes[i], p.L[i])
		}
	})
	for j := range p.Q {
		lo, hi := p.Bounds(j)
		note(1, lo)
		note(1, hi)
	}
	variable = atMost1(variable)
	gradient := num.NormInf(p.Q)
	if p.P != nil {
		gradient = max(gradient, variable*num.NormInf(p.P.Val))
	}
	return Units{Side: atMost1(largest), Gradient: atMost1(gradient), Value: atMost1(gradient * variable)}
}

// atMost1 is a size, or 1 for larger ones and for none.
func atMost1(size float64) float64 {
	if size == 0 {
		return 1
	}
	return min(1, size)
}

// Gap is the least size that a gap is relative to, for the sum of the sizes of the objective's
// terms.
func (u Units) Gap(terms float64) float64 { return min(1, max(u.Value, cancelled*terms)) }

// cancelled times the largest term of a sum is the size below which a residual may be its rounding.
// Source: derived: sums that are off by 1e-15 of their terms, rounding above, meet a tolerance of
// 1e-9.
const cancelled = 1e-6

// aboveRounding are u, raised to the size of the rounding errors of Ax, Px and Aᵀy. Where sums are
// larger than these, which primalSize and dualSize say, u may stay as they are.
func (u Units) aboveRounding(p *Problem, rowSizes, x, y []float64, primalSize, dualSize float64) Units {
	top, curvature := num.NormInf(x), 0.0
	if p.P != nil {
		curvature = num.NormInf(p.P.Val) * top
	}
	row, gradient := top, curvature // bounds of the terms, which spare a look at each entry
	for i, size := range rowSizes {
		row, gradient = max(row, size*top), max(gradient, size*math.Abs(y[i]))
	}
	if cancelled*row <= max(u.Side, primalSize) && cancelled*gradient <= max(u.Gradient, dualSize) {
		return u
	}
	row, gradient = 0, curvature
	if p.A == nil {
		x = nil
	}
	for j, x := range x {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i, v := p.A.RowIdx[k], p.A.Val[k]
			row, gradient = max(row, math.Abs(v*x)/min(1, rowSizes[i])), max(gradient, math.Abs(v*y[i]))
		}
	}
	return Units{Side: min(1, max(u.Side, cancelled*row)), Gradient: min(1, max(u.Gradient, cancelled*gradient)),
		Value: u.Value}
}
