package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// bentSamples are smooth functions of three variables between −1 and 2.
func bentSamples(x dc.Expr) map[string]dc.Expr {
	a, b, c := x.At(0), x.At(1), x.At(2)
	sum := a.Add(b.Scale(-2)).Add(c)
	return map[string]dc.Expr{
		"a sine":                      dc.Sin(sum.Scale(3)),
		"a sine where it is concave":  dc.Sin(a.Add(dc.Num(1)).Scale(0.9)),
		"a sine of a square":          dc.Sin(dc.Square(a).Sub(b)),
		"a sine of a maximum":         dc.Sin(dc.Max(a, b, c)),
		"a cosine of a difference":    dc.Cos(dc.Abs(a).Sub(dc.Abs(b))),
		"a sine of a sine":            dc.Sin(dc.Sin(a).Scale(2).Add(b)),
		"a product":                   dc.Mul(a, dc.Cos(b)),
		"a product of three":          dc.Mul(dc.Mul(a, b), dc.Cos(b.Sub(c))),
		"a product of sines":          dc.Mul(dc.Sin(a), dc.Cos(b.Add(a))),
		"a square":                    dc.Square(dc.Tanh(sum).Sub(c)),
		"a cube":                      dc.Power(dc.Atan(sum), 3),
		"an exponential":              dc.Exp(dc.Sin(sum)),
		"a quotient":                  dc.Quotient(a, dc.Cos(b).Add(dc.Num(2))),
		"a quotient below 0":          dc.Quotient(dc.Sin(a), dc.Cos(b).Sub(dc.Num(2))),
		"a network":                   dc.Tanh(dc.Mul(a, dc.Tanh(b.Add(c))).Add(dc.Mul(c, dc.Tanh(b)))),
		"a tangent":                   dc.Tan(a.Scale(0.7)),
		"a power":                     dc.Pow(a.Add(dc.Num(2)), b),
		"a square root":               dc.Sqrt(dc.Sin(a).Add(dc.Num(1.5))),
		"a logarithm":                 dc.Log(dc.NormCDF(sum)),
		"a distance from a sine":      dc.Sum(dc.Square(dc.Sin(a).Sub(b)), dc.Mul(b, c)),
		"the largest of sines":        dc.Sum(dc.Erf(a), dc.Sigmoid(b).Scale(-2), dc.Asinh(sum)),
		"a hyperbolic sine of a sine": dc.Sinh(dc.Sin(a)),
	}
}

// TestBoundedSplits: both parts of the splits by bounds of second derivatives are convex within
// the bounds, their difference is the function, h has its gradient, and so it is of the negative.
func TestBoundedSplits(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.AtLeast(-1), dc.AtMost(2))
	for name, e := range bentSamples(x) {
		if err := e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range []dc.Expr{e, e.Neg(), e.Scale(0.5).Add(x.At(1))} {
			if err := difference(e, rand.New(rand.NewPCG(48, 4))); err != "" {
				t.Errorf("%s: %s", name, err)
				break
			}
		}
	}
}

// difference compares e with its split at random points; it says what is wrong.
func difference(e dc.Expr, r *rand.Rand) string {
	if e.Scalar().Unrepresentable() != nil {
		return "g has no representation"
	}
	g, h := e.Scalar().G(), e.Scalar().H()
	point := func() []float64 {
		x := make([]float64, 3)
		for k := range x {
			x[k] = -1 + 3*r.Float64()
		}
		return x
	}
	for range 300 {
		x, y := point(), point()
		mid := make([]float64, 3)
		step := 1.0
		if r.IntN(2) == 0 {
			step = 1e-2
		}
		for k := range y {
			y[k] = x[k] + step*(y[k]-x[k])
			mid[k] = (x[k] + y[k]) / 2
		}
		v := e.Value(x)
		if d := g.Value(x) - h.Value(x) - v; math.Abs(d) > 1e-9*(1+math.Abs(g.Value(x))) {
			return "g − h is not the value"
		}
		for _, f := range []convex.Func{g, h} {
			fx, fy, fm := f.Value(x), f.Value(y), f.Value(mid)
			if fm > (fx+fy)/2+1e-12*(1+math.Abs(fx)+math.Abs(fy)) {
				return "a part is not convex"
			}
			slope, along := make([]float64, 3), 0.0
			f.AddSubgrad(slope, 1, x)
			for k := range slope {
				along += slope[k] * (y[k] - x[k])
			}
			if fx+along > fy+1e-10*(1+math.Abs(fx)+math.Abs(fy)) {
				return "a tangent is above a part"
			}
		}
		value, bound := e.Evaluate(x)
		if value != v && math.Abs(value-v) > bound || !(bound < 1e-9) {
			return "the bound of the error is wrong"
		}
		if i := e.Range(); v < i.Lo || v > i.Hi {
			return "a value is outside of the range"
		}
	}
	return ""
}

// TestMajorantsOfBounded: where convex functions of smooth ones are minimised, they need no split
// of their own; where they are subtracted the message says so.
func TestMajorantsOfBounded(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(a, b dc.Expr) dc.Expr
		want float64
	}{
		"a maximum": {func(a, b dc.Expr) dc.Expr { return dc.Max(dc.Sin(a), dc.Cos(b), a.Scale(-1)) }, 0},
		"absolute values": {func(a, b dc.Expr) dc.Expr {
			return dc.Abs(dc.Sin(a).Sub(dc.Num(0.3))).Add(dc.Abs(dc.Tanh(b).Sub(dc.Num(0.5))))
		}, 0},
		"a norm": {func(a, b dc.Expr) dc.Expr {
			return dc.Norm2(dc.Stack([]dc.Expr{dc.Sin(a).Sub(dc.Num(0.3)), dc.Tanh(b).Sub(a)}...))
		}, 0},
		"a square less": {func(a, _ dc.Expr) dc.Expr { return dc.Square(dc.Sin(a)).Neg() }, -1},
		"Huber's function": {func(a, b dc.Expr) dc.Expr {
			return dc.Huber(dc.Stack([]dc.Expr{dc.Sin(a).Sub(dc.Cos(b)), a}...), 2)
		}, 0},
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(2), dc.StartAt(1))
		m.Minimize(c.of(x.At(0), x.At(1)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		res, err := ccp.Solve(context.Background(), p, p.Start(0), ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged || math.Abs(res.Objective-c.want) > 1e-8 {
			t.Errorf("%s: %v, %v, want %g", name, res, err, c.want)
		}
		m.Minimize(c.of(x.At(0), x.At(1)).Neg())
		_, err = m.Problem(context.Background())
		if refused := name != "a square less"; refused != (err != nil && strings.Contains(err.Error(), "as in t == x/y")) {
			t.Errorf("%s, subtracted: %v", name, err)
		}
	}
}

// TestHasSplit: without bounds of a factor a product with a sine is linearised alone.
func TestHasSplit(t *testing.T) {
	m := dc.NewModel()
	x, free := m.Var("x", []int{2}, dc.AtLeast(1), dc.AtMost(2)), m.Var("y", nil)
	for name, c := range map[string]struct {
		e    dc.Expr
		want bool
	}{
		"bounded":                   {dc.Mul(x.At(0), dc.Sin(free)), true},
		"an unbounded factor":       {dc.Mul(free, dc.Sin(x.At(0))), false},
		"a quotient with bounds":    {dc.Quotient(x.At(0), dc.Sin(x.At(1)).Sub(dc.Num(2))), true},
		"a quotient through 0":      {dc.Quotient(x.At(0), free), false},
		"a maximum of sines":        {dc.Max(dc.Sin(free), x.At(0)), false},
		"a square of an unbounded":  {dc.Square(dc.Sin(free).Add(free)), false},
		"exponentials of unbounded": {dc.Sinh(free), true},
	} {
		if err := c.e.Err(); err != nil || c.e.Scalar().IsDC() != c.want {
			t.Errorf("%s: %v, %v", name, c.e.Scalar().IsDC(), err)
		}
	}
}
