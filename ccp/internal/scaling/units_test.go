package scaling

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestUnitOfAValueNextTo0: v of e^u ≤ v, of which a row implies only that it is at least a rounding
// error below 0, has the unit of its upper bound and not that of the rounding error, also where the
// bounds exclude each other.
func TestUnitOfAValueNextTo0(t *testing.T) {
	for _, upper := range []float64{1, -1.04} {
		var a sparse.Triplets
		a.Add(0, 1, 1) // v ≥ −1e−16
		a.Add(1, 2, 1) // w of e^w ≤ v is any number
		a.Add(3, 1, 1)
		inf := math.Inf(1)
		p := &qpbackend.Problem{
			Q: []float64{0, 0, 0}, L: []float64{-1e-16, 0, -1, 0}, U: []float64{upper, inf, inf, inf},
			Cones: []qpbackend.Cone{{Kind: qpbackend.Exponential, Start: 1, Len: 3}},
		}
		p.A, _ = a.CSC(4, 3)
		if got := Spread(p, []float64{1}, nil, []float64{0.5})[1]; got != 1 {
			t.Errorf("a value from -1e-16 to %g has the unit %g", upper, got)
		}
	}
}

// TestUnit: a size is from an eighth of its unit, a power of 1024, to below 128 of them.
func TestUnit(t *testing.T) {
	for e := -40; e <= 40; e++ {
		for _, f := range []float64{1, 1.5, math.Nextafter(2, 1)} {
			size := math.Ldexp(f, e)
			u := Unit(size)
			if frac, exp := math.Frexp(u); frac != 0.5 || (exp-1)%10 != 0 || size < u/8 || size >= 128*u {
				t.Errorf("the unit of %g is %g", size, u)
			}
		}
	}
}
