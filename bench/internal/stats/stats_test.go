package stats_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

var inf = math.Inf(1)

func TestShiftedGeometricMean(t *testing.T) {
	for _, c := range []struct {
		times       []float64
		shift, want float64
	}{
		{[]float64{1, 4}, 0, 2},
		{[]float64{0, 3}, 1, 1}, // √(1·4) − 1
		{[]float64{0, 0.03, 0}, 0.01, math.Cbrt(1e-2*4e-2*1e-2) - 0.01},
		{[]float64{7}, 0.01, 7},
	} {
		if got := stats.ShiftedGeometricMean(c.times, c.shift); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("of %v, shift %g: %g, want %g", c.times, c.shift, got, c.want)
		}
	}
	if got := stats.ShiftedGeometricMean(nil, 1); !math.IsNaN(got) {
		t.Errorf("of nothing: %g", got)
	}
}

func TestRatiosAndProfile(t *testing.T) {
	times := [][]float64{
		{1, 4, inf, inf, 1e-9},
		{2, 1, 3, inf, 2e-9},
	}
	ratios := stats.Ratios(times, 1e-6)
	want := [][]float64{{1, 4, inf, inf, 1}, {2, 1, 1, inf, 1}}
	if !reflect.DeepEqual(ratios, want) {
		t.Fatalf("ratios %v, want %v", ratios, want)
	}
	for k, want := range [][]stats.Step{
		{{1, 0.4}, {4, 0.6}},
		{{1, 0.6}, {2, 0.8}},
	} {
		if got := stats.Profile(ratios[k]); !reflect.DeepEqual(got, want) {
			t.Errorf("profile %d is %v, want %v", k, got, want)
		}
	}
	if got := stats.Profile([]float64{inf, 3}); !reflect.DeepEqual(got, []stats.Step{{1, 0}, {3, 0.5}}) {
		t.Errorf("never the fastest: %v", got)
	}
	if got := stats.Ratios(nil, 1); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestMedian(t *testing.T) {
	if m := stats.Median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("%g", m)
	}
	if m := stats.Median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("%g", m)
	}
	if m := stats.Median(nil); !math.IsNaN(m) {
		t.Errorf("%g", m)
	}
}
