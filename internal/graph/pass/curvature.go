package pass

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Convex reports whether all members are convex by the rules of composition, with affine arguments
// of functions but of maxima.
func (p *Plan) Convex() bool { return p.convex()[p.Top()] }

// ConvexParts reports whether the arguments of the last node are convex in all members.
func (p *Plan) ConvexParts() bool {
	convex := p.convex()
	return !slices.ContainsFunc(p.Last().Args, func(a int) bool { return !convex[a] })
}

// convex says of each node whether it is.
func (p *Plan) convex() []bool {
	convex := make([]bool, len(p.Nodes))
	for k := range p.Nodes {
		n := &p.Nodes[k]
		ok := true
		for a, arg := range n.Args {
			switch n.Op {
			case graph.Sum:
				ok = ok && convex[arg] && slices.Min(n.Weights[a]) >= 0
			case graph.Reduce:
				rises := n.Function.Entry(a).Monotone == atom.Rising && !n.Function.Entry(a).Nonnegative
				ok = ok && n.Function.Curvature > 0 && (p.Nodes[arg].Op == graph.Affine || rises && convex[arg])
			case graph.Apply:
				isConvex, _ := n.Curve.Curvature(interval.Whole, n.Parameter())
				ok = ok && isConvex && p.Nodes[arg].Op == graph.Affine
			}
		}
		convex[k] = ok
	}
	return convex
}

// IsLeast reports whether each member is the least of some sums of squares of affine functions,
// with affine functions beside them.
func (p *Plan) IsLeast() bool {
	top := p.Last()
	if !top.Is(atom.Min) {
		return false
	}
	squares := func(k int) bool {
		n := &p.Nodes[k]
		return n.Is(atom.SumSquares) && len(n.Args) == 1 && p.Nodes[n.Args[0]].Op == graph.Affine
	}
	for _, a := range top.Args {
		n := &p.Nodes[a]
		switch {
		case squares(a), n.Op == graph.Affine:
		case n.Op == graph.Sum && !slices.ContainsFunc(n.Args, func(k int) bool { return !squares(k) }) &&
			!slices.ContainsFunc(n.Weights, func(w []float64) bool { return slices.Min(w) < 0 }):
		default:
			return false
		}
	}
	return true
}

// IsGap reports whether each member is |e| for a weighted sum e of maxima of affine functions.
func (p *Plan) IsGap() bool {
	top := p.Last()
	if !top.Is(atom.Norm1) || top.Group != 1 {
		return false
	}
	e := &p.Nodes[top.Args[0]]
	return e.Op == graph.Sum && !slices.ContainsFunc(e.Args, func(a int) bool {
		n := &p.Nodes[a]
		affine := !slices.ContainsFunc(n.Args, func(b int) bool { return p.Nodes[b].Op != graph.Affine })
		return !n.Is(atom.Max) || n.W != 1 || !affine
	})
}
