package diagnose

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// Region is where the points of a run may be, for proofs that a problem is
// unbounded: a large number is none.
type Region struct {
	P      *program.Problem
	Lo, Hi []float64
	Start  []float64
	Unit   []float64    // of the variables, at the start
	Tol    float64      // a violation relative to the terms of its row that counts as none
	Convex bool         // so no function is a user's own: all have values at infinite numbers
	room   [3][]float64 // of Falling
}

// Move makes r the region of another start of its problem with other units, in the same memory.
func (r *Region) Move(start, unit []float64) {
	r.Start, r.Unit = append(r.Start[:0], start...), append(r.Unit[:0], unit...)
}

// Far is how many units of the start a point that may be on the way to infinity is
// away. Source: points of the test set stay within 10.
const Far = 30

// Noise is the share of a direction's length, or of a row's or the objective's
// terms, below which a number may be a backend's error or a rest of cancellation.
// Source: docs/lab/ccp.md, Constants.
const Noise = 1e-6

// beyond is further from the start, in its units, than any data.
// Source: docs/lab/ccp.md, Constants.
const beyond = 1e24

// Distance is that of x from the start, in units of the start.
func (r *Region) Distance(x []float64) float64 {
	far := 0.0
	for j, v := range x {
		far = max(far, math.Abs(v-r.Start[j])/r.Unit[j])
	}
	return far
}

// RunsOff is a ray that proves the problem unbounded from best, a point that is far from the start:
// on along the step from before, or along the way from the start. nil: there is none.
func (r *Region) RunsOff(best, before []float64, far float64) []float64 {
	d := make([]float64, len(best))
	for _, from := range [][]float64{before, r.Start} {
		if len(from) != len(d) {
			continue
		}
		for j, v := range best {
			d[j] = v - from[j]
		}
		// Entries far below the largest may be at a boundary that the
		// direction must not cross, or on a curve.
		if ray := r.Ray(best, d, far, 10); ray != nil {
			return ray
		}
	}
	return nil
}

// trim sets the entries to zero that are below a share of the largest, each in the
// units of the start. It reports whether there are any.
func (r *Region) trim(d []float64, share float64) (trimmed bool) {
	least := share * r.length(d)
	for j, v := range d {
		if v != 0 && math.Abs(v)/r.Unit[j] < least {
			d[j], trimmed = 0, true
		}
	}
	return trimmed
}

// length is the largest entry in the units of the start.
func (r *Region) length(d []float64) float64 {
	top := 0.0
	for j, v := range d {
		top = max(top, math.Abs(v)/r.Unit[j])
	}
	return top
}

// trims are the shares of its largest entry below which those of a direction are taken
// for 0 in turn: each is proved, so that more of them cost nothing but time.
var trims = [...]float64{0, Noise, 1e-3, 0.1, 1}

// level is the violation, relative to the terms of its row, of directions that are as good as
// exact. Source: that up to which package verify takes the slope of a row along a ray for 0.
const level = 1e-10

// Ray is a direction along which the objective falls for ever from x: d, or d without its small
// entries, which may be a backend's error; nil: nothing proves one. Its first look is at a
// distance of size, each growth times as far as the one before. Directions with the fewest
// entries come first: a small entry that is an error may leave a constraint by as much as a
// bounded function of it changes, beside which other terms are large. So do those that keep the
// constraints exactly.
func (r *Region) Ray(x, d []float64, size, growth float64) []float64 {
	for _, tol := range []float64{min(level, r.Tol), r.Tol} {
		for k, share := range slices.Backward(trims[:]) {
			some := append([]float64(nil), d...)
			if trimmed := r.trim(some, share); !trimmed && k > 0 {
				continue
			}
			for _, d := range [][]float64{rounded(some), some} {
				if r.falls(x, d, size, growth, tol) {
					return d
				}
			}
		}
	}
	return nil
}

// rounded is a direction in multiples of 2^-20, about Noise, of its largest entry: entries that are
// equal but for a backend's error become equal.
func rounded(d []float64) []float64 {
	top := 0.0
	for _, v := range d {
		top = max(top, math.Abs(v))
	}
	_, e := math.Frexp(top)
	out := make([]float64, len(d))
	for j, v := range d {
		out[j] = math.Ldexp(math.Round(math.Ldexp(v, 20-e)), e-20)
	}
	return out
}

// falls sets the entries of d that a bound stops to 0 and proves that the objective falls for
// ever along d from x: the variables that change have no bound on that side, no affine row has
// one in the way, and at four points, the first at a distance of size, each growth times as far
// as the one before, the last beyond all data, the other constraints hold but for tol and the
// objective falls, at the same rate or faster, and in all by more than the size of its terms at
// x, or without end: where variables that are of no account go far, those that count may still
// have moved a little towards a minimum.
func (r *Region) falls(x, d []float64, size, growth, tol float64) bool {
	length := r.length(d)
	if !(length > 0) || !r.free(d, Noise*length) {
		return false
	}
	far := make([]float64, len(d))
	before, at, rate, slower := r.P.Objective.Value(x), 0.0, math.Inf(1), false
	enough := before
	if size := r.P.ObjectiveSize(x); !math.IsInf(size, 0) {
		enough -= size
	}
	for k := range 4 {
		step := size * math.Pow(growth, float64(k))
		if k == 3 {
			step = max(step, beyond)
		}
		for j := range far {
			far[j] = x[j] + step*(d[j]/length)
		}
		v := r.P.Violations(far)
		obj := r.P.Objective.Value(far)
		falls := (before - obj) / (step - at)
		within := v.Either <= tol
		if within && math.IsInf(obj, -1) && k > 0 {
			enough = math.Inf(1)
			continue // the constraints have to hold further out, too
		}
		terms := r.P.ObjectiveSize(far)
		if math.IsInf(terms, 0) {
			terms = 0
		}
		if !within || !(before-obj > Noise*terms) {
			return false
		}
		slower = slower || k > 0 && !(falls >= 0.5*rate)
		before, at, rate = obj, step, falls
	}
	if (slower || before >= enough) && !math.IsInf(r.Limit(x, d), -1) {
		return false
	}
	return true
}

// Limit is that of the minimised objective from x along d for ever, NaN where it is not known: the
// value of its expression at infinite numbers. Its functions are continuous there, and where terms
// have no limit together, as ∞ − ∞ and 0·∞, the value is no number. So −√x has the limit −∞, which
// no rate of its fall tells, and e^−x has 0.
func (r *Region) Limit(x, d []float64) float64 {
	// A user's own function may have no value there.
	if !r.Convex && r.P.Objective.Neg().Unrepresentable() != nil {
		return math.NaN()
	}
	end := append([]float64(nil), x...)
	for j, v := range d {
		if v != 0 {
			end[j] = math.Inf(int(math.Copysign(1, v)))
		}
	}
	return r.P.Objective.Value(end)
}

// Falling is the limit of the minimised objective along a direction from the start through x in
// which nothing stops it, where it is finite and x and the points beyond it are above it, each less
// than the one before: no point of the direction attains it. ok is false where there is none.
func (r *Region) Falling(x []float64) (limit float64, ok bool) {
	if len(r.room[0]) != len(x) {
		for k := range r.room {
			r.room[k] = make([]float64, len(x))
		}
	}
	d, far, near := r.room[0], r.room[1], r.room[2]
	for j, v := range x {
		d[j] = v - r.Start[j]
	}
	stopped := false // d as it is
	for _, share := range trims {
		if !r.trim(d, share) && stopped {
			continue
		}
		length := r.length(d)
		if stopped = !(length > 0) || !r.free(d, Noise*length); stopped {
			continue
		}
		if limit = r.Limit(x, d); math.IsNaN(limit) || math.IsInf(limit, 0) {
			continue
		}
		at := append(near[:0], x...)
		before, e := r.P.Objective.Evaluate(at)
		// so far that rounding hides the rest
		for k := 0; k < mostHalvings && before-e <= limit && (before > limit || r.slope(at, d) < 0); k++ {
			for j, v := range d {
				d[j] = v / 2
				at[j] = r.Start[j] + d[j]
			}
			before, e = r.P.Objective.Evaluate(at)
		}
		ok := before-e > limit
		for step := 1.0; ok && step <= 100; step *= 10 {
			for j := range far {
				far[j] = at[j] + step*d[j]
			}
			v, e := r.P.Objective.Evaluate(far)
			ok = r.P.Violations(far).Excess <= r.Tol && (v+e < before && v >= limit-e || v == limit)
			before = v
		}
		if ok {
			return limit, true
		}
	}
	return 0, false
}

// slope is that of the minimised objective at x along d.
func (r *Region) slope(x, d []float64) float64 {
	g := make([]float64, len(x))
	r.P.Objective.AddGradient(g, 1, x)
	sum := 0.0
	for j, v := range d {
		sum += g[j] * v
	}
	return sum
}

// mostHalvings bounds the way back from a point that is too far to tell its value from the limit.
// Source: derived: 52 halvings are the digits of a float64.
const mostHalvings = 52

// free reports whether d is a direction in which bounds and affine rows let every
// point go for ever. Entries up to least that a bound stops become 0.
func (r *Region) free(d []float64, least float64) bool {
	moves := false
	for j, v := range d {
		if v > 0 && !math.IsInf(r.Hi[j], 1) || v < 0 && !math.IsInf(r.Lo[j], -1) {
			if !(math.Abs(v)/r.Unit[j] <= least) {
				return false
			}
			d[j] = 0
		}
		moves = moves || d[j] != 0
	}
	if !moves {
		return false
	}
	for i := range r.P.Constraints {
		c := &r.P.Constraints[i]
		for k := range c.Lo {
			rate, size := 0.0, 0.0
			l := c.A.Linear(k)
			for e, j := range l.Idx {
				rate += l.Val[e] * d[j]
				size = max(size, math.Abs(l.Val[e]*d[j]))
			}
			if rate > Noise*size && !math.IsInf(c.Hi[k], 1) || rate < -Noise*size && !math.IsInf(c.Lo[k], -1) {
				return false
			}
		}
	}
	return true
}

// Pole reports whether the minimised objective is minus infinity at a feasible point next to x, as
// log is at 0: with the entries that are next to a bound at the bound, or a little further along
// the step from before, as a backend ends inside of the boundary of a domain.
func (r *Region) Pole(x, before, sizes []float64) bool {
	if len(before) != len(x) {
		return false
	}
	at := append([]float64(nil), x...)
	for j, v := range x {
		for _, bound := range [2]float64{r.Lo[j], r.Hi[j]} {
			if math.Abs(v-bound) <= Noise*sizes[j] {
				at[j] = bound
			}
		}
	}
	const roundoff, nearer = 0x1p-52, 8 // Source: derived: of float64; any factor
	_, is := r.pole(at, before)
	for deep, past := true, min(Noise, r.Tol); !is && deep && past > roundoff; past /= nearer {
		for j, v := range x {
			at[j] = min(max(v+past*(v-before[j]), r.Lo[j]), r.Hi[j])
		}
		deep, is = r.pole(at, before)
	}
	return is
}

// pole reports whether the objective is minus infinity at a point, and whether that is a pole at a
// feasible point: beside it the objective is of moderate size, beside an overflow it is not.
func (r *Region) pole(at, before []float64) (deep, is bool) {
	if !math.IsInf(r.P.Objective.Value(at), -1) {
		return false, false
	}
	beside := make([]float64, len(at))
	for j, v := range at {
		beside[j] = v + 2*Noise*(before[j]-v)
	}
	moderate := math.Abs(r.P.Objective.Value(beside)) < math.Sqrt(math.MaxFloat64)
	return true, moderate && r.P.Feasible(at, r.Tol) && (r.deepens(at, before) || r.deepens(at, r.Start))
}

// PoleAtZero reports whether the minimised objective falls for ever from x, which is feasible, as
// its entries that are next to 0 go there: it may have no value at 0, as log(x²) has none.
func (r *Region) PoleAtZero(x, sizes []float64) bool {
	next := func(j int) bool {
		return x[j] != 0 && math.Abs(x[j]) <= Noise*sizes[j] && r.Lo[j] <= 0 && r.Hi[j] >= 0
	}
	far := math.Inf(1)
	for j, v := range x {
		if next(j) {
			far = min(far, sizes[j]/math.Abs(v))
		}
	}
	if math.IsInf(far, 1) {
		return false
	}
	at, from := slices.Clone(x), slices.Clone(x)
	for j, v := range x {
		if next(j) {
			at[j], from[j] = 0, min(max(far*v, r.Lo[j]), r.Hi[j])
		}
	}
	if v := r.P.Objective.Value(at); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return false
	}
	if !math.IsInf(r.P.Objective.Over().Lo, -1) { // as of x^0.001, which falls as slowly as log x
		return false
	}
	rows := *r.P
	rows.Objective = expr.Scalar{}
	here, _ := rows.Violation(x)
	there, _ := rows.Violation(at) // a row that holds at x alone is broken
	return there <= here && r.deepens(at, from)
}

// deepens reports whether the objective falls to a point by steps that do not become small beside
// each other, as log does at 0. u·log u, which has no value at 0, falls by less each time.
func (r *Region) deepens(at, from []float64) bool {
	const nearer = 8 // Source: any factor; in 12 steps by 2^-36, where 16 digits have some left
	near, drop, falls := slices.Clone(from), 0.0, false
	before := r.P.Objective.Value(near)
	for range 12 {
		for j, v := range at {
			near[j] = v + (near[j]-v)/nearer
		}
		v := r.P.Objective.Value(near)
		d := before - v
		switch drops := d > level*max(1, math.Abs(v)) && !math.IsInf(d, 1); { // rounding errors are none
		case drops:
			falls, drop, before = drop > 0 && d >= drop/2, d, v
		case falls:
			return true
		default: // further away it may rise
			drop, before = 0, v
		}
	}
	return falls
}
