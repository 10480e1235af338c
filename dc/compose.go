package dc

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// applyTo is a row of the table of functions of an operand.
func applyTo(name string, e scalar) scalar { return applyCurve(rowOf(name), e) }

// apply is a row of the table of functions of every entry.
func (a Expr) apply(name string) Expr {
	return a.each(func(e scalar) scalar { return applyTo(name, e) })
}

// applyCurve is f of e: by cones of f or of −f, by other functions, else by bounds of the second
// derivative.
func applyCurve(f curve, e scalar) scalar {
	switch {
	case f.represented():
		return apply(f, e)
	case f.neg().represented():
		return apply(f.neg(), e).Neg()
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	return f.bounded(e)
}

func (f curve) ofConstant(u float64) scalar {
	v := f.value(u)
	if !num.Finite(v) {
		return badExpr("%s at %g, outside its domain", f, u)
	}
	return constantExpr(v)
}

// by is a row of the table of an operand with the split of another expression that has the same
// values.
func by(name string, e scalar, same func(e scalar) scalar) scalar {
	f := rowOf(name)
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	as, of := same(e), func(p parted) written { return newCurveAtom(f, e, &p) }
	switch {
	case as.err != nil:
		return scalar{err: fmt.Errorf("%w (it is a part of %s)", as.err, f)}
	case as.withTangents():
		return linearised(of, fmt.Errorf("dc: no DC split for %s of this", f), e)
	}
	return made(of, *as.split(), e)
}

// apply composes: a convex f of an affine e; a nondecreasing one of a convex e,
// a nonincreasing one of a concave e (Grant, Boyd and Ye 2006); of other e a
// difference, see lifted.
func apply(f curve, e scalar) scalar {
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	if e.withTangents() {
		of := func(p parted) written {
			c := newCurveAtom(f, e, &p)
			c.open = true
			return c
		}
		return linearised(of, fmt.Errorf("dc: no DC split for %s of this", f), e)
	}
	s, err := curveSplit(f, e.split(), e.Range())
	if err != nil {
		return scalar{err: err}
	}
	return made(func(p parted) written { return newCurveAtom(f, e, &p) }, s, e)
}

// curveSplit is the split of f of a function with split s and the given range.
func curveSplit(f curve, s *split, r interval.Interval) (split, error) {
	switch {
	case s.isAffine(), f.direction() > 0 && s.isConvex() && r.Lo >= f.least(), f.direction() < 0 && s.isConcave():
		return convexSplit(newCurveAtom(f, s.expr(), nil)), nil
	}
	return liftedSplit(f, s, r)
}

// bounded is f of e, a function without cones: its second derivative has bounds, by which it is
// split, see bent. Such functions and functions of them are linearised.
func (f curve) bounded(e scalar) scalar {
	i := f.in(e.Range())
	if b := f.Bends(i); !b.IsFinite() {
		return badExpr("no DC split for %s of this: its second derivative has no bound where the argument is "+
			"%g to %g; give the variables bounds%s", f, i.Lo, i.Hi, f.hint())
	}
	return linearised(func(p parted) written { return newCurveAtom(f, e, &p) },
		fmt.Errorf("dc: no DC split for %s of this: the argument has kinks and no bounds", f), e)
}

// curveAtom is f(e). Without a split of its own it is convex: e is affine, or convex and f
// nondecreasing, or concave and f nonincreasing.
type curveAtom struct {
	f       curve
	args    [1]scalar // e
	own     *parted
	open    bool // no row keeps points within the domain: the value outside is NaN
	indices []int
}

func newCurveAtom(f curve, e scalar, own *parted) *curveAtom {
	c := &curveAtom{f: f, args: [1]scalar{e}, own: own}
	if own != nil {
		c.indices = own.indices
	} else {
		c.indices = e.support()
	}
	return c
}

func (c *curveAtom) split() *split {
	if c.own == nil {
		return nil
	}
	return &c.own.s
}

func (c *curveAtom) hasSplit() bool { return c.own != nil }
func (c *curveAtom) e() *scalar     { return &c.args[0] }

func (c *curveAtom) Value(x []float64) float64 { return c.at(c.e().value(x)) }

// at is the value for the argument u.
func (c *curveAtom) at(u float64) float64 {
	v := c.f.value(u)
	if c.open && (u < c.f.least() || math.IsInf(v, 0)) {
		return math.NaN()
	}
	return v
}

func (c *curveAtom) AddSubgrad(dst []float64, scale float64, x []float64) {
	c.AddGradient(dst, scale, x)
}

// AddGradient is AddSubgrad, and returns Value.
func (c *curveAtom) AddGradient(dst []float64, scale float64, x []float64) float64 {
	u := c.e().value(x)
	c.e().addSubgrad(dst, scale*c.f.slope(u), x)
	return c.at(u)
}

func (c *curveAtom) Smooth() bool                     { return !c.f.row.Kinked && c.e().smooth() }
func (c *curveAtom) Support() []int                   { return c.indices }
func (c *curveAtom) Approx(x []float64) convex.Approx { return c.f.Approx(c.e().Approx(x)) }
func (c *curveAtom) Over() interval.Interval          { return c.f.Over(c.e().Range()) }
func (c *curveAtom) Bends() (convex.Bends, bool)      { return c.f.bendsAt(bendsOf(c.e())) }
func (c *curveAtom) node() Node                       { return c.f.node([2]argument{{exprs: c.args[:]}}) }
func (c *curveAtom) String() string                   { return c.f.String() }
func (c *curveAtom) partial() bool                    { return !c.f.total() }
func (c *curveAtom) represented() bool                { return c.f.represented() }

func (c *curveAtom) Parts() []convex.Func {
	if c.own != nil {
		return nil
	}
	f, _ := c.e().oneSided()
	return []convex.Func{f}
}

func (c *curveAtom) Represent(to convex.Canon) convex.Form {
	f, sign := c.e().oneSided()
	return c.f.represent(to, to.Bound(f).Scale(sign))
}

func (c *curveAtom) Domain() []convex.Representer {
	if c.own != nil {
		return nil
	}
	out := c.e().domain()
	if least := c.f.least(); !math.IsInf(least, -1) {
		e := scalar{lin: convex.Linear{Const: least}}.Sub(*c.e()) // convex: e is affine or concave
		out = append(out, newSum(e.lin, e.terms))
	}
	return out
}

func (c *curveAtom) Everywhere() bool {
	return c.own != nil || math.IsInf(c.f.least(), -1) && c.f.total() && c.e().everywhere()
}

func (c *curveAtom) Inside(x []float64) bool {
	return c.own != nil || c.e().inside(x) && c.f.inside(c.e().value(x))
}

// isAffine reports whether f is a row of an affine function.
func (c *curveAtom) isAffine(name string) bool { return c.f.is(name) && c.e().isAffineNow() }

// Pieces are the pieces of an absolute value of an affine function.
func (c *curveAtom) Pieces() []convex.Linear {
	if l := c.e().lin; c.isAffine("abs") {
		return []convex.Linear{l, l.Scale(-1)}
	}
	return nil
}

// Line: of an affine function and a constant b.
func (c *curveAtom) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	if !c.e().isAffineNow() || !b.IsConst() {
		return convex.Linear{}, 0, 0, 0, false
	}
	u, ok := c.f.solve(b.Const)
	slope := math.Abs(c.f.slope(u))
	if !ok || !(slope > 0) || math.IsInf(slope, 1) {
		return convex.Linear{}, 0, 0, 0, false
	}
	sign := float64(c.f.direction())
	row = convex.Linear{Const: sign * u}.AddScaled(-sign, c.e().lin)
	return row, 0, math.Inf(1), -1 / slope, true
}

// affineParts of the splits.
func affineParts(es []scalar) convex.Array {
	lins := make([]convex.Linear, len(es))
	for k := range es {
		lins[k] = es[k].splitNow().lin
	}
	return convex.Entries(lins...)
}
