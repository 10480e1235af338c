package problems

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// TestEveryConeIsListed: a kind of cone that has a name stands in coneKinds and
// has cases of each outcome, by hand and random ones.
func TestEveryConeIsListed(t *testing.T) {
	for k := range 256 {
		kind := qpbackend.ConeKind(k)
		named := !strings.HasPrefix(kind.String(), "ConeKind(")
		if listed := slices.Contains(Kinds, kind); listed != named {
			t.Errorf("%v: in coneKinds is %v", kind, listed)
		}
		if !named {
			continue
		}
		for _, random := range []bool{false, true} {
			count := map[qpbackend.Status]int{}
			for _, c := range WithCones(kind) {
				if strings.HasPrefix(c.Name, "random") == random {
					count[c.Want]++
				}
			}
			if count[qpbackend.Solved] < 5 || count[qpbackend.PrimalInfeasible] < 2 || count[qpbackend.DualInfeasible] < 2 {
				t.Errorf("%v: cases by status, random is %v: %v", kind, random, count)
			}
		}
	}
}

// TestConeCasesAreRight certifies the optimum that each case states, and looks
// at it cone by cone.
func TestConeCasesAreRight(t *testing.T) {
	names := map[string]bool{}
	for _, c := range WithCones(Kinds...) {
		key := c.Name + " " + kindNames(KindsOf(c.Problem))
		if names[key] {
			t.Errorf("two cases are called %q", key)
		}
		names[key] = true
		if err := c.Problem.Validate(); err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		checkStated(t, c, 1e-13)
	}
	for seed := range uint64(400) {
		c := RandomCones(seed, Kinds...)
		if err := c.Problem.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		checkStated(t, c, 1e-12)
	}
}

func checkStated(t *testing.T, c Case, tol float64) {
	t.Helper()
	if c.Want != qpbackend.Solved {
		if c.X != nil || c.Y != nil {
			t.Errorf("%s: an optimum is stated", c.Name)
		}
		return
	}
	if r := qpbackend.Certify(c.Problem, c.X, c.Y, c.Z); !(r.Max() < tol) {
		t.Errorf("%s: residuals of the stated optimum: %+v", c.Name, r)
	}
	if c.Objective != c.Problem.Objective(c.X) {
		t.Errorf("%s: the objective is %g", c.Name, c.Objective)
	}
	var log Recorder
	CheckConewise(&log, c.Problem, c.X, c.Y, tol)
	if len(log.Failures) > 0 {
		t.Errorf("%s: %s", c.Name, log.Failures[0])
	}
}

// TestRandomConesAreMixed: what the generator promises turns up.
func TestRandomConesAreMixed(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(200) {
		c := RandomCones(seed, Kinds...)
		count[c.Want.String()]++
		kinds := KindsOf(c.Problem)
		if len(kinds) == 1 {
			count[kinds[0].String()]++
		} else {
			count["mixed"]++
		}
		for _, k := range c.Problem.Cones {
			if k.Len == 1 {
				count["one row"]++
			}
		}
		if len(c.Problem.L) > len(c.Problem.Q) {
			count["tall"]++
		}
	}
	for what, least := range map[string]int{
		"solved": 120, "primal_infeasible": 40, "dual_infeasible": 40, "mixed": 50, "one row": 20, "tall": 100,
		"second-order": 25, "exponential": 25, "power": 25, "semidefinite": 25,
	} {
		if count[what] < least {
			t.Errorf("%d of 200 are %s, want at least %d", count[what], what, least)
		}
	}
	if a, b := RandomCones(7, Kinds...), RandomCones(7, Kinds...); !slices.Equal(a.Problem.A.Val, b.Problem.A.Val) || a.Objective != b.Objective {
		t.Error("a seed has two problems")
	}
}

// TestPairs: the pairs that the generator draws lie in cone and polar, are
// orthogonal and where they were asked to be.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 43))
	for _, kind := range Kinds {
		lens := []int{3}
		switch kind {
		case qpbackend.SecondOrder:
			lens = []int{1, 2, 5, 30}
		case qpbackend.Semidefinite:
			lens = []int{1, 3, 6, 21}
		}
		for _, n := range lens {
			for _, at := range []position{inPrimal, atApex, onBoundary} {
				for range 100 {
					c := qpbackend.Cone{Kind: kind, Len: n, Alpha: 0.1 + 0.8*rng.Float64()}
					s, y := pair(rng, c, at)
					z := moved(make([]float64, n), y, -1)
					if !insideBy(c, s, 1e-14) || !insideDualBy(c, z, 1e-14) {
						t.Fatalf("%v: s = %v, y = %v: not in cone and polar", c, s, y)
					}
					if d := num.Dot(s, y); !(math.Abs(d) < 1e-13) {
						t.Fatalf("%v: s = %v, y = %v: not orthogonal, %g", c, s, y, d)
					}
					// An interior point stays inside when it moves outwards.
					deep := func(v []float64, in func(qpbackend.Cone, []float64) bool, d []float64) bool {
						return in(c, moved(v, d, -0.02))
					}
					inP, inD := deep(s, inside, interior(c)), deep(z, insideDual, dualInterior(c))
					narrow := n == 1 && at == onBoundary
					if inP != (at == inPrimal) && !narrow || inD != (at == atApex) && !narrow || narrow && inP == inD {
						t.Fatalf("%v: position %v: s = %v inside %v, −y = %v inside %v", c, at, s, inP, z, inD)
					}
				}
			}
		}
	}
}

// TestConewise: points outside of the cones are seen, on either side, in
// solutions, certificates and directions, and for what they are.
func TestConewise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 46))
	for _, kind := range Kinds {
		for _, at := range []position{inPrimal, atApex, onBoundary} {
			c := qpbackend.Cone{Kind: kind, Len: 3, Alpha: 0.3}
			s, y := pair(rng, c, at)
			p := OnCone(kind, 0.5, Filled(3, 0), Filled(3, -Inf()), Filled(3, Inf()))
			p.Cones[0].Alpha = 0.3
			full := func(y []float64) []float64 { return append(Filled(3, 0), y...) }
			said := func(check func(t TB)) string {
				var log Recorder
				check(&log)
				return strings.Join(log.Failures, "; ")
			}
			sOut, yOut := moved(s, interior(c), -1e-4), moved(y, dualInterior(c), 1e-4)
			if at == inPrimal {
				sOut = moved(s, interior(c), -1e-4-2*num.NormInf(s))
			}
			if at == atApex {
				yOut = moved(y, dualInterior(c), 1e-4+2*num.NormInf(y))
			}
			for _, m := range []struct {
				what string
				got  string
				want string // "" for nothing
			}{
				{"a pair", said(func(t TB) { CheckConewise(t, p, s, full(y), 1e-9) }), ""},
				{"s outside", said(func(t TB) { CheckConewise(t, p, sOut, full(y), 1e-9) }), "is not in the cone"},
				{"y outside", said(func(t TB) { CheckConewise(t, p, s, full(yOut), 1e-9) }), "is not in the polar"},
				{"a direction", said(func(t TB) { CheckDirection(t, p, s, 1e-9) }), ""},
				{"a direction outside", said(func(t TB) { CheckDirection(t, p, sOut, 1e-9) }), "leaves the cone"},
				{"a certificate", said(func(t TB) { CheckPolar(t, p, full(y), 1e-9) }), ""},
				{"a certificate outside", said(func(t TB) { CheckPolar(t, p, full(yOut), 1e-9) }), "is not in the polar"},
			} {
				if (m.got == "") != (m.want == "") || !strings.Contains(m.got, m.want) {
					t.Errorf("%v, position %v: %s: says %q, want %q; s = %v, y = %v", kind, at, m.what, m.got, m.want, s, y)
				}
			}
		}
		// Not orthogonal: both well inside.
		c := qpbackend.Cone{Kind: kind, Len: 3, Alpha: 0.3}
		p := OnCone(kind, 0.5, Filled(3, 0), Filled(3, -Inf()), Filled(3, Inf()))
		p.Cones[0].Alpha = 0.3
		var log Recorder
		CheckConewise(&log, p, InsidePoint(rng, c), append(Filled(3, 0), polarPoint(rng, c)...), 1e-9)
		if len(log.Failures) != 1 || !strings.Contains(log.Failures[0], "not orthogonal") {
			t.Errorf("%v: a pair of interior points: %q", kind, log.Failures)
		}
	}
}

// TestUnboundedIsExact: the direction of the problems that are unbounded by
// construction is one without rounding: whatever Px and the rows between two
// bounds have along it is zero, and a solver that never rounds agrees.
func TestUnboundedIsExact(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 44))
		n := 1 + rng.IntN(9)
		s := ConeSpec{
			Want: qpbackend.DualInfeasible, Kinds: Kinds, Cones: 3, Rows: 4, Order: 3, Vars: n, Intervals: 6,
			Rank: rng.IntN(n + 1), Density: 0.3,
		}
		b := s.builder(rand.New(rand.NewPCG(seed, 45)))
		p, d := b.dualInfeasible()
		pd := make([]float64, n)
		p.P.AddSymMulVec(pd, 1, d)
		ad := rowsAt(p, d)
		for _, i := range b.inter {
			if p.L[i] > -Inf() && p.U[i] < Inf() && ad[i] != 0 {
				t.Errorf("seed %d: row %d of two bounds has %g along the direction", seed, i, ad[i])
			}
		}
		if num.NormInf(pd) != 0 {
			t.Errorf("seed %d: P has %g along the direction", seed, num.NormInf(pd))
		}
		if worth := qpbackend.DualInfeasibility(p, d); !(worth < 1e-12) {
			t.Errorf("seed %d: the direction is worth %g", seed, worth)
		}
	}
}
