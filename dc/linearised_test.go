package dc_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/expr"
)

// TestLinearisedDefinitions: what Linearised leaves of an expression changes as the expression does
// where the variables that equations define follow the others, and does not contain them.
func TestLinearisedDefinitions(t *testing.T) {
	type vars struct{ x, s, u dc.Expr }
	circle := func(v vars) dc.Constraint { return dc.EQ(dc.SumSquares(v.x), dc.Num(5)) } // an equation that defines nothing
	product := func(v vars) dc.Constraint { return dc.EQ(v.s, dc.Mul(v.x.At(0), v.x.At(1))) }
	for name, make := range map[string]func(v vars) (dc.Expr, []dc.Constraint){
		"a product in the objective": func(v vars) (dc.Expr, []dc.Constraint) {
			return dc.Sum(v.s.Scale(10), dc.Power(v.x.At(0), 3)), []dc.Constraint{circle(v), product(v)}
		},
		"with a coefficient, and a power": func(v vars) (dc.Expr, []dc.Constraint) {
			return dc.Sum(v.s, v.u.Scale(-3)), []dc.Constraint{circle(v), dc.EQ(dc.Sum(v.s.Scale(-2), dc.Power(v.x.At(1), 3)), v.x.At(0)), dc.EQ(v.u, dc.Square(v.x.At(0)))}
		},
		"in an equation": func(v vars) (dc.Expr, []dc.Constraint) {
			return v.x.At(0), []dc.Constraint{product(v), dc.EQ(v.u, dc.Square(v.x.At(1))), dc.EQ(dc.Sum(dc.Exp(v.x.At(0)), v.x.At(1)), dc.Num(1)), dc.GE(dc.Sum(v.s, v.u.Scale(-1), dc.Square(v.x.At(0))), dc.Num(-4))}
		},
		"an absolute value": func(v vars) (dc.Expr, []dc.Constraint) {
			return dc.Sum(v.s.Scale(-1), dc.Mul(v.x.At(0), v.x.At(1))), []dc.Constraint{circle(v), dc.EQ(v.s, dc.Sum(dc.Abs(v.x.At(0)), dc.Power(v.x.At(1), 3)))}
		},
	} {
		m := dc.NewModel()
		v := vars{m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3)), m.Var("s", nil), m.Var("u", nil)}
		f, cs := make(v)
		m.Minimize(f)
		m.SubjectTo(cs...)
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		q, equations, ok := p.Program().Linearised()
		if !equations || !ok {
			t.Fatalf("%s: equations %t, ok %t", name, equations, ok)
		}
		defined := q.Defined()
		parts := []expr.Scalar{q.Objective}
		for _, c := range q.Constraints {
			if c.DC && !c.Function().IsConst() {
				parts = append(parts, c.Function())
			}
		}
		at := func(x0, x1 float64) []float64 {
			x := []float64{x0, x1, 0, 0}
			p.Program().Pin(x)
			return x
		}
		const δ = 1e-5
		for _, x := range [][2]float64{{1.5, -.75}, {-2, 1.25}} {
			for k, e := range parts {
				g := []float64{0, 0, 0, 0}
				e.G().AddSubgrad(g, 1, at(x[0], x[1]))
				e.H().AddSubgrad(g, -1, at(x[0], x[1]))
				want := []float64{(e.Value(at(x[0]+δ, x[1])) - e.Value(at(x[0]-δ, x[1]))) / (2 * δ), (e.Value(at(x[0], x[1]+δ)) - e.Value(at(x[0], x[1]-δ))) / (2 * δ), 0, 0}
				for j := range g {
					if j >= 2 && !defined[j] {
						continue
					}
					if !(math.Abs(g[j]-want[j]) <= 1e-6) {
						t.Errorf("%s: part %d at %v has the slope %g along variable %d, want %g", name, k, x, g[j], j, want[j])
					}
				}
			}
		}
	}
}

// TestLinearisedMaxima: what is left of the maximum of a function that is linearised has a form.
func TestLinearisedMaxima(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-1), dc.AtMost(1))
	m.Minimize(x)
	m.SubjectTo(dc.EQ(dc.Square(x), dc.Num(0.25)), dc.LE(dc.Pos(dc.Erf(x)), dc.Num(1.75)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q, equations, ok := p.Program().Linearised()
	if !equations || !ok {
		t.Fatalf("equations %t, ok %t", equations, ok)
	}
	for _, c := range q.Constraints {
		if f := c.Function().Unrepresentable(); f != nil {
			t.Errorf("%s: %v has no form", c.Name(), f)
		}
	}
}
