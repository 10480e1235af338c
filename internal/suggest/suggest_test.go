package suggest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"max_iter", "mu", "norm1", "norm2", "norminf", "seed", "sumsq", "tau", "tau_max"}
	for name, want := range map[string]string{
		"maxiter": "max_iter", "Seed": "seed", "MAX_ITER": "max_iter", "nrom2": "norm2", "norm": "norm1", "sed": "seed",
		"x": "", "m": "", "alphabet": "", "": "", "tau": "", strings.Repeat("norm1", 40): "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("sed", names); got != `; did you mean "seed"?` {
		t.Errorf("DidYouMean: %s", got)
	}
	if got := DidYouMean("alphabet", names); got != "" {
		t.Errorf("DidYouMean: %s", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"añb", "anb", 1}, {"ab", "ba", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
