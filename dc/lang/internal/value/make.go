package value

import (
	"math"
	"slices"
	"sort"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/arrays"
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

// FromExpr is functions, affine ones if all are.
func FromExpr(e dc.Expr, k Cost) Value {
	switch {
	case e.Plain():
		return FromAffine(e)
	case !e.IsAffine():
		return functions(Expressions, e, k)
	}
	rows := make([]convex.Linear, e.Len())
	for k := range rows {
		rows[k], _ = e.Entry(k).Scalar().G().(convex.Linear)
	}
	return FromAffine(dc.Entries(rows...).Reshape(e.Shape()...))
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
	switch im.Sort {
	case Numbers:
		return !slices.ContainsFunc(im.Numbers(), func(x float64) bool { return x != 0 })
	case AffineFunctions:
		top := 0.0
		if re.Sort == AffineFunctions {
			top = largestCoefficient(re)
		}
		return largestCoefficient(im) <= cancelled*top
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

func SparseOf(shape []int, s *SparseData) Value {
	return Value{0, &Cells{Sort: SparseNumbers, Shape: shape, More: &details{Sparse: s}}}
}

// Transposed is the transpose of a sparse matrix.
func (s *SparseData) Transposed() *SparseData {
	if s.t == nil {
		s.t = &SparseData{Sparse: s.T(), t: s}
	}
	return s.t
}

// Row is a row of a sparse matrix, as a vector.
func (s *SparseData) Row(i int) Value {
	from, to := s.Ptr[i], s.Ptr[i+1]
	r := &arrays.Sparse{Rows: 1, Cols: s.Cols, Ptr: []int{0, to - from}, Idx: s.Idx[from:to:to], Val: s.Val[from:to:to]}
	return SparseOf([]int{s.Cols}, &SparseData{Sparse: r})
}

// At is the entry in row i and column j.
func (s *SparseData) At(i, j int) float64 {
	from, to := s.Ptr[i], s.Ptr[i+1]
	if k := from + sort.SearchInts(s.Idx[from:to], j); k < to && s.Idx[k] == j {
		return s.Val[k]
	}
	return 0
}

// Expanded are all entries, to be read only.
func (s *SparseData) Expanded() []float64 {
	if s.Entries == nil {
		s.Entries = s.Full()
	}
	return s.Entries
}

// Scaled is w times the entries.
func (s *SparseData) Scaled(w float64) *SparseData {
	m := *s.Sparse
	m.Val = slices.Clone(m.Val)
	for k := range m.Val {
		m.Val[k] *= w
	}
	return &SparseData{Sparse: &m}
}

// GeneralPart is a part that is not affine, nil where both are.
func (p *Pair) GeneralPart() *Value {
	switch {
	case p.Re.Sort == Expressions:
		return &p.Re
	case !p.IsReal() && p.Im.Sort == Expressions:
		return &p.Im
	}
	return nil
}
