package pass

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// unit is the unit roundoff of float64: the relative error of one operation.
// Source: IEEE 754 binary64.
const unit = 0x1p-53

// coefficientErrors is how many roundings a coefficient counts for, as one has that was computed
// when the problem was stated. Source: derived: read, multiplied and added once each.
const coefficientErrors = 3

// ErrorsOf is ValuesOf with bounds of the distances of the values from the exact ones at the same
// x: running error analysis, Higham 2002, section 3.3.
func (p *Plan) ErrorsOf(from, to int, x []float64, each func(b *Block)) {
	w := p.take()
	defer p.put(w)
	p.begin(w, x)
	for lo := from; lo < to; lo += block {
		n := min(block, to-lo)
		for k := range p.Nodes {
			p.nodeWithError(w, k, lo, n, x)
		}
		w.block = Block{lo, w.v[p.Top()][:n], w.adj[p.Top()][:n], p, w}
		each(&w.block)
	}
}

// nodeWithError writes the values of node k and their errors.
func (p *Plan) nodeWithError(w *Work, k, lo, n int, x []float64) {
	node := &p.Nodes[k]
	switch {
	case p.joined[k] && node.Op == graph.Reduce:
		for e := range node.W {
			p.squaresOfRows(w, p.entries[k][e*node.Group:(e+1)*node.Group], of(w.v[k], e, n), of(w.adj[k], e, n), lo, x)
		}
	default:
		p.node(w, k, lo, n, x)
		if !p.joined[k] { // squaresOfRows computes the errors of its rows
			p.nodeError(w, k, lo, n, x)
		}
	}
}

// squaresOfRows writes the sum of squares of rows that joinSquares marks.
func (p *Plan) squaresOfRows(w *Work, group []entry, sums, dst []float64, lo int, x []float64) {
	n := len(dst)
	clear(sums)
	clear(dst)
	for _, e := range group {
		r := &p.rows[p.first[e.node]+e.at]
		v, c, each := w.value(e, n), r.C[lo:][:n], sharedErrors(r.Row, x)
		for i, u := range v {
			sums[i] += u * u // as in sum, which may be one operation
			size := math.Abs(u)
			e := unit * ((1+coefficientErrors)*math.Abs(c[i]) + each + size)
			dst[i] += (2*size+e)*e + unit*(u*u) + unit*sums[i]
		}
	}
}

// spread is the error of a value where that is finite: one beyond all numbers is its own end, so
// that it decides no minimum or maximum that another one decides.
func spread(v, e float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return e
}

// nodeError writes the errors of node k, those before and its values being known.
func (p *Plan) nodeError(w *Work, k, lo, n int, x []float64) {
	node, dst := &p.Nodes[k], w.adj[k]
	switch node.Op {
	case graph.Affine, graph.Sum:
		for e := range node.W {
			p.sumError(of(dst, e, n), k, e, lo, w, x)
		}
	case graph.Apply:
		par := node.Parameter()
		for e, at := range p.entries[k] {
			to, errs := of(dst, e, n), w.adjoint(at, n)
			for i, u := range w.value(at, n) {
				to[i] = curveError(node.Curve, par, u, errs[i])
			}
		}
	default:
		for e := range node.W {
			g := &w.groups[k][e]
			node.Function.Error(of(dst, e, n), w.sums, g.u, g.adj, of(w.v[k], e, n), node.P)
		}
	}
}

// curveError is the error of a function of v, which has the error e.
func curveError(c *atom.Curve, par, v, e float64) float64 {
	at, s := c.Value.At(v, par), spread(v, e)
	i := c.Value.Over(c.In(interval.New(v-s, v+s), par), par)
	return max(i.Hi-at, at-i.Lo)
}

// sumError is the error of entry e of a node of rows and of the weighted arguments that are added
// to it. Products that members share are added up first, as in values.
func (p *Plan) sumError(dst []float64, k, e, lo int, w *Work, x []float64) {
	node, n := &p.Nodes[k], len(dst)
	sums, known := of(w.v[k], e, n), false
	if len(node.Rows) > 0 {
		r := p.first[k] + e
		if known = node.Op == graph.Affine && p.rows[r].shared; !known {
			sums = w.zeros(n)
		}
		p.rowError(dst, sums, r, lo, w, x, known)
	} else {
		sums = w.zeros(n)
		clear(dst)
	}
	if node.Op == graph.Affine {
		return
	}
	for i, v := range sums {
		dst[i] += unit * math.Abs(v)
	}
	for a, arg := range node.Args {
		weights, v, errs := node.Weights[a], of(w.v[arg], e, n), of(w.adj[arg], e, n)
		q := weights[0]
		for i, u := range sums {
			if len(weights) > 1 {
				q = weights[lo+i]
			}
			u += q * v[i] // as in node, which may be one operation
			sums[i] = u
			dst[i] += math.Abs(q)*errs[i] + unit*(2*math.Abs(q*v[i])+math.Abs(u))
		}
	}
}

// rowError writes the errors of row k of the members from lo on. sums are the values of the row;
// where these are not known, it writes them as well.
func (p *Plan) rowError(dst, sums []float64, k, lo int, w *Work, x []float64, known bool) {
	r, n := &p.rows[k], len(dst)
	each := (1 + coefficientErrors) * r.Lost // the part of all members
	clear(dst)
	switch {
	case r.shared:
		each = sharedErrors(r.Row, x)
		if !known {
			p.row(sums, k, lo, w, x)
		}
	case r.followed || r.lead >= 0:
		lead := &w.rows[max(r.lead, 0)]
		if r.followed {
			lead = &w.rows[k]
			clear(lead.products[:n])
			clear(lead.errors[:n])
			productErrors(lead.errors[:n], lead.products[:n], r.Row, lo, x)
		}
		for i, v := range lead.products[:n] {
			sums[i] = v + graph.At(r.C, lo+i)
		}
		copy(dst, lead.errors[:n])
	default:
		for i := range sums {
			sums[i] = graph.At(r.C, lo+i)
		}
		productErrors(dst, sums, r.Row, lo, x)
	}
	if len(r.C) == 1 {
		each += (1 + coefficientErrors) * math.Abs(r.C[0])
		for i, v := range sums {
			dst[i] = unit * (dst[i] + each + math.Abs(v))
		}
		return
	}
	for i, c := range r.C[lo : lo+n] {
		dst[i] = unit * (dst[i] + (1+coefficientErrors)*math.Abs(c) + each + math.Abs(sums[i]))
	}
}

// sharedErrors are the errors of a row that all members share, in units: of the products, and of
// constants that have cancelled.
func sharedErrors(r *graph.Row, x []float64) (each float64) {
	sum := 0.0
	for t := range r.Idx {
		p := r.Val[t][0] * x[r.Idx[t][0]]
		sum += p
		each += (1+coefficientErrors)*math.Abs(p) + math.Abs(sum)
	}
	return each + (1+coefficientErrors)*r.Lost
}

// productErrors adds the products of the variables and the coefficients of the members from lo on
// to sums, and their errors, in units, to dst.
func productErrors(dst, sums []float64, r *graph.Row, lo int, x []float64) {
	dst = dst[:len(sums)]
	for t, idx := range r.Idx {
		val := r.Val[t]
		if len(idx) > 1 || len(val) == 1 {
			for i, v := range sums {
				q := graph.At(val, lo+i) * x[graph.At(idx, lo+i)]
				v += q
				sums[i] = v
				dst[i] += (1+coefficientErrors)*math.Abs(q) + math.Abs(v)
			}
			continue
		}
		at, val := x[idx[0]], val[lo:][:len(sums)]
		for i, v := range sums {
			q := val[i] * at
			v += q
			sums[i] = v
			dst[i] += (1+coefficientErrors)*math.Abs(q) + math.Abs(v)
		}
	}
}
