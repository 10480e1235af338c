package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// Relation is how a row compares.
type Relation uint8

// The relations.
const (
	AtMost Relation = iota
	AtLeast
	Equal
)

func (r Relation) String() string { return [...]string{"<=", ">=", "=="}[r] }

// Row is a constraint E <= B, E >= B or E == B.
type Row struct {
	E   *exact.Node
	Rel Relation
	B   float64
}

// Constraint is one line of the constraints: a row, or several rows with a text
// that states them all.
type Constraint struct {
	Rows []Row
	Text string // "": the text of the only row
}

// Problem is a generated problem in one array x of variables, with the facts known
// about it.
type Problem struct {
	Family string
	Seed   uint64
	Lo, Hi []float64 // bounds, infinite where there are none
	Start  []float64 // nil: the file leaves it open
	Params []string  // statements before the variables
	// Objective is minimised, or maximised with Maximize.
	Maximize    bool
	Objective   *exact.Node
	Constraints []Constraint

	// Planted is a point that keeps every row and bound, equations to rounding; nil
	// where none is known.
	Planted []float64
	// Defined is how many of the last variables equations define. A solver may
	// substitute them, so that their bounds are rows.
	Defined int
	// Infeasible: no point keeps all rows and bounds; Unbounded: feasible, and the
	// objective is without bound.
	Infeasible, Unbounded bool
	// Convex: it is a convex problem as stated, so that a converged point is no
	// worse than Planted.
	Convex bool
	// NonNegative: so is the objective, at every point.
	NonNegative bool
}

// Bounded reports whether all variables have finite bounds.
func (p *Problem) Bounded() bool {
	for k := range p.Lo {
		if math.IsInf(p.Lo[k], 0) || math.IsInf(p.Hi[k], 0) {
			return false
		}
	}
	return true
}

// Text is the problem as a .dc file.
func (p *Problem) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, seed %d\n", p.Family, p.Seed)
	for _, s := range p.Params {
		b.WriteString(s + "\n")
	}
	b.WriteString(p.declaration() + "\n")
	verb := "minimize"
	if p.Maximize {
		verb = "maximize"
	}
	fmt.Fprintf(&b, "%s %s\n", verb, p.Objective)
	if len(p.Constraints) > 0 {
		b.WriteString("subject to\n")
	}
	for _, c := range p.Constraints {
		b.WriteString("  " + c.String() + "\n")
	}
	return b.String()
}

func (c Constraint) String() string {
	if c.Text != "" {
		return c.Text
	}
	r := c.Rows[0]
	return fmt.Sprintf("%s %s %s", r.E, r.Rel, exact.Number(r.B))
}

// declaration is the line of the variables. Either no lower bound is infinite or
// all are; so are upper bounds.
func (p *Problem) declaration() string {
	d := fmt.Sprintf("var x[%d]", len(p.Lo))
	lower, upper := false, false
	for k := range p.Lo {
		lower = lower || !math.IsInf(p.Lo[k], -1)
		upper = upper || !math.IsInf(p.Hi[k], 1)
	}
	switch {
	case lower && upper:
		d += fmt.Sprintf(" in [%s, %s]", sides(p.Lo), sides(p.Hi))
	case lower:
		d += " >= " + sides(p.Lo)
	case upper:
		d += " <= " + sides(p.Hi)
	}
	if p.Start != nil {
		d += " start " + exact.Vector(p.Start)
	}
	return d
}

// sides is one number where all are the same.
func sides(v []float64) string {
	for _, e := range v {
		if e != v[0] {
			return exact.Vector(v)
		}
	}
	return exact.Number(v[0])
}
