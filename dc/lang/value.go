package lang

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/arrays"
)

// kindOf is the type of the entries of a value.
type kindOf uint8

const (
	numbers kindOf = iota
	affine         // of the variables
	general        // DC expressions
	truth          // 0 or 1
	text
	members       // of a set that is no vector
	sparseNumbers // a matrix or vector of numbers most of which are 0
	complexPairs  // real and imaginary parts
)

// value is a number, a truth, or an array of one sort. Values are shared and
// never changed.
type value struct {
	x float64 // the scalar number or truth
	*cells
}

// cells are all of a value that is not a scalar number: its entries in row-major
// order, or a single one without a shape.
type cells struct {
	sort  kindOf
	shape []int
	num   []float64
	lin   *dc.Linear // the scalar affine function, or
	aff   *dc.Affine // an array of them
	exprs []dc.Expr
	cost  cost // of a general value
	more  *details

	infinite bool // an entry of num is
}

// details are properties that few values have.
type details struct {
	origin []int        // the first index of each dimension; nil: 1
	sets   []*memberSet // that index the dimensions; nil, and nil in it: none does
	str    string
	set    *memberSet // of a value of sort members
	sparse *sparseData
	pair   *pair // of a value of sort complexPairs
}

// linearOf is the affine function that e is.
func linearOf(e dc.Expr) dc.Linear {
	l, _ := e.G().(dc.Linear)
	return l
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (v *value) len() int {
	switch v.sort {
	case affine:
		if v.aff == nil {
			return 1
		}
		return v.aff.Len()
	case general:
		return len(v.exprs)
	case members:
		return v.shape[0]
	case sparseNumbers, complexPairs:
		return size(v.shape)
	}
	if len(v.shape) == 0 {
		return 1
	}
	return len(v.num)
}

// origin are the first indices of the dimensions; nil: 1.
func (v *value) origin() []int {
	if v.more == nil {
		return nil
	}
	return v.more.origin
}

func (v *value) scalar() bool { return len(v.shape) == 0 }

func (v *value) isData() bool { return v.sort == numbers }

// at is the k-th number.
func (v *value) at(k int) float64 {
	if len(v.shape) == 0 {
		return v.x
	}
	return v.num[k]
}

// numbers is the list of numbers, to be read only.
func (v *value) numbers() []float64 {
	if len(v.shape) == 0 {
		return []float64{v.x}
	}
	return v.num
}

// affine is the value as affine functions; it must not be general.
func (v *value) affine() dc.Affine {
	if v.sort == affine {
		if v.aff == nil {
			return dc.FromLinear(*v.lin)
		}
		return *v.aff
	}
	if len(v.shape) == 0 {
		return dc.Num(v.x)
	}
	return dc.Const(v.shape, v.num)
}

// linear is the k-th of affine functions.
func (v *value) linear(k int) dc.Linear {
	if v.aff == nil {
		return *v.lin
	}
	return v.aff.Entry(k)
}

// nnz is the number of coefficients of affine functions.
func (v *value) nnz() int {
	if v.aff == nil {
		return len(v.lin.Idx)
	}
	return v.aff.NNZ()
}

// expr is the k-th entry as an expression.
func (v *value) expr(k int) dc.Expr {
	switch v.sort {
	case general:
		return v.exprs[k]
	case affine:
		return dc.ToExpr(v.linear(k))
	}
	return dc.ToExpr(dc.Linear{Const: v.at(k)})
}

// share is the cost of n entries of a general value.
func (v *value) share(n int) cost {
	c := v.cost
	c.weight = (c.weight/max(len(v.exprs), 1) + 1) * n
	return c.capped()
}

// costs is the cost of one entry of v, but with the weight of all entries.
func (v *value) costs() cost {
	switch v.sort {
	case general:
		return v.cost
	case affine:
		return cost{1, 0, v.nnz()}
	}
	return cost{pieces: 1}
}

// product is the cost of a product entry by entry.
func (v *value) product(w *value) cost {
	if v.isData() || w.isData() {
		return v.costs().plus(w.costs())
	}
	return v.costs().plus(w.costs()).times(4)
}

// first is the first index of dimension d.
func (v *value) first(d int) int {
	if v.origin() == nil {
		return 1
	}
	return v.more.origin[d]
}

// shapeText is a shape as messages say it.
func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "a scalar"
	}
	parts := make([]string, len(shape))
	for d, n := range shape {
		parts[d] = fmt.Sprint(n)
	}
	return strings.Join(parts, " x ")
}

// sets are the sets that index the dimensions; nil: none does.
func (v *value) sets() []*memberSet {
	if v.more == nil {
		return nil
	}
	return v.more.sets
}

// hasInf reports whether an entry of data is infinite.
func (v *value) hasInf() bool {
	if v.sort != numbers {
		return false
	}
	return v.infinite || len(v.shape) == 0 && math.IsInf(v.x, 0)
}

// limitAt is an infinite entry of data, else 0.
func (v *value) limitAt(i int) float64 {
	if !v.hasInf() {
		return 0
	}
	if x := v.at(min(i, v.len()-1)); math.IsInf(x, 0) {
		return x
	}
	return 0
}

// maxDims is how many dimensions an array may have.
// Source: a limit against nested input.
const maxDims = 8

// squeeze leaves out dimensions of size 1.
func squeeze(shape []int) []int {
	var out []int
	for _, d := range shape {
		if d != 1 {
			out = append(out, d)
		}
	}
	return out
}

// unravel is the index, from 1, of an entry.
func unravel(k int, shape []int) []int {
	out := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		out[d] = 1 + k%shape[d]
		k /= shape[d]
	}
	return out
}

// sparseData are the numbers of a value of sort sparseNumbers. A vector is one row of a matrix.
type sparseData struct {
	*arrays.Sparse
	t    *sparseData // the transpose, once it was asked for
	full []float64   // all entries, once they were asked for
}

// cost bounds the work of package dc and the solver for an expression, so that a
// short file cannot ask for an expression that doubles with every line.
type cost struct {
	pieces int // affine functions that a maximum of it is written out to
	parts  int // convex functions met in a walk through it
	weight int // coefficients in them
}

// maxCost is where costs stop to grow.
// Source: a limit of memory: a cost above it is refused in any case.
const maxCost = 1 << 30

func (c cost) capped() cost {
	return cost{min(c.pieces, maxCost), min(c.parts, maxCost), min(c.weight, maxCost)}
}

// plus is the cost of a sum.
func (c cost) plus(d cost) cost {
	return cost{max(c.pieces, d.pieces), c.parts + d.parts, c.weight + d.weight}.capped()
}

// over is the cost of a maximum.
func (c cost) over(d cost) cost {
	return cost{c.pieces + d.pieces, c.parts + d.parts, c.weight + d.weight}.capped()
}

// times is the cost of n convex functions of the same arguments.
func (c cost) times(n int) cost {
	return cost{max(c.pieces, 1), n * (c.parts + 1), n * c.weight}.capped()
}

// pair is the real and the imaginary part of an array, of one shape. Without the latter,
// im.cells is nil, the array is real.
type pair struct{ re, im value }
