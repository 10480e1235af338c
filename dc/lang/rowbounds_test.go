package lang

import (
	"context"
	"strings"
	"testing"
)

// TestRowsAreBounds: a problem is accepted, with the same curvature, whether a bound stands
// in a declaration or is a constraint of one variable, before or after the functions.
func TestRowsAreBounds(t *testing.T) {
	for _, c := range []struct {
		declared, free string // the variables
		rows           []string
		body           string
		curvature      Curvature
	}{
		{"var x\nvar y >= 0", "var x, y", []string{"y >= 0"}, "minimize square(x^2 + y) - x", Convex},
		{"var x\nvar y >= 0", "var x, y", []string{"-2*y <= 0"}, "let f = square(x^2 + y)\nminimize f - x", Convex},
		{"var x[3] >= 0", "var x[3]", []string{"a[i in 1..3]: x[i] >= 0"}, "minimize square(sumsq(x) + sum(x))", Convex},
		{"param n = 2\nvar x in [0, 2*n]", "param n = 2\nvar x", []string{"0 <= x <= 2*n"}, "minimize exp(x^2 - x^4)", DC},
		{"var x >= 1, y", "var x, y", []string{"x >= 1"}, "minimize y/(x + x^2)", DC},
	} {
		want := mustCompile(t, c.declared+"\n"+c.body, Options{})
		rows := "\nsubject to\n  " + strings.Join(c.rows, "\n  ") + "\n"
		for _, src := range []string{c.free + "\n" + c.body + rows, c.free + rows + c.body} {
			f, err := Parse("p.dc", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Compile(context.Background(), f, Options{})
			if err != nil {
				t.Errorf("%s\nis refused: %v", src, err)
				continue
			}
			if got.Objective.Curvature != want.Objective.Curvature || got.Objective.Curvature != c.curvature {
				t.Errorf("%s\nis %v, with declared bounds %v, want %v", src, got.Objective.Curvature, want.Objective.Curvature, c.curvature)
			}
			lo, hi := got.Problem.Box()
			wantLo, wantHi := want.Problem.Box()
			for j := range lo {
				if lo[j] != wantLo[j] || hi[j] != wantHi[j] {
					t.Errorf("%s\nx[%d] in [%g, %g], want [%g, %g]", src, j, lo[j], hi[j], wantLo[j], wantHi[j])
				}
			}
		}
	}
	bad := "var x, y\nminimize square(x^2 + y)*exp(y) + nothing\nsubject to\n  y >= 0\n"
	f, err := Parse("p.dc", []byte(bad))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(context.Background(), f, Options{}); err == nil || strings.Count(err.Error(), "nothing") != 1 {
		t.Errorf("a mistake that no bound mends: %v", err)
	}
}
