package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// TestValuesAsWritten: where the split cancels all digits the value does not,
// and its bound says how far off it may be.
func TestValuesAsWritten(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4})
	big := []float64{1e9, 2, 1, 3}
	r2 := make([]dc.Expr, 4)
	for k := range r2 {
		r2[k] = dc.Square(x.At(k))
	}
	for name, c := range map[string]struct {
		e    dc.Expr
		want float64
		off  float64 // at most
	}{
		"capped square":              {dc.Min(r2[0], dc.Num(1)), 1, 1e-14},
		"capped squares":             {dc.Sum(dc.Min(r2[0], dc.Num(1)), dc.Min(r2[1], dc.Num(10))), 5, 1e-14},
		"trimmed squares":            {dc.SumSquares(x).Sub(dc.SumLargest(dc.Stack(r2...), 1)), 14, 1e-13},
		"trimmed, one by one":        {dc.Sum(r2[3], r2[0], r2[1], r2[2]).Sub(dc.SumLargest(dc.Stack(r2...), 2)), 5, 1e-13},
		"trimmed twice, with a rest": {dc.Sum(r2...).Scale(3).Add(x.At(1)).Sub(dc.SumLargest(dc.Stack(r2...), 1).Scale(3)), 44, 1e-12},
		"product":                    {dc.Mul(x.At(0), x.At(2)), 1e9, 1e-5},
		"square of a difference":     {dc.Square(dc.Abs(x.At(0)).Sub(dc.Num(1e9))), 0, 1e-10},
		"terms that cancel":          {dc.Sum(r2[0], x.At(1)).Sub(dc.Square(x.At(0))), 2, 1e-14},
		"largest of differences":     {dc.Max(dc.Square(x.At(2)).Neg(), dc.Square(x.At(0)).Neg()), -1, 1e-14},
	} {
		v, bound := c.e.Evaluate(big)
		if math.Abs(v-c.want) > bound || bound > c.off || c.e.Value(big) != v {
			t.Errorf("%s is %.17g ± %g, or %.17g; want %g, and a bound of at most %g", name, v, bound, c.e.Value(big), c.want, c.off)
		}
	}
}

// TestErrorsBesideTheLargestNumbers: the bound of the error is a number where the value is one.
func TestErrorsBesideTheLargestNumbers(t *testing.T) {
	x := dc.NewModel().Var("x", []int{2})
	for name, e := range map[string]dc.Expr{"exp": dc.Exp(x.At(0)), "affine": dc.Sum(x.At(1).Scale(0.9)), "sum": dc.Sum(dc.Abs(x.At(1)).Scale(0.9), x.At(0))} {
		if v, bound := e.Evaluate([]float64{709, 0x1p1023}); math.IsInf(v, 0) || !(bound <= 1e-10*v) {
			t.Errorf("%s is %g ± %g", name, v, bound)
		}
	}
}

// TestSplitsOfProducts: g − h is the function, whatever the signs and bounds, and
// g and h are convex along random segments.
func TestSplitsOfProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1, 0), dc.AtMost(3, 1e3))
	y := m.Var("y", []int{2})
	n := dc.Norm2(y)
	for name, e := range map[string]dc.Expr{
		"f²":             dc.Square(n.Sub(dc.Num(3))),
		"(f − g)²":       dc.Square(dc.Norm1(x).Sub(n)),
		"Rosenbrock":     dc.Square(y.At(1).Sub(dc.Num(1)).Scale(1).Sub(dc.Num(0))).Add(dc.Square(dc.Square(y.At(0)).Neg().Add(y.At(1)))),
		"xyz":            dc.Mul(dc.Mul(x.At(0), x.At(1)), y.At(0)),
		"affine·convex":  dc.Mul(y.At(0), n),
		"bounded·convex": dc.Mul(x.At(0), dc.Square(y.At(0))),
		"(xy − 3)²":      dc.Square(dc.Mul(y.At(0), y.At(1)).Sub(dc.Num(3))),
		"cube":           dc.Power(n.Sub(dc.Abs(x.At(0))), 3),
		"sixth power":    dc.Power(n.Sub(dc.Abs(x.At(0))), 6),
		"log(1 + y²)":    dc.Log(dc.Square(y.At(0)).Add(dc.Num(1))),
		"exp(−y²)":       dc.Exp(dc.Square(y.At(0)).Neg()),
		"quotient":       dc.Mul(y.At(0), dc.InvPos(dc.Square(y.At(1)).Add(dc.Num(0.5)))),
		"sign of bounds": dc.Square(dc.Square(y.At(0)).Add(x.At(1))),
		"|f − g|·h":      dc.Mul(dc.Abs(n.Sub(dc.Num(1))), dc.Min(y.At(0), dc.Num(2))),
	} {
		if err := e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		g, h, r := e.Scalar().G(), e.Scalar().H(), e.Range()
		at := func() []float64 {
			return []float64{4*rng.Float64() - 1, 1e3 * rng.Float64() * rng.Float64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		}
		for range 200 {
			p, q := at(), at()
			v, bound := e.Evaluate(p)
			size := 1 + math.Abs(g.Value(p))
			if math.Abs(v-(g.Value(p)-h.Value(p))) > 1e-12*size+bound || !(r.Lo <= v && v <= r.Hi) {
				t.Fatalf("%s is %g at %v, its split %g − %g, its range %v", name, v, p, g.Value(p), h.Value(p), r)
			}
			mid := make([]float64, len(p))
			for k := range mid {
				mid[k] = (p[k] + q[k]) / 2
			}
			for part, f := range map[string]convex.Func{"g": g, "h": h} {
				mean := (f.Value(p) + f.Value(q)) / 2
				if f.Value(mid) > mean+1e-12*(1+math.Abs(f.Value(p))+math.Abs(f.Value(q))) {
					t.Fatalf("%s: %s is not convex between %v and %v", name, part, p, q)
				}
				grad := make([]float64, len(p))
				f.AddSubgrad(grad, 1, p)
				tangent := f.Value(p)
				for k := range p {
					tangent += grad[k] * (q[k] - p[k])
				}
				if tangent > f.Value(q)+1e-10*(1+math.Abs(tangent)+math.Abs(f.Value(p))) {
					t.Fatalf("%s: the tangent of %s at %v is above it at %v: %g > %g", name, part, p, q, tangent, f.Value(q))
				}
			}
		}
	}
}

// TestBoundsOfErrors: every atom's value is within its bound of the value where
// the arguments are moved by less than their rounding errors, and the bound is
// not much more than such errors.
func TestBoundsOfErrors(t *testing.T) {
	for _, s := range samples {
		if s.oracle {
			continue
		}
		m := dc.NewModel()
		x := m.Var("x", []int{dim})
		e := s.make(x.Scale(0.1).Add(dc.Num(0.3)))
		for _, at := range [][]float64{{1, 2, 0.5, 3}, {7, 1, 4, 2}} {
			v, bound := e.Evaluate(at)
			near := append([]float64(nil), at...)
			for k := range near {
				near[k] *= 1 + 0x1p-52
			}
			if w := e.Value(near); math.Abs(v-w) > bound || !(bound <= 1e-11*(1+math.Abs(v))) || v != v {
				t.Errorf("%s at %v is %.17g ± %g, and %.17g beside it", s.atom, at, v, bound, w)
			}
		}
	}
}

// TestUnitsOfProducts: a row whose variables lie between 0 and 1 has the unit 1,
// wherever the point is.
func TestUnitsOfProducts(t *testing.T) {
	m := dc.NewModel()
	u := m.Var("u", []int{4}, dc.AtLeast(0), dc.AtMost(1))
	m.Minimize(u.Sum())
	for j := range 4 {
		m.SubjectTo(dc.LE(dc.Mul(u.At(j), dc.Num(1).Sub(u.At(j))), dc.Num(0)))
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if x := []float64{1e-9, 1e-9, 1 - 1e-9, 1}; !p.Feasible(x, 1e-6) {
		t.Errorf("%v breaks a row by %+v", x, p.Program().Violations(x))
	}
	if x := []float64{1e-5, 0, 1, 1}; p.Feasible(x, 1e-6) {
		t.Errorf("%v is feasible", x)
	}
}
