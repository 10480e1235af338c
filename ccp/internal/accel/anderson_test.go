package accel

import (
	"math"
	"testing"
)

// TestAnderson: the iteration of a linear map with rates up to .99 is at its fixed
// point after as many pairs as there are rates, where the plain one needs thousands
// of steps; nothing is allocated once there is room.
func TestAnderson(t *testing.T) {
	rates, fix := []float64{0.99, 0.9, 0.5, 0.1}, []float64{3, -2, 1, 7}
	lo, hi := make([]float64, 4), make([]float64, 4)
	for k := range lo {
		lo[k], hi[k] = math.Inf(-1), math.Inf(1)
	}
	step := func(y, z []float64) {
		for k := range y {
			y[k] = fix[k] + rates[k]*(z[k]-fix[k])
		}
	}
	var a Anderson
	z, y := make([]float64, 4), make([]float64, 4)
	s := &Step{From: z, Plain: y, Tau: 1, Space: Space{Lo: lo, Hi: hi, Size: func(int) float64 { return 1 }}}
	for range 12 {
		step(y, z)
		next := a.Next(s)
		if next == nil {
			next = y
		}
		copy(z, next)
	}
	for k := range z {
		if math.Abs(z[k]-fix[k]) > 1e-6 {
			t.Errorf("entry %d is %g, want %g", k, z[k], fix[k])
		}
	}
	if n := testing.AllocsPerRun(20, func() {
		step(y, z)
		if next := a.Next(s); next != nil {
			copy(z, next)
		}
		z[0]++
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
	// Bounds hold, and another penalty weight begins anew.
	hi[0] = 2
	if next := a.Next(s); next != nil && next[0] > 2 {
		t.Errorf("entry 0 is %g, above its bound", next[0])
	}
	if s.Tau = 2; a.Next(s) != nil {
		t.Error("pairs of another weight count")
	}
}
