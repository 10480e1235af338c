package dc

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
)

// Constraint is either lo ≤ A ≤ hi for the entries of an affine A, or e ≤ 0
// for one DC expression. Make one with LE, GE, EQ, Between, Semidefinite or InCone.
type Constraint struct {
	// Family and Index name it: apart[1,2]. Both may be empty.
	Family string
	Index  []int

	// Affine constraints: bounds for every entry, ±Inf for none.
	A      Affine
	Lo, Hi []float64
	// DC constraints: E ≤ 0. DC tells which of the two it is.
	E  Expr
	DC bool

	next  *Constraint // the other half of an equation or a chain
	opens bool        // the next constraint is the other half of an equation
	// second: the one before is the other half. implied: a declaration of a
	// variable or an equation says so.
	second, implied bool
	cone            *Cone // E ≤ 0 states that its rows lie in it
	err             error
}

// Named returns c under the name family[index...], for messages and results. Constraints
// of one family stand together where they are printed; index may be empty.
func (c Constraint) Named(family string, index ...int) Constraint {
	c.Family, c.Index = family, index
	return c
}

// Name is Family with its indices, such as apart[1,2].
func (c Constraint) Name() string {
	if len(c.Index) == 0 {
		return c.Family
	}
	var b strings.Builder
	b.WriteString(c.Family)
	for k, i := range c.Index {
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
func (c Constraint) Err() error { return c.err }

// Convex reports whether the constraint is kept as it is: affine, or with an h
// that is zero.
func (c Constraint) Convex() bool { return !c.DC || c.E.IsConvex() }

// Written yields the constraints as they were stated: of an equation E = 0 that is
// not affine the first half alone, with equation set, of a chain both halves, and
// none that follow from declarations of variables.
func (p *Problem) Written() iter.Seq2[*Constraint, bool] {
	return func(yield func(c *Constraint, equation bool) bool) {
		for k := range p.Constraints {
			c := &p.Constraints[k]
			if c.implied || c.second && p.Constraints[k-1].opens {
				continue
			}
			if !yield(c, c.opens) {
				return
			}
		}
	}
}

// Equation reports whether the constraint after c is the other half of an equation:
// −e ≤ 0 where c is e ≤ 0.
func (c Constraint) Equation() bool { return c.opens }

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
	below.next = &above
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
				return Constraint{err: err}
			}
			return Constraint{err: fmt.Errorf("dc: constraint with shape %v on the left of %s and %v on the right", a.Shape(), sign, b.Shape())}
		}
		return affineConstraint(d, lo)
	}
	e := ToExpr(l).Sub(r)
	switch {
	case e.err != nil:
		return Constraint{err: e.err}
	case e.IsAffine():
		return affineConstraint(FromLinear(e.lin), lo)
	}
	c := Constraint{E: e.atMostZero(), DC: true}
	if lo == 0 {
		c.next, c.opens = &Constraint{E: e.Neg().atMostZero(), DC: true}, true
	}
	return c
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
	c := Constraint{A: d, Lo: make([]float64, d.Len()), Hi: make([]float64, d.Len())}
	for k := range c.Lo {
		c.Lo[k] = lo
	}
	return c
}

// Support lists, ascending, the variables that c depends on as it is written.
func (c *Constraint) Support() []int {
	if !c.DC {
		return c.A.support()
	}
	return c.E.support()
}
