package dissect_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/dissect"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// matrix is the pattern of a matrix of order n with these columns above the diagonal.
func matrix(cols [][]int) *sparse.CSC {
	n := len(cols)
	k := &sparse.CSC{Rows: n, Cols: n, ColPtr: []int{0}}
	for j, c := range cols {
		k.RowIdx = append(append(k.RowIdx, c...), j)
		k.ColPtr = append(k.ColPtr, len(k.RowIdx))
	}
	k.Val = make([]float64, len(k.RowIdx))
	return k
}

// grid is that of a grid of x × y × z points, copies times.
func grid(x, y, z, copies int) *sparse.CSC {
	n := x * y * z
	cols := make([][]int, n*copies)
	for v := range cols {
		at := v % n
		if at/x/y > 0 {
			cols[v] = append(cols[v], v-x*y)
		}
		if at/x%y > 0 {
			cols[v] = append(cols[v], v-x)
		}
		if at%x > 0 {
			cols[v] = append(cols[v], v-1)
		}
	}
	return matrix(cols)
}

// random is that of columns with a few entries anywhere.
func random(n, few int) *sparse.CSC {
	rng := rand.New(rand.NewPCG(1, 2))
	cols := make([][]int, n)
	for j := 1; j < n; j++ {
		for range few {
			cols[j] = append(cols[j], rng.IntN(j))
		}
		slices.Sort(cols[j])
		cols[j] = slices.Compact(cols[j])
	}
	return matrix(cols)
}

func stages(t *testing.T, k *sparse.CSC, most int) []uint8 {
	t.Helper()
	s, err := dissect.Stages(context.Background(), k.Cols, k.ColPtr, k.RowIdx, most)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pieces are the sizes of the components of the vertices of stages up to last.
func pieces(k *sparse.CSC, stage []uint8, last uint8) (sizes []int) {
	root := make([]int, k.Cols)
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			v = root[v]
		}
		return v
	}
	for j := range k.Cols {
		for _, i := range k.RowIdx[k.ColPtr[j]:k.ColPtr[j+1]] {
			if stage[i] <= last && stage[j] <= last {
				root[find(i)] = find(j)
			}
		}
	}
	count := map[int]int{}
	for v := range root {
		if stage[v] <= last {
			count[find(v)]++
		}
	}
	for _, c := range count {
		sizes = append(sizes, c)
	}
	return sizes
}

func TestStagesSeparate(t *testing.T) {
	for name, k := range map[string]*sparse.CSC{
		"square": grid(60, 60, 1, 1), "strip": grid(700, 4, 1, 1), "cube": grid(14, 14, 14, 1),
		"three": grid(30, 30, 1, 3), "random": random(1500, 2),
	} {
		stage := stages(t, k, k.Cols)
		if len(stage) != k.Cols {
			t.Fatalf("%s: %d stages of %d vertices", name, len(stage), k.Cols)
		}
		last, size := slices.Max(stage), max(200, k.Cols/16)
		for _, c := range pieces(k, stage, 0) {
			if c > size {
				t.Errorf("%s: a part of %d vertices", name, c)
			}
		}
		whole := slices.Max(pieces(k, stage, last))
		for _, c := range pieces(k, stage, last-1) {
			if c > whole*3/5 {
				t.Errorf("%s: a side of %d of %d vertices", name, c, whole)
			}
		}
		if !slices.Equal(stage, stages(t, k, k.Cols)) {
			t.Errorf("%s: two answers", name)
		}
	}
}

func TestFirstSeparatorIsShort(t *testing.T) {
	stage := stages(t, grid(80, 40, 1, 1), 80*40)
	count, last := 0, slices.Max(stage)
	for _, s := range stage {
		if s == last {
			count++
		}
	}
	if count > 60 {
		t.Errorf("%d vertices separate a grid of 80 × 40", count)
	}
}

func TestStagesGiveUp(t *testing.T) {
	full := make([][]int, 300)
	for j := range full {
		for i := range j {
			full[j] = append(full[j], i)
		}
	}
	for name, c := range map[string]struct {
		k    *sparse.CSC
		most int
	}{
		"wide": {grid(60, 60, 1, 1), 20}, "small": {grid(10, 10, 1, 1), 100}, "empty": {matrix(nil), 10},
		"full": {matrix(full), 300}, "no edge": {matrix(make([][]int, 1000)), 1000},
	} {
		if s := stages(t, c.k, c.most); s != nil {
			t.Errorf("%s: stages up to %d", name, slices.Max(s))
		}
	}
}

func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	k := grid(300, 300, 1, 1)
	if _, err := dissect.Stages(ctx, k.Cols, k.ColPtr, k.RowIdx, k.Cols); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestBetter(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		k     *sparse.CSC
		share float64 // of the operations, at most
	}{"cube": {grid(20, 20, 20, 1), 0.8}, "square": {grid(60, 60, 1, 1), 1}, "random": {random(1500, 4), 1}} {
		perm, err := amd.Order(ctx, c.k.Cols, c.k.ColPtr, c.k.RowIdx)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ldl.Count(ctx, c.k, perm)
		if err != nil {
			t.Fatal(err)
		}
		g, err := dissect.Better(ctx, c.k, f)
		if err != nil {
			t.Fatal(err)
		}
		if g.Flops() > c.share*f.Flops() {
			t.Errorf("%s: %.3g operations in place of %.3g", name, g.Flops(), f.Flops())
		}
		t.Logf("%s: %.0f operations an entry, ratio %.3f", name, f.Flops()/float64(c.k.NNZ()), g.Flops()/f.Flops())
		if again, err := dissect.Better(ctx, c.k, g); err != nil || again != g {
			t.Errorf("%s: another factor where the present one is as good, error %v", name, err)
		}
	}
}
