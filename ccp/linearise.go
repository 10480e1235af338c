package ccp

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/dcopt/dcopt/dc"
)

// cut is a row a − h ≤ s of a DC constraint: the coefficients of h's variables
// are overwritten by those without h − ∂h, the bound by that of the tangent.
type cut struct {
	h     dc.Convex
	idx   []int     // h's support
	slot  []int     // positions in A.Val
	base  []float64 // coefficients without h; nil: zeros
	row   int
	u     float64 // bound without h
	same  bool    // h is that of the cut before
	slack int     // of the row, an index into subproblem.slacks, or noSlack
	// piece is that of h's pieces which the row has now, counted from 1, and
	// tangent what it is; 0 where that is not known.
	piece   int
	tangent dc.Linear
	fresh   bool // the row is as it was compiled
}

// noSlack marks the rows of majorants, which a larger column always meets.
const noSlack = -1

var errNotANumber = errors.New("ccp: a function or its subgradient is not a finite number of moderate size at the current point")

// linearise replaces every h by its tangent at x and sets the cost of the
// slacks to τ.
func (s *subproblem) linearise(x []float64, τ float64) error {
	s.p.Pin(x)
	copy(s.now.Q, s.qp.Q)
	for _, j := range s.slacks {
		s.now.Q[j] = τ
	}
	finite := 0.0
	if s.h0 != nil {
		idx := s.h0.Support()
		s.subgradient(s.h0, idx, x)
		for _, j := range idx {
			s.now.Q[j] -= s.grad[j]
			finite += s.grad[j] - s.grad[j]
		}
	}
	if finite += s.tangents(x); finite != 0 {
		return errNotANumber
	}
	s.prox.pull(s, x)
	return nil
}

// tangents writes those at x to the rows of the cuts. It returns 0 where all is
// well.
func (s *subproblem) tangents(x []float64) float64 {
	if slices.Equal(s.at, x) {
		return 0
	}
	s.at = s.at[:0]
	finite := 0.0
	for k := 0; k < len(s.cuts); {
		from := k
		for k++; k < len(s.cuts) && s.cuts[k].same; k++ {
		}
		tangent := s.tangent(s.cuts[from:k], x)
		finite += tangent - tangent
		for i := from; i < k; i++ {
			if math.IsInf(s.now.U[s.cuts[i].row], 0) {
				return math.NaN()
			}
		}
	}
	if finite == 0 {
		s.at = append(s.at, x...)
	}
	return finite
}

// tangent writes that of the cuts' h at x to their rows, and returns a number
// that is finite where h is.
func (s *subproblem) tangent(cuts []cut, x []float64) float64 {
	h, idx := cuts[0].h, cuts[0].idx
	l, number, value, ok := dc.ActivePiece(h, x)
	piece, constant := number+1, l.Const // h(x) − ∂h·x
	switch {
	case ok && piece == cuts[0].piece:
		return value
	case ok:
		s.clear(idx)
		l.AddSubgrad(s.grad, 1, x)
	default:
		s.subgradient(h, idx, x)
		value, piece = h.Value(x), 0
		constant = value
		for _, j := range idx {
			constant -= s.grad[j] * x[j]
		}
		value = constant
	}
	for k := range cuts {
		c := &cuts[k]
		s.now.U[c.row] = c.u + constant
		if ok && c.base == nil && (c.piece > 0 || c.fresh) {
			s.exchange(c, l)
		} else {
			s.overwrite(c)
		}
		c.piece, c.tangent, c.fresh = piece, l, false
	}
	return value
}

// overwrite writes the coefficients without h, less s.grad.
func (s *subproblem) overwrite(c *cut) {
	now := s.now.A
	same := true
	for i, at := range c.slot {
		v := -s.grad[c.idx[i]]
		if c.base != nil {
			v += c.base[i]
		}
		same = same && v == now[at]
		now[at] = v
	}
	s.asked.held = s.asked.held && same
}

// exchange is overwrite where all coefficients are zero but those of a piece,
// which is about to be l.
func (s *subproblem) exchange(c *cut, l dc.Linear) {
	now := s.now.A
	if c.piece > 0 {
		for _, at := range s.places(c, c.tangent.Idx) {
			now[at] = 0
		}
	}
	for i, at := range s.places(c, l.Idx) {
		now[at] = -l.Val[i]
	}
	s.asked.held = false
}

// places are those of the coefficients of some of h's variables, until the next
// call.
func (s *subproblem) places(c *cut, of []int) []int {
	if len(of) == 0 {
		return nil
	}
	from, _ := slices.BinarySearch(c.idx, of[0])
	if end := from + len(of); end <= len(c.idx) && c.idx[end-1] == of[len(of)-1] {
		return c.slot[from:end]
	}
	s.some = s.some[:0]
	for k := from; len(of) > 0; k++ {
		if c.idx[k] == of[0] {
			s.some, of = append(s.some, c.slot[k]), of[1:]
		}
	}
	return s.some
}

// clear sets s.grad to zero at idx.
func (s *subproblem) clear(idx []int) {
	for _, j := range idx {
		s.grad[j] = 0
	}
}

// subgradient leaves that of h in s.grad, on h's support.
func (s *subproblem) subgradient(h dc.Convex, idx []int, x []float64) {
	s.clear(idx)
	h.AddSubgrad(s.grad, 1, x)
}

// slopes returns the largest slope of the objective and the median of the
// largest slopes of the DC constraints at x, each as linearised last, per unit of
// a variable.
func (s *subproblem) slopes(x []float64) (objective, constraint float64) {
	// The quadratic part counts with its gradient.
	g := append([]float64(nil), s.now.Q...)
	full := make([]float64, len(g))
	copy(full, x)
	if s.qp.P != nil {
		s.qp.P.AddSymMulVec(g, 1, full)
	}
	for _, j := range s.slacks {
		g[j] = 0
	}
	for j, u := range s.measures() {
		g[j] *= u
	}
	objective = maxAbs(g)
	each := make([]float64, 0, len(s.cuts))
	for k := range s.cuts {
		c, top := &s.cuts[k], 0.0
		if c.slack == noSlack {
			continue
		}
		for i, at := range c.slot {
			top = max(top, math.Abs(s.now.A[at])*s.units[c.idx[i]])
		}
		each = append(each, top)
	}
	sort.Float64s(each)
	if len(each) > 0 {
		constraint = each[len(each)/2]
	}
	return objective, constraint
}
