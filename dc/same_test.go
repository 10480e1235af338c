package dc_test

import (
	"testing"

	"github.com/dcopt/dcopt/dc"
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
			if d := e.Minus(f); !d.IsConst() || d.Value(nil) != 0 {
				t.Errorf("made twice, the difference is not seen to be zero")
			}
			if d := dc.Sum(e, f); d.Value([]float64{1, 2, 3, 4, 5}) != 2*e.Value([]float64{1, 2, 3, 4, 5}) {
				t.Errorf("the sum is not twice the function")
			}
			if other := s.make(a.Add(dc.Num(0.125))); other.Err() == nil && !e.IsAffine() && e.Minus(other).IsConst() {
				t.Errorf("functions of other arguments count as equal")
			}
		})
	}
}

// TestSharedForms: what is stated twice is represented once.
func TestSharedForms(t *testing.T) {
	x := dc.NewModel().Var("x", []int{3})
	f := dc.Exp(dc.Norm1(x).Plus(dc.Norm2(x).Scale(2)))
	var share dc.Sharer
	if a, b := share.First(f.G()), share.First(dc.Exp(dc.Norm1(x).Plus(dc.Norm2(x).Scale(2))).G()); a != b {
		t.Error("a function of functions is not found again")
	}
	for k := range 100 {
		if share.First(dc.Abs(x.At(0).Add(dc.Num(float64(k)))).G()) == nil {
			t.Fatal("nothing is found")
		}
	}
}
