package program

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/num"
)

// Violations says by how much a point breaks a problem. A row is a bound of a
// variable, an entry of an affine constraint, a DC constraint or the domain of
// a function. Its terms are the summands: a coefficient times a
// variable, a bound, a weighted convex function.
type Violations struct {
	// Largest is the largest violation of a row as it is.
	Largest float64
	// Relative is the largest violation relative to the size of its row: the
	// largest term at the point, at least the row's unit: see Problem.Feasible.
	Relative float64
	// Excess is the largest violation, less a bound of its rounding error and
	// relative to the row's unit. The point is feasible to a tolerance if Excess
	// is at most that tolerance.
	Excess float64
	// Either is the largest of the rows' violations as the smaller of Relative and Excess
	// has them: the rows that break a tolerance in both senses are above it.
	Either float64

	at spot // of Largest
}

// Where is the name of the constraint or variable of Largest, "" if none is broken.
func (v *Violations) Where() string {
	if v.Largest > 0 {
		return v.at.name()
	}
	return ""
}

// Violation is the largest amount by which x breaks a bound, a constraint or
// the domain of a function, and the name of the constraint (or variable)
// where; 0 and "" if none is broken. NaN counts as +Inf.
func (p *Problem) Violation(x []float64) (float64, string) {
	v := p.Violations(x)
	return v.Largest, v.Where()
}

// Feasible reports whether x satisfies the constraints: it breaks no row by more than tol times the
// row's unit, rounding errors of the row's terms aside. The unit is the power of 1024 next to the
// largest term of the row at x, at most 1, and at least a thousandth of that power at the typical
// point, where variables have the size of their starts and bounds.
func (p *Problem) Feasible(x []float64, tol float64) bool { return p.Violations(x).Excess <= tol }

// Violations measures by how much x, of length NumVars, breaks bounds and constraints, in
// the senses of the fields. An expression that is NaN at x counts as broken by +Inf.
func (p *Problem) Violations(x []float64) Violations {
	t := tally{p: p, x: x}
	for _, v := range p.Vars {
		at := spot{v: v}
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			xk := x[v.Offset+k]
			if math.IsNaN(xk) {
				t.note(xk, at, terms{affine: convex.Linear{}, bound: 1})
			}
			if xk < lo {
				t.note(lo-xk, at, p.boundRow(v.Offset+k, lo))
			}
			if xk > hi {
				t.note(xk-hi, at, p.boundRow(v.Offset+k, hi))
			}
		}
	}
	outside(&p.Objective, &t, spot{})
	for i := 0; i < len(p.Constraints); {
		c := &p.Constraints[i]
		if c.Within { // the variable's own bounds count, and its equation
			i++
			continue
		}
		if c.members == nil || c.member > 0 || len(p.Constraints)-i < c.members.Plan.N {
			c.violations(&t)
			i++
			continue
		}
		membersViolations(c.members, &t, p.Constraints[i:i+c.members.Plan.N])
		i += c.members.Plan.N
	}
	return t.Violations
}

// OutsideDomains is the part of Violations.Relative that is due to the domains of functions.
func (p *Problem) OutsideDomains(x []float64) float64 {
	t := tally{p: p, x: x}
	outside(&p.Objective, &t, spot{})
	for i := range p.Constraints {
		if c := &p.Constraints[i]; c.DC && c.members == nil {
			outside(&c.e, &t, spot{c: c})
		}
	}
	return t.Relative
}

// boundRow are the terms of a bound of variable j: where an equation defines the variable, the
// terms of the expression.
func (p *Problem) boundRow(j int, bound float64) terms {
	if p.definedAt != nil && p.definedAt[j] > 0 {
		return terms{e: &p.defined[p.definedAt[j]-1].e, bound: bound}
	}
	return terms{affine: convex.Linear{Idx: []int{j}, Val: []float64{1}}, bound: bound}
}

// Violation is the largest amount by which x breaks c, 0 if it holds. NaN counts
// as +Inf.
func (c *Constraint) Violation(x []float64) float64 {
	t := tally{x: x}
	c.violations(&t)
	return t.Largest
}

// RelativeViolation is the part of Violations.Relative that is due to c, a
// constraint of p.
func (p *Problem) RelativeViolation(c *Constraint, x []float64) float64 {
	t := tally{p: p, x: x}
	c.violations(&t)
	return t.Relative
}

// spot is where something is broken: a constraint, a variable, or else the
// domain of the objective.
type spot struct {
	c *Constraint
	v *Variable
}

func (p spot) name() string {
	switch {
	case p.c != nil:
		return p.c.Name()
	case p.v != nil:
		return p.v.Name
	}
	return "domain of the objective"
}

// tally adds up Violations at x. Without a problem it has the largest alone.
type tally struct {
	Violations
	p *Problem
	x []float64
}

// terms of a row: a function and a bound.
type terms struct {
	affine convex.Linear
	e      interface { // nil: it is affine
		Size(x []float64) float64
		Approx(x []float64) convex.Approx
	}
	bound float64
}

// written are the terms of an expression alone.
func written(e expr.Scalar) terms { return terms{e: &e} }

// size is the largest term at x; terms that are not finite do not count.
func (t *terms) size(x []float64) float64 {
	if t.e == nil {
		return max(math.Abs(t.bound), t.affine.Size(x))
	}
	return max(math.Abs(t.bound), t.e.Size(x))
}

// error bounds the rounding error of the row at x.
func (t *terms) error(x []float64) float64 {
	var v convex.Approx
	if t.e == nil {
		v = t.affine.Approx(x)
	} else {
		v = t.e.Approx(x)
	}
	return convex.FiniteSize(v.Bound()) + convex.Roundoff*math.Abs(t.bound)
}

// leastUnit is the least unit of a row, in units of the row at the typical point: where all its
// terms vanish at a point, as in a balance without flows do, they are zeros of a backend.
// Source: derived: the accuracy that backends are asked for at last, 1e-9, over the tolerance of
// constraints, 1e-6.
const leastUnit = 1e-3

// note takes down that a row is broken by v.
func (t *tally) note(v float64, at spot, row terms) {
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	if v > t.Largest {
		t.Largest, t.at = v, at
	}
	if t.p == nil {
		return
	}
	here, least := row.size(t.x), t.p.rowUnit(row, t.x)
	relative, excess := v/max(here, least), (v-row.error(t.x))/least
	t.Relative, t.Excess, t.Either = max(t.Relative, relative), max(t.Excess, excess),
		max(t.Either, min(relative, excess))
}

// rowUnit is the unit of a row at x, see Feasible.
func (p *Problem) rowUnit(row terms, x []float64) float64 {
	return max(min(1, unitOf(row.size(x))), leastUnit*min(1, unitOf(row.size(p.typical))))
}

// RowUnit is the unit of entry k of a constraint of p at x, of which Feasible allows the violation
// to be tol times. It is entry 0 of a DC constraint.
func (p *Problem) RowUnit(c *Constraint, k int, x []float64) float64 {
	if c.DC {
		return p.rowUnit(terms{e: c.Written()}, x)
	}
	l := c.A.Linear(k)
	bound := max(convex.FiniteSize(c.Lo[k]-l.Const), convex.FiniteSize(c.Hi[k]-l.Const))
	l.Const = 0
	return p.rowUnit(terms{affine: l, bound: bound}, x)
}

// UnitWithin is the largest unit that the row of c, a DC constraint of p, has at points within the
// bounds. Where the range of c is above it times a tolerance, no point is feasible to that
// tolerance, rounding errors aside.
func (p *Problem) UnitWithin(c *Constraint) float64 {
	e := c.Function()
	most := max(e.Size(p.typical), math.Abs(e.Lin.Const))
	for k, j := range e.Lin.Idx {
		most = max(most, e.Lin.Of.Interval(j).Scale(e.Lin.Val[k]).Abs().Hi)
	}
	for _, t := range e.Terms {
		most = max(most, convex.RangeOf(t.F).Scale(t.W).Abs().Hi)
	}
	return min(1, unitOf(most))
}

// Balancing is the least power of 1024 by which x has to be multiplied for the largest term of c, a
// DC constraint, to reach its constant; 1 where c holds at x, the term is at least a share of the
// constant there, or no power does that. Members of families have 1, and constraints with a user's
// own function, whose values may cost much.
func (c *Constraint) Balancing(x []float64, share float64) float64 {
	own := func(t expr.Term) bool { return expr.NodeOf(t.F).Name == "blackbox" }
	if c.members != nil || c.e.Lin.Const == 0 || slices.ContainsFunc(c.e.Terms, own) || !(c.Value(x) > 0) {
		return 1
	}
	e := c.e
	constant := math.Abs(e.Lin.Const)
	e.Lin.Const = 0
	if top := e.Size(x); !(top > 0) || top >= share*constant {
		return 1
	}
	far := slices.Clone(x)
	for f := 1024.; !math.IsInf(f, 1); f *= 1024 {
		for j, v := range x {
			if far[j] = f * v; math.IsInf(far[j], 0) {
				return 1
			}
		}
		if e.Size(far) >= constant {
			return f
		}
	}
	return 1
}

// unitOf is the power of 1024 nearest to a size, in logarithms; 1 for a size that
// is 0 or no number. Sizes between 1/32 and 32 have the unit 1.
func unitOf(size float64) float64 {
	if !(size > 0) || math.IsInf(size, 1) {
		return 1
	}
	return math.Ldexp(1, 10*int(math.Floor(math.Log2(size)/10+0.5)))
}

func (c *Constraint) violations(t *tally) {
	at := spot{c: c}
	if c.DC {
		if v := c.Value(t.x); !(v <= 0) {
			t.note(v, at, terms{e: c.Written()})
		}
		if c.members == nil { // these are finite everywhere
			outside(&c.e, t, at)
		}
		return
	}
	vals := c.A.Values(t.x)
	for k := range c.Lo {
		v := vals.At(k)
		if v >= c.Lo[k] && v <= c.Hi[k] {
			continue
		}
		l, bound := c.A.Linear(k), c.Hi[k]
		if v < c.Lo[k] {
			bound = c.Lo[k]
		}
		bound -= l.Const
		l.Const = 0
		t.note(broken(v, c.Lo[k], c.Hi[k]), at, terms{affine: l, bound: bound})
	}
}

// membersViolations takes down which of the constraints, which are the members, are broken.
func membersViolations(m *family.Members, t *tally, cs []Constraint) {
	m.Broken(t.x, func(k int, v float64) {
		t.note(v, spot{c: &cs[k]}, terms{e: m.At(k)})
	})
}

// broken is how far v is outside [lo, hi].
func broken(v, lo, hi float64) float64 {
	if v < lo {
		return lo - v
	}
	return v - hi
}

// outside notes how far the tally's point is outside the domain of e.
func outside(e *expr.Scalar, t *tally, at spot) {
	if !e.Composite { // the split is the terms
		t.domains(e.Terms, at)
		return
	}
	split := e.Split()
	if split.Rate > 0 { // of a product of affine functions, which has all points
		return
	}
	t.domains(split.G, at)
	t.domains(split.H, at)
}

func (t *tally) domains(list []expr.Term, at spot) {
	for _, term := range list {
		if term.Linearised() && !num.Finite(term.F.Value(t.x)) {
			t.note(math.Inf(1), at, written(expr.Of(term.F)))
		}
		r, ok := term.F.(convex.Restricted)
		if !ok {
			continue
		}
		for _, f := range r.Domain() {
			if v := f.Value(t.x); !(v <= 0) {
				t.note(v, at, written(expr.Of(f)))
			}
		}
	}
}
