package dc_test

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// at is a point of TestLogOfFactors.
type at struct{ u, v, p, q, n float64 }

// TestLogOfFactors: the logarithm of products and quotients is a sum of logarithms, with the
// domain that the known signs leave.
func TestLogOfFactors(t *testing.T) {
	m := dc.NewModel()
	u, v := m.Var("u", nil), m.Var("v", nil)
	p, q := m.Var("p", nil, dc.AtLeast(0)), m.Var("q", nil, dc.AtLeast(0))
	n := m.Var("n", nil, dc.AtMost(0))
	over := func(a, b dc.Expr) dc.Expr { return dc.Mul(a, dc.InvPos(b)) }
	two := dc.Num(2)
	for name, c := range map[string]struct {
		e     dc.Expr
		value func(x at) float64 // of the argument
		cave  bool
	}{
		"product":       {dc.Mul(p, q), func(x at) float64 { return x.p * x.q }, true},
		"weight":        {dc.Mul(p, u).Scale(-3), func(x at) float64 { return -3 * x.p * x.u }, true},
		"negative":      {dc.Mul(u, n), func(x at) float64 { return x.u * x.n }, true},
		"three factors": {dc.Mul(dc.Mul(u, p), q), func(x at) float64 { return x.u * x.p * x.q }, true},
		"square":        {dc.Square(p), func(x at) float64 { return x.p * x.p }, true},
		"square of DC":  {dc.Square(over(p, q)), func(x at) float64 { return x.p / x.q * x.p / x.q }, false},
		"quotient":      {over(u, v), func(x at) float64 { return quotientIf(x.v > 0, x.u, x.v) }, false},
		"concave parts": {over(dc.Sqrt(p), dc.Sqrt(q)),
			func(x at) float64 { return math.Sqrt(x.p) / math.Sqrt(x.q) }, false},
		"convex below": {over(p, dc.Square(u).Add(two)), func(x at) float64 { return x.p / (x.u*x.u + 2) }, false},
		"quotient plus 1": {over(u, v).Add(dc.Num(1)),
			func(x at) float64 { return quotientIf(x.v > 0, x.u+x.v, x.v) }, false},
		"one denominator": {over(u, v).Scale(2).Add(dc.InvPos(v)),
			func(x at) float64 { return quotientIf(x.v > 0, 2*x.u+1, x.v) }, false},
	} {
		l := dc.Log(c.e)
		if err := l.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := l.IsConcave(); got != c.cave {
			t.Errorf("%s: concave %v", name, got)
		}
		for _, x := range []at{
			{1, 2, 3, 4, -5}, {-1, -2, 3, 4, -5}, {-1, 2, 0.5, 3, -1}, {1, -2, 1, 1, -1}, {0, 1, 0, 1, 0},
			{1, 0, 1, 0, -2},
		} {
			want, got := math.Log(c.value(x)), l.Value([]float64{x.u, x.v, x.p, x.q, x.n})
			if hasValue(got) != hasValue(want) || hasValue(want) && math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s at %v: %g, want %g", name, x, got, want)
			}
		}
	}
	for name, e := range map[string]dc.Expr{
		"no sign":            dc.Mul(u, v),
		"square of any sign": dc.Square(u),
		"two denominators":   over(u, p).Add(over(u, q)),
	} {
		if l := dc.Log(e); l.Err() != nil || l.Scalar().IsDC() {
			t.Errorf("log of %s: %v, with a split: %v", name, l.Err(), l.Scalar().IsDC())
		}
	}
	if dc.Log(dc.Mul(p, dc.Abs(u))).Err() == nil {
		t.Error("the logarithm of a function with kinks is accepted")
	}
}

func hasValue(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// quotientIf is u/v where ok, else NaN.
func quotientIf(ok bool, u, v float64) float64 {
	if !ok {
		return math.NaN()
	}
	return u / v
}
