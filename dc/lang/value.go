package lang

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/dc"
)

// kindOf is the type of the entries of a value.
type kindOf uint8

const (
	numbers kindOf = iota
	affine         // of the variables
	general        // DC expressions
	truth          // 0 or 1
	text
	members // of a set that is no vector
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

// entry is the k-th entry as a scalar.
func (v *value) entry(k int) value {
	switch v.sort {
	case general:
		return generalOf(nil, v.exprs[k:k+1:k+1], v.share(1))
	case affine:
		return fromLinear(v.linear(k))
	}
	return number(v.at(k))
}

// share is the cost of n entries of a general value.
func (v *value) share(n int) cost {
	c := v.cost
	c.weight = (c.weight/max(len(v.exprs), 1) + 1) * n
	return c.cut()
}

// choose picks entries by their places into a shape.
func (v *value) choose(shape, flat []int) value {
	switch v.sort {
	case general:
		es := make([]dc.Expr, len(flat))
		for i, k := range flat {
			es[i] = v.exprs[k]
		}
		return generalOf(shape, es, v.share(len(flat)))
	case affine:
		if len(shape) == 0 {
			return fromLinear(v.linear(flat[0]))
		}
		return fromAffine(v.affine().Select(shape, flat))
	}
	if len(shape) == 0 {
		return number(v.at(flat[0]))
	}
	if lo, ok := run(flat); ok && len(v.shape) > 0 {
		return v.marking(array(shape, v.num[lo:lo+len(flat):lo+len(flat)]))
	}
	out := make([]float64, len(flat))
	for i, k := range flat {
		out[i] = v.at(k)
	}
	return v.marking(array(shape, out))
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

// reshape gives the same entries another shape, counted from 1.
func (v value) reshape(shape ...int) value {
	switch v.sort {
	case numbers:
		return v.marking(array(shape, v.numbers()))
	case affine:
		return fromAffine(v.affine().Reshape(shape...))
	}
	a := *v.cells
	a.shape, a.more = shape, nil
	return value{v.x, &a}
}

// with is a value of the same shape with other numbers.
func (v *value) with(num []float64) value { return array(v.shape, num) }

// constant is an array of the shape of v.
func (v *value) constant(x float64) value {
	num := make([]float64, v.len())
	for k := range num {
		num[k] = x
	}
	return v.with(num)
}

// scalarAt is the k-th entry, or the only one, as an affine scalar; the value
// must not be general.
func (v *value) scalarAt(k int) dc.Affine {
	k = min(k, v.len()-1)
	if v.sort == affine {
		return dc.FromLinear(v.linear(k))
	}
	return dc.Num(v.at(k))
}

// operands are the entries of a value.
func operands(v *value) []dc.Operand {
	out := make([]dc.Operand, v.len())
	for k := range out {
		out[k] = v.expr(k)
	}
	return out
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

// first is the first index of dimension d.
func (v *value) first(d int) int {
	if v.more == nil {
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
