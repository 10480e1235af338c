package decode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/suggest"
	"github.com/dcopt/dcopt/internal/wire"
)

// call is an operation with its arguments.
type call struct {
	*builder
	id     int
	node   *wire.Node
	attrs  *wire.Attrs
	args   []*value
	data   bool // all arguments are
	n      int  // entries that the shape wants
	shapes [][]int
	ends   []int // of affine maps: where the entries of an argument end among those of all
}

// operation is the meaning of a name of an operation.
type operation struct {
	least, most int    // arguments; most −1: any number
	attrs       string // names of attributes, with a blank behind each
	linear      bool   // of data it is a function of the parameters
	frozen      uint8  // arguments, by bit, that are used as numbers where they are data
	apply       func(c *call) *value
}

// node is the value of node k.
func (b *builder) node(k int) *value {
	n, id := &b.g.Nodes[k], b.first()+k
	o, ok := ops[n.Op]
	if !ok {
		err := problemf("no operation is called %.60q%s", n.Op, suggest.DidYouMean(n.Op, OpNames()))
		err.Help = "the reply to hello has the names of all operations"
		panic(err)
	}
	c := &call{builder: b, id: id, node: n, attrs: n.Attrs, data: true, n: b.entries(n.Shape)}
	if c.attrs == nil {
		c.attrs = &wire.Attrs{}
	} else if name := wire.Other(n.Attrs, o.attrs); name != "" {
		refuseAs(wire.ErrRequest, "%s has no attribute %s", n.Op, name)
	}
	switch {
	case len(n.Args) < o.least:
		refuse("%s has %d arguments, want %s%d", n.Op, len(n.Args),
			map[bool]string{true: "", false: "at least "}[o.least == o.most], o.least)
	case o.most >= 0 && len(n.Args) > o.most:
		refuse("%s has %d arguments, want at most %d", n.Op, len(n.Args), o.most)
	}
	for _, a := range n.Args {
		v := b.p.values[a]
		if k := finite(v.data); k >= 0 {
			refuse("entry %d of argument %d is %g; infinite numbers may stand on a side of a constraint alone", k, a,
				v.data[k])
		}
		c.args, c.shapes, c.data = append(c.args, v), append(c.shapes, b.shapes[a]), c.data && v.isData()
	}
	for i, v := range c.args {
		if !o.linear && (c.data || o.frozen>>i&1 != 0) {
			c.args[i] = b.frozen(v)
		}
	}
	var v *value
	err := caught(func() { v = o.apply(c) })
	if b.lift && (err != nil && err.Kind == wire.ErrCurvature || err == nil && !c.data && c.refuses(v)) {
		if t, ok := c.lifted(o); ok {
			v, err = t, nil
		}
	}
	if err != nil {
		panic(err)
	}
	if c.data && !v.isData() { // a function of numbers is one
		v = number(v.all.Values(nil))
		if k := finite(v.data); k >= 0 {
			refuse("entry %d is %g: %s outside its domain", k, v.data[k], n.Op)
		}
	}
	if v.n() != c.n {
		refuse("%s gives %d entries, its shape %v has %d", n.Op, v.n(), n.Shape, c.n)
	}
	return v
}

// dependent is data of a linear operation, and how its functions are made of its arguments.
func (c *call) dependent(data []float64, state func() dc.Expr) *value {
	out := number(data)
	for _, v := range c.args {
		out.deps = union(out.deps, v.deps)
	}
	if len(out.deps) > 0 {
		out.state = state
	}
	return out
}

// union is the union of ascending lists.
func union(a, b []int) []int {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// common is the number of entries of an operation that goes entry by entry.
func (c *call) common() int {
	n := 1
	for _, v := range c.args {
		switch m := v.n(); {
		case m == 1 || m == n:
		case n == 1:
			n = m
		default:
			refuse("%s of shapes %s; want one number of entries, or one entry", c.node.Op, c.sizes())
		}
	}
	return n
}

func (c *call) sizes() string {
	out := make([]string, len(c.shapes))
	for i, shape := range c.shapes {
		out[i] = fmt.Sprint(shape)
	}
	return strings.Join(out, ", ")
}

// each applies f, which goes entry by entry.
func (c *call) each(f func(us []dc.Expr) dc.Expr) *value {
	n, terms, us := c.common(), 1, make([]dc.Expr, len(c.args))
	for i, v := range c.args {
		us[i], terms = v.broadcast(n), terms+v.terms
	}
	c.spend(n, terms)
	return c.array(f(us), terms)
}

// array is a function of the arguments, made by dc, with so many terms in an entry.
func (c *call) array(a dc.Expr, terms int) *value {
	if err := a.Err(); err != nil {
		c.noSplit(err)
	}
	return &value{all: a.Reshape(a.Len()), terms: terms}
}

// scalar is an atom of the whole.
func (c *call) scalar(e dc.Expr) *value {
	c.spend(1, 1)
	return c.array(e, 1)
}

// noSplit refuses an expression that dc refuses.
func (c *call) noSplit(err error) {
	if c.data {
		refuse("%s: %s", c.node.Op, cause(err))
	}
	// A cause may have its way out behind it.
	text, help, found := strings.Cut(cause(err), "; ")
	out := wire.Errorf(wire.ErrCurvature, "no DC split for %s: %s", c.node.Op, text)
	out.Notes = c.notes(c.node.Args, c.args)
	switch {
	case found:
		out.Help = help
	case c.bounded():
		out.Help = "state it by another operation"
	default:
		out.Help = "give the variables bounds, or state it by another operation"
	}
	panic(out)
}

// notes say of which curvature arguments are.
func (b *builder) notes(ids []int, args []*value) (out []wire.Note) {
	for i, id := range ids {
		out = append(out, wire.Note{Node: id, Name: b.names[id], Text: args[i].curvature()})
	}
	return out
}

// bounded reports whether all arguments have bounds.
func (c *call) bounded() bool {
	for _, v := range c.args {
		for k := range v.n() {
			if !v.expr(k).Range().IsFinite() {
				return false
			}
		}
	}
	return true
}

// curvature is data, or the curvature of the splits of a value's entries.
func (v *value) curvature() string {
	if v.isData() {
		return "data"
	}
	return word(v.all)
}

// word is the curvature of a function or an array by the splits of its entries.
func word(e interface {
	IsAffine() bool
	IsConvex() bool
	IsConcave() bool
}) string {
	switch {
	case e.IsAffine():
		return "affine"
	case e.IsConvex():
		return "convex"
	case e.IsConcave():
		return "concave"
	}
	return "dc"
}

// groups is the number of groups of the first argument, and their length.
func (c *call) groups() (g, m int) {
	return groups(c.attrs.Groups, c.args[0].n())
}

func groups(attr *int, n int) (g, m int) {
	if g = 1; attr != nil {
		g = *attr
	}
	if g < 0 || g == 0 && n > 0 || g > 0 && n%g != 0 {
		refuse("%d groups of %d entries", g, n)
	}
	if g > 0 {
		m = n / g
	}
	return g, m
}

// fold applies a function that is a row, or made of it, to each group. zero: of no entries it is 0.
func (c *call) fold(row *atom.Reduce, zero bool, f func(a dc.Expr) dc.Expr) *value {
	g, m := c.groups()
	if m == 0 && g > 0 {
		if !zero {
			refuse("%s of nothing", c.node.Op)
		}
		return number(make([]float64, g))
	}
	v := c.args[0]
	terms := 1
	if !v.affine() {
		terms = m * v.terms
		if row.Extremes != nil && v.curvature() == "dc" { // each is lifted by the convex parts of all others
			terms *= m
		}
	}
	c.spend(g, terms)
	return c.array(f(v.array().Reshape(g, m).Along(1)), terms)
}

// matrix is argument i as a square matrix.
func (c *call) matrix(i int) dc.Expr {
	v := c.args[i]
	n, ok := v.order()
	if !ok || n == 0 {
		refuse("%s of %d entries, want a square matrix", c.node.Op, v.n())
	}
	return v.array().Reshape(n, n).T()
}

// order is that of a square matrix.
func (v *value) order() (n int, ok bool) {
	for n*n < v.n() {
		n++
	}
	return n, n*n == v.n()
}

// OpNames are the names of all operations, ascending.
func OpNames() []string { return slices.Sorted(maps.Keys(ops)) }
