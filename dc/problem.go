package dc

import (
	"math"
	"math/rand/v2"
)

// Problem is a checked model: minimise the objective's g − h subject to the
// constraints. It does not change and may be shared by goroutines.
type Problem struct {
	Vars []*Variable
	// Objective is what is minimised; for Maximize, the negative of what was
	// given.
	Objective   Expr
	Maximize    bool
	Constraints []Constraint

	n       int
	defined []definition
}

// NumVars is the length of x.
func (p *Problem) NumVars() int { return p.n }

// Value is the objective at x as it was given: maximised ones with their sign.
func (p *Problem) Value(x []float64) float64 {
	v := p.Objective.Value(x)
	if p.Maximize {
		return -v
	}
	return v
}

// Violation is the largest amount by which x breaks a bound, a constraint or
// the domain of a function, and the name of the constraint (or variable)
// where; 0 and "" if none is broken. NaN counts as +Inf.
func (p *Problem) Violation(x []float64) (float64, string) {
	var t tally
	p.violations(x, &t)
	if t.worst > 0 {
		return t.worst, t.at.name()
	}
	return 0, ""
}

// Infeasibility is the largest violation, each relative to max(1, the size of
// what is compared): a variable's bound, the largest bound of an affine
// constraint, or the values of g and h.
func (p *Problem) Infeasibility(x []float64) float64 {
	_, relative := p.Violations(x)
	return relative
}

// Violations is Violation and Infeasibility in one go, without the name.
func (p *Problem) Violations(x []float64) (worst, relative float64) {
	var t tally
	p.violations(x, &t)
	return t.worst, t.relative
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

// tally is told of every amount by which x breaks something, many of them 0 or
// negative, and the size it is to be measured by.
type tally struct {
	worst, relative float64
	at              spot // of the worst
}

// note: a NaN breaks without end, a size that is no number is 1.
func (t *tally) note(v, size float64, at spot) {
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	if math.IsNaN(size) || math.IsInf(size, 0) {
		size = 1
	}
	if v > t.worst {
		t.worst, t.at = v, at
	}
	t.relative = max(t.relative, v/max(1, size))
}

func (p *Problem) violations(x []float64, t *tally) {
	for _, v := range p.Vars {
		at := spot{v: v}
		for k := range v.Len() {
			xk := x[v.Offset+k]
			if v.Lo != nil {
				t.note(v.Lo[k]-xk, math.Abs(v.Lo[k]), at)
			}
			if v.Hi != nil {
				t.note(xk-v.Hi[k], math.Abs(v.Hi[k]), at)
			}
			if math.IsNaN(xk) {
				t.note(xk, 1, at)
			}
		}
	}
	p.Objective.outside(x, t, spot{})
	for i := range p.Constraints {
		p.Constraints[i].violations(x, t)
	}
}

func (c *Constraint) violations(x []float64, t *tally) {
	at := spot{c: c}
	if c.DC {
		t.note(c.E.Value(x), c.E.size(x), at)
		c.E.outside(x, t, at)
		return
	}
	size := 0.0
	for k := range c.Lo {
		for _, bound := range [2]float64{c.Lo[k] - c.A.c[k], c.Hi[k] - c.A.c[k]} {
			if !math.IsInf(bound, 0) {
				size = max(size, math.Abs(bound))
			}
		}
	}
	vals := c.A.values(x)
	for k := range c.Lo {
		v := vals.at(k)
		t.note(v-c.Hi[k], size, at)
		t.note(c.Lo[k]-v, size, at)
	}
}

// size is the largest size of the terms.
func (e *Expr) size(x []float64) float64 {
	s := math.Abs(e.lin.Value(x))
	for _, t := range e.terms {
		s = max(s, math.Abs(t.w*t.f.Value(x)))
	}
	return s
}

// outside notes how far x is outside the domain of e.
func (e *Expr) outside(x []float64, t *tally, at spot) {
	s := e.split()
	for _, list := range [2][]term{s.g, s.h} {
		for _, term := range list {
			if r, ok := term.f.(Restricted); ok {
				for _, f := range r.Domain() {
					t.note(f.Value(x), 1, at)
				}
			}
		}
	}
}

// Violation is the largest amount by which x breaks c, 0 if it holds. NaN counts
// as +Inf.
func (c *Constraint) Violation(x []float64) float64 {
	var t tally
	c.violations(x, &t)
	return t.worst
}

// StartKind is a way to choose a starting value.
type StartKind uint8

// The ways.
const (
	StartUnset     StartKind = iota // uniform between finite bounds; a standard normal draw, kept within the bounds, without
	StartValues                     // Values; an entry that is NaN counts as unset
	StartNormally                   // mean A, deviation B
	StartUniformly                  // between A and B
)

// Start is where a variable starts.
type Start struct {
	Kind   StartKind
	Values []float64
	A, B   float64
}

// Start draws a starting point: the same for the same seed.
func (p *Problem) Start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6463)) // the second word is arbitrary and fixed
	x := make([]float64, p.n)
	for _, v := range p.Vars {
		for k := range v.Len() {
			x[v.Offset+k] = v.draw(k, rng)
		}
	}
	return x
}

func (v *Variable) draw(k int, rng *rand.Rand) float64 {
	s := &v.Start
	switch {
	case s.Kind == StartValues && !math.IsNaN(s.Values[k]):
		return s.Values[k]
	case s.Kind == StartNormally:
		return s.A + s.B*rng.NormFloat64()
	case s.Kind == StartUniformly:
		return s.A + (s.B-s.A)*rng.Float64()
	}
	lo, hi := v.Bounds(k)
	if !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		return lo + (hi-lo)*rng.Float64()
	}
	return min(max(rng.NormFloat64(), lo), hi)
}

// Random reports whether two seeds can give different starts.
func (p *Problem) Random() bool {
	for _, v := range p.Vars {
		if v.Start.Kind != StartValues {
			return true
		}
		for _, s := range v.Start.Values {
			if math.IsNaN(s) {
				return true
			}
		}
	}
	return false
}
