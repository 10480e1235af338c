package dc_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestHyperbola: products of affine factors with known signs that have to exceed a
// number are convex constraints, also of three and more factors and of powers; others
// are not.
func TestHyperbola(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(u, v, w, free dc.Expr) dc.Expr // ≥ 8
		convex bool
	}{
		{"two", func(u, v, _, _ dc.Expr) dc.Expr { return dc.Mul(u, v) }, true},
		{"one sign is enough for the other", func(u, _, _, x dc.Expr) dc.Expr { return dc.Mul(u, x) }, true},
		{"three", func(u, v, w, _ dc.Expr) dc.Expr { return dc.Mul(dc.Mul(u, v), w).Neg() }, true},
		{"two known signs of three", func(u, v, _, x dc.Expr) dc.Expr { return dc.Mul(dc.Mul(u, x), v) }, true},
		{"a square", func(u, v, _, _ dc.Expr) dc.Expr { return dc.Mul(dc.Square(u), v) }, true},
		{"a square of either sign", func(u, _, _, x dc.Expr) dc.Expr { return dc.Mul(dc.Square(x), u) }, false},
		{"the wrong sign", func(u, v, w, _ dc.Expr) dc.Expr { return dc.Mul(dc.Mul(u, v), w) }, false},
		{"a sum", func(u, v, _, _ dc.Expr) dc.Expr { return dc.Mul(u, v).Add(u) }, false},
	} {
		m := dc.NewModel()
		u, v := m.Var("u", nil, dc.AtLeast(0)), m.Var("v", nil, dc.AtLeast(0), dc.AtMost(1e-3))
		w, free := m.Var("w", nil, dc.AtMost(0)), m.Var("free", nil)
		m.Minimize(u)
		m.SubjectTo(dc.GE(c.make(u, v, w, free), dc.Num(8)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(c.name, err)
		}
		k := &p.Program().Constraints[0]
		if k.Convex() != c.convex {
			t.Errorf("%s: convex %v, want %v", c.name, k.Convex(), c.convex)
		}
		for _, x := range [][]float64{{100, .5, -1, 2}, {1e4, 1e-3, -8, 2}, {1, 1, -1, 1}} {
			at := k.Function().G().Value(x) <= 0
			if value := k.Value(x) <= 0; c.convex && at != value {
				t.Errorf("%s at %v: the split says %v, the function %v", c.name, x, at, value)
			}
		}
	}
}

// TestProductsOfUnlikeSize: a product whose factors differ by many orders of magnitude
// is no constant, and its split no other function.
func TestProductsOfUnlikeSize(t *testing.T) {
	for _, high := range []float64{1, 1e4, 1e8, 1e12, 1e16} {
		m := dc.NewModel()
		x, y := m.Var("x", nil, dc.AtLeast(0), dc.AtMost(high)), m.Var("y", nil, dc.AtLeast(0), dc.AtMost(1/high))
		e := dc.Mul(x, y)
		for name, e := range map[string]dc.Expr{"product": e, "less a product": e.Sub(dc.Mul(x, y).Scale(0.5)), "and squares": e.Add(dc.Square(x).Scale(1 / high / high))} {
			if e.IsAffine() || e.IsConvex() {
				t.Errorf("bounds %g: %s passes as affine or convex", high, name)
				continue
			}
			at := []float64{0.7 * high, 0.6 / high}
			split, value := e.Scalar().G().Value(at)-e.Scalar().H().Value(at), e.Value(at)
			if !(math.Abs(split-value) <= 1e-9*math.Abs(value)) {
				t.Errorf("bounds %g: the split of %s is %g, the function %g", high, name, split, value)
			}
		}
	}
}
