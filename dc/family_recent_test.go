package dc

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/shared"
)

// clustered is a sum of the squared distances of 200 points from the nearest of three centres.
func clustered(t *testing.T) *Problem {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 5))
	m := NewModel()
	c := m.Var("c", []int{3, 2})
	var es []Expr
	for range 200 {
		a, b := r.NormFloat64(), r.NormFloat64()
		var near []Expr
		for k := range 3 {
			near = append(near, SumSquares(Stack(c.At(k, 0).Sub(Num(a)), c.At(k, 1).Sub(Num(b)))))
		}
		es = append(es, Min(near...))
	}
	m.Minimize(Sum(es...))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRecent: what a family remembers is what it would compute, in whatever order values, sizes and
// errors are asked for, and by whomever.
func TestRecent(t *testing.T) {
	p := clustered(t)
	g := p.Program().Objective.Terms[0].F
	f := family.FamilyIn(g)
	if f.Coefficients() < family.LeastRecent*len(f.Indices) {
		t.Fatal("values of this family are not remembered")
	}
	r := rand.New(rand.NewPCG(6, 7))
	points, want := make([][]float64, 2*family.MostRecent), make([]family.Evaluation, 2*family.MostRecent)
	for k := range points {
		for range p.NumVars() {
			points[k] = append(points[k], r.NormFloat64())
		}
		e := f.Compute(points[k], family.Asked{Error: true})
		if v, s := f.Compute(points[k], family.Asked{}), f.Compute(points[k], family.Asked{Sizes: true}); v.Value != e.Value || s.Sum != e.Sum || s.Most != e.Most || s.Value != v.Value {
			t.Fatalf("parts at %v: %v, %v, %v", points[k], v, s, e)
		}
		want[k] = e
	}
	var all sync.WaitGroup
	for seed := range uint64(3) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 8))
			at := 0
			for range 3000 {
				if r.IntN(4) == 0 {
					at = r.IntN(len(points))
				}
				x, e := points[at], want[at]
				switch r.IntN(3) {
				case 0:
					if v := f.Value(x); v != e.Value {
						t.Errorf("value %g, and it is %g", v, e.Value)
					}
				case 1:
					if sum, most := f.Sizes(x); sum != e.Sum || most != e.Most {
						t.Errorf("sizes %g, %g, and they are %g, %g", sum, most, e.Sum, e.Most)
					}
				case 2:
					if a := f.Approx(x); a.V != e.Value || a.E != e.Bound {
						t.Errorf("value with error %v, and it is %g within %g", a, e.Value, e.Bound)
					}
				}
			}
		})
	}
	all.Wait()
	if len(f.Recent.Points) != family.MostRecent {
		t.Errorf("%d points are remembered, not %d", len(f.Recent.Points), family.MostRecent)
	}
	x := points[0]
	if n := testing.AllocsPerRun(50, func() {
		x[0]++
		f.Value(x)
		f.Approx(x)
	}); n > 0 && !shared.Race { // under the race detector pools forget
		t.Errorf("%g pieces of memory are taken for a value and its error", n)
	}
}

// TestFamiliesShareData: the coordinates of a point stand in its distances from all centres, and
// once in memory.
func TestFamiliesShareData(t *testing.T) {
	f := family.FamilyIn(clustered(t).Program().Objective.Terms[0].F)
	lists := map[*float64]bool{}
	for k := range f.Plan.Nodes {
		for _, row := range f.Plan.Nodes[k].Rows {
			if c := row.C; len(c) > 1 {
				lists[&c[0]] = true
			}
		}
	}
	if len(lists) != 2 {
		t.Errorf("%d lists of coordinates, not 2", len(lists))
	}
}
