package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// Dives reports whether a step has used up all but a share of the distance to
// the boundary of a domain: next to it a tangent is so steep that nothing ever
// leaves again.
func (s *Problem) Dives(x, from []float64, share float64) bool {
	for _, f := range s.boundary {
		if f.Value(x) > share*f.Value(from) {
			return true
		}
	}
	return false
}

// Convex reports whether there is nothing to linearise.
func (s *Problem) Convex() bool {
	return isFlat(s.H0) && len(s.Cuts)+len(s.Rows.Families) == 0 && len(s.least.all) == 0
}

// isFlat reports whether h is absent, or affine for given parameters: its tangent is
// h itself.
func isFlat(h dc.Convex) bool {
	f, ok := h.(interface{ Flat() bool })
	return h == nil || ok && f.Flat()
}

// Inside reports whether every h has a tangent at x.
func (s *Problem) Inside(x []float64) bool {
	for _, r := range s.Domain {
		if !r.Inside(x) {
			return false
		}
	}
	return true
}

// BreaksHard reports whether x breaks a bound or a convex constraint by more
// than tol, relative to the variable's unit or the row's terms. Bounds of variables
// that equations define are DC constraints.
func (s *Problem) BreaksHard(x []float64, tol float64) bool {
	for _, v := range s.DC.Vars {
		for k := range v.Len() {
			if s.defined != nil && s.defined[v.Offset+k] {
				continue
			}
			slip := tol * s.Units[v.Offset+k]
			if lo, hi := v.Bounds(k); x[v.Offset+k] < lo-slip || x[v.Offset+k] > hi+slip {
				return true
			}
		}
	}
	for _, c := range s.Hard {
		if !(s.DC.RelativeViolation(c, x) <= tol) {
			return true
		}
	}
	return false
}

// Gaps is Σ(cᵢ)₊ over the DC constraints, each times its price, +Inf where one has no
// value; open is that with each in the unit of its row, as slack measured it last or, if
// that is less, as its terms are at x: e^x has another size at 40 than at 0.
func (s *Problem) Gaps(x []float64) (sum, open float64) {
	s.gaps = gaps{}
	k := 0
	for _, f := range s.Rows.Families {
		s.addGaps(k, f.Soft, x)
		f.All.Broken(x, func(n int, v float64) { s.addGap(f.Soft+n, v, x) })
		k = f.Soft + f.All.Count()
	}
	s.addGaps(k, len(s.Soft), x)
	if math.IsNaN(s.gaps.sum) {
		return math.Inf(1), math.Inf(1)
	}
	return s.gaps.sum, s.gaps.open
}

// addGaps adds those of the DC constraints from number k to to.
func (s *Problem) addGaps(k, to int, x []float64) {
	for ; k < to; k++ {
		if v := s.Soft[k].Value(x); !(v <= 0) {
			s.addGap(k, v, x)
		}
	}
}

// addGap adds that of a DC constraint with the value v at x, which is positive or NaN.
func (s *Problem) addGap(k int, v float64, x []float64) {
	s.gaps.sum += v * s.prices[k]
	part := v / s.rowSize[k]
	if part < small { // of a row that may have far smaller terms here
		part = max(part, s.DC.RelativeViolation(s.Soft[k], x))
	}
	s.gaps.open += part
}

// SoftValues are the values of the DC constraints at x, good until the next call.
func (s *Problem) SoftValues(x []float64) []float64 {
	s.soft = s.soft[:0]
	one := func(to int) {
		for k := len(s.soft); k < to; k++ {
			s.soft = append(s.soft, s.Soft[k].Value(x))
		}
	}
	for _, f := range s.Rows.Families {
		one(f.Soft)
		s.soft = slices.Grow(s.soft, f.All.Count())[:f.Soft+f.All.Count()]
		f.All.Values(s.soft[f.Soft:], x)
	}
	one(len(s.Soft))
	return s.soft
}

// NumCuts is how many rows are linearised.
func (s *Problem) NumCuts() int { return len(s.Cuts) + s.Rows.Members() }

// small is a violation in the unit of a row that may be none because the unit is that of
// another point. Source: the accuracy asked of a backend.
const small = 1e-8

// RowSize is the unit of the DC constraint that is number k of Soft, as slack measured it
// last.
func (s *Problem) RowSize(k int) float64 { return s.rowSize[k] }

// BoundDomains tightens bounds by the domains that are half-lines of one variable,
// as that of sqrt(x) is: points are put into bounds exactly.
func (s *Problem) BoundDomains(lo, hi []float64) {
	for _, f := range s.boundary {
		l, ok := f.(dc.Linear)
		if !ok || len(l.Idx) != 1 {
			continue
		}
		switch j, end := l.Idx[0], -l.Const/l.Val[0]; {
		case l.Val[0] > 0:
			hi[j] = min(hi[j], max(end, lo[j]))
		case l.Val[0] < 0:
			lo[j] = max(lo[j], min(end, hi[j]))
		}
	}
}

// Size is that of variable j: the largest entry of its block, at least its unit.
func (s *Problem) Size(j int) float64 { return max(s.Units[j], s.Sizes[j]) }

// Chooses reports whether the objective has sums of the least of some functions, whose
// quadratic part changes with the choice.
func (s *Problem) Chooses() bool { return len(s.least.all) > 0 }

// Hidden are the columns of parameters, which the solver does not see.
func (s *Problem) Hidden() []int { return s.pinned }

// Linearised marks the variables that an h, or a choice of the least, depends on.
func (s *Problem) Linearised() []bool {
	in := make([]bool, s.DC.NumVars())
	mark := func(list []int) {
		for _, j := range list {
			in[j] = true
		}
	}
	if s.H0 != nil {
		mark(s.H0.Support())
	}
	for k := range s.Cuts {
		mark(s.Cuts[k].Idx)
	}
	for _, f := range s.Rows.Families {
		f.Variables(func(j int) { in[j] = true })
	}
	for k := range s.least.all {
		mark(s.least.all[k].vars)
	}
	return in
}

// Last is the last solution, not a copy.
func (s *Problem) Last() qpbackend.Tangent {
	return qpbackend.Tangent{X: s.Res.X, Y: s.Res.Y, Z: s.Res.Z}
}

// Point is a copy of the last solution; nothing where there is none.
func (s *Problem) Point() qpbackend.Tangent {
	if s.Res.Status != qpbackend.Solved && s.Res.Status != qpbackend.AlmostSolved {
		return qpbackend.Tangent{}
	}
	return qpbackend.Tangent{X: slices.Clone(s.Res.X), Y: slices.Clone(s.Res.Y), Z: slices.Clone(s.Res.Z)}
}

// Steepness are, by number in Soft, the constraints' Lipschitz constants in one variable, +Inf for one that is not known.
func (s *Problem) Steepness() []float64 {
	steep := make([]float64, len(s.Soft))
	for k := range steep {
		steep[k] = math.Inf(1)
	}
	for _, f := range s.Rows.Families {
		for k := range f.All.Count() {
			steep[f.Soft+k] = f.All.Slope(k)
		}
	}
	return steep
}

// Blur bounds the rounding errors at x of the constraints that have a Lipschitz constant.
func (s *Problem) Blur(x []float64) float64 {
	top := 0.0
	for _, f := range s.Rows.Families {
		top = max(top, f.All.Blur(x))
	}
	return top
}
