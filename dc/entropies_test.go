package dc_test

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestEntropiesOfProducts: products with logarithms are entropies and divergences, which are convex
// where the whole is.
func TestEntropiesOfProducts(t *testing.T) {
	m := dc.NewModel()
	x, y := m.Var("x", nil), m.Var("y", nil)
	p, q := m.Var("p", nil, dc.AtLeast(0.5), dc.AtMost(4)), m.Var("q", nil, dc.AtLeast(0))
	sum := x.Add(y)
	for name, c := range map[string]struct {
		e     dc.Expr
		value func(x, y, p, q float64) float64
		vex   bool
	}{
		"entropy":    {dc.Mul(x, dc.Log(x)), func(x, _, _, _ float64) float64 { return x * math.Log(x) }, true},
		"multiple":   {dc.Mul(dc.Log(x.Scale(3)), x), func(x, _, _, _ float64) float64 { return x * math.Log(3*x) }, true},
		"divergence": {dc.Mul(x, dc.Log(dc.Mul(x, dc.InvPos(y)))), func(x, y, _, _ float64) float64 { return x * math.Log(x/y) }, true},
		"mixing": {dc.Mul(x, dc.Log(x).Sub(dc.Log(sum))).Add(dc.Mul(dc.Log(y).Sub(dc.Log(sum)), y)),
			func(x, y, _, _ float64) float64 { return x*math.Log(x/(x+y)) + y*math.Log(y/(x+y)) }, true},
		"constant": {dc.Mul(x, dc.Log(x).Add(dc.Num(2))), func(x, _, _, _ float64) float64 { return x * (math.Log(x) + 2) }, true},
		"of a sum": {dc.Mul(sum.Scale(2), dc.Log(sum)), func(x, y, _, _ float64) float64 { return 2 * (x + y) * math.Log(x+y) }, true},
		"by its bounds": {dc.Mul(p, dc.Log(y).Scale(-1)).Add(dc.Mul(p, dc.Log(p))),
			func(_, y, p, _ float64) float64 { return p * math.Log(p/y) }, true},
		"concave":    {dc.Mul(x, dc.Log(x)).Neg(), func(x, _, _, _ float64) float64 { return -x * math.Log(x) }, false},
		"difference": {dc.Mul(x, dc.Log(x)).Sub(dc.Mul(y, dc.Log(y)).Scale(2)), func(x, y, _, _ float64) float64 { return x*math.Log(x) - 2*y*math.Log(y) }, false},
		"and a rest": {dc.Mul(p, dc.Log(p).Add(dc.Square(q))), func(_, _, p, q float64) float64 { return p * (math.Log(p) + q*q) }, false},
	} {
		if err := c.e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := c.e.IsConvex(); got != c.vex {
			t.Errorf("%s: convex %v", name, got)
		}
		for _, at := range [][]float64{{1, 2, 3, 4}, {0.1, 5, 0.5, 0}, {1e-9, 1e3, 1, 1}, {7, 1e-6, 4, 2}} {
			if want, got := c.value(at[0], at[1], at[2], at[3]), c.e.Value(at); math.Abs(got-want) > 1e-12*(1+math.Abs(want)+at[1]) {
				t.Errorf("%s at %v: %g, want %g", name, at, got, want)
			}
		}
	}
	if v := dc.Mul(x, dc.Log(x.Scale(2))).Value([]float64{0, 1, 1, 1}); !math.IsInf(v, 1) {
		t.Errorf("x*log(2*x) at 0: %g; a logarithm has no value there", v)
	}
	if v := dc.Entropy(x).Value([]float64{0, 1, 1, 1}); v != 0 {
		t.Errorf("entr(0) = %g", v)
	}
	if e := dc.Mul(q, dc.Log(y)); e.IsConvex() || e.IsConcave() {
		t.Error("q*log(y) with q >= 0 is neither convex nor concave")
	}
}

// TestPowersOfPowers: a power of a power below 0 is one power, and the root of a product a
// geometric mean.
func TestPowersOfPowers(t *testing.T) {
	m := dc.NewModel()
	u := m.Var("u", nil)
	a, b := m.Var("a", nil, dc.AtLeast(0)), m.Var("b", nil, dc.AtLeast(0))
	e := dc.Power(dc.InvPos(u).Scale(800), 0.6)
	if !e.IsConvex() {
		t.Error("(800/u)^0.6 is convex")
	}
	if got, want := e.Value([]float64{3, 0, 0}), math.Pow(800.0/3, 0.6); math.Abs(got-want) > 1e-13*want {
		t.Errorf("(800/3)^0.6 = %g, want %g", got, want)
	}
	root := dc.Sqrt(dc.Mul(a, b).Scale(4))
	if !root.IsConcave() {
		t.Error("sqrt(4*a*b) is concave for a, b >= 0")
	}
	if got := root.Value([]float64{0, 2, 18}); math.Abs(got-12) > 1e-12 {
		t.Errorf("sqrt(4*2*18) = %g, want 12", got)
	}
	if e := dc.Sqrt(dc.Mul(a, u)); e.Err() != nil || e.Scalar().IsDC() {
		t.Errorf("sqrt(a*u) for u of any sign: %v, with a split: %v", e.Err(), e.Scalar().IsDC())
	}
}
