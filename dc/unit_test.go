package dc_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestUnitOfARow: rows of all kinds are measured by the sizes of their terms at the point, with a
// floor of a thousandth of their size at the typical point; a box that is large makes no
// difference.
func TestUnitOfARow(t *testing.T) {
	num := dc.Num
	for _, c := range []struct {
		name   string
		row    func(x dc.Expr) []dc.Constraint // two variables within ±1000
		least  float64                         // of the first variable
		at     float64                         // of the first variable, where the row holds with equality
		sign   float64                         // of steps of it that break the row
		second float64
	}{
		{"an affine row", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.LE(x.At(0).Scale(1e-4), num(2.8e-5))}
		}, -1000, 0.28, 1, 7},
		{"an affine equation", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.EQ(x.At(0).Sub(x.At(1)).Scale(1e-4), num(0))}
		}, -1000, 0.28, 1, 0.28},
		{"squares", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.LE(dc.SumSquares(x).Scale(1e-4), num(2.8e-5))}
		}, -1000, math.Sqrt(0.28), 1, 0},
		{"a difference", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.LE(dc.Square(x.At(0)).Sub(dc.Square(x.At(1))).Scale(1e-4), num(0))}
		}, -1000, math.Sqrt(0.28), 1, math.Sqrt(0.28)},
		{"a norm", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.GE(dc.Norm2(x).Scale(1e-4), num(2.8e-5))}
		}, -1000, 0.28, -1, 0},
		{"a bound", func(x dc.Expr) []dc.Constraint { return nil }, 2.8e-5, 2.8e-5, -1, 7},
		{"a domain", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.GE(dc.Sqrt(x.At(0).Scale(1e-4).Add(num(-2.8e-5))), num(0))}
		}, -1000, 0.28, -1, 0},
		{"a domain of a sum", func(x dc.Expr) []dc.Constraint {
			return []dc.Constraint{dc.GE(dc.Sqrt(dc.Norm2(x).Scale(-1e-4).Add(num(2.8e-5))), num(0))}
		}, -1000, 0.28, 1, 0},
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-1000), dc.AtMost(1000))
		m.SubjectTo(c.row(x)...)
		if c.least > -1000 {
			m.SubjectTo(dc.GE(x.At(0), num(c.least)))
		}
		m.Minimize(x.Sum())
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for share, feasible := range map[float64]bool{0: true, 1e-8: true, 0.0084: false, 0.03: false} {
			y := []float64{c.at * (1 + c.sign*share), c.second}
			if p.Feasible(y, 1e-6) != feasible {
				v := p.Program().Violations(y)
				t.Errorf("%s at %v, broken by %g of its size: feasible %v, %+v", c.name, y, share, !feasible, v)
			}
		}
	}
}

// TestRoundingAtAnEnd: at the end of a domain, where slopes are infinite, rounding errors are those
// of the function: they are no reason to take a row that is broken by far for one that holds.
func TestRoundingAtAnEnd(t *testing.T) {
	for name, f := range map[string]func(x dc.Expr) dc.Expr{
		"power":   func(x dc.Expr) dc.Expr { return dc.Power(x.At(0).Scale(-0.82).Add(dc.Num(2.46)), 0.3) },
		"geomean": func(x dc.Expr) dc.Expr { return dc.GeoMean(dc.Stack(x.At(1), x.At(0), x.At(0), x.At(0))) },
		"wgeomean": func(x dc.Expr) dc.Expr {
			return dc.WeightedGeoMean(dc.Stack(x.At(1), x.At(0)), []float64{1, 3})
		},
	} {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(0), dc.AtMost(3))
		m.Minimize(x.Sum())
		m.SubjectTo(dc.LE(dc.Sum(x.At(0), f(x)), dc.Num(3-1e-3)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if at := []float64{3, 0}; p.Feasible(at, 1e-6) || !p.Feasible(at, 2e-3) {
			t.Errorf("%s: %+v", name, p.Program().Violations(at))
		}
	}
}

// TestMeanAtZero: where all entries are 0 the slopes of a mean are the weights, with which no point
// is above the tangent.
func TestMeanAtZero(t *testing.T) {
	for name, f := range map[string]func(x dc.Expr) dc.Expr{
		"geomean": func(x dc.Expr) dc.Expr { return dc.GeoMean(dc.Stack(x.At(0), x.At(0))) },
		"wgeomean": func(x dc.Expr) dc.Expr {
			return dc.WeightedGeoMean(dc.Stack(x.At(0), x.At(0)), []float64{1, 3})
		},
	} {
		m := dc.NewModel()
		m.Maximize(f(m.Var("x", []int{1}, dc.AtLeast(0), dc.AtMost(3))))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slope := make([]float64, 1)
		if p.Program().Objective.AddGradient(slope, 1, []float64{0}); math.Abs(slope[0]+1) > 1e-12 {
			t.Errorf("%s of x and x: slope %g at 0, want 1", name, -slope[0])
		}
	}
}

// TestBalancing: the multiple of a point at which the largest term reaches the constant; 1 where
// none does, as of zeros.
func TestBalancing(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.SubjectTo(dc.GE(dc.Exp(x.At(0)).Add(dc.Square(x.At(1))), dc.Num(1e12)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{0, 0}, 1}, {[]float64{-1, 0}, 1}, {[]float64{0, 1}, 0x1p20}} {
		if got := p.Program().Constraints[0].Balancing(c.x, 1e-9); got != c.want {
			t.Errorf("at %v: %g, want %g", c.x, got, c.want)
		}
	}
}
