package pass

import (
	"github.com/dcopt/dcopt/internal/graph"
	"gonum.org/v1/gonum/floats"
)

// AddGradient adds scale times the gradient of Σ weights·members at x to dst, and returns the sum,
// both without the members that are marked in except, nil for none. At a kink the choice is
// the first of equal entries, and 0 of an absolute value.
func (p *Plan) AddGradient(dst []float64, scale float64, weights, x []float64, except []bool) (value float64) {
	if p.Parts() < 2 {
		return p.addGradient(dst, scale, weights, x, except, 0, p.N)
	}
	values, grads := make([]float64, p.Parts()), make([][]float64, p.Parts())
	p.EachPart(func(k, lo, hi int) {
		grads[k] = make([]float64, len(dst))
		values[k] = p.addGradient(grads[k], scale, weights, x, except, lo, hi)
	})
	for k, g := range grads {
		value += values[k]
		floats.Add(dst, g)
	}
	return value
}

// AddMember adds scale times the gradient of a member at x to dst, and returns its value.
func (p *Plan) AddMember(dst []float64, scale float64, i int, x []float64) (value float64) {
	return p.addGradient(dst, scale, one, x, nil, i, i+1)
}

// addGradient is AddGradient of the members from one to another.
func (p *Plan) addGradient(
	dst []float64, scale float64, weights, x []float64, except []bool, from, to int,
) (value float64) {
	w := p.take()
	defer p.put(w)
	for k := range w.rows {
		w.rows[k].grad = 0
	}
	p.begin(w, x)
	for lo := from; lo < to; lo += block {
		n := min(block, to-lo)
		p.forward(w, lo, n, x)
		p.clearAdjoints(w, n)
		adj := w.adj[p.Top()][:n]
		for i, u := range w.v[p.Top()][:n] {
			if except == nil || !except[lo+i] {
				weight := graph.At(weights, lo+i)
				adj[i] = scale * weight
				value += weight * u
			}
		}
		for k := p.Top(); k >= 0; k-- {
			p.toRows(w, k, lo, n, dst)
			p.toArguments(w, w, k, lo, n)
		}
	}
	p.addShared(w, dst)
	return value
}

// addShared adds the adjoints of rows that all members share to dst.
func (p *Plan) addShared(w *Work, dst []float64) {
	for k := range p.rows {
		if g := w.rows[k].grad; g != 0 {
			r := &p.rows[k]
			for t := range r.Idx {
				dst[r.Idx[t][0]] += g * r.Val[t][0]
			}
		}
	}
}

// clearAdjoints sets the adjoints of n members to 0.
func (p *Plan) clearAdjoints(w *Work, n int) {
	for k := range w.adj {
		for e := range p.Nodes[k].W {
			clear(of(w.adj[k], e, n))
		}
	}
	for k := range w.rows {
		clear(w.rows[k].adjoint)
	}
}

// toRows adds the adjoints of the rows of node k to dst.
func (p *Plan) toRows(w *Work, k, lo, n int, dst []float64) {
	for e := len(p.Nodes[k].Rows) - 1; e >= 0; e-- {
		p.toRow(w, p.first[k]+e, lo, of(w.adj[k], e, n), dst)
	}
}

// toRow adds the adjoints of a row; rows that follow another one leave theirs to it.
func (p *Plan) toRow(w *Work, k, lo int, adj, dst []float64) {
	r := &p.rows[k]
	switch {
	case len(r.Idx) == 0:
		return
	case r.shared:
		s := 0.0
		for _, g := range adj {
			s += g
		}
		w.rows[k].grad += s
		return
	case r.lead >= 0:
		floats.Add(w.rows[r.lead].adjoint[:len(adj)], adj)
		return
	case r.followed:
		floats.Add(adj, w.rows[k].adjoint[:len(adj)])
	}
	for t, idx := range r.Idx {
		switch val := r.Val[t]; {
		case len(idx) == 1 && len(val) == 1:
			dst[idx[0]] += val[0] * floats.Sum(adj)
		case len(idx) == 1:
			dst[idx[0]] += floats.Dot(adj, val[lo:lo+len(adj)])
		default:
			for i, g := range adj {
				dst[idx[lo+i]] += g * graph.At(val, lo+i)
			}
		}
	}
}

// toArguments adds to the adjoints in d of the arguments of node k, whose values are in w.
func (p *Plan) toArguments(w, d *Work, k, lo, n int) {
	node := &p.Nodes[k]
	switch node.Op {
	case graph.Affine:
	case graph.Sum:
		for a, arg := range node.Args {
			for e := range node.W {
				addScaled(of(d.adj[arg], e, n), node.Weights[a], lo, of(d.adj[k], e, n))
			}
		}
	case graph.Apply:
		par := node.Parameter()
		for e, at := range p.entries[k] {
			to, adj := d.adjoint(at, n), of(d.adj[k], e, n)
			for i, t := range w.value(at, n) {
				to[i] += adj[i] * node.Curve.Slope.At(t, par)
			}
		}
	default:
		for e := range node.W {
			node.Function.Slope(d.groups[k][e].adj, of(d.adj[k], e, n), w.groups[k][e].u, of(w.v[k], e, n), node.P)
		}
	}
}
