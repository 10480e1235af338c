package dc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// pieced is what package ccp asks for.
type pieced interface {
	ActivePiece(x []float64) (l convex.Linear, number int, value float64, ok bool)
}

// The piece of a maximum has its value and its subgradient, and its number is
// the same wherever it counts.
func TestActivePiece(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	m := dc.NewModel()
	x := m.Var("x", []int{4})
	a := mat.NewDense(5, 4, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	f := dc.Max(dc.MatMul(dc.Mat(a), x).Add(dc.Vec([]float64{1, 2, 3, 0, -1}))).Scalar().G()
	seen := map[int]convex.Linear{}
	for range 200 {
		at := make([]float64, 4)
		for j := range at {
			at[j] = 3 * rng.NormFloat64()
		}
		l, number, value, ok := f.(pieced).ActivePiece(at)
		if !ok || value != f.Value(at) || math.Abs(l.Value(at)-value) > 1e-12 {
			t.Fatalf("piece %v with value %g of %g, %v", l, value, f.Value(at), ok)
		}
		grad := make([]float64, 4)
		f.AddSubgrad(grad, 1, at)
		l.AddSubgrad(grad, -1, at)
		for _, v := range grad {
			if v != 0 {
				t.Fatalf("the slopes differ by %v", grad)
			}
		}
		if before, ok := seen[number]; ok && before.Const != l.Const {
			t.Fatalf("number %d is %v and %v", number, before, l)
		}
		seen[number] = l
	}
	if len(seen) < 3 {
		t.Errorf("%d pieces seen", len(seen))
	}
	for name, f := range map[string]dc.Expr{
		"squares": dc.SumSquares(x), "a maximum of curves": dc.Max(dc.SumSquares(x), x.Sum()), "a norm": dc.Norm2(x),
	} {
		p, ok := f.Scalar().G().(pieced)
		if ok {
			_, _, _, ok = p.ActivePiece(make([]float64, 4))
		}
		if ok {
			t.Errorf("%s has affine pieces", name)
		}
	}
}

// Products with variables, and with their transpose, are those of numbers, and
// rows and ranges are parts of them.
func TestProductsWithVariables(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	m := dc.NewModel()
	m.Var("before", []int{2})
	w := m.Var("W", []int{3, 4})
	x := make([]float64, 14)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	a := mat.NewDense(6, 4, nil)
	a.Apply(func(i, j int, _ float64) float64 { return float64((i*j)%3) * rng.NormFloat64() }, a)
	b := mat.NewDense(5, 3, nil)
	b.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, b)
	for name, c := range map[string]struct {
		got  dc.Expr
		left mat.Matrix
		arg  dc.Expr
	}{"W": {dc.MatMul(dc.Mat(b), w), b, w}, "Wᵀ": {dc.MatMul(dc.Mat(a), w.T()), a, w.T()}, "2W": {dc.MatMul(dc.Mat(b), w.Scale(2)), b, w.Scale(2)}} {
		var want mat.Dense
		want.Mul(c.left, c.arg.Matrix(x))
		if !mat.EqualApprox(c.got.Matrix(x), &want, 1e-12) {
			t.Errorf("%s: %v, want %v", name, mat.Formatted(c.got.Matrix(x)), mat.Formatted(&want))
		}
		rows, cols := want.Dims()
		for i := range rows {
			row := c.got.Row(i)
			for j := range cols {
				if math.Abs(row.Values(x)[j]-want.At(i, j)) > 1e-12 {
					t.Errorf("%s: row %d is %v", name, i, row.Values(x))
				}
			}
			if part := row.Slice(1, cols); part.Len() != cols-1 || part.NNZ() != row.NNZ()-len(row.Linear(0).Idx) || math.Abs(part.Values(x)[0]-want.At(i, 1)) > 1e-12 {
				t.Errorf("%s: range of row %d is %v", name, i, part.Values(x))
			}
		}
	}
}
