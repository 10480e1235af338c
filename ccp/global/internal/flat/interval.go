package flat

import "math"

// Interval is the set of numbers from Lo to Hi; it is empty where Lo > Hi. dc.Interval is another on purpose: it
// is never empty, has no meets and quotients, and decides how functions are split, while this one makes
// proofs. Both round outward by the same errors of sums and products.
type Interval struct{ Lo, Hi float64 }

// Whole is the whole line.
func Whole() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

func point(v float64) Interval { return Interval{v, v} }

// Empty reports whether no number is in the interval.
func (a Interval) Empty() bool { return !(a.Lo <= a.Hi) }

// Finite reports whether both ends are numbers.
func (a Interval) Finite() bool { return a.Lo > math.Inf(-1) && a.Hi < math.Inf(1) }

// Width is Hi − Lo.
func (a Interval) Width() float64 { return a.Hi - a.Lo }

// Clip is the number of the interval nearest to v.
func (a Interval) Clip(v float64) float64 { return min(max(v, a.Lo), a.Hi) }

func (a Interval) meet(b Interval) Interval { return Interval{max(a.Lo, b.Lo), min(a.Hi, b.Hi)} }
func (a Interval) neg() Interval            { return Interval{-a.Hi, -a.Lo} }

func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }

// addDown is a + b rounded down: Knuth's TwoSum gives the sign of the rounding error.
func addDown(a, b float64) float64 {
	s := a + b
	if math.IsNaN(s) || math.IsInf(s, -1) {
		return math.Inf(-1)
	}
	if math.IsInf(s, 1) {
		if math.IsInf(a, 1) || math.IsInf(b, 1) {
			return s
		}
		return math.MaxFloat64
	}
	t := s - a
	if e := (a - (s - t)) + (b - t); e < 0 || math.IsNaN(e) {
		return down(s)
	}
	return s
}

func addUp(a, b float64) float64 { return -addDown(-a, -b) }

// smallestExact is 2^−1022·2^53: from there on the error of a product is a number.
// Source: the format of float64.
const smallestExact = 0x1p-969

// mulDown is a·b rounded down, 0 where a factor is 0.
func mulDown(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	switch {
	case math.IsInf(p, 1) && !math.IsInf(a, 0) && !math.IsInf(b, 0):
		return math.MaxFloat64
	case math.IsInf(p, 0):
		return p
	case math.Abs(p) < smallestExact || math.FMA(a, b, -p) < 0:
		return down(p)
	}
	return p
}

func mulUp(a, b float64) float64 { return -mulDown(-a, b) }

func (a Interval) add(b Interval) Interval {
	return Interval{addDown(a.Lo, b.Lo), addUp(a.Hi, b.Hi)}
}

func (a Interval) sub(b Interval) Interval { return a.add(b.neg()) }

func (a Interval) scale(w float64) Interval {
	if w < 0 {
		return Interval{mulDown(w, a.Hi), mulUp(w, a.Lo)}
	}
	return Interval{mulDown(w, a.Lo), mulUp(w, a.Hi)}
}

func (a Interval) mul(b Interval) Interval {
	return Interval{
		min(mulDown(a.Lo, b.Lo), mulDown(a.Lo, b.Hi), mulDown(a.Hi, b.Lo), mulDown(a.Hi, b.Hi)),
		max(mulUp(a.Lo, b.Lo), mulUp(a.Lo, b.Hi), mulUp(a.Hi, b.Lo), mulUp(a.Hi, b.Hi)),
	}
}

// div is {u/v}; the whole line where b has 0 in its inside, and half of it where b ends
// at 0.
func (a Interval) div(b Interval) Interval {
	switch {
	case b.Hi < 0 || b.Hi == 0 && b.Lo < 0:
		return a.neg().div(b.neg())
	case b.Lo < 0 || b.Hi == 0:
		return Whole()
	}
	inv := Interval{0, math.Inf(1)}
	if !math.IsInf(b.Hi, 1) {
		inv.Lo = max(0, down(1/b.Hi))
	}
	if b.Lo > 0 {
		inv.Hi = up(1 / b.Lo)
	}
	out := a.mul(inv)
	return out
}

// abs is {|u|}.
func (a Interval) abs() Interval {
	switch {
	case a.Lo >= 0:
		return a
	case a.Hi <= 0:
		return a.neg()
	}
	return Interval{0, max(-a.Lo, a.Hi)}
}

// ulps is the error of a function of the mathematical library relative to its value: 8
// units in the last place. Source: four times the errors that the Go runtime's tests
// allow.
const ulps = 8 * 0x1p-52

// around is an interval that has every number within the error of the library of v.
func around(v float64) Interval {
	if math.IsNaN(v) {
		return Whole()
	}
	if math.IsInf(v, 1) {
		return Interval{math.MaxFloat64, v}
	}
	if math.IsInf(v, -1) {
		return Interval{v, -math.MaxFloat64}
	}
	e := math.Abs(v)*ulps + 0x1p-1060
	return Interval{v - e, v + e}
}
