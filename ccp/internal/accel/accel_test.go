package accel

import (
	"math"
	"testing"
)

func TestLineSearch(t *testing.T) {
	one := func(int) float64 { return 1 }
	extend := func(b *LineSearch, x, from []float64, merit Merit) bool {
		return b.Extend(&Step{X: x, From: from, Span: 1, Space: Space{Size: one, Lo: []float64{-10}, Hi: []float64{10}, Merit: merit}})
	}
	square := func(x []float64) (float64, float64) { return (x[0] - 5) * (x[0] - 5), 0 }
	var b LineSearch
	x := []float64{1}
	if !extend(&b, x, []float64{0}, square) || x[0] != 5 {
		t.Errorf("from 1 along +1 it has come to %g, want 5", x[0])
	}
	x[0] = 5
	if extend(&b, x, []float64{4}, square) || x[0] != 5 {
		t.Errorf("from the minimum it has gone to %g", x[0])
	}
	b.Reset()
	x[0] = 9
	falls := func(x []float64) (float64, float64) { return -x[0], 0 }
	if !extend(&b, x, []float64{6}, falls) || x[0] != 10 {
		t.Errorf("past the bound 10: %g", x[0])
	}
	b.Reset()
	x[0] = 1
	opens := func(x []float64) (float64, float64) { return -x[0], math.Max(0, x[0]-1) }
	if extend(&b, x, []float64{0}, opens) || x[0] != 1 {
		t.Errorf("into an open constraint: %g", x[0])
	}
	if extend(&b, x, []float64{1 - 1e-9}, falls) {
		t.Error("a step of 1e-9 was extended")
	}
}
