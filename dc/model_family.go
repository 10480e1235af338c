package dc

import "github.com/dcopt/dcopt/internal/graph"

// FamilyOf is the sum of the members of a graph of functions of m's variables, with the weights in
// a column, above 0. ok is false where some have another form by the bounds of the variables, as
// |u| has of a u that is positive. Package lang calls it.
func FamilyOf(m *Model, g *graph.Graph, w []float64) (e Expr, ok bool) {
	of := m.orNone().space
	f := newFamily(g, w, of)
	if !f.plan.Finite() {
		return Expr{}, false
	}
	if !f.plan.Kept(of.ends) {
		return Expr{}, false
	}
	t := term{1, f.function()}
	if _, isMixed := t.f.(*mixedFamily); isMixed {
		return Expr{terms: []term{t}, lazy: &lazySplit{}, composite: true, of: of}, true
	}
	return Expr{terms: []term{t}, of: of}, true
}

// SubjectToFamily adds constraints E ≤ 0 of a name, of which E are the members of a graph that ends
// in a sum with an affine row, with width numbers in brackets each. ok is false where some have
// another form by the bounds of the variables; then nothing is added. Package lang calls it.
func SubjectToFamily(m *Model, family string, width int, index []int32, g *graph.Graph) (ok bool) {
	of := m.orNone().space
	f := newMembers(g, width, index, of)
	if !f.plan.Finite() || !f.plan.ConvexParts() || !f.plan.Kept(of.ends) {
		return false
	}
	m.orNone().cs.addMembers(family, width, index, g, of)
	return true
}

// ends are those of the interval of a variable.
func (s *space) ends(j int32) (lo, hi float64) {
	i := s.interval(int(j))
	return i.Lo, i.Hi
}
