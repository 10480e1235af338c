//go:build !race

package judge

import (
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// TestScales: neither the units of the objective nor those of rows or variables
// change what the procedure does: same status, same objectives in the same
// iterations. With all that the defaults do beyond the procedure, which may take
// another way for a difference in the last digit: same status and same
// objective at the end.
func TestScales(t *testing.T) {
	need.That(t, !testing.Short(), need.Long, "120 runs")
	list := scaleProblems(NewArith())
	for _, kind := range []string{"objective", "rows", "variables", "objective, defaults", "rows, defaults", "variables, defaults"} {
		scaled, rest, _ := strings.Cut(kind, ",")
		whole := rest != ""
		differ, total := 0, 0
		for _, p := range list {
			status, want := iterates(t, p, whole)
			for _, e := range exponents {
				f, g, v := 1.0, 1.0, 1.0
				switch s := math.Ldexp(1, e); scaled {
				case "objective":
					f = s
				case "rows":
					g = s
				default:
					v = s
				}
				got, objectives := iterates(t, rescaled(p, f, g, v), whole)
				total++
				if wrong := differs(status, got, want, times(objectives, 1/f)); wrong != "" {
					differ++
					t.Logf("%s of %s times 2^%d: %s", kind, p.name(), e, wrong)
				}
			}
		}
		t.Logf("scaled %s: %d of %d runs differ", kind, differ, total)
		switch known := scaleKnown[kind]; {
		case differ > known:
			t.Errorf("scaled %s: %d of %d runs differ, %d did", kind, differ, total, known)
		case differ == 0 && known > 0:
			t.Errorf("scaled %s: no run differs any more; take it out of the known failures", kind)
		}
	}
}
