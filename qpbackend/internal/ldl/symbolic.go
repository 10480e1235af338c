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
	f := &Factor{n: n, perm: order, last: k.ColPtr[1:][:n]}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	work, room := poll.New(ctx), newRoom(n)
	up, err := permute(&work, k, order, room)
	if err != nil {
		return nil, err
	}
	parent, rows, err := etree(&work, up, room)
	if err != nil {
		return nil, err
	}
	if post := postorder(parent, room); !identity(post) {
		f.perm = make([]int, n)
		for i, p := range post {
			f.perm[i] = order[p]
		}
		f.up, f.low, f.parent, err = rename(&work, up, rows, parent, post, room)
	} else {
		f.up, f.parent = up, parent
		f.low, err = up.transpose(&work, rows)
	}
	if err != nil {
		return nil, err
	}
	if f.count, err = columnCounts(&work, f.low, f.parent, room); err != nil {
		return nil, err
	}
	f.order = make([]int32, n)
	for k, p := range f.perm {
		f.order[k] = int32(p)
	}
	f.measure()
	if int64(f.nnz) > maxEntries {
		return nil, fmt.Errorf("ldl: the factor would have %d entries, more than memory holds", f.nnz)
	}
	vec := make([]float64, 3*n)
	f.d, f.dinv, f.x = vec[:n:n], vec[n:2*n:2*n], vec[2*n:]
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

// room is for vectors that steps of the analysis leave to those that follow.
type room [5][]int32

func newRoom(n int) (r room) {
	all := make([]int32, len(r)*n)
	for i := range r {
		r[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return r
}

// permute leaves nothing in the room.
func permute(work *poll.Poll, k *sparse.CSC, perm []int, room room) (*triangle, error) {
	n, nnz := k.Cols, k.NNZ()
	inv, next := room[0], room[1]
	for i, p := range perm {
		inv[p] = int32(i)
	}
	t := newTriangle(n, nnz)
	for j := range n {
		own := inv[j]
		for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
			t.ptr[max(inv[i], own)+1]++
		}
		if err := work.Err(poll.Scattered * (k.ColPtr[j+1] - k.ColPtr[j])); err != nil {
			return nil, err
		}
	}
	for j := range n {
		t.ptr[j+1] += t.ptr[j]
	}
	copy(next, t.ptr)
	idx, src := t.idx, t.src[:len(t.idx)]
	for j := range n {
		own, lo := inv[j], k.ColPtr[j]
		for p, i := range k.RowIdx[lo:k.ColPtr[j+1]] {
			a, b := inv[i], own
			if a > b {
				a, b = b, a
			}
			q := next[b]
			next[b] = q + 1
			idx[q], src[q] = a, int32(lo+p)
		}
		if err := work.Err(poll.Scattered * (k.ColPtr[j+1] - k.ColPtr[j])); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func newTriangle(n, nnz int) *triangle {
	entries := make([]int32, 2*nnz)
	return &triangle{n: n, ptr: make([]int32, n+1), idx: entries[:nnz:nnz], src: entries[nnz:]}
}

// transpose is the other triangle; its columns are sorted. rows are the numbers of entries in the rows, which become the places
// behind the last ones of columns; nil: not known.
func (t *triangle) transpose(work *poll.Poll, rows []int32) (*triangle, error) {
	r := newTriangle(t.n, len(t.idx))
	if rows == nil {
		rows = make([]int32, t.n)
		for _, i := range t.idx {
			rows[i]++
		}
	}
	r.begin(rows)
	next := rows
	for j := range t.n {
		lo := t.ptr[j]
		for p, i := range t.col(j) {
			q := next[i]
			next[i] = q + 1
			r.idx[q], r.src[q] = int32(j), t.src[lo+int32(p)]
		}
		if err := work.Err(poll.Scattered * len(t.col(j))); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// begin sets ptr for the numbers of entries in the columns, which become the first places of these.
func (t *triangle) begin(count []int32) {
	sum := int32(0)
	for j, c := range count {
		t.ptr[j], count[j] = sum, sum
		sum += c
	}
	t.ptr[t.n] = sum
}

func (t *triangle) col(j int) []int32 { return t.idx[t.ptr[j]:t.ptr[j+1]] }

// etree is the elimination tree as parents, −1 for a root (Liu 1990), and the number of entries in each row of t, which it leaves in the room.
func etree(work *poll.Poll, t *triangle, room room) (parent, rows []int32, err error) {
	parent, ancestor, rows := make([]int32, t.n), room[0], room[4]
	clear(rows)
	for k := range int32(t.n) {
		parent[k], ancestor[k] = -1, -1
		for _, i := range t.col(int(k)) {
			rows[i]++
			for i != -1 && i < k {
				next := ancestor[i]
				ancestor[i] = k
				if next == -1 {
					parent[i] = k
				}
				i = next
			}
		}
		if err := work.Err(poll.Scattered * len(t.col(int(k)))); err != nil {
			return nil, nil, err
		}
	}
	return parent, rows, nil
}

// postorder lists the nodes of a forest, children before parents and each
// subtree without gaps, otherwise in ascending order. The list stands in the room.
func postorder(parent []int32, room room) []int32 {
	n := len(parent)
	head, next := room[0], room[1]
	for i := range head {
		head[i], next[i] = -1, -1
	}
	for i := n - 1; i >= 0; i-- {
		if p := parent[i]; p >= 0 {
			next[i], head[p] = head[p], int32(i)
		}
	}
	post, stack := room[2][:0], room[3][:0]
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
// post[k] becoming k, and returns both triangles and the tree. up stays an upper triangle: the rows of column j are
// descendants of j. rows is as of etree.
func rename(work *poll.Poll, t *triangle, rows, parent, post []int32, room room) (up, low *triangle, tree []int32, err error) {
	label, next := room[0], room[1]
	up, low, tree = newTriangle(t.n, len(t.idx)), newTriangle(t.n, len(t.idx)), make([]int32, t.n)
	for k, p := range post {
		label[p], next[k] = int32(k), rows[p]
	}
	low.begin(next)
	end := int32(0)
	for k, p := range post {
		col := t.col(int(p))
		src := t.src[t.ptr[p]:][:len(col)]
		for e, i := range col {
			i, place := label[i], src[e]
			up.idx[end], up.src[end] = i, place
			end++
			q := next[i]
			next[i] = q + 1
			low.idx[q], low.src[q] = int32(k), place
		}
		up.ptr[k+1] = end
		tree[k] = -1
		if parent[p] >= 0 {
			tree[k] = label[parent[p]]
		}
		if err := work.Err(poll.Scattered * len(col)); err != nil {
			return nil, nil, nil, err
		}
	}
	return up, low, tree, nil
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
func columnCounts(work *poll.Poll, low *triangle, parent []int32, room room) ([]int32, error) {
	n := low.n
	count := make([]int32, n) // first differences, then sums over subtrees
	first := room[0]          // least node of the subtree
	lastLeaf := room[1]       // of row i, −1 before the first
	newest := room[2]         // greatest first[] seen in row i, −1 before
	ancestor := room[3]       // union-find towards the root
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
