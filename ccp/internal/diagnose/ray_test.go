package diagnose_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/dc"
)

// region is where a problem of two variables may be, from (1, 1).
func region(t *testing.T, state func(m *dc.Model, x dc.Expr), opts ...dc.VarOption) diagnose.Region {
	t.Helper()
	m := dc.NewModel()
	x := m.Var("x", []int{2}, opts...)
	state(m, x)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := p.Box()
	return diagnose.Region{P: p.Program(), Lo: lo, Hi: hi, Start: []float64{1, 1}, Unit: []float64{1, 1}, Tol: 1e-6}
}

// TestRay: what proves that a problem is unbounded, and what does not.
func TestRay(t *testing.T) {
	falls := func(m *dc.Model, x dc.Expr) { m.Minimize(x.Dot([]float64{-1, 0})) }
	for name, c := range map[string]struct {
		r    diagnose.Region
		d    []float64
		want bool
	}{
		"free":                {region(t, falls), []float64{1, 0}, true},
		"backend's noise":     {region(t, falls, dc.AtMost(math.Inf(1), 5)), []float64{1, 1e-8}, true},
		"upwards":             {region(t, falls), []float64{-1, 0}, false},
		"bounded far out":     {region(t, falls, dc.AtMost(1e30)), []float64{1, 0}, false},
		"an affine row":       {region(t, func(m *dc.Model, x dc.Expr) { falls(m, x); m.SubjectTo(dc.LE(x.Sum(), dc.Num(1e30))) }), []float64{1, 0}, false},
		"a convex constraint": {region(t, func(m *dc.Model, x dc.Expr) { falls(m, x); m.SubjectTo(dc.LE(dc.Norm2(x), dc.Num(1e9))) }), []float64{1, 0}, false},
		"along a DC row": {region(t, func(m *dc.Model, x dc.Expr) {
			falls(m, x)
			m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(1)))
		}), []float64{1, 0}, true},
		"falls towards data far away": {region(t, func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.SumSquares(x.Sub(dc.Num(1e9))))
		}), []float64{1, 1}, false},
	} {
		if got := c.r.Ray([]float64{1, 1}, c.d, 1, 1e3) != nil; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestPole: log is minus infinity at 0, a large number is not.
func TestPole(t *testing.T) {
	pole := region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Log(x.At(0))) }, dc.AtLeast(0))
	deep := region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Exp(x.At(0)).Neg()) }, dc.AtMost(1000))
	one := []float64{1, 1}
	if !pole.Pole([]float64{1e-12, 1}, one, one) {
		t.Error("log at 0 is no pole")
	}
	if pole.Pole([]float64{0.5, 1}, one, one) {
		t.Error("log at 0.5 is a pole")
	}
	if deep.Pole([]float64{1000, 1}, []float64{999, 1}, []float64{1000, 1}) {
		t.Error("an overflow is a pole")
	}
	beyond := region(t, func(m *dc.Model, x dc.Expr) {
		m.Minimize(dc.Sqrt(x.At(1)).Sub(dc.Exp(x.At(0))))
	}, dc.AtLeast(0), dc.AtMost(1000))
	if beyond.Pole([]float64{1000, 0}, []float64{999, 1}, []float64{1000, 1}) {
		t.Error("an overflow at the boundary of a domain is a pole")
	}
	for _, disc := range []diagnose.Region{
		region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Log(dc.Norm2(x).Neg().Add(dc.Num(1)))) }),
		region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Log(dc.Norm2(x).Neg().Add(dc.Num(1)))) }, dc.AtLeast(0)),
	} {
		if !disc.Pole([]float64{0.6, 0.8 - 1e-10}, []float64{0.3, 0.4}, one) {
			t.Error("the boundary of the disc, which no float64 next to the point is on, is no pole")
		}
		if disc.Pole([]float64{0.6, 0.7}, []float64{0.3, 0.4}, one) {
			t.Error("a point inside of the disc is a pole")
		}
	}
	product := region(t, func(m *dc.Model, x dc.Expr) {
		m.Minimize(dc.Mul(x.At(0), dc.Log(x.At(0))).Neg())
	}, dc.AtLeast(0))
	if product.Pole([]float64{1e-12, 1}, one, one) {
		t.Error("x log x is a pole at 0, where it has no value")
	}
	root := region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Sqrt(dc.Norm2(x).Neg().Add(dc.Num(1)))) })
	if root.Pole([]float64{0.6, 0.8 - 1e-10}, []float64{0.3, 0.4}, one) {
		t.Error("a root is 0 at the boundary, and a pole")
	}
}

// TestPoleAtZero: log(x²) falls for ever towards 0, which a row may forbid; x log x does not.
func TestPoleAtZero(t *testing.T) {
	square := func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Log(dc.SumSquares(x.At(0)))) }
	one := []float64{1, 1}
	for name, c := range map[string]struct {
		r    diagnose.Region
		x    float64
		want bool
	}{
		"log(x²)":              {region(t, square), -1e-160, true},
		"a point further away": {region(t, square), 1e-3, false},
		"a bound":              {region(t, square, dc.AtLeast(1e-13)), 1e-13, false},
		"a row": {region(t, func(m *dc.Model, x dc.Expr) {
			square(m, x)
			m.SubjectTo(dc.GE(x.At(0), x.At(1).Scale(1e-13)))
		}), 1e-13, false},
		"x log x": {region(t, func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.Mul(x.At(0), dc.Log(x.At(0))))
		}, dc.AtLeast(0)), 1e-20, false},
		"a power that falls as slowly as a logarithm": {region(t, func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.Pow(dc.SumSquares(x.At(0)), x.At(0).Scale(7).Add(dc.Num(1e-4))))
		}), 1e-12, false},
		"a quotient": {region(t, func(m *dc.Model, x dc.Expr) {
			m.Minimize(dc.Quotient(x.At(1), x.At(0)))
		}, dc.AtLeast(-1), dc.AtMost(1)), -1e-20, true},
	} {
		if c.r.PoleAtZero([]float64{c.x, 1}, one) != c.want {
			t.Errorf("%s at %g: not %v", name, c.x, c.want)
		}
	}
}

// TestFallingFar: a point so far that its value is the limit is on the way to it where the
// objective still falls.
func TestFallingFar(t *testing.T) {
	hyperbola := region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.InvPos(x.At(0)).Add(dc.Num(3))) }, dc.AtLeast(1))
	flat := region(t, func(m *dc.Model, x dc.Expr) { m.Minimize(dc.Pos(dc.Num(2).Sub(x.At(0))).Add(dc.Num(3))) }, dc.AtLeast(1))
	for _, far := range []float64{1e10, 1e15, 1e17, 1e20} {
		if limit, ok := hyperbola.Falling([]float64{far, 1}); limit != 3 || !ok {
			t.Errorf("1/x + 3 from 1 through %g: %g, %v", far, limit, ok)
		}
		if limit, ok := flat.Falling([]float64{far, 1}); ok {
			t.Errorf("pos(2 - x) + 3 from 1 through %g falls towards %g", far, limit)
		}
	}
}
