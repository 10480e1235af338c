package kkt

import (
	"slices"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// coupling is a stretch of entries of the matrix between a node and neighbours in the
// border.
type coupling struct {
	node, col int32 // place in nodes, first place in border
	src       int32 // place of the first value; the others follow
	len       int32
}

// list finds the couplings and sorts them by node.
func (p *partition) list(k *sparse.CSC) {
	place := make([]int32, k.Cols) // in nodes; ^place in border
	for t, i := range p.nodes {
		place[i] = int32(t)
	}
	for t, i := range p.border {
		place[i] = ^int32(t)
	}
	count, sorted := 0, true
	before := coupling{node: -1}
	stretchesOf(k, place, func(c coupling) {
		count++
		p.count += int(c.len)
		sorted = sorted && c.node >= before.node
		before = c
	})
	p.couplings = make([]coupling, 0, count)
	stretchesOf(k, place, func(c coupling) { p.couplings = append(p.couplings, c) })
	if !sorted {
		p.couplings = byNode(p.couplings, len(p.nodes))
	}
}

// stretchesOf visits the couplings, where a column of the matrix is a place in nodes or ^place in
// border, column by column.
func stretchesOf(k *sparse.CSC, place []int32, visit func(coupling)) {
	last := coupling{node: -1}
	for j, b := range place {
		lo := k.ColPtr[j]
		for e, i := range k.RowIdx[lo:k.ColPtr[j+1]] {
			node, col := place[i], ^b
			if node < 0 {
				node, col = b, ^node
			}
			if node < 0 || col < 0 {
				continue
			}
			src := int32(lo + e)
			if col == last.col+last.len && src == last.src+last.len && node == last.node {
				last.len++
				continue
			}
			if last.node >= 0 {
				visit(last)
			}
			last = coupling{node, col, src, 1}
		}
	}
	if last.node >= 0 {
		visit(last)
	}
}

// byNode is couplings sorted by node, equal ones as they come.
func byNode(couplings []coupling, nodes int) []coupling {
	next := make([]int32, nodes+1)
	for _, l := range couplings {
		next[l.node+1]++
	}
	for t := range nodes {
		next[t+1] += next[t]
	}
	sorted := make([]coupling, len(couplings))
	for _, l := range couplings {
		sorted[next[l.node]] = l
		next[l.node]++
	}
	return sorted
}

// similarColumns groups border columns with three quarters of their entries or more in
// the same places. It returns the block of each, and 1 block where there would
// be too many.
func (p *partition) similarColumns() (block []int32, blocks int) {
	block = make([]int32, len(p.border))
	lead, ptr, rows := p.columns()
	var model [][]uint64 // the entries of each block's first column, as bits
	var size []int
	for t, c := range lead {
		mine := rows[ptr[t]:ptr[t+1]]
		found := -1
		for b, bits := range model {
			if similar(mine, bits, size[b]) {
				found = b
				break
			}
		}
		if found < 0 {
			if len(model) == maxBlocks {
				return nil, 1
			}
			bits := make([]uint64, (len(p.nodes)+63)/64)
			for _, r := range mine {
				bits[r>>6] |= 1 << (r & 63)
			}
			found = len(model)
			model, size = append(model, bits), append(size, len(mine))
		}
		end := len(block)
		if t+1 < len(lead) {
			end = int(lead[t+1])
		}
		for ; int(c) < end; c++ {
			block[c] = int32(found)
		}
	}
	return block, len(model)
}

// columns returns the nodes of border columns, the nodes of column lead[t] from
// ptr[t] on. A column between two leads has the nodes of the one before it.
func (p *partition) columns() (lead, ptr, rows []int32) {
	nc := len(p.border)
	leads := make([]bool, nc+1)
	if nc > 0 {
		leads[0] = true
	}
	for _, l := range p.couplings {
		leads[l.col], leads[l.col+l.len] = true, true
	}
	from := make([]int32, nc+1) // the first lead at or after a column
	for c, is := range leads[:nc] {
		from[c] = int32(len(lead))
		if is {
			lead = append(lead, int32(c))
		}
	}
	from[nc] = int32(len(lead))
	ptr = make([]int32, len(lead)+1)
	for _, l := range p.couplings {
		for t := from[l.col]; t < from[l.col+l.len]; t++ {
			ptr[t+1]++
		}
	}
	for t := range lead {
		ptr[t+1] += ptr[t]
	}
	rows = make([]int32, ptr[len(lead)])
	next := slices.Clone(ptr)
	for _, l := range p.couplings {
		for t := from[l.col]; t < from[l.col+l.len]; t++ {
			rows[next[t]] = l.node
			next[t]++
		}
	}
	return lead, ptr, rows
}

// similar reports whether the number of columns common to rows and the size rows of
// bits is at least three quarters of all.
func similar(rows []int32, bits []uint64, size int) bool {
	most := (4*len(rows) - 3*size) / 7 // rows that need not be in bits
	if 4*len(rows) < 3*size {
		return false
	}
	for _, r := range rows {
		if bits[r>>6]>>(r&63)&1 == 0 {
			if most--; most < 0 {
				return false
			}
		}
	}
	return true
}

// ends is, for each border column, the first one after it in another block.
func ends(block []int32) []int32 {
	end := make([]int32, len(block))
	for c := len(block) - 1; c >= 0; c-- {
		if end[c] = int32(c + 1); c+1 < len(block) && block[c+1] == block[c] {
			end[c] = end[c+1]
		}
	}
	return end
}

// reorder sorts the border by block, and cuts the couplings where a block ends.
func (p *partition) reorder(block []int32, blocks int) {
	p.blockPtr = make([]int32, blocks+1)
	for _, b := range block {
		p.blockPtr[b+1]++
	}
	for b := range blocks {
		p.blockPtr[b+1] += p.blockPtr[b]
	}
	next, to := slices.Clone(p.blockPtr), make([]int32, len(block))
	sorted := make([]int32, len(block))
	for c, b := range block {
		to[c] = next[b]
		sorted[next[b]] = p.border[c]
		next[b]++
	}
	p.border = sorted
	end := ends(block)
	couplings := make([]coupling, 0, len(p.couplings))
	for _, l := range p.couplings {
		for l.len > 0 {
			part := min(l.len, end[l.col]-l.col)
			couplings = append(couplings, coupling{l.node, to[l.col], l.src, part})
			l.col, l.src, l.len = l.col+part, l.src+part, l.len-part
		}
	}
	p.couplings = couplings
}

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
