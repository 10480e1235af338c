package solve

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestNumbersOf: a large family of distances counts with the rows that it has, other constraints
// with all.
func TestNumbersOf(t *testing.T) {
	const points = 150
	for _, far := range []bool{true, false} {
		m := dc.NewModel()
		x := m.Var("x", []int{points, 2})
		m.Minimize(dc.SumSquares(x))
		pairs := 0
		for i := range points {
			for j := range i {
				d := x.Row(i).Sub(x.Row(j))
				f := dc.Norm2(d)
				if !far {
					f = dc.SumSquares(d)
				}
				m.SubjectTo(dc.GE(f, dc.Num(1+float64(i%3))).Named("apart", i, j))
				pairs++
			}
		}
		m.SubjectTo(dc.LE(dc.Norm2(x.Row(0)), dc.Num(9)).Named("disc"))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rows := pairs + 1
		if far {
			rows = 8*2*points + 1 // ccp/internal/blocks.PerVariable for each variable
		}
		want := 16*rows + 2*points // the squares of the objective
		if got := numbersOf(p.Program()); got != want {
			t.Errorf("far %v: %d numbers, want %d", far, got, want)
		}
	}
}
