package dc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
)

// TestAlong: after many moves of single variables, values and those of further changes
// are the ones that the expression has there.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := dc.NewModel()
	x := m.Var("x", []int{5})
	rows := make([]convex.Linear, 4)
	for i := range rows {
		rows[i] = convex.Linear{Const: rng.NormFloat64()}
		for j := range 5 {
			if i != j {
				rows[i] = rows[i].AddScaled(rng.NormFloat64(), x.Linear(j))
			}
		}
	}
	full := make([]convex.Linear, 6)
	for i := range full {
		for j := range 5 {
			full[i] = full[i].AddScaled(rng.NormFloat64(), x.Linear(j))
		}
	}
	a, dense := dc.FromAffine(convex.Entries(rows...)), dc.FromAffine(convex.Entries(full...))
	e := dc.Sum(dc.SumSquares(a).Scale(-.5), dc.SumSquares(dense), dc.Norm2(a), dc.Norm1(dense), dc.Norm1(x), x.At(1).Scale(3), dc.Min(dc.Square(x.At(2)), dc.Square(x.At(3).Sub(dc.Num(1)))))
	along := family.NewAlong(e.Scalar(), 5)
	at := []float64{1, -1, 2, 0.5, 0}
	if v := along.At(at); v != along.Value() || math.Abs(v-e.Value(at)) > 1e-12 {
		t.Fatalf("%g at the first point, want %g", v, e.Value(at))
	}
	for range 200 {
		j, v := rng.IntN(5), 3*rng.NormFloat64()
		got, old := along.Try(j, v), along.Value()
		at[j] = v
		if want := e.Value(at); math.Abs(got-want) > 1e-9 {
			t.Fatalf("variable %d at %g: %g, want %g", j, v, got, want)
		}
		along.Move(j, v)
		if math.Abs(along.Value()-got) > 1e-12*max(1, math.Abs(old)) {
			t.Fatalf("%g after the move, %g before", along.Value(), got)
		}
	}
	if try, move := along.Cost(0); try < 3 || try > 40 || move < try {
		t.Errorf("a change of x[0] is said to cost %d, a move %d", try, move)
	}
}
