package ldl

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// maxEntries of L take 16 GB.
// Source: a limit of memory: 2^31 float64 have 16 GB, and indices of their places four bytes.
const maxEntries = math.MaxInt32

func tooLarge(entries int) error {
	return fmt.Errorf("ldl: the factor would have %d entries, more than memory holds", entries)
}

// Count does the part of the symbolic work that finds the numbers of entries and operations, for
// orders to be compared. Store has to follow before the first Factorise; both are done once. k is
// an upper triangle in which every diagonal entry is stored; its values are not looked at. perm[i]
// is the original index of pivot i; nil stands for the natural order. The order used follows perm
// but for a postordering of the elimination tree and the leading columns, which change neither fill
// nor work. When ctx ends, the error is ctx.Err().
func Count(ctx context.Context, k *sparse.CSC, perm []int) (*Factor, error) {
	n := k.Cols
	if n >= math.MaxInt32 || k.NNZ() >= math.MaxInt32 {
		return nil, fmt.Errorf("ldl: %d columns with %d entries are too many", n, k.NNZ())
	}
	all := make([]int32, 4*n+1)
	work, room := poll.New(ctx), [4][]int32{all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n], all[3*n:]}
	if err := check(k, perm, room[0]); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lists := make([]int32, 3*n)
	f := &Factor{n: n, perm: make([]int, n), order: lists[:n:n], parent: lists[n : 2*n : 2*n], count: lists[2*n:],
		last: k.ColPtr[1:][:n], sym: analysis{room: all}}
	var low pattern
	var err error
	if f.sym.up, low, err = permute(&work, k, perm, room[0]); err != nil {
		return nil, err
	}
	tree, size, label := room[1], room[2], room[0]
	if err = etree(&work, f.sym.up, tree, room[0]); err != nil {
		return nil, err
	}
	f.sym.post = postorder(tree, size, label, room[3])
	for i := range f.perm {
		p := i
		if f.sym.post != nil {
			p = int(f.sym.post[i])
		}
		if f.parent[i] = tree[p]; tree[p] >= 0 {
			f.parent[i] = label[tree[p]]
		}
		if perm != nil {
			p = perm[p]
		}
		f.perm[i], f.order[i] = p, int32(p)
	}
	if err = f.countColumns(&work, low, size, room[0], room[3]); err != nil {
		return nil, err
	}
	for _, c := range f.count {
		f.nnz += int(c)
		f.flops += float64(c) * (float64(c) + 2)
	}
	if f.nnz > maxEntries {
		return nil, tooLarge(f.nnz)
	}
	vec := make([]float64, 4*n)
	f.d, f.dinv, f.x, f.diag = vec[:n:n], vec[n:2*n:2*n], vec[2*n:3*n:3*n], vec[3*n:]
	return f, nil
}

// check refuses a matrix or permutation that Count is not for, and sets inv to the inverse of
// perm.
func check(k *sparse.CSC, perm []int, inv []int32) error {
	n := k.Cols
	upper, missing := k.Rows == n, -1
	for j, hi := range k.ColPtr[1:] {
		last := -1
		if hi > k.ColPtr[j] {
			last = k.RowIdx[hi-1]
		}
		if last != j {
			if upper = upper && last < j; missing < 0 {
				missing = j
			}
		}
	}
	switch {
	case !upper:
		return fmt.Errorf("ldl: want the upper triangle of a square matrix, got %d × %d with entries below the "+
			"diagonal or not square", k.Rows, n)
	case missing >= 0:
		return fmt.Errorf("ldl: diagonal entry %d is not stored", missing)
	case perm == nil:
		for i := range inv {
			inv[i] = int32(i)
		}
		return nil
	case len(perm) != n:
		return fmt.Errorf("ldl: permutation of length %d for %d columns", len(perm), n)
	}
	for i := range inv {
		inv[i] = -1
	}
	for i, p := range perm {
		if p < 0 || p >= n || inv[p] >= 0 {
			return fmt.Errorf("ldl: %d stands twice in the permutation or outside of it", p)
		}
		inv[p] = int32(i)
	}
	return nil
}

// pattern has the rows idx[ptr[j]:ptr[j+1]] in column j.
type pattern struct{ ptr, idx []int32 }

// newPattern has room for nnz entries, and no columns yet.
func newPattern(n, nnz int) pattern {
	all := make([]int32, n+1+nnz)
	return pattern{ptr: all[: n+1 : n+1], idx: all[n+1:]}
}

// triangle is the upper triangle of the permuted matrix, with the place of the value of each entry
// in the caller's array.
type triangle struct {
	pattern
	src []int32
}

// permute returns the upper triangle in the order perm, with the diagonal as the first entry of
// each column, and the pattern of the lower one without it. inv is the inverse of perm.
func permute(work *poll.Poll, k *sparse.CSC, perm []int, inv []int32) (up *triangle, low pattern, err error) {
	n, nnz := k.Cols, k.NNZ()
	up, low = &triangle{newPattern(n, nnz), make([]int32, nnz)}, newPattern(n, nnz-n)
	// The entry that is written next, at last the end of the column; first its number of entries.
	above, below, rows := up.ptr[1:], low.ptr[1:], k.RowIdx
	lo := 0
	for j, hi := range k.ColPtr[1:] {
		own := inv[j]
		for e := lo; e < hi-1; e++ {
			other := inv[rows[e]]
			above[max(own, other)]++
			below[min(own, other)]++
		}
		if err := work.Err(poll.Scattered * (hi - lo)); err != nil {
			return nil, low, err
		}
		lo = hi
	}
	idx, src, lower := up.idx, up.src[:len(up.idx)], low.idx
	end, lowEnd := int32(0), int32(0)
	for b := range above {
		j := b
		if perm != nil {
			j = perm[b]
		}
		idx[end], src[end] = int32(b), int32(k.ColPtr[j+1]-1)
		above[b], end = end+1, end+above[b]+1
		below[b], lowEnd = lowEnd, lowEnd+below[b]
	}
	lo = 0
	for j, hi := range k.ColPtr[1:] {
		own := inv[j]
		for e := lo; e < hi-1; e++ {
			other := inv[rows[e]]
			a, b := min(own, other), max(own, other)
			q := above[b]
			above[b] = q + 1
			idx[q], src[q] = a, int32(e)
			q = below[a]
			below[a] = q + 1
			lower[q] = b
		}
		if err := work.Err(poll.Scattered * (hi - lo)); err != nil {
			return nil, low, err
		}
		lo = hi
	}
	return up, low, nil
}

// etree sets parent to the elimination tree of an upper triangle whose columns begin with the
// diagonal, −1 for a root (Liu 1990).
func etree(work *poll.Poll, up *triangle, parent, ancestor []int32) error {
	ancestor = ancestor[:len(parent)]
	lo, idx := int32(0), up.idx
	for k, hi := range up.ptr[1:][:len(parent)] {
		parent[k], ancestor[k] = -1, -1
		for e := lo + 1; e < hi; e++ {
			for i := idx[e]; i < int32(k); {
				next := ancestor[i]
				ancestor[i] = int32(k)
				if next == -1 {
					parent[i] = int32(k)
					break
				}
				i = next
			}
		}
		if err := work.Err(poll.Scattered * int(hi-lo)); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// postorder lists the nodes of a forest in which parents have larger numbers, children before
// parents and each subtree without gaps, otherwise in ascending order; nil where that is the order
// that they have. It sets size to the sizes of the subtrees and label to the place of each node in
// the list, and uses free.
func postorder(parent, size, label, free []int32) (post []int32) {
	size, label, free = size[:len(parent)], label[:len(parent)], free[:len(parent)]
	for i := range size {
		size[i] = 1
	}
	for i, p := range parent {
		if p >= 0 {
			size[p] += size[i]
		}
	}
	roots, same := int32(len(parent)), true
	for i := len(parent) - 1; i >= 0; i-- {
		end := &roots // of the places that are free for the subtree of i and its siblings before
		if p := parent[i]; p >= 0 {
			end = &free[p]
		}
		label[i], free[i] = *end-1, *end-1
		*end -= size[i]
		same = same && label[i] == int32(i)
	}
	if same {
		return nil
	}
	post = make([]int32, len(parent))
	for i, k := range label {
		post[k] = int32(i)
	}
	return post
}

// countColumns sets count to the number of entries below the diagonal in each column of L, for the
// lower triangle of the matrix, in the numbers that post has, and the sizes of subtrees in almost
// linear time (Gilbert, Ng, Peyton 1994): row i of L is the subtree of the etree whose leaves are
// found among row i of the matrix; each leaf adds one to its column and each least common ancestor
// of neighbouring leaves takes one back.
func (f *Factor) countColumns(work *poll.Poll, low pattern, size, lastLeaf, ancestor []int32) error {
	count := f.count[:len(f.parent)] // first differences, then sums over subtrees
	ancestor = ancestor[:len(count)] // union-find towards the root
	for j := range ancestor {
		lastLeaf[j], ancestor[j] = -1, int32(j) // of row j, −1 before the first
	}
	for j, parent := range f.parent {
		p := int32(j)
		if f.sym.post != nil {
			p = f.sym.post[j]
		}
		first := int32(j) - size[p] + 1 // the least node of the subtree
		own := int32(0)
		if first == int32(j) {
			own = 1 // a leaf of the tree stands for its own diagonal entry
		}
		lo, hi := low.ptr[p], low.ptr[p+1]
		for e := lo; e < hi; e++ {
			i := low.idx[e]
			last := lastLeaf[i]
			if first <= last {
				continue // a leaf below j has been counted
			}
			own++
			if last >= 0 {
				count[Root(ancestor, last)]--
			}
			lastLeaf[i] = int32(j)
		}
		if count[j] += own; parent >= 0 {
			count[parent]-- // the diagonal of j does not belong to its parent
			ancestor[j] = parent
		}
		if err := work.Err(poll.Scattered * int(hi-lo)); err != nil {
			return err
		}
	}
	for j, p := range f.parent {
		if p >= 0 {
			count[p] += count[j]
		}
		count[j]-- // the diagonal
	}
	return nil
}

// Root is the root of i in a forest of ancestors, of which a root is its own. It makes all on the
// path children of the root.
func Root(ancestor []int32, i int32) int32 {
	root := i
	for ancestor[root] != root {
		root = ancestor[root]
	}
	for i != root {
		i, ancestor[i] = ancestor[i], root
	}
	return root
}
