package factorable

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestChoices: a choice is the least of its items, and of those that it may be on a box with the
// point.
func TestChoices(t *testing.T) {
	rng, found := rand.New(rand.NewPCG(7, 91)), 0
	for range 200 {
		m := dc.NewModel()
		x := m.Var("x", []int{3}, dc.AtLeast(-2), dc.AtMost(2))
		affine := func() dc.Expr {
			return x.Dot([]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}).Add(dc.Num(rng.NormFloat64()))
		}
		d, c := affine(), 2*rng.NormFloat64()
		items := []dc.Expr{dc.Abs(affine()), dc.Square(affine()).Scale(0.3), dc.Num(0.7), affine()}
		m.Minimize(dc.Sum(dc.SumSquares(x), dc.Min(items[:2+rng.IntN(3)]...).Scale(1.5),
			dc.Pos(d).Scale(0.4), dc.Pos(d.Sub(dc.Num(c))).Scale(-0.4)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(p.Program(), 1)
		if err != nil {
			t.Fatal(err)
		}
		found += len(f.Choices)
		for range 20 {
			at := make([]float64, f.N)
			for j := range at {
				at[j] = 4*rng.Float64() - 2
			}
			box, values := slices.Clone(f.Box), f.Values(at)
			for j := range box[:f.N] {
				near := rng.Float64()
				box[j] = Interval{Lo: max(-2, at[j]-near), Hi: min(2, at[j]+near)}
			}
			if !f.forth(box) {
				t.Fatal("the box of a point is empty")
			}
			for _, c := range f.Choices {
				open, _ := c.Pick.Open(box)
				all, some := math.Inf(1), math.Inf(1)
				for k := range c.Items {
					v := c.Items[k].Value(at)
					if all = min(all, v); slices.Contains(open, k) {
						some = min(some, v)
					}
				}
				if v := c.Cost.Value(values); math.Abs(v-all) > 1e-9 || math.Abs(v-some) > 1e-9 {
					t.Fatalf("the choice is %g, the least item %g, and %g of %v", v, all, some, open)
				}
			}
		}
	}
	if found < 350 {
		t.Errorf("%d choices in 200 problems of two each", found)
	}
}
