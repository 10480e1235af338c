package dc

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// TestNearFamilies: in a box the function of Near has the values and gradients of the expression,
// with few members of its own where the box is small.
func TestNearFamilies(t *testing.T) {
	looked := map[string]bool{}
	for _, name := range []string{"abs", "hinge", "norm1", "max of affine", "abs of maxima"} {
		for kind := range 8 {
			r := rand.New(rand.NewPCG(uint64(kind), 11))
			m := NewModel()
			x := m.Var("x", []int{7})
			var es []Expr
			for range 600 {
				e := templates[name](randomRows(rand.New(rand.NewPCG(r.Uint64(), 1)), x, kind))
				es = append(es, e.Scale(float64(1+r.IntN(4))/8))
			}
			if name == "hinge" { // and those of the same rows with another kink, which share their products
				for k := range 600 {
					if f := expr.RowAt(es[k].one().Terms[0].F, atom.Max); f != nil {
						es = append(es, Pos(FromLinear(f.Linear(0)).Shift(0.5)).Scale(-0.1))
					}
				}
			}
			m.Minimize(Sum(es...))
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Fatal(name, err)
			}
			f := &p.Program().Objective
			at, radius := make([]float64, 7), make([]float64, 7)
			for j := range at {
				at[j] = 6*r.Float64() - 3
			}
			for _, reach := range []float64{0.3, 0.02, 1e-4} {
				for j := range radius {
					radius[j] = reach * r.Float64()
				}
				near := family.Near(*f, at, radius)
				g := family.FamilyIn(f.Terms[0].F)
				if ok := g != nil && kind == 0 && reach < 1e-3 && g.Coefficients() >= family.LeastRecent*len(g.Indices); ok {
					n, ok := near.Terms[0].F.(*family.Nearby)
					if !ok || n.Some != nil && n.Some.Plan.N > 60 {
						t.Errorf("%s: of %d members too many may have a kink in a small box", name, g.Plan.N)
					}
					looked[name] = true
				}
				for range 20 {
					y := make([]float64, 7)
					for j := range y {
						y[j] = at[j] + radius[j]*(2*r.Float64()-1)
					}
					a, b := make([]float64, 7), make([]float64, 7)
					f.AddSubgrad(a, 0.5, y)
					near.AddSubgrad(b, 0.5, y)
					if v := f.Value(y); !(math.Abs(v-near.Value(y)) <= 1e-9*(1+math.Abs(v))) {
						t.Fatalf("%s, kind %d: the value is %g, and near %g", name, kind, v, near.Value(y))
					}
					for j := range a {
						if !(math.Abs(a[j]-b[j]) <= 1e-9*(1+math.Abs(a[j]))) {
							t.Fatalf("%s, kind %d: the gradients are %v and %v", name, kind, a, b)
						}
					}
				}
			}
		}
	}
	if len(looked) < 4 {
		t.Errorf("families are too small for all but %v", looked)
	}
}
