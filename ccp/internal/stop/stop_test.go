package stop

import (
	"math"
	"testing"
)

// TestStop: each verdict, and what comes before what.
func TestStop(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		v    View
		want Verdict
	}{
		"at rest, and not held":          {View{Objective: 1, Before: 1 + 1e-7, Keeps: true, Least: 1e-6}, Adrift},
		"the same, with patience":        {View{Objective: 1, Before: 1 + 1e-7, Keeps: true, Least: 1e-6, Patient: true}, GoOn},
		"with patience, for long":        {View{Objective: 1, Before: 1 + 1e-7, Keeps: true, Least: 1e-6, Patient: true, Settled: true}, Adrift},
		"with patience, at a stop":       {View{Objective: 1, Before: 1, Keeps: true, Least: 1e-6, Patient: true}, Adrift},
		"the objective falls":            {View{Objective: 1, Before: 2, Keeps: true, Least: 1e-6}, GoOn},
		"it is still":                    {View{Objective: 1, Before: 1, Keeps: true, Least: 1e-6, Held: true}, Converged},
		"it changes by what counts":      {View{Objective: 1, Before: 1 + 2e-6, Keeps: true, Least: 1e-6}, GoOn},
		"still, but a row is broken":     {View{Objective: 1, Before: 1, Least: 1e-6}, GoOn},
		"still, badly solved":            {View{Objective: 1, Before: 1, Keeps: true, Residual: 2 * Enough}, GoOn},
		"there is no iteration before":   {View{Objective: 1, Before: nan, Keeps: true, Least: 1}, GoOn},
		"convex: one is enough":          {View{Objective: 1, Before: nan, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: 1, Tol: 2}}, Converged},
		"convex, units far off":          {View{Objective: 1, Before: 2, Keeps: true, Convex: true, Misfit: true, Known: true, Gap: Gap{Open: 2, Tol: 1}}, Refit},
		"convex, units off, still":       {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Misfit: true, Least: 1e-6, Known: true, Gap: Gap{Open: 2, Tol: 1}}, Sharper},
		"convex, far below its unit":     {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Below: true, Known: true, Gap: Gap{Open: 1, Tol: 2}}, Refit},
		"convex, too coarse":             {View{Objective: 1, Before: nan, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: 2, Tol: 1}}, Sharper},
		"convex, no better to be had":    {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: 2, Tol: 1, LooseTol: 100}, Sharpest: true}, Converged},
		"convex, far from proved":        {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: 200, Tol: 1, LooseTol: 100}, Sharpest: true}, Insist},
		"the same, insisted on":          {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: 200, Tol: 1, LooseTol: 100}, Sharpest: true, Strict: true}, Unproven},
		"convex, a bound that is none":   {View{Objective: 1, Before: 1, Keeps: true, Convex: true, Known: true, Gap: Gap{Open: inf, Tol: 1, LooseTol: 100}, Sharpest: true, Strict: true}, Unproven},
		"convex, broken beside a proof":  {View{Objective: 1, Before: 2, Convex: true, Known: true, Gap: Gap{Open: 1, Tol: 2}}, Converged},
		"convex, broken":                 {View{Objective: 1, Before: nan, Convex: true, Gap: Gap{Open: nan}}, Insist},
		"convex, broken, insisted on":    {View{Objective: 1, Before: nan, Convex: true, Gap: Gap{Open: nan}, Strict: true}, GoOn},
		"still, too coarse":              {View{Objective: 1, Before: 1, Keeps: true, Coarse: true, Least: 1e-6}, Sharper},
		"sharper, and broken":            {View{Objective: 1, Before: 2, Sharpened: true, Least: 1e-6}, GoOn},
		"sharper, and falling":           {View{Objective: 1, Before: 2, Keeps: true, Sharpened: true, Least: 1e-6}, GoOn},
		"falling, too coarse":            {View{Objective: 1, Before: 2, Keeps: true, Coarse: true, Least: 1e-6}, GoOn},
		"noise":                          {View{Objective: 1, Before: 1.1, Keeps: true, Settled: true, Held: true}, Unsettled},
		"noise of a bad solution":        {View{Objective: 1, Before: 1.1, Keeps: true, Settled: true, Residual: 2 * Enough}, GoOn},
		"noise at a broken point":        {View{Objective: 1, Before: 1.1, Settled: true}, GoOn},
		"no number":                      {View{Objective: nan, Before: 1, Keeps: true}, NoNumber},
		"no number, restarts left":       {View{Objective: inf, Before: 1, Keeps: true, Restarts: 1}, Restart},
		"a ray before all":               {View{Objective: nan, Before: nan, AlongRay: true, AtPole: true}, Ray},
		"a pole before a missing number": {View{Objective: -inf, Before: 1, Keeps: true, AtPole: true}, Pole},
	} {
		if got := Decide(c.v); got != c.want {
			t.Errorf("%s: verdict %d, want %d", name, got, c.want)
		}
	}
}

// TestCourse: what a change of the objective is relative to, and when it has settled.
func TestCourse(t *testing.T) {
	c := NewCourse()
	c.Note(Value{Objective: 1e6 + 8, Size: 4}, true, 1e6+8, 1e-6, 1e-9)
	if c.Span != 4 {
		t.Errorf("an objective with a large constant: span %g, want its terms' size 4", c.Span)
	}
	c = NewCourse()
	c.Note(Value{Objective: 3e-9, Size: 5e-9}, true, 3e-9, 1e-6, 1e-17)
	if c.Span != 3e-9 {
		t.Errorf("a small objective: span %g, want 3e-9", c.Span)
	}
	for k := range patience {
		if c.Stagnated(3e-9, 1e-6) {
			t.Fatalf("settled after %d iterations", k)
		}
		c.Note(Value{Objective: 3e-9, Size: 5e-9}, true, 3e-9, 1e-6, 1e-17)
	}
	if !c.Stagnated(3e-9, 1e-6) || c.Stagnated(4e-9, 1e-6) {
		t.Error("not settled after many iterations without a better point, or at another value")
	}
	for _, at := range []struct {
		distance float64
		looks    bool
	}{{1, false}, {2e3, true}, {3e3, false}, {3e5, true}} {
		if got := c.LooksFar(at.distance, 900); got != at.looks {
			t.Errorf("a ray is looked for at the distance %g: %v", at.distance, got)
		} else if got {
			c.Looked(at.distance)
		}
	}
}
