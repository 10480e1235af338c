package ldl

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// rowsFirst is a quasi-definite matrix whose first pivots are rows: count[g] of them have entries
// in the columns listed in at[g], of n.
func rowsFirst(rng *rand.Rand, n int, count []int, at [][]int) (*sparse.CSC, []int8) {
	m := 0
	for _, c := range count {
		m += c
	}
	sign := make([]int8, m+n)
	var t sparse.Triplets
	row := 0
	for g, c := range count {
		for range c {
			t.Add(row, row, -1-rng.Float64())
			sign[row] = -1
			for _, j := range at[g] {
				t.Add(row, m+j, rng.NormFloat64())
			}
			row++
		}
	}
	for j := range n {
		t.Add(m+j, m+j, 1+rng.Float64())
		sign[m+j] = 1
	}
	k, _ := t.CSC(m+n, m+n)
	return k, sign
}

// TestColumnsInTheSameRows: columns in the same rows go four by four, those beside them do not, and
// the factor is that of the other ways.
func TestColumnsInTheSameRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 21))
	for _, c := range []struct {
		n     int
		count []int
		at    [][]int
		alike int // columns that go in fours
	}{
		{9, []int{215}, [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}}, 212},
		{5, []int{7, 8}, [][]int{{0, 1, 2}, {2, 3, 4}}, 8},
		{5, []int{11, 3, 9, 14}, [][]int{{0, 1, 2}, {0, 2, 4}, {1, 2, 3}, {0, 1, 2, 4}}, 8 + 8 + 12},
		{16, []int{13, 30, 12}, [][]int{{1, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2, 5, 7}}, 28 + 12},
		{4, []int{20}, [][]int{{0, 3}}, 0},
	} {
		k, sign := rowsFirst(rng, c.n, c.count, c.at)
		b := randomVec(rng, k.Cols)
		var want []float64
		for _, path := range paths {
			f := mustAnalyseAs(t, k, nil, path)
			if replaced, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{Eps: 1e-14, Delta: 1e-8}); err != nil || replaced != 0 {
				t.Fatalf("%v, %s: %d pivots replaced, error %v", c.count, path, replaced, err)
			}
			if strings.HasPrefix(path, "leading") {
				alike := 0
				for _, r := range f.first.runs {
					if r.alike {
						alike += int(r.columns)
					}
				}
				if alike != c.alike {
					t.Errorf("%v, %s: %d columns go in fours, want %d", c.count, path, alike, c.alike)
				}
			}
			x := slices.Clone(b)
			f.solve(x)
			if r := relativeResidual(k, x, b); !(r < 1e-14) {
				t.Errorf("%v, %s: residual %g", c.count, path, r)
			}
			piv, perm := f.Pivots()
			d := make([]float64, len(piv))
			for i, p := range perm {
				d[p] = piv[i]
			}
			if want == nil {
				want = d
			}
			for i, v := range d {
				if !(math.Abs(v-want[i]) <= 1e-12*math.Abs(want[i])) {
					t.Errorf("%v, %s: the pivot of row %d is %g, by rows %g", c.count, path, i, v, want[i])
				}
			}
		}
	}
}

// TestPivotsAmongFour replaces pivots of columns that go in fours, and names the row of one that is
// not a number.
func TestPivotsAmongFour(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 21))
	k, sign := rowsFirst(rng, 4, []int{32}, [][]int{{0, 1, 2, 3}})
	for _, path := range paths {
		f := mustAnalyseAs(t, k, nil, path)
		for _, row := range []int{0, 5, 14, 31} {
			val := slices.Clone(k.Val)
			own := k.ColPtr[row+1] - 1 // the diagonal entry is the last of its column
			val[own] = 0
			replaced, err := f.Factorise(context.Background(), val, sign, Regularisation{Eps: 1e-10, Delta: 0.5})
			if err != nil || replaced != 1 {
				t.Errorf("%s, row %d: %d pivots replaced, error %v; want 1", path, row, replaced, err)
			}
			d, perm := f.Pivots()
			for i, p := range perm {
				if p == row && d[i] != -0.5 {
					t.Errorf("%s: the pivot of row %d is %g, want -0.5", path, row, d[i])
				}
			}
			b := randomVec(rng, k.Cols)
			x := slices.Clone(b)
			f.solve(x)
			moved := *k
			moved.Val = slices.Clone(val)
			moved.Val[own] = -0.5
			if r := relativeResidual(&moved, x, b); !(r < 1e-14) {
				t.Errorf("%s, row %d: residual %g", path, row, r)
			}
			val[own] = math.NaN()
			if _, err := f.Factorise(context.Background(), val, sign, Regularisation{Eps: 1e-10, Delta: 0.5}); err == nil || !strings.Contains(err.Error(), "ldl: pivot") {
				t.Errorf("%s: a pivot that is not a number in row %d gives the error %v", path, row, err)
			}
		}
	}
}

// BenchmarkColumnsInTheSameRows is a factorisation with two solves of 60 groups of columns in the
// same rows.
func BenchmarkColumnsInTheSameRows(b *testing.B) {
	for _, c := range []struct{ columns, entries int }{{4, 2}, {4, 3}, {4, 4}, {4, 9}, {8, 2}, {8, 3}, {8, 4}, {8, 9}, {12, 3}, {16, 3}, {32, 2}, {32, 3}, {32, 4}, {32, 9}} {
		rng := rand.New(rand.NewPCG(7, 21))
		count, at := make([]int, 60), make([][]int, 60)
		for g := range count {
			count[g], at[g] = c.columns, rng.Perm(40)[:c.entries]
			slices.Sort(at[g])
		}
		k, sign := rowsFirst(rng, 40, count, at)
		f := mustAnalyseAs(b, k, nil, "leading")
		x := randomVec(rng, k.Cols)
		b.Run(fmt.Sprintf("%d columns of %d", c.columns, c.entries), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{Eps: 1e-14, Delta: 1e-8}); err != nil {
					b.Fatal(err)
				}
				f.solve(x)
				f.solve(x)
				x[0] = 1
			}
		})
	}
}
