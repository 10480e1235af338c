//go:build !race

package judge

import (
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// TestSeries counts the answers that are right, converged with nothing wrong, in
// boxes of one size. The counts are of today and may only rise.
func TestSeries(t *testing.T) {
	need.That(t, !testing.Short(), need.Long, "600 problems")
	for name, least := range map[string]int{"box60": 297, "box2000": 296} {
		sum := run(t, 300, 0, 0, series(t, name).Draw)
		sum.log(t)
		if sum.right < least {
			t.Errorf("%s: %d of 300 are right, %d were", name, sum.right, least)
		}
	}
}
