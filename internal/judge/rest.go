package judge

import (
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// restSlope is how steep the way down from a point must be to show that it is not
// at rest: a share of what the objective ranges over, per width of the box. It
// must be so for steps of all the restSteps, in parts of the box; a local minimum
// ends it at the shorter ones.
const restSlope = 0.1

var restSteps = [...]float64{1e-5, 1e-4, 1e-3, 1e-2}

// rest looks for a way down from a converged point: along the coordinates,
// towards the planted point and in random directions, where no row is broken.
// Boxes must be finite.
func (j *judgement) rest() {
	p, x := j.p, j.ans.X
	if !j.converged() || j.at.Objective == nil || j.at.Overflow || j.at.Relative > j.ans.FeasTol || !p.Bounded() {
		return
	}
	rng := rand.New(rand.NewPCG(p.Seed, 0x72657374))
	span := j.span(rng)
	if !(span > 0) || math.IsInf(span, 1) {
		return
	}
	for _, d := range directions(p, x, rng) {
		gain, y := 0.0, x
		for _, step := range restSteps {
			if gain, y = j.gain(d, step); !(gain > restSlope*span*step && j.keeps(y)) {
				gain = 0
				break
			}
		}
		if gain > 0 {
			j.say(NotAtRest, "by %.3g of a range of %.3g, at %v beside %v", gain, span, y, x)
			return
		}
	}
}

// gain is how much better the objective is a step along d, at a point kept in the box.
func (j *judgement) gain(d []float64, step float64) (float64, []float64) {
	y := make([]float64, len(d))
	for k := range y {
		y[k] = min(max(j.ans.X[k]+step*d[k], j.p.Lo[k]), j.p.Hi[k])
	}
	at := j.value(y)
	if at.Objective == nil || at.Overflow {
		return 0, y
	}
	gain, _ := j.a.Sub(j.at.Objective, at.Objective).Float64()
	if j.p.Maximize {
		gain = -gain
	}
	return gain - at.ObjectiveErr - j.at.ObjectiveErr, y
}

// keeps reports whether no row is broken at y.
func (j *judgement) keeps(y []float64) bool {
	at := j.p.At(j.a, y)
	return at.Outside == nil && !at.Overflow && at.Most <= 0
}

// value evaluates the objective alone.
func (j *judgement) value(y []float64) (t Exact) {
	ev := exact.NewEvaluator(j.a.Arith, y)
	t.objective(ev, j.p.Objective)
	t.Overflow = ev.Overflow
	return t
}

// span is the range of the objective at random points of the box and at the answer, which may stand
// on a peak that they miss.
func (j *judgement) span(rng *rand.Rand) float64 {
	here, _ := j.at.Objective.Float64()
	lo, hi := here, here
	for range 20 {
		y := make([]float64, len(j.ans.X))
		for k := range y {
			y[k] = j.p.Lo[k] + rng.Float64()*(j.p.Hi[k]-j.p.Lo[k])
		}
		if at := j.value(y); at.Objective != nil {
			v, _ := at.Objective.Float64()
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return hi - lo
}

// directions are as long as the box is wide.
func directions(p *Problem, x []float64, rng *rand.Rand) (list [][]float64) {
	for k := range x {
		for _, sign := range []float64{-1, 1} {
			d := make([]float64, len(x))
			d[k] = sign * (p.Hi[k] - p.Lo[k])
			list = append(list, d)
		}
	}
	for range 10 {
		d := make([]float64, len(x))
		for k := range d {
			d[k] = rng.NormFloat64() * (p.Hi[k] - p.Lo[k])
		}
		list = append(list, d)
	}
	if p.Planted != nil {
		d := make([]float64, len(x))
		for k := range d {
			d[k] = p.Planted[k] - x[k]
		}
		list = append(list, d)
	}
	return list
}
