package matrix

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func draw(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// TestSquare: products of square matrices and transposes by definition.
func TestSquare(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := NewProduct()
	for n := range 40 {
		n++
		k := rng.IntN(n + 1)
		x, y, dst := draw(rng, n*n), draw(rng, n*n), draw(rng, n*n)
		near := func(name string, got []float64, want func(i, j int) float64) {
			t.Helper()
			for i := range n {
				for j := range n {
					if w := want(i, j); !(math.Abs(got[i*n+j]-w) <= 1e-11*(1+math.Abs(w))) {
						t.Fatalf("%s of order %d: entry (%d, %d) is %g, want %g", name, n, i, j, got[i*n+j], w)
					}
				}
			}
		}
		product := func(x, y []float64, k int) func(i, j int) float64 {
			return func(i, j int) float64 {
				s := 0.0
				for l := range k {
					s += x[l*n+i] * y[l*n+j]
				}
				return s
			}
		}
		f.MulT(dst, x, y, k, n)
		near("MulT", dst, product(x, y, k))
		f.MulTSymmetric(dst, x, x, k, n)
		near("MulTSymmetric", dst, product(x, x, k))
		Transpose(dst, x, n)
		near("Transpose", dst, func(i, j int) float64 { return x[j*n+i] })
		for i := range n {
			for j := range i {
				y[i*n+j] = y[j*n+i]
			}
		}
		room := make([]float64, n*n)
		f.MulT(room, y, x, n, n)
		want := product(x, append([]float64(nil), room...), n)
		f.Sandwich(dst, x, y, room, n)
		near("Sandwich", dst, want)
	}
}

// TestEigen: the columns are orthonormal and make the matrix diagonal; numbers that are
// none, and a context that has ended, are told.
func TestEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	f := NewProduct()
	for _, n := range []int{1, 2, 30, 210} {
		a := draw(rng, n*n)
		for i := range n {
			for j := range i {
				a[i*n+j] = a[j*n+i]
			}
		}
		v, d, room := append([]float64(nil), a...), make([]float64, n*n), make([]float64, n*n)
		if _, ok := Eigen(context.Background(), v, n); !ok {
			t.Fatalf("no eigenvectors of order %d", n)
		}
		f.Sandwich(d, v, a, room, n)
		f.MulT(room, v, v, n, n)
		for i := range n {
			for j := range n {
				if i != j && !(math.Abs(d[i*n+j]) < 1e-10) || i > 0 && i == j && d[i*n+i] < d[i*n-n+i-1]-1e-10 {
					t.Fatalf("order %d: entry (%d, %d) is %g", n, i, j, d[i*n+j])
				}
				one := 0.0
				if i == j {
					one = 1
				}
				if !(math.Abs(room[i*n+j]-one) < 1e-12) {
					t.Fatalf("order %d: product (%d, %d) is %g", n, i, j, room[i*n+j])
				}
			}
		}
		a[0] = math.NaN()
		if _, ok := Eigen(context.Background(), a, n); ok {
			t.Error("eigenvectors of NaN")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	const n = 211
	if _, ok := Eigen(ctx, draw(rng, n*n), n); ok {
		t.Error("eigenvectors after the end")
	}
}

// TestCholesky: RᵀR is the matrix, in one panel and in several; an indefinite matrix is told, and a
// context that has ended, which ends products too.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	f := NewProduct()
	for _, n := range []int{1, 2, 63, 64, 65, 150} {
		x, a, back := draw(rng, n*n), make([]float64, n*n), make([]float64, n*n)
		f.MulTSymmetric(a, x, x, n, n)
		r := append([]float64(nil), a...)
		if !f.Cholesky(r, n) {
			t.Fatalf("no factor of order %d", n)
		}
		for i := range n {
			clear(r[i*n : i*n+i])
		}
		f.MulT(back, r, r, n, n)
		for i, v := range a {
			if !(math.Abs(back[i]-v) <= 1e-12*float64(n)) {
				t.Fatalf("order %d: entry %d is %g, want %g", n, i, back[i], v)
			}
		}
		a[n*n-1] = -1
		if f.Cholesky(a, n) {
			t.Errorf("a factor of an indefinite matrix of order %d", n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f.Within(ctx)
	n := 300
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	if f.Cholesky(a, n) {
		t.Error("a factor after the end")
	}
	if f.MulT(a, draw(rng, n*n), draw(rng, n*n), n, n); a[n*n-1] != 1 {
		t.Error("a product after the end")
	}
	f.Within(context.Background())
	if a[0] = 1; !f.Cholesky(a, 1) {
		t.Error("no factor within another context")
	}
}

// TestEigenvalues: eigenvectors of matrices with eigenvalues far apart, equal, close together and
// zero.
func TestEigenvalues(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	f := NewProduct()
	const n = 60
	for name, value := range map[string]func(i int) float64{
		"far apart":      func(i int) float64 { return math.Pow(10, float64(i-n)/4) },
		"equal":          func(int) float64 { return 3 },
		"close together": func(i int) float64 { return 1 + 1e-13*float64(i%7) },
		"zero":           func(int) float64 { return 0 },
		"rank two":       func(i int) float64 { return float64(max(0, i-n+3)) },
		"of either sign": func(i int) float64 { return float64(i - n/2) },
	} {
		q := draw(rng, n*n)
		a := make([]float64, n*n)
		f.MulTSymmetric(a, q, q, n, n)
		if _, ok := Eigen(context.Background(), a, n); !ok { // an orthonormal basis
			t.Fatal("no eigenvectors")
		}
		qt, scaled := make([]float64, n*n), make([]float64, n*n)
		Transpose(qt, a, n)
		for i := range n {
			for j := range n {
				scaled[i*n+j] = value(i) * qt[i*n+j]
			}
		}
		f.MulTSymmetric(a, qt, scaled, n, n)
		v := append([]float64(nil), a...)
		λ, ok := Eigen(context.Background(), v, n)
		if !ok {
			t.Fatalf("%s: no eigenvectors", name)
		}
		top := max(math.Abs(value(0)), math.Abs(value(n-1)))
		for i := range n {
			if !(math.Abs(λ[i]-value(i)) <= 1e-12*top) && name != "close together" {
				t.Errorf("%s: eigenvalue %d is %g, want %g", name, i, λ[i], value(i))
			}
		}
		Transpose(qt, v, n)
		for i := range n {
			for j := range n {
				scaled[i*n+j] = λ[i] * qt[i*n+j]
			}
		}
		back := make([]float64, n*n)
		f.MulTSymmetric(back, qt, scaled, n, n)
		for i := range back {
			if !(math.Abs(back[i]-a[i]) <= 1e-13*top*n) {
				t.Fatalf("%s: entry %d is %g, want %g", name, i, back[i], a[i])
			}
		}
	}
}

// TestLeastBelow: the least eigenvalue to ten digits, where one is below the bound.
func TestLeastBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	never := func(int) bool { return false }
	for _, n := range []int{1, 2, 5, 40, 130} {
		a := draw(rng, n*n)
		for i := range n {
			for j := range i {
				a[i*n+j] = a[j*n+i]
			}
		}
		tri, copied := NewTridiagonal(n), append([]float64(nil), a...)
		least := tri.Least(copied, never)
		copy(copied, a)
		if got := tri.LeastBelow(copied, least+1e-6, never); !(got <= least+1e-8 && got >= least-1e-8) {
			t.Errorf("order %d: %g, want %g", n, got, least)
		}
		copy(copied, a)
		if got := tri.LeastBelow(copied, least-1e-6, never); !math.IsInf(got, 1) {
			t.Errorf("order %d: %g, but none is below %g", n, got, least-1e-6)
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	const n = 500
	rng := rand.New(rand.NewPCG(13, 14))
	q, a := draw(rng, n*n), make([]float64, n*n)
	NewProduct().MulTSymmetric(a, q, q, n, n)
	for b.Loop() {
		Eigen(context.Background(), append([]float64(nil), a...), n)
	}
}
