package dc

import (
	"testing"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
)

// TestFunctionsOfFunctions: the split of the logarithm of a sum of two normal densities has
// hundreds of functions. Its domain has each once, whether a point is in it is decided by the
// functions as they are written, and these count as work.
func TestFunctionsOfFunctions(t *testing.T) {
	m := NewModel()
	w := m.Var("w", nil, AtLeast(0.05), AtMost(0.95))
	mu := m.Var("mu", []int{2}, AtLeast(-10), AtMost(15))
	s := m.Var("s", []int{2}, AtLeast(0.2), AtMost(5))
	density := func(k int) Expr {
		return Quotient(Exp(Quotient(Square(mu.At(k).Shift(-2)), Square(s.At(k)).Scale(-2))), s.At(k))
	}
	e := Log(Mul(w, density(0)).Add(Mul(Num(1).Sub(w), density(1)))).Scalar()
	if n := family.Coefficients(e); n < 30 || n > 200 {
		t.Errorf("a value visits %d coefficients", n)
	}
	if e.Err != nil {
		t.Fatal(e.Err)
	}
	split := e.SplitNow()
	terms := append(split.G, split.H...)
	f, ok := terms[0].F.(*expr.StandIn)
	if !ok || len(terms) > 1 {
		t.Fatalf("the split has %d functions, the first is a %T", len(terms), terms[0].F)
	}
	if once, all := len(f.Domain()), len(f.All.Domain()); 4*once > all {
		t.Errorf("the domain has %d functions, all that occur are %d", once, all)
	}
	for _, c := range []struct {
		x      []float64
		inside bool
	}{
		{[]float64{0.5, 1, 2, 1, 0.3}, true},
		{[]float64{0.5, 1, 2, 0, 0.3}, false}, // a density of width 0
		{[]float64{2, 1, 5, 5, 0.01}, true},   // a negative weight of a density that is 0
		{[]float64{-2, 1, 2, 1, 5}, false},    // the logarithm of a negative number
	} {
		if f.Inside(c.x) != c.inside {
			t.Errorf("inside at %v: %v", c.x, !c.inside)
		}
	}
}

// TestDomainsOfOneHash: functions whose hashes are equal, as these differ in a coefficient that
// hashes do not look at, are all in the domain.
func TestDomainsOfOneHash(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{24}, AtLeast(1), AtMost(2))
	var logs []Expr
	for k := range 20 {
		w := make([]float64, 24)
		for j := range w {
			w[j] = 1
		}
		w[1] += float64(k) / 8
		logs = append(logs, Log(x.Dot(w).Sub(Square(x.At(0)))))
	}
	e := Sin(Sum(logs...)).Scalar()
	if e.Err != nil {
		t.Fatal(e.Err)
	}
	split := e.SplitNow()
	n := 0
	for _, u := range append(split.G, split.H...) {
		if f, ok := u.F.(*expr.StandIn); ok {
			n = max(n, len(f.Domain()))
		}
	}
	if n != 20 {
		t.Errorf("a domain of %d functions, want 20", n)
	}
}
