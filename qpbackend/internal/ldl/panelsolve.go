package ldl

import (
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// solve overwrites x, in pivot order, by (L D Lᵀ)⁻¹x.
func (s *supernodal) solve(f *Factor, x []float64) {
	count := len(s.first) - 1
	for k := range count {
		lo, hi := int(s.first[k]), int(s.first[k+1])
		width := hi - lo
		own := x[lo:hi]
		panel := s.val[s.valPtr[k]:s.valPtr[k+1]]
		for i := range own {
			own[i] -= num.Dot(own[:i], panel[i*width:])
		}
		s.forward(x, own, s.row[s.rowPtr[k]+width:s.rowPtr[k+1]], panel[width*width:])
	}
	for j, v := range f.dinv {
		x[j] *= v
	}
	for k := count - 1; k >= 0; k-- {
		lo, hi := int(s.first[k]), int(s.first[k+1])
		width := hi - lo
		own := x[lo:hi]
		panel := s.val[s.valPtr[k]:s.valPtr[k+1]]
		s.backward(x, own, s.row[s.rowPtr[k]+width:s.rowPtr[k+1]], panel[width*width:])
		for i := width - 1; i > 0; i-- {
			subtract(own[:i], own[i], panel[i*width:])
		}
	}
}

// forward subtracts from x, at the rows below a supernode, their panel times own.
// The narrow widths, which are the most frequent, keep own in registers.
func (s *supernodal) forward(x, own []float64, rows []int32, panel []float64) {
	switch width := len(own); width {
	case 1:
		a := own[0]
		panel = panel[:len(rows)]
		for r, i := range rows {
			x[i] -= panel[r] * a
		}
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
			y := s.below[:r]
			_ = panel[r*width-1] // the kernel checks no bounds
			simd.MulPanel(&panel[0], groups, width, &own[0], &y[0])
			for k, i := range rows[:r] {
				x[i] -= y[k]
			}
		}
		for ; r < len(rows); r++ {
			x[rows[r]] -= num.Dot(own, panel[r*width:])
		}
	}
}

// backward subtracts from own the transposed panel times x at the rows below.
func (s *supernodal) backward(x, own []float64, rows []int32, panel []float64) {
	switch width := len(own); width {
	case 1:
		a := own[0]
		panel = panel[:len(rows)]
		for r, i := range rows {
			a -= panel[r] * x[i]
		}
		own[0] = a
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
			y := s.below[:r]
			for k, i := range rows[:r] {
				y[k] = x[i]
			}
			_ = panel[r*width-1] // the kernel checks no bounds
			simd.SubtractMulPanelT(&panel[0], groups, width, &y[0], &own[0])
		}
		for ; r < len(rows); r++ {
			subtract(own, x[rows[r]], panel[r*width:])
		}
	}
}
