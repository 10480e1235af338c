package scaling

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// parabola is the problem to minimise t − 2·at·x subject to t ≥ x², whose solution is
// x = at, t = at², with the cone ‖(t − 1, 2x)‖ ≤ t + 1.
func parabola(at float64) *qpbackend.Problem {
	a := sparse.Triplets{}
	a.Add(0, 1, 1)
	a.Add(1, 1, 1)
	a.Add(2, 0, 2)
	m, _ := a.CSC(3, 2)
	inf := math.Inf(1)
	return &qpbackend.Problem{
		Q: []float64{-2 * at, 1}, A: m, L: []float64{-1, 1, 0}, U: []float64{inf, inf, inf},
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 0, Len: 3}},
	}
}

// TestBoosts: where x is large the factors of the cone, t and 1, are of unlike
// size. The solution and its multipliers are found all the same, and warm.
func TestBoosts(t *testing.T) {
	for _, at := range []float64{1e-5, 0.3, 3e4, 5e6} {
		p := parabola(at)
		if len(boosts(p)) != 1 {
			t.Fatal("the cone has no boost")
		}
		b := ipm.Backend{}
		units := Spread(p, []float64{Unit(at)}, nil, nil)
		s, err := New(context.Background(), b, p, b.DefaultSettings(), units, nil)
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		for range 2 {
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
			x, top := res.X[0], res.X[1]
			if res.Status != qpbackend.Solved || math.Abs(x-at) > 1e-3*at || math.Abs(top-x*x) > 1e-6*(at*at+x*x)+1e-9 {
				t.Errorf("at %g: %v, x = %g, t = %g", at, res.Status, x, top)
			}
			// The multipliers of t and x: y₀ + y₁ and 2y₂ cancel the costs.
			if d0, d1 := 1+res.Y[0]+res.Y[1], -2*at+2*res.Y[2]; math.Abs(d0) > 1e-6 || math.Abs(d1) > 1e-5*at {
				t.Errorf("at %g: multipliers %v leave %g and %g", at, res.Y, d0, d1)
			}
			if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBoostIsInverse: turn and back undo each other and keep the cone.
func TestBoostIsInverse(t *testing.T) {
	b := lorentzBoost{s: 1 << 12}
	for _, r := range [][2]float64{{3, 1}, {1e6, -1e6 + 1}, {1, 1}} {
		x, y := turn(b.s, r[0], r[1])
		u, v := turn(1/b.s, x, y)
		if math.Abs(u-r[0])+math.Abs(v-r[1]) > 1e-9*math.Abs(r[0]) {
			t.Errorf("%v turns to %g, %g and back to %g, %g", r, x, y, u, v)
		}
		if before, after := r[0]*r[0]-r[1]*r[1], (x-y)*(x+y); math.Abs(before-after) > 1e-6*math.Abs(before) {
			t.Errorf("%v: %g before, %g after", r, before, after)
		}
	}
}

// TestSizesFollow: the columns of fourth powers and square roots get the units of their values,
// from the sizes of the variables and not from their units.
func TestSizesFollow(t *testing.T) {
	inf := math.Inf(1)
	var a sparse.Triplets
	cone := func(from int, u, w int) { // ‖(u − 1, 2w)‖ ≤ u + 1
		a.Add(from, u, 1)
		a.Add(from+1, u, 1)
		a.Add(from+2, w, 2)
	}
	cone(0, 1, 0) // t ≥ x²
	cone(3, 2, 1) // v ≥ t²
	cone(6, 2, 3) // v ≥ r²
	a.Add(9, 2, 3)
	a.Add(9, 4, -1) // e = 3v
	m, _ := a.CSC(10, 5)
	p := &qpbackend.Problem{Q: make([]float64, 5), A: m, L: []float64{-1, 1, 0, -1, 1, 0, -1, 1, 0, 0}, U: []float64{inf, inf, inf, inf, inf, inf, inf, inf, inf, 0}}
	for k := range 3 {
		p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.SecondOrder, Start: 3 * k, Len: 3})
	}
	for _, x := range []float64{1, 60, 2000, 1e-5} {
		units := Spread(p, []float64{Unit(x)}, []float64{x}, nil)
		for j, want := range []float64{x, x * x, x * x * x * x, x * x, 3 * x * x * x * x} {
			if u := units[j]; !Fits(want, u) {
				t.Errorf("x = %g: the unit of column %d is %g, its size %g", x, j, u, want)
			}
		}
	}
}
