package kkt_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// random makes H = BᵀB (upper triangle) and A (transposed), sparse.
func random(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var t sparse.Triplets
	for range n {
		i, j, a, b := rng.IntN(n), rng.IntN(n), rng.NormFloat64(), rng.NormFloat64()
		t.Add(i, i, a*a)
		if i == j {
			continue
		}
		t.Add(j, j, b*b)
		t.Add(min(i, j), max(i, j), a*b)
	}
	h, _ = t.CSC(n, n)
	var ta sparse.Triplets
	for i := range m {
		for range 3 {
			ta.Add(rng.IntN(n), i, rng.NormFloat64())
		}
	}
	at, _ = ta.CSC(n, m)
	return h, at
}

// product is K·x, by the definition of K, with what is off left out.
func product(h, at *sparse.CSC, θ float64, off []bool, d, x []float64) []float64 {
	n, m := h.Cols, at.Cols
	out := make([]float64, n+m)
	for i := range out {
		out[i] = d[i] * x[i]
	}
	add := func(i, j int, v float64) {
		if off[i] || off[j] {
			return
		}
		out[i] += v * x[j]
		if i != j {
			out[j] += v * x[i]
		}
	}
	for j := range n {
		for k := h.ColPtr[j]; k < h.ColPtr[j+1]; k++ {
			add(h.RowIdx[k], j, θ*h.Val[k])
		}
	}
	for i := range m {
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			add(at.RowIdx[k], n+i, at.Val[k])
		}
	}
	return out
}

// strategies are those that every test runs with.
var strategies = []kkt.Strategy{kkt.Sparse, kkt.Arrowhead}

func TestSolvesWhatItIsLoadedWith(t *testing.T) {
	for _, how := range strategies {
		t.Run(how.String(), func(t *testing.T) { solvesWhatItIsLoadedWith(t, how) })
	}
}

func solvesWhatItIsLoadedWith(t *testing.T, how kkt.Strategy) {
	rng := rand.New(rand.NewPCG(1, 1))
	arrowhead := 0
	for range 50 {
		n, m := 1+rng.IntN(30), rng.IntN(40)
		h, at := random(rng, n, m)
		s, err := kkt.New(context.Background(), h, at, nil, how, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Strategy() == kkt.Arrowhead {
			arrowhead++
		}
		off, d := make([]bool, n+m), make([]float64, n+m)
		b, x := make([]float64, n+m), make([]float64, n+m)
		for range 3 {
			for k := range at.Val {
				at.Val[k] += 0.1 * rng.NormFloat64()
			}
			for i := range d {
				off[i] = rng.IntN(5) == 0
				d[i] = math.Pow(10, 4*rng.Float64()-3)
				if i >= n {
					d[i] = -d[i]
				}
				b[i] = rng.NormFloat64()
			}
			θ := 0.5 + rng.Float64()
			s.Load(θ, off)
			if replaced, err := s.Factorise(context.Background(), d); err != nil || replaced != 0 {
				t.Fatalf("%d pivots replaced, %v", replaced, err)
			}
			goal := kkt.Accuracy{X: 1e-12, Y: 1e-12}
			if a := s.Solve(context.Background(), x, b, goal); !a.Within(goal) {
				t.Errorf("accuracy %+v", a)
			}
			for i, v := range product(h, at, θ, off, d, x) {
				if !(math.Abs(v-b[i]) <= 1e-9) {
					t.Fatalf("n %d, m %d: entry %d of Kx is %g, want %g", n, m, i, v, b[i])
				}
			}
		}
	}
	if want := 50; how == kkt.Arrowhead && arrowhead != want || how == kkt.Sparse && arrowhead != 0 {
		t.Errorf("%d of %d are of arrowhead form", arrowhead, want)
	}
}

// Regularisation that a factorisation has to add is refined away.
func TestRefinesReplacedPivots(t *testing.T) {
	for _, how := range strategies {
		t.Run(how.String(), func(t *testing.T) { refinesReplacedPivots(t, how) })
	}
}

func refinesReplacedPivots(t *testing.T, how kkt.Strategy) {
	// Two equal rows without a diagonal: the second pivot is a rounding error.
	at := &sparse.CSC{Rows: 2, Cols: 2, ColPtr: []int{0, 2, 4}, RowIdx: []int{0, 1, 0, 1}, Val: []float64{1, 1, 1, 1}}
	s, err := kkt.New(context.Background(), sparse.Zero(2, 2), at, nil, how, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Load(1, make([]bool, 4))
	if replaced, err := s.Factorise(context.Background(), []float64{1, 2, 0, -1e-17}); err != nil || replaced == 0 {
		t.Fatalf("%d pivots replaced, %v", replaced, err)
	}
	x := make([]float64, 4)
	goal := kkt.Accuracy{X: 1e-10, Y: 1e-10}
	if a := s.Solve(context.Background(), x, []float64{1, 2, 3, 3}, goal); !a.Within(goal) {
		t.Errorf("accuracy %+v", a)
	}
	// x₀ + x₁ = 3 and x₀ + y = 1, 2x₁ + y = 2 for the sum y of the multipliers.
	if math.Abs(x[0]-5./3) > 1e-8 || math.Abs(x[1]-4./3) > 1e-8 {
		t.Errorf("x = %v", x)
	}
}

func TestNaNIsNotAccurate(t *testing.T) {
	for _, how := range strategies {
		t.Run(how.String(), func(t *testing.T) { nanIsNotAccurate(t, how) })
	}
}

func nanIsNotAccurate(t *testing.T, how kkt.Strategy) {
	s, err := kkt.New(context.Background(), sparse.Identity(1), sparse.Zero(1, 0), nil, how, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Load(1, []bool{false})
	if _, err := s.Factorise(context.Background(), []float64{0}); err != nil {
		t.Fatal(err)
	}
	goal := kkt.Accuracy{X: 1, Y: 1}
	if a := s.Solve(context.Background(), []float64{0}, []float64{math.NaN()}, goal); a.Within(goal) {
		t.Errorf("accuracy %+v", a)
	}
	if _, err := s.Factorise(context.Background(), []float64{math.NaN()}); err == nil {
		t.Error("a NaN was factored")
	}
}

func TestFactoriseAndSolveDoNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, how := range strategies {
		for _, c := range []shape{{"random", random}, {"regression", regression}, {"wide", wide}} {
			h, at := c.draw(rng, 20, 300)
			n, m := h.Cols, at.Cols
			s, err := kkt.New(context.Background(), h, at, nil, how, nil)
			if err != nil {
				t.Fatal(err)
			}
			off, d := make([]bool, n+m), make([]float64, n+m)
			b, x := make([]float64, n+m), make([]float64, n+m)
			for i := range d {
				d[i], b[i] = 1, 1
				if i >= n {
					d[i] = -1
				}
			}
			if allocs := testing.AllocsPerRun(10, func() {
				s.Load(1, off)
				if _, err := s.Factorise(context.Background(), d); err != nil {
					t.Error(err)
				}
				s.Solve(context.Background(), x, b, kkt.Accuracy{X: 1e-15, Y: 1e-15})
			}); allocs != 0 {
				t.Errorf("%v, %s: %v allocations", how, c.name, allocs)
			}
		}
	}
}
