package pass

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/graph"
)

// aboveRounding is above the roundings of a sum of products. Source: derived: 2^23 of 2^−53.
const aboveRounding = 1 + 0x1p-30

// Piecewise reports whether all members are affine between kinks.
func (p *Plan) Piecewise() bool {
	for k := range p.Nodes {
		n := &p.Nodes[k]
		if n.Op == graph.Apply || n.Op == graph.Reduce && n.Function.Reach == nil {
			return false
		}
	}
	return true
}

// Smooth reports whether all members have a gradient everywhere but where a norm is 0.
func (p *Plan) Smooth() bool {
	for k := range p.Nodes {
		if n := &p.Nodes[k]; n.Op == graph.Reduce && !n.Function.Smooth {
			return false
		}
	}
	return true
}

// Kinked marks the members that may have a kink where no variable differs from x by more than its
// radius, of members that are piecewise affine, and counts them.
func (p *Plan) Kinked(x, radius []float64) (kinked []bool, count int) {
	kinked = make([]bool, p.N)
	p.blocks(x, func(w *Work, lo, n int) {
		for k := range p.Nodes {
			p.reach(w, k, lo, n, radius)
		}
		for i, r := range w.adj[p.Top()][:n] {
			if math.IsInf(r, 0) || math.IsNaN(r) {
				kinked[lo+i] = true
				count++
			}
		}
	})
	return kinked, count
}

// reach writes by how much node k, whose value is known, changes at most where the variables change
// by no more than radius; +Inf where it may have a kink there.
func (p *Plan) reach(w *Work, k, lo, n int, radius []float64) {
	node := &p.Nodes[k]
	for e := range node.W {
		dst := of(w.adj[k], e, n)
		switch node.Op {
		case graph.Affine, graph.Sum:
			clear(dst)
			if len(node.Rows) > 0 {
				p.rowReach(dst, p.first[k]+e, lo, w, radius)
			}
			for a, arg := range node.Args {
				for i, r := range of(w.adj[arg], e, n) {
					dst[i] += math.Abs(graph.At(node.Weights[a], lo+i)) * r
				}
			}
		default:
			g := &w.groups[k][e]
			node.Function.Reach(dst, g.u, g.adj, of(w.v[k], e, n))
		}
	}
}

// rowReach is reach of row k.
func (p *Plan) rowReach(dst []float64, k, lo int, w *Work, radius []float64) {
	r := &p.rows[k]
	if r.lead >= 0 {
		copy(dst, w.rows[r.lead].errors)
		return
	}
	for t, idx := range r.Idx {
		val := r.Val[t]
		for i := range dst {
			dst[i] += aboveRounding * math.Abs(graph.At(val, lo+i)) * radius[graph.At(idx, lo+i)]
		}
	}
	if r.followed {
		copy(w.rows[k].errors, dst)
	}
}

// Steep bounds how members change: a Lipschitz constant of each, in the largest change of a
// variable, nil where some have none, and the size of the largest term of all at 0.
func (p *Plan) Steep() (slope []float64, size float64) {
	n := p.N
	if p.uniform() {
		n = 1
	}
	at := make([][]float64, len(p.Nodes))
	for k := range at {
		at[k] = make([]float64, p.Nodes[k].W)
	}
	slope = make([]float64, n)
	for i := range slope {
		slope[i] = p.lipschitz(at, i, func(r *graph.Row) (sum float64) {
			for t := range r.Val {
				sum += math.Abs(graph.At(r.Val[t], i))
			}
			return sum
		})
		if math.IsInf(slope[i], 0) || math.IsNaN(slope[i]) || slope[i] == 0 {
			return nil, 0
		}
	}
	for i := range p.N {
		size = max(size, p.lipschitz(at, i, func(r *graph.Row) float64 { return math.Abs(graph.At(r.C, i)) }))
	}
	return graph.Pack(slope), size
}

// uniform reports whether members differ in variables and constants alone.
func (p *Plan) uniform() bool {
	for k := range p.Nodes {
		for _, r := range p.Nodes[k].Rows {
			for _, val := range r.Val {
				if len(val) > 1 {
					return false
				}
			}
		}
		for _, weights := range p.Nodes[k].Weights {
			if len(weights) > 1 {
				return false
			}
		}
	}
	return true
}

// lipschitz bounds the change of member i by the change of its rows; +Inf where nothing bounds it.
// at has room for the entries.
func (p *Plan) lipschitz(at [][]float64, i int, row func(r *graph.Row) float64) float64 {
	for k := range p.Nodes {
		node := &p.Nodes[k]
		for e := range node.W {
			v := 0.0
			switch node.Op {
			case graph.Affine, graph.Sum:
				if len(node.Rows) > 0 {
					v = row(&node.Rows[e])
				}
				for a, arg := range node.Args {
					v += math.Abs(graph.At(node.Weights[a], i)) * at[arg][e]
				}
			case graph.Reduce:
				if node.Function.Change == nil {
					return math.Inf(1)
				}
				s := make([]float64, 0, 8)
				for _, g := range p.entries[k][e*node.Group : (e+1)*node.Group] {
					s = append(s, at[g.node][g.at])
				}
				v = node.Function.Change(s, node.P)
			default:
				return math.Inf(1)
			}
			at[k][e] = v
		}
	}
	return at[p.Top()][0]
}

// Beyond lists, ascending, the members of which a variable has moved by more than their reach. A
// move that is no number is too far.
func (p *Plan) Beyond(reaches, moved []float64) (list []int32) {
	if slices.ContainsFunc(moved, math.IsNaN) {
		moved = slices.Clone(moved)
		for j, v := range moved {
			if math.IsNaN(v) {
				moved[j] = math.Inf(1)
			}
		}
	}
	var tops [block]float64
	for lo := 0; lo < p.N; lo += block {
		top := tops[:min(block, p.N-lo)]
		clear(top)
		for k := range p.rows {
			for _, idx := range p.rows[k].Idx {
				raise(top, idx, lo, moved)
			}
		}
		for i, r := range reaches[lo : lo+len(top)] {
			if !(top[i] <= r) {
				list = append(list, int32(lo+i))
			}
		}
	}
	return list
}

// raise makes the largest moves at least the moves of one variable of each member from lo on.
func raise(top []float64, idx []int32, lo int, moved []float64) {
	if len(idx) == 1 {
		for i, t := range top {
			top[i] = max(t, moved[idx[0]])
		}
		return
	}
	for i, j := range idx[lo : lo+len(top)] {
		if v := moved[j]; v > top[i] {
			top[i] = v
		}
	}
}
