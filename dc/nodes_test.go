package dc

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/family"
)

// packing is n circles of radius 1 in the least disc, written one by one.
func packing(m *Model, n int) {
	x, size := m.Var("x", []int{n, 2}), m.Var("R", []int{1}, AtLeast(0)).At(0)
	m.Minimize(size)
	for i := range n {
		m.SubjectTo(LE(Norm2(x.Row(i)).Add(Num(1)), size).Named("inside", i))
	}
	for i := range n {
		for j := range i {
			m.SubjectTo(GE(Norm2(x.Row(i).Sub(x.Row(j))), Num(2)).Named("apart", i, j))
		}
	}
}

// means is n points of the plane, each next to one of four centres, written one by one.
func means(m *Model, n int) {
	c := m.Var("c", []int{4, 2})
	var sum Expr
	for i := range n {
		var to []Expr
		for k := range 4 {
			to = append(to, SumSquares(c.Row(k).Sub(Const([]int{2}, []float64{float64(i % 7), float64(i * i % 11)}))))
		}
		sum = sum.Add(Min(to...))
	}
	m.Minimize(sum)
}

// TestNodesOfModels: a model of any size has the same nodes, three for each family of constraints
// of packing (differences, norms, and their sum with numbers), thirteen of k-means (three for each
// centre, and the least).
func TestNodesOfModels(t *testing.T) {
	for _, test := range []struct {
		name  string
		state func(m *Model, n int)
		nodes int
	}{{"packing", packing, 6}, {"k-means", means, 13}} {
		for _, n := range []int{200, 300} {
			m := NewModel()
			test.state(m, n)
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			nodes := 0
			for k := 0; k < len(p.Program().Constraints); {
				f := p.Program().Constraints[k].Members()
				if f == nil {
					t.Fatalf("%s of %d: constraint %d stands alone", test.name, n, k)
				}
				nodes += len(f.Plan.Nodes)
				k += f.Count()
			}
			for _, s := range p.Program().Objective.Terms {
				f := family.FamilyIn(s.F)
				if f == nil {
					t.Fatalf("%s of %d: a term of the objective stands alone", test.name, n)
				}
				nodes += len(f.Plan.Nodes)
			}
			if nodes != test.nodes {
				t.Errorf("%s of %d: %d nodes, want %d", test.name, n, nodes, test.nodes)
			}
		}
	}
}
