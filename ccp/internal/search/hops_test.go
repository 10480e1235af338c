package search

import (
	"slices"
	"testing"
)

// TestOrderOfHops: of many entries a share is drawn anew last, and only where the budget has the
// work of the first convex problem.
func TestOrderOfHops(t *testing.T) {
	for _, c := range []struct {
		spots int
		first float64
		want  []int
	}{
		{manySpots - 1, 40, []int{beside, redraw, swap, renew, beside}},
		{manySpots, 30, []int{beside, swap, renew, redraw, beside}},
		{manySpots, 40, []int{beside, swap, renew, beside, swap}}, // 35 of 100 may be in vain
	} {
		h := &BasinHopping{Around: Around{Budget: &Budget{Work: 100, First: c.first, Solves: 10, Size: 1e6}}, spots: make([]int, c.spots)}
		var got []int
		for range c.want {
			if !h.choose() {
				t.Fatal("no kind is left")
			}
			got = append(got, h.kind)
			h.turn()
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d entries: kinds %v, want %v", c.spots, got, c.want)
		}
	}
}

// TestHopsFindTheirLength: of many entries steps beside the point become longer after one that has
// come back, shorter after one that was lost elsewhere, and stay after one that was better.
func TestHopsFindTheirLength(t *testing.T) {
	h := &BasinHopping{Around: Around{Budget: &Budget{}}, spots: make([]int, manySpots), reach: nearest}
	for _, c := range []struct {
		o    Outcome
		back bool
		want float64
	}{
		{Outcome{}, false, nearest / shorterReach},
		{Outcome{Better: true}, false, nearest / shorterReach},
		{Outcome{}, true, further * nearest / shorterReach},
		{Outcome{}, true, min(farthest, further*further*nearest/shorterReach)},
	} {
		h.kind, h.back = beside, c.back
		if h.Ended(c.o); h.reach != c.want {
			t.Errorf("after %+v, back %v: a step of %g, want %g", c.o, c.back, h.reach, c.want)
		}
	}
}
