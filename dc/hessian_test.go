package dc_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// TestHessians: every function without kinks has products with its Hessian, which are differences
// of its gradients: of the convex part, of what is subtracted, and as it is written.
func TestHessians(t *testing.T) {
	products := 0
	check := func(name string, f convex.Func, positive bool) {
		t.Helper()
		g, says := f.(interface{ Smooth() bool })
		product, ok := convex.HessianOf(f)
		if says && g.Smooth() && !ok {
			t.Errorf("%s (%v) is smooth and has no Hessian", name, f)
		}
		if !ok || len(f.Support()) == 0 {
			return
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			x, v := make([]float64, dim), make([]float64, dim)
			for j := range x {
				if x[j], v[j] = 4*r.Float64()-2, r.NormFloat64(); positive {
					x[j] = 0.3 + r.Float64()
				}
			}
			if i, restricted := f.(convex.Restricted); restricted && !i.Inside(x) || !(math.Abs(f.Value(x)) < 1e6) {
				continue
			}
			gradient := func(h float64) []float64 {
				y, g := slices.Clone(x), make([]float64, dim)
				for j := range y {
					y[j] += h * v[j]
				}
				f.AddSubgrad(g, 2, y)
				return g
			}
			got := make([]float64, dim)
			product(got, 2, x, v)
			const h = 1e-5
			up, down, near := gradient(h), gradient(-h), gradient(h/2)
			for j, low := range gradient(-h / 2) {
				want, other := (near[j]-low)/h, (up[j]-down[j])/(2*h)
				size := 1 + math.Abs(want) + math.Abs(up[j])
				if math.Abs(want-other) < 1e-3*size && math.Abs(got[j]-want) > 1e-2*size {
					t.Fatalf("%s (%v) at %g along %g: entry %d is %g, want %g", name, f, x, v, j, got[j], want)
				}
			}
			products++
		}
	}
	for _, s := range samples {
		x := dc.NewModel().Var("x", []int{dim})
		e := s.make(x)
		check(s.atom, e.Scalar().G(), s.positive)
		check(s.atom, e.Scalar().H(), s.positive)
		check(s.atom, function(e), s.positive)
	}
	x := dc.NewModel().Var("x", []int{dim}, dc.AtLeast(-1), dc.AtMost(2))
	for name, e := range bentSamples(x) {
		check(name, function(e), false)
		check(name, e.Scalar().H(), false)
	}
	before := products
	check("even power", function(dc.Power(x.At(0), 6)), false)
	if products == before {
		t.Error("an even power has no Hessian")
	}
	if products < 800 {
		t.Errorf("%d products", products)
	}
}

// function is e as a function of the variables.
func function(e dc.Expr) *expr.Scalar {
	f := e.Scalar()
	return &f
}
