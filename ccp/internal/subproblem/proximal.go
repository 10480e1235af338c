package subproblem

import "github.com/dcopt/dcopt/qpbackend/sparse"

// Where the convex problem has no least value although the problem may have one,
// as when slacks stay cheaper than the gain of the objective, ½ρ‖x − z‖², each variable
// in units of its size, is added to it: the proximal DC algorithm of Sun, Sampaio and Candido 2003. Every step
// then exists, and the points converge as before.
type proximal struct {
	ρ    float64 // 0: off
	base []float64
	slot []int // of the diagonal, one per variable
}

// Dampen adds a proximal term from now on, heavier each time: the first is 1 % of
// the largest slope of the objective at z per unit of a variable. The solver has to
// be opened again.
func (s *Problem) Dampen(z []float64) {
	ρ := 10 * s.prox.ρ
	if ρ == 0 {
		slope, _ := s.Slopes(z)
		ρ = 1e-2 * max(slope, 1e-3*s.Solver.Objective())
	}
	m := &s.prox
	if m.slot == nil {
		m.place(s)
	}
	m.ρ = ρ
}

// place makes room for the term.
func (m *proximal) place(s *Problem) {
	all := make([]int, s.DC.NumVars())
	for j := range all {
		all[j] = j
	}
	m.slot = s.Curve(all, all)
	if m.base = s.QP.P.Val; s.least.p != nil {
		m.base = s.least.p
	}
}

// Damped reports whether there is a proximal term: then the solution of the
// convex problem is a step, and not the least value even where nothing is
// linearised.
func (s *Problem) Damped() bool { return s.prox.ρ > 0 }

// Calm takes the proximal term away.
func (s *Problem) Calm() {
	if m := &s.prox; m.ρ > 0 {
		m.ρ, s.unchanged.held = 0, false
		copy(s.Now.P, m.base)
	}
}

// pull adds the proximal term at z to the values of the linearisation.
func (m *proximal) pull(s *Problem, z []float64) {
	if m.ρ == 0 {
		return
	}
	for j, k := range m.slot {
		ρ := m.ρ / s.Units[j] / max(s.Units[j], s.Sizes[j])
		if p := m.base[k] + ρ; s.Now.P[k] != p { // as where sizes have changed
			s.Now.P[k], s.unchanged.held = p, false
		}
		s.Now.Q[j] -= ρ * z[j]
	}
}

// Curve gives the quadratic part of the objective places for the entries (i[k], j[k]),
// i ≤ j, and returns them: positions in Now.P, whose values are then as compiled. The
// solver has to be opened again.
func (s *Problem) Curve(i, j []int) (places []int) {
	var t sparse.Triplets
	for k := range i {
		t.Add(i[k], j[k], 0)
	}
	if p := s.QP.P; p != nil {
		for col := range p.Cols {
			for k := p.ColPtr[col]; k < p.ColPtr[col+1]; k++ {
				t.Add(p.RowIdx[k], col, p.Val[k])
			}
		}
	}
	s.QP.P, places = t.CSC(len(s.QP.Q), len(s.QP.Q))
	s.Now.P = append([]float64(nil), s.QP.P.Val...)
	s.least.locate(places[len(i):], s.QP.P.NNZ())
	copy(s.Now.P, s.least.p)
	s.unchanged.held = false
	return places[:len(i)]
}

// Curved tells that values in Now.P have changed.
func (s *Problem) Curved() { s.unchanged.held = false }
