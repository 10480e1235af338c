package lder

import (
	"fmt"
	"math"
)

// Model is a linear dilation-erosion regressor,
//
//	τ(x) = δ_a(Wx) − δ_b(Mx) = max_i (⟨w_i, x⟩ + a_i) − max_j (⟨m_j, x⟩ + b_j),
//
// with i ≤ r₁ and j ≤ r₂: continuous and piecewise linear. Oliveira and Valle
// 2023, Sect. 3.
type Model struct {
	W [][]float64 // r₁ rows of n
	A []float64   // r₁
	M [][]float64 // r₂ rows of n
	B []float64   // r₂
}

// NewModel is the zero function of n features with r1 pieces of the first maximum and r2
// of the second, all of them 0.
func NewModel(r1, r2, n int) *Model {
	rows := func(r int) [][]float64 {
		m := make([][]float64, r)
		for k := range m {
			m[k] = make([]float64, n)
		}
		return m
	}
	return &Model{W: rows(r1), A: make([]float64, r1), M: rows(r2), B: make([]float64, r2)}
}

// Dims returns the numbers of pieces r₁ and r₂ and of features n.
func (m *Model) Dims() (r1, r2, n int) {
	if len(m.W) > 0 {
		n = len(m.W[0])
	}
	return len(m.W), len(m.M), n
}

// Validate reports the first shape that does not fit and the first number that
// is not finite.
func (m *Model) Validate() error {
	_, _, n := m.Dims()
	for _, p := range []struct {
		slopes, offsets string
		w               [][]float64
		a               []float64
	}{{"W", "A", m.W, m.A}, {"M", "B", m.M, m.B}} {
		if len(p.w) < 1 {
			return fmt.Errorf("lder: %s has no rows", p.slopes)
		}
		if len(p.w) != len(p.a) {
			return fmt.Errorf("lder: %s has %d rows, %s %d entries", p.slopes, len(p.w), p.offsets, len(p.a))
		}
		for i, row := range p.w {
			if len(row) != n {
				return fmt.Errorf("lder: row %d of %s has %d entries, want %d", i, p.slopes, len(row), n)
			}
			for j, v := range row {
				if !finite(v) {
					return fmt.Errorf("lder: %s[%d][%d] is %g", p.slopes, i, j, v)
				}
			}
			if !finite(p.a[i]) {
				return fmt.Errorf("lder: %s[%d] is %g", p.offsets, i, p.a[i])
			}
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Predict is τ(x), in the units of the training targets if the model is one of
// unstandardised features; x has length n and no NaN. It does not allocate.
func (m *Model) Predict(x []float64) float64 {
	_, u := largest(m.W, m.A, x)
	_, v := largest(m.M, m.B, x)
	return u - v
}

// Active returns the pieces that attain the two maxima at x, the first of
// equals: j_{i2} and j_{i1} of the paper, counted from 0.
func (m *Model) Active(x []float64) (i, j int) {
	i, _ = largest(m.W, m.A, x)
	j, _ = largest(m.M, m.B, x)
	return i, j
}

// largest is δ_a(Wx) and where it is attained first.
func largest(w [][]float64, a, x []float64) (arg int, best float64) {
	best = math.Inf(-1)
	for k, row := range w {
		s := a[k]
		for j, v := range row {
			s += v * x[j]
		}
		if s > best {
			arg, best = k, s
		}
	}
	return arg, best
}

// Params is α = (w_1, a_1, …, w_r1, a_r1, m_1, b_1, …, m_r2, b_r2), of length
// (r₁ + r₂)(n + 1), a copy.
func (m *Model) Params() []float64 {
	r1, r2, n := m.Dims()
	α := make([]float64, 0, (r1+r2)*(n+1))
	for k, row := range m.W {
		α = append(append(α, row...), m.A[k])
	}
	for k, row := range m.M {
		α = append(append(α, row...), m.B[k])
	}
	return α
}

// setParams is the inverse of Params; the shape of m and the length of α must
// fit.
func (m *Model) setParams(α []float64) {
	_, _, n := m.Dims()
	take := func(w [][]float64, a []float64) {
		for k := range w {
			copy(w[k], α[:n])
			a[k], α = α[n], α[n+1:]
		}
	}
	take(m.W, m.A)
	take(m.M, m.B)
}

// unstandardised is m, less the first piece of its second maximum, as a function
// of x where m is one of (x − mean) / scale.
func unstandardised(m *Model, mean, scale []float64) *Model {
	r1, r2, n := m.Dims()
	out := NewModel(r1, r2, n)
	zero, zeroB := append([]float64(nil), m.M[0]...), m.B[0]
	convert := func(w [][]float64, a []float64, to [][]float64, toA []float64) {
		for k, row := range w {
			toA[k] = a[k] - zeroB
			for j, v := range row {
				to[k][j] = (v - zero[j]) / scale[j]
				toA[k] -= to[k][j] * mean[j]
			}
		}
	}
	convert(m.W, m.A, out.W, out.A)
	convert(m.M, m.B, out.M, out.B)
	return out
}

// tally evaluates a model and sums, for each piece, the share of the rows where it is
// the largest.
type tally struct {
	m      *Model
	one    float64 // the share of one row
	shares [2][]float64
}

// newTally makes a tally for data of the given number of rows.
func newTally(m *Model, rows int) *tally {
	r1, r2, _ := m.Dims()
	return &tally{m: m, one: 1 / float64(rows), shares: [2][]float64{make([]float64, r1), make([]float64, r2)}}
}

// predict is Model.Predict.
func (t *tally) predict(x []float64) float64 {
	i, u := largest(t.m.W, t.m.A, x)
	j, v := largest(t.m.M, t.m.B, x)
	t.shares[0][i] += t.one
	t.shares[1][j] += t.one
	return u - v
}
