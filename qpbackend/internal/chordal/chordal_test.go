package chordal

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/matrix"
)

// graph draws n vertices and edges, in columns of an upper triangle.
func graph(rng *rand.Rand, n int) (ptr, idx []int) {
	edges := make([][]int, n)
	for range rng.IntN(2*n + 1) {
		a, b := rng.IntN(n), rng.IntN(n)
		if rng.IntN(2) == 0 {
			b = min(a+1+rng.IntN(3), n-1)
		}
		edges[max(a, b)] = append(edges[max(a, b)], min(a, b))
	}
	ptr = []int{0}
	for _, e := range edges {
		slices.Sort(e)
		idx = append(idx, slices.Compact(e)...)
		ptr = append(ptr, len(idx))
	}
	return ptr, idx
}

// prices are of no merging, of merging all, and of something between.
var prices = map[string]Price{
	"no merging": func(order, _ int, _ float64) float64 { return math.Pow(3, float64(order)) },
	"all merged": func(int, int, float64) float64 { return 1 },
	"some":       func(order, _ int, _ float64) float64 { return 40 + math.Pow(float64(order), 3) },
}

// TestExtend: each edge is in a clique, each vertex is new in one, and what is not new is in one
// clique before it.
func TestExtend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(40)
		ptr, idx := graph(rng, n)
		counts := map[string]int{}
		for name, price := range prices {
			tree, err := Extend(context.Background(), n, ptr, idx, price)
			if err != nil {
				t.Fatal(err)
			}
			counts[name] = len(tree.Cliques)
			check(t, tree, n, ptr, idx)
		}
		if !(counts["all merged"] <= counts["some"] && counts["some"] <= counts["no merging"]) {
			t.Errorf("cliques: %v", counts)
		}
	}
}

func check(t *testing.T, tree *Tree, n int, ptr, idx []int) {
	t.Helper()
	seen := map[[2]int32]bool{}
	tree.Entries(func(k, a, b int) {
		c := tree.Cliques[k].Vertices
		e := [2]int32{c[a], c[b]}
		if seen[e] || a > b {
			t.Fatalf("entry %v of clique %d is not the first", e, k)
		}
		seen[e] = true
	})
	place := make([]int32, n)
	for k, v := range tree.Order {
		place[v] = int32(k)
	}
	for j := range n {
		for _, i := range idx[ptr[j]:ptr[j+1]] {
			a, b := place[i], place[j]
			if !seen[[2]int32{min(a, b), max(a, b)}] {
				t.Fatalf("edge (%d, %d) is in no clique", i, j)
			}
		}
	}
	next := int32(0)
	for k, c := range tree.Cliques {
		if !slices.IsSorted(c.Vertices) || len(c.Vertices) <= c.Outer {
			t.Fatalf("clique %d: %+v", k, c)
		}
		for _, v := range c.Vertices[c.Outer:] {
			if v != next {
				t.Fatalf("clique %d has vertex %d for %d", k, v, next)
			}
			next++
		}
		within := func(o Clique) bool {
			return !slices.ContainsFunc(c.Vertices[:c.Outer], func(v int32) bool { return !slices.Contains(o.Vertices, v) })
		}
		if c.Outer > 0 && !slices.ContainsFunc(tree.Cliques[:k], within) {
			t.Fatalf("clique %d has no parent: %+v", k, tree.Cliques)
		}
	}
	if int(next) != n {
		t.Fatalf("%d vertices of %d", next, n)
	}
}

// TestExtendKnown: the edges of a tree are its cliques, and a cycle takes triangles.
func TestExtendKnown(t *testing.T) {
	n := 9
	path, cycle := []int{0}, []int{0}
	var pi, ci []int
	for j := range n {
		if j > 0 {
			pi, ci = append(pi, j-1), append(ci, j-1)
		}
		if j == n-1 {
			ci = append([]int{}, append(ci[:len(ci)-1], 0, j-1)...)
		}
		path, cycle = append(path, len(pi)), append(cycle, len(ci))
	}
	for _, c := range []struct {
		ptr, idx     []int
		count, order int
	}{{path, pi, n - 1, 2}, {cycle, ci, n - 2, 3}} {
		tree, err := Extend(context.Background(), n, c.ptr, c.idx, prices["no merging"])
		if err != nil {
			t.Fatal(err)
		}
		check(t, tree, n, c.ptr, c.idx)
		for _, q := range tree.Cliques {
			if len(q.Vertices) != c.order || len(tree.Cliques) != c.count {
				t.Errorf("%d cliques, one of %d vertices; want %d of %d", len(tree.Cliques), len(q.Vertices), c.count, c.order)
			}
		}
	}
}

// semidefinite is GGᵀ for a random G of the rank.
func semidefinite(rng *rand.Rand, n, rank int) []float64 {
	g := make([]float64, n*rank)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	m := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range rank {
				m[i*n+j] += g[i*rank+k] * g[j*rank+k]
			}
		}
	}
	return m
}

// TestComplete: what is given stays, and the whole is semidefinite, for matrices of any rank that
// are known up to some error.
func TestComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ctx := context.Background()
	for range 300 {
		n := 1 + rng.IntN(40)
		ptr, idx := graph(rng, n)
		tree, err := Extend(ctx, n, ptr, idx, prices["some"])
		if err != nil {
			t.Fatal(err)
		}
		full := semidefinite(rng, n, 1+rng.IntN(n))
		noise := []float64{0, 1e-12, 1e-9}[rng.IntN(3)]
		given := make([]float64, n*n)
		inside := make([]bool, n*n)
		tree.Entries(func(k, a, b int) {
			v := tree.Cliques[k].Vertices
			i, j := int(v[a]), int(v[b])
			e := full[i*n+j] + noise*rng.NormFloat64()
			given[i*n+j], given[j*n+i] = e, e
			inside[i*n+j], inside[j*n+i] = true, true
		})
		m := slices.Clone(given)
		if !tree.Complete(ctx, m) {
			t.Fatal("no completion")
		}
		top := 0.0
		for i := range m {
			if inside[i] && m[i] != given[i] {
				t.Fatalf("a given entry has changed from %g to %g", given[i], m[i])
			}
			if top = max(top, m[i]); m[i] != m[i%n*n+i/n] {
				t.Fatal("not symmetric")
			}
		}
		λ, ok := matrix.Eigen(ctx, m, n)
		if !ok || !(λ[0] >= -(1e-9+1e3*noise)*top) {
			t.Errorf("order %d, noise %g: the least eigenvalue is %g of %g", n, noise, λ[0], top)
		}
	}
}

// TestCompleteDeterminant: the inverse of the completion is zero outside the cliques.
func TestCompleteDeterminant(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	ctx, n := context.Background(), 12
	for range 20 {
		ptr, idx := graph(rng, n)
		tree, err := Extend(ctx, n, ptr, idx, prices["no merging"])
		if err != nil {
			t.Fatal(err)
		}
		m, full := make([]float64, n*n), semidefinite(rng, n, n+4)
		inside := make([]bool, n*n)
		tree.Entries(func(k, a, b int) {
			v := tree.Cliques[k].Vertices
			for _, at := range [2]int{int(v[a])*n + int(v[b]), int(v[b])*n + int(v[a])} {
				m[at], inside[at] = full[at], true
			}
		})
		if !tree.Complete(ctx, m) {
			t.Fatal("no completion")
		}
		λ, ok := matrix.Eigen(ctx, m, n) // m has the vectors as columns
		if !ok {
			t.Fatal("no eigenvalues")
		}
		for i := range n {
			for j := range n {
				inverse := 0.0
				for k, l := range λ {
					inverse += m[i*n+k] * m[j*n+k] / l
				}
				if !inside[i*n+j] && !(math.Abs(inverse)*λ[0] <= 1e-9) {
					t.Errorf("entry (%d, %d) of the inverse is %g, times the least eigenvalue %g", i, j, inverse, λ[0])
				}
			}
		}
	}
}

// TestCompleteRefuses: a clique that is indefinite has no completion, and zero needs none.
func TestCompleteRefuses(t *testing.T) {
	tree := &Tree{Order: []int32{0, 1}, Cliques: []Clique{{Vertices: []int32{0, 1}}}}
	for _, m := range [][]float64{{1, 2, 2, 1}, {0, 1, 1, 0}, {0, 0, 0, 0}, {math.NaN(), 0, 0, 1}, {1, math.NaN(), math.NaN(), 1}} {
		if tree.Complete(context.Background(), m) {
			t.Errorf("completed %v", m)
		}
	}
}
