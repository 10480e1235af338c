package ldl

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// panels is L by supernodes: ranges of columns that share their rows below the range. The rows
// below supernode k are row[lo:hi], lo and hi the field row of nodes k and k+1. Its panel in val,
// stored by rows, has the triangle of its columns and then these rows. On the diagonal of the
// triangle stand the reciprocals of the pivots; entries above it have no meaning.
type panels struct {
	node  []node  // and one more, for the ends
	rows  []int32 // their fields row, once more: for solve
	wider []int32 // supernodes of more than one column, and the number of all
	of    []int32 // supernode of each column
	row   []int32
	val   []float64
	below []float64 // of solve: entries at the rows below a supernode
	wide  bool      // the kernels for wide registers run on this processor
	tiles simd.Tiles
}

// node is a supernode: its first column, row and value, and number of columns.
type node struct {
	first, row, width int32
	known             int32 // of rowwise.factorise: rows that have values
	val               int
}

// values is room for so many values, and for those behind them that kernels read.
func values(size int) []float64 { return make([]float64, size+simd.Beyond)[:size] }

// count is the number of supernodes.
func (s *panels) count() int { return len(s.node) - 1 }

// newPanels lays out the supernodes that begin at the columns first, the last of which closes them.
// It sets dest, where that is not nil, to the place in val of each entry of the matrix. val has no
// room yet.
func newPanels(p *poll.Poll, f *Factor, first []int32, dest []int) (panels, error) {
	count := len(first) - 1
	s := panels{node: make([]node, count+1), rows: make([]int32, count+1), of: make([]int32, f.n), wide: cpu.Wide(),
		tiles: simd.TilesOf(cpu.Wider())}
	most, total, size := 0, 0, 0
	for k := range count {
		lo, hi := first[k], first[k+1]
		for j := lo; j < hi; j++ {
			s.of[j] = int32(k)
		}
		width, below := int(hi-lo), int(f.count[hi-1])
		total += below
		size += width * (width + below)
		most = max(most, below)
		s.node[k].first, s.node[k].width = lo, hi-lo
		s.node[k+1] = node{first: hi, row: int32(total), val: size}
		s.rows[k+1] = int32(total)
		if width > 1 {
			s.wider = append(s.wider, int32(k))
		}
	}
	s.wider = append(s.wider, int32(count))
	if total > math.MaxInt32 {
		return s, fmt.Errorf("ldl: %d rows of supernodes are too many", total)
	}
	s.row, s.below = make([]int32, total), make([]float64, most)
	// The rows below a supernode are those below its last column: row k is in
	// the supernodes on the ways from the entries of row k of the matrix up to k.
	fill, seen := make([]int32, count), make([]int32, count)
	for k := range fill {
		fill[k], seen[k] = s.node[k].row, -1
	}
	if err := f.number(p); err != nil {
		return s, err
	}
	for k := range int32(f.n) {
		own, steps := s.of[k], 0
		for e := f.sym.up.ptr[k]; e < f.sym.up.ptr[k+1]; e++ {
			i := f.sym.up.idx[e]
			for q := s.of[i]; q != own && seen[q] != k; q = s.of[f.parent[s.node[q+1].first-1]] {
				seen[q] = k
				s.row[fill[q]] = k
				fill[q]++
				steps++
			}
			if dest == nil {
				continue
			}
			q, place := s.of[i], e
			if f.sym.up.src != nil {
				place = f.sym.up.src[e]
			}
			n := &s.node[q]
			row := k - n.first
			if q != own { // k is its last row so far
				row = n.width + fill[q] - 1 - n.row
			}
			dest[place] = n.val + int(row)*int(n.width) + int(i-n.first)
		}
		if err := p.Err(poll.Scattered * (1 + steps)); err != nil {
			return s, err
		}
	}
	return s, nil
}
