package search

import (
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/num"
)

// Descents goes down from points that are drawn as starts are, by values and gradients
// alone: the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno with a line
// search for the weak Wolfe conditions, which needs no smooth function (Lewis and
// Overton 2013). Where a value costs a small part of a convex problem, many basins are
// compared in the time of a few iterations. The procedure goes on from the lowest end,
// if it is below the best point.
type Descents struct {
	Around
	Most int // descents of a run

	count int
	same  int     // descents in a row that have ended no lower than the best point and hardly higher
	spent float64 // evaluations not yet charged, in iterations of the backend
	none  bool    // there are no descents from points of this problem
	free  []int   // the variables
	rng   *rand.Rand
	quasiNewton
}

// quasiNewton is the state of a descent, over the free variables.
type quasiNewton struct {
	x, try         []float64 // points, of all variables
	grad, next     []float64
	dir, step, dif []float64
	inverse        []float64 // approximation of the inverse Hessian, row by row
	hy             []float64
	all, sizes     []float64 // gradient and sizes, of all variables
}

const (
	// longDescent is the number of evaluations of a descent for each variable, round that
	// of the steps after which it is looked at, rounds those that it is given to come below
	// the best point if each leads as far as the last. Source: descents take 8 to 12 on dcbench's
	// fits of 50 to 200 points; on its draws 9 to 24, which judge nothing, 10 to 1000
	// rounds end within 2.6 % of each other, the least of them at 30.
	longDescent, round, rounds = 10, 5, 30
	// sameEnd is how many decreases that count are no difference between two ends, as the
	// descents are not exact at kinks; oneEnd in a row show that there is but one end.
	// Source: as hopSame.
	sameEnd, oneEnd = 1000, 3
	// sufficient and slopeLeft are the constants of the weak Wolfe conditions. Source:
	// Lewis and Overton 2013, section 4.
	sufficient, slopeLeft = 1e-4, 0.5
	// mostTrials bounds the trials of a line search. Source: a step of 2^-25 is lost in
	// the rounding errors of values.
	mostTrials = 25
)

// Next is the lowest point at which descents have ended, if it is below the best one.
func (d *Descents) Next(p *Point) (Move, bool) {
	if d.Most == 0 || d.none || !d.prepare() {
		d.none = true
		return Move{}, false
	}
	bar := p.Objective - clearly*p.Least
	var lowest []float64
	for d.count < d.Most && d.same < oneEnd && d.Budget.affords(d.cost()*longDescent*float64(len(d.free))) {
		d.count++
		copy(d.x, d.Draw(d.rng.Uint64()))
		f := d.descend(bar, p.Least)
		switch {
		case f < bar:
			lowest, bar, d.same = append(lowest[:0], d.x...), f, 0
		case f-bar <= sameEnd*p.Least:
			d.same++
		default:
			d.same = 0
		}
	}
	if lowest == nil {
		return Move{}, false
	}
	return Move{X: lowest, Z: lowest, Restart: Jump}, true
}

// Ended does nothing: a better point counts.
func (d *Descents) Ended(Outcome) {}

// prepare reports whether there are such descents: the objective is all that counts.
func (d *Descents) prepare() bool {
	if d.rng != nil {
		return true
	}
	if d.Sub.Convex() || len(d.Sub.Soft) > 0 || len(d.Sub.Hard) > 0 {
		return false
	}
	for j, lo := range d.Lo {
		switch {
		case lo == d.Hi[j]:
		case !math.IsInf(lo, -1) || !math.IsInf(d.Hi[j], 1):
			return false
		default:
			d.free = append(d.free, j)
		}
	}
	if !d.Budget.affords(d.cost() * longDescent * float64(len(d.free))) {
		return false
	}
	n, all := len(d.free), len(d.Lo)
	d.x, d.try, d.all, d.sizes = make([]float64, all), make([]float64, all), make([]float64, all), make([]float64, all)
	for _, v := range []*[]float64{&d.grad, &d.next, &d.dir, &d.step, &d.dif, &d.hy} {
		*v = make([]float64, n)
	}
	d.inverse = make([]float64, n*n)
	d.rng = rand.New(rand.NewPCG(d.Seed, 0x6465+d.Start)) // the second word names the stream
	return true
}

// cost is that of an evaluation and a step, in iterations of the backend.
func (d *Descents) cost() float64 {
	n := float64(len(d.free))
	return evaluation * (d.Budget.Coefficients + evaluationOverhead + n*n) / (d.Sub.Entries() + Overhead)
}

// evaluate is the objective at x, with its gradient in grad. It is NaN outside of the
// domains.
func (d *Descents) evaluate(x, grad []float64) float64 {
	if d.spent += d.cost(); d.spent >= 1 {
		d.Budget.Vain += math.Trunc(d.spent)
		d.Budget.Extra += int(d.spent)
		d.spent -= math.Floor(d.spent)
	}
	if !d.Sub.Inside(x) {
		return math.NaN()
	}
	clear(d.all)
	value := d.Sub.DC.Objective.AddGradient(d.all, 1, x)
	for i, j := range d.free {
		grad[i] = d.all[j]
	}
	return value
}

// descend goes down from x. It returns the objective at the end, +Inf where x has none.
func (d *Descents) descend(bar, least float64) float64 {
	f := d.evaluate(d.x, d.grad)
	if !num.Finite(f) || num.FirstNotFinite(d.grad) >= 0 {
		return math.Inf(1)
	}
	d.first()
	before := f
	for k := 1; ; k++ {
		slope := d.direct()
		if !(slope < 0) || d.Budget.ended() {
			return f
		}
		now, ok := d.lineSearch(f, slope)
		f = now
		if !ok {
			return f
		}
		d.update(k == 1)
		if k%round != 0 {
			continue
		}
		gain := before - f
		if before = f; gain <= least || f-bar > rounds*gain || !d.Budget.affords(0) {
			return f
		}
	}
}

// first makes the inverse Hessian that of a function whose first step is as long as the
// variables, each in the root mean square of its entries.
func (d *Descents) first() {
	for _, v := range d.Sub.DC.Vars {
		size := rms(d.x[v.Offset:][:v.Len()], sized(d.Sub, v))
		for k := range v.Len() {
			d.sizes[v.Offset+k] = size
		}
	}
	long := 0.0
	for i, j := range d.free {
		long += square(d.sizes[j] * d.grad[i])
	}
	clear(d.inverse)
	for i, j := range d.free {
		d.inverse[i*len(d.free)+i] = square(d.sizes[j]) / math.Sqrt(long)
	}
}

// direct makes the direction, and returns the slope along it.
func (d *Descents) direct() float64 {
	n, slope := len(d.free), 0.0
	for i := range n {
		d.dir[i] = -num.Dot(d.inverse[i*n:(i+1)*n], d.grad)
		slope += d.dir[i] * d.grad[i]
	}
	return slope
}

// lineSearch moves x along the direction to a point that meets the weak Wolfe conditions, by
// bisection; ok is false where none of the trials does. It returns the objective
// there.
func (d *Descents) lineSearch(f, slope float64) (now float64, ok bool) {
	t, lo, hi := 1.0, 0.0, math.Inf(1)
	copy(d.try, d.x)
	for range mostTrials {
		for i, j := range d.free {
			d.try[j] = d.x[j] + t*d.dir[i]
		}
		now = d.evaluate(d.try, d.next)
		switch {
		case !(now <= f+sufficient*t*slope):
			hi = t
		case num.Dot(d.next, d.dir) < slopeLeft*slope:
			lo = t
		default:
			for i, j := range d.free {
				d.step[i], d.dif[i] = d.try[j]-d.x[j], d.next[i]-d.grad[i]
			}
			d.x, d.try = d.try, d.x
			d.grad, d.next = d.next, d.grad
			return now, true
		}
		if t = (lo + hi) / 2; math.IsInf(hi, 1) {
			t = 2 * lo
		}
	}
	return f, false
}

// update is that of the inverse Hessian; before the first it is scaled to the curvature
// along the step (Nocedal and Wright 2006, 6.17 and 6.20).
func (d *Descents) update(first bool) {
	n, sy := len(d.free), num.Dot(d.step, d.dif)
	if !(sy > 0) {
		return
	}
	if first {
		along := 0.0
		for i := range n {
			along += d.inverse[i*n+i] * square(d.dif[i])
		}
		for i := range n {
			d.inverse[i*n+i] *= sy / along
		}
	}
	for i := range n {
		d.hy[i] = num.Dot(d.inverse[i*n:(i+1)*n], d.dif)
	}
	c := (1 + num.Dot(d.dif, d.hy)/sy) / sy
	for i := range n {
		row, s, h := d.inverse[i*n:(i+1)*n], d.step[i], d.hy[i]
		for k := range row {
			row[k] += c*s*d.step[k] - (h*d.step[k]+s*d.hy[k])/sy
		}
	}
}
