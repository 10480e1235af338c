package dc

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// space is the list of a model's variables. Affine functions point to that of
// their model: it says which model they belong to, and where their variables
// may lie.
type space struct {
	// bounds are those of each entry of x. A parameter is interval.Whole, as its value may change.
	bounds []Interval
	// within are the bounds and those of the rows that have no other variable.
	within []Interval
	// stated is within by the rows alone that are stated so far, see Model.Again.
	stated []Interval
	asked  []uint32 // atomic, 1: an expression was made with the interval
	param  []bool
	starts []float64 // the size of the starts of each entry, see Variable.Size
	// overtaken: a row has narrowed an interval that an expression was made with before.
	overtaken bool
	wrong     error // why a function belongs to no model: it is made of variables of several, or of wrong numbers
}

// join is the space of a function that is made of two. nil stands for no
// variable, or for variables that were given by number.
func (s *space) join(o *space) *space {
	switch {
	case o == nil || s == o:
		return s
	case s == nil || o.wrong != nil:
		return o
	case s.wrong != nil:
		return s
	}
	return &space{wrong: errOtherModel}
}

// add appends the bounds of a variable and the size of its starts. known, as far as it goes, has
// the bounds of entries of x from rows to come.
func (s *space) add(v *Variable, size float64, known []Interval) {
	for k := range v.Len() {
		lo, hi := v.Bounds(k)
		if v.Param {
			lo, hi = math.Inf(-1), math.Inf(1)
		}
		i := interval.New(lo, hi)
		s.bounds, s.stated = append(s.bounds, i), append(s.stated, i)
		s.param, s.asked, s.starts = append(s.param, v.Param), append(s.asked, 0), append(s.starts, size)
		if j := len(s.within); j < len(known) && !v.Param {
			narrowTo(&i, known[j])
		}
		s.within = append(s.within, i)
	}
}

// row takes note of lo ≤ l ≤ hi where l has one variable. A row that leaves nothing is
// left to the solver, which names the conflict.
func (s *space) row(l Linear, lo, hi float64) {
	if s == nil || len(l.Idx) != 1 || l.Idx[0] >= len(s.within) || l.Val[0] == 0 || bad(l) {
		return
	}
	j := l.Idx[0]
	if s.param[j] {
		return
	}
	i := interval.Over(interval.New(num.AddDown(lo, -l.Const), num.AddUp(hi, -l.Const)), l.Val[0])
	narrowTo(&s.stated[j], i)
	if narrowTo(&s.within[j], i) && atomic.LoadUint32(&s.asked[j]) != 0 {
		s.overtaken = true
	}
}

// narrowTo intersects i with o, unless that leaves nothing, and reports whether i is less then.
func narrowTo(i *Interval, o Interval) bool {
	n := interval.New(max(i.Lo, o.Lo), min(i.Hi, o.Hi))
	if !(n.Lo <= n.Hi) || n == *i {
		return false
	}
	*i = n
	return true
}

// size is the largest size of l where its variables are within their bounds, or 0 where that has no
// end.
func (s *space) size(l Linear) float64 {
	i := point(l.Const)
	for k, j := range l.Idx {
		i = i.Add(s.interval(j).Scale(l.Val[k]))
	}
	if v := i.Abs().Hi; finite(v) {
		return v
	}
	return 0
}

// plausible is the largest size of l less its constant where its variables are within their
// bounds, or of their starts, at least 1, where they have none.
func (l Linear) plausible() float64 {
	size := 0.0
	for k, j := range l.Idx {
		v := l.of.interval(j).Abs().Hi
		if math.IsInf(v, 1) {
			v = 1
			if l.of != nil && j < len(l.of.starts) {
				v = max(1, l.of.starts[j])
			}
		}
		size += math.Abs(l.Val[k]) * v
	}
	return size
}

// fixed is l with the values of variables whose bounds are equal in their place. Points are
// put between bounds exactly, and break rows by the tolerance.
func (l Linear) fixed() Linear {
	any := false
	for _, j := range l.Idx {
		i := l.of.bound(j)
		any = any || i.Lo == i.Hi
	}
	if !any {
		return l
	}
	out := Linear{Const: l.Const, of: l.of, lost: l.lost}
	for k, j := range l.Idx {
		if i := l.of.bound(j); i.Lo == i.Hi {
			out.Const, out.lost = out.Const+l.Val[k]*i.Lo, out.cancelled(l.Val[k], Linear{Const: i.Lo})
		} else {
			out.Idx, out.Val = append(out.Idx, j), append(out.Val, l.Val[k])
		}
	}
	return out
}

// bound is interval without the rows.
func (s *space) bound(j int) Interval {
	if s == nil || j >= len(s.bounds) {
		return interval.Whole
	}
	return s.bounds[j]
}

// interval is where variable j may lie.
func (s *space) interval(j int) Interval {
	if s == nil || j >= len(s.within) {
		return interval.Whole
	}
	if atomic.LoadUint32(&s.asked[j]) == 0 {
		atomic.StoreUint32(&s.asked[j], 1)
	}
	return s.within[j]
}

// check refuses a function that does not belong to the model with space of.
func (s *space) check(of *space) error {
	switch {
	case s == nil || s == of:
		return nil
	case s.wrong != nil:
		return s.wrong
	}
	return errOtherModel
}

var errOtherModel = errors.New("dc: a variable of another model occurs")

// ends are those of the interval of a variable.
func (s *space) ends(j int32) (lo, hi float64) {
	i := s.interval(int(j))
	return i.Lo, i.Hi
}
