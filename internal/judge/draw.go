package judge

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// source draws random numbers and parts of expressions over a box.
type source struct {
	*rand.Rand
	lo, hi []float64
	// orders is the number of decades, above and below 1, of coefficients.
	orders float64
	// choices: a term of a sum is a maximum, a minimum or an absolute value of other
	// sums in three of so many cases.
	choices int
	far     float64 // outliers are up to 10^far
	a       *exact.Arith
}

// coef is a coefficient of two decimals about 1, or of four digits over the
// decades.
func (s *source) coef() float64 {
	if s.orders == 0 {
		return short(1.3*s.NormFloat64(), 2)
	}
	return digits(s.NormFloat64()*math.Pow(10, s.orders*(2*s.Float64()-1)), 4)
}

// weight is positive.
func (s *source) weight() float64 {
	if s.orders == 0 {
		return short(0.05+1.5*s.Float64(), 2)
	}
	return digits((0.05+s.Float64())*math.Pow(10, s.orders*(2*s.Float64()-1)), 4)
}

// short rounds to so many decimals, digits to so many digits.
func short(v float64, decimals int) float64 { return reread(v, 'f', decimals) }
func digits(v float64, n int) float64       { return reread(v, 'g', n) }

func reread(v float64, format byte, n int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, format, n, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// coefs has at least one entry that is not 0, most often few.
func (s *source) coefs() []float64 {
	c := make([]float64, len(s.lo))
	for k := range c {
		if s.IntN(5) < 3 {
			c[k] = s.coef()
		}
	}
	if k := s.IntN(len(c)); c[k] == 0 {
		c[k] = 1
	}
	return c
}

// affine is an affine function.
func (s *source) affine() *exact.Node { return exact.Affine(s.coefs(), s.coef()) }

// positive is an affine function that is at least 1/2 in the box.
func (s *source) positive() *exact.Node {
	c := s.coefs()
	least := 0.0
	for k, v := range c {
		least += math.Min(v*s.lo[k], v*s.hi[k])
	}
	shift := reread(0.5-least, 'g', 8)
	return exact.Affine(c, shift+math.Abs(shift)*1e-7)
}

// largest is the largest absolute value of an affine function in the box.
func (s *source) largest(c []float64) float64 {
	sum := 0.0
	for k, v := range c {
		sum += math.Max(math.Abs(v*s.lo[k]), math.Abs(v*s.hi[k]))
	}
	return sum
}

// gentle is an affine function of at most 3 in the box: an argument for exp.
func (s *source) gentle() *exact.Node {
	c := s.coefs()
	scale := 3 / max(s.largest(c), 1e-300)
	for k := range c {
		c[k] = digits(c[k]*scale, 3)
	}
	return exact.Affine(c, short(s.NormFloat64(), 2))
}

// point is uniform in the box.
func (s *source) point() []float64 {
	x := make([]float64, len(s.lo))
	for k := range x {
		x[k] = s.within(k, digits(s.lo[k]+(s.hi[k]-s.lo[k])*s.Float64(), 6))
	}
	return x
}

func (s *source) within(k int, v float64) float64 { return min(max(v, s.lo[k]), s.hi[k]) }

// value is n at x, rounded to a float64; false where it has none.
func (s *source) value(n *exact.Node, x []float64) (float64, bool) {
	ev := exact.NewEvaluator(s.a, x)
	v, err := ev.Eval(n)
	if err != nil || ev.Overflow {
		return 0, false
	}
	f, _ := v.V.Float64()
	return f, true
}

// box makes n variables within -half and half.
func (s *source) box(n int, half float64) {
	s.lo, s.hi = make([]float64, n), make([]float64, n)
	for k := range n {
		s.lo[k], s.hi[k] = -half, half
	}
}

// log10 draws 10^u with u uniform in [lo, hi], to 4 digits.
func (s *source) log10(lo, hi float64) float64 {
	return digits(math.Pow(10, lo+(hi-lo)*s.Float64()), 4)
}

// sign is 1 or -1.
func (s *source) sign() float64 { return float64(2*s.IntN(2) - 1) }
