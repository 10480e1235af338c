package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// size is the largest term of e at x, the constant included.
func (e *scalar) size(x []float64) float64 {
	s := e.lin.Size(x)
	for _, t := range e.terms {
		if f, ok := t.f.(convex.Sized); ok {
			_, most := f.Sizes(x)
			s = max(s, math.Abs(t.w)*most)
			continue
		}
		s = max(s, convex.FiniteSize(t.w*t.f.Value(x)))
	}
	return s
}

// ObjectiveSize is the sum of the sizes of the objective's terms at x but for the
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
	e := p.objective()
	for k, j := range e.lin.Idx {
		size := convex.FiniteSize(e.lin.Val[k] * x[j])
		if ranged {
			size = min(size, interval.Width(e.lin.Of.Interval(j).Scale(e.lin.Val[k])))
		}
		sum += size
	}
	for k, t := range e.terms {
		size := 0.0
		if f, ok := t.f.(convex.Sized); ok {
			all, _ := f.Sizes(x)
			size = math.Abs(t.w) * all
		} else {
			size = convex.FiniteSize(t.w * t.f.Value(x))
		}
		if ranged && !isWider(t.f, size/math.Abs(t.w)) {
			size = min(size, math.Abs(t.w)*p.widths()[k])
		}
		sum += size
	}
	return sum
}

// isWider reports whether the range of f is found to be wider than a number by a few members of a
// sum: the range of the sum is as wide as all of them together. False says nothing.
func isWider(f convex.Func, than float64) bool {
	s, ok := f.(interface{ wider(than float64) bool })
	return ok && s.wider(than)
}

// termWidths are the widths of the ranges of the objective's functions, infinite where a variable
// has no bounds: the ranges of the members of large sums take long.
func (p *Problem) termWidths() []float64 {
	widths := make([]float64, len(p.objective().terms))
	for k, t := range p.objective().terms {
		widths[k] = math.Inf(1)
		endless := func(j int) bool { return math.IsInf(interval.Width(p.Objective.arr.Of.Interval(j)), 1) }
		if !slices.ContainsFunc(t.f.Support(), endless) {
			widths[k] = interval.Width(convex.RangeOf(t.f))
		}
	}
	return widths
}

// ObjectiveUnit is the unit of differences of the objective: 1, or, where all of its terms are
// small, the largest power of 2 that is not above the sum of their sizes but for the constant, at x
// or at a point with variables of the size of their bounds and starts, whichever is larger.
// Variables that have neither count with the largest of their entries in x. x may be nil.
func (p *Problem) ObjectiveUnit(x []float64) float64 {
	at := slices.Clone(p.typical)
	size := 0.0
	if x != nil {
		size = p.ObjectiveSize(x)
		for _, v := range p.Vars {
			if s := num.NormInf(x[v.Offset : v.Offset+v.Len()]); v.Size() == 0 && s > 0 && !math.IsInf(s, 1) {
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
			x[v.Offset+k] = min(max(u, lo), hi)
		}
	}
	return x
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
