package ldl

import (
	"context"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// maxWidth bounds the columns of a supernode, so that the scaled copy of a block
// stays in the first-level cache.
// Source: derived: 64 columns of 64 float64 have 32 KB, a first-level cache.
const maxWidth = 64

// supernodal is L by supernodes: ranges of columns that share their rows below the range. The rows
// below supernode k are row[lo:hi], lo and hi the field row of nodes k and k+1. Its panel in val,
// stored by rows, has the triangle of its columns and then these rows. On the diagonal of the
// triangle stand the reciprocals of the pivots; entries above it have no meaning.
type supernodal struct {
	base  int     // pivots before these
	node  []node  // and one more, for the ends
	rows  []int32 // their fields row, once more: for solve
	wider []int32 // supernodes of more than one column, and the number of all
	of    []int32 // supernode of each column
	row   []int32
	val   []float64
	below []float64 // of solve: entries at the rows below a supernode
	wide  bool      // the kernels for wide registers run on this processor
	tiles simd.Tiles
	dest  []int32 // place in val of each entry of the matrix, until leading.share has it

	// Workspace of factorise. Supernode d waits in the list of the supernode
	// that it updates next; its rows from done[d] on have not been used yet.
	head, next, done []int32
	place            []int32   // row of the panel that holds row i of L
	target           []int     // place in val of the panel row that a row updates
	scaled           []float64 // block of L·D, by rows or in panels
}

// node is a supernode: its first column, row and value.
type node struct {
	first, row int32
	val        int
}

// count is the number of supernodes.
func (s *supernodal) count() int { return len(s.node) - 1 }

// newSupernodal lays out the supernodes. val has no room yet.
func newSupernodal(ctx context.Context, f *left, base int) (*supernodal, error) {
	p := poll.New(ctx)
	first := partition(f)
	count := len(first) - 1
	tiles := simd.TilesOf(cpu.Wider())
	s := &supernodal{
		base: base, node: make([]node, count+1), rows: make([]int32, count+1), of: make([]int32, len(f.parent)),
		wide: cpu.Wide(), tiles: tiles, dest: make([]int32, len(f.up.idx)),
		head: make([]int32, count), next: make([]int32, count), done: make([]int32, count),
		place: make([]int32, len(f.parent)), scaled: make([]float64, maxWidth*(maxWidth+tiles.Wide)),
	}
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
		s.node[k].first = lo
		s.node[k+1] = node{first: hi, row: int32(total), val: size}
		s.rows[k+1] = int32(total)
		if width > 1 {
			s.wider = append(s.wider, int32(k))
		}
	}
	s.wider = append(s.wider, int32(count))
	if size > maxEntries {
		return nil, tooLarge(size)
	}
	s.row, s.below, s.target = make([]int32, total), make([]float64, most), make([]int, most)
	return s, s.list(&p, f)
}

// list finds the rows of the supernodes and the places of the matrix's entries. The rows below a
// supernode are those below its last column: row k is in the supernodes on the ways from the
// entries of row k of the matrix up to k.
func (s *supernodal) list(p *poll.Poll, f *left) error {
	fill, seen := make([]int32, s.count()), make([]int32, s.count())
	for k := range fill {
		fill[k], seen[k] = s.node[k].row, -1
	}
	for k := range int32(len(f.parent)) {
		own, steps := s.of[k], 0
		for e := f.up.ptr[k]; e < f.up.ptr[k+1]; e++ {
			i := f.up.idx[e]
			for q := s.of[i]; q != own && seen[q] != k; q = s.of[f.parent[s.node[q+1].first-1]] {
				seen[q] = k
				s.row[fill[q]] = k
				fill[q]++
				steps++
			}
			q := s.of[i]
			n := &s.node[q]
			row, width := k-n.first, s.node[q+1].first-n.first
			if q != own { // k is its last row so far
				row = width + fill[q] - 1 - n.row
			}
			s.dest[e] = int32(n.val) + row*width + i - n.first
		}
		if err := p.Err(poll.Scattered * (1 + steps)); err != nil {
			return err
		}
	}
	return nil
}

// partition cuts the columns into supernodes and returns their first columns,
// closed by n. Columns j and j+1 belong together if they have the same pattern;
// supernodes that follow each other as child and parent are merged where that
// stores few zeros; supernodes wider than maxWidth are then split evenly.
func partition(f *left) []int32 {
	n := len(f.parent)
	// Stacks of supernodes: first column, rows of the first column's pattern with
	// the diagonal, zeros stored on top of the true entries.
	var first, height []int32
	var zeros []float64
	for j := range int32(n) {
		if j > 0 && f.parent[j-1] == j && f.count[j-1] == f.count[j]+1 {
			continue
		}
		first, height, zeros = append(first, j), append(height, f.count[j]+1), append(zeros, 0)
	}
	// Merge from the left; a merged supernode may again merge with the next one.
	keep := 0
	for k := range first {
		first[keep], height[keep], zeros[keep] = first[k], height[k], zeros[k]
		end := int32(n)
		if k+1 < len(first) {
			end = first[k+1]
		}
		for keep > 0 && f.parent[first[keep]-1] == first[keep] {
			w0, w1 := float64(first[keep]-first[keep-1]), float64(end-first[keep])
			h0, h1 := float64(height[keep-1]), float64(height[keep])
			// Merged, the child's columns reach over all rows of the parent.
			added := w0 * (w0 + h1 - h0)
			z := zeros[keep-1] + zeros[keep] + added
			w, h := w0+w1, w0+h1
			if !worthMerging(w, z/(w*h-w*(w-1)/2)) {
				break
			}
			keep--
			height[keep], zeros[keep] = int32(h), z
		}
		keep++
	}
	return narrowed(append(first[:keep], int32(n)))
}

// worthMerging: the narrower the result, the more zeros it may hold.
func worthMerging(width, zeroShare float64) bool {
	switch {
	case width <= 4:
		return zeroShare <= 0.8
	case width <= 16:
		return zeroShare <= 0.25
	case width <= 48:
		return zeroShare <= 0.1
	}
	return zeroShare <= 0.05
}

// narrowed splits supernodes of more than maxWidth columns into equal ones.
func narrowed(first []int32) []int32 {
	var out []int32
	for k := range len(first) - 1 {
		width := int(first[k+1] - first[k])
		pieces := (width + maxWidth - 1) / maxWidth
		for p := range pieces {
			out = append(out, first[k]+int32(p*width/pieces))
		}
	}
	return append(out, first[len(first)-1])
}

// placeRows sets s.place for the rows of supernode k.
func (s *supernodal) placeRows(k int32) {
	n, next := s.node[k], s.node[k+1]
	width := next.first - n.first
	for r := range width {
		s.place[n.first+r] = r
	}
	for r, i := range s.row[n.row:next.row] {
		s.place[i] = width + int32(r)
	}
}
