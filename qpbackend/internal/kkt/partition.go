package kkt

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

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
	p := &partition{compPtr: []int32{0}}
	p.collect(parent, size, inBorder)
	if len(p.border) > maxBorder {
		return nil
	}
	p.couple(k, must)
	return p
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

// The model counts multiplications; the unit is one of the sparse strategy. Work that
// the other strategy does in dense products is faster, and each vector and
// component costs a little besides. Two of the constants are derived, the others
// were fitted to times of l-DER, lasso, Huber, SVM and portfolio problems.
//
// Source: BenchmarkStrategies of bench/internal/instance, docs/lab/bench.md: Auto against the
// faster way. Halved or doubled, one at a time, no constant changes the choice on more
// than 2 of its 86 problems but inBlocks, which halved changes it on 3.
const (
	inBlocks = 0.25 // a multiplication in a product of blocks
	call     = 16   // of those: the cost of starting on a vector
	inside   = 0.5  // a multiplication in a component
	// to go through a component in a solve: 60 ns where a sparse multiplication takes 2, ramp_20000
	// of dcbench scale
	visit      = 25
	solves     = 4            // after a factorisation: predictor and corrector, each refined once
	entryOfL   = 2*solves + 1 // for an entry of L: each solve goes forward and backward through L, and writing it
	borderCost = inBlocks / 6 // of the border's order cubed: a dense factorisation

	fewOperations = 8 // for an entry of B: the sparse strategy spends its time elsewhere
	muchMore      = 8 // times more work in one block: no blocks make up for that
)

// estimate sets the costs, given the block of each border column: infinite, where
// there is too much to keep.
func (p *partition) estimate(block []int32, blocks int) {
	width := make([]float64, blocks)
	for _, b := range block {
		width[b]++
	}
	nc := float64(len(p.border))
	p.work = borderCost * nc * nc * nc
	counted, sparse := p.sparse > 0, 0.0 // that does not depend on the blocks
	rows, seen := make([]float64, blocks), make([]int32, blocks)
	vectors := make([]float64, blocks) // in all components
	cols := make([]uint64, (len(p.border)+63)/64)
	end := ends(block)
	var touched []int32
	t, stamp, held := 0, int32(0), 0.0
	for c := range len(p.compPtr) - 1 {
		size := float64(p.compPtr[c+1] - p.compPtr[c])
		union, squares := 0.0, 0.0
		touched = touched[:0]
		for node := p.compPtr[c]; node < p.compPtr[c+1]; node++ {
			stamp++
			own := 0.0
			for ; t < len(p.couplings) && p.couplings[t].node == node; t++ {
				l := p.couplings[t]
				own += float64(l.len)
				if !counted {
					setBits(cols, l.col, l.col+l.len)
				}
				for col := l.col; col < l.col+l.len; col = end[col] {
					if b := block[col]; seen[b] != stamp {
						seen[b] = stamp
						if rows[b] == 0 {
							touched = append(touched, b)
						}
						rows[b]++
					}
				}
			}
			squares += own * own
		}
		if !counted {
			for w, set := range cols {
				union += float64(bits.OnesCount64(set))
				cols[w] = 0
			}
		}
		sparse += (squares+union*union)/2 + size*size*size/6
		own := 0.0
		for _, a := range touched {
			held += rows[a] * width[a]
			own += min(rows[a], size)
			vectors[a] += min(rows[a], size)
			rows[a] = 0
		}
		p.work += inside*size*(size+own)*(size+own) + solves*(visit+size*size)
	}
	if !counted {
		p.sparse = sparse
	}
	for a := range blocks {
		products := vectors[a] * width[a] * ((width[a]+call)/2 + solves)
		for b := range a {
			products += min(vectors[a], vectors[b]) * width[a] * (width[b] + call)
		}
		p.work += inBlocks * products
	}
	if held > maxVectors {
		p.work = math.Inf(1)
	}
}

// setBits sets the bits lo ≤ i < hi.
func setBits(set []uint64, lo, hi int32) {
	for lo < hi {
		word, next := lo>>6, min(hi, (lo|63)+1)
		set[word] |= ^uint64(0) >> (64 - (next - lo)) << (lo & 63)
		lo = next
	}
}
