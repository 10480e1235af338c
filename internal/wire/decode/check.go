package decode

import (
	"slices"

	"github.com/dcopt/dcopt/internal/wire"
)

// entries is the number of entries of a shape, −1 for none within the limit.
func (b *builder) entries(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > b.limits.Entries || n*d > b.limits.Entries {
			return -1
		}
		n *= d
	}
	return n
}

// check looks at all that can be seen without any arithmetic: names, shapes, and that
// arguments come before.
func (b *builder) check() {
	seen, total := map[string]bool{}, 0
	enter := func(name string, shape []int) {
		id, n := len(b.names), b.entries(shape)
		b.names, b.shapes = append(b.names, name), append(b.shapes, shape)
		switch declared := id < b.first(); {
		case declared && name == "":
			panic(b.at(id, problemf("variable or parameter number %d has no name", id)))
		case declared && seen[name]:
			panic(b.at(id, problemf("there are two variables or parameters with the name %s", name)))
		case n < 0 || total > b.limits.Entries-n:
			panic(b.at(id, wire.Errorf(wire.ErrLimit,
				"shape %v: a problem has at most %d entries in all its variables, parameters, nodes and constraints",
				shape, b.limits.Entries)))
		}
		seen[name], total = true, total+n
	}
	for _, v := range b.g.Variables {
		enter(v.Name, v.Shape)
	}
	for k, p := range b.g.Parameters {
		enter(p.Name, p.Shape)
		b.orders = append(b.orders, columnMajor(p.Shape))
		b.owners = append(b.owners, slices.Repeat([]int{k}, b.entries(p.Shape))...)
	}
	for k, n := range b.g.Nodes {
		enter(n.Name, n.Shape)
		for _, a := range n.Args {
			if id := b.first() + k; a < 0 || a >= id {
				panic(b.at(id, problemf("argument %d of node %d; arguments come before their node", a, id)))
			}
		}
	}
	all := b.first() + len(b.g.Nodes)
	if o := b.g.Objective; o != nil && (o.Node < 0 || o.Node >= all) {
		refuse("the objective is node %d of %d", o.Node, all)
	}
	for k, c := range b.g.Constraints {
		for _, a := range c.Args {
			if a < 0 || a >= all {
				panic(b.placed(problemf("argument %d of %d nodes", a, all), k))
			}
			total += b.entries(b.shapes[a])
		}
	}
	if total > b.limits.Entries {
		refuseAs(wire.ErrLimit, "the constraints have too many entries: a problem has at most %d in all its "+
			"variables, parameters, nodes and constraints", b.limits.Entries)
	}
}

// survey finds the parameters that are needed as functions and not as numbers alone.
func (b *builder) survey() {
	all, nv := len(b.shapes), len(b.g.Variables)
	free, linear, needs := make([]bool, all), make([]bool, all), make([]bool, all)
	for id := range nv {
		free[id], linear[id] = true, true
	}
	for k, n := range b.g.Nodes { // linear: made of variables by affine maps without parameters
		free[b.first()+k] = slices.ContainsFunc(n.Args, func(a int) bool { return free[a] })
		linear[b.first()+k] = n.Op == "affine" && n.Attrs != nil && n.Attrs.DataMap == nil && len(n.Args) > 0 &&
			!slices.ContainsFunc(n.Args, func(a int) bool { return !linear[a] })
	}
	for _, c := range b.g.Constraints {
		for _, a := range c.Args {
			needs[a] = true
		}
	}
	if b.priced = b.costs(linear); b.priced > 0 { // the parameters in its coefficients
		for _, j := range b.g.Nodes[b.priced-b.first()].Attrs.DataMap.Indices.V {
			needs[nv+b.owners[j]] = true
		}
	}
	for k := len(b.g.Nodes) - 1; k >= 0; k-- {
		n, id := &b.g.Nodes[k], b.first()+k
		o := ops[n.Op]
		for i, a := range n.Args {
			needs[a] = needs[a] || o.frozen>>i&1 == 0 && (free[id] || o.linear && needs[id])
		}
	}
	b.needs = needs[nv:b.first()]
}

// spend counts n entries of so many terms each towards the limit.
func (b *builder) spend(n, terms int) {
	if terms > 0 && n > b.left.Entries/(wide*terms) {
		refuseAs(wire.ErrLimit, "%d entries with about %d terms each are too many", n, terms)
	}
	if b.left.Entries -= wide * n * terms; b.left.Entries < 0 {
		refuseAs(wire.ErrLimit, "too many entries that are not affine")
	}
}

// multiply counts n coefficients towards the limit.
func (b *builder) multiply(n int) {
	if b.left.Nonzeros -= n; b.left.Nonzeros < 0 {
		refuseAs(wire.ErrLimit, "the affine maps have too many coefficients once they are multiplied out")
	}
}
