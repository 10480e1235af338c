package dc

import (
	"errors"
	"sync/atomic"

	"github.com/dcopt/dcopt/internal/interval"
)

// space is the list of a model's variables. Affine functions point to the space of
// their model: it says which model they belong to, and where their variables
// may lie.
type space struct {
	// bounds of each entry of x. A parameter is interval.Whole, as its value may change.
	bounds []Interval
	// within are the bounds and the bounds of the rows that have no other variable.
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

// ends of the interval of a variable.
func (s *space) ends(j int32) (lo, hi float64) {
	i := s.interval(int(j))
	return i.Lo, i.Hi
}
