package implied_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// around is a random problem with rows and cones of all kinds that hold at x, some of
// them with equality, and coefficients over twelve decades.
func around(rng *rand.Rand, x []float64) *qpbackend.Problem {
	var a sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, len(x))}
	inf := math.Inf(1)
	row := func(add float64) (value float64) {
		for j, v := range x {
			if rng.IntN(3) == 0 {
				c := rng.NormFloat64() * math.Pow(10, 12*rng.Float64()-6)
				a.Add(len(p.L), j, c)
				value += c * v
			}
		}
		p.L, p.U = append(p.L, -inf), append(p.U, inf)
		return value + add
	}
	for range 4 {
		v := row(0)
		p.U[len(p.U)-1] = v + max(0, rng.NormFloat64())*math.Abs(v)
		if rng.IntN(2) == 0 {
			p.L[len(p.L)-1] = v - max(0, rng.NormFloat64())*math.Abs(v)
		}
	}
	// point moves the constants of the last rows so that they are s at x.
	point := func(kind qpbackend.ConeKind, α float64, s ...float64) {
		c := qpbackend.Cone{Kind: kind, Start: len(p.L), Len: len(s), Alpha: α}
		for _, want := range s {
			v := row(0)
			p.L[len(p.L)-1] = v - want
		}
		p.Cones = append(p.Cones, c)
	}
	for range 3 {
		u, v, w := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64()), 0.0
		w = 2 * math.Sqrt(u*v) * rng.Float64()
		point(qpbackend.SecondOrder, 0, (u+v)*(1+1e-9), u-v, w)
		s0, s1 := 2*rng.NormFloat64(), math.Exp(rng.NormFloat64())
		point(qpbackend.Exponential, 0, s0, s1, s1*math.Exp(s0/s1)*(1+1e-9))
		α := 0.1 + 0.8*rng.Float64()
		point(qpbackend.Power, α, u, v, -math.Pow(u, α)*math.Pow(v, 1-α)*(1-1e-9))
	}
	p.A, _ = a.CSC(len(p.L), len(x))
	return p
}

// TestTighten: bounds that rows and cones imply hold at every point that keeps these,
// and no multipliers prove that there is none.
func TestTighten(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for trial := range 300 {
		x := make([]float64, 6)
		lo, hi, units := make([]float64, 6), make([]float64, 6), make([]float64, 6)
		for j := range x {
			x[j] = rng.NormFloat64() * math.Pow(10, 8*rng.Float64()-4)
			lo[j], hi[j] = x[j]-rng.ExpFloat64(), x[j]+rng.ExpFloat64()
			if rng.IntN(3) == 0 {
				hi[j] = math.Inf(1)
			}
			units[j] = scaling.Unit(math.Abs(x[j]))
		}
		p := around(rng, x)
		p.Lo, p.Hi = append([]float64(nil), lo...), append([]float64(nil), hi...)
		if !implied.Tighten(p, lo, hi, implied.Sweeps) {
			t.Fatalf("%d: excluded", trial)
		}
		for j, v := range x {
			if v < lo[j] || v > hi[j] {
				t.Fatalf("%d: x[%d] = %g is not in [%g, %g]", trial, j, v, lo[j], hi[j])
			}
		}
		for range 20 {
			y := make([]float64, len(p.L))
			for i := range y {
				y[i] = rng.NormFloat64() * math.Pow(10, 8*rng.Float64()-4)
			}
			if implied.Infeasible(p, y, units) {
				t.Fatalf("%d: multipliers prove that there is no point", trial)
			}
		}
	}
}

// TestTightenBounds: the bounds of an epigraph at a point.
func TestTightenBounds(t *testing.T) {
	inf := math.Inf(1)
	var square sparse.Triplets // ‖(t − 1, 2x)‖ ≤ t + 1
	for i, j := range []int{1, 1, 0} {
		square.Add(i, j, float64(2-j))
	}
	p := &qpbackend.Problem{Q: []float64{0, 0}, L: []float64{-1, 1, 0}, U: []float64{inf, inf, inf}}
	p.A, _ = square.CSC(3, 2)
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Len: 3}}
	lo, hi := []float64{-3e4, -inf}, []float64{-2e4, inf}
	if !implied.Tighten(p, lo, hi, implied.Sweeps) || math.Abs(lo[1]-4e8) > 1 || hi[1] != inf {
		t.Errorf("t ≥ x² for x in [-3e4, -2e4]: t in [%g, %g]", lo[1], hi[1])
	}
	var a sparse.Triplets // t ≥ exp(x)
	a.Add(0, 0, 1)
	a.Add(2, 1, 1)
	m, _ := a.CSC(3, 2)
	p = &qpbackend.Problem{
		Q: []float64{0, 0}, A: m, L: []float64{0, -1, 0}, U: []float64{inf, inf, inf},
		Cones: []qpbackend.Cone{{Kind: qpbackend.Exponential, Len: 3}},
	}
	lo, hi = []float64{50, -inf}, []float64{inf, math.Exp(60)}
	if !implied.Tighten(p, lo, hi, implied.Sweeps) || math.Abs(lo[1]/math.Exp(50)-1) > 1e-9 || math.Abs(hi[0]-60) > 1e-9 {
		t.Errorf("exp(x) ≤ t ≤ exp(60) for x ≥ 50: x in [%g, %g], t in [%g, %g]", lo[0], hi[0], lo[1], hi[1])
	}
}

// TestInfeasible: a proof of the interior point method is one, with free columns too; on
// a problem that has a point, or a constant that is known to rounding only, it is none.
func TestInfeasible(t *testing.T) {
	inf := math.Inf(1)
	var a sparse.Triplets // x − y ≤ −1, y − x ≤ b
	for i := range 2 {
		a.Add(i, i, 1)
		a.Add(i, 1-i, -1)
	}
	m, _ := a.CSC(2, 2)
	state := func(b float64) *qpbackend.Problem {
		return &qpbackend.Problem{Q: []float64{0, 0}, A: m, L: []float64{-inf, -inf}, U: []float64{-1, b}, Lo: []float64{-inf, -inf}, Hi: []float64{inf, inf}}
	}
	p, units := state(0.5), []float64{1, 1}
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.PrimalInfeasible {
		t.Fatal(res.Status, err)
	}
	if !implied.Infeasible(p, res.Y, units) {
		t.Errorf("%v proves nothing", res.Y)
	}
	if implied.Infeasible(state(1), res.Y, units) || implied.Infeasible(state(1-0x1p-53), res.Y, units) || implied.Infeasible(p, []float64{1, 0.5}, units) || implied.Infeasible(p, []float64{-1, -1}, units) {
		t.Error("a proof of nothing is taken for one")
	}
}

// TestInfeasibleFar: columns without bounds are not held near 0 by a multiplier that
// nothing cancels, nor by one that another cancels in part.
func TestInfeasibleFar(t *testing.T) {
	inf := math.Inf(1)
	free, none := []float64{-inf, -inf}, []float64{inf, inf}
	var a sparse.Triplets // 1e-9·(x + y) ≥ 1
	a.Add(0, 0, 1e-9)
	a.Add(0, 1, 1e-9)
	m, _ := a.CSC(1, 2)
	p := &qpbackend.Problem{Q: []float64{0, 0}, A: m, L: []float64{1}, U: []float64{inf}, Lo: free, Hi: none}
	if implied.Infeasible(p, []float64{-1}, []float64{1, 1}) {
		t.Error("1e-9·(x + y) ≥ 1 has points")
	}
	var b sparse.Triplets // 1e-7·x − 1e-7·y ≥ 1, 1.000001e-7·y − 1e-7·x ≥ 1: x = 2e13, y near it
	b.Add(0, 0, 1e-7)
	b.Add(0, 1, -1e-7)
	b.Add(1, 0, -1e-7)
	b.Add(1, 1, 1.000001e-7)
	m, _ = b.CSC(2, 2)
	p = &qpbackend.Problem{Q: []float64{0, 0}, A: m, L: []float64{1, 1}, U: none, Lo: free, Hi: none}
	if implied.Infeasible(p, []float64{-1, -1}, []float64{1, 1}) {
		t.Error("two rows that are almost opposite have points far off")
	}
}

// TestStretch: where the rows of a cone are of unlike size, the copy's are not, and the
// solution and its multipliers are those of the stated problem, warm too.
func TestStretch(t *testing.T) {
	inf := math.Inf(1)
	for _, at := range []float64{-40, 0.5, 30, 200} { // minimise t/exp(at) − x, t ≥ exp(x): x = at
		var a sparse.Triplets
		a.Add(0, 0, 1)
		a.Add(2, 1, 1)
		m, _ := a.CSC(3, 2)
		p := &qpbackend.Problem{
			Q: []float64{-1, math.Exp(-at)}, A: m, L: []float64{0, -1, 0}, U: []float64{inf, inf, inf}, Lo: []float64{-300, -inf}, Hi: []float64{300, inf},
			Cones: []qpbackend.Cone{{Kind: qpbackend.Exponential, Len: 3}},
		}
		b := ipm.Backend{}
		s, err := scaling.New(context.Background(), b, p, b.DefaultSettings(), []float64{scaling.Unit(math.Abs(at)), scaling.Unit(math.Exp(at))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		for turn := range 2 {
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
			full := qpbackend.Certify(p, res.X, res.Y, res.Z)
			if math.Abs(res.X[0]-at) > 1e-3 || math.Abs(res.Y[2]*math.Exp(at)+1) > 1e-3 || full.Dual > 1e-6 {
				t.Errorf("%g, turn %d: %v at %v, y = %v, residuals %v", at, turn, res.Status, res.X, res.Y, full)
			}
			if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
	}
}
