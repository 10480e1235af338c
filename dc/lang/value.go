package lang

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/dc"
)

// kindOf is what a value is made of.
type kindOf uint8

const (
	numbers kindOf = iota
	affine         // of the variables
	general        // DC expressions
	truth          // 0 or 1
	text
)

// value is an array of one sort, entries in row-major order; without a shape, a
// scalar. Values are shared and never changed.
type value struct {
	sort   kindOf
	shape  []int
	origin []int   // the first index of each dimension; nil: 1
	x      float64 // the scalar number or truth
	num    []float64
	lin    dc.Linear  // the scalar affine function, or
	aff    *dc.Affine // an array of them
	exprs  []dc.Expr
	str    string
	cost   cost // of a general value
}

func number(x float64) value { return value{x: x} }

func vector(v []float64) value { return value{shape: []int{len(v)}, num: v} }

// array is numbers in a shape; without one, the only number.
func array(shape []int, v []float64) value {
	if len(shape) == 0 {
		return number(v[0])
	}
	return value{shape: shape, num: v}
}

func fromLinear(l dc.Linear) value { return value{sort: affine, lin: l} }

func fromAffine(a dc.Affine) value {
	if len(a.Shape()) == 0 {
		return fromLinear(a.Entry(0))
	}
	return value{sort: affine, shape: a.Shape(), aff: &a}
}

// fromExprs makes an array of expressions, of affine functions if all are.
func fromExprs(shape []int, es []dc.Expr, c cost) value {
	allAffine := true
	for k := range es {
		allAffine = allAffine && es[k].IsAffine()
	}
	if !allAffine {
		return value{sort: general, shape: shape, exprs: es, cost: c}
	}
	rows := make([]dc.Linear, len(es))
	for k := range es {
		rows[k] = linearOf(es[k])
	}
	if len(shape) == 0 {
		return fromLinear(rows[0])
	}
	return fromAffine(dc.Entries(rows...).Reshape(shape...))
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
	}
	if len(v.shape) == 0 {
		return 1
	}
	return len(v.num)
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
			return dc.FromLinear(v.lin)
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
		return v.lin
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
		return value{sort: general, exprs: v.exprs[k : k+1 : k+1], cost: v.share(1)}
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

// gather picks entries by their places into a shape.
func (v *value) gather(shape, flat []int) value {
	out := value{sort: v.sort, shape: shape}
	switch v.sort {
	case general:
		out.exprs = make([]dc.Expr, len(flat))
		for i, k := range flat {
			out.exprs[i] = v.exprs[k]
		}
		out.cost = v.share(len(flat))
	case affine:
		if len(shape) == 0 {
			return fromLinear(v.linear(flat[0]))
		}
		a := v.affine().Select(shape, flat)
		out.aff = &a
	default:
		if len(shape) == 0 {
			return number(v.at(flat[0]))
		}
		if lo, ok := run(flat); ok && len(v.shape) > 0 {
			out.num = v.num[lo : lo+len(flat) : lo+len(flat)]
			return out
		}
		out.num = make([]float64, len(flat))
		for i, k := range flat {
			out.num[i] = v.at(k)
		}
	}
	return out
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

// reshape gives the same entries another shape.
func (v value) reshape(shape ...int) value {
	if v.sort == numbers && len(v.shape) == 0 {
		v.num = []float64{v.x}
	}
	if len(shape) == 0 && v.sort == numbers && len(v.shape) > 0 {
		v.x = v.num[0]
	}
	if v.sort == affine {
		a := v.affine().Reshape(shape...)
		v.aff, v.lin = &a, dc.Linear{}
		if len(shape) == 0 {
			v.aff, v.lin = nil, a.Entry(0)
		}
	}
	v.shape, v.origin = shape, nil
	return v
}

// first is the first index of dimension d.
func (v *value) first(d int) int {
	if v.origin == nil {
		return 1
	}
	return v.origin[d]
}

func sameShape(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for d := range a {
		if a[d] != b[d] {
			return false
		}
	}
	return true
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

// Curvature is what a split shows of a function.
type Curvature uint8

// The curvatures.
const (
	Constant Curvature = iota
	Affine
	Convex
	Concave
	DC // a difference of convex functions, neither of which is missing
	numCurvature
)

var curvatureText = [numCurvature]string{"constant", "affine", "convex", "concave", "DC"}

// String is the curvature in words.
func (c Curvature) String() string {
	if c < numCurvature {
		return curvatureText[c]
	}
	return fmt.Sprintf("Curvature(%d)", uint8(c))
}

// join is the curvature of an array with entries of either kind.
func (c Curvature) join(d Curvature) Curvature {
	switch {
	case c == d || d < Convex && c > d:
		return c
	case c < Convex && d > c:
		return d
	}
	return DC
}

func curvatureOf(e dc.Expr) Curvature {
	switch {
	case e.IsConst():
		return Constant
	case e.IsAffine():
		return Affine
	case e.IsConvex():
		return Convex
	case e.IsConcave():
		return Concave
	}
	return DC
}

func (v *value) curvature() Curvature {
	switch v.sort {
	case affine:
		if v.nnz() == 0 {
			return Constant
		}
		return Affine
	case general:
		c := Constant
		for k := range v.exprs {
			c = c.join(curvatureOf(v.exprs[k]))
		}
		return c
	}
	return Constant
}

// curvatureNote says what a part is, for the notes of a message.
func (v *value) curvatureNote() string {
	switch c := v.curvature(); c {
	case DC:
		return "neither convex nor concave"
	case Convex:
		for k := range v.exprs {
			if v.exprs[k].Range().Lo < 0 {
				return "convex"
			}
		}
		return "convex, ≥ 0"
	default:
		return c.String()
	}
}
