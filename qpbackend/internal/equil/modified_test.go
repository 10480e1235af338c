package equil_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// After Modified, the data are D, E and C applied to what they were, the norms
// of the KKT matrix of an LP are near one, and so is the objective.
func TestModified(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, m = 20, 15
	p, at := badly(rng, n, m)
	q := make([]float64, n)
	for j := range q {
		q[j] = 1e3 * rng.NormFloat64()
	}
	p0, at0, q0 := p.Clone(), at.Clone(), slices.Clone(q)
	s := equil.New(n, m, nil)
	s.Modified(p, at, q, 10)
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Fatalf("%s is %g, want %g", what, got, want)
		}
	}
	top, mean := 0.0, make([]float64, n)
	for j := range n {
		near("q", q[j], s.C*s.D[j]*q0[j])
		top = max(top, math.Abs(q[j]))
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i, v := p.RowIdx[k], math.Abs(p.Val[k])
			near("P", p.Val[k], s.C*s.D[i]*s.D[j]*p0.Val[k])
			mean[i], mean[j] = max(mean[i], v), max(mean[j], v)
		}
	}
	sum := 0.0
	for _, v := range mean {
		sum += v / n
	}
	if v := max(top, sum); !(math.Abs(v-1) < 1e-9) {
		t.Errorf("the objective has size %g, want 1", v)
	}
	for i := range m {
		row := 0.0
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			near("A", at.Val[k], s.E[i]*s.D[at.RowIdx[k]]*at0.Val[k])
			row = max(row, math.Abs(at.Val[k]))
		}
		if !(math.Abs(row-1) < 0.3) {
			t.Errorf("row %d has norm %g", i, row)
		}
	}
	if s.B != 1 {
		t.Errorf("B = %g", s.B)
	}
	if k := testing.AllocsPerRun(5, func() { s.Modified(p, at, q, 10) }); k != 0 {
		t.Errorf("%g allocations", k)
	}
}

// What has no entries keeps its scale, and no pass leaves nothing to scale by.
func TestModifiedEmpty(t *testing.T) {
	s := equil.New(2, 1, nil)
	q := []float64{0, 0}
	s.Modified(sparse.Zero(2, 2), sparse.Zero(2, 1), q, 10)
	if s.C != 1 || s.D[0] != 1 || s.D[1] != 1 || s.E[0] != 1 {
		t.Errorf("D %v, E %v, C %g of nothing", s.D, s.E, s.C)
	}
	s = equil.New(0, 0, nil)
	s.Modified(sparse.Zero(0, 0), sparse.Zero(0, 0), nil, 10)
	if s.C != 1 {
		t.Errorf("C = %g without variables", s.C)
	}
}
