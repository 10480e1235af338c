package pass

import (
	"github.com/dcopt/dcopt/internal/graph"
	"gonum.org/v1/gonum/floats"
)

// Twice reports whether all members have second derivatives wherever they have gradients.
func (p *Plan) Twice() bool {
	for k := range p.Nodes {
		n := &p.Nodes[k]
		if n.Op == graph.Reduce && n.Function.Second == nil || n.Op == graph.Apply && n.Curve.Kinked {
			return false
		}
	}
	return true
}

// AddProduct adds scale times the product of the Hessian of Σ weights·members at x and v to dst,
// and returns the derivative of the sum along v: the derivative along v of a pass back (Pearlmutter
// 1994).
func (p *Plan) AddProduct(dst []float64, scale float64, weights, x, v []float64) (along float64) {
	w, d := p.take(), p.take() // values and adjoints, and their derivatives
	defer p.put(w)
	defer p.put(d)
	for k := range d.rows {
		d.rows[k].grad = 0
	}
	p.begin(w, x)
	p.begin(d, v)
	ones := make([]float64, block)
	floats.AddConst(1, ones)
	for lo := 0; lo < p.N; lo += block {
		n := min(block, p.N-lo)
		p.forward(w, lo, n, x)
		p.clearAdjoints(d, n)
		for k := range p.Nodes {
			p.derivative(w, d, k, lo, n, v, ones[:n])
		}
		p.clearAdjoints(w, n)
		p.clearAdjoints(d, n)
		adj := of(w.adj[p.Top()], 0, n)
		for i, u := range of(d.v[p.Top()], 0, n) {
			weight := graph.At(weights, lo+i)
			adj[i] = scale * weight
			along += weight * u
		}
		for k := p.Top(); k >= 0; k-- {
			p.toRows(d, k, lo, n, dst)
			p.toSecond(w, d, k, lo, n)
			p.toArguments(w, w, k, lo, n)
		}
	}
	p.addShared(d, dst)
	return along
}

// derivative writes the derivatives of node k along v.
func (p *Plan) derivative(w, d *Work, k, lo, n int, v, ones []float64) {
	node := &p.Nodes[k]
	for e := range node.W {
		dst := of(d.v[k], e, n)
		switch node.Op {
		case graph.Affine, graph.Sum:
			clear(dst)
			if len(node.Rows) > 0 {
				p.products(dst, p.first[k]+e, lo, d, v)
			}
			for a, arg := range node.Args {
				addScaled(dst, node.Weights[a], lo, of(d.v[arg], e, n))
			}
		case graph.Apply:
			at, par := p.entries[k][e], node.Parameter()
			u, along := w.value(at, n), d.value(at, n)
			for i, t := range u {
				dst[i] = node.Curve.Slope.At(t, par) * along[i]
			}
		default:
			g := &w.groups[k][e] // their adjoints are free
			for _, adj := range g.adj {
				clear(adj[:n])
			}
			node.Function.Slope(g.adj, ones, g.u, of(w.v[k], e, n), node.P)
			clear(dst)
			for j, at := range p.entries[k][e*node.Group : (e+1)*node.Group] {
				slope, along := g.adj[j], d.value(at, n)
				if first := firstOf(p.entries[k][e*node.Group:(e+1)*node.Group], at); first < j {
					continue // its slopes are added up in one place
				}
				for i := range dst {
					dst[i] += slope[i] * along[i]
				}
			}
		}
	}
}

// firstOf is the place of the first entry that is at.
func firstOf(group []entry, at entry) int {
	for k, e := range group {
		if e == at {
			return k
		}
	}
	return len(group)
}

// toSecond adds to the derivatives of the adjoints of the arguments of node k.
func (p *Plan) toSecond(w, d *Work, k, lo, n int) {
	p.toArguments(w, d, k, lo, n)
	switch node := &p.Nodes[k]; node.Op {
	case graph.Apply:
		par := node.Parameter()
		for e, at := range p.entries[k] {
			to, adj, u, along := d.adjoint(at, n), of(w.adj[k], e, n), w.value(at, n), d.value(at, n)
			for i, g := range adj {
				if g != 0 && along[i] != 0 {
					to[i] += g * node.Curve.Second.At(u[i], par) * along[i]
				}
			}
		}
	case graph.Reduce:
		for e := range node.W {
			g, h := &w.groups[k][e], &d.groups[k][e]
			node.Function.Second(h.adj, of(w.adj[k], e, n), g.u, h.u, of(w.v[k], e, n), node.P)
		}
	}
}
