package dc

import (
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/convex"
)

// TestCurvedSums: the curvature of a long sum is that of its split, whether it was known without it
// or not, also where functions cancel.
func TestCurvedSums(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{3})
	r := rand.New(rand.NewPCG(2, 9))
	row := func() Expr {
		l := convex.Linear{Idx: []int{r.IntN(2), 2}, Val: []float64{float64(1 + r.IntN(2)), 1}, Const: float64(r.IntN(3)), Of: x.arr.Of}
		return FromLinear(l)
	}
	kinds := []func() Expr{
		func() Expr { return Min(Square(row()), Square(row()), Num(2)) },
		func() Expr { return Max(Square(row()).Neg(), row()) },
		func() Expr { return Min(Abs(row()), Square(row())) },
		func() Expr { return Abs(row()) },
		func() Expr { return Square(row()) },
		func() Expr { return Pos(row()) },
		row,
	}
	seen := map[[3]bool]int{}
	for round := range 3000 {
		var es []Expr
		some := kinds[r.IntN(len(kinds)):]
		for range 1 + r.IntN(12) {
			e := some[r.IntN(min(len(some), 1+round%3))]()
			es = append(es, e.Scale(float64(r.IntN(3)-1)), e.Scale(float64(r.IntN(3)-1)))
		}
		e := Sum(es...).one()
		g, h := e.Remaining()
		affine, convex, concave := e.IsAffine(), e.IsConvex(), e.IsConcave()
		s := e.NewSplit()
		if affine != s.IsAffine() || convex != s.IsConvex() || concave != s.IsConcave() {
			t.Fatalf("affine %v, convex %v, concave %v; the split says %v, %v, %v", affine, convex, concave, s.IsAffine(), s.IsConvex(), s.IsConcave())
		}
		if g && s.IsConcave() || h && s.IsConvex() {
			t.Fatalf("functions remain in g: %v, in h: %v, and the split has %d and %d", g, h, len(s.G), len(s.H))
		}
		seen[[3]bool{affine, g, h}]++
	}
	for _, k := range [][3]bool{{true, false, false}, {false, true, false}, {false, false, true}, {false, true, true}, {false, false, false}} {
		if seen[k] < 10 {
			t.Errorf("affine, g and h as in %v: %d sums", k, seen[k])
		}
	}
}
