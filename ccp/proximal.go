package ccp

import (
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Where the convex problem has no least value although the problem may have one,
// as when slacks stay cheaper than what the objective gains, ½ρ‖x − z‖², each variable
// in units of its size, is added to it: the proximal DC algorithm of Sun, Sampaio and Candido 2003. Every step
// then exists, and the points converge as before.
type proximal struct {
	ρ    float64 // 0: off
	base []float64
	slot []int // of the diagonal, one a variable
}

// dampen adds a proximal term of weight ρ from now on. The solver has to be
// opened again.
func (s *subproblem) dampen(ρ float64) {
	m := &s.prox
	if m.slot == nil {
		var t sparse.Triplets
		n := s.p.NumVars()
		for j := range n {
			t.Add(j, j, 0)
		}
		if p := s.qp.P; p != nil {
			for j := range p.Cols {
				for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
					t.Add(p.RowIdx[k], j, p.Val[k])
				}
			}
		}
		var pos []int
		s.qp.P, pos = t.CSC(len(s.qp.Q), len(s.qp.Q))
		m.slot, m.base = pos[:n], s.qp.P.Val
		s.now.P = append([]float64(nil), m.base...)
	}
	m.ρ = ρ
}

// calm takes the proximal term away.
func (m *proximal) calm(s *subproblem) {
	if m.ρ > 0 {
		m.ρ, s.asked.held = 0, false
		copy(s.now.P, m.base)
	}
}

// pull adds the proximal term at z to the values of the linearisation.
func (m *proximal) pull(s *subproblem, z []float64) {
	if m.ρ == 0 {
		return
	}
	for j, k := range m.slot {
		ρ := m.ρ / s.units[j] / max(s.units[j], s.sizes[j])
		s.now.P[k] = m.base[k] + ρ
		s.now.Q[j] -= ρ * z[j]
	}
}
