package dc

import "sync"

// mostRecent is how many points a family remembers. Source: derived: a step has its two ends and the two points that
// devices try, and two runs may go on at a time.
const mostRecent = 8

// leastRecent is from how many coefficients on, for each variable, the values of a family are remembered. Source: derived: to
// compare a point with those that are remembered takes no longer than that many products for each variable.
const leastRecent = 64

// recent are the values of a family at the last points. What stands there is what would be computed again, so that
// nothing depends on who asked before.
type recent struct {
	sync.Mutex
	points []evaluation
	next   int
}

// evaluation is what is known of a family at a point.
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
func (e *evaluation) at(f *family, x []float64) bool {
	for k, j := range f.indices {
		if e.x[k] != x[j] {
			return false
		}
	}
	return true
}

// find is what is known at x, if that is enough.
func (r *recent) find(f *family, x []float64, want asked) (evaluation, bool) {
	r.Lock()
	defer r.Unlock()
	for k := range r.points {
		if e := &r.points[k]; e.covers(want) && e.at(f, x) {
			return *e, true
		}
	}
	return evaluation{}, false
}

// add remembers an evaluation at x in the place of the oldest, or of one at the same point.
func (r *recent) add(f *family, x []float64, e evaluation) {
	r.Lock()
	defer r.Unlock()
	to := -1
	for k := range r.points {
		if r.points[k].at(f, x) {
			to = k
		}
	}
	switch {
	case to >= 0:
	case len(r.points) < mostRecent:
		to = len(r.points)
		r.points = append(r.points, evaluation{x: make([]float64, len(f.indices))})
	default:
		to, r.next = r.next, (r.next+1)%mostRecent
	}
	e.x = r.points[to].x
	for k, j := range f.indices {
		e.x[k] = x[j]
	}
	r.points[to] = e
}

// evaluate is what is asked of f at x.
func (f *family) evaluate(x []float64, want asked) evaluation {
	keep := f.coefficients() >= leastRecent*len(f.indices)
	if keep {
		if e, ok := f.recent.find(f, x, want); ok {
			return e
		}
	}
	e := f.compute(x, want)
	if keep {
		f.recent.add(f, x, e)
	}
	return e
}

// compute is evaluate by the members. With the error come the sizes: they cost little beside it.
func (f *family) compute(x []float64, want asked) evaluation {
	if want.error {
		want.sizes = true
	}
	e := evaluation{asked: want}
	var s total
	add := func(lo int, v []float64) {
		weights, value := f.w[lo:lo+len(v)], e.value
		for i, u := range v {
			value += weights[i] * u
		}
		e.value = value
		if !want.sizes {
			return
		}
		for i, u := range v {
			size := finiteSize(weights[i] * u)
			e.sum, e.most = e.sum+size, max(e.most, size)
		}
	}
	if !want.error {
		w := f.pool.Get().(*familyWork)
		defer f.pool.Put(w)
		f.blocks(w, x, add)
		return e
	}
	f.approximate(x, func(lo int, v, errs []float64) {
		add(lo, v)
		for i, w := range f.w[lo : lo+len(v)] {
			s.addScaled(w, approx{v[i], errs[i]})
		}
	})
	e.bound = s.e
	return e
}

func (f *family) Value(x []float64) float64 { return f.evaluate(x, asked{}).value }

// sizes are the sum of the sizes of the weighted members, and the largest; sizes that
// are not finite do not count.
func (f *family) sizes(x []float64) (sum, most float64) {
	e := f.evaluate(x, asked{sizes: true})
	return e.sum, e.most
}

// approx is the value with its error.
func (f *family) approx(x []float64) approx {
	e := f.evaluate(x, asked{error: true})
	return approx{e.value, e.bound}
}
