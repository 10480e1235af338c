package pass

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph"
	"gonum.org/v1/gonum/floats"
)

// AddGradient adds scale times the gradient of Σ weights·members at x to dst, and returns the sum,
// both without the members that are marked in except, nil for none. At a kink the choice is that of
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
			p.toArguments(w, k, lo, n)
		}
	}
	for k := range p.rows {
		if g := w.rows[k].grad; g != 0 {
			r := &p.rows[k]
			for t := range r.Idx {
				dst[r.Idx[t][0]] += g * r.Val[t][0]
			}
		}
	}
	return value
}

// clearAdjoints sets those of n members to 0.
func (p *Plan) clearAdjoints(w *Work, n int) {
	for k := range w.adj {
		clear(w.adj[k][:p.Nodes[k].W*n])
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

// toRow adds those of a row; rows that follow another one leave theirs to it.
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

// toArguments adds to the adjoints of the arguments of node k.
func (p *Plan) toArguments(w *Work, k, lo, n int) {
	node := &p.Nodes[k]
	switch node.Op {
	case graph.Affine:
	case graph.Sum:
		for a, arg := range node.Args {
			for e := range node.W {
				addScaled(of(w.adj[arg], e, n), node.Weights[a], lo, of(w.adj[k], e, n))
			}
		}
	case graph.Apply:
		adj := w.adj[k]
		for _, arg := range node.Args {
			u := w.v[arg][:p.Nodes[arg].W*n]
			to := w.adj[arg]
			for i, t := range u {
				to[i] += adj[i] * node.Curve.Slope.At(t, node.P)
			}
			adj = adj[len(u):]
		}
	default:
		for e := range node.W {
			toGroup(w, node, p.entries[k][e*node.Group:(e+1)*node.Group], of(w.adj[k], e, n), of(w.v[k], e, n))
		}
	}
}

// toGroup adds to the adjoints of a group that has the value v.
func toGroup(w *Work, node *graph.Node, group []entry, adj, v []float64) {
	n, half := len(adj), len(group)/2
	switch {
	case node.Op == graph.Max || node.Op == graph.Min:
		if len(group) == 2 {
			toOneOfTwo(w.value(group[0], n), w.adjoint(group[0], n), w.adjoint(group[1], n), adj, v)
			return
		}
		for i, g := range adj {
			if g == 0 {
				continue
			}
			for _, e := range group {
				if u := w.value(e, n)[i]; u == v[i] || math.IsNaN(u) {
					w.adjoint(e, n)[i] += g
					break
				}
			}
		}
		return
	}
	for k, e := range group {
		to, u := w.adjoint(e, n), w.value(e, n)
		switch node.Op {
		case graph.Norm1:
			for i, g := range adj {
				if u[i] != 0 {
					to[i] += math.Copysign(g, g*u[i])
				}
			}
		case graph.SumSquares:
			for i, g := range adj {
				to[i] += 2 * g * u[i]
			}
		case graph.Hubers:
			for i, g := range adj {
				to[i] += 2 * g * min(max(u[i], -node.P), node.P)
			}
		case graph.Norm2:
			flat := 1 / math.Sqrt(float64(len(group)))
			for i, g := range adj {
				if v[i] > 0 {
					to[i] += g * u[i] / v[i]
				} else {
					to[i] += g * flat
				}
			}
		case graph.Inner:
			o := w.value(group[(k+half)%len(group)], n)
			for i, g := range adj {
				to[i] += g * o[i]
			}
		}
	}
}

// toOneOfTwo adds the adjoints of the larger, or the smaller, of two entries to those of the one
// that has the value v. A number that selects has no branch to be guessed: which one of a hinge it
// is, is random.
func toOneOfTwo(u, first, second, adj, v []float64) {
	to := [2][]float64{first, second}
	for i, g := range adj {
		k := 1
		if u[i] == v[i] || u[i] != u[i] {
			k = 0
		}
		to[k][i] += g
	}
}
