package kkt_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/dc"
)

// at is a point of a problem of x with some bounds.
func at(t *testing.T, x []float64, lo, hi float64, state func(x dc.Expr) (dc.Expr, []dc.Constraint)) *kkt.Point {
	t.Helper()
	m := dc.NewModel()
	v := m.Var("x", []int{len(x)}, dc.AtLeast(lo), dc.AtMost(hi))
	f, cs := state(v)
	m.Minimize(f)
	m.SubjectTo(cs...)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := &kkt.Point{P: p.Program(), X: x, Product: 1e-3, Relative: 1e-3, Near: 1e-6}
	for range x {
		out.Lo, out.Hi, out.Size = append(out.Lo, lo), append(out.Hi, hi), append(out.Size, 1)
	}
	return out
}

// cases are points with multipliers by hand.
var cases = []struct {
	name   string
	x      []float64
	state  func(x dc.Expr) (dc.Expr, []dc.Constraint)
	rows   [][]float64
	bounds []float64
}{
	{"an equation on a circle", []float64{-math.Sqrt2, -math.Sqrt2}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.Sum(), []dc.Constraint{dc.EQ(dc.SumSquares(x), dc.Num(4))}
	}, [][]float64{{math.Sqrt2 / 4}, {0}}, []float64{0, 0}},
	{"outside a circle, with a bound", []float64{0, 2}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.At(0).Scale(3).Add(x.At(1)), []dc.Constraint{dc.GE(dc.SumSquares(x), dc.Num(4))}
	}, [][]float64{{.25}}, []float64{-3, 0}},
	{"a chain of affine parts", []float64{1, 2}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return dc.Mul(x.At(0), x.At(1)).Neg(), []dc.Constraint{
			dc.LE(x.At(0), dc.Num(1)), dc.LE(x.At(1), dc.Num(2)), dc.GE(x.At(0).Add(x.At(1)), dc.Num(-1)),
		}
	}, [][]float64{{2}, {1}, {0}}, []float64{0, 0}},
	{"a definition", []float64{1, 1}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return dc.Sum(x.At(1), x.At(0).Scale(-2)), []dc.Constraint{dc.EQ(x.At(1), dc.Square(x.At(0)))}
	}, [][]float64{{0}, {1}}, []float64{0, 0}},
}

// TestSlope: multipliers by hand leave no slopes, others do, and bounds get theirs.
func TestSlope(t *testing.T) {
	for _, c := range cases {
		p := at(t, c.x, 0-5*math.Abs(min(c.x[0], 0)), 5, c.state)
		got := p.Residual(c.rows)
		if got.Slope != 0 || got.Kinked || got.Rest > 1e-12 || len(got.Bounds) != len(c.bounds) {
			t.Errorf("%s: %+v", c.name, got)
		}
		for j, z := range got.Bounds {
			if math.Abs(z-c.bounds[j]) > 1e-12 {
				t.Errorf("%s: bound %d has the multiplier %g, want %g", c.name, j, z, c.bounds[j])
			}
		}
		for i := range c.rows {
			c.rows[i][0] += 0.1
			if got := p.Residual(c.rows).Slope; !(got > 0.01) {
				t.Errorf("%s: slope %g where multiplier %d is wrong", c.name, got, i)
			}
			c.rows[i][0] -= 0.1
		}
	}
}

// TestProject finds the multipliers by hand.
func TestProject(t *testing.T) {
	for _, c := range cases {
		p := at(t, c.x, 0-5*math.Abs(min(c.x[0], 0)), 5, c.state)
		rows, degenerate, ok := p.Project(t.Context())
		if !ok || degenerate != nil {
			t.Fatalf("%s: ok %t, degenerate %v", c.name, ok, degenerate)
		}
		for i := range c.rows {
			if math.Abs(rows[i][0]-c.rows[i][0]) > 1e-6 {
				t.Errorf("%s: multiplier %d is %g, want %g", c.name, i, rows[i][0], c.rows[i][0])
			}
		}
	}
}

// TestSlack: a constraint that is not active has no multiplier, and a violation is no slack.
func TestSlack(t *testing.T) {
	for d, want := range map[float64]bool{0: true, 1e-5: true, .1: false, -.1: true} {
		p := at(t, []float64{2 + d, 0}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return x.At(0), []dc.Constraint{dc.GE(dc.SumSquares(x), dc.Num(4))}
		})
		if got := p.Residual([][]float64{{1 / (2 * (2 + d))}}).Slope; (got == 0) != want {
			t.Errorf("%g from the circle: slope %g", d, got)
		}
	}
}

// TestKinks: a kink is seen from the point, and from a point next to it.
func TestKinks(t *testing.T) {
	for x, kinked := range map[float64]bool{0: true, 1e-5: true, .5: false, -2: false} {
		p := at(t, []float64{x, 1}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			f := dc.Sum(dc.Abs(x.At(0)).Neg(), dc.Square(x.At(1)))
			return f, []dc.Constraint{dc.LE(dc.Abs(x.At(1)), dc.Num(7))}
		})
		if got := p.Residual([][]float64{{0}}); got.Kinked != kinked || p.Bent() != kinked {
			t.Errorf("|x| at %g: kinked %t, bent %t", x, got.Kinked, p.Bent())
		}
		p = at(t, []float64{x * x, 0, 0}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			square := dc.Square(dc.Sum(dc.Norm2(x), dc.Num(1)))
			return x.At(2), []dc.Constraint{dc.GE(square, dc.Num(1))}
		})
		if p.Bent() != kinked {
			t.Errorf("norm2(x) at %g: bent %t", x*x, p.Bent())
		}
	}
}

// TestKinkThatIsHeld: where the subgradient meets the conditions the bounds have multipliers, and
// else there are none.
func TestKinkThatIsHeld(t *testing.T) {
	for least, held := range map[float64]bool{-1e-9: true, -5: false} {
		p := at(t, []float64{0, 0}, least, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return dc.Sum(dc.Abs(x.At(0)), x.At(0)), nil
		})
		got := p.Residual(nil)
		if !got.Kinked || got.Trusted == held || (got.Slope == 0) != held || (got.Bounds != nil) != held {
			t.Errorf("|x| + x at 0, x >= %g: %+v", least, got)
		}
		if held && got.Bounds[0] != -1 {
			t.Errorf("|x| + x at 0, x >= %g: multiplier %g", least, got.Bounds[0])
		}
	}
}

// TestCurvedIsNoKink: at the minimum of a square its gradient changes by more than counts, as it is
// 0 there.
func TestCurvedIsNoKink(t *testing.T) {
	p := at(t, []float64{0, 0}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) { return dc.SumSquares(x), nil })
	p.Product = 1e-30
	if p.Bent() {
		t.Error("a square is bent")
	}
}

// TestBoundsAfar: a bound has a multiplier where it is active up to the tolerance of products, and
// not where the slope is noise.
func TestBoundsAfar(t *testing.T) {
	for _, c := range []struct{ x, slope, want float64 }{
		{0, 1, -1}, {1e-9, 1, -1}, {1e-5, 1, -1}, {1, 1e-9, 0}, {1, 1e-4, 0},
	} {
		p := at(t, []float64{c.x, 0}, 0, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return x.Sum(), []dc.Constraint{dc.GE(x.Sum(), dc.Num(c.x))}
		})
		got := p.Residual([][]float64{{1 - c.slope}}).Bounds
		if got == nil || math.Abs(got[0]-c.want) > 1e-12 {
			t.Errorf("slope %g at %g from the bound: multipliers %v, want %g", c.slope, c.x, got, c.want)
		}
	}
}

// TestDegenerate: constraints whose gradients vanish, or cancel, have no multipliers.
func TestDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		x     []float64
		state func(x dc.Expr) (dc.Expr, []dc.Constraint)
	}{
		"x^3 at 0": {[]float64{0, 1}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			cube := dc.GE(dc.Power(x.At(0), 3), dc.Num(0)).Named("c")
			return x.At(0), []dc.Constraint{dc.GE(x.At(1), dc.Num(0)), cube}
		}},
		"a product at 0": {[]float64{0, 0}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			return x.Sum(), []dc.Constraint{dc.EQ(dc.Mul(x.At(0), x.At(1)), dc.Num(0)).Named("c")}
		}},
		"circles that almost touch": {[]float64{-1e-4, 0}, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			circle := func(y float64) dc.Expr {
				return dc.Sum(dc.Square(x.At(0)), dc.Square(x.At(1).Sub(dc.Vec([]float64{y}).At(0))))
			}
			return x.At(0), []dc.Constraint{
				dc.LE(circle(1), dc.Num(1)).Named("c"), dc.LE(circle(-1), dc.Num(1)).Named("c"),
			}
		}},
	} {
		p := at(t, c.x, -5, 5, c.state)
		rows, degenerate, ok := p.Project(t.Context())
		if ok {
			if slope := p.Residual(rows).Slope; !(slope > 0.1 || math.Abs(rows[0][0]) > 1e3) {
				t.Errorf("%s: multipliers %v leave a slope of %g", name, rows, slope)
			}
		}
		if degenerate == nil || degenerate.Name() != "c" {
			t.Errorf("%s: degenerate %v", name, degenerate)
		}
	}
}

// TestLoose: by a multiplier a tolerance changes the objective.
func TestLoose(t *testing.T) {
	for y, want := range map[float64]float64{1: 0, 1e2: 0, 1e4: 1e-2} {
		p := at(t, []float64{2, 0}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
			circle := dc.GE(dc.SumSquares(x), dc.Num(4)).Named("c")
			return x.At(0), []dc.Constraint{circle, dc.LE(x.At(1), dc.Num(1))}
		})
		c, change := p.Loose([][]float64{{y}, {0}}, 1e-6)
		if (c != nil) != (want > 0) || math.Abs(change-want) > 1e-12 {
			t.Errorf("multiplier %g: %v changes the objective by %g, want %g", y, c, change, want)
		}
	}
	p := at(t, []float64{2 - 1e-7, 0}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.At(0), []dc.Constraint{dc.GE(x.At(0), dc.Num(2)).Named("c")}
	})
	if c, _ := p.Loose([][]float64{{-100}}, 1e-6); c == nil {
		t.Error("a violation of 1e-7 with a multiplier of 100 changes the objective by 1e-5, which counts")
	}
}

// TestNewton: two steps from beside a point that multipliers hold lead to it, and to them.
func TestNewton(t *testing.T) {
	for _, c := range cases {
		x, rows := slices.Clone(c.x), make([][]float64, len(c.rows))
		for j := range x {
			x[j] = max(x[j]+1e-4*float64(1-2*j), 0-5*math.Abs(min(c.x[0], 0)))
		}
		for i, y := range c.rows {
			rows[i] = []float64{y[0] * (1 + 1e-4)}
		}
		p, ok := at(t, x, 0-5*math.Abs(min(c.x[0], 0)), 5, c.state), false
		for range 2 {
			if p.X, rows, ok = p.Newton(rows, c.bounds, 9); !ok {
				t.Fatal(c.name, "has no step")
			}
		}
		for j, v := range p.X {
			if !(math.Abs(v-c.x[j]) <= 1e-12) {
				t.Errorf("%s: x[%d] is %.2g off", c.name, j, v-c.x[j])
			}
		}
		for i, y := range c.rows {
			if !(math.Abs(y[0]-rows[i][0]) <= 1e-7) {
				t.Errorf("%s: multiplier %d is %.2g off", c.name, i, y[0]-rows[i][0])
			}
		}
	}
}

// TestNewtonRefuses: at a kink that holds there is no step.
func TestNewtonRefuses(t *testing.T) {
	p := at(t, []float64{0, 1}, -5, 5, func(x dc.Expr) (dc.Expr, []dc.Constraint) {
		return x.At(1), []dc.Constraint{dc.GE(x.At(1).Sub(dc.Norm1(x.At(0))), dc.Num(1))}
	})
	if _, _, ok := p.Newton([][]float64{{1}}, []float64{0, 0}, 9); ok {
		t.Error("a step at a kink")
	}
}
