package sensitivity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/num"
)

// times is the operator of a matrix, row by row.
func times(a [][]float64) operator {
	return func(_ context.Context, v []float64) ([]float64, error) {
		out := make([]float64, len(a))
		for i, row := range a {
			out[i] = num.Dot(row, v)
		}
		return out, nil
	}
}

// TestResolve: u = b + T·u holds for random T with eigenvalues of any size, and is refused for one.
func TestResolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 12; n++ {
		a, b := make([][]float64, n), make([]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			b[i] = rng.NormFloat64()
			for j := range a[i] {
				a[i][j] = 3 * rng.NormFloat64()
			}
		}
		u, err := resolve(t.Context(), b, times(a))
		if err != nil {
			t.Fatal(n, err)
		}
		tu, _ := times(a)(t.Context(), u)
		for i := range u {
			if !(math.Abs(u[i]-b[i]-tu[i]) <= 1e-8*(1+num.NormInf(tu))) {
				t.Errorf("order %d: entry %d misses its equation by %g", n, i, u[i]-b[i]-tu[i])
			}
		}
	}
	_, err := resolve(t.Context(), []float64{1, 2}, times([][]float64{{1, 0}, {0, 0.5}}))
	if !errors.Is(err, errSingular) {
		t.Errorf("the eigenvalue one: %v", err)
	}
}

// TestContracts compares the largest eigenvalue of GH with one, for H = I and for a singular H.
func TestContracts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	diagonal := func(d ...float64) operator {
		a := make([][]float64, len(d))
		for i, v := range d {
			a[i] = make([]float64, len(d))
			a[i][i] = v
		}
		return times(a)
	}
	for _, c := range []struct {
		g, h operator
		want bool
	}{
		{diagonal(0.2, 0.9, 0.5), diagonal(1, 1, 1), true},
		{diagonal(0.2, 1.1, 0.5), diagonal(1, 1, 1), false},
		{diagonal(0.2, 0.9999999, 0.5), diagonal(1, 1, 1), false},
		{diagonal(5, 0.4, 0.4), diagonal(0, 2, 1), true},
		{diagonal(0.4, 0.6, 5), diagonal(1, 2, 0), false},
		{diagonal(1, 1, 1), diagonal(0, 0, 0), true},
	} {
		v := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		got, err := contracts(t.Context(), v, c.g, c.h)
		if err != nil || got != c.want {
			t.Errorf("%v, %v, want %v", got, err, c.want)
		}
	}
}

// quartic is x₀⁴ + x₀·x₁², whose convexity nothing here needs, or |x₀|, with gradients alone.
type quartic struct{ kinked bool }

func (quartic) Support() []int { return []int{0, 1} }

func (f quartic) Value(x []float64) float64 { return math.NaN() }

func (f quartic) AddSubgrad(dst []float64, scale float64, x []float64) {
	if f.kinked {
		dst[0] += scale * math.Copysign(1, x[0])
		return
	}
	dst[0] += scale * (4*x[0]*x[0]*x[0] + x[1]*x[1])
	dst[1] += scale * 2 * x[0] * x[1]
}

// TestDifferences: products with a Hessian by gradients are right, and a kink at the point, not
// beside it, is refused.
func TestDifferences(t *testing.T) {
	var smooth, kinked convex.Func = quartic{}, quartic{kinked: true}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		z, v := []float64{rng.NormFloat64(), rng.NormFloat64()}, []float64{rng.NormFloat64(), rng.NormFloat64()}
		out := []float64{1, 1}
		if !addDifference(out, 2, smooth, z, v) {
			t.Fatal("refused at", z)
		}
		want := []float64{1 + 2*(12*z[0]*z[0]*v[0]+2*z[1]*v[1]), 1 + 2*(2*z[1]*v[0]+2*z[0]*v[1])}
		if d := num.DistInf(out, want); !(d <= 1e-8*(1+num.NormInf(want))) {
			t.Errorf("at %v along %v: %v, want %v", z, v, out, want)
		}
		if z[0] = max(math.Abs(z[0]), 0.1); !addDifference(out, 1, kinked, z, v) {
			t.Errorf("refused beside a kink, at %v", z)
		}
	}
	if addDifference(make([]float64, 2), 1, kinked, []float64{0, 1}, []float64{1, 1}) {
		t.Error("no refusal at a kink")
	}
}
