package ldl

import (
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// solve overwrites x, in pivot order, by (L D Lᵀ)⁻¹x.
func (s *supernodal) solve(x []float64) {
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
func (s *supernodal) forwardSingles(x []float64, from, to int) {
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
func (s *supernodal) backwardSingles(x []float64, from, to int) {
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
func (s *supernodal) forward(x, own []float64, rows []int32, panel []float64) {
	width, r := len(own), 0
	lower(own, panel, width)
	panel = panel[width*width:]
	if groups := len(rows) / 4; s.wide && groups > 0 {
		r = 4 * groups
		_ = panel[r*width-1] // the kernel checks no bounds
		simd.SubtractPanel(&panel[0], groups, width, &own[0], &x[0], &rows[0])
	}
	for ; r < len(rows); r++ {
		x[rows[r]] -= num.Dot(own, panel[r*width:])
	}
}

// backward subtracts from own the transposed panel times x at the rows below.
func (s *supernodal) backward(x, own []float64, rows []int32, panel []float64) {
	width, r := len(own), 0
	triangle, panel := panel[:width*width], panel[width*width:]
	for i := range own {
		own[i] *= triangle[i*(width+1)]
	}
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
	for i := width - 1; i > 0; i-- {
		subtract(own[:i], own[i], triangle[i*width:])
	}
}
