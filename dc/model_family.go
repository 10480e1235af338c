package dc

import "github.com/dcopt/dcopt/internal/graph"

// FamilyOf is the sum of the members of a graph of functions of m's variables, with the weights in
// a column, above 0. ok is false where some have another form by the bounds of the variables, as
// |u| has of a u that is positive. Package lang calls it.
func FamilyOf(m *Model, g *graph.Graph, w []float64) (e Expr, ok bool) {
	f, ok := familyTerm(g, w, m.orNone().space)
	return f.array(), ok
}

// SubjectToFamily adds constraints E ≤ 0 of a name, of which E are the members of a graph that ends
// in a sum with an affine row, with width numbers in brackets each. ok is false where some have
// another form by the bounds of the variables; then nothing is added. Package lang calls it.
func SubjectToFamily(m *Model, family string, width int, index []int32, g *graph.Graph) (ok bool) {
	m = m.orNone()
	return m.cs.addMembers(family, width, index, g, m.space)
}
