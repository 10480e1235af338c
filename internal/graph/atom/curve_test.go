package atom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/interval"
)

// parameters are those with which a row is tested.
func parameters(c *Curve) []float64 {
	switch c.Name {
	case "power":
		return []float64{-3, -1, -0.5, 0.1, 0.3, 0.5, 0.7, 1, 1.3, 1.5, 2, 2.5, 3, 4, 5, 7.25, 20, 101}
	case "pos_power", "abspower":
		return []float64{1.001, 1.3, 1.5, 2, 2.5, 3, 4, 7.25}
	case "huber":
		return []float64{1, 0.3, 1e-8, 1e10}
	}
	return []float64{0}
}

// number draws one of any size.
func number(r *rand.Rand) float64 {
	switch r.IntN(9) {
	case 0:
		return []float64{0, 1, math.Inf(1), math.MaxFloat64, tiny}[r.IntN(5)] * float64(1-2*r.IntN(2))
	case 1:
		return math.Ldexp(r.NormFloat64(), r.IntN(2100)-1070)
	case 2:
		return 800 * r.NormFloat64()
	case 3: // beside a multiple of π/2
		at := float64(r.IntN(40)-20) * math.Pi / 2
		return math.Nextafter(at, r.NormFloat64()*1e3)
	case 4:
		return float64(r.IntN(20) - 10)
	}
	return 3 * r.NormFloat64()
}

func some(r *rand.Rand) Interval {
	a := number(r)
	b := number(r)
	switch r.IntN(4) {
	case 0:
		b = a + r.Float64()*math.Abs(a)
	case 1:
		b = a + 3*r.Float64()
	}
	if math.IsNaN(b) {
		b = a
	}
	return interval.New(min(a, b), max(a, b))
}

// within draws a number of i.
func within(r *rand.Rand, i Interval) float64 {
	switch r.IntN(5) {
	case 0:
		return i.Lo
	case 1:
		return i.Hi
	case 2:
		return min(max(number(r), i.Lo), i.Hi)
	case 3:
		return min(max(0, i.Lo), i.Hi)
	}
	lo, hi := min(max(i.Lo, -1e300), 1e300), max(min(i.Hi, 1e300), -1e300)
	return min(max(lo+r.Float64()*(hi-lo), i.Lo), i.Hi)
}

// violation compares values with ranges, and derivatives with differences.
func violation(c *Curve, p float64, r *rand.Rand) error {
	i := c.In(some(r), p)
	for name, part := range map[string]Part{"value": c.Value, "slope": c.Slope, "second derivative": c.Second} {
		over := part.Over(i, p)
		if !(over.Lo <= over.Hi) {
			return fmt.Errorf("the %s over %.17g is in %g", name, i, over)
		}
		for range 20 {
			u := within(r, i)
			v := part.At(u, p)
			slip := few * ulp * math.Abs(v) // it is an exact value that is in the range
			if v < over.Lo-slip || v > over.Hi+slip {
				return fmt.Errorf("the %s at %.17g is %.17g, over %.17g in %.17g", name, u, v, i, over)
			}
		}
	}
	a, b := within(r, i), within(r, i)
	if a > b {
		a, b = b, a
	}
	if h := b - a; h > 1e-3 && !math.IsInf(h, 1) { // by the mean value theorem
		ab := interval.New(a, b)
		for _, d := range []struct {
			name  string
			f, by Part
		}{{"slope", c.Value, c.Slope}, {"second derivative", c.Slope, c.Second}} {
			fa, fb := d.f.At(a, p), d.f.At(b, p)
			mean := (fb - fa) / h
			over := d.by.Over(ab, p)
			slip := 1e-9 * (math.Abs(fa) + math.Abs(fb)) / h
			if !math.IsNaN(mean) && !math.IsInf(slip, 0) && (mean < over.Lo-slip || mean > over.Hi+slip) {
				return fmt.Errorf("the mean %s of %.17g is %g, its range %g", d.name, ab, mean, over)
			}
		}
	}
	if c.Inverse != nil {
		u := within(r, i)
		v := c.Value.At(u, p)
		// Where the curve is flat the inverse tells nothing.
		flat := !(math.Abs(c.Slope.At(u, p)*u) > 1e-3*math.Abs(v)) || math.Abs(u) > 15 || math.IsInf(v, 0)
		even := c.Name == "power" && math.Mod(p, 2) == 0
		if w := c.Inverse(v, p); !flat && !even && math.Abs(w-u) > 1e-3*math.Abs(u)+1e-6 {
			return fmt.Errorf("the value of %g is %g, whose inverse is %g", u, v, w)
		}
	}
	return nil
}

// TestRanges: no value of a row is outside of its range, and derivatives are those of values.
func TestRanges(t *testing.T) {
	for _, c := range Curves() {
		for _, p := range parameters(c) {
			r := rand.New(rand.NewPCG(48, 1))
			for range 4000 {
				if err := violation(c, p, r); err != nil {
					t.Errorf("%s, p = %g: %v", c.Name, p, err)
					break
				}
			}
		}
	}
}

// TestRangesFire: rows that are wrong are found.
func TestRangesFire(t *testing.T) {
	wrong := func(name string, change func(c *Curve)) *Curve {
		c := *Find(name)
		change(&c)
		return &c
	}
	with := func(f func(float64) float64, turns ...float64) Part {
		return computed{at: of(f), turns: turns}.part()
	}
	for name, c := range map[string]*Curve{
		"a turn is missing": wrong("tanh", func(c *Curve) { c.Second = with(tanhSecond) }),
		"a range is too small": wrong("sin", func(c *Curve) {
			c.Value.Over = func(Interval, float64) Interval { return interval.New(-1, 0.999) }
		}),
		"no multiple of π":      wrong("cos", func(c *Curve) { c.Value = with(math.Cos) }),
		"the turn is elsewhere": wrong("atan", func(c *Curve) { c.Second = with(atanSecond, -0.6, 0.6) }),
		"the slope is another": wrong("asinh", func(c *Curve) {
			c.Slope = with(func(u float64) float64 { return 1 / math.Cosh(u) }, 0)
		}),
		"the second derivative is another": wrong("erf", func(c *Curve) {
			c.Second = with(func(u float64) float64 { return -u * math.Exp(-u*u) }, -math.Sqrt2/2, math.Sqrt2/2)
		}),
		"a kink has no curvature": wrong("abs", func(c *Curve) { c.Second = constant(0) }),
		"another inverse":         wrong("exp", func(c *Curve) { c.Inverse = of(math.Log1p) }),
	} {
		r := rand.New(rand.NewPCG(48, 2))
		found := false
		for range 4000 {
			found = found || violation(c, 0, r) != nil
		}
		if !found {
			t.Errorf("%s: not found", name)
		}
	}
}

// TestCurvature is of functions that change it.
func TestCurvature(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name            string
		p, lo, hi       float64
		convex, concave bool
		direction       int
	}{
		{"sin", 0, 0, 3.14, false, true, 0},
		{"sin", 0, -3, 0, true, false, 0},
		{"sin", 0, -1, 1, false, false, 1},
		{"cos", 0, 1.6, 3, true, false, -1},
		{"tan", 0, 0, 1.5, true, false, 1},
		{"tan", 0, 1, 2, false, false, 0},
		{"tanh", 0, 0, inf, false, true, 1},
		{"atan", 0, -inf, 0, true, false, 1},
		{"sinh", 0, 0, 10, true, false, 1},
		{"power", 3, 0, inf, true, false, 1},
		{"power", 3, -inf, inf, false, false, 1},
		{"power", 0.5, -inf, inf, false, true, 1},
		{"power", -2, -inf, inf, true, false, -1},
		{"power", 4, -inf, inf, true, false, 0},
		{"exp", 0, -inf, inf, true, false, 1},
		{"log", 0, -inf, inf, false, true, 1},
		{"entr", 0, 0, inf, false, true, 0},
		{"abs", 0, 1, 2, true, true, 1},
		{"abs", 0, 0, 2, true, false, 0},
		{"huber", 1, 2, 3, true, true, 1},
		{"normcdf", 0, 0, 1e300, false, true, 1},
	} {
		f, i := Find(c.name), interval.New(c.lo, c.hi)
		convex, concave := f.Curvature(i, c.p)
		if d := f.Direction(i, c.p); convex != c.convex || concave != c.concave || d != c.direction {
			t.Errorf("%s (p = %g) on %g: convex %v, concave %v, direction %d", c.name, c.p, i, convex, concave, d)
		}
		if f.Inflections == nil {
			continue
		}
		for _, u := range f.Inflections(i, c.p) {
			if s := f.Second.At(u-1e-3, c.p) * f.Second.At(u+1e-3, c.p); !(s < 0) {
				t.Errorf("%s has no inflection point at %g", c.name, u)
			}
		}
	}
	if Find("nothing") != nil {
		t.Error("a row of no name")
	}
}
