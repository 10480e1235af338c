package pass

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/interval"
)

// ranges of an entry, a column.
type ranges []interval.Interval

// Kept reports whether no member is simpler by the bounds of the variables than it is written: no
// entry of a maximum is below another one, of a minimum above, and an absolute value has entries of
// either sign. Decisions within rounding errors are right either way.
func (p *Plan) Kept(bounds func(j int32) (lo, hi float64)) bool {
	first := map[interval.Interval][]int32{} // the ranges of the same data are computed once
	p = NewPlan(p.Renamed(func(idx []int32) []int32 {
		i := interval.New(bounds(idx[0]))
		if first[i] == nil {
			first[i] = idx
		}
		return first[i]
	}))
	needed := make([]bool, len(p.Nodes))
	for k := p.Top(); k >= 0; k-- {
		for _, a := range p.Nodes[k].Args {
			needed[a] = needed[a] || needed[k] || mayBeSimpler(&p.Nodes[k])
		}
	}
	at := make([][]ranges, len(p.Nodes))
	for k := range p.Nodes {
		node := &p.Nodes[k]
		if !needed[k] && !mayBeSimpler(node) {
			continue
		}
		at[k] = make([]ranges, node.W)
		for e := range node.W {
			if node.Op == graph.Affine && e > 0 && node.Rows[e].Equal(&node.Rows[e-1]) {
				at[k][e] = at[k][e-1]
				continue
			}
			r, kept := p.rangeOf(at, k, e, bounds)
			if !kept {
				return false
			}
			at[k][e] = r
		}
	}
	return true
}

// mayBeSimpler reports whether ranges can make a node simpler.
func mayBeSimpler(n *graph.Node) bool {
	return n.Op == graph.Reduce && n.Function.Simpler != nil
}

// rangeOf is the range of entry e of node k; kept is false where the node is simpler by it in some
// members.
func (p *Plan) rangeOf(at [][]ranges, k, e int, bounds func(j int32) (lo, hi float64)) (out ranges, kept bool) {
	node := &p.Nodes[k]
	switch node.Op {
	case graph.Affine, graph.Sum:
		out = ranges{{}}
		if len(node.Rows) > 0 {
			out = rowRange(&node.Rows[e], bounds)
		}
		for a, arg := range node.Args {
			w := node.Weights[a]
			out = together(max(len(out), len(w), len(at[arg][e])), func(i int) interval.Interval {
				return plus(graph.At(out, i), times(graph.At(w, i), graph.At(at[arg][e], i)))
			})
		}
		return out, true
	case graph.Apply:
		for _, arg := range node.Args {
			if w := p.Nodes[arg].W; e >= w {
				e -= w
				continue
			}
			par := node.Parameter()
			return together(len(at[arg][e]), func(i int) interval.Interval {
				return node.Curve.Value.Over(node.Curve.In(at[arg][e][i], par), par)
			}), true
		}
	}
	group := p.entries[k][e*node.Group : (e+1)*node.Group]
	n := 1
	for _, g := range group {
		n = max(n, len(at[g.node][g.at]))
	}
	kept = true
	u := make([]interval.Interval, len(group))
	out = together(n, func(i int) interval.Interval {
		for k, g := range group {
			u[k] = graph.At(at[g.node][g.at], i)
		}
		kept = kept && !(node.Function.Simpler != nil && node.Function.Simpler(u))
		return node.Function.Over(u, node.P)
	})
	return out, kept
}

// together is a column of n ranges.
func together(n int, f func(i int) interval.Interval) ranges {
	out := make(ranges, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// rowRange is the range of a row: of one that has a variable without bounds in all members,
// everything.
func rowRange(r *graph.Row, bounds func(j int32) (lo, hi float64)) ranges {
	n := len(r.C)
	for t, idx := range r.Idx {
		if n = max(n, len(idx), len(r.Val[t])); len(idx) == 1 {
			if lo, hi := bounds(idx[0]); math.IsInf(lo, -1) && math.IsInf(hi, 1) {
				return ranges{interval.Whole}
			}
		}
	}
	out := make(ranges, n)
	for i := range out {
		out[i] = interval.Point(graph.At(r.C, i))
	}
	for t, idx := range r.Idx {
		lo, hi := bounds(idx[0])
		if val := r.Val[t]; len(idx) == 1 && len(val) == n {
			for i, c := range val {
				u, v := c*lo, c*hi
				out[i].Lo, out[i].Hi = out[i].Lo+min(u, v), out[i].Hi+max(u, v)
			}
			continue
		}
		for i := range out {
			if len(idx) > 1 {
				lo, hi = bounds(idx[i])
			}
			out[i] = plus(out[i], times(graph.At(r.Val[t], i), interval.New(lo, hi)))
		}
	}
	return out
}

// plus and times are to within rounding errors.
func plus(a, b interval.Interval) interval.Interval {
	return interval.Interval{Lo: a.Lo + b.Lo, Hi: a.Hi + b.Hi}
}

func times(w float64, a interval.Interval) interval.Interval {
	if w < 0 {
		return interval.Interval{Lo: w * a.Hi, Hi: w * a.Lo}
	}
	return interval.Interval{Lo: w * a.Lo, Hi: w * a.Hi}
}
