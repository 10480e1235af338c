package ldl

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
)

// maxWidth bounds the columns of a supernode, so that the scaled copy of a block
// stays in the first-level cache.
// Source: derived: 64 columns of 64 float64 have 32 KB, a first-level cache.
const maxWidth = 64

// supernodal is L by supernodes: ranges of columns that share their rows below
// the range. Supernode s has the columns first[s] to first[s+1]−1 and the rows
// row[rowPtr[s]:rowPtr[s+1]], of which its own columns come first. Its panel is
// stored by rows, one of them after the other, in val from valPtr[s]; entries
// above the diagonal have no meaning.
type supernodal struct {
	first  []int32 // length count+1
	of     []int32 // supernode of each column
	rowPtr []int
	row    []int32
	valPtr []int
	val    []float64
	dest   []int // place in val of each entry of the matrix
	wide   bool  // the kernels for wide registers run on this processor

	// Workspace of factorise. Supernode d waits in the list of the supernode
	// that it updates next; its rows from done[d] on have not been used yet.
	head, next, done []int32
	place            []int32   // row of the panel that holds row i of L
	target           []int     // place in val of the panel row that a row updates
	scaled           []float64 // block of L·D, by rows
	below            []float64 // of solve: entries at the rows below a supernode
}

func newSupernodal(ctx context.Context, f *Factor) (*supernodal, error) {
	s := &supernodal{first: partition(f), of: make([]int32, f.n)}
	count := len(s.first) - 1
	for k := range count {
		for j := s.first[k]; j < s.first[k+1]; j++ {
			s.of[j] = int32(k)
		}
	}
	s.wide = cpu.Wide()
	p := poll.New(ctx)
	if err := s.rows(&p, f); err != nil {
		return nil, err
	}
	if err := s.places(&p, f); err != nil {
		return nil, err
	}
	s.head, s.next, s.done = make([]int32, count), make([]int32, count), make([]int32, count)
	s.place = make([]int32, f.n)
	most := 0
	for k := range count {
		most = max(most, s.rowPtr[k+1]-s.rowPtr[k])
	}
	s.target = make([]int, most)
	s.scaled = make([]float64, maxWidth*maxWidth)
	s.below = make([]float64, most)
	return s, nil
}

// partition cuts the columns into supernodes and returns their first columns,
// closed by n. Columns j and j+1 belong together if they have the same pattern;
// supernodes that follow each other as child and parent are merged where that
// stores few zeros; supernodes wider than maxWidth are then split evenly.
func partition(f *Factor) []int32 {
	n := f.n
	// Stacks of supernodes: first column, rows of the first column's pattern with
	// the diagonal, zeros stored on top of the true entries.
	var first, height []int32
	var zeros []float64
	sib := newSiblings(f)
	for j := range int32(n) {
		if j > 0 && f.parent[j-1] == j && f.count[j-1] == f.count[j]+1 {
			continue
		}
		if keep := len(first) - 1; sib.join(first, j) {
			zeros[keep] += float64(j - first[keep])
			height[keep]++
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

// rows finds the rows of each supernode: its columns, then those of the matrix
// and of its children in the tree of supernodes.
func (s *supernodal) rows(p *poll.Poll, f *Factor) error {
	count := len(s.first) - 1
	child, sibling := make([]int32, count), make([]int32, count)
	seen := make([]int32, f.n)
	for k := range child {
		child[k] = -1
	}
	for i := range seen {
		seen[i] = -1
	}
	s.rowPtr = make([]int, count+1)
	s.valPtr = make([]int, count+1)
	for k := range int32(count) {
		lo, hi := s.first[k], s.first[k+1]
		for j := lo; j < hi; j++ {
			s.row = append(s.row, j)
			seen[j] = k
		}
		take := func(rows []int32) {
			for _, i := range rows {
				if i >= hi && seen[i] != k {
					seen[i] = k
					s.row = append(s.row, i)
				}
			}
		}
		for j := lo; j < hi; j++ {
			take(f.low.col(int(j)))
		}
		for c := child[k]; c >= 0; c = sibling[c] {
			take(s.row[s.rowPtr[c]:s.rowPtr[c+1]])
		}
		s.rowPtr[k+1] = len(s.row)
		width := int(hi - lo)
		rest := s.row[s.rowPtr[k]+width:]
		slices.Sort(rest)
		s.valPtr[k+1] = s.valPtr[k] + width*(width+len(rest))
		if len(rest) > 0 {
			up := s.of[rest[0]]
			sibling[k], child[up] = child[up], k
		}
		if err := p.Err(sorting * (width + len(rest))); err != nil {
			return err
		}
	}
	s.val = make([]float64, s.valPtr[count])
	return nil
}

// sorting is the cost of finding and sorting an index, in multiplications.
// Source: a limit of time, for package poll alone.
const sorting = 32

// places finds where each entry of the matrix goes.
func (s *supernodal) places(p *poll.Poll, f *Factor) error {
	low := f.low
	s.dest = make([]int, len(low.src))
	at := make([]int, f.n)
	for k := range len(s.first) - 1 {
		width := int(s.first[k+1] - s.first[k])
		for r, i := range s.row[s.rowPtr[k]:s.rowPtr[k+1]] {
			at[i] = s.valPtr[k] + r*width
		}
		for j := s.first[k]; j < s.first[k+1]; j++ {
			for e := low.ptr[j]; e < low.ptr[j+1]; e++ {
				s.dest[low.src[e]] = at[low.idx[e]] + int(j-s.first[k])
			}
			if err := p.Err(int(low.ptr[j+1] - low.ptr[j])); err != nil {
				return err
			}
		}
	}
	return nil
}
