package subproblem

import (
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/num"
)

var ErrNotANumber = errors.New(
	"ccp: a function or its subgradient is not a finite number of moderate size at the current point")

// Overflows reports whether err is due to numbers that a point gives the convex problem, and not to
// the problem.
func Overflows(err error) bool {
	return errors.Is(err, ErrNotANumber) || errors.Is(err, scaling.ErrOverflow)
}

// Linearise replaces every h by its tangent at x and sets the cost of the
// slacks to τ times their prices.
func (s *Problem) Linearise(x []float64, τ float64) error {
	s.Compiled.DC.Pin(x)
	s.Lin.τ, s.Lin.Now.Q = τ, append(s.Lin.Now.Q[:0], s.Compiled.QP.Q...)
	for k, j := range s.Compiled.Slacks {
		s.Lin.Now.Q[j] = τ * s.Units.prices[s.Compiled.owners[k]]
	}
	s.Lin.Switched = s.Lin.least.take(x, s.Lin.Now.Q, s.Lin.Now.P, s.Compiled.QP.P.Val)
	s.Session.unchanged.held = s.Session.unchanged.held && !s.Lin.Switched
	if !s.objectiveTangent(x) || !s.tangents(x) {
		return ErrNotANumber
	}
	s.Lin.prox.pull(s, x)
	return nil
}

// objectiveTangent subtracts the tangent of the objective's h at x. It reports whether that is
// finite.
func (s *Problem) objectiveTangent(x []float64) bool {
	if s.Compiled.H0 == nil {
		return true
	}
	s.Lin.subgradient(s.Compiled.H0, x)
	nothing := 0.0 // or NaN
	for _, j := range s.Compiled.H0.Support() {
		s.Lin.Now.Q[j] -= s.Lin.grad[j]
		nothing += s.Lin.grad[j] - s.Lin.grad[j]
	}
	return nothing == 0
}

// tangents writes those at x to the rows of the cuts. It reports whether all are finite.
func (s *Problem) tangents(x []float64) bool {
	if slices.Equal(s.Lin.at, x) {
		return true
	}
	s.stale()
	finite := true
	for f := range s.Compiled.Rows.All {
		all, same := f.Tangent(s.Lin.Now.A, s.Lin.Now.U, s.Compiled.QP, x)
		s.Session.unchanged.held = s.Session.unchanged.held && same
		finite = finite && all
	}
	for from, k := 0, 0; from < len(s.Compiled.Cuts) && finite; from = k {
		for k = from + 1; k < len(s.Compiled.Cuts) && s.Compiled.Cuts[k].Same; k++ {
		}
		finite = s.tangent(s.Compiled.Cuts[from:k], x)
	}
	if finite {
		s.Lin.at = append(s.Lin.at, x...)
	}
	return finite
}

// pieced is implemented by maxima of affine functions: the piece that is active at
// x, its number and its value; ok is false where some are no affine functions.
type pieced interface {
	ActivePiece(x []float64) (l convex.Linear, number int, value float64, ok bool)
}

// tangent writes that of the cuts' h at x, a − h(x) − ∂h·(· − x) ≤ s, to their rows: of a maximum
// of affine functions the piece that is active. It reports whether it is finite.
func (s *Problem) tangent(cuts []Cut, x []float64) bool {
	h := cuts[0].H
	if p, ok := h.(pieced); ok {
		if l, number, value, ok := p.ActivePiece(x); ok {
			if number+1 != cuts[0].piece {
				s.Lin.clear(cuts[0].Idx)
				l.AddSubgrad(s.Lin.grad, 1, x)
				s.write(cuts, l.Const, number+1)
			}
			return s.Lin.boundsAre(cuts, value)
		}
	}
	s.Lin.subgradient(h, x)
	constant := h.Value(x)
	for _, j := range cuts[0].Idx {
		constant -= s.Lin.grad[j] * x[j]
	}
	s.write(cuts, constant, 0)
	return s.Lin.boundsAre(cuts, constant)
}

// boundsAre reports whether the value of an h and the bounds of its cuts are finite.
func (s *Linearisation) boundsAre(cuts []Cut, value float64) bool {
	for i := range cuts {
		value += s.Now.U[cuts[i].Row]
	}
	return num.Finite(value)
}

// write writes the rows of cuts with the tangent that has the constant and the gradient s.grad.
func (s *Problem) write(cuts []Cut, constant float64, piece int) {
	compiled, now, same := s.Compiled.QP.A.Val, s.Lin.Now.A, true
	for k := range cuts {
		c := &cuts[k]
		s.Lin.Now.U[c.Row], c.piece = s.Compiled.QP.U[c.Row]+constant, piece
		for i, at := range c.Slot {
			v := compiled[at] - s.Lin.grad[c.Idx[i]]
			same = same && v == now[at]
			now[at] = v
		}
	}
	s.Session.unchanged.held = s.Session.unchanged.held && same
}

// clear sets s.grad to zero at idx.
func (s *Linearisation) clear(idx []int) {
	for _, j := range idx {
		s.grad[j] = 0
	}
}

// subgradient leaves that of h in s.grad, on h's support.
func (s *Linearisation) subgradient(h convex.Func, x []float64) {
	s.clear(h.Support())
	h.AddSubgrad(s.grad, 1, x)
}

// Slopes returns the slope of the objective at x, per unit of a variable, and the median of those
// of the DC constraints, each times its price. Where the objective is flat at x it is that of the
// convex problem, per unit of a column.
func (s *Problem) Slopes(x []float64) (objective, constraint float64) {
	if objective = s.slope(s.Compiled.DC.Objective, x); objective == 0 {
		q := append([]float64(nil), s.Lin.Now.Q...)
		for _, j := range s.Compiled.Slacks {
			q[j] = 0
		}
		for j, u := range s.columnUnits() {
			objective = max(objective, math.Abs(q[j])*u)
		}
	}
	each := s.slopes(x)
	for k, price := range s.Units.prices {
		each[k] *= price
	}
	if len(each) > 0 {
		constraint = num.Smallest(each, len(each)/2)
	}
	return objective, constraint
}

// leastSlope is the share of the slope of an h that counts at least as that of g − h:
// where they cancel an expression is flat at a point, and not around it.
// Source: docs/lab/ccp.md, Constants.
const leastSlope = 1e-3

// slopes are those of the DC constraints at x, per unit of a variable; 0 where one is
// flat or has none.
func (s *Problem) slopes(x []float64) []float64 {
	out := make([]float64, len(s.Compiled.Soft))
	s.Compiled.soft(
		func(k int) { out[k] = s.slope(s.Compiled.Soft[k].Function(), x) },
		func(f *blocks.Family) { f.Slopes(out, x, s.Units.Of, leastSlope) },
	)
	return out
}

// slope is that of an expression at x, per unit of a variable; 0 where it is flat or has none.
func (s *Problem) slope(e expr.Scalar, x []float64) float64 {
	clear(s.Lin.grad)
	g, h := e.G(), e.H()
	h.AddSubgrad(s.Lin.grad, -1, x)
	least := leastSlope * s.Units.perUnit(s.Lin.grad, h.Support())
	g.AddSubgrad(s.Lin.grad, 1, x)
	top := max(least, s.Units.perUnit(s.Lin.grad, h.Support()), s.Units.perUnit(s.Lin.grad, g.Support()))
	if !num.Finite(top) {
		return 0
	}
	return top
}

// perUnit is the largest entry of a gradient per unit of a variable.
func (s *Units) perUnit(grad []float64, of []int) float64 {
	top := 0.0
	for _, j := range of {
		top = max(top, math.Abs(grad[j])*s.Of[j])
	}
	return top
}

// SetPrices makes one over the slope of each DC constraint at x the price of its slack,
// in multiples of τ: a constraint times a number stays the constraint that it is. The
// constraints of a family, which differ in their data alone, share the median.
func (s *Problem) SetPrices(x []float64) {
	slopes := s.slopes(x)
	families := map[string][]float64{}
	for k, c := range s.Compiled.Soft {
		if c.Family != "" && slopes[k] > 0 {
			families[c.Family] = append(families[c.Family], slopes[k])
		}
	}
	medians := map[string]float64{}
	for name, list := range families {
		medians[name] = num.Smallest(list, len(list)/2)
	}
	for k, c := range s.Compiled.Soft {
		slope := slopes[k]
		if median, ok := medians[c.Family]; ok {
			slope = median
		} else if slope == 0 {
			slope = s.rowUnits()[k]
		}
		s.Units.prices[k] = 1 / slope
	}
}

// RowPrices are the prices of the slacks by row, 1 where a row has none.
func (s *Problem) RowPrices() []float64 {
	out := make([]float64, s.Compiled.Rows.Count())
	for i := range out {
		out[i] = 1
	}
	for k := range s.Compiled.Cuts {
		if c := &s.Compiled.Cuts[k]; c.Slack != NoSlack {
			out[c.Row] = s.Units.prices[s.Compiled.owners[c.Slack]]
		}
	}
	for _, f := range s.Compiled.Rows.Families {
		for k := range f.Count() {
			out[f.Row+k] = s.Units.prices[f.Soft+f.Number(k)]
		}
	}
	return out
}

// cheap is the share of its first value below which the price of a slack, in terms of the
// slope of its constraint, no longer is that price: half of it, as the slope of a sum of
// squares on the way to its least value. A price that is right is 1.5 to begin with.
// Source: docs/lab/ccp.md, Constants.
const cheap = 0.5

// Reprice makes one over the slope at x the price of each slack that is open although its
// price is cheap there. It reports whether there are any.
func (s *Problem) Reprice(x []float64, tol float64) (changed bool) {
	var slopes []float64
	for n, j := range s.Compiled.Slacks {
		k := s.Compiled.owners[n]
		if !(s.Session.Res.X[j] > tol*s.Units.rowSize[k]) {
			continue
		}
		if slopes == nil {
			slopes = s.slopes(x)
		}
		if slope := slopes[k]; slope > 0 && s.Units.prices[k]*slope < cheap {
			s.Units.prices[k], changed = 1/slope, true
		}
	}
	return changed
}

// stale says that the rows of the cuts are other ones from now on.
func (s *Problem) stale() { s.Lin.at, s.Units.measured = s.Lin.at[:0], false }

// Correct moves the rows of the cuts, which have the tangents at the last point, so that
// the value of each at x is that of its function: the second-order correction. Rows of pieces are
// their functions.
func (s *Problem) Correct(x []float64) {
	for k := range s.Compiled.Cuts {
		c := &s.Compiled.Cuts[k]
		if c.Slack == NoSlack || c.piece > 0 {
			continue
		}
		constant := c.H.Value(x)
		for i, at := range c.Slot {
			constant -= (s.Compiled.QP.A.Val[at] - s.Lin.Now.A[at]) * x[c.Idx[i]]
		}
		s.Lin.Now.U[c.Row] = s.Compiled.QP.U[c.Row] + constant
	}
	for _, f := range s.Compiled.Rows.Families {
		f.Correct(s.Lin.Now.A, s.Lin.Now.U, s.Compiled.QP, x)
	}
	s.stale()
}
