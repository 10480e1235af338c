package qpbackend_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// complementary is a cone with pairs (s, y) by formula: s on the boundary, y in
// the polar, orthogonal to it.
type complementary struct {
	cone qpbackend.Cone
	draw func(rng *rand.Rand) (s, y []float64)
}

func complementaryPairs() []complementary {
	all := []complementary{
		{qpbackend.Cone{Kind: qpbackend.SecondOrder, Len: 4}, func(rng *rand.Rand) (s, y []float64) {
			u := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			r := math.Hypot(math.Hypot(u[0], u[1]), u[2])
			b := 2 * rng.Float64()
			return append([]float64{r}, u...), []float64{-b * r, b * u[0], b * u[1], b * u[2]}
		}},
		{qpbackend.Cone{Kind: qpbackend.Exponential, Len: 3}, func(rng *rand.Rand) (s, y []float64) {
			ρ, a, b := 2*rng.NormFloat64(), rng.Float64(), rng.Float64()
			return []float64{a * ρ, a, a * math.Exp(ρ)}, []float64{b, b * (1 - ρ), -b * math.Exp(-ρ)}
		}},
		{qpbackend.Cone{Kind: qpbackend.Exponential, Len: 3}, func(rng *rand.Rand) (s, y []float64) {
			return []float64{-rng.Float64(), 0, 0}, []float64{0, -rng.Float64(), -rng.Float64()} // on the face
		}},
		{qpbackend.Cone{Kind: qpbackend.Semidefinite, Len: 3}, func(rng *rand.Rand) (s, y []float64) {
			c, d := math.Cos(6*rng.Float64()), 0.0
			d = math.Sqrt(1 - c*c)
			a, b := rng.Float64(), rng.Float64()
			return []float64{a * c * c, math.Sqrt2 * a * c * d, a * d * d}, []float64{-b * d * d, math.Sqrt2 * b * c * d, -b * c * c}
		}},
		{qpbackend.Cone{Kind: qpbackend.Semidefinite, Len: 1}, func(rng *rand.Rand) (s, y []float64) {
			return []float64{0}, []float64{-rng.Float64()}
		}},
		{qpbackend.Cone{Kind: qpbackend.SecondOrder, Len: 1}, func(rng *rand.Rand) (s, y []float64) {
			return []float64{0}, []float64{-rng.Float64()}
		}},
	}
	for _, α := range []float64{0.5, 0.2, 0.95} {
		all = append(all, complementary{qpbackend.Cone{Kind: qpbackend.Power, Len: 3, Alpha: α}, func(rng *rand.Rand) (s, y []float64) {
			x, z, b := 0.1+rng.Float64(), 0.1+rng.Float64(), rng.Float64()
			w := math.Pow(x, α) * math.Pow(z, 1-α)
			return []float64{x, z, -w}, []float64{-b * α * w / x, -b * (1 - α) * w / z, -b}
		}})
	}
	return all
}

// TestEveryConeHasPairs: a new kind of cone must come into the table above.
func TestEveryConeHasPairs(t *testing.T) {
	for k := range qpbackend.ConeKind(255) {
		has := false
		for _, c := range complementaryPairs() {
			has = has || c.cone.Kind == k
		}
		if named := !strings.HasPrefix(k.String(), "ConeKind("); named != has {
			t.Errorf("%v: has pairs is %v", k, has)
		}
	}
}

// inCone states Ax − l ∈ K behind one interval row, A a random square matrix.
func inCone(rng *rand.Rand, c qpbackend.Cone) *qpbackend.Problem {
	n := c.Len
	var t sparse.Triplets
	t.Add(0, 0, 1)
	for i := range n {
		for j := range n {
			t.Add(1+i, j, rng.NormFloat64())
		}
	}
	a, _ := t.CSC(1+n, n)
	c.Start = 1
	p := &qpbackend.Problem{Q: make([]float64, n), A: a, L: make([]float64, 1+n), U: make([]float64, 1+n), Cones: []qpbackend.Cone{c}}
	p.L[0], p.U[0] = -inf, inf
	return p
}

// TestResidualsOfCones: l is chosen for Ax − l = s − d where d is in the polar
// and orthogonal to s, so that s is the projection; and y is moved from the
// polar by a point of the cone orthogonal to it.
func TestResidualsOfCones(t *testing.T) {
	for _, c := range complementaryPairs() {
		rng := rand.New(rand.NewPCG(11, uint64(c.cone.Kind)))
		for range 200 {
			p := inCone(rng, c.cone)
			n := c.cone.Len
			x, ax := make([]float64, n), make([]float64, 1+n)
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			p.A.AddMulVec(ax, 1, x)
			s, d := c.draw(rng)
			size := 0.0 // of the cone's rows
			for k, i := range p.A.RowIdx {
				if i > 0 {
					size = max(size, math.Abs(p.A.Val[k]))
				}
			}
			size = min(1, size)
			norm, off, top := math.Abs(ax[0]), 0.0, 0.0 // row 0 has an entry of 1
			y := make([]float64, 1+n)
			out := 0.0
			for i := range s {
				p.L[1+i] = ax[1+i] - s[i] - d[i]
				off = max(off, math.Abs(d[i])/size)
				norm = max(norm, math.Abs(ax[1+i])/size, math.Abs(p.L[1+i]+s[i])/size)
				y[1+i] = d[i] + s[i]
				top, out = max(top, math.Abs(y[1+i])*size), max(out, math.Abs(s[i])*size)
			}
			// q makes the pair stationary, so that y's distance alone counts.
			p.A.AddMulVecT(p.Q, -1, y)
			top, norm = max(top, min(1, num.NormInf(p.Q))), max(norm, min(1, num.NormInf(p.L[1:])/size))
			got := qpbackend.Certify(p, x, y, nil)
			if want := off / norm; math.Abs(got.Primal-want) > 1e-14 {
				t.Fatalf("%v: s = %v, d = %v: primal residual %g, want %g", c.cone, s, d, got.Primal, want)
			}
			if want := out / top; math.Abs(got.Dual-want) > 1e-14 {
				t.Fatalf("%v: s = %v, d = %v: dual residual %g, want %g", c.cone, s, d, got.Dual, want)
			}
			// At the pair itself all is well.
			copy(y[1:], d)
			clear(p.Q)
			p.A.AddMulVecT(p.Q, -1, y)
			for i := range s {
				p.L[1+i] = ax[1+i] - s[i]
			}
			if r := qpbackend.Certify(p, x, y, nil); !(r.Max() < 1e-14) {
				t.Fatalf("%v: s = %v, y = %v: residuals %+v of an optimal pair", c.cone, s, d, r)
			}
			for k := range x {
				for _, bad := range []float64{math.NaN(), inf} {
					was := x[k]
					x[k] = bad
					if r := qpbackend.Certify(p, x, y, nil); r.Max() <= 1e300 {
						t.Fatalf("%v: residuals %+v with an x of %g", c.cone, r, bad)
					}
					x[k] = was
					was, y[1+k] = y[1+k], bad
					if r := qpbackend.Certify(p, x, y, nil); r.Max() <= 1e300 {
						t.Fatalf("%v: residuals %+v with a y of %g", c.cone, r, bad)
					}
					y[1+k] = was
				}
			}
		}
	}
}

// TestCertificatesOfCones: l makes the rows contradict y; a y that is a little
// outside of the polar is repaired.
func TestCertificatesOfCones(t *testing.T) {
	for _, c := range complementaryPairs() {
		rng := rand.New(rand.NewPCG(12, uint64(c.cone.Kind)))
		for range 200 {
			s, y := c.draw(rng)
			n := c.cone.Len
			// One variable; A is orthogonal to y, l not.
			p := &qpbackend.Problem{Q: []float64{0}, L: make([]float64, 1+n), U: make([]float64, 1+n)}
			p.L[0], p.U[0] = -inf, inf
			yy, sy := 0.0, 0.0
			a := make([]float64, n)
			for i := range a {
				a[i] = rng.NormFloat64()
				yy, sy = yy+y[i]*y[i], sy+a[i]*y[i]
			}
			if yy < 1e-4 {
				continue
			}
			var tr sparse.Triplets
			full := make([]float64, 1+n)
			term := 0.0 // the largest of Aᵀy, or y without one
			for i := range a {
				v := a[i] - sy/yy*y[i]
				if n == 1 { // only zero is orthogonal to y
					v = 1
				} else {
					tr.Add(1+i, 0, v)
				}
				term = max(term, math.Abs(v*y[i]))
				p.L[1+i] = -y[i] / yy
				full[1+i] = y[i]
			}
			p.A, _ = tr.CSC(1+n, 1)
			c := c.cone
			c.Start = 1
			p.Cones = []qpbackend.Cone{c}
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			if got := qpbackend.PrimalInfeasibility(p, full, nil); !(got*min(1, term) < 1e-13*float64(n)) { // S is −1
				t.Fatalf("%v: y = %v proves, but is worth %g", c, y, got)
			}
			// The part of y that leaves the polar is in s.
			ε := 1e-6
			for i := range s {
				full[1+i] = y[i] + ε*s[i]
			}
			if got := qpbackend.PrimalInfeasibility(p, full, nil); !(got < 1e-12) {
				t.Fatalf("%v: y = %v, moved by a millionth of %v, is worth %g", c, y, s, got)
			}
			for i := range s {
				full[1+i] = -y[i]
			}
			if got := qpbackend.PrimalInfeasibility(p, full, nil); !(got > 1e-3) {
				t.Fatalf("%v: −y of %v is worth %g", c, y, got)
			}
			full[1] = math.NaN()
			if got := qpbackend.PrimalInfeasibility(p, full, nil); got != inf {
				t.Fatalf("%v: NaN is worth %g", c, got)
			}
		}
	}
}

// TestDirectionsOfCones: a direction along s is free, one along s + y misses
// the cone by y; l does not matter.
func TestDirectionsOfCones(t *testing.T) {
	for _, c := range complementaryPairs() {
		rng := rand.New(rand.NewPCG(13, uint64(c.cone.Kind)))
		for range 100 {
			s, y := c.draw(rng)
			n := c.cone.Len
			direction := func(v []float64) float64 {
				p := &qpbackend.Problem{Q: []float64{-2}, L: make([]float64, n), U: make([]float64, n), Cones: []qpbackend.Cone{c.cone}}
				var tr sparse.Triplets
				for i, e := range v {
					tr.Add(i, 0, e)
					p.L[i] = 1e3 * rng.NormFloat64()
				}
				p.A, _ = tr.CSC(n, 1)
				return qpbackend.DualInfeasibility(p, []float64{1})
			}
			size := 1.0
			for _, e := range s {
				size = max(size, math.Abs(e))
			}
			if got := direction(s); !(got < 2e-15*size/min(2, num.NormInf(s))) {
				t.Fatalf("%v: the direction %v is worth %g", c.cone, s, got)
			}
			both, want, top := make([]float64, n), 0.0, 0.0
			for i := range both {
				both[i] = s[i] + y[i]
				want, top = max(want, math.Abs(y[i])), max(top, math.Abs(both[i]))
			}
			want /= min(2, top)
			if got := direction(both); math.Abs(got-want) > 2e-15*(size+want) {
				t.Fatalf("%v: the direction %v is worth %g, want %g", c.cone, both, got, want)
			}
		}
	}
}

// TestCertifyWorkOfCones: no allocation but for semidefinite cones.
func TestCertifyWorkOfCones(t *testing.T) {
	for _, c := range complementaryPairs() {
		t.Run(fmt.Sprint(c.cone), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(14, 1))
			p := inCone(rng, c.cone)
			s, y := c.draw(rng)
			y = append([]float64{0}, y...)
			y[1] += 1e-3
			work := make([]float64, qpbackend.CertifyLen(p))
			for i := range work {
				work[i] = math.NaN()
			}
			if got, want := (qpbackend.Settings{}).Certify(context.Background(), p, nil, s, y, nil, work), qpbackend.Certify(p, s, y, nil); got != want {
				t.Errorf("CertifyWork has %+v, Certify %+v", got, want)
			}
			if c.cone.Kind == qpbackend.Semidefinite && c.cone.Len > 1 {
				return
			}
			if a := testing.AllocsPerRun(50, func() { (qpbackend.Settings{}).Certify(context.Background(), p, nil, s, y, nil, work) }); a != 0 {
				t.Errorf("%g allocations", a)
			}
		})
	}
}

// TestRoundingProvesNothingInCones: what is left of terms that cancel to the
// last digit is no proof, and where y was moved into the polar, each entry
// counts as being off by the rounding of the largest.
func TestRoundingProvesNothingInCones(t *testing.T) {
	problem := func(l, a []float64) *qpbackend.Problem {
		p := &qpbackend.Problem{Q: []float64{0}, L: l, U: make([]float64, len(l)), Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Len: len(l)}}}
		var tr sparse.Triplets
		for i, v := range a {
			tr.Add(i, 0, v)
		}
		p.A, _ = tr.CSC(len(l), 1)
		return p
	}
	for _, c := range []struct {
		name  string
		l, a  []float64
		y     []float64
		least float64 // of the worth
		most  float64
	}{
		{"a proof", []float64{1, 0.5}, []float64{1, 1}, []float64{-1, 1}, 0, 1e-14},
		{"S of rounding", []float64{1 + 0x1p-52, 1}, []float64{1, 1}, []float64{-1, 1}, inf, inf},
		{"S above rounding", []float64{1 + 1e-13, 1}, []float64{1, 1}, []float64{-1, 1}, 1e-3, 1e-1},
		{"Aᵀy of rounding", []float64{1, 0.5}, []float64{1e6, 1e6}, []float64{-1, 1}, 1e-9, 1e-8},
		// (−1, 3) moves to (−2, 2), at which S is −1.
		{"a proof when moved", []float64{1, 0.5}, []float64{1, 1}, []float64{-1, 3}, 0, 1e-13},
		// Inside the polar a small entry is known to its own digits.
		{"a small entry", []float64{1, 0}, []float64{0, 1e6}, []float64{-1, 1e-20}, 1e-15, 1e-13},
		// Outside, the entry that was moved is not.
		{"a small entry, moved", []float64{1, 0, 0}, []float64{0, 0, 1e6}, []float64{-1, 1 + 1e-12, 1e-20}, 1e-10, 1e-8},
	} {
		if got := qpbackend.PrimalInfeasibility(problem(c.l, c.a), c.y, nil); !(got >= c.least && got <= c.most) {
			t.Errorf("%s: worth %g, want %g to %g", c.name, got, c.least, c.most)
		}
	}
	// Of a direction: A·d = 0 but for rounding of terms of 1e6 in the tail.
	p := &qpbackend.Problem{
		Q: []float64{-1, 0}, A: matrix([]float64{0, 0}, []float64{1e6, -1e6}), L: []float64{0, 0}, U: []float64{0, 0},
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Len: 2}},
	}
	if got := qpbackend.DualInfeasibility(p, []float64{1, 1}); !(got >= 1e-9 && got <= 1e-8) {
		t.Errorf("the direction is worth %g, want its rounding", got)
	}
}
