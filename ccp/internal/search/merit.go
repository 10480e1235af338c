package search

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/program"
)

// axisMerit computes the merit, objective + τ·Σ(cᵢ)₊ over the DC constraints, where one
// variable changes at a time. With τ = 0 it is +Inf where a DC constraint is broken more
// than at the point.
type axisMerit struct {
	s          *subproblem.Problem
	τ, slip    float64
	objective  *family.Along
	x          []float64
	hard, soft [][]int // constraints that each variable stands in
	cost       []int   // coefficients of these
	gap        []float64
	most       float64 // violations above it count as infinite
	value      float64 // of the objective where it was computed last; NaN where a convex constraint is broken
	φ, open    float64 // at x: the objective and τ·Σ(cᵢ)₊, and Σ(cᵢ)₊ with each in the unit of its row
	distant
}

// distant tells which DC constraints a change of one variable cannot break.
type distant struct {
	values []float64 // of the DC constraints at a point, or upper bounds of them
	steep  []float64 // their Lipschitz constants in one variable; +Inf: there is none
	blur   float64   // bounds the rounding errors of values where it is finite
}

// Values compute merits for the kinds of search that change one variable at a time. Each goes
// to a point before it asks.
type Values struct{ merit *axisMerit }

// of is the merit of the problem, prepared when it is first asked for.
func (v *Values) of(s *subproblem.Problem, slip float64) *axisMerit {
	if v.merit == nil {
		v.merit = newAxisMerit(s)
	}
	v.merit.slip = slip
	return v.merit
}

// newAxisMerit prepares the problem. Where a convex constraint is broken by more than slip,
// relative to the size of its row, the merit is +Inf.
func newAxisMerit(s *subproblem.Problem) *axisMerit {
	n := s.Compiled.DC.NumVars()
	p := &axisMerit{s: s, objective: family.NewAlong(s.Compiled.DC.Objective, n), x: make([]float64, n),
		cost: make([]int, n)}
	p.hard, p.soft = p.standing(s.Compiled.Hard), p.standing(s.Compiled.Soft)
	p.gap, p.values = make([]float64, len(s.Compiled.Soft)), make([]float64, len(s.Compiled.Soft))
	p.steep = s.Compiled.Steepness()
	return p
}

// standing lists for each variable the constraints that it stands in, and adds up their
// sizes.
func (p *axisMerit) standing(all []*program.Constraint) [][]int {
	of := make([][]int, len(p.x))
	for i, c := range all {
		idx := c.Support()
		for _, j := range idx {
			of[j] = append(of[j], i)
			p.cost[j] += 2 * len(idx)
		}
	}
	return of
}

// keeps reports whether the convex constraints hold where variable j is v, and the others are not
// broken by more than most.
func (p *axisMerit) keeps(j int, v float64) bool {
	old := p.x[j]
	p.x[j] = v
	_, open := p.at(j, old, false)
	p.x[j] = old
	return open <= p.most
}

// tryOverhead is the cost of a try beside its coefficients, in coefficients. Source: of signs in a
// box and of the 1-norm less the 2-norm a try takes 40 nanoseconds with four coefficients, of
// dcbench's fits and support vector machines 1.1 to 2 for each of thousands.
const tryOverhead = 32

// visits is about how many coefficients a try of variable j visits, and a move there.
func (p *axisMerit) visits(j int) (try, move float64) {
	t, m := p.objective.Cost(j)
	rest := p.cost[j] + len(p.s.Compiled.Domain) + tryOverhead
	return float64(t + rest), float64(m + rest)
}

// goTo goes to x, with the given weight of violated constraints.
func (p *axisMerit) goTo(x []float64, τ float64) (φ, open float64) {
	copy(p.x, x)
	p.τ, p.most = τ, math.Inf(1)
	p.φ = p.objective.At(x)
	p.value = p.φ
	p.open = 0
	p.blur = p.s.Compiled.Blur(x)
	for k, v := range p.s.SoftValues(x) {
		p.values[k], p.gap[k] = v, max(v, 0)
		p.φ += τ * p.gap[k]
		p.open += p.gap[k] / p.s.RowSize(k)
	}
	if !p.s.Compiled.Inside(x) || p.s.BreaksHard(x, p.slip) || math.IsNaN(p.φ) {
		p.φ = math.Inf(1)
	}
	return p.φ, p.open
}

// try is the merit where variable j is v and all others are as they are.
func (p *axisMerit) try(j int, v float64) (φ, open float64) {
	old := p.x[j]
	p.x[j] = v
	φ, open = p.at(j, old, false)
	p.x[j] = old
	if math.IsInf(φ, 1) {
		p.value = math.NaN()
		return φ, open
	}
	p.value = p.objective.Try(j, v)
	return φ + p.value, open
}

// move sets variable j to v, where the merit is finite.
func (p *axisMerit) move(j int, v float64) {
	old := p.x[j]
	p.x[j] = v
	φ, open := p.at(j, old, true)
	p.objective.Move(j, v)
	p.φ, p.open = φ+p.objective.Value(), open
}

// at is the merit without the objective after x[j] has changed from old; keep keeps the
// violations of the constraints. Those that so small a change cannot break are not evaluated.
func (p *axisMerit) at(j int, old float64, keep bool) (φ, open float64) {
	none := math.Inf(1)
	if len(p.s.Compiled.Domain) > 0 && !p.s.Compiled.Inside(p.x) {
		return none, none
	}
	for _, i := range p.hard[j] {
		if !(p.s.Compiled.DC.RelativeViolation(p.s.Compiled.Hard[i], p.x) <= p.slip) {
			return none, none
		}
	}
	φ, open = p.φ-p.objective.Value(), p.open
	step := math.Abs(p.x[j]-old) * (1 + 0x1p-30) // above the roundings of the product
	for _, i := range p.soft[j] {
		most := p.values[i] + p.steep[i]*step
		if most < -p.blur {
			if keep {
				p.values[i] = most
			}
			continue
		}
		value := p.s.Compiled.Soft[i].Value(p.x)
		gap := max(value, 0)
		if p.τ == 0 && gap > p.gap[i] {
			return none, none
		}
		φ += p.τ * (gap - p.gap[i])
		open += (gap - p.gap[i]) / p.s.RowSize(i)
		if !keep && open-p.open > p.most { // the other violations may fall to 0, by p.open in all
			return none, none
		}
		if keep {
			p.gap[i], p.values[i] = gap, value
		}
	}
	if math.IsNaN(φ) || math.IsNaN(open) {
		return none, none
	}
	return φ, open
}
