package ldl

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// maxEntries of L take 32 GB.
const maxEntries = 1 << 32

// Analyse does the symbolic work once: permutation, elimination tree, column
// counts, pattern of L, map from the caller's values. k is an upper triangle in
// which every diagonal entry is stored; its values are not looked at. perm[i]
// is the original index of pivot i; nil stands for the natural order. The order
// used follows perm but for a postordering of the elimination tree, which
// changes neither fill nor work.
func Analyse(k *sparse.CSC, perm []int) (*Factor, error) {
	f, err := newFactor(k, perm)
	if err != nil {
		return nil, err
	}
	f.choose()
	return f, nil
}

// newFactor is Analyse but for the choice of the method.
func newFactor(k *sparse.CSC, perm []int) (*Factor, error) {
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
	f := &Factor{n: n, perm: order}
	up := permute(k, order)
	parent := etree(up)
	if post := postorder(parent); !identity(post) {
		renamed := make([]int, n)
		for i, p := range post {
			renamed[i] = order[p]
		}
		f.perm = renamed
		up = permute(k, renamed)
		parent = etree(up)
	}
	f.up, f.parent = up, parent
	f.count = columnCounts(up, parent)
	for _, c := range f.count {
		f.nnz += int(c)
		f.flops += float64(c) * (float64(c) + 2)
	}
	if f.nnz > maxEntries {
		return nil, fmt.Errorf("ldl: the factor would have %d entries, more than memory holds", f.nnz)
	}
	f.d, f.dinv = make([]float64, n), make([]float64, n)
	f.work = make([]float64, n)
	return f, nil
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

// triangle is the upper triangle of the permuted matrix: column j has the rows
// idx[ptr[j]:ptr[j+1]], unsorted, each with the place of its value in the
// caller's array.
type triangle struct {
	n        int
	ptr      []int32
	idx, src []int32
}

func permute(k *sparse.CSC, perm []int) *triangle {
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
	}
	return t
}

func (t *triangle) col(j int) []int32 { return t.idx[t.ptr[j]:t.ptr[j+1]] }

// etree is the elimination tree as parents, −1 for a root (Liu 1990).
func etree(t *triangle) []int32 {
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
	}
	return parent
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

func identity(p []int32) bool {
	for i, v := range p {
		if int(v) != i {
			return false
		}
	}
	return true
}

// columnCounts returns the number of entries below the diagonal in each column
// of L, for a postordered tree, in almost linear time (Gilbert, Ng, Peyton
// 1994): row i of L is the subtree of the etree whose leaves are found among
// row i of the matrix; each leaf adds one to its column and each least common
// ancestor of neighbouring leaves takes one back.
func columnCounts(t *triangle, parent []int32) []int32 {
	n := t.n
	count := make([]int32, n)    // first differences, then sums over subtrees
	first := make([]int32, n)    // least node of the subtree
	lastLeaf := make([]int32, n) // of row i, −1 before the first
	newest := make([]int32, n)   // greatest first[] seen in row i, −1 before
	ancestor := make([]int32, n) // union-find towards the root
	ptr, row := lowerRows(t)     // column j: the rows below the diagonal
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
		for _, i := range row[ptr[j]:ptr[j+1]] {
			if first[j] <= newest[i] {
				continue // a leaf below j has been counted
			}
			newest[i] = first[j]
			count[j]++
			if prev := lastLeaf[i]; prev >= 0 {
				count[find(ancestor, prev)]--
			}
			lastLeaf[i] = j
		}
		if parent[j] >= 0 {
			ancestor[j] = parent[j]
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
	return count
}

func find(ancestor []int32, i int32) int32 {
	root := i
	for ancestor[root] != root {
		root = ancestor[root]
	}
	for i != root {
		i, ancestor[i] = ancestor[i], root
	}
	return root
}

// lowerRows is the strictly lower triangle by columns, rows ascending.
func lowerRows(t *triangle) (ptr, row []int32) {
	ptr = make([]int32, t.n+1)
	for i := range t.n {
		for _, j := range t.col(i) {
			if int(j) != i {
				ptr[j+1]++
			}
		}
	}
	for j := range t.n {
		ptr[j+1] += ptr[j]
	}
	row = make([]int32, ptr[t.n])
	next := append([]int32(nil), ptr[:t.n]...)
	for i := range t.n {
		for _, j := range t.col(i) {
			if int(j) != i {
				row[next[j]] = int32(i)
				next[j]++
			}
		}
	}
	return ptr, row
}
