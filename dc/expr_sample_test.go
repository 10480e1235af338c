//go:build !race

package dc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/family"
)

// sampled is a problem of a sum of count members and another function, and the members.
func sampled(t *testing.T, of func(row func(n int) Expr) Expr, kind, count int) (p *Problem, members []Expr, rest Expr) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(kind), 11))
	m := NewModel()
	x := m.Var("x", []int{7}, AtLeast(-3), AtMost(3))
	rest = Norm2(x).Scale(-1).Add(x.At(2))
	for k := range count {
		row := randomRows(rand.New(rand.NewPCG(r.Uint64(), 1)), x, kind)
		apart := func(n int) Expr { // no two members are equal
			a := row(n)
			return a.Add(Const(a.Shape(), slices.Repeat([]float64{float64(k) / float64(7*count)}, n)))
		}
		members = append(members, of(apart).Scale(float64(1+r.IntN(4))/8))
	}
	m.Minimize(Sum(append(slices.Clone(members), rest)...))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p, members, rest
}

// TestSampleIsSomeMembers: a sample has the values, errors and gradients of the problem that is
// stated with its members alone.
func TestSampleIsSomeMembers(t *testing.T) {
	const count, few = 300, 40
	whole := 0
	for name, of := range templates {
		for kind := range 8 {
			p, members, rest := sampled(t, of, kind, count)
			n := family.Samples(p.Program().Objective)
			before := p.Program().Objective.Value(p.Start(1))
			s, ok := family.SampleOf(p.Program().Objective, few, uint64(kind))
			if !ok {
				t.Errorf("%s, kind %d: no sample of %d", name, kind, n)
			}
			if n != count { // bounds make some members simpler
				continue
			}
			whole++
			es := []Expr{rest}
			for _, i := range family.Subset(few, count, rand.New(rand.NewPCG(uint64(kind), 0x7361))) {
				es = append(es, members[i].Scale(float64(count)/few))
			}
			if err := sameAsMembers(Sum(es...).one(), s, rand.New(rand.NewPCG(1, 2))); err != nil {
				t.Errorf("%s, kind %d: %v", name, kind, err)
			}
			if p.Program().Objective.Value(p.Start(1)) != before {
				t.Errorf("%s, kind %d: the sum has changed", name, kind)
			}
		}
	}
	if want := 7 * len(templates); whole < want {
		t.Errorf("%d sums of one family, want %d", whole, want)
	}
}

// TestSampleKeepsSamplesTogether: hinges of both signs of the same samples, one family, keep the
// same samples: each difference is a ramp between 0 and 1.
func TestSampleKeepsSamplesTogether(t *testing.T) {
	const count, few = 400, 50
	r := rand.New(rand.NewPCG(3, 4))
	m := NewModel()
	x := m.Var("x", []int{3})
	var up, down []Expr
	for range count {
		z := x.Dot([]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		up, down = append(up, Pos(z.Add(Num(1)))), append(down, Pos(z).Neg())
	}
	m.Minimize(Sum(append(up, down...)...))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, ok := family.SampleOf(p.Program().Objective, few, 5)
	if n := family.Samples(p.Program().Objective); n != count || !ok {
		t.Fatalf("%d samples, %v", n, ok)
	}
	for range 20 {
		at := []float64{100 * r.NormFloat64(), 100 * r.NormFloat64(), 100 * r.NormFloat64()}
		if v := s.Value(at); v < -1e-9 || v > count*(1+1e-12) {
			t.Errorf("%g at %v", v, at)
		}
	}
}

// TestSampleEstimates: the mean of many samples is the sum, and each sample has another value.
func TestSampleEstimates(t *testing.T) {
	const count, few, draws = 400, 50, 2000
	p, _, _ := sampled(t, templates["abs"], 0, count)
	sum, squares, seen := 0.0, 0.0, map[float64]bool{}
	for seed := range uint64(draws) {
		s, _ := family.SampleOf(p.Program().Objective, few, seed)
		v := s.Value(p.Start(1))
		sum, squares, seen[v] = sum+v, squares+v*v, true
	}
	mean := sum / draws
	dev := math.Sqrt((squares/draws - mean*mean) / draws)
	if want := p.Program().Objective.Value(p.Start(1)); math.Abs(mean-want) > 5*dev || len(seen) < draws*9/10 {
		t.Errorf("mean %g within %g, %d values, want %g", mean, dev, len(seen), want)
	}
}

// TestSampleOfFew: a sum of few members is its own sample.
func TestSampleOfFew(t *testing.T) {
	p, _, _ := sampled(t, templates["abs"], 0, 80)
	for _, count := range []int{-1, 0, 40, 80, 1000} {
		if s, ok := family.SampleOf(p.Program().Objective, count, 1); ok || s.Value(p.Start(1)) != p.Program().Objective.Value(p.Start(1)) {
			t.Errorf("%d members: %v", count, ok)
		}
	}
	if n := family.Samples(Num(3).Scalar()); n != 0 {
		t.Errorf("%d samples of a constant", n)
	}
}
