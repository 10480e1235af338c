package amd

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/poll"
)

// elimination is the graph of what is left, explicitly.
type elimination []map[int]bool

func (x elimination) remove(v int) {
	for a := range x[v] {
		delete(x[a], v)
	}
	x[v] = nil
}

func (x elimination) eliminate(v int) {
	for a := range x[v] {
		for b := range x[v] {
			if a != b {
				x[a][b] = true
			}
		}
	}
	x.remove(v)
}

// TestQuotientGraph follows random orderings in the explicit graph: an element
// must hold the neighbours of its pivot, a degree must not be below the true
// one, and that of a variable deferred since its degree was known not above it.
func TestQuotientGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	deferred, kept := 0, 0
	for trial := range 300 {
		n, colPtr, rowIdx := hubs(rng)
		x := make(elimination, n)
		for i := range x {
			x[i] = map[int]bool{}
		}
		for j := range n {
			for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
				if i != j {
					x[i][j], x[j][i] = true, true
				}
			}
		}
		work := poll.New(t.Context())
		g, err := newGraph(&work, n, colPtr, rowIdx)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range g.peel(nil) {
			if len(x[v]) > 1 {
				t.Fatalf("trial %d: %d neighbours of a variable that was taken first", trial, len(x[v]))
			}
			x.remove(v)
		}
		for _, v := range g.setAside() {
			x.remove(v)
		}
		counted := make([]uint8, n)
		bounded := make([]bool, n) // from above, by an update
		for g.left > 0 {
			me := g.choose()
			for i, v := range g.node {
				if v.counted > counted[i] {
					counted[i], bounded[i] = v.counted, false
				}
			}
			g.makeElement(me)
			members := g.appendMembers(nil, me)
			want := maps.Clone(x[members[0]])
			for _, v := range members {
				delete(want, v)
			}
			got := map[int]bool{}
			for _, i := range g.neighbours(me) {
				for _, v := range g.appendMembers(nil, i) {
					got[v] = true
				}
			}
			if !maps.Equal(got, want) || len(got) != int(g.node[me].degree) {
				t.Fatalf("trial %d: pivot %d has the neighbours %v, want %v", trial, me, got, want)
			}
			g.update(me)
			for _, i := range g.neighbours(me) {
				bounded[i] = bounded[i] || g.node[i].elems >= 0
			}
			for _, v := range g.appendMembers(nil, me) {
				x.eliminate(v)
			}
			for i := range int32(n) {
				v := g.node[i]
				if v.kind != variable {
					continue
				}
				// A merged variable need not be adjacent to those it stands for.
				own := map[int]bool{}
				for _, u := range g.appendMembers(nil, i) {
					own[u] = true
				}
				degree := 0
				for u := range x[i] {
					if !own[u] {
						degree++
					}
				}
				switch {
				case v.elems >= 0:
					kept++
					if int(v.degree) < degree {
						t.Fatalf("trial %d: variable %d is said to have at most %d neighbours, has %d", trial, i, v.degree, degree)
					}
				case !bounded[i]:
					deferred++
					if int(v.degree) > degree {
						t.Fatalf("trial %d: variable %d is said to have at least %d neighbours, has %d", trial, i, v.degree, degree)
					}
				}
			}
		}
	}
	t.Logf("%d bounds of deferred variables, %d of others", deferred, kept)
	if deferred < 10000 || kept < 10000 {
		t.Errorf("%d bounds of deferred variables and %d of others: the test does not test", deferred, kept)
	}
}

// TestContractionUndone: where too few variables are eliminated the graph is the one before.
func TestContractionUndone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	undone := 0
	for trial := range 50 {
		const rest, chain = 180, 20 // a chain in some order between two of the vertices of a graph in which each has six neighbours
		n := rest + chain
		edges := make([][]int, n)
		edge := func(a, b int) { edges[max(a, b)] = append(edges[max(a, b)], min(a, b)) }
		for i := range rest {
			for _, d := range []int{1, 7, 29} {
				edge(i, (i+d)%rest)
			}
		}
		last := trial
		for _, k := range rng.Perm(chain) {
			edge(last, rest+k)
			last = rest + k
		}
		edge(last, trial+1) // which are neighbours
		colPtr, rowIdx := []int{0}, []int{}
		for _, below := range edges {
			rowIdx = append(rowIdx, below...)
			colPtr = append(colPtr, len(rowIdx))
		}
		work := poll.New(t.Context())
		g, err := newGraph(&work, n, colPtr, rowIdx)
		if err != nil {
			t.Fatal(err)
		}
		perm := g.peel(nil)
		node, list, nv, left := slices.Clone(g.node), slices.Clone(g.list), slices.Clone(g.nv), g.left
		if len(perm) > 0 || len(g.contract(perm)) > 0 {
			continue
		}
		undone++
		if !slices.Equal(g.node, node) || !slices.Equal(g.list, list) || !slices.Equal(g.nv, nv) || g.left != left || len(g.touched) > 0 {
			t.Fatalf("trial %d: the graph is another", trial)
		}
	}
	if undone < 40 {
		t.Errorf("only %d of 50 graphs were left", undone)
	}
}

// hubs is a random pattern in which some columns are much longer than the rest.
func hubs(rng *rand.Rand) (n int, colPtr, rowIdx []int) {
	n = 60 + rng.IntN(60)
	few := 3 + rng.IntN(20)
	density := 0.2 + 0.8*rng.Float64()
	sparse := rng.Float64() / float64(n)
	if rng.IntN(3) == 0 {
		sparse *= 4
	}
	colPtr = []int{0}
	for j := range n {
		for i := range j {
			if p := rng.Float64(); i < few && p < density || p < sparse {
				rowIdx = append(rowIdx, i)
			}
		}
		colPtr = append(colPtr, len(rowIdx))
	}
	return n, colPtr, rowIdx
}
