package program

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Atom makes the function with a name, data and arguments as an expr.Node has them; known is false
// for other names. The error of an argument is the error of the function.
type Atom func(op string, data []float64, args []expr.Array) (f expr.Scalar, known bool)

// Problem is a checked model: minimise the objective's g − h subject to the
// constraints. It does not change and may be shared by goroutines.
type Problem struct {
	Vars []*Variable
	// Objective is what is minimised; for Maximize, the negative of what was
	// given.
	Objective   expr.Scalar
	Maximize    bool
	Constraints []Constraint

	n         int
	within    []interval.Interval // of variables: their bounds and the rows that have no other
	defined   []definition
	ties      []tie                        // see Model.Tie
	definedAt []int                        // of each variable: its place in defined, from 1; nil: nothing is defined
	exact     func() *Problem              // without majorants, made when it is first asked for; nil: there are none
	typical   []float64                    // see typicalPoint
	least     []float64                    // see reach
	widths    func() []float64             // see ObjectiveVariation
	reduced   func() map[int]convex.Linear // the variables that affine equations give, see ReducedRange
	atom      Atom
}

// definition is an equation that gives a variable its value: x[j] = e(x), e
// without x[j].
type definition struct {
	j    int
	e    expr.Scalar
	a    float64 // the coefficient of x[j] in the equation
	at   int     // the number of the equation's first half
	lo   int     // the numbers of the constraints that keep its bounds, 0 for none
	high int
}

// Exact returns the problem with splits g − h that equal their functions
// everywhere, as proofs need. The splits of p may instead have, for squares, absolute
// values and maxima of DC functions, a part of g that stands for its majorant at
// the current point.
func (p *Problem) Exact() *Problem {
	if p.exact != nil {
		return p.exact()
	}
	return p
}

// Written yields the constraints as they were stated: of an equation E = 0 that is
// not affine the first half alone, with equation set, of a chain both halves, and
// none that follow from declarations of variables.
func (p *Problem) Written() iter.Seq2[*Constraint, bool] {
	return func(yield func(c *Constraint, equation bool) bool) {
		for k := range p.Constraints {
			c := &p.Constraints[k]
			if c.Implied || c.second && p.Constraints[k-1].Equation {
				continue
			}
			if !yield(c, c.Equation) {
				return
			}
		}
	}
}

// NumVars is the length of x: the entries of all variables and parameters.
func (p *Problem) NumVars() int { return p.n }

// Box returns the least and the largest value of each entry of x: its bounds, narrowed by
// the affine constraints that have no other variable, and the value of a parameter.
// A constraint that would leave nothing narrows nothing. Ranges hold, and splits are
// convex, within the box; points break its constraints by no more than the tolerance.
func (p *Problem) Box() (lo, hi []float64) {
	return p.AppendBox(make([]float64, 0, p.n), make([]float64, 0, p.n))
}

// AppendBox appends the slices of Box to others.
func (p *Problem) AppendBox(lo, hi []float64) (withLo, withHi []float64) {
	for _, v := range p.Vars {
		for k := range v.Len() {
			l, h := p.box(v, k)
			lo, hi = append(lo, l), append(hi, h)
		}
	}
	return lo, hi
}

// box is Box for entry k of v.
func (p *Problem) box(v *Variable, k int) (lo, hi float64) {
	if j := v.Offset + k; !v.Param && j < len(p.within) {
		return p.within[j].Lo, p.within[j].Hi
	}
	return v.Bounds(k)
}

// Value is the objective at x as it was given: maximised ones with their sign. x lies in the Box.
func (p *Problem) Value(x []float64) float64 {
	v := p.Objective.Value(x)
	if p.Maximize {
		return -v
	}
	return v
}

// Evaluate is Value with a bound of its rounding error: the value of the objective
// as it was written, in exact arithmetic at the same x, is within bound of it.
func (p *Problem) Evaluate(x []float64) (value, bound float64) {
	v, bound := p.Objective.Evaluate(x)
	if p.Maximize {
		v = -v
	}
	return v, bound
}

// Start draws a starting point of length NumVars: the declared starts, and numbers from
// the distributions, which are the same for the same seed.
func (p *Problem) Start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6463)) // stream "dc": each use of the seed has its own
	x := make([]float64, p.n)
	for _, v := range p.Vars {
		for k := range v.Len() {
			j := v.Offset + k
			lo, hi := p.box(v, k)
			x[j] = v.draw(k, lo, hi, rng)
			if least := p.least; least != nil && v.Start.Kind == StartUnset && math.Abs(x[j]) < math.Abs(least[j]) {
				x[j] = min(max(least[j], lo), hi)
			}
		}
	}
	p.Settle(x)
	return x
}

// tie is an entry of a start, and the expression whose value it has.
type tie struct {
	j int
	e expr.Scalar
}

// Settle gives the entries of x that Model.Tie is told of the values of their expressions, where
// these are numbers.
func (p *Problem) Settle(x []float64) {
	for _, t := range p.ties {
		if v := t.e.Value(x); num.Finite(v) {
			x[t.j] = v
		}
	}
}

// widest is the width of a range from which on starts are drawn as of a variable without bounds,
// whose size is 1. Source: derived: the rounding error of a number of this size is 1.
const widest = 0x1p53

// draw is a starting value of entry k, unset ones between lo and hi.
func (v *Variable) draw(k int, lo, hi float64, rng *rand.Rand) float64 {
	s := &v.Start
	switch {
	case s.Kind == StartValues && !math.IsNaN(s.Values[k]):
		return s.Values[k]
	case s.Kind == StartNormally:
		return s.A + s.B*rng.NormFloat64()
	case s.Kind == StartUniformly:
		return s.A + (s.B-s.A)*rng.Float64()
	}
	if hi-lo < widest {
		return lo + (hi-lo)*rng.Float64()
	}
	return min(max(rng.NormFloat64(), lo), hi)
}

// Random reports whether two seeds can give different starts: where not, several
// starts are one.
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

// ObjectiveSize is the sum of the sizes of the objective's terms at x without the
// constant: the scale by which a change of the objective is small or large, whatever
// cancels.
func (p *Problem) ObjectiveSize(x []float64) float64 { return p.objectiveSize(x, false) }

// ObjectiveVariation is ObjectiveSize with each term no larger than its range within the bounds of
// the variables is wide: a power of a variable that is fixed, or nearly so, hides no change of the
// others.
func (p *Problem) ObjectiveVariation(x []float64) float64 { return p.objectiveSize(x, true) }

// objectiveSize is the sum of the sizes of the objective's terms at x, where ranged no larger than
// the widths of their ranges.
func (p *Problem) objectiveSize(x []float64, ranged bool) (sum float64) {
	e := &p.Objective
	for k, j := range e.Lin.Idx {
		size := convex.FiniteSize(e.Lin.Val[k] * x[j])
		if ranged {
			size = min(size, interval.Width(e.Lin.Of.Interval(j).Scale(e.Lin.Val[k])))
		}
		sum += size
	}
	for k, t := range e.Terms {
		size := 0.0
		if f, ok := t.F.(convex.Sized); ok {
			all, _ := f.Sizes(x)
			size = math.Abs(t.W) * all
		} else {
			size = convex.FiniteSize(t.W * t.F.Value(x))
		}
		if ranged && !expr.IsWider(t.F, size/math.Abs(t.W)) {
			size = min(size, math.Abs(t.W)*p.widths()[k])
		}
		sum += size
	}
	return sum
}

// termWidths are the widths of the ranges of the objective's functions, infinite where a variable
// has no bounds: the ranges of the members of large sums take long.
func (p *Problem) termWidths() []float64 {
	widths, of := make([]float64, len(p.Objective.Terms)), p.Objective.Owner()
	for k, t := range p.Objective.Terms {
		widths[k] = math.Inf(1)
		endless := func(j int) bool { return math.IsInf(interval.Width(of.Interval(j)), 1) }
		if !slices.ContainsFunc(t.F.Support(), endless) {
			widths[k] = interval.Width(convex.RangeOf(t.F))
		}
	}
	return widths
}

// ObjectiveUnit is the unit of differences of the objective: 1, or, where all of its terms are
// small, the largest power of 2 that is not above the sum of their sizes without the constant, at x
// or at a point with variables of the size of their bounds and starts, whichever is larger.
// Variables that have neither count with the largest of their entries in x, unless all of these are
// rounding errors of the largest entry of x. x may be nil.
func (p *Problem) ObjectiveUnit(x []float64) float64 {
	at := slices.Clone(p.typical)
	size := 0.0
	if x != nil {
		size = p.ObjectiveSize(x)
		none := 0x1p-52 * num.NormInf(x) // an entry this small is a rounding error
		for _, v := range p.Vars {
			if s := num.NormInf(x[v.Offset : v.Offset+v.Len()]); v.Size() == 0 && s > none && !math.IsInf(s, 1) {
				for k := range v.Len() {
					at[v.Offset+k] *= s
				}
			}
		}
	}
	if size = max(size, p.ObjectiveSize(at)); !(size > 0 && size < 1) {
		return 1
	}
	return math.Ldexp(1, max(math.Ilogb(size), -1000)) // whose inverse is finite
}

// typicalPoint is a point with variables of the size of their starts and bounds, 1
// where they have none, within the bounds. The entries of a variable share a size
// and differ, so that differences of them do not vanish.
func (p *Problem) typicalPoint() []float64 {
	x := make([]float64, p.n)
	for _, v := range p.Vars {
		v.typical(x[v.Offset:])
	}
	return x
}

// typical writes the entries of the variable to x.
func (v *Variable) typical(x []float64) {
	s := v.Size()
	if s == 0 {
		s = 1
	}
	for k := range v.Len() {
		_, u := math.Modf(float64(v.Offset+k+1) * math.Phi)
		u = s * (1 + u) / 2
		lo, hi := v.Bounds(k)
		if (k%2 == 1 || u > hi) && -u >= lo { // a bound itself may be 0
			u = -u
		}
		x[k] = min(max(u, lo), hi)
	}
}

// Size is the largest size of the variable's starts, or of its finite bounds
// where that is less; 0 where both are absent or 0.
func (v *Variable) Size() float64 {
	start, bound := 0.0, 0.0
	switch v.Start.Kind {
	case StartNormally:
		start = math.Abs(v.Start.A) + v.Start.B
	case StartUniformly:
		start = max(math.Abs(v.Start.A), math.Abs(v.Start.B))
	case StartValues:
		for _, s := range v.Start.Values {
			start = max(start, convex.FiniteSize(s))
		}
	}
	for k := range v.Len() {
		lo, hi := v.Bounds(k)
		bound = max(bound, convex.FiniteSize(lo), convex.FiniteSize(hi))
	}
	switch {
	case start > 0 && bound > 0:
		return min(start, bound)
	}
	return max(start, bound)
}
