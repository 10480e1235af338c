package kkt

import (
	"math"
	"math/bits"
)

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
