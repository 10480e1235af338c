package family

import (
	"sync"
)

// MostRecent is how many points a family remembers. Source: derived: a step has its two ends and
// the two points that devices try, and two runs may go on at a time.
const MostRecent = 8

// LeastRecent is from how many coefficients on, for each variable, the values of a family are
// remembered. Source: derived: to compare a point with those that are remembered takes no longer
// than that many products for each variable.
const LeastRecent = 64

// recent are the values of a family at the last points. They are equal to those that would be
// computed again, so that nothing depends on who asked before.
type recent struct {
	sync.Mutex
	Points []Evaluation
	next   int
}

// Evaluation has the known values of a family at a point.
type Evaluation struct {
	x []float64 // the variables of the family
	Asked
	Value, Bound, Sum, Most float64 // the value, the bound of its error, and sizes
}

// Asked are parts of an evaluation.
type Asked struct{ Sizes, Error bool }

// covers reports whether a has all that b has.
func (a Asked) covers(b Asked) bool { return (a.Sizes || !b.Sizes) && (a.Error || !b.Error) }

// at reports whether e is of the point x.
func (e *Evaluation) at(indices []int, x []float64) bool {
	for k, j := range indices {
		if e.x[k] != x[j] {
			return false
		}
	}
	return true
}

// find is the evaluation at x, if it has all that is wanted.
func (r *recent) find(indices []int, x []float64, want Asked) (Evaluation, bool) {
	r.Lock()
	defer r.Unlock()
	for k := range r.Points {
		if e := &r.Points[k]; e.covers(want) && e.at(indices, x) {
			return *e, true
		}
	}
	return Evaluation{}, false
}

// add remembers an evaluation at x in the place of the oldest, or of one at the same point.
func (r *recent) add(indices []int, x []float64, e Evaluation) {
	r.Lock()
	defer r.Unlock()
	to := -1
	for k := range r.Points {
		if r.Points[k].at(indices, x) {
			to = k
		}
	}
	switch {
	case to >= 0:
	case len(r.Points) < MostRecent:
		to = len(r.Points)
		r.Points = append(r.Points, Evaluation{x: make([]float64, len(indices))})
	default:
		to, r.next = r.next, (r.next+1)%MostRecent
	}
	e.x = r.Points[to].x
	for k, j := range indices {
		e.x[k] = x[j]
	}
	r.Points[to] = e
}
