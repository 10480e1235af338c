package dc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// manyConstraints are constraints of one shape, in a model that makes one object of them,
// and in one that cannot as their names differ in the number of indices.
func manyConstraints(t *testing.T, make func(row func(n int) Affine) Expr, kind int) (joined, apart *Problem) {
	t.Helper()
	build := func(width func(k int) int) *Problem {
		r := rand.New(rand.NewPCG(uint64(kind), 3))
		m := NewModel()
		x := m.Var("x", []int{7}, AtLeast(-3), AtMost(3))
		m.Minimize(Sum(x))
		for k := range fewestConstraints + 20 {
			row := randomRows(rand.New(rand.NewPCG(r.Uint64(), 1)), x, kind)
			e := make(row).Sub(make(row).Scale(0.5)).Add(row(1).At(0))
			m.SubjectTo(LE(e, Num(0)).Named("c", []int{k, 1}[:width(k)]...))
		}
		p, err := m.Problem()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return build(func(int) int { return 1 }), build(func(k int) int { return 1 + k%2 })
}

// TestMembers: constraints that differ in numbers are one object, and as such have the
// values, gradients, names and violations of constraints one by one.
func TestMembers(t *testing.T) {
	one := 0
	for name, make := range templates {
		for _, kind := range []int{0, 3, 6} {
			p, q := manyConstraints(t, make, kind)
			if p.Constraints[0].members == nil {
				continue // of a function that is no member
			}
			one++
			if err := sameConstraints(p, q); err != nil {
				t.Errorf("%s, kind %d: %v", name, kind, err)
			}
		}
	}
	if one < 20 {
		t.Errorf("%d cases were made one object", one)
	}
}

func sameConstraints(p, q *Problem) error {
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 2 {
		x := make([]float64, 7)
		for k := range x {
			x[k] = float64(r.IntN(25)-12) / 4
			if round > 0 {
				x[k] = 6*r.Float64() - 3
			}
		}
		if a, b := p.Violations(x), q.Violations(x); a.Largest != b.Largest || a.Relative != b.Relative || a.Excess != b.Excess || a.Where() != strings.Replace(b.Where(), ",1]", "]", 1) {
			return fmt.Errorf("violations %v, then %v", b, a)
		}
		values := make([]float64, len(p.Constraints))
		m := p.Constraints[0].members
		m.Values(values, x)
		for k := range p.Constraints {
			c, d := &p.Constraints[k], &q.Constraints[k]
			e, f := c.E(), d.E()
			v := f.Value(x)
			if c.Value(x) != v || values[k] != v || e.Value(x) != v {
				return fmt.Errorf("%s at %v: %g, then %g, %g and %g", d.Name(), x, v, c.Value(x), values[k], e.Value(x))
			}
			if c.Name() != fmt.Sprintf("c[%d]", k) || c.Convex() != d.Convex() || !slices.Equal(c.Support(), d.Support()) {
				return fmt.Errorf("%s: convex %v, variables %v, then %v and %v", c.Name(), d.Convex(), d.Support(), c.Convex(), c.Support())
			}
			if e.Range() != f.Range() || !slices.Equal(m.AppendSupport(nil, k), f.H().Support()) {
				return fmt.Errorf("%s: range %v, then %v", c.Name(), f.Range(), e.Range())
			}
		}
		grad := make([]float64, 7)
		var err error
		m.Tangents(x, grad, func(k int, h float64) {
			f := q.Constraints[k].E().H()
			want := make([]float64, 7)
			f.AddSubgrad(want, 1, x)
			for _, j := range f.Support() {
				if math.Abs(grad[j]-want[j]) > 1e-15*(1+math.Abs(want[j])) || h != f.Value(x) {
					err = fmt.Errorf("c[%d] at %v: h is %g with gradient %v, then %g with %v", k, x, f.Value(x), want, h, grad)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMembersDefined: a variable that an equation defines leaves the members that have it.
func TestMembersDefined(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{3}, AtLeast(-2), AtMost(2))
	s := m.Var("s", nil)
	m.Minimize(Sum(x))
	m.SubjectTo(EQ(s, Log(x.At(0))))
	for k := range fewestConstraints {
		m.SubjectTo(GE(Norm2(x), ToExpr(s).Scale(float64(k))).Named("c", k))
	}
	p, err := m.Problem()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Constraints[2:] {
		if c.members != nil || len(c.E().split().lin.Idx) > 0 && slices.Contains(c.E().split().lin.Idx, 3) {
			t.Fatal(c.Name(), "still has the variable")
		}
	}
	if v := p.Violations([]float64{-1, 1, 1, 0}); v.Largest == 0 {
		t.Error("log of a negative number breaks nothing")
	}
}
