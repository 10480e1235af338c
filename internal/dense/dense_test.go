package dense

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/shared"
)

// random is A·Aᵀ + shift·I for an n × k matrix A of normal numbers.
func random(n, k int, shift float64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	a := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	q := mat.NewSymDense(n, nil)
	q.SymOuterK(1, a)
	for i := range n {
		q.SetSym(i, i, q.At(i, i)+shift)
	}
	return q
}

// TestRoot: RᵀR is the matrix, whether it is definite, singular or of one block.
func TestRoot(t *testing.T) {
	for _, c := range []struct{ n, k int }{{1, 1}, {5, 7}, {63, 70}, {64, 64}, {65, 65}, {200, 210}, {700, 720}, {120, 30}} {
		q := random(c.n, c.k, 0)
		r, ok, err := Root(context.Background(), q, 0)
		if !ok || err != nil {
			t.Fatalf("order %d of rank %d: no root, %v", c.n, c.k, err)
		}
		var back mat.Dense
		back.Mul(r.T(), r)
		back.Sub(&back, q)
		if off := mat.Norm(&back, 2) / mat.Norm(q, 2); off > 1e-12 {
			t.Errorf("order %d of rank %d: off by %g", c.n, c.k, off)
		}
	}
}

// TestCholesky: a matrix with a negative eigenvalue has no factor, whichever block that
// shows in.
func TestCholesky(t *testing.T) {
	for _, at := range []int{0, 40, 63, 64, 100, 299} {
		q := random(300, 320, 0)
		if ok, err := Cholesky(context.Background(), clone(q).RawSymmetric()); !ok || err != nil {
			t.Fatalf("a definite matrix: %v, %v", ok, err)
		}
		q.SetSym(at, at, -1)
		if ok, err := Cholesky(context.Background(), q.RawSymmetric()); ok || err != nil {
			t.Errorf("an indefinite one: %v, %v", ok, err)
		}
	}
}

func clone(q *mat.SymDense) *mat.SymDense {
	c := mat.NewSymDense(q.SymmetricDim(), nil)
	c.CopySym(q)
	return c
}

// TestCancelled: a factorisation ends at any look at the context, which come often; the
// eigenvalues that are computed on end by themselves and touch nothing.
func TestCancelled(t *testing.T) {
	q, looks := random(1200, 1210, 0), 0
	for ; ; looks++ {
		ok, err := Cholesky(shared.Countdown(looks, context.Canceled), clone(q).RawSymmetric())
		if err == nil {
			if !ok {
				t.Error("no factor")
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		looks += 7
	}
	if looks < 20 {
		t.Errorf("%d looks at the context", looks)
	}
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	form := random(250, 260, 0)
	if _, _, ok, err := Eigen(ctx, form); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("eigenvalues after the end: %v, %v", ok, err)
	}
	form.SetSym(0, 0, math.NaN()) // the form is the caller's again
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestSyev: Syev and EigenSym decompose a symmetric matrix, in builds with the tag lean too.
func TestSyev(t *testing.T) {
	const n = 7
	rng := rand.New(rand.NewPCG(5, 6))
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, rng.NormFloat64())
		}
	}
	var eig EigenSym
	if !eig.Factorize(a, true) {
		t.Fatal("no eigenvalues")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	λ := eig.Values(nil)
	m := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: slices.Clone(a.RawSymmetric().Data)}
	own := make([]float64, n)
	if !Syev(true, m, own, make([]float64, max(3*n, SyevRoom(m, own)))) {
		t.Fatal("no eigenvalues")
	}
	at := func(i, j int) float64 { return m.Data[i*n+j] }
	for i := range n {
		for j := range n {
			x, y := 0.0, 0.0
			for k := range n {
				x += λ[k] * v.At(i, k) * v.At(j, k)
				y += own[k] * at(i, k) * at(j, k)
			}
			if math.Abs(x-a.At(i, j)) > 1e-13 || math.Abs(y-a.At(i, j)) > 1e-13 {
				t.Errorf("entry %d, %d: %g and %g for %g", i, j, x, y, a.At(i, j))
			}
		}
	}
}

// TestInverse: a·a⁻¹ is the identity, whatever the order of the rows; a matrix that is singular to
// rounding has none.
func TestInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for n := 1; n < 12; n++ {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		if n > 1 {
			a[0] = 0
		}
		given := slices.Clone(a)
		inverse, cond, err := Inverse(t.Context(), n, a)
		if err != nil || inverse == nil || cond < 1 || !slices.Equal(a, given) {
			t.Fatalf("order %d: %v, condition %g, %v", n, inverse, cond, err)
		}
		var one mat.Dense
		one.Mul(mat.NewDense(n, n, a), mat.NewDense(n, n, inverse))
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(one.At(i, j)-want) > 1e-14*cond {
					t.Errorf("order %d: entry %d, %d of the product is %g", n, i, j, one.At(i, j))
				}
			}
		}
		if n > 1 {
			copy(a[n:2*n], a[:n])
			if inverse, cond, err = Inverse(t.Context(), n, a); inverse != nil || cond < 1e15 || err != nil {
				t.Errorf("order %d with two equal rows: condition %g, %v", n, cond, err)
			}
		}
	}
}

// TestSolve: Solve has the solutions of several right sides, and none if the matrix is singular;
// Invert inverts a factored matrix.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for n := 1; n < 9; n++ {
		const m = 3
		a, want, b := make([]float64, n*n), make([]float64, n*m), make([]float64, n*m)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		mat.NewDense(n, m, b).Mul(mat.NewDense(n, n, a), mat.NewDense(n, m, want))
		x, cond, err := Solve(t.Context(), n, m, a, b)
		if len(x) != n*m || err != nil {
			t.Fatalf("order %d: %v, %v", n, x, err)
		}
		for i, v := range x {
			if math.Abs(v-want[i]) > 1e-14*cond {
				t.Errorf("order %d: entry %d is %g, not %g", n, i, v, want[i])
			}
		}
		clear(a[:n])
		if x, _, err := Solve(t.Context(), n, m, a, b); x != nil || err != nil {
			t.Errorf("order %d, singular: %v, %v", n, x, err)
		}

		q := random(n, n+3, 1)
		r := clone(q).RawSymmetric()
		if ok, err := Cholesky(t.Context(), r); !ok || err != nil {
			t.Fatal(ok, err)
		}
		upper, ok := Invert(blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: r.Data})
		if !ok {
			t.Fatalf("order %d: no inverse", n)
		}
		var one mat.Dense
		one.Mul(q, mat.NewSymDense(n, upper))
		for i := range n {
			for j := range n {
				if off := math.Abs(one.At(i, j) - map[bool]float64{true: 1}[i == j]); off > 1e-12 {
					t.Errorf("order %d: entry %d, %d of the product is off by %g", n, i, j, off)
				}
			}
		}
	}
	zero := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: 2, Stride: 2, Data: []float64{1, 2, 0, 0}}
	if _, ok := Invert(zero); ok {
		t.Error("the inverse of a singular matrix")
	}
}

// TestTriangular: RᵀR is aᵀa, and R has no entry below the diagonal, also if columns depend on each
// other.
func TestTriangular(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, c := range []struct{ m, n int }{{1, 1}, {4, 4}, {9, 5}, {40, 12}} {
		a := mat.NewDense(c.m, c.n, nil)
		for i := range c.m {
			for j := range c.n {
				a.Set(i, j, rng.NormFloat64())
			}
			if c.n > 4 {
				a.Set(i, 1, 0)
				a.Set(i, 3, 2*a.At(i, 2))
			}
		}
		var want, got mat.Dense
		want.Mul(a.T(), a)
		r := Triangular(a)
		got.Mul(r.T(), r)
		if got.Sub(&got, &want); mat.Norm(&got, 2) > 1e-13*mat.Norm(&want, 2) {
			t.Errorf("%d × %d: off by %g", c.m, c.n, mat.Norm(&got, 2))
		}
		rows, cols := r.Dims()
		for i := range rows {
			for j := range min(i, cols) {
				if r.At(i, j) != 0 {
					t.Errorf("%d × %d: entry %d, %d is %g", c.m, c.n, i, j, r.At(i, j))
				}
			}
		}
	}
}
