package decode

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/wire"
)

// rows checks a matrix in compressed form.
func (c *call) rows(indptr, indices *wire.Ints, data *wire.Floats, rows, cols int) {
	if indptr == nil || indices == nil || data == nil {
		refuseAs(wire.ErrRequest, "%s wants indptr, indices and data", c.node.Op)
	}
	ptr, idx, val := indptr.V, indices.V, data.V
	switch {
	case len(ptr) != rows+1:
		refuse("indptr has %d numbers, want %d, one more than there are rows", len(ptr), rows+1)
	case ptr[0] != 0 || ptr[rows] != len(idx):
		refuse("indptr goes from %d to %d, want 0 to the number of indices, %d", ptr[0], ptr[rows], len(idx))
	case len(idx) != len(val):
		refuse("there are %d indices and %d coefficients", len(idx), len(val))
	}
	for i := range rows {
		if ptr[i] > ptr[i+1] {
			refuse("indptr descends from %d to %d in row %d", ptr[i], ptr[i+1], i)
		}
	}
	for k, j := range idx {
		if j < 0 || j >= cols {
			refuse("index %d is %d; the arguments have %d entries", k, j, cols)
		}
	}
	if k := finite(val); k >= 0 {
		refuse("coefficient %d is %g", k, val[k])
	}
}

// affineMap is A v + b for all arguments one after the other.
func affineMap(c *call) *value {
	a, cols, affine := c.attrs, 0, true
	c.ends = make([]int, len(c.args))
	for i, v := range c.args {
		cols, affine = cols+v.n(), affine && v.affine()
		c.ends[i] = cols
	}
	c.rows(a.Indptr, a.Indices, a.Data, c.n, cols)
	ptr, idx := a.Indptr.V, a.Indices.V
	val, used := c.coefficients()
	b := make([]float64, c.n)
	if a.Constant != nil && c.n > 0 {
		if b = fitted("constant", a.Constant.V, c.n); finite(b) >= 0 {
			refuse("entry %d of constant is %g", finite(b), b[finite(b)])
		}
	}
	state := func(val []float64) *value {
		if !affine {
			return c.mixed(ptr, idx, val, b)
		}
		return &value{all: c.product(ptr, idx, val, b), terms: 1}
	}
	if c.id == c.priced {
		c.cheap = state(a.Data.V).expr(0)
		c.price(used)
	} else {
		c.structural(used)
	}
	if !c.data {
		return state(val)
	}
	all, out := make([]float64, 0, cols), make([]float64, c.n)
	for _, v := range c.args {
		all = append(all, v.data...)
	}
	for i := range out {
		s := b[i]
		for k := ptr[i]; k < ptr[i+1]; k++ {
			s += val[k] * all[idx[k]]
		}
		out[i] = s
	}
	return c.dependent(out, func() dc.Expr { return c.product(ptr, idx, val, b) })
}

// product is the affine map of affine arguments.
func (c *call) product(ptr, idx []int, val, b []float64) dc.Expr {
	if len(c.args) == 0 {
		return dc.Vec(b)
	}
	all, size := c.args[0].array(), len(b)+len(idx)
	if len(c.args) > 1 {
		parts := make([]dc.Expr, len(c.args))
		for i := range parts {
			parts[i] = c.args[i].array()
		}
		all = dc.Stack(parts...)
	}
	if all.NNZ() > all.Len() {
		size = len(b)
		for _, k := range idx {
			size += len(all.Linear(k).Idx)
		}
	}
	c.multiply(size)
	a := all.MulSparse(ptr, idx, val)
	if finite(b) < 0 && slices.ContainsFunc(b, func(v float64) bool { return v != 0 }) {
		a = a.Add(dc.Vec(b))
	}
	if err := a.Err(); err != nil {
		refuse("%s", cause(err))
	}
	return a
}

// coefficients are those for the values of the parameters at hand, and the parameters in them.
func (c *call) coefficients() (val []float64, used []int) {
	t := c.attrs.DataMap
	if t == nil {
		return c.attrs.Data.V, nil
	}
	p := make([]float64, 0, len(c.owners))
	for _, v := range c.p.values[len(c.g.Variables):c.first()] {
		p = append(p, v.data...)
	}
	val = slices.Clone(c.attrs.Data.V)
	if err := caught(func() { c.rows(t.Indptr, t.Indices, t.Data, len(val), len(p)) }); err != nil {
		err.Text = "data_map: " + err.Text
		panic(err)
	}
	seen := make([]bool, len(c.g.Parameters))
	for i := range val {
		for k := t.Indptr.V[i]; k < t.Indptr.V[i+1]; k++ {
			j := t.Indices.V[k]
			val[i] += t.Data.V[k] * p[j]
			seen[c.owners[j]] = true
		}
	}
	for k, s := range seen {
		if s {
			used = append(used, k)
		}
	}
	if k := finite(val); k >= 0 {
		refuse("coefficient %d is %g", k, val[k])
	}
	return val, used
}

// costs is the node that is the objective and no argument, an affine map of one entry in which
// parameters are coefficients of linear values alone; 0 where there is none. Products of
// parameters and variables are costs of the problem then, and other values of the parameters want
// no other problem.
func (b *builder) costs(linear []bool) int {
	o := b.g.Objective
	if o == nil || b.numbers || o.Node < b.first() {
		return 0
	}
	n := &b.g.Nodes[o.Node-b.first()]
	uses := func(args []int) bool { return slices.Contains(args, o.Node) }
	if n.Op != "affine" || n.Attrs == nil || n.Attrs.DataMap == nil || b.entries(n.Shape) != 1 ||
		slices.ContainsFunc(b.g.Nodes, func(n wire.Node) bool { return uses(n.Args) }) ||
		slices.ContainsFunc(b.g.Constraints, func(k wire.Constraint) bool { return uses(k.Args) }) {
		return 0
	}
	var can []bool // of the entries of all arguments
	for _, k := range n.Args {
		can = append(can, slices.Repeat(linear[k:k+1], b.entries(b.shapes[k]))...)
	}
	a, t, c := n.Attrs, n.Attrs.DataMap, &call{builder: b, node: n}
	if caught(func() {
		c.rows(a.Indptr, a.Indices, a.Data, 1, len(can))
		c.rows(t.Indptr, t.Indices, t.Data, len(a.Data.V), len(b.owners))
	}) != nil {
		return 0
	}
	for i, j := range a.Indices.V {
		if t.Indptr.V[i] < t.Indptr.V[i+1] && !can[j] {
			return 0
		}
	}
	return o.Node
}

// price adds the costs of the node, with these parameters.
func (c *call) price(used []int) {
	t := c.attrs.DataMap
	params := make([]dc.Expr, len(c.g.Parameters))
	for k, v := range c.p.values[len(c.g.Variables):c.first()] {
		if params[k] = dc.Vec(v.data); slices.Contains(used, k) {
			params[k] = v.array()
		}
	}
	at, ptr := []int(nil), []int{0} // the arguments' entries, and the rows, that have parameters
	for i, j := range c.attrs.Indices.V {
		if end := t.Indptr.V[i+1]; t.Indptr.V[i] < end {
			at, ptr = append(at, j), append(ptr, end)
		}
	}
	if len(at) == 0 {
		return
	}
	parts, _ := c.runs(at)
	c.m.AddCost(dc.Param{Expr: dc.Stack(params...).MulSparse(ptr, t.Indices.V, t.Data.V)}, dc.Stack(parts...))
}

// owner is the argument that has entry j of all arguments.
func (c *call) owner(j int) int {
	k, _ := slices.BinarySearch(c.ends, j+1)
	return k
}

// place is where entry j of all arguments stands in the argument that has it.
func (c *call) place(j int) int {
	k := c.owner(j)
	return j - c.ends[k] + c.args[k].n()
}

// runs are entries of all arguments, those of one argument that follow each other together, and
// how many terms they have.
func (c *call) runs(at []int) (parts []dc.Expr, terms int) {
	for lo, hi := 0, 0; lo < len(at); lo = hi {
		arg, places := c.owner(at[lo]), []int(nil)
		for ; hi < len(at) && c.owner(at[hi]) == arg; hi++ {
			places = append(places, c.place(at[hi]))
		}
		parts = append(parts, c.args[arg].array().Select([]int{len(places)}, places))
		terms += len(places) * c.args[arg].terms
	}
	return parts, terms
}

// mixed is the map of arguments some of which are not affine.
func (c *call) mixed(ptr, idx []int, val, b []float64) *value {
	if c.alike(ptr, idx) {
		return c.columns(ptr, idx, val, b)
	}
	rows, most := make([]dc.Expr, len(b)), 0
	for i := range rows {
		parts, terms := c.runs(idx[ptr[i]:ptr[i+1]])
		for k, lo := 0, ptr[i]; k < len(parts); k++ {
			n := parts[k].Len()
			parts[k], lo = parts[k].Dot(val[lo:lo+n]), lo+n
		}
		c.spend(1, terms+1)
		rows[i], most = dc.Sum(append(parts, dc.Num(b[i]))...), max(most, terms+1)
	}
	return c.array(dc.Stack(rows...), most)
}

// alike reports whether the rows have one entry each of the same arguments, in the same order.
func (c *call) alike(ptr, idx []int) bool {
	width := ptr[len(ptr)-1] / max(len(ptr)-1, 1)
	for i := range len(ptr) - 1 {
		if ptr[i+1]-ptr[i] != width {
			return false
		}
		for t, j := range idx[ptr[i]:ptr[i+1]] {
			if c.owner(j) != c.owner(idx[t]) || t > 0 && c.owner(j) == c.owner(idx[t-1]) {
				return false
			}
		}
	}
	return width > 0
}

// columns is mixed of rows that are alike, as a sum of arrays.
func (c *call) columns(ptr, idx []int, val, b []float64) *value {
	terms, parts := 1, []dc.Expr(nil)
	for t := range ptr[1] {
		v := c.args[c.owner(idx[t])]
		terms += v.terms
		places, factors := make([]int, len(b)), make([]float64, len(b))
		for i := range places {
			places[i], factors[i] = c.place(idx[ptr[i]+t]), val[ptr[i]+t]
		}
		parts = append(parts, v.array().Select([]int{len(b)}, places).ScaleEach(factors))
	}
	c.spend(len(b), terms)
	return c.array(parts[0].Add(append(parts[1:], dc.Vec(b))...), terms)
}
