package value

import (
	"math"
	"slices"
)

// ComplexOf is an array with these parts, of which a scalar imaginary one stands for all
// entries: a real array where all imaginary parts are 0.
func ComplexOf(re, im Value) Value {
	re, im = filled(re, &im), filled(im, &re)
	if vanishes(&re, &im) {
		return re
	}
	c := &Cells{Sort: ComplexPairs, Shape: re.Shape,
		More: &details{origin: re.Origin(), Sets: re.Sets(), Pair: &Pair{re, im}}}
	return Value{0, c}
}

// filled is v with the shape of another value where it is a scalar.
func filled(v Value, like *Value) Value {
	if len(v.Shape) > 0 || len(like.Shape) == 0 {
		return v
	}
	return v.Choose(like.Shape, make([]int, Size(like.Shape)))
}

// cancelled is how large, relative to the coefficients of the real part, rounding may
// leave a coefficient of an imaginary part that cancels.
// Source: derived: rounding of sums of some 1e3 products in float64.
const cancelled = 1e-13

// vanishes reports whether an imaginary part is 0: of data exactly, of affine functions
// but for rounding, as in trace(A*X) for Hermitian A and X.
func vanishes(re, im *Value) bool {
	switch r, i := re.AsAffine(), im.AsAffine(); i.Sort {
	case Numbers:
		return !slices.ContainsFunc(i.Numbers(), func(x float64) bool { return x != 0 })
	case AffineFunctions:
		top := 0.0
		if r.Sort == AffineFunctions {
			top = largestCoefficient(&r)
		}
		return largestCoefficient(&i) <= cancelled*top
	}
	return false
}

// largestCoefficient is the largest modulus of a coefficient or constant of affine functions.
func largestCoefficient(v *Value) float64 {
	top := 0.0
	for k := range v.Len() {
		l := v.Linear(k)
		top = max(top, math.Abs(l.Const))
		for _, w := range l.Val {
			top = max(top, math.Abs(w))
		}
	}
	return top
}

// Both applies f to the parts of complex numbers.
func (v *Value) Both(f func(part Value) Value) Value {
	return ComplexOf(f(v.More.Pair.Re), f(v.More.Pair.Im))
}

// ComplexData reports whether v is complex numbers without variables.
func (v *Value) ComplexData() bool {
	return v.Sort == ComplexPairs && v.More.Pair.Re.IsData() && v.More.Pair.Im.IsData()
}

// IsReal reports whether there is no imaginary part.
func (p *Pair) IsReal() bool { return p.Im.Cells == nil }

// Imag is the imaginary part, zeros of a real array.
func (p *Pair) Imag() Value {
	if p.IsReal() {
		return p.Re.Constant(0)
	}
	return p.Im
}

// IsData reports whether no variable occurs.
func (p *Pair) IsData() bool { return p.Re.IsData() && (p.IsReal() || p.Im.IsData()) }

// GeneralPart is a part that is not affine, nil where both are.
func (p *Pair) GeneralPart() *Value {
	switch {
	case p.Re.Curvature() > Affine:
		return &p.Re
	case !p.IsReal() && p.Im.Curvature() > Affine:
		return &p.Im
	}
	return nil
}
