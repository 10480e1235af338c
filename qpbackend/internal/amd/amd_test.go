package amd_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
)

// pattern is a symmetric pattern by its upper triangle, as edge lists.
type pattern struct {
	n    int
	cols [][]int
}

func newPattern(n int) *pattern { return &pattern{n, make([][]int, n)} }

func (p *pattern) add(i, j int) { p.cols[max(i, j)] = append(p.cols[max(i, j)], min(i, j)) }

func (p *pattern) csc() (colPtr, rowIdx []int) {
	colPtr = make([]int, 1, p.n+1)
	for _, c := range p.cols {
		rowIdx = append(rowIdx, c...)
		colPtr = append(colPtr, len(rowIdx))
	}
	return colPtr, rowIdx
}

func (p *pattern) order(t *testing.T) []int {
	t.Helper()
	colPtr, rowIdx := p.csc()
	perm, _ := amd.Order(context.Background(), p.n, colPtr, rowIdx)
	sorted := slices.Clone(perm)
	slices.Sort(sorted)
	if len(perm) != p.n {
		t.Fatalf("the order has length %d, want %d", len(perm), p.n)
	}
	for i, v := range sorted {
		if i != v {
			t.Fatalf("no permutation: %v", perm)
		}
	}
	return perm
}

// fill counts the entries of L below the diagonal when pivots come in the order
// given, by plain elimination on sorted adjacency sets: column k of L is
// merged into that of its parent.
func (p *pattern) fill(perm []int) int {
	inv := make([]int, p.n)
	for k, v := range perm {
		inv[v] = k
	}
	rows := make([]map[int]bool, p.n)
	for k := range rows {
		rows[k] = map[int]bool{}
	}
	for j, c := range p.cols {
		for _, i := range c {
			if a, b := inv[i], inv[j]; a != b {
				rows[min(a, b)][max(a, b)] = true
			}
		}
	}
	total := 0
	for k, r := range rows {
		total += len(r)
		parent := p.n
		for i := range r {
			parent = min(parent, i)
		}
		for i := range r {
			if i != parent {
				rows[parent][i] = true
			}
		}
		rows[k] = nil
	}
	return total
}

// minimumDegree is exact minimum degree on an explicit graph.
func (p *pattern) minimumDegree() []int {
	adj := make([]map[int]bool, p.n)
	for i := range adj {
		adj[i] = map[int]bool{}
	}
	for j, c := range p.cols {
		for _, i := range c {
			if i != j {
				adj[i][j], adj[j][i] = true, true
			}
		}
	}
	var perm []int
	for len(perm) < p.n {
		best := -1
		for i := range adj {
			if adj[i] != nil && (best < 0 || len(adj[i]) < len(adj[best])) {
				best = i
			}
		}
		for a := range adj[best] {
			for b := range adj[best] {
				if a != b {
					adj[a][b] = true
				}
			}
			delete(adj[a], best)
		}
		adj[best] = nil
		perm = append(perm, best)
	}
	return perm
}

func natural(n int) []int {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	return perm
}

func grid(r, c int) *pattern {
	p := newPattern(r * c)
	for i := range r {
		for j := range c {
			k := i*c + j
			p.add(k, k)
			if i > 0 {
				p.add(k, k-c)
			}
			if j > 0 {
				p.add(k, k-1)
			}
		}
	}
	return p
}

func TestAnyPatternGivesAPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	newPattern(0).order(t)
	newPattern(5).order(t) // empty
	for range 400 {
		n := 1 + rng.IntN(60)
		p := newPattern(n)
		for range rng.IntN(6 * n) { // with duplicates and diagonal entries
			p.add(rng.IntN(n), rng.IntN(n))
		}
		p.order(t)
	}
}

func TestEntriesBelowTheDiagonalAreTheSame(t *testing.T) {
	// The path 2−0−1−3, once by its upper, once by its lower triangle.
	upper, _ := amd.Order(context.Background(), 4, []int{0, 0, 1, 2, 3}, []int{0, 0, 1})
	lower, _ := amd.Order(context.Background(), 4, []int{0, 2, 3, 3, 3}, []int{2, 1, 3})
	if !slices.Equal(upper, lower) {
		t.Errorf("upper triangle %v, lower %v", upper, lower)
	}
}

func TestFillComparedWithExactMinimumDegree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	sumAMD, sumMD, sumNat := 0, 0, 0
	for range 150 {
		n := 10 + rng.IntN(50)
		p := newPattern(n)
		for range n + rng.IntN(2*n) {
			p.add(rng.IntN(n), rng.IntN(n))
		}
		a, m, nat := p.fill(p.order(t)), p.fill(p.minimumDegree()), p.fill(natural(n))
		if float64(a) > 1.25*float64(m)+10 {
			t.Errorf("n = %d: fill %d, exact minimum degree %d", n, a, m)
		}
		sumAMD, sumMD, sumNat = sumAMD+a, sumMD+m, sumNat+nat
	}
	t.Logf("fill: approximate %d, exact %d, natural %d", sumAMD, sumMD, sumNat)
	if float64(sumAMD) > 1.03*float64(sumMD) {
		t.Errorf("total fill %d, exact minimum degree %d", sumAMD, sumMD)
	}
	if 2*sumAMD > sumNat {
		t.Errorf("total fill %d, natural order %d", sumAMD, sumNat)
	}
}

func TestGrid(t *testing.T) {
	p := grid(60, 60)
	got, md, nat := p.fill(p.order(t)), p.fill(p.minimumDegree()), p.fill(natural(p.n))
	t.Logf("60 × 60 grid: %d entries, exact minimum degree %d, natural order %d", got, md, nat)
	if float64(got) > 1.1*float64(md) {
		t.Errorf("fill %d on the 60 × 60 grid, exact minimum degree %d", got, md)
	}
	if 3*got > nat {
		t.Errorf("fill %d on the 60 × 60 grid, natural order %d", got, nat)
	}
	q := grid(1, 500)
	if f := q.fill(q.order(t)); f != 499 {
		t.Errorf("fill %d on a path of 500, want 499", f)
	}
}

func TestTreesAndArrowsHaveNoFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, n := range []int{3, 12, 400} {
		arrow := newPattern(n)
		for i := 1; i < n; i++ {
			arrow.add(0, i) // the natural order fills everything
		}
		if f := arrow.fill(arrow.order(t)); f != n-1 {
			t.Errorf("arrow of %d: %d entries, want %d", n, f, n-1)
		}
		tree := newPattern(n)
		label := rng.Perm(n)
		for i := 1; i < n; i++ {
			tree.add(label[i], label[rng.IntN(i)])
		}
		if f := tree.fill(tree.order(t)); f != n-1 {
			t.Errorf("tree of %d: %d entries, want %d", n, f, n-1)
		}
	}
}

func TestDeterministic(t *testing.T) {
	p := grid(30, 17)
	a, b := p.order(t), p.order(t)
	if !slices.Equal(a, b) {
		t.Error("two orders of one pattern differ")
	}
}

// TestDenseRows orders a KKT pattern of 200 000 rows in which three columns
// touch everything. Were they not set aside, their lists would be walked once
// a pivot and the test would not end.
func TestDenseRows(t *testing.T) {
	const n = 200000
	p := newPattern(n)
	for i := 3; i < n; i++ {
		p.add(i, i)
		for d := range 3 {
			p.add(d, i)
		}
		if i > 3 {
			p.add(i-1, i)
		}
	}
	perm := p.order(t)
	last := slices.Clone(perm[n-3:])
	slices.Sort(last)
	if !slices.Equal(last, []int{0, 1, 2}) {
		t.Errorf("the dense rows are not last: %v", last)
	}
}

// TestManyCompressions has lists that overflow their array often.
func TestManyCompressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	n := 1500
	p := newPattern(n)
	for range 8 * n {
		p.add(rng.IntN(n), rng.IntN(n))
	}
	if got, nat := p.fill(p.order(t)), p.fill(natural(n)); got > nat {
		t.Errorf("fill %d, natural order %d", got, nat)
	}
}

func BenchmarkGrid(b *testing.B) {
	p := grid(200, 200)
	colPtr, rowIdx := p.csc()
	for b.Loop() {
		amd.Order(context.Background(), p.n, colPtr, rowIdx)
	}
}

func TestStagesFollowEachOther(t *testing.T) {
	// A square grid, of which one column waits for all others. They leave it a clique, which has no
	// order.
	const side = 40
	ptr, idx, stage := []int{0}, []int(nil), make([]uint8, side*side)
	for v := range side * side {
		if v >= side {
			idx = append(idx, v-side)
		}
		if v%side > 0 {
			idx = append(idx, v-1)
		}
		ptr = append(ptr, len(idx))
		if v%side == 11 {
			stage[v] = 1
		}
	}
	perm, err := amd.OrderStages(context.Background(), side*side, ptr, idx, stage)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, side*side)
	for _, v := range perm {
		seen[v] = true
	}
	if len(perm) != side*side || slices.Contains(seen, false) {
		t.Fatalf("%d pivots are no permutation of %d", len(perm), side*side)
	}
	late := 0
	for _, v := range perm[side*(side-1):] {
		late += int(stage[v])
	}
	if late < side-2 { // one that causes no fill does not wait
		t.Errorf("%d of %d late vertices are at the end", late, side)
	}
	same, err := amd.OrderStages(context.Background(), side*side, ptr, idx, make([]uint8, side*side))
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := amd.Order(context.Background(), side*side, ptr, idx); !slices.Equal(same, want) {
		t.Error("one stage is not the order without stages")
	}
}
