package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// changingSides is a least squares problem of 20 variables within bounds, of which the right side
// of the rows, h, changes, and values of that.
func changingSides(t testing.TB) (p *dc.Problem, sides [][]float64) {
	const n, m = 20, 40
	rng := rand.New(rand.NewPCG(1, 1))
	numbers := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	a := mat.NewDense(m, n, numbers(m*n))
	model := dc.NewModel()
	x := model.Var("x", []int{n}, dc.AtLeast(-1), dc.AtMost(1))
	h := model.Param("h", []int{m}, numbers(m)...)
	model.Minimize(dc.SumSquares(x.Sub(dc.Vec(numbers(n)))))
	model.SubjectTo(dc.LE(dc.MatMul(dc.Mat(a), x), h))
	sides = make([][]float64, 100)
	for k := range sides {
		sides[k] = numbers(m)
		for i := range sides[k] {
			sides[k][i] += 4
		}
	}
	return build(t, model), sides
}

// session is one for p, which is closed at the end of the test.
func session(t testing.TB, p *dc.Problem) *ccp.Session {
	s, err := ccp.NewSession(t.Context(), p, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// again solves with other values.
func again(t testing.TB, s *ccp.Session, side []float64, res *ccp.Result) {
	if err := s.Set("h", side...); err != nil {
		t.Fatal(err)
	}
	if err := s.SolveTo(context.Background(), nil, res); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkParametric is a loop over a small convex problem; bench/peers/python/session.py compares
// it with PIQP.
func BenchmarkParametric(b *testing.B) {
	p, sides := changingSides(b)
	s := session(b, p)
	var res ccp.Result
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		again(b, s, sides[k%len(sides)], &res)
	}
}

// SolveTo gives the results of Solve, bit for bit, in one place, and leaves those in other places
// alone.
func TestSolveTo(t *testing.T) {
	p, sides := changingSides(t)
	one, two := session(t, p), session(t, p)
	var places [2]ccp.Result
	var kept *ccp.Result // that of Solve before
	for k, side := range sides[:20] {
		res, other := &places[k%2], &places[1-k%2]
		again(t, one, side, res)
		if err := two.Set("h", side...); err != nil {
			t.Fatal(err)
		}
		want, err := two.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]*ccp.Result{{res, want}, {other, kept}} {
			got, want := pair[0], pair[1]
			if want == nil {
				continue
			}
			same := got.Status == ccp.Converged && want.Status == got.Status && got.Objective == want.Objective &&
				slices.Equal(got.X, want.X) && slices.Equal(got.BoundDuals, want.BoundDuals) &&
				slices.EqualFunc(got.Duals, want.Duals, slices.Equal) && len(got.History) == len(want.History)
			if !same {
				t.Fatalf("round %d, place %d: %v\n%v", k, i, got, want)
			}
		}
		kept = want
	}
	if err := one.SolveTo(t.Context(), []float64{1}, &places[0]); err == nil || places[0].Status != ccp.Unknown {
		t.Errorf("a start of one entry: %v, %v", places[0].Status, err)
	}
	again(t, one, sides[0], &places[0])
	if res := &places[0]; res.Status != ccp.Converged || math.IsNaN(res.Objective) {
		t.Errorf("after a refusal: %v", res)
	}
}
