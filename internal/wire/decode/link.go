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
	for b.names()[name] {
		name += "_"
	}
	b.taken[name] = true
	return b.m.Var(name, []int{n}, opts...), name
}

// within are the options of variables between these ends.
func within(ends []dc.Interval) (opts []dc.VarOption) {
	lo, hi := make([]float64, len(ends)), make([]float64, len(ends))
	for k, i := range ends {
		lo[k], hi[k] = i.Lo, i.Hi
	}
	return []dc.VarOption{dc.AtLeast(lo...), dc.AtMost(hi...)}
}

// lifted puts variables in the place of the arguments that are not affine, equal to them and within
// their ranges, and applies the operation to these: many functions are differences of convex ones
// of affine arguments alone, as √|x|, whose slope has no bound (McCormick 1976, section 2).
// ok is false where all arguments are affine or the operation has no split of these either.
func (c *call) lifted(o operation) (v value, ok bool) {
	if !slices.ContainsFunc(c.args, func(a value) bool { return !a.affine() }) {
		return value{}, false
	}
	with := *c
	with.args = slices.Clone(c.args)
	err := caught(func() {
		for i := range c.args {
			if !c.args[i].affine() {
				with.args[i] = c.inPlaceOf(c.node.Args[i], &c.args[i])
			}
		}
		v = o.apply(&with)
	})
	return v, err == nil && !with.refuses(&v)
}

// inPlaceOf is the array of variables in the place of node id with value v.
func (b *builder) inPlaceOf(id int, v *value) value {
	if t, ok := b.named[id]; ok {
		return t
	}
	n := v.n()
	b.spend(n, v.terms)
	ends := make([]dc.Interval, n)
	for k := range ends {
		ends[k] = v.expr(k).Range()
	}
	t, name := b.linked(n, []int{id}, within(ends)...)
	b.m.SubjectTo(dc.EQ(t, v.a).Named(name))
	b.tie(t, v.a)
	b.named[id] = value{a: t, terms: 1}
	return b.named[id]
}

// refuses reports whether the problem will refuse the value in most places: a kinked function of
// smooth ones that have no split.
func (c *call) refuses(v *value) bool {
	if v.affine() {
		return false
	}
	for k := range v.n() {
		if e := v.expr(k); !e.Scalar().HasSplit() && (e.Scalar().Unrepresentable() != nil ||
			e.Neg().Scalar().Unrepresentable() != nil) {
			return true
		}
	}
	return false
}

// cumsum is the sums of the entries of a group up to each. Of affine entries they are variables
// where these have fewer coefficients than the sums.
func cumsum(c *call) value {
	_, m := c.groups()
	x := &c.args[0]
	var ptr, idx []int
	for k := range c.n {
		ptr = append(ptr, len(idx))
		for j := k - k%m; j <= k && !x.isData(); j++ {
			idx = append(idx, j)
		}
		if x.affine() && len(idx) > mostPerEntry*c.n {
			return c.running(x, m)
		}
	}
	ptr, val := append(ptr, len(idx)), slices.Repeat([]float64{1}, len(idx))
	switch b := make([]float64, c.n); {
	case x.isData():
		for k := range b {
			if b[k] = x.at(k); k%m > 0 {
				b[k] += b[k-1]
			}
		}
		return number(b, x.deps)
	case !x.affine():
		return c.mixed(ptr, idx, val, b)
	default:
		return value{a: c.product(ptr, idx, val, b), terms: 1}
	}
}

// mostPerEntry is how many coefficients sums have at most for each entry without variables of
// their own: a variable, and its two coefficients and the entry in an equation.
// Source: derived, see above.
const mostPerEntry = 4

// running are the sums as variables s, s[k] = s[k-1] + x[k].
func (c *call) running(x *value, m int) value {
	ends, ptr, idx, val := make([]dc.Interval, c.n), []int{0}, []int(nil), []float64(nil)
	for k := range ends {
		if ends[k] = x.expr(k).Range(); k%m > 0 {
			ends[k] = ends[k].Add(ends[k-1])
			idx, val = append(idx, k-1), append(val, 1)
		}
		ptr = append(ptr, len(idx))
	}
	c.multiply(len(idx) + x.a.NNZ())
	s, name := c.linked(c.n, []int{c.id}, within(ends)...)
	next := s.MulSparse(ptr, idx, val).Add(x.a)
	c.m.SubjectTo(dc.EQ(s, next).Named(name))
	c.tie(s, next)
	return value{a: s, terms: 1}
}

// matmul is the product of two matrices, or of a matrix and a vector.
func matmul(c *call) value {
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
	x, y := &c.args[0], &c.args[1]
	c.spend(m*n, k*(x.terms+y.terms))
	rows, columns := make([]dc.Expr, m), x.a.Reshape(k, m).T()
	for i := range rows {
		rows[i] = columns.Row(i)
	}
	out := make([]dc.Expr, 0, m*n)
	for j := range n {
		right := y.a.Slice(j*k, (j+1)*k)
		for i := range m {
			out = append(out, dc.Inner(rows[i], right))
		}
	}
	return c.array(dc.Stack(out...), k)
}

// tie lets the variables t start at the values of e.
func (b *builder) tie(t, e dc.Expr) {
	n := t.Len()
	vars, values := make([]convex.Linear, n), make([]expr.Scalar, n)
	for k := range n {
		vars[k], values[k] = t.Linear(k), e.Entry(k).Scalar()
	}
	b.m.Program().Tie(vars, values)
}
