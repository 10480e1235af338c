package dc

import (
	"errors"
	"math"
)

// space is the list of a model's variables. Affine functions point to that of
// their model: it says which model they belong to, and where their variables
// may lie.
type space struct {
	// lo and hi are the bounds of each entry of x. A parameter has none, as its
	// value may change.
	lo, hi []float64
	// within are the bounds that rows of one variable add. A point may break
	// those by the tolerance, so they serve scaling alone.
	within []Interval
	wrong  error // why a function belongs to no model: it is made of variables of several, or of wrong numbers
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

// add appends the bounds of a variable.
func (s *space) add(v *Variable) {
	for k := range v.Len() {
		lo, hi := v.Bounds(k)
		if v.Param {
			lo, hi = math.Inf(-1), math.Inf(1)
		}
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
		s.within = append(s.within, Interval{lo, hi})
	}
}

// row takes note of lo ≤ l ≤ hi where l has one variable.
func (s *space) row(l Linear, lo, hi float64) {
	if s == nil || len(l.Idx) != 1 || l.Idx[0] >= len(s.within) || l.Val[0] == 0 {
		return
	}
	i := Interval{lo - l.Const, hi - l.Const}.Scale(1 / l.Val[0])
	w := &s.within[l.Idx[0]]
	w.Lo, w.Hi = max(w.Lo, i.Lo), min(w.Hi, i.Hi)
}

// size is the largest size of l where its variables are within their bounds and
// rows, or 0 where that has no end.
func (s *space) size(l Linear) float64 {
	i := point(l.Const)
	for k, j := range l.Idx {
		w := anywhere
		if s != nil && j < len(s.within) {
			w = s.within[j]
		}
		i = i.Add(w.Scale(l.Val[k]))
	}
	if v := i.Abs().Hi; finite(v) {
		return v
	}
	return 0
}

// fixed is l with the values of variables whose bounds are equal in their place.
func (l Linear) fixed() Linear {
	any := false
	for _, j := range l.Idx {
		i := l.of.interval(j)
		any = any || i.Lo == i.Hi
	}
	if !any {
		return l
	}
	out := Linear{Const: l.Const, of: l.of}
	for k, j := range l.Idx {
		if i := l.of.interval(j); i.Lo == i.Hi {
			out.Const += l.Val[k] * i.Lo
		} else {
			out.Idx, out.Val = append(out.Idx, j), append(out.Val, l.Val[k])
		}
	}
	return out
}

// interval is where variable j may lie.
func (s *space) interval(j int) Interval {
	if s == nil || j >= len(s.lo) {
		return anywhere
	}
	return Interval{s.lo[j], s.hi[j]}
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
