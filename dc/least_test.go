package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// leastOf is the Least of a problem that minimises o, nil if there is none.
func leastOf(t *testing.T, m *dc.Model, o dc.Expr) *convex.Least {
	t.Helper()
	m.Minimize(o)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Exact().Program().Objective.G().Represent(nothing{}).Least) > 0 {
		t.Error("the exact problem has a majorant")
	}
	f := p.Program().Objective.G().Represent(nothing{})
	if len(f.Least) == 0 {
		return nil
	}
	return &f.Least[0]
}

// nothing is a Canon for functions that need no columns.
type nothing struct{ convex.Canon }

func (n nothing) Form(f convex.Representer) convex.Form { return f.Represent(n) }

func formValue(f convex.Form, x []float64) float64 {
	v := f.Linear.Value(x)
	for _, q := range f.Quad {
		for k := range q.Arg.Len() {
			e := q.Arg.At(k, x)
			v += q.Weight * e * e
		}
	}
	return v
}

// TestLeastIsAMajorant: the items chosen at a point add up to the function there and to
// no less elsewhere.
func TestLeastIsAMajorant(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, of := range map[string]func(x dc.Expr) dc.Expr{
		"min": func(x dc.Expr) dc.Expr {
			return dc.Min(dc.Square(x.At(0)), dc.Sum(dc.Square(x.At(1)), x.At(2)), dc.Num(1))
		},
		"family": func(x dc.Expr) dc.Expr {
			e := dc.Expr{}
			for k := range 20 {
				c := dc.Num(float64(k-10) / 16)
				e = e.Add(dc.Min(dc.SumSquares(x.Slice(0, 2).Sub(c)), dc.Square(x.At(3)).Scale(2).Add(c), dc.Num(1)))
			}
			return e
		},
		"trimmed": func(x dc.Expr) dc.Expr { return trimmed(x, 2) },
		"scaled":  func(x dc.Expr) dc.Expr { return trimmed(x, 1).Scale(3) },
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{4})
		e := of(x)
		l := leastOf(t, m, e)
		if l == nil {
			t.Errorf("%s: no majorant", name)
			continue
		}
		chosen := make([]bool, l.Sums*l.Of)
		at := func(y []float64) float64 {
			s := 0.0
			for i, ok := range chosen {
				if ok {
					s += l.Weight * formValue(l.Item(i/l.Of, i%l.Of), y)
				}
			}
			return s
		}
		for range 100 {
			z, y := []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}
			for j := range z {
				z[j], y[j] = rng.NormFloat64(), rng.NormFloat64()
			}
			l.Choose(z, chosen)
			if math.Abs(at(z)-e.Value(z)) > 1e-12 || at(y) < e.Value(y)-1e-12 {
				t.Fatalf("%s: %g for %g at the point, %g for %g elsewhere", name, at(z), e.Value(z), at(y), e.Value(y))
			}
		}
	}
}

// trimmed is the sum of squares of x − 1 without the largest k.
func trimmed(x dc.Expr, k int) dc.Expr {
	var all []dc.Expr
	for j := range 4 {
		all = append(all, dc.Square(x.At(j).Sub(dc.Num(1))))
	}
	return dc.Sum(all...).Sub(dc.SumLargest(dc.Stack(all...), k))
}

// TestLeastOnlyOfQuadratics: other functions keep their split.
func TestLeastOnlyOfQuadratics(t *testing.T) {
	for name, of := range map[string]func(x dc.Expr) dc.Expr{
		"affine": func(x dc.Expr) dc.Expr { return dc.Min(x.At(0), x.At(1)) },
		"exp":    func(x dc.Expr) dc.Expr { return dc.Min(dc.Exp(x.At(0)), dc.Square(x.At(1))) },
		"max":    func(x dc.Expr) dc.Expr { return dc.Max(dc.Square(x.At(0)), dc.Square(x.At(1))) },
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{4}, dc.AtLeast(-1), dc.AtMost(1))
		m.Minimize(of(x))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if p.Exact() != p {
			t.Errorf("%s: has a majorant", name)
		}
	}
}
