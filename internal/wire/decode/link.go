package decode

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// linked is an array of variables that is not the graph's, and its name. The numbers tell it from
// others, and are the same where all is stated again.
func (b *builder) linked(n int, numbers []int, opts ...dc.VarOption) (a dc.Expr, name string) {
	name = "t"
	for _, k := range numbers {
		name += fmt.Sprintf("_%d", k)
	}
	for !b.take(name) {
		name += "_"
	}
	return b.m.Var(name, []int{n}, opts...), name
}

// lifted puts variables in the place of the arguments that are not affine, equal to them and within
// their ranges, and applies the operation to these: many functions are differences of convex ones
// of affine arguments alone, as √|x|, whose slope has no bound (McCormick 1976, section 2).
// ok is false where all arguments are affine or the operation has no split of these either.
func (c *call) lifted(o operation) (v *value, ok bool) {
	if !slices.ContainsFunc(c.args, func(a *value) bool { return !a.affine() }) {
		return nil, false
	}
	with := *c
	with.args = slices.Clone(c.args)
	err := caught(func() {
		for i, a := range c.args {
			if !a.affine() {
				with.args[i] = c.inPlaceOf(c.node.Args[i], a)
			}
		}
		v = o.apply(&with)
	})
	return v, err == nil && !with.refuses(v)
}

// inPlaceOf is the array of variables in the place of node id with value v.
func (b *builder) inPlaceOf(id int, v *value) *value {
	t, ok := b.named[id]
	if !ok {
		b.spend(v.n(), v.terms)
		ends := make([]dc.Interval, v.n())
		for k := range ends {
			ends[k] = v.expr(k).Range()
		}
		t = b.equal([]int{id}, ends, func(dc.Expr) dc.Expr { return v.array() })
		b.named[id] = t
	}
	return t
}

// equal are variables between these ends that are not the graph's, equal to functions, of these
// variables themselves perhaps, and start at their values.
func (b *builder) equal(numbers []int, ends []dc.Interval, to func(t dc.Expr) dc.Expr) *value {
	n := len(ends)
	lo, hi := make([]float64, n), make([]float64, n)
	for k, i := range ends {
		lo[k], hi[k] = i.Lo, i.Hi
	}
	t, name := b.linked(n, numbers, dc.AtLeast(lo...), dc.AtMost(hi...))
	e := to(t)
	b.m.SubjectTo(dc.EQ(t, e).Named(name))
	vars, values := make([]convex.Linear, n), make([]expr.Scalar, n)
	for k := range n {
		vars[k], values[k] = t.Linear(k), e.Entry(k).Scalar()
	}
	b.m.Program().Tie(vars, values)
	return &value{all: t, terms: 1}
}

// refuses reports whether the problem will refuse the value in most places: a kinked function of
// smooth ones that have no split.
func (c *call) refuses(v *value) bool {
	if v.affine() {
		return false
	}
	for k := range v.n() {
		if e := v.expr(k); !e.Scalar().IsDC() && (e.Scalar().Unrepresentable() != nil ||
			e.Neg().Scalar().Unrepresentable() != nil) {
			return true
		}
	}
	return false
}

// cumsum is the sums of the entries of a group up to each. Of affine entries they are variables
// where these have fewer coefficients than the sums.
func cumsum(c *call) *value {
	_, m := c.groups()
	x := c.args[0]
	b := make([]float64, x.n())
	if x.isData() {
		for k := range b {
			if b[k] = x.data[k]; k%m > 0 {
				b[k] += b[k-1]
			}
		}
		return number(b)
	}
	ptr, idx := []int{0}, []int(nil)
	for k := range b {
		for j := k - k%m; j <= k; j++ {
			idx = append(idx, j)
		}
		ptr = append(ptr, len(idx))
		if x.affine() && len(idx) > mostPerEntry*len(b) {
			return c.running(x, m)
		}
	}
	val := slices.Repeat([]float64{1}, len(idx))
	if c.ends = []int{len(b)}; !x.affine() {
		return c.mixed(ptr, idx, val, b)
	}
	return &value{all: c.product(ptr, idx, val, b), terms: 1}
}

// mostPerEntry is how many coefficients sums have at most for each entry without variables of
// their own: a variable, and its two coefficients and the entry in an equation.
// Source: derived, see above.
const mostPerEntry = 4

// running are the sums as variables s, s[k] = s[k-1] + x[k].
func (c *call) running(x *value, m int) *value {
	ends, ptr, idx := make([]dc.Interval, x.n()), []int{0}, []int(nil)
	for k := range ends {
		if ends[k] = x.expr(k).Range(); k%m > 0 {
			ends[k] = ends[k].Add(ends[k-1])
			idx = append(idx, k-1)
		}
		ptr = append(ptr, len(idx))
	}
	c.multiply(len(idx) + x.all.NNZ())
	return c.equal([]int{c.id}, ends, func(s dc.Expr) dc.Expr {
		return s.MulSparse(ptr, idx, slices.Repeat([]float64{1}, len(idx))).Add(x.all)
	})
}

// matmul is the product of two matrices, or of a matrix and a vector.
func matmul(c *call) *value {
	a, b := c.shapes[0], c.shapes[1]
	if len(a) == 1 {
		a = []int{1, a[0]}
	}
	if len(b) == 1 {
		b = []int{b[0], 1}
	}
	if len(a) != 2 || len(b) != 2 || a[1] != b[0] {
		refuse("matmul of shapes %s", c.sizes())
	}
	m, k, n := a[0], a[1], b[1]
	x, y := c.args[0], c.args[1]
	c.spend(m*n, k*(x.terms+y.terms))
	columns, out := x.array().Reshape(k, m).T(), make([]dc.Expr, 0, m*n)
	for j := range n {
		right := y.array().Slice(j*k, (j+1)*k)
		for i := range m {
			out = append(out, dc.Inner(columns.Row(i), right))
		}
	}
	return c.array(dc.Stack(out...), k)
}
