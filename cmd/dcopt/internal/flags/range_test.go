package flags

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseLimit(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"2": 2 * time.Second, "0.5": 500 * time.Millisecond, "90s": 90 * time.Second, "1.5m": 90 * time.Second,
		"1e30": 1e9 * time.Second, "Inf": 1e9 * time.Second,
	} {
		if got, err := Limit(s); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", s, got, err, want)
		}
	}
}

func TestParseSweep(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"mu=1:2:3", "1 1.5 2"}, {"mu=3:1:2", "3 1"}, {"mu=5:9:1", "5"}, {"mu=1,2.5, 3", "1 2.5 3"}, {"mu=7", "7"},
		{"mu=0:0.3:4", "0 0.09999999999999999 0.19999999999999998 0.3"},
	} {
		r, err := ParseRange("--sweep", c.in)
		if err != nil || r.Name != "mu" || strings.Join(r.Values, " ") != c.want {
			t.Errorf("%s: %q, %v, want %s", c.in, r.Values, err, c.want)
		}
	}
	for _, in := range []string{"", "mu", "=1", "mu=", "mu=a", "mu=1:2", "mu=1:2:0", "mu=1:2:-3", "mu=1:2:1e3", "mu=1:x:3", "mu=1,NaN", "mu=Inf:1:3", "mu=1:2:3:4", "mu=1:2:9999999"} {
		if r, err := ParseRange("--sweep", in); err == nil {
			t.Errorf("%q is taken as %q", in, r.Values)
		}
	}
}

// TestWithout: a flag is taken out of arguments, but no file of its name.
func TestWithout(t *testing.T) {
	if got := Without([]string{"solve", "-w", "a", "--watch=true", "--", "-w"}, "w", "watch"); !slices.Equal(got, []string{"solve", "a", "--", "-w"}) {
		t.Errorf("without the flag: %q", got)
	}
}
