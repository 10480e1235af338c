package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// curve is a convex function of one number: the outer part of a composition.
type curve interface {
	value(u float64) float64 // +Inf outside the domain
	slope(u float64) float64
	// represent adds the rows and cones of a bound t ≥ curve(u), and returns it.
	represent(c Canon, u Linear) Form
	// direction is +1 for nondecreasing, −1 for nonincreasing, 0 for neither.
	direction() int
	// least is the left end of the domain, −Inf for none.
	least() float64
	// solve is the u with value b, if the curve is ≤ b exactly on one side of
	// it: below if it is nondecreasing, above if nonincreasing.
	solve(b float64) (u float64, ok bool)
	// inside reports whether the curve has a tangent at u.
	inside(u float64) bool
	// over is the range over an interval within the domain.
	over(i Interval) Interval
	// op is the atom that the curve, or minus the curve, is.
	op() curveOp
	String() string
}

// curveRoundings is a bound of the roundings of a curve's value, relative to
// it. Source: derived: Go's math functions are accurate to one unit in the last place but for
// Pow, and no curve has more than three operations besides.
const curveRoundings = 6

// over is the range of f for arguments in i.
func curveOver(f curve, i Interval) Interval {
	i.Lo, i.Hi = max(i.Lo, f.least()), max(i.Hi, f.least())
	return f.over(i)
}

// increasing and decreasing are ranges of monotone curves.
func increasing(f curve, i Interval) Interval {
	return interval.Image(i, f.value, true, curveRoundings)
}
func decreasing(f curve, i Interval) Interval {
	return interval.Image(i, f.value, false, curveRoundings)
}

// curveOp is a curve as an atom.
type curveOp struct {
	name     string
	negative bool
	power    bool
	p        float64
}

// curveApprox is f(a).
func curveApprox(f curve, a approx) approx {
	least, v, slope := f.least(), f.value(a.v), f.slope(a.v)
	lo, hi := f.value(max(a.lo(), least)), f.value(max(a.hi(), least))
	if f.direction() != 0 && !math.IsInf(v, 0) { // it is no further than at the ends
		lo, hi, slope = v+math.Abs(lo-v), v+math.Abs(hi-v), 0
	}
	return a.through(v, slope, lo, hi, curveRoundings)
}

// everywhere is embedded by curves whose domain is the whole line.
type everywhere struct{}

func (everywhere) least() float64      { return math.Inf(-1) }
func (everywhere) inside(float64) bool { return true }

// positive is embedded by curves whose domain ends at 0, with an infinite slope
// or none there.
type positive struct{}

func (positive) least() float64        { return 0 }
func (positive) inside(u float64) bool { return u > steepest }

// domainTol is how far a solver's point may lie outside a domain and still be
// evaluated at its boundary. Problem.Violation counts the distance all the same.
// Source: two digits above the tolerance of 1e-6 to which constraints are kept.
const domainTol = 1e-4

// steepest is the argument below which a slope is kept from growing.
// Source: derived: slopes stay below 1e20, which backends take for infinite.
const steepest = 1e-20

// onDomain moves an argument that is outside by no more than rounding to the
// boundary; ok is false where it is farther out.
func onDomain(u float64) (v float64, ok bool) { return max(u, 0), u >= -domainTol }
