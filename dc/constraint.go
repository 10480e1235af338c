package dc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
)

// Constraint is either lo ≤ A ≤ hi for the entries of an affine A, or e ≤ 0
// for one DC expression. Make one with LE, GE, EQ, Between, Semidefinite or InCone.
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
	A      Expr
	Lo, Hi []float64
	// DC constraints: E ≤ 0. DC tells which of the two it is.
	DC bool

	index   []int
	e       expr.Scalar
	members *family.Members // nil: it is one constraint
	grows   *growing        // not nil: more members may be added
	next    *Common         // the other half of an equation or a chain
	each    *each           // not nil: it states an array; then there is no e
	opens   bool            // the next constraint is the other half of an equation
	// second: the one before is the other half. implied: a declaration of a
	// variable or an equation says so.
	second, implied bool
	within          bool         // it keeps the bounds of a variable that an equation defines
	cone            *convex.Cone // E ≤ 0 states that its rows lie in it
	err             error
}

// stated is a constraint that differs from others in more than numbers.
func stated(c Common) Constraint { return Constraint{Common: &c} }

// refused is a constraint that cannot be.
func refused(err error) Constraint { return stated(Common{err: err}) }

// alone is the statement of c for c alone. The statement of the zero Constraint is refused by
// Model.Problem.
func (c Constraint) alone() Common {
	if c.Common == nil {
		return Common{}
	}
	s := *c.Common
	if s.members != nil {
		s.e, s.index, s.members = c.function(), c.Index(), nil
	}
	return s
}

// each has the constraints that the comparison of an array states, one for each entry.
type each struct {
	n       int
	shape   []int
	one     func(k int) Constraint // the constraint of an entry
	columns *graph.Graph           // not nil: entry k states that member k is at most 0
	of      *convex.Space          // of columns
	names   [][]int                // by ForEach; nil: the places of the entries
}

// index are the numbers in the brackets of the name of entry k; base are the numbers of all.
func (e *each) index(base []int, k int) []int {
	if e.names == nil {
		return append(slices.Clip(base), unravel(k, e.shape)...)
	}
	out := make([]int, len(e.names))
	for d, column := range e.names {
		out[d] = column[k]
	}
	return out
}

// convex reports whether all constraints are kept as they are.
func (e *each) convex() bool {
	for k := range e.n {
		if !e.one(k).Convex() {
			return false
		}
	}
	return true
}

// unravel are the indices of entry k of an array.
func unravel(k int, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = k % shape[d]
		k /= shape[d]
	}
	return index
}

// Named returns c under the name family[index...], for messages and results. Constraints of one
// family stand together where they are printed; index may be empty. Of an array of functions that
// are not all affine, the places of the entries, counted from 0, follow index.
func (c Constraint) Named(family string, index ...int) Constraint {
	s := c.alone()
	s.Family, s.index = family, index
	if s.each != nil {
		e := *s.each
		e.names, s.each = nil, &e
	}
	return stated(s)
}

// E is the function of a DC constraint, which states E ≤ 0; the constant 0 for an affine one.
func (c Constraint) E() Expr { return number(c.function()) }

func (c *Constraint) function() expr.Scalar {
	if c.members != nil {
		return c.members.Expr(c.member)
	}
	return c.e
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

// Err is the first mistake made on the way to c, or nil.
func (c Constraint) Err() error {
	if c.Common == nil {
		return nil
	}
	return c.err
}

// Convex reports whether the constraint is kept as it is: affine, or with an h
// that is zero.
func (c Constraint) Convex() bool {
	if c.members != nil {
		return c.members.Convex
	}
	if c.each != nil {
		return c.each.convex()
	}
	return !c.DC || c.e.IsConvex()
}

// Equation reports whether the constraint after c is the other half of an equation:
// −e ≤ 0 where c is e ≤ 0.
func (c Constraint) Equation() bool { return c.opens }

// Within reports whether the constraint keeps the bounds of a variable that an equation defines: as
// the problem is written, the bounds have its multiplier, see AddDefined.
func (c Constraint) Within() bool { return c.within }

// Support lists, ascending, the variables that c depends on as it is written.
func (c *Constraint) Support() []int {
	if !c.DC {
		return c.A.support()
	}
	if c.members != nil {
		return c.members.Support(c.member)
	}
	return c.e.Support()
}
