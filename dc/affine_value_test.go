package dc_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// mixed is an array with runs of dense rows, sparse rows and constant ones.
func mixed(rng *rand.Rand, x dc.Expr, rows int) dc.Expr {
	var list []convex.Linear
	n := x.Len()
	for len(list) < rows {
		first, width, kind := rng.IntN(n), 1+rng.IntN(n), rng.IntN(4)
		for range 1 + rng.IntN(7) {
			l := convex.Linear{Const: rng.NormFloat64()}
			for j := range n {
				if kind == 0 && j >= first && j < first+width || kind == 1 || kind == 2 && rng.IntN(3) == 0 {
					l.Idx, l.Val = append(l.Idx, j), append(l.Val, rng.NormFloat64())
				}
			}
			list = append(list, l)
		}
	}
	return dc.FromAffine(convex.Entries(list...))
}

// TestValuesOfManyRows: however many rows are summed side by side, a value is
// that of its row, to the last bit.
func TestValuesOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rng.IntN(9)
		a := mixed(rng, dc.NewModel().Var("x", []int{n}), rng.IntN(30))
		x := make([]float64, n)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		got := a.Values(x)
		sum, squares, top := 0.0, 0.0, 0.0
		grad, want := make([]float64, n), make([]float64, n)
		for k := range a.Len() {
			v := a.Linear(k).Value(x)
			if got[k] != v {
				t.Fatalf("row %d is %g, want %g", k, got[k], v)
			}
			sum, squares, top = sum+math.Abs(v), squares+v*v, max(top, math.Abs(v))
			a.Linear(k).AddSubgrad(want, 2*v, x)
		}
		if v := dc.Norm1(a).Value(x); v != sum {
			t.Fatalf("norm1 is %g, want %g", v, sum)
		}
		if v := dc.SumSquares(a).Value(x); v != squares {
			t.Fatalf("sumsq is %g, want %g", v, squares)
		}
		if v := dc.Norm2(a).Value(x); math.Abs(v-math.Sqrt(squares)) > 1e-14*v {
			t.Fatalf("norm2 is %g, want %g", v, math.Sqrt(squares))
		}
		dc.SumSquares(a).Scalar().G().AddSubgrad(grad, 1, x)
		for j := range grad {
			if grad[j] != want[j] {
				t.Fatalf("slope %d of sumsq is %g, want %g", j, grad[j], want[j])
			}
		}
	}
}

// TestSelections: what shares its coefficients with an array has the entries of
// it, and is summed, stacked and multiplied as if it had its own.
func TestSelections(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := dc.NewModel().Var("x", []int{6})
	point := []float64{1, -2, 3, 0.5, 4, -1}
	for range 100 {
		a := mixed(rng, x, 12)
		all := a.Values(point)
		lo := rng.IntN(a.Len())
		hi := lo + 1 + rng.IntN(a.Len()-lo)
		part := a.Slice(lo, hi)
		ones := make([]float64, hi-lo)
		sum := 0.0
		for k := range ones {
			ones[k] = 1
			sum += all[lo+k]
		}
		nnz := 0
		for k := lo; k < hi; k++ {
			nnz += len(a.Linear(k).Idx)
		}
		if part.Len() != hi-lo || part.NNZ() != nnz {
			t.Fatalf("%d entries with %d coefficients, want %d and %d", part.Len(), part.NNZ(), hi-lo, nnz)
		}
		for _, s := range []dc.Expr{part.Sum(), part.Dot(ones), dc.Stack(part).Sum(), dc.MatMul(dc.Const([]int{1, hi - lo}, ones), part), part.Add(part).Scale(0.5).Sum(), part.Add(dc.Num(1)).Sub(dc.Num(1)).Sum(), part.Sub(dc.Vec(ones)).Add(dc.Vec(ones)).Sum()} {
			if v := s.Values(point)[0]; math.Abs(v-sum) > 1e-12*max(1, math.Abs(sum)) {
				t.Fatalf("the sum is %g, want %g", v, sum)
			}
		}
		if after := a.Values(point); after[lo] != all[lo] || after[hi-1] != all[hi-1] {
			t.Fatal("the array has changed")
		}
	}
	// Inner products with zeros among the numbers.
	w := []float64{0, 2, 0, 0, -1, 0}
	if d := x.Dot(w); d.NNZ() != 2 || d.Values(point)[0] != -8 || x.Slice(1, 5).Dot(w[1:5]).Values(point)[0] != -8 {
		t.Errorf("the inner product has %d coefficients and the value %g", d.NNZ(), d.Values(point)[0])
	}
}

// TestCancelledConstants: an objective whose constants cancel has the rounding errors of those that
// went in.
func TestCancelledConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 200 {
		m := dc.NewModel()
		x := m.Var("x", []int{2})
		parts := []dc.Expr{dc.Num(0)}
		exact, sum := new(big.Float).SetPrec(300), 0.0
		add := func(w, c float64) {
			parts = append(parts, x.At(0).Scale(rng.NormFloat64()).Add(dc.Num(c)).Scale(w))
			sum += w * c
			exact.Add(exact, new(big.Float).SetPrec(300).Mul(big.NewFloat(w), big.NewFloat(c)))
		}
		for range 4 {
			add(rng.NormFloat64(), rng.NormFloat64()*1e6)
		}
		add(-0.7, sum/0.7)
		total := parts[0]
		for _, p := range parts[1:] {
			total = total.Add(p)
		}
		for _, e := range []dc.Expr{total, dc.Stack(parts[1:]...).Dot([]float64{1, 1, 1, 1, 1}), total.Scale(-3).Scale(-1. / 3)} {
			v, bound := e.Evaluate([]float64{0, 0})
			off, _ := new(big.Float).Sub(big.NewFloat(v), exact).Float64()
			if !(math.Abs(off) <= bound) {
				t.Fatalf("%g is off by %g, stated %g", v, off, bound)
			}
		}
	}
}
