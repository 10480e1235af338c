package ensemble

import (
	"fmt"
	"math"
	"slices"
)

// Tree is a sum of l-DERs, one for each leaf, kept as a tree so that a value costs one
// way to a leaf. A split has the ramp a(x) = (x_j − lo)/(hi − lo) between the values lo <
// hi of neighbouring rows, above it the condition a, below it 1 − a. With the conditions
// a_1, …, a_c on the way to a leaf, and t = max(0, min(1, a_1, …, a_c)), the leaf adds its
// affine function ℓ limited to [t·least, t·most], least ≤ 0 ≤ most:
//
//	max(0, min(ℓ, most, most·a_1, …)) − max(0, min(−ℓ, −least, −least·a_1, …)).
//
// No row of the training table lies within a ramp: at these rows t is 1 for one leaf
// and 0 for the others.
type Tree struct {
	Nodes []TreeNode // the root first
}

// TreeNode is a split, or a leaf where Next is 0.
type TreeNode struct {
	Feature int
	Lo, Hi  float64 // of the ramp
	Next    int     // the node below the ramp; the one above is next to it

	Value       float64 // ℓ is Value + Σ Slopes[k]·x[On[k]]
	On          []int
	Slopes      []float64
	Least, Most float64
}

// At is the value at x.
func (t *Tree) At(x []float64) float64 { return t.at(0, 1, x) }

func (t *Tree) at(node int, open float64, x []float64) float64 {
	for {
		n := &t.Nodes[node]
		if n.Next == 0 {
			return n.leaf(open, x)
		}
		v := x[n.Feature]
		switch {
		case v <= n.Lo:
			node = n.Next
		case v >= n.Hi:
			node = n.Next + 1
		default:
			a := (v - n.Lo) / (n.Hi - n.Lo)
			return t.at(n.Next, min(open, 1-a), x) + t.at(n.Next+1, min(open, a), x)
		}
	}
}

func (n *TreeNode) leaf(open float64, x []float64) float64 {
	v := n.Value
	for k, j := range n.On {
		v += n.Slopes[k] * x[j]
	}
	return min(max(v, open*n.Least), open*n.Most)
}

// Scale multiplies the values by s > 0.
func (t *Tree) Scale(s float64) {
	for k := range t.Nodes {
		n := &t.Nodes[k]
		n.Value, n.Least, n.Most = s*n.Value, s*n.Least, s*n.Most
		for c := range n.Slopes {
			n.Slopes[c] *= s
		}
	}
}

// Validate reports the first thing wrong with a tree of n features.
func (t *Tree) Validate(n int) error {
	if len(t.Nodes) == 0 {
		return fmt.Errorf("the tree has no nodes")
	}
	finite := func(v ...float64) bool {
		return !slices.ContainsFunc(v, func(e float64) bool { return math.IsNaN(e) || math.IsInf(e, 0) })
	}
	reached := 1 // nodes that a split before the current one leads to
	for k, node := range t.Nodes {
		if k >= reached {
			return fmt.Errorf("no split leads to node %d of the tree", k)
		}
		if !finite(node.Lo, node.Hi, node.Value, node.Least, node.Most) || !finite(node.Slopes...) {
			return fmt.Errorf("node %d of the tree has a value that is not finite", k)
		}
		if node.Next != 0 {
			// The nodes are in the order of their splits, so that each is reached once.
			if node.Next != reached || reached+2 > len(t.Nodes) {
				return fmt.Errorf("node %d of the tree leads to node %d of %d, want %d", k, node.Next, len(t.Nodes),
					reached)
			}
			reached += 2
			if node.Feature < 0 || node.Feature >= n {
				return fmt.Errorf("node %d of the tree has feature %d, want 0 to %d", k, node.Feature, n-1)
			}
			if !(node.Lo < node.Hi) {
				return fmt.Errorf("node %d of the tree has a ramp from %g to %g", k, node.Lo, node.Hi)
			}
			continue
		}
		if len(node.On) != len(node.Slopes) {
			return fmt.Errorf("node %d of the tree has %d slopes for %d features", k, len(node.Slopes), len(node.On))
		}
		for _, j := range node.On {
			if j < 0 || j >= n {
				return fmt.Errorf("node %d of the tree has feature %d, want 0 to %d", k, j, n-1)
			}
		}
		if !(node.Least <= 0 && node.Most >= 0) {
			return fmt.Errorf("node %d of the tree has values from %g to %g, want an interval with 0", k, node.Least,
				node.Most)
		}
	}
	return nil
}

// Parts are the l-DERs of the leaves.
func (t *Tree) Parts() []Part {
	var to []Part
	var walk func(node int, way []condition)
	walk = func(node int, way []condition) {
		n := &t.Nodes[node]
		if n.Next == 0 {
			to = n.parts(to, way)
			return
		}
		w := 1 / (n.Hi - n.Lo)
		way = slices.Clip(way)
		walk(n.Next, append(way, condition{n.Feature, -w, n.Hi * w}))
		walk(n.Next+1, append(way, condition{n.Feature, w, -n.Lo * w}))
	}
	walk(0, nil)
	return to
}

// condition is slope·x[feature] + constant.
type condition struct {
	feature         int
	slope, constant float64
}

// parts appends the two l-DERs of a leaf, those that are not 0. Of −ℓ, −most and −most·a_k
// let M be the maximum; then max(0, min(ℓ, most, …)) is max(0, M) − M.
func (n *TreeNode) parts(to []Part, way []condition) []Part {
	features := slices.Clone(n.On)
	for _, c := range way {
		features = append(features, c.feature)
	}
	slices.Sort(features)
	features = slices.Compact(features)
	if len(features) == 0 {
		features = []int{0}
	}
	width := len(features) + 1
	half := func(sign, most float64) []float64 {
		q := make([]float64, 2*width)
		for k, j := range n.On {
			at, _ := slices.BinarySearch(features, j)
			q[at] = -sign * n.Slopes[k]
		}
		q[width-1], q[2*width-1] = -sign*n.Value, -most
		if len(n.On) == 0 {
			q = q[width:] // ℓ is most
		}
		for _, c := range way {
			p := make([]float64, width)
			at, _ := slices.BinarySearch(features, c.feature)
			p[at], p[width-1] = -most*c.slope, -most*c.constant
			q = append(q, p...)
		}
		return q
	}
	zero := make([]float64, width)
	if n.Most > 0 {
		q := half(1, n.Most)
		to = append(to, Part{Pieces: slices.Concat(zero, q, q), R1: 1 + len(q)/width, Features: features})
	}
	if n.Least < 0 {
		q := half(-1, -n.Least)
		to = append(to, Part{Pieces: slices.Concat(q, zero, q), R1: len(q) / width, Features: features})
	}
	return to
}
