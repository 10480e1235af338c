package equil_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// badly makes an upper triangle and a transposed A whose rows and columns
// differ by decades.
func badly(rng *rand.Rand, n, m int) (p, at *sparse.CSC) {
	unit := make([]float64, n+m)
	for i := range unit {
		unit[i] = math.Pow(10, 4*rng.Float64()-2)
	}
	var tp, ta sparse.Triplets
	for j := range n {
		tp.Add(j, j, (1+rng.Float64())*unit[j]*unit[j])
		i := rng.IntN(j + 1)
		tp.Add(i, j, 0.1*rng.NormFloat64()*unit[i]*unit[j])
	}
	for i := range m {
		for range 3 {
			j := rng.IntN(n)
			ta.Add(j, i, rng.NormFloat64()*unit[j]*unit[n+i])
		}
	}
	p, _ = tp.CSC(n, n)
	at, _ = ta.CSC(n, m)
	return p, at
}

func TestRuizMakesNormsOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, m = 20, 15
	p, at := badly(rng, n, m)
	p0, at0 := p.Clone(), at.Clone()
	s := equil.New(n, m, nil)
	s.Ruiz(p, at, 10)
	if !slices.Equal(p.Val, p0.Val) || !slices.Equal(at.Val, at0.Val) {
		t.Fatal("Ruiz has changed the matrices")
	}
	s.Rows(at)
	s.Apply(p, make([]float64, n))
	for k := range p.Val {
		p.Val[k] /= s.C
	}
	norm := make([]float64, n+m)
	for j := range n {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i, v := p.RowIdx[k], math.Abs(p.Val[k])
			norm[i], norm[j] = max(norm[i], v), max(norm[j], v)
			if want := p0.Val[k] * s.D[i] * s.D[j]; math.Abs(p.Val[k]-want) > 1e-12*math.Abs(want) {
				t.Fatalf("P[%d,%d] is %g, want %g", i, j, p.Val[k], want)
			}
		}
	}
	for i := range m {
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			j, v := at.RowIdx[k], math.Abs(at.Val[k])
			norm[n+i], norm[j] = max(norm[n+i], v), max(norm[j], v)
			if want := at0.Val[k] * s.D[j] * s.E[i]; math.Abs(at.Val[k]-want) > 1e-12*math.Abs(want) {
				t.Fatalf("A[%d,%d] is %g, want %g", i, j, at.Val[k], want)
			}
		}
	}
	for i, v := range norm {
		if !(v > 0.9 && v < 1.1) {
			t.Errorf("norm %d is %g", i, v)
		}
	}
}

// A scaled stationary pair is a stationary pair: the relations in the comment
// of Scaling belong together.
func TestScaledStationarity(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n, m = 12, 9
	p, at := badly(rng, n, m)
	p0, at0 := p.Clone(), at.Clone()
	q0 := make([]float64, n)
	for j := range q0 {
		q0[j] = 100 * rng.NormFloat64()
	}
	s := equil.New(n, m, nil)
	s.Ruiz(p, at, 10)
	lo, up := []float64{-30, 0, math.Inf(-1)}, []float64{math.Inf(1), 120, 0}
	s.Size(lo, up)
	if want := math.Pow((math.Sqrt(30)+math.Sqrt(120))/2, 2); math.Abs(s.B-want) > 1e-12*want {
		t.Errorf("B is %g, want %g", s.B, want)
	}
	p, at = p0.Clone(), at0.Clone()
	q := slices.Clone(q0)
	s.Rows(at)
	s.Apply(p, q)
	x, y := make([]float64, n), make([]float64, m)
	xs, ys := make([]float64, n), make([]float64, m)
	for j := range x {
		xs[j] = rng.NormFloat64()
		x[j] = s.B * s.D[j] * xs[j]
	}
	for i := range y {
		ys[i] = rng.NormFloat64()
		y[i] = s.E[i] * ys[i] / s.C
	}
	scaled, plain := slices.Clone(q), slices.Clone(q0)
	p.AddSymMulVec(scaled, 1, xs)
	at.AddMulVec(scaled, 1, ys)
	p0.AddSymMulVec(plain, 1, x)
	at0.AddMulVec(plain, 1, y)
	for j := range n {
		if want := s.C * s.D[j] * plain[j]; math.Abs(scaled[j]-want) > 1e-10*max(1, math.Abs(want)) {
			t.Errorf("entry %d of the gradient is %g, want %g", j, scaled[j], want)
		}
	}
}

func TestEmptyIsLeftAlone(t *testing.T) {
	s := equil.New(2, 1, nil)
	p, at, q := sparse.Zero(2, 2), sparse.Zero(2, 1), []float64{0, 0}
	s.Ruiz(p, at, 10)
	s.Size([]float64{math.Inf(-1), 0, 0}, []float64{0, math.Inf(1), 0})
	s.Rows(at)
	s.Apply(p, q)
	if s.B != 1 || s.C != 1 || s.D[0] != 1 || s.D[1] != 1 || s.E[0] != 1 {
		t.Errorf("%+v", s)
	}
}

// The rows of a group have one factor, by the largest of their norms.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n, m = 20, 15
	p, at := badly(rng, n, m)
	s := equil.New(n, m, nil)
	s.Groups = []equil.Group{{Start: 2, Len: 4}, {Start: 6, Len: 1}, {Start: 9, Len: 6}}
	s.Ruiz(p, at, 10)
	for _, g := range s.Groups {
		for i := g.Start; i < g.Start+g.Len; i++ {
			if s.E[i] != s.E[g.Start] {
				t.Errorf("row %d of group %+v has factor %g, the first %g", i, g, s.E[i], s.E[g.Start])
			}
		}
	}
	s.Rows(at)
	top := 0.0
	for i := 9; i < 15; i++ {
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			top = max(top, math.Abs(at.Val[k]))
		}
	}
	if !(top > 0.8 && top < 1.25) {
		t.Errorf("the largest entry of a group is %g", top)
	}
}
