package ldl

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// quasiDefinite returns the upper triangle of a random [H Aᵀ; A −C], symmetrically
// shuffled, and the signs of its pivots.
func quasiDefinite(rng *rand.Rand, n, m int, perCol float64) (*sparse.CSC, []int8) {
	var t sparse.Triplets
	label := rng.Perm(n + m)
	sign := make([]int8, n+m)
	put := func(i, j int, v float64) {
		i, j = label[i], label[j]
		t.Add(min(i, j), max(i, j), v)
	}
	for i := range n + m {
		s, v := int8(1), 4+rng.Float64()
		if i >= n {
			s, v = -1, -(0.01 + rng.Float64())
		}
		sign[label[i]] = s
		put(i, i, v)
	}
	for range int(perCol * float64(n) / 3) {
		if i, j := rng.IntN(n), rng.IntN(n); i != j {
			put(i, j, 0.3*rng.NormFloat64())
			put(i, i, 1)
			put(j, j, 1)
		}
	}
	for range int(perCol * float64(m)) {
		put(rng.IntN(n), n+rng.IntN(m), rng.NormFloat64())
	}
	k, _ := t.CSC(n+m, n+m)
	return k, sign
}

// dense is K as a full matrix.
func dense(k *sparse.CSC) [][]float64 {
	full := make([][]float64, k.Cols)
	for i := range full {
		full[i] = make([]float64, k.Cols)
	}
	for j := range k.Cols {
		for p := k.ColPtr[j]; p < k.ColPtr[j+1]; p++ {
			i := k.RowIdx[p]
			full[i][j], full[j][i] = k.Val[p], k.Val[p]
		}
	}
	return full
}

// gauss solves by elimination with partial pivoting, destroying a and b.
func gauss(a [][]float64, b []float64) []float64 {
	n := len(b)
	for k := range n {
		piv := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[piv][k]) {
				piv = i
			}
		}
		a[k], a[piv], b[k], b[piv] = a[piv], a[k], b[piv], b[k]
		for i := k + 1; i < n; i++ {
			m := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= m * a[k][j]
			}
			b[i] -= m * b[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k] -= a[k][j] * b[j]
		}
		b[k] /= a[k][k]
	}
	return b
}

func mustAnalyse(t testing.TB, k *sparse.CSC, path string) *Factor {
	t.Helper()
	order, _ := amd.Order(context.Background(), k.Cols, k.ColPtr, k.RowIdx)
	return mustAnalyseAs(t, k, order, path)
}

// mustAnalyseAs is mustAnalyse with an order, nil for that of k.
func mustAnalyseAs(t testing.TB, k *sparse.CSC, order []int, path string) *Factor {
	t.Helper()
	f := mustCount(t, k, order)
	most := int32(mostLeading)
	if !strings.HasPrefix(path, "leading") {
		most = -1
	}
	if err := f.store(context.Background(), most); err != nil {
		t.Fatal(err)
	}
	f.sup.wide = f.sup.wide && !strings.HasSuffix(path, "portable")
	return f
}

func mustCount(t testing.TB, k *sparse.CSC, order []int) *Factor {
	t.Helper()
	f, err := Count(context.Background(), k, order)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// solve overwrites b by the solution.
func (f *Factor) solve(b []float64) { f.SolveTo(b, b) }

// analyse is Count and Store.
func analyse(k *sparse.CSC, perm []int) (*Factor, error) {
	f, err := Count(context.Background(), k, perm)
	if err != nil {
		return nil, err
	}
	return f, f.Store(context.Background())
}

var paths = []string{"supernodal", "portable", "leading", "leading, portable"}

func randomVec(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func TestSolutionsAgainstDenseElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 120 {
		n, m := 1+rng.IntN(40), rng.IntN(40)
		k, sign := quasiDefinite(rng, n, m, 0.5+3*rng.Float64())
		b := randomVec(rng, n+m)
		want := gauss(dense(k), append([]float64(nil), b...))
		for _, path := range paths {
			f := mustAnalyse(t, k, path)
			for range 2 { // a second factorisation must not see the first
				replaced, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{1e-13, 1e-7})
				if err != nil || replaced != 0 {
					t.Fatalf("trial %d, %s: %d pivots replaced, error %v", trial, path, replaced, err)
				}
			}
			x := append([]float64(nil), b...)
			f.solve(x)
			for i := range x {
				if math.Abs(x[i]-want[i]) > 1e-8*(1+math.Abs(want[i])) {
					t.Fatalf("trial %d, %s: x[%d] = %g, dense %g", trial, path, i, x[i], want[i])
				}
			}
			d, perm := f.Pivots()
			for i := range d {
				if d[i]*float64(sign[perm[i]]) <= 0 {
					t.Fatalf("trial %d, %s: pivot %d = %g has the wrong sign", trial, path, i, d[i])
				}
			}
		}
	}
}

// TestCountsAgainstFill compares the predicted entries with those of a plain
// symbolic elimination.
func TestCountsAgainstFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 60 {
		k, _ := quasiDefinite(rng, 1+rng.IntN(30), rng.IntN(30), 3*rng.Float64())
		order, _ := amd.Order(context.Background(), k.Cols, k.ColPtr, k.RowIdx)
		f, n := mustCount(t, k, order), k.Cols
		place := make([]int, n)
		for p, i := range f.perm {
			place[i] = p
		}
		rows := make([]map[int]bool, n)
		for j := range n {
			rows[j] = map[int]bool{}
		}
		for j := range n {
			for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
				a, b := place[k.RowIdx[e]], place[j]
				if a != b {
					rows[min(a, b)][max(a, b)] = true
				}
			}
		}
		for j := range n {
			parent := n
			for i := range rows[j] {
				parent = min(parent, i)
			}
			for i := range rows[j] {
				if i != parent {
					rows[parent][i] = true
				}
			}
			if int(f.count[j]) != len(rows[j]) {
				t.Fatalf("column %d: %d entries predicted, %d found", j, f.count[j], len(rows[j]))
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	noDiagonal := &sparse.CSC{Rows: 2, Cols: 2, ColPtr: []int{0, 1, 2}, RowIdx: []int{0, 0}, Val: []float64{1, 1}}
	lower := &sparse.CSC{Rows: 2, Cols: 2, ColPtr: []int{0, 2, 3}, RowIdx: []int{0, 1, 1}, Val: []float64{1, 1, 1}}
	eye := sparse.Identity(2)
	for _, c := range []struct {
		k    *sparse.CSC
		perm []int
		want string
	}{
		{noDiagonal, nil, "diagonal entry 1"},
		{lower, nil, "upper triangle"},
		{sparse.Zero(2, 3), nil, "upper triangle"},
		{eye, []int{0}, "length 1"},
		{eye, []int{1, 1}, "1 stands twice"},
		{eye, []int{0, 2}, "2 stands"},
	} {
		if _, err := analyse(c.k, c.perm); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	// A dense first row that is eliminated first fills everything: 5·10⁹ entries.
	const n = 100000
	arrow := sparse.Identity(n)
	arrow.RowIdx, arrow.Val, arrow.ColPtr = nil, nil, arrow.ColPtr[:1]
	for j := range n {
		if j > 0 {
			arrow.RowIdx, arrow.Val = append(arrow.RowIdx, 0), append(arrow.Val, 1)
		}
		arrow.RowIdx, arrow.Val = append(arrow.RowIdx, j), append(arrow.Val, 1)
		arrow.ColPtr = append(arrow.ColPtr, len(arrow.RowIdx))
	}
	if _, err := analyse(arrow, nil); err == nil || !strings.Contains(err.Error(), "the factor would have 4999950000 entries") {
		t.Errorf("error %v for a factor beyond memory", err)
	}
	f, err := analyse(eye, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Factorise(context.Background(), []float64{1}, nil, Regularisation{}); err == nil {
		t.Error("1 value for 2 entries is accepted")
	}
	if _, err := f.Factorise(context.Background(), []float64{1, 1}, []int8{1}, Regularisation{}); err == nil {
		t.Error("1 sign for 2 pivots is accepted")
	}
}

func TestEmpty(t *testing.T) {
	f, err := analyse(sparse.Zero(0, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Factorise(context.Background(), nil, nil, Regularisation{}); err != nil {
		t.Fatal(err)
	}
	f.solve(nil)
}
