package ldl

import (
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// solve overwrites x, in pivot order, by (L D Lᵀ)⁻¹x.
func (s *panels) solve(x []float64) {
	count, from := s.count(), 0
	for _, q := range s.wider {
		k := int(q)
		s.forwardSingles(x, from, k)
		if k < count {
			n, next := s.node[k], s.node[k+1]
			s.forward(x, x[n.first:next.first], s.row[n.row:next.row], s.val[n.val:next.val])
		}
		from = k + 1
	}
	for w := len(s.wider) - 1; w >= 0; w-- {
		k := int(s.wider[w])
		if k < count {
			n, next := s.node[k], s.node[k+1]
			s.backward(x, x[n.first:next.first], s.row[n.row:next.row], s.val[n.val:next.val])
		}
		from = 0
		if w > 0 {
			from = int(s.wider[w-1]) + 1
		}
		s.backwardSingles(x, from, k)
	}
}

// forwardSingles goes forward through the supernodes from ≤ k < to, of one column each. Most have
// one to three rows: loops over indices cost a third less there than over slices.
func (s *panels) forwardSingles(x []float64, from, to int) {
	if from == to {
		return
	}
	n, row, val := s.node[from], s.row, s.val
	x0, off, lo := x[n.first:], n.val+1-int(n.row), int(n.row)
	for k, end := range s.rows[from+1 : to+1] {
		hi := int(end)
		if v := x0[k]; v != 0 {
			for p := lo; p < hi; p++ {
				x[row[p]] -= val[off+p] * v
			}
		}
		off++
		lo = hi
	}
}

// backwardSingles goes backward.
func (s *panels) backwardSingles(x []float64, from, to int) {
	if from == to {
		return
	}
	n, row, val, rows := s.node[from], s.row, s.val, s.rows[from:to]
	x0, off, hi := x[n.first:][:len(rows)], n.val-int(n.row)+len(rows), int(s.rows[to])
	for k := len(rows) - 1; k >= 0; k-- {
		lo := int(rows[k])
		sum := x0[k] * val[off+lo-1]
		for p := lo; p < hi; p++ {
			sum -= val[off+p] * x[row[p]]
		}
		x0[k] = sum
		off--
		hi = lo
	}
}

// lower overwrites own, entries at the first columns of a supernode, by the solution for the
// triangle.
func lower(own, panel []float64, width int) {
	for i := 1; i < len(own); i++ {
		own[i] -= num.Dot(own[:i], panel[i*width:])
	}
}

// forward subtracts from x, at the rows below a supernode, their panel times own.
// The narrow widths, which are the most frequent, keep own in registers.
func (s *panels) forward(x, own []float64, rows []int32, panel []float64) {
	lower(own, panel, len(own))
	panel = panel[len(own)*len(own):]
	switch width := len(own); width {
	case 2:
		a, b := own[0], own[1]
		for _, i := range rows {
			x[i] -= panel[0]*a + panel[1]*b
			panel = panel[2:]
		}
	case 3:
		a, b, c := own[0], own[1], own[2]
		for _, i := range rows {
			x[i] -= panel[0]*a + panel[1]*b + panel[2]*c
			panel = panel[3:]
		}
	case 4:
		a, b, c, d := own[0], own[1], own[2], own[3]
		for _, i := range rows {
			x[i] -= (panel[0]*a + panel[1]*b) + (panel[2]*c + panel[3]*d)
			panel = panel[4:]
		}
	default:
		r := 0
		if groups := len(rows) / 4; s.wide && groups > 0 {
			r = 4 * groups
			_ = panel[r*width-1] // the kernel checks no bounds
			simd.SubtractPanel(&panel[0], groups, width, &own[0], &x[0], &rows[0])
		}
		for ; r < len(rows); r++ {
			x[rows[r]] -= num.Dot(own, panel[r*width:])
		}
	}
}

// backward subtracts from own the transposed panel times x at the rows below.
func (s *panels) backward(x, own []float64, rows []int32, panel []float64) {
	width := len(own)
	triangle, panel := panel[:width*width], panel[width*width:]
	for i := range own {
		own[i] *= triangle[i*(width+1)]
	}
	switch width {
	case 2:
		a, b := own[0], own[1]
		for _, i := range rows {
			v := x[i]
			a -= panel[0] * v
			b -= panel[1] * v
			panel = panel[2:]
		}
		own[0], own[1] = a, b
	case 3:
		a, b, c := own[0], own[1], own[2]
		for _, i := range rows {
			v := x[i]
			a -= panel[0] * v
			b -= panel[1] * v
			c -= panel[2] * v
			panel = panel[3:]
		}
		own[0], own[1], own[2] = a, b, c
	case 4:
		a, b, c, d := own[0], own[1], own[2], own[3]
		for _, i := range rows {
			v := x[i]
			a -= panel[0] * v
			b -= panel[1] * v
			c -= panel[2] * v
			d -= panel[3] * v
			panel = panel[4:]
		}
		own[0], own[1], own[2], own[3] = a, b, c, d
	default:
		r := 0
		if groups := len(rows) / 4; s.wide && groups > 0 {
			r = 4 * groups
			_ = panel[r*width-1] // the kernel checks no bounds
			if s.tiles.High == 8 {
				simd.SubtractWiderPanelT(&panel[0], groups, width, &own[0], &x[0], &rows[0])
			} else {
				y := s.below[:r]
				for k, i := range rows[:r] {
					y[k] = x[i]
				}
				simd.SubtractMulPanelT(&panel[0], groups, width, &y[0], &own[0])
			}
		}
		for ; r < len(rows); r++ {
			subtract(own, x[rows[r]], panel[r*width:])
		}
	}
	for i := width - 1; i > 0; i-- {
		subtract(own[:i], own[i], triangle[i*width:])
	}
}
