package value

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// scalars are the arrays of scalar numbers and truths.
var scalars = [...]Cells{Numbers: {}, Truth: {Sort: Truth}}

func Number(x float64) Value { return Value{x, &scalars[Numbers]} }

func TruthOf(ok bool) Value {
	if ok {
		return Value{1, &scalars[Truth]}
	}
	return Value{0, &scalars[Truth]}
}

func TextOf(s string) Value { return Value{0, &Cells{Sort: Text, More: &details{Str: s}}} }

func Vector(v []float64) Value { return Value{0, &Cells{Shape: []int{len(v)}, Num: v}} }

// Array is numbers in a shape; without one, the only number.
func Array(shape []int, v []float64) Value {
	if len(shape) == 0 {
		return Number(v[0])
	}
	return Value{0, &Cells{Shape: shape, Num: v}}
}

func FromLinear(l convex.Linear) Value { return functions(AffineFunctions, dc.FromLinear(l), Cost{}) }

func FromAffine(a dc.Expr) Value {
	if len(a.Shape()) == 0 {
		return FromLinear(a.Linear(0))
	}
	return functions(AffineFunctions, a, Cost{})
}

// FromExpr is functions, affine ones if all are as they are written, or are by the bounds of the
// variables without losing one of these: x*y of a fixed x has a slope in x.
func FromExpr(e dc.Expr, k Cost) Value {
	if e.Plain() {
		return FromAffine(e)
	}
	v := functions(Expressions, e, k)
	if a := v.AsAffine(); a.Sort == AffineFunctions && sameVariables(e, *a.Fn) {
		return a
	}
	return v
}

// sameVariables reports whether functions depend on the variables that their affine forms have.
func sameVariables(e, affine dc.Expr) bool {
	for k := range e.Len() {
		if s := e.Entry(k).Scalar(); len(s.Support()) > len(affine.Linear(k).Idx) {
			return false
		}
	}
	return true
}

// AsAffine is v as affine functions, if all entries are within the bounds of the variables.
func (v Value) AsAffine() Value {
	if v.Sort != Expressions || !v.Fn.IsAffine() {
		return v
	}
	rows := make([]convex.Linear, v.Len())
	for k := range rows {
		rows[k], _ = v.Fn.Entry(k).Scalar().G().(convex.Linear)
	}
	return FromAffine(dc.FromAffine(convex.Entries(rows...)).Reshape(v.Shape...))
}

// functions are an array, or one of no shape.
func functions(s Sort, e dc.Expr, k Cost) Value {
	c := &struct { // in one piece of memory
		Cells
		e dc.Expr
	}{Cells{Sort: s, Shape: e.Shape(), Cost: k}, e}
	c.Fn = &c.e
	return Value{0, &c.Cells}
}

// CountFrom is v with other first indices.
func (v Value) CountFrom(origin []int) Value {
	if len(v.Shape) == 0 || origin == nil && (v.More == nil || v.Sort == SparseNumbers) {
		return v
	}
	if v.Sort == ComplexPairs {
		return v.Both(func(part Value) Value { return part.CountFrom(origin) })
	}
	a := *v.Cells
	if a.More = nil; origin != nil {
		a.More = &details{origin: origin}
	}
	return Value{v.X, &a}
}

// Costed is v with another cost; data have none.
func (v Value) Costed(c Cost) Value {
	if v.Sort != Expressions {
		return v
	}
	a := *v.Cells
	a.Cost = c
	return Value{v.X, &a}
}

// Stack is the entries of all values, one after the other, as a vector.
func Stack(vs ...Value) Value {
	top, all, num := Numbers, Cost{}, []float64{}
	for k := range vs {
		v := &vs[k]
		if top = max(top, v.Sort); v.Sort == Expressions {
			c := v.Share(v.Len())
			all = Cost{max(all.Pieces, c.Pieces), max(all.Parts, c.Parts), all.Weight + c.Weight}.Capped()
		}
	}
	switch top {
	case Numbers:
		for k := range vs {
			num = append(num, vs[k].Numbers()...)
		}
		return Marked(Vector(num))
	case ComplexPairs:
		re, im := make([]Value, len(vs)), make([]Value, len(vs))
		for k, v := range vs {
			p := v.Parts()
			re[k], im[k] = p.Re, p.Imag()
		}
		return ComplexOf(Stack(re...), Stack(im...))
	}
	parts := make([]dc.Expr, len(vs))
	for k := range vs {
		parts[k] = vs[k].Function()
	}
	return FromExpr(dc.Stack(parts...), all)
}

// FromEach is FromExpr of an array of scalars by their places.
func FromEach(shape []int, c Cost, e func(k int) dc.Expr) Value {
	es := make([]dc.Expr, Size(shape))
	for k := range es {
		es[k] = e(k)
	}
	return FromExpr(dc.Stack(es...).Reshape(shape...), c)
}

// Map is f, which goes entry by entry, of functions. Where it fails, refuse is called with the
// first entry that it fails for, and does not return.
func (v *Value) Map(c Cost, f func(dc.Expr) dc.Expr, refuse func(u dc.Expr, err error)) Value {
	e := f(v.Function())
	if e.Err() != nil {
		for k := range v.Len() {
			if u := v.Expr(k); f(u).Err() != nil {
				refuse(u, f(u).Err())
			}
		}
	}
	return FromExpr(e, c)
}

// Parts are the real and the imaginary parts.
func (v Value) Parts() Pair {
	if v.Sort == ComplexPairs {
		return *v.More.Pair
	}
	return Pair{Re: v}
}

// Entry is the k-th entry as a scalar.
func (v *Value) Entry(k int) Value {
	switch v.Sort {
	case Expressions, AffineFunctions:
		return functions(v.Sort, v.Expr(k), v.Share(1))
	}
	return Number(v.At(k))
}

// Choose picks entries by their places into a shape.
func (v *Value) Choose(shape, flat []int) Value {
	switch v.Sort {
	case ComplexPairs:
		return v.Both(func(part Value) Value { return part.Choose(shape, flat) })
	case Expressions, AffineFunctions:
		return functions(v.Sort, v.Fn.Select(shape, flat), v.Share(len(flat)))
	}
	if len(shape) == 0 {
		return Number(v.At(flat[0]))
	}
	if lo, ok := run(flat); ok && len(v.Shape) > 0 {
		return v.marking(Array(shape, v.Num[lo:lo+len(flat):lo+len(flat)]))
	}
	out := make([]float64, len(flat))
	for i, k := range flat {
		out[i] = v.At(k)
	}
	return v.marking(Array(shape, out))
}

// run reports whether places ascend by one, and the first of them.
func run(flat []int) (first int, ok bool) {
	for k := range flat {
		if flat[k] != flat[0]+k {
			return 0, false
		}
	}
	if len(flat) == 0 {
		return 0, false
	}
	return flat[0], true
}

// Reshape gives the same entries another shape, counted from 1.
func (v Value) Reshape(shape ...int) Value {
	switch v.Sort {
	case Numbers:
		return v.marking(Array(shape, v.Numbers()))
	case Expressions, AffineFunctions:
		return functions(v.Sort, v.Fn.Reshape(shape...), v.Cost)
	case ComplexPairs:
		return v.Both(func(part Value) Value { return part.Reshape(shape...) })
	}
	a := *v.Cells
	a.Shape, a.More = shape, nil
	return Value{v.X, &a}
}

// With is a value of the same shape with other numbers.
func (v *Value) With(num []float64) Value { return Array(v.Shape, num) }

// Constant is an array of the shape of v.
func (v *Value) Constant(x float64) Value {
	return v.With(slices.Repeat([]float64{x}, v.Len()))
}

// Value is the set as a value; whole numbers are a vector.
func (s *Set) Value() Value {
	if list, ok := s.plain(); ok {
		return Vector(list)
	}
	return Value{0, &Cells{Sort: Members, Shape: []int{len(s.List)}, More: &details{Set: s}}}
}

// Axes are the dimensions of an array with the indices that they have.
type Axes struct {
	Shape  []int
	Origin []int  // the first index, where it is a run of them, or
	Sets   []*Set // not nil: the members of a set
}

func (a *Axes) Add(n, first int, set *Set) {
	a.Shape, a.Origin, a.Sets = append(a.Shape, n), append(a.Origin, first), append(a.Sets, set)
}

// Plain reports whether all indices count from 1.
func (a *Axes) Plain() bool {
	for d, o := range a.Origin {
		if o != 1 || a.Sets[d] != nil {
			return false
		}
	}
	return true
}

// Along is v, of the shape of the axes, with their indices.
func (v Value) Along(a *Axes) Value {
	if v.Sort == ComplexPairs {
		return v.Both(func(part Value) Value { return part.Along(a) })
	}
	v = v.CountFrom(a.Origin)
	if slices.ContainsFunc(a.Sets, func(s *Set) bool { return s != nil }) {
		c := *v.Cells
		c.More = &details{origin: a.Origin, Sets: a.Sets}
		v = Value{v.X, &c}
	}
	return v
}

// Marked is a new array of data that knows whether it has infinite entries.
func Marked(v Value) Value {
	if slices.ContainsFunc(v.Num, func(x float64) bool { return math.IsInf(x, 0) }) {
		v.Infinite = true
	}
	return v
}

// WithoutInf is data with 0 for infinite entries.
func (v Value) WithoutInf() Value {
	if !v.HasInf() {
		return v
	}
	out := make([]float64, v.Len())
	for k := range out {
		if x := v.At(k); !math.IsInf(x, 0) {
			out[k] = x
		}
	}
	return v.With(out)
}

// marking is a new array of entries of v, marked where they are infinite.
func (v *Value) marking(out Value) Value {
	if !v.HasInf() || len(out.Shape) == 0 {
		return out
	}
	return Marked(out)
}
