package subproblem

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/dcopt/dcopt/ccp/internal/scaled"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
)

// Cut is a row a − h ≤ s of a DC constraint: the coefficients of h's variables
// are overwritten by those without h − ∂h, the bound by that of the tangent.
type Cut struct {
	H     dc.Convex
	Idx   []int     // h's support
	Slot  []int     // positions in A.Val
	base  []float64 // coefficients without h; nil: zeros
	Row   int
	U     float64 // bound without h
	Same  bool    // h is that of the cut before
	slack int     // of the row, an index into Slacks, or noSlack
	// piece is the number, from 1, of the piece of h that the row has now, and active
	// the variables of that affine function; 0 where they are not known.
	piece  int
	active []int
	fresh  bool // the row is as it was compiled
}

// noSlack marks the rows of majorants, which a larger column always meets.
const noSlack = -1

var ErrNotANumber = errors.New("ccp: a function or its subgradient is not a finite number of moderate size at the current point")

// Overflows reports whether err is due to numbers that a point gives the convex problem, and not to
// the problem.
func Overflows(err error) bool {
	return errors.Is(err, ErrNotANumber) || errors.Is(err, scaled.ErrOverflow)
}

// Linearise replaces every h by its tangent at x and sets the cost of the
// slacks to τ times their prices.
func (s *Problem) Linearise(x []float64, τ float64) error {
	s.DC.Pin(x)
	s.τ, s.Now.Q = τ, append(s.Now.Q[:0], s.QP.Q...)
	for k, j := range s.Slacks {
		s.Now.Q[j] = τ * s.prices[s.softOf(k)]
	}
	s.choose(x)
	if !s.objectiveTangent(x) || !s.tangents(x) {
		return ErrNotANumber
	}
	s.prox.pull(s, x)
	return nil
}

// choose lets the least of the items of the objective count.
func (s *Problem) choose(x []float64) {
	if s.Switched = s.least.take(x, s.Now.Q, s.QP.P.Val); s.Switched {
		copy(s.Now.P, s.least.p)
		s.unchanged.held = false
	}
}

// objectiveTangent subtracts the tangent of the objective's h at x. It reports whether that is finite.
func (s *Problem) objectiveTangent(x []float64) bool {
	if s.H0 == nil {
		return true
	}
	idx := s.H0.Support()
	s.subgradient(s.H0, idx, x)
	nothing := 0.0 // or NaN
	for _, j := range idx {
		s.Now.Q[j] -= s.grad[j]
		nothing += s.grad[j] - s.grad[j]
	}
	return nothing == 0
}

// tangents writes those at x to the rows of the cuts. It reports whether all are finite.
func (s *Problem) tangents(x []float64) bool {
	if slices.Equal(s.at, x) {
		return true
	}
	s.stale()
	finite := s.familyTangents(x)
	for from, k := 0, 0; from < len(s.Cuts) && finite; from = k {
		for k = from + 1; k < len(s.Cuts) && s.Cuts[k].Same; k++ {
		}
		finite = s.tangent(s.Cuts[from:k], x)
	}
	if finite {
		s.at = append(s.at, x...)
	}
	return finite
}

// familyTangents is tangents for the rows of families.
func (s *Problem) familyTangents(x []float64) bool {
	all := true
	for _, f := range s.Rows.Families {
		finite, same := f.Tangent(s.Now.A, s.Now.U, s.QP.U, x)
		s.unchanged.held = s.unchanged.held && same
		all = all && finite
	}
	return all
}

// pieced is implemented by maxima of affine functions: the piece that is active at
// x, its number and its value; ok is false where some are no affine functions.
type pieced interface {
	ActivePiece(x []float64) (l dc.Linear, number int, value float64, ok bool)
}

// tangent writes that of the cuts' h at x, a − h(x) − ∂h·(· − x) ≤ s, to their rows. It
// reports whether it is finite.
func (s *Problem) tangent(cuts []Cut, x []float64) bool {
	if done, finite := s.piece(cuts, x); done {
		return finite
	}
	h, idx := cuts[0].H, cuts[0].Idx
	s.subgradient(h, idx, x)
	constant := h.Value(x)
	for _, j := range idx {
		constant -= s.grad[j] * x[j]
	}
	for k := range cuts {
		c := &cuts[k]
		s.Now.U[c.Row] = c.U + constant
		s.write(c)
		c.piece, c.active, c.fresh = 0, nil, false
	}
	return s.boundsAre(cuts, constant)
}

// piece is tangent where h is a maximum of affine functions: its tangent is the piece
// that is active. done is false where h is another function.
func (s *Problem) piece(cuts []Cut, x []float64) (done, finite bool) {
	p, ok := cuts[0].H.(pieced)
	if !ok {
		return false, false
	}
	l, number, value, ok := p.ActivePiece(x)
	if !ok {
		return false, false
	}
	if number+1 == cuts[0].piece {
		return true, s.boundsAre(cuts, value)
	}
	s.clear(cuts[0].Idx)
	l.AddSubgrad(s.grad, 1, x)
	for k := range cuts {
		c := &cuts[k]
		s.Now.U[c.Row] = c.U + l.Const
		if c.base == nil && (c.piece > 0 || c.fresh) {
			s.exchange(c, l)
		} else {
			s.write(c)
		}
		c.piece, c.active, c.fresh = number+1, l.Idx, false
	}
	return true, s.boundsAre(cuts, value)
}

// boundsAre reports whether the value of an h and the bounds of its cuts are finite.
func (s *Problem) boundsAre(cuts []Cut, value float64) bool {
	for i := range cuts {
		value += s.Now.U[cuts[i].Row]
	}
	return num.Finite(value)
}

// write writes the coefficients without h, less s.grad.
func (s *Problem) write(c *Cut) {
	now := s.Now.A
	same := true
	for i, at := range c.Slot {
		v := -s.grad[c.Idx[i]]
		if c.base != nil {
			v += c.base[i]
		}
		same = same && v == now[at]
		now[at] = v
	}
	s.unchanged.held = s.unchanged.held && same
}

// exchange is write where all coefficients are zero but those of a piece,
// which is about to be l.
func (s *Problem) exchange(c *Cut, l dc.Linear) {
	now := s.Now.A
	if c.piece > 0 {
		for _, at := range s.places(c, c.active) {
			now[at] = 0
		}
	}
	for i, at := range s.places(c, l.Idx) {
		now[at] = -l.Val[i]
	}
	s.unchanged.held = false
}

// places are those of the coefficients of some of h's variables, until the next
// call.
func (s *Problem) places(c *Cut, of []int) []int {
	if len(of) == 0 {
		return nil
	}
	from, _ := slices.BinarySearch(c.Idx, of[0])
	if end := from + len(of); end <= len(c.Idx) && c.Idx[end-1] == of[len(of)-1] {
		return c.Slot[from:end]
	}
	s.some = s.some[:0]
	for k := from; len(of) > 0; k++ {
		if c.Idx[k] == of[0] {
			s.some, of = append(s.some, c.Slot[k]), of[1:]
		}
	}
	return s.some
}

// clear sets s.grad to zero at idx.
func (s *Problem) clear(idx []int) {
	for _, j := range idx {
		s.grad[j] = 0
	}
}

// subgradient leaves that of h in s.grad, on h's support.
func (s *Problem) subgradient(h dc.Convex, idx []int, x []float64) {
	s.clear(idx)
	h.AddSubgrad(s.grad, 1, x)
}

// Slopes returns the slope of the objective at x, per unit of a variable, and the median of those of
// the DC constraints, each times its price. Where the objective is flat at x it is that of
// the convex problem, per unit of a column.
func (s *Problem) Slopes(x []float64) (objective, constraint float64) {
	if objective = s.slope(s.DC.Objective, x); objective == 0 {
		q := append([]float64(nil), s.Now.Q...)
		for _, j := range s.Slacks {
			q[j] = 0
		}
		for j, u := range s.columnUnits() {
			objective = max(objective, math.Abs(q[j])*u)
		}
	}
	each := s.slopes(x)
	for k, price := range s.prices {
		each[k] *= price
	}
	sort.Float64s(each)
	if len(each) > 0 {
		constraint = each[len(each)/2]
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
	out := make([]float64, len(s.Soft))
	at := 0
	for _, f := range s.Rows.Families {
		s.slopesOf(out, x, at, f.Soft)
		f.Slopes(out, x, s.Units, leastSlope)
		at = f.Soft + f.All.Count()
	}
	s.slopesOf(out, x, at, len(out))
	return out
}

// slopesOf writes those of the constraints from number from to to.
func (s *Problem) slopesOf(out, x []float64, from, to int) {
	for k := from; k < to; k++ {
		out[k] = s.slope(s.Soft[k].E(), x)
	}
}

// slope is that of an expression at x, per unit of a variable; 0 where it is flat or has none.
func (s *Problem) slope(e dc.Expr, x []float64) float64 {
	clear(s.grad)
	g, h := e.G(), e.H()
	h.AddSubgrad(s.grad, -1, x)
	least := leastSlope * s.perUnit(s.grad, h.Support())
	g.AddSubgrad(s.grad, 1, x)
	top := max(least, s.perUnit(s.grad, h.Support()), s.perUnit(s.grad, g.Support()))
	if !num.Finite(top) {
		return 0
	}
	return top
}

// perUnit is the largest entry of a gradient per unit of a variable.
func (s *Problem) perUnit(grad []float64, of []int) float64 {
	top := 0.0
	for _, j := range of {
		top = max(top, math.Abs(grad[j])*s.Units[j])
	}
	return top
}

// SetPrices makes one over the slope of each DC constraint at x the price of its slack,
// in multiples of τ: a constraint times a number stays the constraint that it is. The
// constraints of a family, which differ in their data alone, share the median.
func (s *Problem) SetPrices(x []float64) {
	slopes := s.slopes(x)
	families := map[string][]float64{}
	for k, c := range s.Soft {
		if slopes[k] > 0 {
			families[c.Family] = append(families[c.Family], slopes[k])
		}
	}
	for name, list := range families {
		sort.Float64s(list)
		families[name] = list[len(list)/2:]
	}
	var units []float64 // of the rows of constraints without a slope
	for k, c := range s.Soft {
		slope := slopes[k]
		if list := families[c.Family]; c.Family != "" && len(list) > 0 {
			slope = list[0]
		} else if slope == 0 {
			if units == nil {
				units = s.rowUnits()
			}
			slope = units[k]
		}
		s.prices[k] = 1 / slope
	}
}

// RowPrices are the prices of the slacks by row, 1 where a row has none.
func (s *Problem) RowPrices() []float64 {
	out := make([]float64, s.Rows.Count())
	for i := range out {
		out[i] = 1
	}
	for k := range s.Cuts {
		if c := &s.Cuts[k]; c.slack != noSlack {
			out[c.Row] = s.prices[s.softOf(c.slack)]
		}
	}
	for _, f := range s.Rows.Families {
		for k := range f.Count() {
			out[f.Row+k] = s.prices[f.Soft+f.Number(k)]
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
	for n, j := range s.Slacks {
		k := s.softOf(n)
		if !(s.Res.X[j] > tol*s.rowSize[k]) {
			continue
		}
		if slopes == nil {
			slopes = s.slopes(x)
		}
		if slope := slopes[k]; slope > 0 && s.prices[k]*slope < cheap {
			s.prices[k], changed = 1/slope, true
		}
	}
	return changed
}

// stale says that the rows of the cuts are other ones from now on.
func (s *Problem) stale() { s.at, s.measured = s.at[:0], false }

// Correct moves the rows of the cuts, which have the tangents at the last point, so that
// the value of each at x is that of its function: the second-order correction.
func (s *Problem) Correct(x []float64) {
	for k := range s.Cuts {
		c := &s.Cuts[k]
		if c.slack == noSlack || c.base != nil || c.piece > 0 { // not the tangent alone, or a piece
			continue
		}
		below := -s.Now.U[c.Row] // minus the tangent at x
		for i, j := range c.Idx {
			below += s.Now.A[c.Slot[i]] * x[j]
		}
		s.Now.U[c.Row] += below + c.H.Value(x)
	}
	for _, f := range s.Rows.Families {
		f.Correct(s.Now.A, s.Now.U, x)
	}
	s.stale()
}

// Slack is the place of the row's slack among Problem.Slacks, −1 for none.
func (c *Cut) Slack() int { return c.slack }
