package dc

import "math"

// Interval is the set of numbers from Lo to Hi, which may be infinite.
// Operations round outward, and not at all where the result is exact.
type Interval struct{ Lo, Hi float64 }

// anywhere is the whole line.
var anywhere = Interval{math.Inf(-1), math.Inf(1)}

// point is the interval of one number.
func point(v float64) Interval { return Interval{v, v} }

// Contains reports whether v lies in the interval.
func (i Interval) Contains(v float64) bool { return v >= i.Lo && v <= i.Hi }

// IsFinite reports whether both ends are finite.
func (i Interval) IsFinite() bool { return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) }

func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }

// addDown is a + b rounded down. The rounding error of the sum is exact by
// Knuth's TwoSum; Ogita, Rump and Oishi 2005, algorithm 3.1.
func addDown(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) {
		if math.IsInf(s, 1) && !math.IsInf(a, 1) && !math.IsInf(b, 1) {
			return math.MaxFloat64 // overflow
		}
		return s
	}
	if math.IsNaN(s) { // ∞ − ∞
		return math.Inf(-1)
	}
	t := s - a
	if (a-(s-t))+(b-t) < 0 {
		return down(s)
	}
	return s
}

func addUp(a, b float64) float64 { return -addDown(-a, -b) }

// mulDown is a·b rounded down; 0·∞ is 0, as for a bound times a number.
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
	case math.Abs(p) < smallestExact:
		return down(p)
	case math.FMA(a, b, -p) < 0:
		return down(p)
	}
	return p
}

func mulUp(a, b float64) float64 { return -mulDown(-a, b) }

// divDown is a/b rounded down, b > 0.
func divDown(a, b float64) float64 {
	q := a / b
	switch {
	case math.IsInf(q, 1) && !math.IsInf(a, 1):
		return math.MaxFloat64
	case math.IsInf(q, 0) || exactQuotient(a, b, q):
		return q
	}
	return down(q)
}

// exactProduct is a·b, and whether it is exact.
func exactProduct(a, b float64) (float64, bool) {
	v := a * b
	return v, a == 0 || b == 0 || math.FMA(a, b, -v) == 0 && finite(v) && math.Abs(v) >= smallestExact
}

// exactQuotient reports whether q is a/b.
func exactQuotient(a, b, q float64) bool {
	v, ok := exactProduct(q, b)
	return ok && v == a
}

// smallestExact is the size from which on the rounding error of a product is a
// floating point number.
// Source: derived: 2^-1022 · 2^53.
const smallestExact = 0x1p-969

// Add returns {a + b}.
func (i Interval) Add(o Interval) Interval {
	return Interval{addDown(i.Lo, o.Lo), addUp(i.Hi, o.Hi)}
}

// Neg returns {−a}.
func (i Interval) Neg() Interval { return Interval{-i.Hi, -i.Lo} }

// Scale returns {w·a}.
func (i Interval) Scale(w float64) Interval {
	if w < 0 {
		return Interval{mulDown(w, i.Hi), mulUp(w, i.Lo)}
	}
	return Interval{mulDown(w, i.Lo), mulUp(w, i.Hi)}
}

// over returns {a/w} for w ≠ 0.
func (i Interval) over(w float64) Interval {
	if w < 0 {
		return Interval{divDown(-i.Hi, -w), -divDown(i.Lo, -w)}
	}
	return Interval{divDown(i.Lo, w), -divDown(-i.Hi, w)}
}

// Mul returns {a·b}.
func (i Interval) Mul(o Interval) Interval {
	return Interval{
		min(mulDown(i.Lo, o.Lo), mulDown(i.Lo, o.Hi), mulDown(i.Hi, o.Lo), mulDown(i.Hi, o.Hi)),
		max(mulUp(i.Lo, o.Lo), mulUp(i.Lo, o.Hi), mulUp(i.Hi, o.Lo), mulUp(i.Hi, o.Hi)),
	}
}

// Abs returns {|a|}.
func (i Interval) Abs() Interval {
	switch {
	case i.Lo >= 0:
		return i
	case i.Hi <= 0:
		return i.Neg()
	}
	return Interval{0, max(-i.Lo, i.Hi)}
}

// Square returns {a²}.
func (i Interval) Square() Interval {
	a := i.Abs()
	return Interval{mulDown(a.Lo, a.Lo), mulUp(a.Hi, a.Hi)}
}

// Max returns {max(a, b)}.
func (i Interval) Max(o Interval) Interval { return Interval{max(i.Lo, o.Lo), max(i.Hi, o.Hi)} }

// image is the image under a function that is monotone and whose computed
// values are within ulps units in the last place.
func (i Interval) image(f func(float64) float64, increasing bool, ulps int) Interval {
	lo, hi := f(i.Lo), f(i.Hi)
	if !increasing {
		lo, hi = hi, lo
	}
	for range ulps {
		lo, hi = down(lo), up(hi)
	}
	if math.IsNaN(lo) {
		lo = math.Inf(-1)
	}
	if math.IsNaN(hi) {
		hi = math.Inf(1)
	}
	return Interval{lo, hi}
}

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// finiteSize is |v|, 0 where v is not finite.
func finiteSize(v float64) float64 {
	if a := math.Abs(v); a <= math.MaxFloat64 {
		return a
	}
	return 0
}
