package dc

import "sync"

// mostRecent is how many points a family remembers. Source: derived: a step has its two ends and
// the two points that devices try, and two runs may go on at a time.
const mostRecent = 8

// leastRecent is from how many coefficients on, for each variable, the values of a family are
// remembered. Source: derived: to compare a point with those that are remembered takes no longer
// than that many products for each variable.
const leastRecent = 64

// recent are the values of a family at the last points. They are equal to those that would be
// computed again, so that nothing depends on who asked before.
type recent struct {
	sync.Mutex
	points []evaluation
	next   int
}

// evaluation has the known values of a family at a point.
type evaluation struct {
	x []float64 // the variables of the family
	asked
	value, bound, sum, most float64 // the value, the bound of its error, and sizes
}

// asked are parts of an evaluation.
type asked struct{ sizes, error bool }

// covers reports whether a has all that b has.
func (a asked) covers(b asked) bool { return (a.sizes || !b.sizes) && (a.error || !b.error) }

// at reports whether e is of the point x.
func (e *evaluation) at(indices []int, x []float64) bool {
	for k, j := range indices {
		if e.x[k] != x[j] {
			return false
		}
	}
	return true
}

// find is the evaluation at x, if it has all that is wanted.
func (r *recent) find(indices []int, x []float64, want asked) (evaluation, bool) {
	r.Lock()
	defer r.Unlock()
	for k := range r.points {
		if e := &r.points[k]; e.covers(want) && e.at(indices, x) {
			return *e, true
		}
	}
	return evaluation{}, false
}

// add remembers an evaluation at x in the place of the oldest, or of one at the same point.
func (r *recent) add(indices []int, x []float64, e evaluation) {
	r.Lock()
	defer r.Unlock()
	to := -1
	for k := range r.points {
		if r.points[k].at(indices, x) {
			to = k
		}
	}
	switch {
	case to >= 0:
	case len(r.points) < mostRecent:
		to = len(r.points)
		r.points = append(r.points, evaluation{x: make([]float64, len(indices))})
	default:
		to, r.next = r.next, (r.next+1)%mostRecent
	}
	e.x = r.points[to].x
	for k, j := range indices {
		e.x[k] = x[j]
	}
	r.points[to] = e
}
