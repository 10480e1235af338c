package dc_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestArraysOfFunctions: functions of a number are applied entry by entry, others along an axis,
// and shapes meet as those of affine arrays do.
func TestArraysOfFunctions(t *testing.T) {
	m := dc.NewModel()
	a := m.Var("a", []int{2, 3}, dc.AtLeast(-2), dc.AtMost(2))
	y := m.Var("y", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	x := []float64{0.5, -1, 2, 1.5, 0.25, -0.75, 1, -1.5}
	for name, c := range map[string]struct {
		e     dc.Expr
		shape []int
		want  []float64
	}{
		"entries":      {dc.Abs(a).Row(1), []int{3}, []float64{1.5, 0.25, 0.75}},
		"columns":      {dc.Square(a).T().Row(2), []int{2}, []float64{4, 0.5625}},
		"rows":         {dc.Norm1(a.Along(1)), []int{2}, []float64{3.5, 2.5}},
		"across":       {dc.Max(a.Along(0)), []int{3}, []float64{1.5, 0.25, 2}},
		"sum":          {dc.Abs(a).Along(1).Sum(), []int{2}, []float64{3.5, 2.5}},
		"all":          {dc.Sum(dc.Abs(a), y), nil, []float64{5.5}},
		"largest":      {dc.SumLargest(dc.Abs(a).Along(1), 2), []int{2}, []float64{3, 2.25}},
		"sum of two":   {dc.Norm2(a.Along(1)).Add(y).Shift(1), []int{2}, []float64{math.Sqrt(5.25) + 2, math.Sqrt(2.875) - 0.5}},
		"less one":     {dc.Square(y).Sub(dc.Num(1)).ScaleEach([]float64{2, -1}), []int{2}, []float64{0, -1.25}},
		"product":      {dc.Mul(a.Row(0), a.Row(1)), []int{3}, []float64{0.75, -0.25, -1.5}},
		"by a number":  {dc.Mul(a.Row(0), y.At(0)), []int{3}, []float64{0.5, -1, 2}},
		"data":         {dc.MatMul(dc.Vec([]float64{1, -1}), dc.Abs(a)), []int{3}, []float64{-1, 0.75, 1.25}},
		"by columns":   {dc.Abs(a).Pick([]int{0, 1, 1}, []int{2, 0, 1}), []int{3}, []float64{2, 1.5, 0.25}},
		"less a row":   {a.Sub(a.Row(0)).Row(1), []int{3}, []float64{1, 1.25, -2.75}},
		"a row of":     {dc.Mul(a.Row(1), dc.Abs(a)).Row(0), []int{3}, []float64{0.75, 0.25, -1.5}},
		"some rows":    {dc.Abs(a).Slice(1, 2), []int{1, 3}, []float64{1.5, 0.25, 0.75}},
		"rows by list": {dc.Abs(y).Rows([]int{1, 0, 1}), []int{3}, []float64{1.5, 1, 1.5}},
		"stack":        {dc.Stack(dc.Abs(y), y), []int{4}, []float64{1, 1.5, 1, -1.5}},
		"diagonal":     {dc.Abs(y).Diag().Reshape(4), []int{4}, []float64{1, 0, 0, 1.5}},
		"inner":        {dc.Inner(dc.Abs(y), y), nil, []float64{1 - 2.25}},
	} {
		if err := c.e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := c.e.Values(x)
		if !slices.Equal(c.e.Shape(), c.shape) || len(got) != len(c.want) {
			t.Errorf("%s: shape %v, values %v", name, c.e.Shape(), got)
			continue
		}
		for k, v := range got {
			if math.Abs(v-c.want[k]) > 1e-15 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	for want, e := range map[string]dc.Expr{
		"sum of shapes [2 3] and [2]":     dc.Abs(a).Add(y),
		"product of shapes [2 3] and [2]": dc.Mul(a, y),
		"axis 2 of shape [2 3]":           dc.Norm2(a.Along(2)),
		"row 2 of shape [2]":              y.Rows([]int{2}),
		"index 3 in dimension 1":          a.Pick([]int{0}, []int{3}),
		"1 columns of indices":            a.Pick([]int{0}),
		"Along(1) must be followed":       dc.Norm2(a.Along(1).Reshape(6)),
		"Along(0) must be followed":       dc.Sum(dc.Abs(a.Along(0))),
		"dc: Along(1) must be":            dc.Norm2(a.Sub(a.Along(1))),
		"Along(1) must be":                dc.Max(a.Along(1), y),
		"Along(0) must":                   dc.Norm1(dc.Abs(a).Along(0).Scale(2)),
		"a number is wanted, not shape":   dc.LogDet(dc.Abs(y)),
	} {
		if strings.HasPrefix(want, "a number") {
			m.Minimize(dc.Abs(y))
			_, err := m.Problem(context.Background())
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("an array as objective: %v", err)
			}
			continue
		}
		if err := e.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestConstraintsOfArrays: a comparison of arrays states one constraint for each entry, of which
// the names have the columns that ForEach is given.
func TestConstraintsOfArrays(t *testing.T) {
	const n = 20
	r := make([]float64, n)
	for k := range r {
		r[k] = 1 + float64(k)/n
	}
	packing := func(state func(m *dc.Model, c dc.Expr)) *dc.Problem {
		m := dc.NewModel()
		c := m.Var("c", []int{n, 2})
		m.Minimize(dc.Max(dc.NormInf(c.Along(1)).Add(dc.Vec(r))))
		state(m, c)
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	arrays := packing(func(m *dc.Model, c dc.Expr) {
		i, j := dc.Pairs(n)
		apart := dc.Norm2(c.Rows(i).Sub(c.Rows(j)).Along(1))
		m.SubjectTo(dc.GE(apart, dc.Vec(r).Rows(i).Add(dc.Vec(r).Rows(j))).ForEach("apart", i, j))
	})
	single := packing(func(m *dc.Model, c dc.Expr) {
		for i := range n {
			for j := i + 1; j < n; j++ {
				m.SubjectTo(dc.GE(dc.Norm2(c.Row(i).Sub(c.Row(j))), r[i]+r[j]).Named("apart", i, j))
			}
		}
	})
	if len(arrays.Program().Constraints) != n*(n-1)/2 || len(single.Program().Constraints) != len(arrays.Program().Constraints) {
		t.Fatalf("%d and %d constraints", len(arrays.Program().Constraints), len(single.Program().Constraints))
	}
	x := arrays.Start(3)
	for k := range arrays.Program().Constraints {
		a, b := &arrays.Program().Constraints[k], &single.Program().Constraints[k]
		if a.Name() != b.Name() || a.Value(x) != b.Value(x) {
			t.Fatalf("%s is %g, %s is %g", a.Name(), a.Value(x), b.Name(), b.Value(x))
		}
	}
	m := dc.NewModel()
	y := m.Var("y", []int{2, 2})
	m.Minimize(dc.SumSquares(y))
	m.SubjectTo(
		dc.LE(dc.Abs(y), 2).Named("places", 7),
		dc.LE(y, 3).ForEach("rows", []int{4, 5, 6, 7}),
		dc.Between(-1, dc.Abs(y.Row(0)), []float64{1, 2}).Named("both"),
		dc.EQ(dc.Square(y.Row(1)), 1).ForEach("unit", []int{1, 2}),
	)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for k := range p.Program().Constraints {
		names = append(names, p.Program().Constraints[k].Name())
	}
	want := "places[7,0,0] places[7,0,1] places[7,1,0] places[7,1,1] rows[4] rows[5] rows[6] rows[7] " +
		"both[0] both[0] both[1] both[1] unit[1] unit[1] unit[2] unit[2]"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	none, empty := dc.Pairs(1)
	alone := dc.GE(dc.Norm2(y.Rows(none).Sub(y.Rows(empty)).Along(1)), 2).ForEach("apart", none, empty)
	if err := alone.Err(); err != nil {
		t.Errorf("no pairs: %v", err)
	}
	var nobody *dc.Model
	if y := nobody.SubjectTo(alone).Dual(some{}); y != nil {
		t.Errorf("multipliers of no model: %v", y)
	}
	for want, c := range map[string]dc.Constraint{
		"must be made with LE":            dc.Constraint{}.ForEach("a", []int{1}),
		"Along(0) must be followed":       dc.LE(y.Along(0), 1),
		"on the left of ≤ and [3]":        dc.LE(dc.Abs(y), dc.Vec([]float64{1, 2, 3})),
		"4 constraints and a column of 3": dc.LE(dc.Abs(y), 1).ForEach("bad", []int{1, 2, 3}),
	} {
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// some is a solution with one multiplier.
type some struct{}

func (some) Multipliers() [][]float64 { return [][]float64{{1}} }

func ExamplePairs() {
	i, j := dc.Pairs(3)
	fmt.Println(i, j)
	// Output: [0 0 1] [1 2 2]
}

// TestSizesOfArrays: arrays of any size, of which large ones are graphs, have the same entries, the
// same parts and the same constraints.
func TestSizesOfArrays(t *testing.T) {
	for _, n := range []int{127, 128} {
		m := dc.NewModel()
		x, u := m.Var("x", []int{n, 2}), m.Var("u", []int{n}, dc.AtLeast(1), dc.AtMost(4))
		e := dc.Norm2(x.Along(1))
		at := make([]float64, 3*n)
		at[6], at[7] = 3, 4
		for _, one := range []dc.Expr{e.At(3), e.Slice(3, 4), e.Shift(1).Entry(3).Shift(-1), e.Rows([]int{3})} {
			if got := one.Value(at); got != 5 {
				t.Errorf("%d: an entry is %g, want 5", n, got)
			}
		}
		none := e.Slice(0, 0)
		sum := none.Add(x.Col(0).Slice(0, 0))
		for _, a := range []dc.Expr{none.Select([]int{0}, nil), e.Rows(nil).Rows(nil), sum, none.T()} {
			if a.Err() != nil || a.Len() != 0 {
				t.Errorf("%d: no entries: %d, %v", n, a.Len(), a.Err())
			}
		}
		number := dc.Norm2(dc.Const([]int{n, 2}, make([]float64, 2*n)).Along(1))
		if a := dc.MatMul(number.Reshape(1, n), x); a.Err() != nil {
			t.Errorf("%d: constants: %v", n, a.Err())
		}
		for _, a := range []dc.Expr{number, dc.Sum(number), e.Sub(e)} {
			if !a.IsConst() {
				t.Errorf("%d: numbers are not constant", n)
			}
		}
		if w := dc.Max(dc.Stack(u, u.Shift(5)).Reshape(2, n).Along(0)); !w.Plain() || w.Linear(3).Const != 5 {
			t.Errorf("%d: the larger one is u + 5", n)
		}
		m.SubjectTo(dc.LE(none, 1).Named("q"), dc.LE(none, 1).ForEach("q", nil))
		m.SubjectTo(dc.LE(dc.Norm2(x.Sub(x).Along(1)), 1), dc.LE(e, 1))
		places := make([]int, n)
		places[n-1] = 1<<40 + 5
		m.SubjectTo(dc.LE(e, 2).ForEach("b", places))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		last := len(p.Program().Constraints) - 1
		if got := p.Program().Constraints[last].Name(); got != "b[1099511627781]" {
			t.Errorf("%d: the last constraint is %s", n, got)
		}
		if got := p.Program().Constraints[last-n].Name(); got != "" {
			t.Errorf("%d: a constraint without a name is %q", n, got)
		}
	}
	m := dc.NewModel()
	x := m.Var("x", []int{3})
	one, two := []float64{1}, []int{0, 1}
	for _, a := range []dc.Expr{x.Reshape(-1, -3), dc.Const([]int{-1, -1}, one), x.Select([]int{-1, -2}, two)} {
		if a.Err() == nil {
			t.Error("a dimension below 0 is no error")
		}
	}
	if v := dc.Abs(x.Slice(0, 1)).Along(0).Value([]float64{1, 2, 3}); !math.IsNaN(v) {
		t.Errorf("an axis that nothing takes has the value %g", v)
	}
}
