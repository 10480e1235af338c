package value

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/convex"
)

// Sort is the type of the entries of a value.
type Sort uint8

const (
	Numbers         Sort = iota
	AffineFunctions      // of the variables
	Expressions          // DC expressions
	Truth                // 0 or 1
	Text
	Members       // of a set that is no vector
	SparseNumbers // a matrix or vector of numbers most of which are 0
	ComplexPairs  // real and imaginary parts
)

// Value is a number, a truth, or an array of one sort. Values are shared and
// never changed.
type Value struct {
	X float64 // the scalar number or truth
	*Cells
}

// Cells are all of a value that is not a scalar number: its entries in row-major
// order, or a single one without a shape.
type Cells struct {
	Sort  Sort
	Shape Shape
	Num   []float64
	Fn    *dc.Expr // affine functions, or DC expressions
	Cost  Cost     // of Expressions
	More  *details

	Infinite bool // an entry of Num is
}

// details are properties that few values have.
type details struct {
	origin []int  // the first index of each dimension; nil: 1
	Sets   []*Set // that index the dimensions; nil, and nil in it: none does
	Str    string
	Set    *Set // of a value of sort Members
	Sparse *SparseData
	Pair   *Pair // of a value of sort ComplexPairs
}

// Shape is the size of each dimension.
type Shape []int

// String is a shape as messages say it.
func (s Shape) String() string {
	if len(s) == 0 {
		return "a scalar"
	}
	parts := make([]string, len(s))
	for d, n := range s {
		parts[d] = fmt.Sprint(n)
	}
	return strings.Join(parts, " x ")
}

func Size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (v *Value) Len() int {
	switch v.Sort {
	case AffineFunctions, Expressions:
		return v.Fn.Len()
	case Members:
		return v.Shape[0]
	case SparseNumbers, ComplexPairs:
		return Size(v.Shape)
	}
	if len(v.Shape) == 0 {
		return 1
	}
	return len(v.Num)
}

// Origin are the first indices of the dimensions; nil: 1.
func (v *Value) Origin() []int {
	if v.More == nil {
		return nil
	}
	return v.More.origin
}

func (v *Value) Scalar() bool { return len(v.Shape) == 0 }

func (v *Value) IsData() bool { return v.Sort == Numbers }

// At is the k-th number.
func (v *Value) At(k int) float64 {
	if len(v.Shape) == 0 {
		return v.X
	}
	return v.Num[k]
}

// Numbers is the list of numbers, to be read only.
func (v *Value) Numbers() []float64 {
	if len(v.Shape) == 0 {
		return []float64{v.X}
	}
	return v.Num
}

// Function is the value as functions of the variables.
func (v *Value) Function() dc.Expr {
	switch {
	case v.Fn != nil:
		return *v.Fn
	case len(v.Shape) == 0:
		return dc.Num(v.X)
	}
	return dc.Const(v.Shape, v.Num)
}

// Linear is the k-th of affine functions.
func (v *Value) Linear(k int) convex.Linear { return v.Fn.Linear(k) }

// Expr is the k-th entry as an expression.
func (v *Value) Expr(k int) dc.Expr {
	switch {
	case v.Sort == AffineFunctions:
		return dc.FromLinear(v.Linear(k))
	case v.Sort == Expressions && len(v.Shape) > 0:
		return v.Fn.Entry(k)
	case v.Sort == Expressions:
		return *v.Fn
	}
	return dc.Num(v.At(k))
}

// Fixed is the number that entry k is at every point; ok is false where it is none.
func (v *Value) Fixed(k int) (x float64, ok bool) {
	if v.Sort == Numbers {
		return v.At(k), true
	}
	e := v.Fn.Entry(k).Scalar()
	if !e.IsConst() {
		return 0, false
	}
	return e.Split().Lin.Const, true
}

// Share is the cost of n entries of Expressions.
func (v *Value) Share(n int) Cost {
	c := v.Cost
	c.Weight = (c.Weight/max(v.Len(), 1) + 1) * n
	return c.Capped()
}

// Costs is the cost of one entry of v, but with the weight of all entries.
func (v *Value) Costs() Cost {
	switch v.Sort {
	case Expressions:
		return v.Cost
	case AffineFunctions:
		return Cost{1, 0, v.Fn.NNZ()}
	}
	return Cost{Pieces: 1}
}

// Product is the cost of a product entry by entry.
func (v *Value) Product(w *Value) Cost {
	if v.IsData() || w.IsData() {
		return v.Costs().Plus(w.Costs())
	}
	return v.Costs().Plus(w.Costs()).Times(4)
}

// First is the first index of dimension d.
func (v *Value) First(d int) int {
	if v.Origin() == nil {
		return 1
	}
	return v.More.origin[d]
}

// Sets are the sets that index the dimensions; nil: none does.
func (v *Value) Sets() []*Set {
	if v.More == nil {
		return nil
	}
	return v.More.Sets
}

// Set is the set that indexes dimension d; nil: none does.
func (v *Value) Set(d int) *Set {
	if s := v.Sets(); s != nil {
		return s[d]
	}
	return nil
}

// HasInf reports whether an entry of data is infinite.
func (v *Value) HasInf() bool {
	if v.Sort != Numbers {
		return false
	}
	return v.Infinite || len(v.Shape) == 0 && math.IsInf(v.X, 0)
}

// LimitAt is an infinite entry of data, else 0.
func (v *Value) LimitAt(i int) float64 {
	if !v.HasInf() {
		return 0
	}
	if x := v.At(min(i, v.Len()-1)); math.IsInf(x, 0) {
		return x
	}
	return 0
}

// MaxDims is how many dimensions an array may have.
// Source: a limit against nested input.
const MaxDims = 8

// Squeeze leaves out dimensions of size 1.
func Squeeze(shape []int) []int {
	var out []int
	for _, d := range shape {
		if d != 1 {
			out = append(out, d)
		}
	}
	return out
}

// Unravel is the index, from 1, of an entry.
func Unravel(k int, shape []int) []int {
	out := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		out[d] = 1 + k%shape[d]
		k /= shape[d]
	}
	return out
}

// SparseData are the numbers of a value of sort SparseNumbers. A vector is one row of a matrix.
type SparseData struct {
	*arrays.Sparse
	t       *SparseData // the transpose, once it was asked for
	Entries []float64   // all entries, once they were asked for
}

// Cost bounds the work of package dc and the solver for an expression, so that a
// short file cannot ask for an expression that doubles with every line.
type Cost struct {
	Pieces int // affine functions that a maximum of it is written out to
	Parts  int // convex functions met in a walk through it
	Weight int // coefficients in them
}

// maxCost is where costs stop to grow.
// Source: a limit of memory: a cost above it is refused in any case.
const maxCost = 1 << 30

func (c Cost) Capped() Cost {
	return Cost{min(c.Pieces, maxCost), min(c.Parts, maxCost), min(c.Weight, maxCost)}
}

// Plus is the cost of a sum.
func (c Cost) Plus(d Cost) Cost {
	return Cost{max(c.Pieces, d.Pieces), c.Parts + d.Parts, c.Weight + d.Weight}.Capped()
}

// Over is the cost of a maximum.
func (c Cost) Over(d Cost) Cost {
	return Cost{c.Pieces + d.Pieces, c.Parts + d.Parts, c.Weight + d.Weight}.Capped()
}

// Times is the cost of n convex functions of the same arguments.
func (c Cost) Times(n int) Cost {
	return Cost{max(c.Pieces, 1), n * (c.Parts + 1), n * c.Weight}.Capped()
}

// Pair is the real and the imaginary part of an array, of one shape. Without the latter,
// Im.Cells is nil, the array is real.
type Pair struct{ Re, Im Value }
