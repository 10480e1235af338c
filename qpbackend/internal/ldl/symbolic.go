package ldl

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// maxEntries of L take 32 GB.
// Source: a limit of memory: 2^32 float64 have 32 GB.
const maxEntries = 1 << 32

// Analyse does the symbolic work once: permutation, elimination tree, column
// counts, pattern of L, map from the caller's values. k is an upper triangle in
// which every diagonal entry is stored; its values are not looked at. perm[i]
// is the original index of pivot i; nil stands for the natural order. The order
// used follows perm but for a postordering of the elimination tree, which
// changes neither fill nor work. When ctx ends, the error is that of ctx.
func Analyse(ctx context.Context, k *sparse.CSC, perm []int) (*Factor, error) {
	f, err := Count(ctx, k, perm)
	if err != nil {
		return nil, err
	}
	return f, f.Store(ctx, false)
}

// Count is the part of Analyse that finds the numbers of entries and operations, for orders to be compared. Store has to follow
// before the first Factorise.
func Count(ctx context.Context, k *sparse.CSC, perm []int) (*Factor, error) {
	if err := check(k, perm); err != nil {
		return nil, err
	}
	n := k.Cols
	order := make([]int, n)
	for i := range order {
		order[i] = i
		if perm != nil {
			order[i] = perm[i]
		}
	}
	f := &Factor{n: n, perm: order, size: k.NNZ()}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	work := poll.New(ctx)
	up, err := permute(&work, k, order)
	if err != nil {
		return nil, err
	}
	parent, err := etree(&work, up)
	if err != nil {
		return nil, err
	}
	if post := postorder(parent); !identity(post) {
		f.perm = make([]int, n)
		for i, p := range post {
			f.perm[i] = order[p]
		}
		if up, parent, err = rename(&work, up, parent, post); err != nil {
			return nil, err
		}
	}
	f.up, f.parent = up, parent
	if f.low, err = up.transpose(&work); err != nil {
		return nil, err
	}
	if f.count, err = columnCounts(&work, f.low, parent); err != nil {
		return nil, err
	}
	f.measure()
	if int64(f.nnz) > maxEntries {
		return nil, fmt.Errorf("ldl: the factor would have %d entries, more than memory holds", f.nnz)
	}
	f.d, f.dinv = make([]float64, n), make([]float64, n)
	f.work, f.x = make([]float64, n), make([]float64, n)
	return f, nil
}

// measure sums up entries and operations.
func (f *Factor) measure() {
	for _, c := range f.count {
		f.nnz += int(c)
		f.flops += float64(c) * (float64(c) + 2)
	}
}

func check(k *sparse.CSC, perm []int) error {
	n := k.Cols
	if !k.IsUpper() {
		return fmt.Errorf("ldl: want the upper triangle of a square matrix, got %d × %d with entries below the diagonal or not square", k.Rows, k.Cols)
	}
	if n >= math.MaxInt32 || k.NNZ() >= math.MaxInt32 {
		return fmt.Errorf("ldl: %d columns with %d entries are too many", n, k.NNZ())
	}
	for j := range n {
		if hi := k.ColPtr[j+1]; hi == k.ColPtr[j] || k.RowIdx[hi-1] != j {
			return fmt.Errorf("ldl: diagonal entry %d is not stored", j)
		}
	}
	if perm == nil {
		return nil
	}
	if len(perm) != n {
		return fmt.Errorf("ldl: permutation of length %d for %d columns", len(perm), n)
	}
	seen := make([]bool, n)
	for _, p := range perm {
		if p < 0 || p >= n || seen[p] {
			return fmt.Errorf("ldl: %d stands twice in the permutation or outside of it", p)
		}
		seen[p] = true
	}
	return nil
}

// triangle is the upper or lower triangle of the permuted matrix: column j has
// the rows idx[ptr[j]:ptr[j+1]], each with the place of its value in the
// caller's array.
type triangle struct {
	n        int
	ptr      []int32
	idx, src []int32
}

func permute(work *poll.Poll, k *sparse.CSC, perm []int) (*triangle, error) {
	n, nnz := k.Cols, k.NNZ()
	inv := make([]int32, n)
	for i, p := range perm {
		inv[p] = int32(i)
	}
	t := &triangle{n: n, ptr: make([]int32, n+1), idx: make([]int32, nnz), src: make([]int32, nnz)}
	for j := range n {
		for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
			t.ptr[max(inv[i], inv[j])+1]++
		}
		if err := work.Err(poll.Scattered * (k.ColPtr[j+1] - k.ColPtr[j])); err != nil {
			return nil, err
		}
	}
	for j := range n {
		t.ptr[j+1] += t.ptr[j]
	}
	next := append([]int32(nil), t.ptr[:n]...)
	for j := range n {
		for p := k.ColPtr[j]; p < k.ColPtr[j+1]; p++ {
			a, b := inv[k.RowIdx[p]], inv[j]
			q := next[max(a, b)]
			next[max(a, b)]++
			t.idx[q], t.src[q] = min(a, b), int32(p)
		}
		if err := work.Err(poll.Scattered * (k.ColPtr[j+1] - k.ColPtr[j])); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// transpose is the other triangle; its columns are sorted.
func (t *triangle) transpose(work *poll.Poll) (*triangle, error) {
	r := &triangle{t.n, make([]int32, t.n+1), make([]int32, len(t.idx)), make([]int32, len(t.src))}
	for j := range t.n {
		for _, i := range t.col(j) {
			r.ptr[i+1]++
		}
		if err := work.Err(poll.Scattered * len(t.col(j))); err != nil {
			return nil, err
		}
	}
	for j := range t.n {
		r.ptr[j+1] += r.ptr[j]
	}
	next := append([]int32(nil), r.ptr[:t.n]...)
	for j := range t.n {
		for p := t.ptr[j]; p < t.ptr[j+1]; p++ {
			i := t.idx[p]
			q := next[i]
			next[i]++
			r.idx[q], r.src[q] = int32(j), t.src[p]
		}
		if err := work.Err(poll.Scattered * len(t.col(j))); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (t *triangle) col(j int) []int32 { return t.idx[t.ptr[j]:t.ptr[j+1]] }

// etree is the elimination tree as parents, −1 for a root (Liu 1990).
func etree(work *poll.Poll, t *triangle) ([]int32, error) {
	parent, ancestor := make([]int32, t.n), make([]int32, t.n)
	for k := range t.n {
		parent[k], ancestor[k] = -1, -1
		for _, i := range t.col(k) {
			for i != -1 && i < int32(k) {
				next := ancestor[i]
				ancestor[i] = int32(k)
				if next == -1 {
					parent[i] = int32(k)
				}
				i = next
			}
		}
		if err := work.Err(poll.Scattered * len(t.col(k))); err != nil {
			return nil, err
		}
	}
	return parent, nil
}

// postorder lists the nodes of a forest, children before parents and each
// subtree without gaps, otherwise in ascending order.
func postorder(parent []int32) []int32 {
	n := len(parent)
	head, next := make([]int32, n), make([]int32, n)
	for i := range head {
		head[i], next[i] = -1, -1
	}
	for i := n - 1; i >= 0; i-- {
		if p := parent[i]; p >= 0 {
			next[i], head[p] = head[p], int32(i)
		}
	}
	post, stack := make([]int32, 0, n), make([]int32, 0, n)
	for r := range n {
		if parent[r] >= 0 {
			continue
		}
		stack = append(stack, int32(r))
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if c := head[top]; c >= 0 {
				head[top] = next[c]
				stack = append(stack, c)
			} else {
				stack = stack[:len(stack)-1]
				post = append(post, top)
			}
		}
	}
	return post
}

// rename numbers rows and columns by a postorder of the elimination tree, node
// post[k] becoming k. The triangle stays an upper one: the rows of column j are
// descendants of j.
func rename(work *poll.Poll, t *triangle, parent, post []int32) (*triangle, []int32, error) {
	label := make([]int32, t.n)
	for k, p := range post {
		label[p] = int32(k)
	}
	r := &triangle{t.n, make([]int32, t.n+1), make([]int32, len(t.idx)), make([]int32, len(t.src))}
	tree := make([]int32, t.n)
	end := int32(0)
	for k, p := range post {
		col := t.col(int(p))
		copy(r.src[end:], t.src[t.ptr[p]:t.ptr[p+1]])
		idx := r.idx[end:][:len(col)]
		for e, i := range col {
			idx[e] = label[i]
		}
		end += int32(len(col))
		r.ptr[k+1] = end
		tree[k] = -1
		if parent[p] >= 0 {
			tree[k] = label[parent[p]]
		}
		if err := work.Err(poll.Scattered * len(col)); err != nil {
			return nil, nil, err
		}
	}
	return r, tree, nil
}

func identity(p []int32) bool {
	for i, v := range p {
		if int(v) != i {
			return false
		}
	}
	return true
}

// columnCounts returns the number of entries below the diagonal in each column
// of L, for the lower triangle of the matrix and a postordered tree, in almost linear time (Gilbert, Ng, Peyton
// 1994): row i of L is the subtree of the etree whose leaves are found among
// row i of the matrix; each leaf adds one to its column and each least common
// ancestor of neighbouring leaves takes one back.
func columnCounts(work *poll.Poll, low *triangle, parent []int32) ([]int32, error) {
	n := low.n
	count := make([]int32, n)    // first differences, then sums over subtrees
	first := make([]int32, n)    // least node of the subtree
	lastLeaf := make([]int32, n) // of row i, −1 before the first
	newest := make([]int32, n)   // greatest first[] seen in row i, −1 before
	ancestor := make([]int32, n) // union-find towards the root
	for j := range int32(n) {
		first[j], lastLeaf[j], newest[j], ancestor[j] = j, -1, -1, j
	}
	for j := range n {
		if p := parent[j]; p >= 0 {
			first[p] = min(first[p], first[j])
		}
	}
	for j := range int32(n) {
		if first[j] == j {
			count[j]++ // a leaf of the tree stands for its own diagonal entry
		}
		if parent[j] >= 0 {
			count[parent[j]]-- // the diagonal of j does not belong to its parent
		}
		for _, i := range low.col(int(j)) {
			if i == j || first[j] <= newest[i] {
				continue // the diagonal, or a leaf below j has been counted
			}
			newest[i] = first[j]
			count[j]++
			if prev := lastLeaf[i]; prev >= 0 {
				count[Root(ancestor, prev)]--
			}
			lastLeaf[i] = j
		}
		if parent[j] >= 0 {
			ancestor[j] = parent[j]
		}
		if err := work.Err(poll.Scattered * len(low.col(int(j)))); err != nil {
			return nil, err
		}
	}
	for j := range n {
		if p := parent[j]; p >= 0 {
			count[p] += count[j]
		}
	}
	for j := range count {
		count[j]-- // the diagonal
	}
	return count, nil
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
