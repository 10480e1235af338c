package kkt

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Limits of the arrowhead form.
// Source: limits of memory and time, which decide between two exact methods and no
// answer: a dense matrix of order 2048 has 32 MB, 2^28 entries 2 GB.
const (
	maxBorder    = 2048    // rows and columns of the dense remainder
	maxComponent = 64      // rows and columns of one diagonal block
	maxVectors   = 1 << 28 // entries kept of the rows of B
	maxBlocks    = 16      // groups of border columns
	gapRatio     = 1.5     // of neighbouring degrees at which a border may begin
	maxGaps      = 3       // borders that are tried
	mustGaps     = 16      // where there has to be one
)

// partition takes the border out of a matrix.
type partition struct {
	border    []int32 // border nodes, block by block
	blockPtr  []int32 // block a is border[blockPtr[a]:blockPtr[a+1]]
	nodes     []int32 // the others, component by component
	compPtr   []int32
	couplings []coupling // entries that couple the two, by place of the node in nodes
	count     int        // of these entries

	// Of a factorisation and the solves that follow, in units of a
	// multiplication of the sparse strategy:
	work   float64 // its cost
	sparse float64 // an estimate of the cost of the sparse strategy
}

// findArrowhead returns the cheapest arrowhead form of the upper triangle k, nil if
// there is none within the limits or, unless it must be, none that could pay.
func findArrowhead(k *sparse.CSC, must bool) *partition {
	n := k.Cols
	degree := make([]int, n)
	for j := range n {
		column := k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]]
		for _, i := range column {
			degree[i]++
		}
		degree[j] += len(column)
		if d := len(column) - 1; d >= 0 && column[d] == j { // counted twice
			degree[j] -= 2
		}
	}
	var best *partition
	ratio, most := gapRatio, maxGaps
	if must {
		ratio, most = 1, mustGaps
	}
	for _, least := range gaps(degree, ratio, most) {
		inBorder := make([]bool, n)
		for i, d := range degree {
			inBorder[i] = d >= least
		}
		if p := divide(k, inBorder, must); p != nil && !math.IsInf(p.work, 1) && (best == nil || p.work < best.work) {
			best = p
		}
	}
	return best
}

// gaps returns at most so many degrees at which a border may begin: those after
// which the next smaller one is smaller by more than ratio. One that no node
// has, for no border, is the last.
func gaps(degree []int, ratio float64, most int) []int {
	sorted := slices.Clone(degree)
	slices.SortFunc(sorted, func(a, b int) int { return b - a })
	type gap struct {
		least int
		by    float64
	}
	var found []gap
	for c := 1; c < len(sorted) && c <= maxBorder; c++ {
		if r := float64(sorted[c-1]) / float64(max(1, sorted[c])); r > ratio {
			found = append(found, gap{sorted[c-1], r})
		}
	}
	slices.SortStableFunc(found, func(a, b gap) int { return cmp.Compare(b.by, a.by) })
	var out []int
	for _, g := range found[:min(len(found), most)] {
		out = append(out, g.least)
	}
	return append(out, math.MaxInt)
}

// divide makes the partition with the given border, or nil where a component
// would be too large.
func divide(k *sparse.CSC, inBorder []bool, must bool) *partition {
	n := k.Cols
	parent, size := make([]int32, n), make([]int32, n)
	for i := range parent {
		parent[i], size[i] = int32(i), 1
	}
	for j := range n {
		if inBorder[j] {
			continue
		}
		for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
			if inBorder[i] {
				continue
			}
			a, b := ldl.Root(parent, int32(i)), ldl.Root(parent, int32(j))
			if a == b {
				continue
			}
			if size[a]+size[b] > maxComponent {
				return nil
			}
			a, b = min(a, b), max(a, b)
			parent[b] = a
			size[a] += size[b]
		}
	}
	if !must && !mayPay(k, parent, inBorder) {
		return nil
	}
	p := &partition{compPtr: []int32{0}}
	p.collect(parent, size, inBorder)
	if len(p.border) > maxBorder {
		return nil
	}
	p.couple(k, must)
	return p
}

// mayPay reports whether the sparse strategy could have enough to do for the
// border to pay: a cheap bound of what price finds.
func mayPay(k *sparse.CSC, parent []int32, inBorder []bool) bool {
	own, all := make([]int32, k.Cols), make([]int32, k.Cols) // couplings of nodes, of components
	couplings, border := 0, int32(0)
	for j := range k.Cols {
		b := inBorder[j]
		if b {
			border++
		}
		mine := int32(0)
		for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
			if inBorder[i] == b {
				continue
			}
			mine++
			if b {
				own[i]++
				all[ldl.Root(parent, int32(i))]++
			}
		}
		couplings += int(mine)
		if !b {
			own[j] += mine
			all[ldl.Root(parent, int32(j))] += mine
		}
	}
	bound := 0.0
	for i, c := range own {
		union := float64(min(all[i], border))
		bound += (float64(c)*float64(c) + union*union) / 2
	}
	return bound >= fewOperations*float64(couplings)
}

// collect lists the border and the components, each by its least node.
func (p *partition) collect(parent, size []int32, inBorder []bool) {
	n := len(parent)
	start := make([]int32, n)
	for i := range n {
		if inBorder[i] {
			p.border = append(p.border, int32(i))
		} else if parent[i] == int32(i) {
			start[i] = p.compPtr[len(p.compPtr)-1]
			p.compPtr = append(p.compPtr, start[i]+size[i])
		}
	}
	p.nodes = make([]int32, n-len(p.border))
	for i := range n {
		if !inBorder[i] {
			r := ldl.Root(parent, int32(i))
			p.nodes[start[r]] = int32(i)
			start[r]++
		}
	}
}

// couple lists the couplings and gathers the border into blocks, as it costs least.
func (p *partition) couple(k *sparse.CSC, must bool) {
	p.list(k)
	p.estimate(make([]int32, len(p.border)), 1)
	p.blockPtr = []int32{0, int32(len(p.border))}
	if !must && (p.sparse < fewOperations*float64(p.count) || p.sparse < p.work/muchMore) {
		p.work = math.Inf(1)
		return
	}
	if block, blocks := p.similarColumns(); blocks > 1 {
		whole := p.work
		if p.estimate(block, blocks); p.work < whole {
			p.reorder(block, blocks)
		} else {
			p.work = whole
		}
	}
}
