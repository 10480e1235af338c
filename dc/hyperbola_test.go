package dc_test

import (
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestHyperbola: products of affine factors with known signs that have to exceed a
// number are convex constraints, also of three and more factors and of powers; others
// are not.
func TestHyperbola(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(u, v, w, free dc.Affine) dc.Expr // ≥ 8
		convex bool
	}{
		{"two", func(u, v, _, _ dc.Affine) dc.Expr { return dc.Mul(u, v) }, true},
		{"one sign is enough for the other", func(u, _, _, x dc.Affine) dc.Expr { return dc.Mul(u, x) }, true},
		{"three", func(u, v, w, _ dc.Affine) dc.Expr { return dc.Mul(dc.Mul(u, v), w).Neg() }, true},
		{"two known signs of three", func(u, v, _, x dc.Affine) dc.Expr { return dc.Mul(dc.Mul(u, x), v) }, true},
		{"a square", func(u, v, _, _ dc.Affine) dc.Expr { return dc.Mul(dc.Square(u), v) }, true},
		{"a square of either sign", func(u, _, _, x dc.Affine) dc.Expr { return dc.Mul(dc.Square(x), u) }, false},
		{"the wrong sign", func(u, v, w, _ dc.Affine) dc.Expr { return dc.Mul(dc.Mul(u, v), w) }, false},
		{"a sum", func(u, v, _, _ dc.Affine) dc.Expr { return dc.Mul(u, v).Add(u) }, false},
	} {
		m := dc.NewModel()
		u, v := m.Var("u", nil, dc.AtLeast(0)), m.Var("v", nil, dc.AtLeast(0), dc.AtMost(1e-3))
		w, free := m.Var("w", nil, dc.AtMost(0)), m.Var("free", nil)
		m.Minimize(u)
		m.SubjectTo(dc.GE(c.make(u, v, w, free), dc.Num(8)))
		p, err := m.Problem()
		if err != nil {
			t.Fatal(c.name, err)
		}
		k := &p.Constraints[0]
		if k.Convex() != c.convex {
			t.Errorf("%s: convex %v, want %v", c.name, k.Convex(), c.convex)
		}
		for _, x := range [][]float64{{100, .5, -1, 2}, {1e4, 1e-3, -8, 2}, {1, 1, -1, 1}} {
			at := k.E.G().Value(x) <= 0
			if value := k.E.Value(x) <= 0; c.convex && at != value {
				t.Errorf("%s at %v: the split says %v, the function %v", c.name, x, at, value)
			}
		}
	}
}
