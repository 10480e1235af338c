package dc

import (
	"context"
	"math"
	"testing"
)

// TestReducedRange: where affine equations hold exactly, functions that they make equal
// cancel, and polynomials are added up without rounding.
func TestReducedRange(t *testing.T) {
	for _, c := range []struct {
		name   string
		state  func(m *Model, x, y, z Expr) Constraint // after its equations
		lo, hi float64
	}{
		{"equal squares", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y))
			return LE(Square(x).Sub(Square(y)), Num(-1e-3))
		}, 1e-3, 1e-3},
		{"a distance", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y.Add(Num(1))))
			return LE(Square(x).Sub(Square(y)), Num(0)) // 2y + 1
		}, 20001, 200001},
		{"cubes", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y.Add(Num(1))))
			return LE(Power(x, 3).Sub(Power(y, 3)), Num(0)) // 3y² + 3y + 1
		}, 300030001, 30000300001},
		{"exponentials", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y))
			return LE(Exp(x.Scale(1e-4)).Sub(Exp(y.Scale(1e-4))), Num(-1))
		}, 1, 1},
		{"a product and two equations", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y.Scale(3)), EQ(z, x))
			return LE(Mul(x, y).Scale(3).Sub(Square(z)), Num(-2))
		}, 2, 2},
		{"the second equation gives a variable of the first", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x, y.Add(z)), EQ(y, z))
			return LE(Square(x).Sub(Square(y).Scale(4)), Num(-2))
		}, 2, 2},
		{"an equation that cannot be solved without rounding", func(m *Model, x, y, z Expr) Constraint {
			m.SubjectTo(EQ(x.Scale(3), y.Scale(7)))
			return LE(Square(x).Sub(Square(y)), Num(0))
		}, 1e8 - 1e10, 1e10 - 1e8},
	} {
		m := NewModel()
		x, y, z := m.Var("x", nil, AtLeast(1e4), AtMost(1e5)), m.Var("y", nil, AtLeast(1e4), AtMost(1e5)), m.Var("z", nil, AtLeast(1e4), AtMost(1e5))
		m.Minimize(x)
		m.SubjectTo(c.state(m, x, y, z))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r := p.Program().ReducedRange(&p.Program().Constraints[len(p.Program().Constraints)-1])
		if r.Lo > c.lo || r.Hi < c.hi || math.Abs(r.Lo-c.lo) > 1e-9*math.Abs(c.lo) || math.Abs(r.Hi-c.hi) > 1e-9*math.Abs(c.hi) {
			t.Errorf("%s: [%.17g, %.17g], want [%g, %g]", c.name, r.Lo, r.Hi, c.lo, c.hi)
		}
	}
}
