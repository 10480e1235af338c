package dense

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestJacobi: the decomposition of lean builds has the singular values of LAPACK's, and vectors
// that are orthonormal and multiply to the matrix, of any rank.
func TestJacobi(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		c := 1 + rng.IntN(6)
		r := c + rng.IntN(4)
		rank := rng.IntN(c + 1)
		scale := math.Pow(10, float64(rng.IntN(20)-10))
		a := make([]float64, r*c)
		for range rank {
			x, y := make([]float64, r), make([]float64, c)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for j := range y {
				y[j] = scale * rng.NormFloat64()
			}
			for i := range x {
				for j := range y {
					a[i*c+j] += x[i] * y[j]
				}
			}
		}
		ours, theirs := NewSVD(r, c), NewSVD(r, c)
		copy(ours.A.Data, a)
		copy(theirs.A.Data, a)
		if !ours.jacobi() || !theirs.Decompose(true) {
			t.Fatalf("%d by %d of rank %d: no convergence", r, c, rank)
		}
		size := theirs.Values[0] + 1e-300
		for k := range c {
			if math.Abs(ours.Values[k]-theirs.Values[k]) > 1e-13*size {
				t.Errorf("%d by %d of rank %d: singular value %d is %g, by LAPACK %g", r, c, rank, k, ours.Values[k], theirs.Values[k])
			}
		}
		u, vt := ours.U.Data, ours.VT.Data
		for k := range c {
			for l := range c {
				uu, vv, want := 0.0, 0.0, 0.0
				if k == l {
					want = 1
				}
				for i := range r {
					uu += u[i*c+k] * u[i*c+l]
				}
				for j := range c {
					vv += vt[k*c+j] * vt[l*c+j]
				}
				if math.Abs(uu-want) > 1e-12 || math.Abs(vv-want) > 1e-13 {
					t.Fatalf("%d by %d of rank %d: vectors %d and %d have products %g and %g", r, c, rank, k, l, uu, vv)
				}
			}
		}
		for i := range r {
			for j := range c {
				v := 0.0
				for k := range c {
					v += u[i*c+k] * ours.Values[k] * vt[k*c+j]
				}
				if math.Abs(v-a[i*c+j]) > 1e-12*size {
					t.Fatalf("%d by %d of rank %d: the product has %g at %d, %d, want %g", r, c, rank, v, i, j, a[i*c+j])
				}
			}
		}
	}
}
