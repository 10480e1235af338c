//go:build !lean

package dc

import (
	"math"
	"testing"
)

// TestRepeat: constraints are added to arrays as long as they have the form of the last one.
func TestRepeat(t *testing.T) {
	m := NewModel()
	x, y := m.Var("x", []int{4}), m.Var("y", nil, AtLeast(1))
	m.Minimize(Sum(x))
	rows := func(k int) []Linear { return []Linear{x.At(0).Entry(0), x.At(1 + k%3).Entry(0)} }
	rest := func(k int) Linear { return Linear{Const: float64(k)} }
	for k := range fewestConstraints {
		if m.Repeat(rest(k-1), -1, rows(k-1)) != nil {
			t.Fatal("too few members are repeated")
		}
		m.SubjectTo(GE(Norm2(Entries(rows(k)...)), rest(k)).Named("f", k))
	}
	last := fewestConstraints - 1
	if m.Repeat(rest(last+1), -1, rows(last)) != nil || m.Repeat(rest(last), -2, rows(last)) != nil || m.Repeat(rest(last), -1, rows(last+1)) != nil {
		t.Error("the last constraint has other numbers")
	}
	r := m.Repeat(rest(last), -1, rows(last))
	if r == nil {
		t.Fatal("many members are not repeated")
	}
	other := NewModel()
	for name, ok := range map[string]bool{
		"sign":   r.Add([]int{1}, rest(1), 1, rows(1)),
		"zero":   r.Add([]int{1}, rest(1), 0, rows(1)),
		"index":  r.Add([]int{1, 2}, rest(1), -1, rows(1)),
		"rows":   r.Add([]int{1}, rest(1), -1, rows(1)[:1]),
		"counts": r.Add([]int{1}, y.Entry(0), -1, rows(1)),
		"number": r.Add([]int{1}, rest(1), math.Inf(-1), rows(1)),
		"finite": r.Add([]int{1}, Linear{Const: math.NaN()}, -1, rows(1)),
		"model":  r.Add([]int{1}, rest(1), -1, []Linear{rows(1)[0], other.Var("z", nil).Entry(0)}),
	} {
		if ok {
			t.Errorf("a member with another %s is added", name)
		}
	}
	for k := range 20 {
		if !r.Add([]int{1000 + k}, rest(k), -1.5, rows(k)) {
			t.Fatal("a member is not added")
		}
	}
	m.SubjectTo(LE(Sum(x), Num(9)))
	if r.Add([]int{1}, rest(1), -1, rows(1)) {
		t.Error("a constraint is added behind others")
	}
	p, err := m.Problem()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Constraints); n != fewestConstraints+21 {
		t.Fatal(n, "constraints")
	}
	c := p.Constraints[fewestConstraints+6]
	if v := c.Value([]float64{3, 4, 4, 4, 1}); c.Name() != "f[1006]" || v != 6-7.5 {
		t.Error(c.Name(), v)
	}
}

// TestRepeatOfAbsoluteValues: where the bounds say the sign, the function is another one.
func TestRepeatOfAbsoluteValues(t *testing.T) {
	m := NewModel()
	x, y := m.Var("x", nil), m.Var("y", nil, AtLeast(1))
	for k := range fewestConstraints {
		m.SubjectTo(LE(Abs(x), Num(float64(k))).Named("f", k))
	}
	r := m.Repeat(Linear{Const: 1 - fewestConstraints}, 1, []Linear{x.Entry(0)})
	if r == nil || !r.Add([]int{1}, Linear{}, 2, []Linear{x.Entry(0)}) || r.Add([]int{2}, Linear{}, 2, []Linear{y.Entry(0)}) {
		t.Error("members are added by another rule than the bounds")
	}
}
