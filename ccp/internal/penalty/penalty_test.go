package penalty

import (
	"math"
	"testing"
)

// TestPenalty: the schedule of τ.
func TestPenalty(t *testing.T) {
	s := New(1e-3, 1e6, 3)
	s.Scale(10, 5, 0)
	if s.First != 0.002 || s.Most != 2e6 || s.Tau != 3 || !s.SlacksFirst {
		t.Errorf("scaled by 2: %+v", s)
	}
	s = New(1e-3, 1e6, 3)
	if s.Scale(10, 5, 0.5); math.Abs(s.Tau-math.Sqrt(0.002*3)) > 1e-12 || s.SlacksFirst {
		t.Errorf("near a good point: %+v", s)
	}
	s = New(1e-3, 1e6, 3)
	if s.Scale(0, 5, 0); s.First != 1e-3 || s.SlacksFirst {
		t.Errorf("an objective without slope: %+v", s)
	}
	s.Tau, s.Most = 1, 100
	for _, c := range []struct {
		slack, before, want float64
		stuck               bool
	}{
		{1, 1, 3, false},                                    // open: μ
		{0.05, 1, 3, false},                                 // closing by itself
		{1, 1, 9, true}, {1, 1, 27, true}, {1, 1, 81, true}, // stuck
		{1, 1, 100, true}, // for long: faster, up to the most
	} {
		s.Note(c.stuck, c.slack)
		if s.Grow(c.slack, c.before); s.Tau != c.want {
			t.Errorf("slack %g after %g: τ = %g, want %g", c.slack, c.before, s.Tau, c.want)
		}
	}
}
