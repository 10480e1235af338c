package dc

import (
	"errors"
	"fmt"
	"math"
	"strings"
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
	A      Affine
	Lo, Hi []float64
	// DC constraints: E ≤ 0. DC tells which of the two it is.
	DC bool

	index   []int
	e       Expr
	members *members // nil: it is one constraint
	grows   *growing // not nil: more members may be added
	next    *Common  // the other half of an equation or a chain
	opens   bool     // the next constraint is the other half of an equation
	// second: the one before is the other half. implied: a declaration of a
	// variable or an equation says so.
	second, implied bool
	within          bool  // it keeps the bounds of a variable that an equation defines
	cone            *Cone // E ≤ 0 states that its rows lie in it
	err             error
}

// stated is a constraint that differs from others in more than numbers.
func stated(c Common) Constraint { return Constraint{Common: &c} }

// refused is a constraint that cannot be.
func refused(err error) Constraint { return stated(Common{err: err}) }

// alone is the statement of c for c alone. That of the zero Constraint is refused by
// Model.Problem.
func (c Constraint) alone() Common {
	if c.Common == nil {
		return Common{}
	}
	s := *c.Common
	if s.members != nil {
		s.e, s.index, s.members = c.E(), c.Index(), nil
	}
	return s
}

// Named returns c under the name family[index...], for messages and results. Constraints
// of one family stand together where they are printed; index may be empty.
func (c Constraint) Named(family string, index ...int) Constraint {
	s := c.alone()
	s.Family, s.index = family, index
	return stated(s)
}

// E is the function of a DC constraint, which states E ≤ 0; the constant 0 for an affine one.
func (c Constraint) E() Expr {
	if c.members != nil {
		return c.members.expr(c.member)
	}
	return c.e
}

// Value is that of E at x, of length Problem.NumVars.
func (c *Constraint) Value(x []float64) float64 {
	if c.members != nil {
		return c.members.plan.Member(c.member, x)
	}
	return c.e.Value(x)
}

// SplitRate is the derivative of the split G − H of E by E where both are 0: 1, but for a
// product of affine functions ≥ c, which is split as a geometric mean. The multiplier of
// E ≤ 0 is that of G − H ≤ 0 times it.
func (c *Constraint) SplitRate() float64 {
	if c.DC && c.members == nil {
		if s := c.e.split(); s.rate > 0 {
			return s.rate
		}
	}
	return 1
}

// Index has the numbers in brackets of the name; it may be empty.
func (c Constraint) Index() []int {
	if c.members != nil {
		return c.members.indexOf(c.member)
	}
	return c.index
}

// Members are the constraints from c on that share c.Common, for package ccp; nil where c is
// alone, or not the first of them.
func (c *Constraint) Members() any {
	if c.members == nil || c.member > 0 {
		return nil
	}
	return sharedBy(c.members)
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
		return c.members.convex
	}
	return !c.DC || c.e.IsConvex()
}

// Equation reports whether the constraint after c is the other half of an equation:
// −e ≤ 0 where c is e ≤ 0.
func (c Constraint) Equation() bool { return c.opens }

// Within reports whether the constraint keeps the bounds of a variable that an equation defines: as the problem is written, its
// multiplier is that of the bounds, see AddDefined.
func (c Constraint) Within() bool { return c.within }

// LE states l ≤ r: entry by entry if both are affine, of the same shape or one
// a scalar; of two scalars otherwise.
func LE(l, r Operand) Constraint { return relate("≤", math.Inf(-1), l, r) }

// GE states l ≥ r, as LE(r, l).
func GE(l, r Operand) Constraint { return LE(r, l) }

// EQ states l = r. If that is not affine it becomes l ≤ r and r ≤ l, two DC
// constraints of one name.
func EQ(l, r Operand) Constraint { return relate("=", 0, l, r) }

// Between states lo ≤ e ≤ hi. With an affine e and constant lo and hi it is one
// constraint with two-sided rows.
func Between(lo, e, hi Operand) Constraint {
	below, above := LE(lo, e), LE(e, hi)
	l, okL := asAffine(lo)
	h, okH := asAffine(hi)
	if _, ok := asAffine(e); ok && okL && okH && l.IsConst() && h.IsConst() &&
		errors.Join(below.err, above.err) == nil && below.A.Len() == above.A.Len() {
		for k := range above.Lo { // above: e − hi ≤ 0, and ≥ lo − hi
			above.Lo[k] = l.c[min(k, l.Len()-1)] - h.c[min(k, h.Len()-1)]
		}
		return above
	}
	below.next = above.Common
	return below
}

// asAffine is the operand where it is affine by its type.
func asAffine(o Operand) (a Affine, ok bool) {
	switch o := o.(type) {
	case Affine:
		return o, true
	case Linear:
		return FromLinear(o), true
	}
	return Affine{}, false
}

func relate(sign string, lo float64, l, r Operand) Constraint {
	a, okA := asAffine(l)
	b, okB := asAffine(r)
	if okA && okB {
		d := a.Sub(b)
		if err := d.Err(); err != nil {
			if errors.Is(err, errNoValue) || a.Err() != nil || b.Err() != nil {
				return refused(err)
			}
			return refused(fmt.Errorf("dc: constraint with shape %v on the left of %s and %v on the right", a.Shape(), sign, b.Shape()))
		}
		return affineConstraint(d, lo)
	}
	e := ToExpr(l).Sub(r)
	switch {
	case e.err != nil:
		return refused(e.err)
	case e.IsAffine():
		return affineConstraint(FromLinear(e.lin), lo)
	}
	c := Common{e: e.atMostZero(), DC: true}
	if lo == 0 {
		c.next, c.opens = &Common{e: e.Neg().atMostZero(), DC: true}, true
	}
	return stated(c)
}

// atMostZero is e with a split for the constraint e ≤ 0, which need not be that
// of the function.
func (e Expr) atMostZero() Expr {
	if s, ok := hyperbola(e); ok { // again in Model.Problem, when all rows are known
		e.replaceSplit(s)
	}
	return e
}

func affineConstraint(d Affine, lo float64) Constraint {
	c := Common{A: d, Lo: make([]float64, d.Len()), Hi: make([]float64, d.Len())}
	for k := range c.Lo {
		c.Lo[k] = lo
	}
	return stated(c)
}

// Support lists, ascending, the variables that c depends on as it is written.
func (c *Constraint) Support() []int {
	if !c.DC {
		return c.A.support()
	}
	if c.members != nil {
		return c.members.support(c.member)
	}
	return c.e.support()
}
