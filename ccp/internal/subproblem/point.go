package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend"
)

// Dives reports whether a step has used up all but a share of the distance to
// the boundary of a domain: next to it a tangent is so steep that nothing ever
// leaves again.
func (s *Compiled) Dives(x, from []float64, share float64) bool {
	for _, f := range s.boundary {
		if f.Value(x) > share*f.Value(from) {
			return true
		}
	}
	return false
}

// Convex reports whether there is nothing to linearise.
func (s *Problem) Convex() bool {
	return isFlat(s.Compiled.H0) && s.NumCuts() == 0 && len(s.Lin.least.all) == 0
}

// isFlat reports whether h is absent, or affine for given parameters: its tangent is
// h itself.
func isFlat(h convex.Func) bool {
	f, ok := h.(interface{ Flat() bool })
	return h == nil || ok && f.Flat()
}

// Inside reports whether every h has a tangent at x.
func (s *Compiled) Inside(x []float64) bool {
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
	for _, v := range s.Compiled.DC.Vars {
		for k := range v.Len() {
			slip := tol * s.Units.Of[v.Offset+k]
			if lo, hi := v.Bounds(k); x[v.Offset+k] < lo-slip || x[v.Offset+k] > hi+slip {
				if defined := s.Compiled.DC.Defined(); defined == nil || !defined[v.Offset+k] {
					return true
				}
			}
		}
	}
	for _, c := range s.Compiled.Hard {
		if !(s.Compiled.DC.RelativeViolation(c, x) <= tol) {
			return true
		}
	}
	return false
}

// Gaps is Σ(cᵢ)₊ over the DC constraints, each times its price, +Inf where one has no
// value; open is that with each in the unit of its row, as slack measured it last or, if
// that is less, as its terms are at x: e^x has another size at 40 than at 0.
func (s *Problem) Gaps(x []float64) (sum, open float64) {
	s.Lin.gaps = gaps{}
	s.Compiled.soft(
		func(k int) { s.addGap(k, s.Compiled.Soft[k].Value(x), x) },
		func(f *blocks.Family) { f.All.Broken(x, func(n int, v float64) { s.addGap(f.Soft+n, v, x) }) },
	)
	if math.IsNaN(s.Lin.gaps.sum) {
		return math.Inf(1), math.Inf(1)
	}
	return s.Lin.gaps.sum, s.Lin.gaps.open
}

// soft calls one with the numbers of the DC constraints that are by themselves, and many with each
// family, in order.
func (s *Compiled) soft(one func(k int), many func(f *blocks.Family)) {
	k := 0
	for _, f := range s.Rows.Families {
		for ; k < f.Soft; k++ {
			one(k)
		}
		many(f)
		k += f.All.Count()
	}
	for ; k < len(s.Soft); k++ {
		one(k)
	}
}

// addGap adds that of a DC constraint with the value v at x.
func (s *Problem) addGap(k int, v float64, x []float64) {
	if v <= 0 {
		return
	}
	s.Lin.gaps.sum += v * s.Units.prices[k]
	part := v / s.Units.rowSize[k]
	if part < small { // of a row that may have far smaller terms here
		part = max(part, s.Compiled.DC.RelativeViolation(s.Compiled.Soft[k], x))
	}
	s.Lin.gaps.open += part
}

// SoftValues are the values of the DC constraints at x, good until the next call.
func (s *Problem) SoftValues(x []float64) []float64 {
	soft := s.Compiled.Soft
	v := slices.Grow(s.Lin.soft[:0], len(soft))[:len(soft)]
	s.Lin.soft = v
	s.Compiled.soft(
		func(k int) { v[k] = soft[k].Value(x) },
		func(f *blocks.Family) { f.All.Values(v[f.Soft:][:f.All.Count()], x) },
	)
	return v
}

// NumCuts is how many rows are linearised.
func (s *Problem) NumCuts() int { return len(s.Compiled.Cuts) + s.Compiled.Rows.Members() }

// small is a violation in the unit of a row that may be none because the unit is that of
// another point. Source: the accuracy asked of a backend.
const small = 1e-8

// RowSize is the unit of the DC constraint that is number k of Soft, as slack measured it
// last.
func (s *Problem) RowSize(k int) float64 { return s.Units.rowSize[k] }

// BoundDomains tightens bounds by the domains that are half-lines of one variable,
// as that of sqrt(x) is: points are put into bounds exactly.
func (s *Problem) BoundDomains(lo, hi []float64) {
	for _, f := range s.Compiled.boundary {
		l, ok := f.(convex.Linear)
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
func (s *Problem) Size(j int) float64 { return max(s.Units.Of[j], s.Units.Sizes[j]) }

// Chooses reports whether the objective has sums of the least of some functions, whose
// quadratic part changes with the choice.
func (s *Problem) Chooses() bool { return len(s.Lin.least.all) > 0 }

// Linearised marks the variables that an h, or a choice of the least, depends on.
func (s *Problem) Linearised() []bool {
	in := make([]bool, s.Compiled.DC.NumVars())
	mark := func(list []int) {
		for _, j := range list {
			in[j] = true
		}
	}
	if s.Compiled.H0 != nil {
		mark(s.Compiled.H0.Support())
	}
	for k := range s.Compiled.Cuts {
		mark(s.Compiled.Cuts[k].Idx)
	}
	for f := range s.Compiled.Rows.All {
		f.Variables(func(j int) { in[j] = true })
	}
	for k := range s.Lin.least.all {
		mark(s.Lin.least.all[k].vars)
	}
	return in
}

// Last is the last solution, not a copy.
func (s *Session) Last() qpbackend.Tangent {
	return qpbackend.Tangent{X: s.Res.X, Y: s.Res.Y, Z: s.Res.Z}
}

// Point makes to a copy of the last solution, and reports whether there is one.
func (s *Session) Point(to *qpbackend.Tangent) bool {
	if s.Res.Status != qpbackend.Solved && s.Res.Status != qpbackend.AlmostSolved {
		return false
	}
	to.X, to.Y, to.Z = append(to.X[:0], s.Res.X...), append(to.Y[:0], s.Res.Y...), append(to.Z[:0], s.Res.Z...)
	return true
}

// Steepness are, by number in Soft, the constraints' Lipschitz constants in one variable, +Inf for
// one that is not known.
func (s *Compiled) Steepness() []float64 {
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
func (s *Compiled) Blur(x []float64) float64 {
	top := 0.0
	for _, f := range s.Rows.Families {
		top = max(top, f.All.Blur(x))
	}
	return top
}
