package amd_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
)

// uncontracted is the order with all variables in one stage, which is made by the quotient graph
// alone.
func (p *pattern) uncontracted() []int {
	colPtr, rowIdx := p.csc()
	perm, _ := amd.OrderStages(context.Background(), p.n, colPtr, rowIdx, make([]uint8, p.n))
	return perm
}

// subdivided is a grid with a vertex on each edge, as [H Aᵀ; A 0] has for the flows of a network.
func subdivided(side int) *pattern {
	p := newPattern(3 * side * side)
	next := side * side
	edge := func(a, b int) {
		p.add(a, next)
		p.add(b, next)
		next++
	}
	for i := range side {
		for j := range side {
			if i > 0 {
				edge((i-1)*side+j, i*side+j)
			}
			if j > 0 {
				edge(i*side+j-1, i*side+j)
			}
		}
	}
	return p
}

// Graphs that fall to pieces by vertices with two neighbours cause no more fill than one entry a
// pivot.
func TestChainsAreContracted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 300
	names := rng.Perm(n)
	ring, ladder := newPattern(n), newPattern(n)
	for i := range n {
		ring.add(names[i], names[(i+1)%n])
		if i > 0 {
			ladder.add(names[i-1], names[i])
		}
		if i > 1 {
			ladder.add(names[i-2], names[i])
		}
	}
	for name, p := range map[string]*pattern{"ring": ring, "triangles in a row": ladder} {
		if got, want := p.fill(p.order(t)), 2*n-3; got != want {
			t.Errorf("%s: L has %d entries below the diagonal, want %d", name, got, want)
		}
	}
}

// Bands are eliminated from both ends: of pivots that follow each other, one is near one end and
// one near the other.
func TestBandsFromBothEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	const n = 301
	names, place := rng.Perm(n), make([]int, n)
	p := newPattern(n)
	for i, v := range names {
		place[v] = i
		for j := max(i-2, 0); j < i; j++ {
			p.add(names[j], v)
		}
	}
	perm, turns := p.order(t), 0
	for k := 1; k < n; k++ {
		if (place[perm[k-1]] < n/2) != (place[perm[k]] < n/2) {
			turns++
		}
	}
	if turns < n-10 {
		t.Errorf("the end changes %d times in %d pivots", turns, n)
	}
}

// With what is left the order goes on as the quotient graph alone would.
func TestContractedNetworks(t *testing.T) {
	for _, side := range []int{5, 12, 25} {
		p := subdivided(side)
		with, without := p.fill(p.order(t)), p.fill(p.uncontracted())
		if float64(with) > 1.1*float64(without) {
			t.Errorf("side %d: %d entries, %d without contraction", side, with, without)
		}
	}
}

// Where only few vertices have two neighbours they are left to the quotient graph, and lists are as
// they were.
func TestFewAreNotContracted(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 400
	p := newPattern(n)
	for j := 1; j < n; j++ {
		seen := map[int]bool{}
		for range 4 {
			if i := rng.IntN(n - 40); i != j && j < n-40 && !seen[i] {
				seen[i] = true
				p.add(i, j)
			}
		}
	}
	for j := n - 40; j < n; j++ { // on edges and in chains
		p.add(j-40, j)
		p.add(j-41, j)
		if j%3 == 0 {
			p.add(j-1, j)
		}
	}
	if got, want := p.order(t), p.uncontracted(); !slices.Equal(got, want) {
		t.Errorf("the order is another: L has %d and %d entries", p.fill(got), p.fill(want))
	}
}
