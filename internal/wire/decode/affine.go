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
func affineMap(c *call) value {
	cols := 0
	for i := range c.args {
		cols += c.args[i].n()
	}
	a := c.attrs
	c.rows(a.Indptr, a.Indices, a.Data, c.n, cols)
	ptr, idx := a.Indptr.V, a.Indices.V
	val, deps := c.coefficients()
	b := make([]float64, c.n)
	if a.Constant != nil && c.n > 0 {
		if b = fitted("constant", a.Constant.V, c.n); finite(b) >= 0 {
			refuse("entry %d of constant is %g", finite(b), b[finite(b)])
		}
	}
	affine, data := true, true
	for i := range c.args {
		affine, data = affine && c.args[i].affine(), data && c.args[i].isData()
	}
	if c.id == c.priced {
		return c.price(affine, val, b)
	}
	if !affine {
		return c.mixed(ptr, idx, val, b)
	}
	out := value{terms: 1}
	if data {
		all := make([]float64, 0, cols)
		for i := range c.args {
			all, deps = append(all, c.args[i].data...), union(deps, c.args[i].deps)
		}
		out.data, out.deps = make([]float64, c.n), deps
		for i := range out.data {
			s := b[i]
			for k := ptr[i]; k < ptr[i+1]; k++ {
				s += val[k] * all[idx[k]]
			}
			out.data[i] = s
		}
		if !c.needs[c.id] {
			out.a = dc.Vec(out.data)
			return out
		}
	}
	out.a = c.product(ptr, idx, val, b)
	return out
}

// product is the affine map of affine arguments.
func (c *call) product(ptr, idx []int, val, b []float64) dc.Expr {
	var all dc.Expr
	switch len(c.args) {
	case 0:
		return dc.Vec(b)
	case 1:
		all = c.args[0].a
	default:
		parts := make([]dc.Expr, len(c.args))
		for i := range parts {
			parts[i] = c.args[i].a
		}
		all = dc.Stack(parts...)
	}
	size := c.n
	if all.NNZ() > all.Len() {
		lens := make([]int, all.Len())
		for k := range lens {
			lens[k] = len(all.Linear(k).Idx)
		}
		for _, k := range idx {
			size += lens[k]
		}
	} else {
		size += len(idx)
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

// coefficients are those for the values of the parameters at hand.
func (c *call) coefficients() (val []float64, deps []int) {
	a := c.attrs
	if a.DataMap == nil {
		return a.Data.V, nil
	}
	values := c.p.values[len(c.g.Variables):c.first()]
	var p []float64
	if len(values) == 1 {
		p = values[0].data
	} else {
		p = make([]float64, 0, len(c.owners))
		for k := range values {
			p = append(p, values[k].data...)
		}
	}
	t := a.DataMap
	err := caught(func() { c.rows(t.Indptr, t.Indices, t.Data, len(a.Data.V), len(p)) })
	if err != nil {
		err.Text = "data_map: " + err.Text
		panic(err)
	}
	val = append([]float64(nil), a.Data.V...)
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
			deps = append(deps, k)
		}
	}
	if c.id != c.priced {
		c.structural(deps)
	}
	if k := finite(val); k >= 0 {
		refuse("coefficient %d is %g", k, val[k])
	}
	return val, deps
}

// costs is the node that is the objective and no argument, an affine map of one entry in which
// parameters are coefficients of affine functions alone; 0 where there is none. Products of
// parameters and variables are costs of the problem then, and other values of the parameters want
// no other problem.
func (b *builder) costs() int {
	if b.g.Objective == nil {
		return 0
	}
	id := b.g.Objective.Node
	if id < b.first() || b.entries(b.shapes[id]) != 1 {
		return 0
	}
	n := &b.g.Nodes[id-b.first()]
	if n.Op != "affine" || n.Attrs == nil || n.Attrs.DataMap == nil {
		return 0
	}
	if slices.ContainsFunc(b.g.Nodes[id-b.first():], func(m wire.Node) bool { return slices.Contains(m.Args, id) }) ||
		slices.ContainsFunc(b.g.Constraints, func(c wire.Constraint) bool { return slices.Contains(c.Args, id) }) {
		return 0
	}
	var priceable []bool // of the entries of all arguments
	for _, a := range n.Args {
		is := b.isAffine(a)
		for range b.entries(b.shapes[a]) {
			priceable = append(priceable, is)
		}
	}
	c := &call{builder: b, node: n}
	t, idx := n.Attrs.DataMap, n.Attrs.Indices
	if idx == nil || caught(func() { c.rows(t.Indptr, t.Indices, t.Data, len(idx.V), len(b.owners)) }) != nil {
		return 0
	}
	for i, j := range idx.V {
		if t.Indptr.V[i] < t.Indptr.V[i+1] && (j < 0 || j >= len(priceable) || !priceable[j]) {
			return 0
		}
	}
	return id
}

// isAffine reports whether a value is an affine function in which variables occur, made by affine
// maps without parameters.
func (b *builder) isAffine(id int) bool {
	if id < b.first() {
		return id < len(b.g.Variables)
	}
	n := &b.g.Nodes[id-b.first()]
	if n.Op != "affine" || n.Attrs == nil || n.Attrs.DataMap != nil || len(n.Args) == 0 {
		return false
	}
	return !slices.ContainsFunc(n.Args, func(a int) bool { return !b.isAffine(a) })
}

// price adds the costs of the priced node, and returns its value for the numbers val.
func (c *call) price(affine bool, val, constant []float64) value {
	a := c.attrs
	state := func(val []float64) value {
		if !affine {
			return c.mixed(a.Indptr.V, a.Indices.V, val, constant)
		}
		return value{a: c.product(a.Indptr.V, a.Indices.V, val, constant), terms: 1}
	}
	base := state(a.Data.V)
	c.cheap = base.expr(0)
	var parts, params []dc.Expr
	var places []int // of the entries of all arguments, those in parts
	count := 0
	for i := range c.args {
		v := &c.args[i]
		affine := v.affine()
		if affine {
			parts = append(parts, v.a)
		}
		for range v.n() {
			places = append(places, count)
			if affine {
				count++
			}
		}
	}
	for k := range c.g.Parameters {
		params = append(params, c.p.values[len(c.g.Variables)+k].a)
	}
	t := a.DataMap
	var at []int
	ptr := []int{0}
	for i, j := range a.Indices.V {
		if end := t.Indptr.V[i+1]; t.Indptr.V[i] < end {
			at, ptr = append(at, places[j]), append(ptr, end) // rows without entries are left out
		}
	}
	if len(at) > 0 {
		price := dc.Stack(params...).MulSparse(ptr, t.Indices.V, t.Data.V)
		c.m.AddCost(dc.Param{Expr: price}, dc.Stack(parts...).Select([]int{len(at)}, at))
	}
	return state(val)
}

// mixed is the map of arguments some of which are not affine.
func (c *call) mixed(ptr, idx []int, val, b []float64) value {
	owner, ends := []int(nil), []int{0} // the argument of each column, and where its columns end
	for i := range c.args {
		for range c.args[i].n() {
			owner = append(owner, i)
		}
		ends = append(ends, len(owner))
	}
	if alike(ptr, idx, owner) {
		return c.columns(ptr, idx, val, b, owner, ends)
	}
	rows, most := make([]dc.Expr, c.n), 0
	for i := range rows {
		parts, all := []dc.Expr(nil), 1
		for lo, hi := ptr[i], ptr[i]; lo < ptr[i+1]; lo = hi {
			arg := owner[idx[lo]]
			for hi < ptr[i+1] && owner[idx[hi]] == arg {
				hi++
			}
			places := make([]int, hi-lo)
			for k := range places {
				places[k] = idx[lo+k] - ends[arg]
			}
			part := c.args[arg].a.Select([]int{hi - lo}, places).Dot(val[lo:hi])
			parts, all = append(parts, part), all+(hi-lo)*c.args[arg].terms
		}
		c.spend(1, all)
		rows[i], most = dc.Sum(append(parts, dc.Num(b[i]))...), max(most, all)
	}
	return c.array(dc.Stack(rows...), most)
}

// alike reports whether the rows have one entry each of the same arguments, in the same order.
func alike(ptr, idx, owner []int) bool {
	width := ptr[len(ptr)-1] / max(len(ptr)-1, 1)
	for i := range len(ptr) - 1 {
		if ptr[i+1]-ptr[i] != width {
			return false
		}
		for t := range width {
			if owner[idx[ptr[i]+t]] != owner[idx[t]] || t > 0 && owner[idx[t]] == owner[idx[t-1]] {
				return false
			}
		}
	}
	return width > 0
}

// columns is mixed of rows that are alike, as a sum of arrays.
func (c *call) columns(ptr, idx []int, val, b []float64, owner, ends []int) value {
	width, terms := ptr[1], 1
	for t := range width {
		terms += c.args[owner[idx[t]]].terms
	}
	c.spend(c.n, terms)
	parts := make([]dc.Expr, 0, width+1)
	for t := range width {
		arg := owner[idx[t]]
		places, factors := make([]int, c.n), make([]float64, c.n)
		for i := range places {
			places[i], factors[i] = idx[ptr[i]+t]-ends[arg], val[ptr[i]+t]
		}
		parts = append(parts, c.args[arg].a.Select([]int{c.n}, places).ScaleEach(factors))
	}
	parts = append(parts, dc.Vec(b))
	return c.array(parts[0].Add(parts[1:]...), terms)
}
