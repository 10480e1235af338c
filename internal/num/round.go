package num

import "math"

// Down is the next smaller number.
func Down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }

// Up is the next larger number.
func Up(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }

// AddDown is a + b rounded down, −Inf where it is no number. The rounding error of the sum is exact
// by Knuth's TwoSum; Ogita, Rump and Oishi 2005, algorithm 3.1.
func AddDown(a, b float64) float64 {
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
		return Down(s)
	}
	return s
}

// AddUp is a + b rounded up.
func AddUp(a, b float64) float64 { return -AddDown(-a, -b) }

// ExactProduct is the size from which on the rounding error of a product is a floating point
// number. Source: derived: 2^-1022 · 2^53.
const ExactProduct = 0x1p-969

// MulDown is a·b rounded down; 0·∞ is 0, as for a bound times a number.
func MulDown(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	switch {
	case math.IsInf(p, 1) && !math.IsInf(a, 0) && !math.IsInf(b, 0):
		return math.MaxFloat64
	case math.IsInf(p, 0):
		return p
	case math.Abs(p) < ExactProduct || math.FMA(a, b, -p) < 0:
		return Down(p)
	}
	return p
}

// MulUp is a·b rounded up.
func MulUp(a, b float64) float64 { return -MulDown(-a, b) }

// Log is the natural logarithm. math.Log errs below 2^-1022 on amd64.
func Log(v float64) float64 {
	if v > 0 && v < 0x1p-1022 {
		return math.Log(v*0x1p54) - 54*math.Ln2
	}
	return math.Log(v)
}
