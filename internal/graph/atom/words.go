package atom

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Doc describes a function of x for the language, its editors, the documentation and tests. Words
// has the properties that follow from the numbers of the row.
type Doc struct {
	Means string     // its name in words, or its formula
	Go    string     // its function in package dc; empty: dc.Apply makes it
	Shown [2]float64 // the ends of its graph, between two poles
	// Takes has the arguments with a split, Form the cones in convex problems, Source the paper.
	// Without Takes the split comes from bounds of the second derivative.
	Takes, Form, Source string
}

// Arguments that functions take.
const (
	takesAny     = "any"
	takesAffine  = "affine; others by their bounds"
	takesConvex  = "affine or convex; others by their bounds"
	takesConcave = "affine or concave; others by their bounds"
)

// chares is the source of exponential cones.
const chares = "Chares 2009"

// ByBounds reports whether the split of a function without a parameter comes from bounds of its
// second derivative.
func (c *Curve) ByBounds() bool { return !c.HasParameter && c.Doc.Takes == "" }

// Words are the properties of a function in words.
type Words struct{ Curvature, Sign, Monotone, Domain, Takes, Refuses, Form, Source string }

// Words returns the properties of a function without a parameter, of an argument with that name.
// Domain is empty if all numbers have a value.
func (c *Curve) Words(argument string) Words {
	w := Words{
		Curvature: "DC", Sign: "any", Monotone: "none", Refuses: "others with kinks",
		Takes: c.Doc.Takes, Form: c.Doc.Form, Source: c.Doc.Source,
	}
	switch {
	case c.Doc.Takes == takesAny:
		w.Refuses = "nothing"
	case c.ByBounds():
		w.Takes, w.Form = "any smooth function; others by their bounds", "quadratic"
		w.Source = "Hartman 1959: with a bounded second derivative a square makes it convex"
		w.Refuses = "functions with kinks"
	}
	if w.Refuses == "others with kinks" {
		w.Takes += "; any smooth function"
	}
	if c.Poles {
		w.Takes += ", with bounds between two poles"
	}
	switch convex, concave := c.Curvature(interval.Whole, 0); {
	case convex:
		w.Curvature = "convex"
	case concave:
		w.Curvature = "concave"
	}
	switch i := c.Value.Over(c.In(interval.Whole, 0), 0); {
	case i.Lo >= 0:
		w.Sign = "nonnegative"
	case i.Hi <= 0:
		w.Sign = "nonpositive"
	}
	switch lo, hi := c.Doc.Shown[0], c.Doc.Shown[1]; {
	case c.Direction(interval.New(lo, hi), 0) > 0:
		w.Monotone = "nondecreasing"
	case c.Direction(interval.New(lo, hi), 0) < 0:
		w.Monotone = "nonincreasing"
	case lo < 0 && hi > 0 && c.Direction(interval.New(lo, num.Down(0)), 0) < 0 &&
		c.Direction(interval.New(num.Up(0), hi), 0) > 0:
		w.Monotone = "by sign"
	}
	if c.Domain != nil {
		w.Domain = c.domain(argument)
		w.Refuses = strings.TrimPrefix(w.Refuses+"; constants outside the domain", "nothing; ")
	}
	return w
}

// domain is written as one inequality or two, strict at ends without a finite value.
func (c *Curve) domain(x string) string {
	d := c.Domain(0)
	sign := func(end float64) string {
		if v := c.Value.At(end, 0); math.IsInf(v, 0) || math.IsNaN(v) {
			return ""
		}
		return "="
	}
	switch {
	case math.IsInf(d.Lo, -1):
		return fmt.Sprintf("%s <%s %g", x, sign(d.Hi), d.Hi)
	case math.IsInf(d.Hi, 1):
		return fmt.Sprintf("%s >%s %g", x, sign(d.Lo), d.Lo)
	}
	return fmt.Sprintf("%g <%s %s <%s %g", d.Lo, sign(d.Lo), x, sign(d.Hi), d.Hi)
}
