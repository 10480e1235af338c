package decode

import (
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/wire"
)

// X are the entries of all variables, in the graph's order, at a point of the problem.
func (p *Program) X(x []float64) []float64 {
	out := make([]float64, 0, p.Entries)
	for _, v := range p.values[:len(p.g.Variables)] {
		for k := range v.n() {
			out = append(out, x[v.column(k)])
		}
	}
	return out
}

// Place writes the entries of a variable of that name into a point of the problem;
// NaN leaves the old value. An error: there is no such variable, or it has another
// number of entries.
func (p *Program) Place(x []float64, name string, entries []float64) error {
	k := p.variable(name)
	if k < 0 {
		return problemf("a start for %.60q, which is no variable", name)
	}
	v := p.values[k]
	if err := caught(func() { fit("the start", entries, v.n()) }); err != nil {
		err.Node, err.Name = &k, name
		return err
	}
	v.place(x, entries)
	return nil
}

// variable is the number of the variable of that name; -1: there is none.
func (p *Program) variable(name string) int {
	return slices.IndexFunc(p.g.Variables, func(v wire.Variable) bool { return v.Name == name })
}

// place writes the entries of a variable, or the one of all, into a point of the problem.
func (v *value) place(x, entries []float64) {
	for k := range v.n() {
		if e := entries[k%len(entries)]; !math.IsNaN(e) {
			x[v.column(k)] = e
		}
	}
}

// column is where entry k of a variable stands in a point of the problem.
func (v *value) column(k int) int { return v.all.Linear(k).Idx[0] }

// Point is a point of the problem with the given entries of all variables.
func (p *Program) Point(entries []float64) ([]float64, error) {
	if len(entries) != p.Entries {
		return nil, problemf("a point with %d entries, the variables have %d", len(entries), p.Entries)
	}
	x := make([]float64, p.Problem.NumVars())
	for _, v := range p.values[:len(p.g.Variables)] {
		v.place(x, entries[:v.n()])
		entries = entries[v.n():]
	}
	p.Problem.Program().Settle(x)
	p.Problem.Program().Pin(x)
	return x, nil
}

// BoundMultipliers are the multipliers of the bounds, in the order of X. Mirrored entries have
// half of theirs each.
func (p *Program) BoundMultipliers(z []float64) []float64 {
	if len(z) != p.Problem.NumVars() {
		return nil
	}
	times := make([]float64, len(z))
	for _, v := range p.values[:len(p.g.Variables)] {
		for k := range v.n() {
			times[v.column(k)]++
		}
	}
	for i, n := range times {
		times[i] = z[i] / max(n, 1)
	}
	return p.X(times)
}

// PSDMultipliers are the matrices of the variables that are positive semidefinite.
func (p *Program) PSDMultipliers(duals [][]float64) map[string]*wire.Floats {
	out := map[string]*wire.Floats{}
	for i, y := range duals[:min(len(duals), len(p.Problem.Program().Constraints))] {
		if k := p.places[p.Problem.Program().Constraints[i].Family].Variable; k != nil && p.g.Variables[*k].PSD {
			out[p.names[*k]] = wire.F(y)
		}
	}
	return out
}

// multipliers are those of the constraints of dc.
type multipliers [][]float64

// Multipliers are m.
func (m multipliers) Multipliers() [][]float64 { return m }

// MultipliersAt are the multipliers of all constraints, from the ones of the problem at x.
func (p *Program) MultipliersAt(duals [][]float64, x []float64) []float64 {
	if len(duals) != len(p.Problem.Program().Constraints) {
		return nil
	}
	out := make([]float64, p.Multipliers)
	for _, c := range p.constraints {
		dst := out[c.offset : c.offset+c.n]
		for _, part := range c.parts {
			switch y := part.stated.Dual(multipliers(duals)); {
			case part.put == nil:
				copy(dst, y)
			case len(y) > 0:
				part.put(dst, y, x)
			}
		}
	}
	return out
}

// ValueAt are the entries of a node at a point of the problem.
func (p *Program) ValueAt(node int, x []float64) ([]float64, error) {
	if node < 0 || node >= len(p.values) {
		return nil, problemf("node %d of %d", node, len(p.values))
	}
	if v := p.values[node]; !v.isData() {
		return v.all.Values(x), nil
	}
	return p.values[node].data, nil
}

// WhereIs is the constraint or variable that the problem calls name.
func (p *Program) WhereIs(name string) (place wire.Place, ok bool) {
	name = strings.TrimPrefix(name, "bounds of ")
	for i := range p.Problem.Program().Constraints {
		c := &p.Problem.Program().Constraints[i]
		if place, ok = p.places[c.Family]; ok && place.Constraint != nil && (c.Name() == name || c.Family == name) {
			return place, true
		}
	}
	place = p.places[name]
	return place, place.Variable != nil
}

// Curvatures are the curvatures of the objective and of the constraints, of a − b: as they are
// split.
func (p *Program) Curvatures() (objective string, constraints []string) {
	e := p.minimised()
	if p.Problem.Program().Maximize { // the problem has its negative
		e = e.Neg()
	}
	objective = word(e)
	worse := map[string]int{"affine": 0, "convex": 1, "concave": 2, "dc": 3}
	constraints = slices.Repeat([]string{"affine"}, len(p.constraints))
	for i := range p.Problem.Program().Constraints {
		c, w := &p.Problem.Program().Constraints[i], "affine"
		if c.DC {
			if w = word(c.Function()); w == "affine" {
				w = "convex" // a cone
			}
		}
		if k := p.places[c.Family].Constraint; k != nil && worse[w] > worse[constraints[*k]] {
			constraints[*k] = w
		}
	}
	return objective, constraints
}

// minimised is the objective as the problem has it, with numbers in the places of coefficients.
func (p *Program) minimised() expr.Scalar {
	if p.priced == 0 {
		return p.Problem.Program().Objective
	}
	e := p.values[p.priced].expr(0).Scalar()
	if p.Problem.Program().Maximize {
		e = e.Neg()
	}
	return e
}

func (p *Program) isConvex() bool {
	return p.minimised().IsConvex() &&
		!slices.ContainsFunc(p.Problem.Program().Constraints, func(c program.Constraint) bool { return !c.Convex() })
}
