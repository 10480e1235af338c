package search

import (
	"math"
	"math/rand/v2"
)

// Descents goes down from points that are drawn as starts are, by values and gradients
// alone, each a Descent. Where a value costs a small part of a convex problem, many basins are
// compared in the time of a few iterations. The procedure goes on from the lowest end,
// if it is below the best point.
type Descents struct {
	Around
	Most int // descents of a run

	count int
	same  int     // descents in a row that have ended no lower than the best point and hardly higher
	spent float64 // evaluations not yet charged, in iterations of the backend
	none  bool    // there are no descents from points of this problem
	rng   *rand.Rand
	Descent
}

const (
	// longDescent is the number of evaluations of a descent for each variable. Source: descents
	// take 8 to 12 on dcbench's fits of 50 to 200 points.
	longDescent = 10
	// sameEnd is how many decreases that count are no difference between two ends, as the
	// descents are not exact at kinks; oneEnd in a row show that there is but one end.
	// Source: as hopSame.
	sameEnd, oneEnd = 1000, 3
)

// Next is the lowest point at which descents have ended, if it is below the best one.
func (d *Descents) Next(p *Point) (Move, bool) {
	if d.Most == 0 || d.none || !d.prepare() {
		d.none = true
		return Move{}, false
	}
	bar := p.Objective - clearly*p.Least
	var lowest []float64
	for d.count < d.Most && d.same < oneEnd && d.Budget.affords(d.cost()*longDescent*float64(len(d.Free))) {
		d.count++
		x, f := d.From(d.Draw(d.rng.Uint64()), bar, p.Least)
		if f < bar {
			f += d.Noise(x)
		}
		switch {
		case f < bar:
			lowest, bar, d.same = append(lowest[:0], x...), f, 0
		case f-bar <= sameEnd*p.Least:
			d.same++
		default:
			d.same = 0
		}
	}
	if lowest == nil {
		return Move{}, false
	}
	return Move{X: lowest}, true
}

// prepare reports whether there are such descents: the objective is all that counts.
func (d *Descents) prepare() bool {
	if d.rng != nil {
		return true
	}
	if d.Sub.Convex() || len(d.Sub.Compiled.Soft) > 0 || len(d.Sub.Compiled.Hard) > 0 {
		return false
	}
	for j, lo := range d.Lo {
		switch {
		case lo == d.Hi[j]:
		case !math.IsInf(lo, -1) || !math.IsInf(d.Hi[j], 1):
			return false
		default:
			d.Free = append(d.Free, j)
		}
	}
	if !d.Budget.affords(d.cost() * longDescent * float64(len(d.Free))) {
		return false
	}
	d.Sizes = d.sizes
	d.Value, d.Stop = d.evaluate, func(round bool) bool { return d.Budget.ended() || round && !d.Budget.affords(0) }
	d.rng = rand.New(rand.NewPCG(d.Seed, 0x6465+d.Start)) // the second word names the stream
	return true
}

// cost is the cost of an evaluation and a step, in iterations of the backend.
func (d *Descents) cost() float64 {
	n := float64(len(d.Free))
	return evaluation * (d.Budget.Coefficients + evaluationOverhead + n*n) / (d.Sub.Entries() + Overhead)
}

// evaluate is the objective at x, and adds its gradient to grad. It is NaN outside of the domains.
func (d *Descents) evaluate(x, grad []float64) float64 {
	if d.spent += d.cost(); d.spent >= 1 {
		d.Budget.Vain += math.Trunc(d.spent)
		d.Budget.Extra += int(d.spent)
		d.spent -= math.Floor(d.spent)
	}
	if !d.Sub.Compiled.Inside(x) {
		return math.NaN()
	}
	return d.Sub.Compiled.DC.Objective.AddGradient(grad, 1, x)
}
