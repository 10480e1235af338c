package dc_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// Starts that are tied have the values of their expressions, in order; infinite ones are left out.
func TestTie(t *testing.T) {
	m := dc.NewModel()
	x, s := m.Var("x", []int{3}, dc.StartAt(1, 2, 0)), m.Var("s", []int{3}, dc.StartAt(9))
	sums := s.MulSparse([]int{0, 0, 1, 2}, []int{0, 1}, []float64{1, 1}).Add(x)
	m.Tie(s, sums)
	u := m.Var("u", []int{2}, dc.StartAt(7))
	m.Tie(u, dc.Stack(dc.Square(x.At(1)), dc.Log(x.At(2))))
	m.Minimize(dc.Sum(x))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := p.Start(1)
	for k, want := range []float64{1, 2, 0, 1, 3, 3, 4, 7} {
		if at[k] != want {
			t.Errorf("entry %d starts at %g, want %g", k, at[k], want)
		}
	}
	m.Tie(s, x.Slice(0, 2))
	if _, err := m.Problem(context.Background()); err == nil {
		t.Error("starts of 3 entries are tied to 2")
	}
}
