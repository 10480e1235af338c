package dc_test

import (
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// TestEqualFunctionsAreShared: every atom, made twice, is one function; of other
// arguments it is another one.
func TestEqualFunctionsAreShared(t *testing.T) {
	for _, s := range samples {
		t.Run(s.atom, func(t *testing.T) {
			_, a := argument(dc.NewModel())
			e, f := s.make(a), s.make(a.Scale(1))
			if s.oracle { // nobody knows what is in it
				return
			}
			if d := e.Sub(f); !d.IsConst() || d.Value(nil) != 0 {
				t.Errorf("made twice, the difference is not seen to be zero")
			}
			if d := dc.Sum(e, f); d.Value([]float64{1, 2, 3, 4, 5}) != 2*e.Value([]float64{1, 2, 3, 4, 5}) {
				t.Errorf("the sum is not twice the function")
			}
			if other := s.make(a.Add(dc.Num(0.125))); other.Err() == nil && !e.IsAffine() && e.Sub(other).IsConst() {
				t.Errorf("functions of other arguments count as equal")
			}
		})
	}
}

// TestSharedForms: what is stated twice is represented once.
func TestSharedForms(t *testing.T) {
	x := dc.NewModel().Var("x", []int{3})
	f := dc.Exp(dc.Norm1(x).Add(dc.Norm2(x).Scale(2)))
	var share expr.Sharer
	if a, b := share.First(f.Scalar().G()), share.First(dc.Exp(dc.Norm1(x).Add(dc.Norm2(x).Scale(2))).Scalar().G()); a != b {
		t.Error("a function of functions is not found again")
	}
	for k := range 100 {
		if share.First(dc.Abs(x.At(0).Add(dc.Num(float64(k)))).Scalar().G()) == nil {
			t.Fatal("nothing is found")
		}
	}
}

// TestManyTerms: of a thousand terms equal ones are found, whatever their order,
// and different ones are told apart even where much of them agrees.
func TestManyTerms(t *testing.T) {
	const n = 300
	x := dc.NewModel().Var("x", []int{n})
	var es []dc.Expr
	for round := range 3 {
		for k := range n {
			i := (k*7 + round) % n
			es = append(es, dc.Pos(x.At(i).Sub(dc.Num(1))), dc.Pos(x.At(i).Sub(dc.Num(2))).Neg(), dc.Abs(x.At(i)), dc.Max(x.At(i), x.At((i+1)%n), dc.Abs(x.At(i))))
		}
	}
	e := dc.Sum(es...)
	point := make([]float64, n)
	want := 0.0
	for i := range point {
		point[i] = float64(i%11) - 4.5
	}
	for i, v := range point {
		want += 3 * (max(v-1, 0) - max(v-2, 0) + max(v, -v) + max(v, point[(i+1)%n], max(v, -v)))
	}
	if got := e.Value(point); got != want {
		t.Errorf("the sum is %g, want %g", got, want)
	}
	if h := dc.Sum([]dc.Expr{e, e.Neg()}...); !h.IsConst() {
		t.Error("the sum less itself is not zero")
	}
	// Each function is met three times and kept once.
	var share expr.Sharer
	kept := map[convex.Func]bool{}
	for _, e := range es {
		if e.IsConvex() {
			kept[share.First(e.Scalar().G())] = true
		} else {
			kept[share.First(e.Scalar().H())] = true
		}
	}
	if len(kept) != 4*n {
		t.Errorf("%d functions are kept, want %d", len(kept), 4*n)
	}
}
