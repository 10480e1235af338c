package interior

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
)

// A point of a second-order cone that rounding has moved to the boundary is moved inside, one
// that is outside is not.
func TestLift(t *testing.T) {
	mb := newMember(qpbackend.Cone{Kind: qpbackend.SecondOrder, Len: 3}, 0)
	s, z := []float64{5, 3, 4}, []float64{1, 0.6, 0.8}
	if mb.Scale(s, z) {
		t.Fatal("a point of the boundary has a scaling")
	}
	if !mb.lift(s, z) || !(s[0]-5 <= 1e-14) || !(z[0]-1 <= 1e-14) {
		t.Errorf("not moved inside, or too far: %v, %v", s, z)
	}
	if mb.lift([]float64{5, 3, 4.001}, z) {
		t.Error("a point outside is taken for one inside")
	}
}
