package kkt

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// scattered is the pattern of a random symmetric matrix with a few dense rows.
func scattered(rng *rand.Rand, n, few int) *sparse.CSC {
	var t sparse.Triplets
	for j := range n {
		t.Add(j, j, 1)
		for i := range j {
			if i%(n/few+1) == 0 && rng.IntN(2) == 0 || rng.IntN(2*n) == 0 {
				t.Add(i, j, rng.NormFloat64())
			}
		}
	}
	k, _ := t.CSC(n, n)
	return k
}

// Each node has one place, and no entry joins two components.
func TestPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 40 {
		n := 20 + rng.IntN(200)
		k := scattered(rng, n, 1+rng.IntN(6))
		p := findArrowhead(k, true)
		if p == nil {
			continue
		}
		found++
		all := append(slices.Clone(p.nodes), p.border...)
		comp := make([]int, n)
		for c := range len(p.compPtr) - 1 {
			for _, i := range p.nodes[p.compPtr[c]:p.compPtr[c+1]] {
				comp[i] = c + 1
			}
			if size := p.compPtr[c+1] - p.compPtr[c]; size < 1 || size > maxComponent {
				t.Fatalf("component %d has %d nodes", c, size)
			}
		}
		slices.Sort(all)
		for i, v := range all {
			if int(v) != i {
				t.Fatalf("node %d stands at place %d of all", v, i)
			}
		}
		couplings := 0
		for j := range n {
			for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
				if comp[i] > 0 && comp[j] > 0 && comp[i] != comp[j] {
					t.Fatalf("entry (%d, %d) joins components %d and %d", i, j, comp[i], comp[j])
				}
				if (comp[i] == 0) != (comp[j] == 0) {
					couplings++
				}
			}
		}
		if couplings != p.count || int(p.blockPtr[len(p.blockPtr)-1]) != len(p.border) {
			t.Errorf("%d entries between them, want %d; blocks end at %d of %d", p.count, couplings, p.blockPtr[len(p.blockPtr)-1], len(p.border))
		}
	}
	if found < 30 {
		t.Errorf("%d partitions of 40", found)
	}
}

// Three groups of columns that each row takes two of, with multiples of its
// component's data, are three blocks with one vector per component.
func TestBlocksAndVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const width, groups, samples = 20, 3, 100
	var tr sparse.Triplets
	n := width*groups + 4*samples
	for i := range n {
		tr.Add(i, i, 1)
	}
	for s := range samples {
		first := width*groups + 4*s
		var x [width]float64
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		for r := range 3 {
			tr.Add(first+r, first+3, 1)
			for g := range groups {
				if g == r {
					continue
				}
				scale := rng.NormFloat64()
				if g == 0 && s%2 == 0 {
					scale = 0
				}
				for k, v := range x {
					tr.Add(g*width+k, first+r, scale*v)
				}
			}
		}
	}
	k, _ := tr.CSC(n, n)
	p := findArrowhead(k, false)
	if p == nil || len(p.border) != width*groups || len(p.blockPtr) != groups+1 || len(p.compPtr) != samples+1 {
		t.Fatalf("%+v", p)
	}
	f := newArrowhead(k, p)
	f.load(k.Val, nil)
	vectors := 0
	for a := range f.blocks {
		vectors += f.blocks[a].vectors()
	}
	if want := groups*samples - samples/2; vectors != want {
		t.Errorf("%d vectors, want %d", vectors, want)
	}
	sign := slices.Repeat([]int8{1}, n)
	for j := width * groups; j < n; j++ {
		if (j-width*groups)%4 < 3 {
			k.Val[k.ColPtr[j+1]-1], sign[j] = -1, -1
		}
	}
	want, x := make([]float64, n), make([]float64, n)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	k.AddSymMulVec(x, 1, want)
	diag := make([]float64, n)
	for j := range diag {
		diag[j] = k.Val[k.ColPtr[j+1]-1]
	}
	if replaced, err := f.factorise(context.Background(), diag, ldl.Regularisation{}, nil); replaced != 0 || err != nil {
		t.Fatal(replaced, err)
	}
	f.solve(x, x)
	for i := range x {
		if d := x[i] - want[i]; !(d < 1e-9 && d > -1e-9) {
			t.Fatalf("x[%d] = %g, want %g", i, x[i], want[i])
		}
	}
}
