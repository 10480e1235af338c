package subproblem

import "github.com/dcopt/dcopt/qpbackend/sparse"

// AddProximal adds a proximal term from now on, heavier each time: the first is 1 % of
// the largest slope of the objective at z per unit of a variable. The solver has to
// be opened again.
func (s *Problem) AddProximal(z []float64) {
	ρ := 10 * s.Lin.prox.ρ
	if ρ == 0 {
		slope, _ := s.Slopes(z)
		ρ = 1e-2 * max(slope, 1e-3*s.Session.Solver.Objective())
	}
	m := &s.Lin.prox
	if m.slot == nil {
		m.place(s)
	}
	m.ρ = ρ
}

// place makes room for the term.
func (m *proximal) place(s *Problem) {
	all := make([]int, s.Compiled.DC.NumVars())
	for j := range all {
		all[j] = j
	}
	m.slot = s.Curve(all, all)
	if m.base = s.Compiled.QP.P.Val; s.Lin.least.p != nil {
		m.base = s.Lin.least.p
	}
}

// HasProximal reports whether there is a proximal term: then the solution of the
// convex problem is a step, and not the least value even where nothing is
// linearised.
func (s *Problem) HasProximal() bool { return s.Lin.prox.ρ > 0 }

// RemoveProximal takes the proximal term away.
func (s *Problem) RemoveProximal() {
	if m := &s.Lin.prox; m.ρ > 0 {
		m.ρ, s.Session.unchanged.held = 0, false
		copy(s.Lin.Now.P, m.base)
	}
}

// pull adds the proximal term at z to the values of the linearisation.
func (m *proximal) pull(s *Problem, z []float64) {
	if m.ρ == 0 {
		return
	}
	for j, k := range m.slot {
		ρ := m.ρ / s.Units.Of[j] / max(s.Units.Of[j], s.Units.Sizes[j])
		if p := m.base[k] + ρ; s.Lin.Now.P[k] != p { // as where sizes have changed
			s.Lin.Now.P[k], s.Session.unchanged.held = p, false
		}
		s.Lin.Now.Q[j] -= ρ * z[j]
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
	p := s.Compiled.QP.P
	for col := range p.Cols {
		for k := p.ColPtr[col]; k < p.ColPtr[col+1]; k++ {
			t.Add(p.RowIdx[k], col, p.Val[k])
		}
	}
	s.Compiled.QP.P, places = t.CSC(len(s.Compiled.QP.Q), len(s.Compiled.QP.Q))
	s.Lin.Now.P = append([]float64(nil), s.Compiled.QP.P.Val...)
	s.Lin.least.locate(places[len(i):], s.Compiled.QP.P.NNZ())
	copy(s.Lin.Now.P, s.Lin.least.p)
	s.Session.unchanged.held = false
	return places[:len(i)]
}

// Curved tells that values in Now.P have changed.
func (s *Session) Curved() { s.unchanged.held = false }
