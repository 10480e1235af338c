package stats_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// reachable is the transitive closure, by search.
func reachable(n int, edge func(a, b int) bool) [][]bool {
	r := make([][]bool, n)
	for a := range r {
		r[a] = make([]bool, n)
		stack := []int{a}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for b := range n {
				if edge(at, b) && !r[a][b] {
					r[a][b] = true
					stack = append(stack, b)
				}
			}
		}
	}
	return r
}

// TestHasse: the diagram reaches what the relation does, loses that with any
// edge, and its groups are the circles of the relation.
func TestHasse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	circles := 0
	for round := range 300 {
		n := 1 + rng.IntN(9)
		above, order := make([][]bool, n), rng.Perm(n)
		for a := range above {
			above[a] = make([]bool, n)
			for b := range n {
				// Every third relation may have circles.
				above[a][b] = a != b && rng.IntN(3) == 0 && (round%3 == 0 || order[a] < order[b])
			}
		}
		d := stats.Hasse(above)
		whole := reachable(n, func(a, b int) bool { return above[a][b] })
		group, members := make([]int, n), 0
		for k, g := range d.Groups {
			members += len(g)
			for _, a := range g {
				group[a] = k
			}
		}
		if members != n || len(d.Groups) < n && round%3 != 0 {
			t.Fatalf("%v: groups %v", above, d.Groups)
		}
		if len(d.Groups) < n {
			circles++
		}
		along := func(edges [][2]int) [][]bool {
			return reachable(len(d.Groups), func(i, j int) bool { return slices.Contains(edges, [2]int{i, j}) })
		}
		full := along(d.Edges)
		for a := range n {
			for b := range n {
				same := group[a] == group[b]
				if same != (a == b || whole[a][b] && whole[b][a]) {
					t.Fatalf("%v: groups %v", above, d.Groups)
				}
				if !same && full[group[a]][group[b]] != whole[a][b] {
					t.Fatalf("%v: %d over %d is %v along the edges %v", above, a, b, !whole[a][b], d.Edges)
				}
			}
		}
		for k, e := range d.Edges {
			if along(slices.Delete(slices.Clone(d.Edges), k, k+1))[e[0]][e[1]] {
				t.Fatalf("%v: edge %v of %v is not needed", above, e, d.Edges)
			}
			if d.Level[e[1]] <= d.Level[e[0]] {
				t.Fatalf("%v: levels %v, edges %v", above, d.Level, d.Edges)
			}
		}
	}
	if circles < 20 {
		t.Errorf("only %d relations had circles", circles)
	}
}
