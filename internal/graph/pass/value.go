package pass

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph"
	"gonum.org/v1/gonum/floats"
)

// Block has the values of members from one on. It is good during the call that it is given to.
type Block struct {
	Lo     int
	Values []float64
	Errors []float64 // see Plan.ErrorsOf
	p      *Plan
	w      *Work
}

// Terms calls each with the values of the functions that the members are the sum of, and their
// weights, a column of all members.
func (b *Block) Terms(each func(weights, v []float64)) {
	top := b.p.Last()
	if top.Op != graph.Sum || len(top.Rows) > 0 {
		each(one, b.Values)
		return
	}
	for a, arg := range top.Args {
		each(top.Weights[a], of(b.w.v[arg], 0, len(b.Values)))
	}
}

// one is the weight of a single function.
var one = []float64{1}

// Values calls each with the values of all members at x, a block at a time.
func (p *Plan) Values(x []float64, each func(b *Block)) { p.ValuesOf(0, p.N, x, each) }

// ValuesOf is Values of the members from one to another.
func (p *Plan) ValuesOf(from, to int, x []float64, each func(b *Block)) {
	p.blocksOf(from, to, x, func(w *Work, lo, n int) {
		w.block = Block{lo, w.v[p.Top()][:n], nil, p, w}
		each(&w.block)
	})
}

// blocks computes the nodes of all members, a block at a time.
func (p *Plan) blocks(x []float64, each func(w *Work, lo, n int)) { p.blocksOf(0, p.N, x, each) }

func (p *Plan) blocksOf(from, to int, x []float64, each func(w *Work, lo, n int)) {
	w := p.take()
	defer p.put(w)
	p.begin(w, x)
	for lo := from; lo < to; lo += block {
		n := min(block, to-lo)
		p.forward(w, lo, n, x)
		each(w, lo, n)
	}
}

// Member is the value of a member at x.
func (p *Plan) Member(i int, x []float64) (v float64) {
	p.blocksOf(i, i+1, x, func(w *Work, _, _ int) { v = w.v[p.Top()][0] })
	return v
}

// MemberSize is the largest term at x of a member that is a sum: a product of a coefficient and a
// variable, the constant or a weighted function. Terms that are not finite do not count.
func (p *Plan) MemberSize(i int, x []float64) (size float64) {
	p.blocksOf(i, i+1, x, func(w *Work, _, _ int) {
		term := func(v float64) {
			if v = math.Abs(v); v > size && v <= math.MaxFloat64 {
				size = v
			}
		}
		top := p.Last()
		r := &top.Rows[0]
		term(graph.At(r.C, i))
		for t := range r.Idx {
			term(graph.At(r.Val[t], i) * x[graph.At(r.Idx[t], i)])
		}
		for a, arg := range top.Args {
			term(graph.At(top.Weights[a], i) * w.v[arg][0])
		}
	})
	return size
}

// begin computes numbers that all members share.
func (p *Plan) begin(w *Work, x []float64) {
	for k := range p.rows {
		r, s := &p.rows[k], 0.0
		if r.shared {
			for t := range r.Idx {
				s += r.Val[t][0] * x[r.Idx[t][0]]
			}
		}
		w.rows[k].shared = s
	}
}

// forward computes the nodes of n members from lo on.
func (p *Plan) forward(w *Work, lo, n int, x []float64) {
	for k := range p.Nodes {
		p.node(w, k, lo, n, x)
	}
}

// node computes node k of n members from lo on, those before being known.
func (p *Plan) node(w *Work, k, lo, n int, x []float64) {
	node := &p.Nodes[k]
	for e := range node.W {
		dst := of(w.v[k], e, n)
		switch node.Op {
		case graph.Affine, graph.Sum:
			if len(node.Rows) == 0 {
				clear(dst)
			} else {
				p.row(dst, p.first[k]+e, lo, w, x)
			}
			for a, arg := range node.Args {
				addScaled(dst, node.Weights[a], lo, of(w.v[arg], e, n))
			}
		case graph.Apply:
			u, par := w.value(p.entries[k][e], n), node.Parameter()
			for i, t := range u {
				dst[i] = node.Curve.Value.At(t, par)
			}
		default:
			node.Function.Value(dst, w.groups[k][e].u, node.P)
		}
	}
}

// row writes an affine function of the members from lo on.
func (p *Plan) row(dst []float64, k, lo int, w *Work, x []float64) {
	r, n := &p.rows[k], len(dst)
	if len(r.C) == 1 {
		u := r.C[0] + w.rows[k].shared
		for i := range dst {
			dst[i] = u
		}
	} else {
		copy(dst, r.C[lo:lo+n])
		floats.AddConst(w.rows[k].shared, dst)
	}
	p.addUnshared(dst, k, lo, w, x)
}

// products writes an affine function without its constant.
func (p *Plan) products(dst []float64, k, lo int, w *Work, x []float64) {
	for i := range dst {
		dst[i] = w.rows[k].shared
	}
	p.addUnshared(dst, k, lo, w, x)
}

// addUnshared adds the products of row k whose coefficients members do not share.
func (p *Plan) addUnshared(dst []float64, k, lo int, w *Work, x []float64) {
	r, n := &p.rows[k], len(dst)
	switch {
	case r.shared:
	case r.lead >= 0:
		floats.Add(dst, w.rows[r.lead].products[:n])
	case r.followed:
		products := w.rows[k].products[:n]
		clear(products)
		addProducts(products, r.Row, lo, x)
		floats.Add(dst, products)
	default:
		addProducts(dst, r.Row, lo, x)
	}
}

// addProducts adds the products of the variables and the coefficients of the members from lo on.
func addProducts(dst []float64, r *graph.Row, lo int, x []float64) {
	n := len(dst)
	for t, idx := range r.Idx {
		switch val := r.Val[t]; {
		case len(idx) == 1 && len(val) == 1:
			u := val[0] * x[idx[0]]
			for i := range dst {
				dst[i] += u
			}
		case len(idx) == 1:
			floats.AddScaled(dst, x[idx[0]], val[lo:lo+n])
		case len(val) == 1:
			u := val[0]
			for i, j := range idx[lo : lo+n] {
				dst[i] += u * x[j]
			}
		default:
			val := val[lo : lo+n]
			for i, j := range idx[lo : lo+n] {
				dst[i] += val[i] * x[j]
			}
		}
	}
}

func addScaled(dst, weights []float64, lo int, v []float64) {
	if len(weights) == 1 {
		floats.AddScaled(dst, weights[0], v)
		return
	}
	for i, u := range weights[lo : lo+len(dst)] {
		dst[i] += u * v[i]
	}
}
