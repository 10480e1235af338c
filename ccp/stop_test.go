package ccp

import (
	"math"
	"testing"
)

// TestStop: each verdict, and what comes before what.
func TestStop(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	it := func(objective float64) Iteration { return Iteration{Objective: objective} }
	for name, c := range map[string]struct {
		v    view
		want verdict
	}{
		"the objective falls":            {view{it: it(1), prev: it(2), keeps: true, least: 1e-6}, goOn},
		"it is still":                    {view{it: it(1), prev: it(1), keeps: true, least: 1e-6}, converged},
		"it changes by what counts":      {view{it: it(1), prev: it(1 + 2e-6), keeps: true, least: 1e-6}, goOn},
		"within its rounding error":      {view{it: it(1), prev: it(1 + 1e-4), keeps: true, least: 1e-6, noise: 1e-3, blurred: true}, converged},
		"the same, for the first time":   {view{it: it(1), prev: it(1 + 1e-4), keeps: true, least: 1e-6, noise: 1e-3}, goOn},
		"beyond its rounding error":      {view{it: it(1), prev: it(1 + 1e-2), keeps: true, least: 1e-6, noise: 1e-3, blurred: true}, goOn},
		"still, but a row is broken":     {view{it: it(1), prev: it(1), least: 1e-6}, goOn},
		"still, badly solved":            {view{it: it(1), prev: it(1), keeps: true, residual: 2 * lastEnough}, goOn},
		"there is no iteration before":   {view{it: it(1), prev: it(nan), keeps: true, least: 1}, goOn},
		"convex: one is enough":          {view{it: it(1), prev: it(nan), keeps: true, convex: true, known: true, gap: gap{open: 1, closed: 2}}, converged},
		"convex, units far off":          {view{it: it(1), prev: it(2), keeps: true, convex: true, misfit: true, known: true, gap: gap{open: 2, closed: 1}}, refit},
		"convex, units off, still":       {view{it: it(1), prev: it(1), keeps: true, convex: true, misfit: true, least: 1e-6, known: true, gap: gap{open: 2, closed: 1}}, sharper},
		"convex, far below its unit":     {view{it: it(1), prev: it(1), keeps: true, convex: true, below: true, known: true, gap: gap{open: 1, closed: 2}}, refit},
		"convex, too coarse":             {view{it: it(1), prev: it(nan), keeps: true, convex: true, known: true, gap: gap{open: 2, closed: 1}}, sharper},
		"convex, no better to be had":    {view{it: it(1), prev: it(1), keeps: true, convex: true, known: true, gap: gap{open: 2, closed: 1, ajar: 100}, sharpest: true}, converged},
		"convex, far from proved":        {view{it: it(1), prev: it(1), keeps: true, convex: true, known: true, gap: gap{open: 200, closed: 1, ajar: 100}, sharpest: true}, insist},
		"the same, insisted on":          {view{it: it(1), prev: it(1), keeps: true, convex: true, known: true, gap: gap{open: 200, closed: 1, ajar: 100}, sharpest: true, strict: true}, unproven},
		"convex, a bound that is none":   {view{it: it(1), prev: it(1), keeps: true, convex: true, known: true, gap: gap{open: inf, closed: 1, ajar: 100}, sharpest: true, strict: true}, unproven},
		"convex, broken beside a proof":  {view{it: it(1), prev: it(2), convex: true, known: true, gap: gap{open: 1, closed: 2}}, converged},
		"convex, broken":                 {view{it: it(1), prev: it(nan), convex: true, gap: gap{open: nan}}, insist},
		"convex, broken, insisted on":    {view{it: it(1), prev: it(nan), convex: true, gap: gap{open: nan}, strict: true}, goOn},
		"still, too coarse":              {view{it: it(1), prev: it(1), keeps: true, coarse: true, least: 1e-6}, sharper},
		"sharper, and broken":            {view{it: it(1), prev: it(2), sharpened: true, least: 1e-6}, goOn},
		"sharper, and falling":           {view{it: it(1), prev: it(2), keeps: true, sharpened: true, least: 1e-6}, goOn},
		"falling, too coarse":            {view{it: it(1), prev: it(2), keeps: true, coarse: true, least: 1e-6}, goOn},
		"noise":                          {view{it: it(1), prev: it(1.1), keeps: true, settled: true}, unsettled},
		"noise of a bad solution":        {view{it: it(1), prev: it(1.1), keeps: true, settled: true, residual: 2 * lastEnough}, goOn},
		"noise at a broken point":        {view{it: it(1), prev: it(1.1), settled: true}, goOn},
		"no number":                      {view{it: it(nan), prev: it(1), keeps: true}, noNumber},
		"no number, restarts left":       {view{it: it(inf), prev: it(1), keeps: true, restarts: 1}, restart},
		"a ray before all":               {view{it: it(nan), prev: it(nan), alongRay: true, atPole: true}, ray},
		"a pole before a missing number": {view{it: it(-inf), prev: it(1), keeps: true, atPole: true}, pole},
	} {
		if got := stop(c.v); got != c.want {
			t.Errorf("%s: verdict %d, want %d", name, got, c.want)
		}
	}
}

// TestPenalty: the schedule of τ.
func TestPenalty(t *testing.T) {
	set := DefaultSettings()
	s := newPenalty(set)
	s.scale(10, 5, 0)
	if s.first != 0.002 || s.most != 2e6 || s.τ != 3 || !s.slacksFirst {
		t.Errorf("scaled by 2: %+v", s)
	}
	s = newPenalty(set)
	if s.scale(10, 5, 0.5); math.Abs(s.τ-math.Sqrt(0.002*3)) > 1e-12 || s.slacksFirst {
		t.Errorf("near a good point: %+v", s)
	}
	s = newPenalty(set)
	if s.scale(0, 5, 0); s.first != set.Tau0 || s.slacksFirst {
		t.Errorf("an objective without slope: %+v", s)
	}
	s.τ, s.most = 1, 100
	for _, c := range []struct {
		slack, before, want float64
		stuck               bool
	}{
		{1, 1, 3, false},                                    // open: μ
		{0.05, 1, 3, false},                                 // closing by itself
		{1, 1, 9, true}, {1, 1, 27, true}, {1, 1, 81, true}, // stuck
		{1, 1, 100, true}, // for long: faster, up to the most
	} {
		s.note(c.stuck, c.slack)
		if s.grow(c.slack, c.before); s.τ != c.want {
			t.Errorf("slack %g after %g: τ = %g, want %g", c.slack, c.before, s.τ, c.want)
		}
	}
}

// TestCourse: what a change of the objective is relative to, and when it has settled.
func TestCourse(t *testing.T) {
	c := newCourse()
	c.note(Iteration{Objective: 1e6 + 8, size: 4}, true, 1e6+8, 1e-6, 1e-9)
	if c.span != 4 {
		t.Errorf("an objective with a large constant: span %g, want its terms' size 4", c.span)
	}
	c = newCourse()
	c.note(Iteration{Objective: 3e-9, size: 5e-9}, true, 3e-9, 1e-6, 1e-17)
	if c.span != 3e-9 {
		t.Errorf("a small objective: span %g, want 3e-9", c.span)
	}
	for k := range longPatience {
		if c.settled(3e-9, 1e-6) {
			t.Fatalf("settled after %d iterations", k)
		}
		c.note(Iteration{Objective: 3e-9, size: 5e-9}, true, 3e-9, 1e-6, 1e-17)
	}
	if !c.settled(3e-9, 1e-6) || c.settled(4e-9, 1e-6) {
		t.Error("not settled after many iterations without a better point, or at another value")
	}
	c = newCourse()
	for k := range shortPatience {
		if c.blurred() {
			t.Fatalf("blurred after %d iterations", k)
		}
		at := 1e9 - float64(k) // falls by 1, known to 4
		c.note(Iteration{Objective: at, size: 1e9, noise: 4}, true, at, 1e-12, 1e-9)
	}
	if c.note(Iteration{Objective: 1e9 - 3, size: 1e9, noise: 4}, true, 1e9-3, 1e-12, 1e-9); !c.blurred() {
		t.Error("an objective that falls within its rounding error counts as falling")
	}
	if c.note(Iteration{Objective: 1e9 - 9, size: 1e9, noise: 4}, true, 1e9-9, 1e-12, 1e-9); c.blurred() {
		t.Error("an objective that falls by more than its rounding error does not count as falling")
	}
	if c.looksFar(1) || !c.looksFar(2e3) || c.looksFar(3e3) || !c.looksFar(3e5) {
		t.Error("looks for a ray at distances 2e3 and 3e5 of 1, 2e3, 3e3, 3e5 were expected")
	}
}
