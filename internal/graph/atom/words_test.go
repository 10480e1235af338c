package atom

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestRows: names ascend, each once, and rows without a parameter are described.
func TestRows(t *testing.T) {
	all := Curves()
	if !slices.IsSortedFunc(all, func(a, b *Curve) int { return strings.Compare(a.Name, b.Name) }) || len(all) < 28 {
		t.Errorf("%d rows, not in the order of their names", len(all))
	}
	for _, c := range all {
		i := Interval{Lo: c.Doc.Shown[0], Hi: c.Doc.Shown[1]}
		switch described := c.Doc.Means != "" && i.Lo < i.Hi && c.In(i, 0) == i; {
		case described == c.HasParameter:
			t.Errorf("%s: the description is %+v", c.Name, c.Doc)
		case c.Domain == nil && c.Poles != math.IsInf(c.Value.Over(Interval{Lo: -9, Hi: 9}, 2).Hi, 1):
			t.Errorf("%s: Poles is %v", c.Name, c.Poles)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a name is taken twice")
		}
	}()
	register(&Curve{Name: "sin"})
}

// TestWords is of rows whose properties differ.
func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"sin":     "DC, any, none; ; functions with kinks",
		"tan":     "DC, any, nondecreasing; ; functions with kinks",
		"abs":     "convex, nonnegative, by sign; ; nothing",
		"cosh":    "convex, nonnegative, by sign; ; others with kinks",
		"log1p":   "concave, any, nondecreasing; u > -1; others with kinks; constants outside the domain",
		"atanh":   "DC, any, nondecreasing; -1 < u < 1; others with kinks; constants outside the domain",
		"entr":    "concave, any, none; u >= 0; others with kinks; constants outside the domain",
		"normcdf": "DC, nonnegative, nondecreasing; ; functions with kinks",
	} {
		w := Find(name).Words("u")
		got := strings.Join([]string{w.Curvature, w.Sign, w.Monotone}, ", ") + "; " + w.Domain + "; " + w.Refuses
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
