package program

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/expr/matrix"
	"github.com/dcopt/dcopt/internal/expr/rule"
)

// Constraint is either lo ≤ A ≤ hi for the entries of an affine A, or e ≤ 0
// for one DC expression.
type Constraint struct {
	*Common
	member int // its number in Common.members
}

// Common is the statement of a constraint. Constraints of a Problem that have one name,
// follow one another and differ in numbers alone share one: their numbers are arrays in it.
type Common struct {
	// Family names it, together with Index: apart[1,2]. It may be empty.
	Family string

	// Affine constraints: bounds for every entry, ±Inf for none.
	A      convex.Array
	Lo, Hi []float64
	// DC constraints: E ≤ 0. DC tells which of the two it is.
	DC bool

	// Equation: the next constraint is the other half of an equation, −e ≤ 0 of e ≤ 0.
	Equation bool
	Implied  bool // a declaration of a variable or an equation says so
	// Within: it keeps the bounds of a variable that an equation defines, which have its multiplier
	// as the problem is written, see AddDefined.
	Within bool
	Err    error // the first mistake made on the way to it

	index   []int
	e       expr.Scalar
	members *family.Members // nil: it is one constraint
	grows   *growing        // not nil: more members may be added
	second  bool            // the one before is the other half
	cone    *convex.Cone    // E ≤ 0 states that its rows lie in it
}

// Rows states lo ≤ a ≤ hi, entry by entry.
func Rows(a convex.Array, lo, hi []float64) Common { return Common{A: a, Lo: lo, Hi: hi} }

// AtMostZero states e ≤ 0.
func AtMostZero(e expr.Scalar) Common { return Common{e: atMostZero(e), DC: true} }

// InCone states that the rows of a cone lie in it; e is at most 0 where they do.
func InCone(e expr.Scalar, cone *convex.Cone) Common { return Common{e: e, DC: true, cone: cone} }

// atMostZero is e with a split for the constraint e ≤ 0, which need not be that
// of the function.
func atMostZero(e expr.Scalar) expr.Scalar {
	if s, ok := rule.Hyperbola(e); ok { // again in Model.Problem, when all rows are known
		e.ReplaceSplit(s)
	}
	return e
}

// IsRows reports whether c states affine functions.
func (c *Common) IsRows() bool { return !c.DC && c.cone == nil }

// stated is a constraint that differs from others in more than numbers.
func stated(c Common) Constraint { return Constraint{Common: &c} }

// alone is the statement of c for c alone.
func (c Constraint) alone() Common {
	s := *c.Common
	if s.members != nil {
		s.e, s.index, s.members = c.Function(), c.Index(), nil
	}
	return s
}

// Function is the function of a DC constraint, which states that it is at most 0; the constant 0
// for an affine one.
func (c *Constraint) Function() expr.Scalar {
	if c.members != nil {
		return c.members.Expr(c.member)
	}
	return c.e
}

// Written is a function of the variables as it is written: the largest of its terms, values with
// bounds of their rounding errors, and whether it has a gradient wherever it has subgradients.
type Written interface {
	convex.Func
	Size(x []float64) float64
	Approx(x []float64) convex.Approx
	Smooth() bool
}

// Written is the function of a DC constraint for its values and gradients: it takes no splits.
func (c *Constraint) Written() Written {
	if c.members != nil {
		return c.members.At(c.member)
	}
	return &c.e
}

// Slope is a Lipschitz constant of E in the largest change of a variable; +Inf where none is known.
func (c *Constraint) Slope() float64 {
	if c.members != nil {
		return c.members.Slope(c.member)
	}
	return math.Inf(1)
}

// Value is the value of E at x, of length Problem.NumVars.
func (c *Constraint) Value(x []float64) float64 {
	if c.members != nil {
		return c.members.Plan.Member(c.member, x)
	}
	return c.e.Value(x)
}

// SplitRate is the derivative of the split G − H of E by E where both are 0: 1, but for a
// product of affine functions ≥ c, which is split as a geometric mean. The multiplier of
// E ≤ 0 is the one of G − H ≤ 0 times it.
func (c *Constraint) SplitRate() float64 {
	if c.DC && c.members == nil {
		if s := c.e.Split(); s.Rate > 0 {
			return s.Rate
		}
	}
	return 1
}

// Index has the numbers in brackets of the name; it may be empty.
func (c Constraint) Index() []int {
	if c.members != nil {
		return c.members.IndexOf(c.member)
	}
	return c.index
}

// Members are the constraints from c on that share c.Common, for package ccp; nil where c is
// alone, or not the first of them.
func (c *Constraint) Members() *family.Members {
	if c.members == nil || c.member > 0 {
		return nil
	}
	return c.members
}

// Name is Family with its indices, such as apart[1,2].
func (c Constraint) Name() string {
	index := c.Index()
	if len(index) == 0 {
		return c.Family
	}
	var b strings.Builder
	b.WriteString(c.Family)
	for k, i := range index {
		sep := ","
		if k == 0 {
			sep = "["
		}
		fmt.Fprintf(&b, "%s%d", sep, i)
	}
	b.WriteByte(']')
	return b.String()
}

// Convex reports whether the constraint is kept as it is: affine, or with an h
// that is zero.
func (c Constraint) Convex() bool {
	if c.members != nil {
		return c.members.Convex
	}
	return !c.DC || c.e.IsConvex()
}

// Support lists, ascending, the variables that c depends on as it is written.
func (c *Constraint) Support() []int {
	if !c.DC {
		return c.A.Support()
	}
	if c.members != nil {
		return c.members.Support(c.member)
	}
	return c.e.Support()
}

// DualShape is the shape in which n multipliers of c are to be read: the shape of the array or the
// matrix that it states, else a list; nil: one number.
func (c *Constraint) DualShape(n int) []int {
	var shape []int
	if !c.DC {
		shape = c.A.Shape
	} else if d := c.Order(); d > 0 && d*d == n {
		return []int{d, d}
	}
	if convex.Size(shape) != n {
		return []int{n}
	}
	return shape
}

// Order is the order of the matrix that the constraint states to be positive
// semidefinite: bI − A ⪰ 0 for a constraint that bounds an extreme eigenvalue of
// A, as Semidefinite makes it. It is 0 for other constraints, and for a matrix of
// one entry.
func (c *Constraint) Order() int {
	if !c.DC {
		return 0
	}
	if one, _ := c.e.Alone(); one == nil && c.e.Lazy == nil && !c.e.Composite { // a split would gather the terms alone
		if len(c.e.Terms) != 1 {
			return 0
		}
		if expr.RowAt(c.e.Terms[0].F, matrix.Largest) == nil {
			return 0
		}
	}
	s := c.e.SplitNow()
	if len(s.G) != 1 || len(s.H) != 0 {
		return 0
	}
	if a := expr.RowAt(s.G[0].F, matrix.Largest); a != nil {
		return matrix.Order(a.Len())
	}
	return 0
}

// Cone is the cone of a constraint that InCone has made; ok is false for any other.
func (c *Constraint) Cone() (k convex.Cone, ok bool) {
	if c.cone == nil {
		return convex.Cone{}, false
	}
	return *c.cone, true
}

// checkCone refuses rows with coefficients that are no numbers, or of another model.
func checkCone(k *convex.Cone, of *convex.Space) error {
	if slices.ContainsFunc(k.Rows, convex.NotFinite) || math.IsNaN(k.Alpha) {
		return expr.Failed("a coefficient of a cone is not finite").Err
	}
	for _, l := range k.Rows {
		if err := l.Of.Check(of); err != nil {
			return err
		}
	}
	return nil
}

func (c *Constraint) checkAffine(of *convex.Space) error {
	if err := c.A.Of.Check(of); err != nil {
		return err
	}
	if len(c.Lo) != c.A.Len() || len(c.Hi) != c.A.Len() {
		return errors.New("dc: a constraint must be made with LE, GE, EQ or Between")
	}
	for k := range c.Lo {
		if !(c.Lo[k] <= c.Hi[k]) {
			return fmt.Errorf("dc: entry %d has bounds %g and %g", k, c.Lo[k], c.Hi[k])
		}
		if convex.NotFinite(c.A.Linear(k)) {
			return fmt.Errorf("dc: a coefficient of entry %d is not finite", k)
		}
	}
	return nil
}
