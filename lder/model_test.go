package lder_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder"
)

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	return v
}

func normalRows(rng *rand.Rand, m, n int) [][]float64 {
	x := make([][]float64, m)
	for i := range x {
		x[i] = normals(rng, n)
	}
	return x
}

func randomModel(rng *rand.Rand, r1, r2, n int) *lder.Model {
	m := lder.NewModel(r1, r2, n)
	m.SetParams(normals(rng, (r1+r2)*(n+1)))
	return m
}

// times is the product of a matrix of rows and a vector.
func times(w [][]float64, x []float64) []float64 {
	out := make([]float64, len(w))
	for k, row := range w {
		out[k] = mat.Dot(mat.NewVecDense(len(x), row), mat.NewVecDense(len(x), x))
	}
	return out
}

// largest is max_k (u_k + a_k).
func largest(a, u []float64) float64 {
	s := math.Inf(-1)
	for k, v := range u {
		s = max(s, v+a[k])
	}
	return s
}

func TestPredictIsDifferenceOfMaxima(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		n := 1 + rng.IntN(6)
		m := randomModel(rng, 1+rng.IntN(4), 1+rng.IntN(4), n)
		x := normals(rng, n)
		want := largest(m.A, times(m.W, x)) - largest(m.B, times(m.M, x))
		if got := m.Predict(x); math.Abs(got-want) > 1e-13 {
			t.Fatalf("τ(x) = %g, want %g", got, want)
		}
		i, j := m.Active(x)
		u, v := times(m.W[i:i+1], x)[0]+m.A[i], times(m.M[j:j+1], x)[0]+m.B[j]
		if math.Abs(u-v-want) > 1e-13 {
			t.Fatalf("active pieces %d, %d give %g, want %g", i, j, u-v, want)
		}
	}
}

func TestActiveTakesTheFirst(t *testing.T) {
	if i, j := lder.NewModel(3, 2, 1).Active([]float64{1}); i != 0 || j != 0 {
		t.Errorf("active %d, %d", i, j)
	}
}

func TestParamsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	α := normals(rng, 5*4)
	m := lder.NewModel(3, 2, 3)
	m.SetParams(α)
	if !slices.Equal(m.Params(), α) {
		t.Error("Params does not return what SetParams was given")
	}
	if m.W[1][2] != α[6] || m.A[2] != α[11] || m.M[0][0] != α[12] || m.B[1] != α[19] {
		t.Error("the order is not (w, a) by rows, then (m, b)")
	}
}

func TestModelValidate(t *testing.T) {
	for _, c := range []struct {
		spoil func(m *lder.Model)
		want  string
	}{
		{func(m *lder.Model) { m.W = nil }, "W has no rows"},
		{func(m *lder.Model) { m.M, m.B = nil, nil }, "M has no rows"},
		{func(m *lder.Model) { m.A = m.A[:1] }, "W has 2 rows, A 1"},
		{func(m *lder.Model) { m.M[1] = m.M[1][:2] }, "row 1 of M has 2 entries, want 3"},
		{func(m *lder.Model) { m.W[0][1] = math.NaN() }, "W[0][1] is NaN"},
		{func(m *lder.Model) { m.B[1] = math.Inf(1) }, "B[1] is +Inf"},
	} {
		m := lder.NewModel(2, 2, 3)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		c.spoil(m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	m, x := lder.NewModel(3, 2, 4), make([]float64, 4)
	if n := testing.AllocsPerRun(100, func() { m.Predict(x) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
