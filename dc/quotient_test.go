package dc_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestQuotientOfAnySign: a quotient whose denominator has no known sign is neither convex nor
// concave, with either weight, has the gradient of the function and no value where the denominator
// is 0.
func TestQuotientOfAnySign(t *testing.T) {
	m := dc.NewModel()
	u, v := m.Var("u", nil), m.Var("v", nil)
	w := m.Var("w", nil, dc.AtLeast(1))
	q := dc.Quotient(u.Sub(dc.Num(1)), v)
	points := [][]float64{{3, 2, 2}, {-2, -0.5, 1}, {0.5, -4, 9}} // where q is positive
	for name, c := range map[string]struct {
		e     dc.Expr
		value func(x []float64) float64
	}{
		"plus":     {q, func(x []float64) float64 { return (x[0] - 1) / x[1] }},
		"minus":    {q.Scale(-2), func(x []float64) float64 { return -2 * (x[0] - 1) / x[1] }},
		"in a sum": {dc.Square(u).Sub(q), func(x []float64) float64 { return x[0]*x[0] - (x[0]-1)/x[1] }},
		"twice":    {q.Sub(q.Scale(3)), func(x []float64) float64 { return -2 * (x[0] - 1) / x[1] }},
		"nested": {dc.Quotient(q, dc.Square(u).Sub(dc.Num(5))),
			func(x []float64) float64 { return (x[0] - 1) / x[1] / (x[0]*x[0] - 5) }},
		"no split": {dc.InvPos(w).Add(dc.Quotient(u, dc.Norm2(dc.Stack(u, v)))),
			func(x []float64) float64 { return 1/x[2] + x[0]/math.Hypot(x[0], x[1]) }},
		"product":     {dc.Mul(q, u), func(x []float64) float64 { return (x[0] - 1) / x[1] * x[0] }},
		"square":      {dc.Square(q.Sub(w)), func(x []float64) float64 { return math.Pow((x[0]-1)/x[1]-x[2], 2) }},
		"cube":        {dc.Power(q, 3), func(x []float64) float64 { return math.Pow((x[0]-1)/x[1], 3) }},
		"logarithm":   {dc.Log(q.Add(dc.Num(1))), func(x []float64) float64 { return math.Log(1 + (x[0]-1)/x[1]) }},
		"root":        {dc.Sqrt(q), func(x []float64) float64 { return math.Sqrt((x[0] - 1) / x[1]) }},
		"exponential": {dc.Exp(q).Scale(2), func(x []float64) float64 { return 2 * math.Exp((x[0]-1)/x[1]) }},
		"of concaves": {dc.Quotient(dc.Log(w), dc.Sqrt(w).Sub(dc.Num(2))),
			func(x []float64) float64 { return math.Log(x[2]) / (math.Sqrt(x[2]) - 2) }},
	} {
		if err := c.e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range []dc.Expr{c.e, c.e.Neg()} {
			if e.IsConvex() || e.IsConcave() {
				t.Errorf("%s: convex %v, concave %v", name, e.IsConvex(), e.IsConcave())
			}
			m.Minimize(e)
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			o := p.Program().Objective
			for _, x := range points {
				split, want := o.G().Value(x)-o.H().Value(x), e.Value(x)
				if !(math.Abs(split-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s at %v: the split is %g, the function %g", name, x, split, want)
				}
			}
		}
		for _, x := range points {
			want := c.value(x)
			got, bound := c.e.Evaluate(x)
			if tol := 1e-12 * (1 + math.Abs(want)); !(math.Abs(got-want) <= tol) || !(bound <= tol) {
				t.Errorf("%s at %v: %g ± %g, want %g", name, x, got, bound, want)
			}
			grad := make([]float64, 3)
			c.e.Scalar().AddGradient(grad, 1, x)
			for j := range x {
				const step = 1e-6
				a, b := []float64{x[0], x[1], x[2]}, []float64{x[0], x[1], x[2]}
				a[j], b[j] = a[j]+step, b[j]-step
				if d := (c.value(a) - c.value(b)) / (2 * step); math.Abs(d-grad[j]) > 1e-6*(1+math.Abs(d)) {
					t.Errorf("%s at %v: slope %d is %g, want %g", name, x, j, grad[j], d)
				}
			}
		}
	}
	known := dc.Quotient(u, w)
	if other := dc.Mul(u, dc.InvPos(w)); known.Sub(other).Value([]float64{3, 0, 2}) != 0 ||
		!known.Sub(other).IsAffine() {
		t.Error("a denominator of a known sign is not written as a product")
	}
	for name, e := range map[string]dc.Expr{
		"0":                     dc.Quotient(u, dc.Num(0)),
		"kinks above":           dc.Quotient(dc.Abs(u), v),
		"kinks below":           dc.Quotient(u, dc.Abs(v)),
		"a product with kinks":  dc.Mul(q, dc.Abs(u)),
		"a function with kinks": dc.Abs(q),
		"a maximum":             dc.Max(q, u),
		"a maximum of minus it": dc.Max(q.Neg(), u),
		"the largest":           dc.DotSort(dc.Stack([]dc.Expr{q, u, q.Scale(-2)}...), []float64{1, -1, 0.5}),
		"a norm":                dc.Norm2(dc.Stack([]dc.Expr{q, u}...)),
	} {
		m.Minimize(e)
		if _, err := m.Problem(context.Background()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, e := range map[string]dc.Expr{"root": dc.Sqrt(q), "logarithm": dc.Log(q),
		"minus a root": dc.Sqrt(q).Neg()} {
		m.Minimize(e)
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if v, at := p.Violation([]float64{0, 1, 1}); !math.IsInf(v, 1) || !math.IsNaN(e.Value([]float64{0, 1, 1})) {
			t.Errorf("%s outside its domain: %g, broken by %g %s", name, e.Value([]float64{0, 1, 1}), v, at)
		}
	}
	m.Minimize(dc.Square(u))
	m.SubjectTo(dc.EQ(q, dc.Num(1)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{2, 1, 1}, 0}, {[]float64{0, -1, 1}, 0}, {[]float64{3, 1, 1}, 1},
		{[]float64{1, 0, 1}, math.Inf(1)}, {[]float64{2, 0, 1}, math.Inf(1)},
	} {
		if got, _ := p.Violation(c.x); got != c.want {
			t.Errorf("(u - 1)/v = 1 at %v: broken by %g, want %g", c.x, got, c.want)
		}
	}
}
