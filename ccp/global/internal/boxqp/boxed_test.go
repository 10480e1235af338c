package boxqp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp/global/internal/boxqp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

const size = 7

// drawn is a quadratic function over a box: products and squares of variables and of affine
// functions.
func drawn(t *testing.T, rng *rand.Rand) *dc.Problem {
	t.Helper()
	m := dc.NewModel()
	x := m.Var("x", []int{size}, dc.AtLeast(-1), dc.AtMost(2))
	cost := dc.Sum(dc.Num(1))
	for i := range size {
		cost = cost.Add(dc.FromLinear(x.Linear(i)).Scale(rng.NormFloat64()))
		cost = cost.Add(dc.Square(dc.FromLinear(x.Linear(i))).Scale(rng.Float64() - 0.6))
		for j := range i {
			cost = cost.Add(dc.Mul(dc.FromLinear(x.Linear(i)), dc.FromLinear(x.Linear(j))).Scale(2*rng.Float64() - 1))
		}
	}
	u := dc.FromLinear(x.Linear(0).AddScaled(-2, x.Linear(1)).AddScaled(1, x.Linear(2)))
	v := dc.FromLinear(x.Linear(1).AddScaled(0.5, x.Linear(3)).AddScaled(1, convex.Linear{Const: 0.3}))
	cost = cost.Add(dc.Mul(u, v)).Add(dc.Square(u).Scale(-0.4))
	m.Minimize(cost)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSearch: no point of a grid that has all vertices is better than the point that is found,
// which is the same again.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		p := drawn(t, rng)
		q := boxqp.Of(p.Program())
		if q == nil {
			t.Fatal("no quadratic function over a box")
		}
		x := q.Search(context.Background(), make([]float64, size), 1)
		best := math.Inf(1)
		y := make([]float64, size)
		for k := range 1 << (2 * size) {
			for j := range y {
				y[j] = float64(k>>(2*j)&3) - 1
			}
			best = min(best, p.Value(y))
		}
		if v := p.Value(x); !(v <= best+1e-9) {
			t.Errorf("found %g at %v, want at most %g", v, x, best)
		}
		if again := q.Search(context.Background(), make([]float64, size), 1); !slices.Equal(x, again) {
			t.Errorf("two points: %v and %v", x, again)
		}
	}
}

// TestOthersAreRefused: constraints, variables without bounds and other functions.
func TestOthersAreRefused(t *testing.T) {
	for name, make := range map[string]func(m *dc.Model){
		"a row": func(m *dc.Model) {
			x := m.Var("x", nil, dc.AtLeast(0), dc.AtMost(1))
			m.Minimize(dc.Square(x).Neg())
			m.SubjectTo(dc.LE(dc.Square(x).Neg(), dc.Num(-0.1)))
		},
		"no bound": func(m *dc.Model) { m.Minimize(dc.Square(m.Var("x", nil, dc.AtLeast(0)))) },
		"exp":      func(m *dc.Model) { m.Minimize(dc.Exp(m.Var("x", nil, dc.AtLeast(0), dc.AtMost(1))).Neg()) },
		"a cube of x": func(m *dc.Model) {
			x := m.Var("x", nil, dc.AtLeast(-1), dc.AtMost(1))
			m.Minimize(dc.Mul(x, dc.Square(x)))
		},
	} {
		m := dc.NewModel()
		make(m)
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(name, err)
		}
		if boxqp.Of(p.Program()) != nil {
			t.Errorf("%s: taken for a quadratic function over a box", name)
		}
	}
}
