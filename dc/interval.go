package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Interval is the set of numbers from Lo to Hi, which may be infinite.
// Operations round outward, and not at all where the result is exact.
type Interval = interval.Interval

// point is the interval of one number.
func point(v float64) Interval { return interval.Point(v) }

// finite reports whether v is a number.
func finite(v float64) bool { return num.Finite(v) }

// apart is the relative distance of two ranges above which their rounding errors do not
// matter. Source: above the errors of sums of 1e6 terms.
const apart = 1e-9

// finiteSize is |v|, 0 where v is not finite.
func finiteSize(v float64) float64 {
	if a := math.Abs(v); a <= math.MaxFloat64 {
		return a
	}
	return 0
}
