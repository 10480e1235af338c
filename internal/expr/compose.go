package expr

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// ApplyTo is a row of the table of functions of an operand.
func ApplyTo(name string, e Scalar) Scalar { return ApplyCurve(RowOf(name), e) }

// ApplyCurve is f of e: by cones of f or of −f, by other functions, else by bounds of the second
// derivative.
func ApplyCurve(f Curve, e Scalar) Scalar {
	switch {
	case f.Represented():
		return Apply(f, e)
	case f.Neg().Represented():
		return Apply(f.Neg(), e).Neg()
	case e.Err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.Split().Lin.Const)
	}
	return f.bounded(e)
}

func (f Curve) ofConstant(u float64) Scalar {
	v := f.value(u)
	if !num.Finite(v) {
		return Failed("%s at %g, outside its domain", f, u)
	}
	return Number(v)
}

// By is a row of the table of an operand with the split of another expression that has the same
// values.
func By(name string, e Scalar, same func(e Scalar) Scalar) Scalar {
	f := RowOf(name)
	switch {
	case e.Err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.Split().Lin.Const)
	}
	as := same(e)
	switch {
	case as.Err != nil:
		return Scalar{Err: fmt.Errorf("%w (it is a part of %s)", as.Err, f)}
	case as.WithTangents():
		return f.linearised(e, f.noSplit())
	}
	return Made(func(p Parted) Written { return NewCurveAtom(f, e, &p) }, *as.Split(), e)
}

// noSplit is the error where a function of f has no split.
func (f Curve) noSplit() error { return fmt.Errorf("dc: no DC split for %s of this", f) }

// linearised is f of a smooth e of which it has no split: it has values and gradients alone, see
// Linearised. Of others it is the error.
func (f Curve) linearised(e Scalar, err error) Scalar {
	return Linearised(func(p Parted) Written {
		c := NewCurveAtom(f, e, &p)
		c.open = true
		return c
	}, err, e)
}

// Apply composes: a convex f of an affine e; a nondecreasing one of a convex e,
// a nonincreasing one of a concave e (Grant, Boyd and Ye 2006); of other e a
// difference, see lifted; where the slope has no bound for that, and e is smooth, it is
// linearised.
func Apply(f Curve, e Scalar) Scalar {
	switch {
	case e.Err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.Split().Lin.Const)
	}
	if e.WithTangents() {
		return f.linearised(e, f.noSplit())
	}
	s, err := curveSplit(f, e.Split(), e.Over())
	if err != nil {
		return f.linearised(e, err)
	}
	return Made(func(p Parted) Written { return NewCurveAtom(f, e, &p) }, s, e)
}

// curveSplit is the split of f of a function with split s and the given range.
func curveSplit(f Curve, s *Split, r interval.Interval) (Split, error) {
	switch {
	case s.IsAffine(), f.direction() > 0 && s.IsConvex() && r.Lo >= f.least(), f.direction() < 0 && s.IsConcave():
		return ConvexSplit(NewCurveAtom(f, s.expr(), nil)), nil
	case r.Lo < f.least() && !s.IsConcave(): // no convex row keeps points within the domain
		return Split{}, fmt.Errorf("dc: no DC split for %s of this: it needs an affine or a concave argument, "+
			"or one that bounds keep at %g or above (its range is %g to %g)", f, f.least(), r.Lo, r.Hi)
	}
	return liftedSplit(f, s, r)
}

// bounded is f of e, a function without cones: its second derivative has bounds, by which it is
// split, see bent. Such functions and functions of them are linearised.
func (f Curve) bounded(e Scalar) Scalar {
	i := f.in(e.Over())
	if b := f.Bends(i); !b.IsFinite() {
		return Failed("no DC split for %s of this: its second derivative has no bound where the argument is "+
			"%g to %g; give the variables bounds%s", f, i.Lo, i.Hi, f.hint())
	}
	return Linearised(func(p Parted) Written { return NewCurveAtom(f, e, &p) },
		fmt.Errorf("dc: no DC split for %s of this: the argument has kinks and no bounds", f), e)
}

// CurveAtom is f(e). Without a split of its own it is convex: e is affine, or convex and f
// nondecreasing, or concave and f nonincreasing.
type CurveAtom struct {
	F       Curve
	args    [1]Scalar // e
	Own     *Parted
	open    bool // no row keeps points within the domain: the value outside is NaN
	indices []int
}

// NewCurveAtom is f(e) with a split of its own, nil for a convex one.
func NewCurveAtom(f Curve, e Scalar, own *Parted) *CurveAtom {
	c := &CurveAtom{F: f, args: [1]Scalar{e}, Own: own}
	if own != nil {
		c.indices = own.Indices
	} else {
		c.indices = e.Support()
	}
	return c
}

func (c *CurveAtom) Split() *Split {
	if c.Own == nil {
		return nil
	}
	return &c.Own.S
}

func (c *CurveAtom) HasSplit() bool { return c.Own != nil }
func (c *CurveAtom) E() *Scalar     { return &c.args[0] }

func (c *CurveAtom) Value(x []float64) float64 { return c.at(c.E().Value(x)) }

// at is the value for the argument u.
func (c *CurveAtom) at(u float64) float64 {
	v := c.F.value(u)
	if c.open && (u < c.F.least() || math.IsInf(v, 0)) {
		return math.NaN()
	}
	return v
}

func (c *CurveAtom) AddSubgrad(dst []float64, scale float64, x []float64) {
	c.AddGradient(dst, scale, x)
}

// AddGradient is AddSubgrad, and returns Value.
func (c *CurveAtom) AddGradient(dst []float64, scale float64, x []float64) float64 {
	u := c.E().Value(x)
	c.E().AddSubgrad(dst, scale*c.F.slope(u), x)
	return c.at(u)
}

func (c *CurveAtom) Support() []int                   { return c.indices }
func (c *CurveAtom) Approx(x []float64) convex.Approx { return c.F.Approx(c.E().Approx(x)) }
func (c *CurveAtom) Over() interval.Interval          { return c.F.Over(c.E().Over()) }
func (c *CurveAtom) Node() Node                       { return Node{Curve: c.F, Inputs: ExprArgs(c.args[:]...)} }
func (c *CurveAtom) String() string                   { return c.F.String() }
func (c *CurveAtom) Partial() bool                    { return !c.F.Total() }
func (c *CurveAtom) represented() bool                { return c.F.Represented() }

// Smooth: |u|ᵖ with p > 1 is.
func (c *CurveAtom) Smooth() bool {
	return !c.F.Row.Kinked && (c.E().Smooth() || c.ofSize() && c.F.slope(0) == 0)
}

// ofSize reports whether the argument is |u| of an affine u, whose kink is where its value is 0.
func (c *CurveAtom) ofSize() bool {
	e := c.E()
	if len(e.Terms) != 1 || !e.Lin.IsZero() {
		return false
	}
	u, ok := e.Terms[0].F.(*CurveAtom)
	return ok && u.isAffine("abs")
}

func (c *CurveAtom) Bends() (convex.Bends, bool) {
	if r := c.E().Over(); c.open && c.F.in(r) != r { // outside of the domain no square makes it convex
		return convex.Bends{}, false
	}
	return c.F.bendsAt(c.E().Bends())
}

func (c *CurveAtom) Parts() []convex.Func {
	if c.Own != nil {
		return nil
	}
	f, _ := c.E().oneSided()
	return []convex.Func{f}
}

func (c *CurveAtom) Represent(to convex.Canon) convex.Form {
	f, sign := c.E().oneSided()
	return c.F.Represent(to, to.Bound(f).Scale(sign))
}

func (c *CurveAtom) Domain() []convex.Representer {
	if c.Own != nil {
		return nil
	}
	out := c.E().Domain()
	if least := c.F.least(); !math.IsInf(least, -1) {
		e := Scalar{Lin: convex.Linear{Const: least}}.Sub(*c.E()) // convex: e is affine or concave
		out = append(out, newSum(e.Lin, e.Terms))
	}
	return out
}

func (c *CurveAtom) Everywhere() bool {
	return c.Own != nil || math.IsInf(c.F.least(), -1) && c.F.Total() && c.E().Everywhere()
}

func (c *CurveAtom) Inside(x []float64) bool {
	return c.Own != nil || c.E().Inside(x) && c.F.inside(c.E().Value(x))
}

func (c *CurveAtom) within(x []float64) bool {
	return c.E().within(x) && c.F.inside(c.E().Value(x))
}

// isAffine reports whether f is a row of an affine function.
func (c *CurveAtom) isAffine(name string) bool { return c.F.Is(name) && c.E().IsAffineNow() }

// Pieces are the pieces of an absolute value of an affine function.
func (c *CurveAtom) Pieces() []convex.Linear {
	if l := c.E().Lin; c.isAffine("abs") {
		return []convex.Linear{l, l.Scale(-1)}
	}
	return nil
}

// Line: of an affine function and a constant b, where no end of the domain is a side of the row.
func (c *CurveAtom) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	u, end, slope, ok := c.sides(b)
	if !ok || !math.IsInf(end, 0) {
		return convex.Linear{}, 0, 0, 0, false
	}
	sign := math.Copysign(1, slope)
	row = convex.Linear{Const: sign * u}.AddScaled(-sign, c.E().Lin)
	return row, 0, math.Inf(1), -sign / slope, true
}

// Below: where an end of the domain is a side, too: |e − (u + end)/2| ≤ |u − end|/2. The multiplier
// of the end does not count for f ≤ b then.
func (c *CurveAtom) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	u, end, slope, ok := c.sides(b)
	half := math.Copysign(0.5, slope) * (u - end)
	if !ok || !(half > 0) || math.IsInf(half, 1) {
		return convex.Cone{}, nil, false
	}
	mid := c.E().Lin.AddScaled(1, convex.Linear{Const: -(u + end) / 2})
	k = convex.Cone{Kind: convex.SecondOrderCone, Rows: []convex.Linear{{Const: half}, mid}}
	return k, []float64{-0.5 / math.Abs(slope), 0.5 / slope}, true
}

// sides bound an affine argument where the function is at most a constant b: by u, where the
// function is b and has a slope, and on the other side by the end of the domain. An infinite end is
// no bound, or one that the bounds of the argument imply.
func (c *CurveAtom) sides(b convex.Linear) (u, end, slope float64, ok bool) {
	if !c.E().IsAffineNow() || !b.IsConst() {
		return 0, 0, 0, false
	}
	u, ok = c.F.solve(b.Const)
	slope = c.F.slope(u)
	over := c.E().Over()
	if end = c.F.ends.Lo; slope < 0 {
		end = c.F.ends.Hi
	}
	if slope > 0 && over.Lo >= end || slope < 0 && over.Hi <= end {
		end = math.Inf(-1)
	}
	return u, end, slope, ok && slope != 0 && num.Finite(slope)
}

// AffineParts of the splits.
func AffineParts(es []Scalar) convex.Array {
	lins := make([]convex.Linear, len(es))
	for k := range es {
		lins[k] = es[k].SplitNow().Lin
	}
	return convex.Entries(lins...)
}
