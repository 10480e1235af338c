package setting_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/setting"
)

// TestChecks: each check takes numbers in its range, refuses others and NaN, and the
// first that fails is the error.
func TestChecks(t *testing.T) {
	type check func(c *setting.Checks, v float64)
	for _, k := range []struct {
		check     check
		good, bad []float64
		want      string
	}{
		{func(c *setting.Checks, v float64) { c.Positive("X", v) }, []float64{1e-300, math.MaxFloat64}, []float64{0, -1, math.NaN(), math.Inf(1)}, "> 0"},
		{func(c *setting.Checks, v float64) { c.NotNegative("X", v) }, []float64{0, 1}, []float64{-1, math.NaN(), math.Inf(1)}, "at least 0"},
		{func(c *setting.Checks, v float64) { c.Between(0, "X", v, 2) }, []float64{1}, []float64{0, 2, math.NaN()}, "0 < X < 2"},
		{func(c *setting.Checks, v float64) { c.AtLeast("X", int(v), 3) }, []float64{3, 4}, []float64{2}, "at least 3"},
	} {
		for _, v := range k.good {
			c := setting.Of("p: S")
			if k.check(c, v); c.Err() != nil {
				t.Errorf("%g: %v", v, c.Err())
			}
		}
		for _, v := range k.bad {
			c := setting.Of("p: S")
			k.check(c, v)
			c.Positive("Later", -1)
			if err := c.Err(); err == nil || !strings.HasPrefix(err.Error(), "p: S.X = ") || !strings.HasSuffix(err.Error(), ", want "+k.want) {
				t.Errorf("%g: %v, want %q", v, err, k.want)
			}
		}
	}
}
