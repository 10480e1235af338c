package num_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
)

// TestNaN: every function of a vector with NaN says NaN, wherever it stands.
func TestNaN(t *testing.T) {
	inf := math.Inf(1)
	for n := 1; n < 6; n++ {
		for at := range n {
			v, ones := make([]float64, n), make([]float64, n)
			for i := range v {
				v[i], ones[i] = inf, 1
			}
			v[at] = math.NaN()
			for name, got := range map[string]float64{
				"NormInf": num.NormInf(v), "Norm1": num.Norm1(v), "Norm2": num.Norm2(v), "Dot": num.Dot(v, ones),
			} {
				if !math.IsNaN(got) {
					t.Errorf("%s of %v is %g", name, v, got)
				}
			}
			if got := num.FirstNotFinite(v); got != 0 {
				t.Errorf("the first entry of %v that is not finite is %d", v, got)
			}
			for i := range at {
				v[i] = math.MaxFloat64
			}
			if got := num.FirstNotFinite(v); got != at {
				t.Errorf("the first entry of %v that is not finite is %d, want %d", v, got, at)
			}
		}
	}
	if num.NormInf(nil) != 0 || num.Norm1(nil) != 0 || num.Norm2(nil) != 0 || num.Dot(nil, nil) != 0 || num.FirstNotFinite(nil) != -1 {
		t.Error("nothing is not zero")
	}
}

func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 20 {
		x, y := make([]float64, n), make([]float64, n+2)
		dot, one, top := 0.0, 0.0, 0.0
		for i := range x {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			dot += x[i] * y[i]
			one += math.Abs(x[i])
			top = max(top, math.Abs(x[i]))
		}
		if got := num.Dot(x, y); math.Abs(got-dot) > 1e-14*float64(n) {
			t.Errorf("Dot of %d is %g, want %g", n, got, dot)
		}
		if num.Norm1(x) != one || num.NormInf(x) != top {
			t.Errorf("norms of %d are %g and %g, want %g and %g", n, num.Norm1(x), num.NormInf(x), one, top)
		}
		z := append([]float64(nil), x...)
		num.Axpy(z, 2, y)
		num.Scale(z, 3)
		for i := range z {
			if want := 3 * (x[i] + 2*y[i]); z[i] != want {
				t.Errorf("entry %d of %d is %g, want %g", i, n, z[i], want)
			}
		}
	}
}

// TestCholesky: LLᵀ is the matrix, and one that is not positive definite is refused.
func TestCholesky(t *testing.T) {
	want := []float64{4, 0, 0, 2, 5, 0, -2, 3, 11}
	a := append([]float64(nil), want...)
	if !num.Cholesky(a, 3) {
		t.Fatal("refused")
	}
	for i := range 3 {
		for j := range i + 1 {
			if v := num.Dot(a[3*i:3*i+j+1], a[3*j:3*j+j+1]); math.Abs(v-want[3*i+j]) > 1e-14 {
				t.Errorf("entry %d, %d of LLᵀ is %g, want %g", i, j, v, want[3*i+j])
			}
		}
	}
	for _, bad := range [][]float64{{1, 0, 2, 1}, {math.NaN(), 0, 0, 1}, {math.Inf(1), 0, 0, 1}} {
		if num.Cholesky(bad, 2) {
			t.Error("a matrix that is not positive definite is factored")
		}
	}
}

// TestGoldenSection: the ends keep their order, one that is least stays, ties go to the first end.
func TestGoldenSection(t *testing.T) {
	for _, c := range []struct{ a, c, least float64 }{{0, 1, 0.3}, {1, 0, 0.3}, {-2, 5, 5}, {5, -2, 5}} {
		near, far, v, value := num.GoldenSection(func(t float64) float64 { return math.Abs(t - c.least) }, c.a, c.c, 30)
		if math.Abs(v-c.least) > 1e-5 || value != math.Abs(v-c.least) || (near < far) != (c.a < c.c) || (near == c.a) != (c.least == c.a) {
			t.Errorf("%v: %v to %v, %v with value %v", c, near, far, v, value)
		}
	}
	if near, _, _, _ := num.GoldenSection(func(float64) float64 { return 0 }, 1, 0, 9); near != 1 {
		t.Errorf("a tie leaves the first end for %v", near)
	}
	if _, _, v, value := num.GoldenSection(math.Sqrt, -1, 1, 9); !(v >= 0 && value == math.Sqrt(v)) {
		t.Errorf("%v, %v", v, value)
	}
}

// TestSmallest: the k-th smallest number is the one of the sorted list, ties included.
func TestSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for n := 1; n < 60; n++ {
		list := make([]float64, n)
		for k := range list {
			list[k] = float64(rng.IntN(20))
		}
		want := slices.Sorted(slices.Values(list))
		for k := range list {
			if got := num.Smallest(slices.Clone(list), k); got != want[k] {
				t.Fatalf("number %d of %v is %g, want %g", k, list, got, want[k])
			}
		}
	}
}
