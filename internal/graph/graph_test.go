package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// one is a graph of one member, the largest of an affine function and 0.
func one(j int32, v, c float64) *Graph {
	g := &Graph{N: 1}
	row := Row{Idx: [][]int32{{j}}, Val: [][]float64{{v}}, C: []float64{c}}
	a := g.Add(Node{Op: Affine, Rows: []Row{row, Number([]float64{0})}})
	g.Add(Reduced(atom.Max, 2, a))
	return g
}

// TestAppend: members that are appended one by one have columns, of one number where all are that.
func TestAppend(t *testing.T) {
	g := First(one(1, 2, 3))
	for i := range 300 {
		m := one(1, 2, float64(3+i))
		if !g.Alike(m) || g.Form() != m.Form() {
			t.Fatal("members are not alike")
		}
		g.Append(m)
	}
	done := g.Done()
	r := &done.Nodes[0].Rows[0]
	if done.N != 301 || len(r.Idx[0]) != 1 || len(r.Val[0]) != 1 || len(r.C) != 301 || r.C[300] != 302 || r.C[1] != 3 {
		t.Errorf("%d members with the row %+v", done.N, r)
	}
	g.Append(one(7, 2, 0))
	if r := &g.Nodes[0].Rows[0]; len(r.Idx[0]) != 302 || r.Idx[0][300] != 1 || r.Idx[0][301] != 7 || done.N != 301 {
		t.Errorf("indices %v", r.Idx[0])
	}
	other := &Graph{N: 1}
	other.Add(Node{Op: Affine, Rows: []Row{Number([]float64{0}), Number([]float64{1})}})
	other.Add(Reduced(atom.Max, 2, 0))
	if g.Alike(other) {
		t.Error("members with other coefficients are alike")
	}
}

// TestAddOnce: nodes that are made in the same way are one.
func TestAddOnce(t *testing.T) {
	g := one(1, 2, 3)
	if k := g.Add(Reduced(atom.Max, 2, 0)); k != 1 || len(g.Nodes) != 2 {
		t.Errorf("node %d of %d", k, len(g.Nodes))
	}
	if k := g.Add(Reduced(atom.Min, 2, 0)); k != 2 || g.Nodes[2].W != 1 {
		t.Errorf("node %d of %d", k, len(g.Nodes))
	}
	if of := g.Of(2); len(of.Nodes) != 2 || !of.Last().Is(atom.Min) {
		t.Errorf("a node has %d nodes", len(of.Nodes))
	}
}

// TestRepeated: members whose coefficients are those of others once more are found.
func TestRepeated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 200)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	for _, differ := range []bool{false, true} {
		g := First(one(1, values[0], 0))
		for i := 1; i < 3*len(values); i++ {
			v := values[i%len(values)]
			if differ && i == 3*len(values)-1 {
				v++
			}
			g.Append(one(1, v, float64(i)))
		}
		parts, want := g.Done().Repeated(), 3
		if differ {
			want = 1
		}
		if len(parts) != want || parts[0].N != g.N/want {
			t.Fatalf("%d parts of %d members", len(parts), parts[0].N)
		}
		first, last := &parts[0].Nodes[0].Rows[0], &parts[want-1].Nodes[0].Rows[0]
		if !slices.Equal(last.C, g.Nodes[0].Rows[0].C[g.N-parts[0].N:]) || &last.Val[0][0] != &first.Val[0][0] {
			t.Error("the last part has other numbers")
		}
	}
}

// TestTerms: terms of one variable are joined, and constants that cancel count.
func TestTerms(t *testing.T) {
	x := Row{Idx: [][]int32{{4}}, Val: [][]float64{{1}}, C: []float64{0}}
	y := Row{Idx: [][]int32{{1, 2, 3}}, Val: [][]float64{{1, 2, 3}}, C: []float64{1e6}, Lost: 0.5}
	var s Terms
	s.Add([]float64{2}, &x)
	s.Add([]float64{1, -1, 2}, &y)
	s.Add([]float64{3}, &x)
	s.AddNumber([]float64{-1}, []float64{1e6})
	r, ok := s.Row()
	if !ok || len(r.Idx) != 2 || !slices.Equal(r.Idx[0], []int32{1, 2, 3}) ||
		!slices.Equal(r.Val[0], []float64{1, -2, 6}) || r.Val[1][0] != 5 {
		t.Fatalf("%+v, %v", r, ok)
	}
	if !slices.Equal(r.C, []float64{0, -2e6, 1e6}) || math.Abs(r.Lost-2e6-1) > 1e-6 {
		t.Errorf("constants %v, of which %v has cancelled", r.C, r.Lost)
	}
	s.Add([]float64{-5}, &x)
	if _, ok := s.Row(); ok {
		t.Error("a coefficient that is 0 in all members has a column")
	}
	var mixed Terms
	mixed.Add([]float64{1}, &Row{Idx: [][]int32{{1, 3}}, Val: [][]float64{{1}}, C: []float64{0}})
	mixed.Add([]float64{1}, &Row{Idx: [][]int32{{2}}, Val: [][]float64{{1}}, C: []float64{0}})
	if r, ok := mixed.Row(); !ok || !slices.Equal(r.Idx[0], []int32{1, 2}) || !slices.Equal(r.Idx[1], []int32{2, 3}) {
		t.Errorf("variables in other orders: %+v, %v", r, ok)
	}
	mixed.Add([]float64{1}, &Row{Idx: [][]int32{{3}}, Val: [][]float64{{1}}, C: []float64{0}})
	if _, ok := mixed.Row(); ok {
		t.Error("a variable that stands twice in one member has two columns")
	}
}
