package pass

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/interval"
)

// ranges are those of an entry, a column.
type ranges []interval.Interval

// Kept reports whether no member is simpler by the bounds of the variables than it is written: no
// entry of a maximum is below another one, of a minimum above, and an absolute value has entries of
// either sign. Decisions within rounding errors are right either way.
func (p *Plan) Kept(bounds func(j int32) (lo, hi float64)) bool {
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
	return n.Op == graph.Max || n.Op == graph.Min || n.Op == graph.Norm1 && n.Group == 1
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
			return together(len(at[arg][e]), func(i int) interval.Interval {
				return node.Curve.Value.Over(node.Curve.In(at[arg][e][i], node.P), node.P)
			}), true
		}
	}
	group := p.entries[k][e*node.Group : (e+1)*node.Group]
	n := 1
	for _, g := range group {
		n = max(n, len(at[g.node][g.at]))
	}
	kept = true
	out = together(n, func(i int) interval.Interval {
		r, ok := groupRange(node, at, group, i)
		kept = kept && ok
		return r
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

// groupRange is the range of a function of a group, and whether that is not simpler by it.
func groupRange(node *graph.Node, at [][]ranges, group []entry, i int) (out interval.Interval, kept bool) {
	switch node.Op {
	case graph.Max, graph.Min:
		return extremeRange(node.Op == graph.Min, at, group, i)
	case graph.Inner:
		return interval.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}, true
	}
	for _, e := range group {
		r := graph.At(at[e.node][e.at], i)
		if node.Op == graph.Norm1 && len(group) == 1 && (r.Lo >= 0 || r.Hi <= 0) {
			return out, false
		}
		far := max(-r.Lo, r.Hi)
		near := max(r.Lo, -r.Hi, 0)
		switch node.Op {
		case graph.SumSquares, graph.Hubers, graph.Norm2:
			near, far = near*near, far*far
		}
		out = plus(out, interval.Interval{Lo: near, Hi: far})
	}
	if node.Op == graph.Norm2 {
		out = interval.Interval{Lo: math.Sqrt(out.Lo), Hi: math.Sqrt(out.Hi)}
	}
	if node.Op == graph.Hubers {
		out.Lo = 0
	}
	return out, true
}

// apart is the relative distance of two ranges above which their rounding errors do not matter.
// Source: above the errors of sums of 1e6 terms.
const apart = 1e-9

// extremeRange is groupRange of a maximum or a minimum.
func extremeRange(least bool, at [][]ranges, group []entry, i int) (out interval.Interval, kept bool) {
	sign := 1.0
	if least {
		sign = -1
	}
	out = interval.Interval{Lo: math.Inf(-1), Hi: math.Inf(-1)}
	for _, e := range group {
		r := times(sign, graph.At(at[e.node][e.at], i))
		out.Lo, out.Hi = max(out.Lo, r.Lo), max(out.Hi, r.Hi)
	}
	for _, e := range group {
		if hi := times(sign, graph.At(at[e.node][e.at], i)).Hi; hi < out.Lo-apart*(math.Abs(hi)+math.Abs(out.Lo)) {
			return out, false
		}
	}
	return times(sign, out), true
}
