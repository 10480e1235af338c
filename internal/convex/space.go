package convex

import (
	"errors"
	"sync/atomic"

	"github.com/dcopt/dcopt/internal/interval"
)

// Space is the list of a model's variables. Affine functions point to the space of
// their model: it says which model they belong to, and where their variables
// may lie.
type Space struct {
	// bounds of each entry of x. A parameter is interval.Whole, as its value may change.
	bounds []interval.Interval
	// Within are the bounds and the bounds of the rows that have no other variable.
	Within []interval.Interval
	// Stated is within by the rows alone that are stated so far, see Model.Again.
	Stated []interval.Interval
	asked  []uint32 // atomic, 1: an expression was made with the interval
	param  []bool
	starts []float64 // the size of the starts of each entry, see Variable.Size
	// Overtaken: a row has narrowed an interval that an expression was made with before.
	Overtaken bool
	Wrong     error // why a function belongs to no model: it is made of variables of several, or of wrong numbers
}

// Join is the space of a function that is made of two. nil stands for no
// variable, or for variables that were given by number.
func (s *Space) Join(o *Space) *Space {
	switch {
	case o == nil || s == o:
		return s
	case s == nil || o.Wrong != nil:
		return o
	case s.Wrong != nil:
		return s
	}
	return &Space{Wrong: ErrOtherModel}
}

// bound is interval without the rows.
func (s *Space) bound(j int) interval.Interval {
	if s == nil || j >= len(s.bounds) {
		return interval.Whole
	}
	return s.bounds[j]
}

// Interval is where variable j may lie.
func (s *Space) Interval(j int) interval.Interval {
	if s == nil || j >= len(s.Within) {
		return interval.Whole
	}
	if atomic.LoadUint32(&s.asked[j]) == 0 {
		atomic.StoreUint32(&s.asked[j], 1)
	}
	return s.Within[j]
}

// Check refuses a function that does not belong to the model with space of.
func (s *Space) Check(of *Space) error {
	switch {
	case s == nil || s == of:
		return nil
	case s.Wrong != nil:
		return s.Wrong
	}
	return ErrOtherModel
}

// ErrOtherModel is the error of a function of variables of two models.
var ErrOtherModel = errors.New("dc: a variable of another model occurs")

// Ends of the interval of a variable.
func (s *Space) Ends(j int32) (lo, hi float64) {
	i := s.Interval(int(j))
	return i.Lo, i.Hi
}

// Add appends a variable with its bounds, and by rows to come, and the size of its start.
func (s *Space) Add(bounds interval.Interval, param bool, size float64, rows interval.Interval) {
	s.bounds, s.Stated = append(s.bounds, bounds), append(s.Stated, bounds)
	s.param, s.asked, s.starts = append(s.param, param), append(s.asked, 0), append(s.starts, size)
	if !param {
		narrowTo(&bounds, rows)
	}
	s.Within = append(s.Within, bounds)
}
