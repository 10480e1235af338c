package safe

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// truth encloses the value of a column's function by 256 bits; ok is false where it has none.
func (c Function) truth(v float64) (b Ball, ok bool) {
	defer func() {
		if Caught(recover()) != nil {
			b, ok = Exactly(0), false
		}
	}()
	return Curves[c.Kind].Exact(Exactly(v), c.P), true
}

// quotient is (a − b)/(u − v).
func quotient(a, b Ball, u, v float64) Ball {
	return a.Sub(b).Mul(Exactly(u).Sub(Exactly(v)).Inverse())
}

// holds reports whether a number of a narrow ball is in a span.
func (a Span) holds(b Ball) bool {
	under := func(lo float64, v *big.Float) bool {
		return math.IsInf(lo, -1) || lo-lo == 0 && big.NewFloat(lo).Cmp(v) <= 0
	}
	return under(a.Lo, b.Hi) && under(-a.Hi, new(big.Float).Neg(b.Lo))
}

// TestNumbers: files of version 5 have these functions by number.
func TestNumbers(t *testing.T) {
	const names = "sin cos tan atan sinh cosh tanh asinh sigmoid erf normcdf log1p expm1 log2 log10 atanh"
	for k, name := range strings.Fields(names) {
		if got := CurveOf(name); got != int(Product)+1+k {
			t.Errorf("%s has the number %d", name, got)
		}
	}
}

// TestCurvesEnclose: the values, slopes, ranges and roots of functions of one column enclose those
// by 256 bits, also where the exponent or the argument is far from 1.
func TestCurvesEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	numbers := []float64{0, 1, 0.5, 2, 1e-310, 5e-324, 1e-300, 1e-8, 0.99999999, 1.0000000000000002, 36, 700, 709, 710, 745, 1e6, 1e154, 1e300, math.MaxFloat64}
	exponents := map[Kind][]float64{
		Even: {6, 10, 100, 1e4, 1e6 - 2}, Huber: {0.3, 1e-300, 1, 1e300}, PosPower: {1.5, 3, 7, 2.5, 1001, 99999, 1.0000000001, 1e5 + 0.5, 17.3},
		Power: {-1, -2, -0.5, 0.5, 0.1, 1.0 / 3, 0.3, 1e-5, 1e-300, -7, -1001, 0.9999999, -1e-3, -3.7, -5000.5},
	}
	for k := Square; int(k) < len(Curves); k++ {
		if k == Product {
			continue
		}
		ps := exponents[k]
		if ps == nil {
			ps = []float64{0}
		}
		wide := 0
		for trial := range 200 {
			c := Function{k, ps[trial%len(ps)]}
			v := numbers[rng.IntN(len(numbers))]
			switch trial / len(ps) % 4 {
			case 1:
				v = math.Exp(20 * rng.NormFloat64())
			case 2:
				v = rng.Float64() * 10
			case 3:
				v = 1 + rng.NormFloat64()*1e-3
			}
			if v *= float64(1 - 2*rng.IntN(2)); v < c.Domain().Lo {
				v = -v
			}
			b, ok := c.truth(v)
			if lo, hi := b.Floats(); !ok || hi-lo > 1e-14*math.Abs(lo)+5e-324 { // 256 bits cancel, too
				continue
			}
			a := c.Value(v)
			if !a.holds(b) {
				lo, hi := b.Floats()
				t.Fatalf("function %d with %g at %g: %v, by 256 bits [%.17g, %.17g]", k, c.P, v, a, lo, hi)
			}
			if lo, hi := b.Floats(); math.Abs(lo) > 1e-300 && math.Abs(hi) < 1e300 && a.Hi-a.Lo > 1e-9*math.Abs(lo) {
				wide++
			}
			// Quotients of differences are slopes and second derivatives somewhere between.
			m := v + math.Copysign(math.Exp(-25*rng.Float64()), v)*max(math.Abs(v), 1e-3)
			u := v + 2*(m-v)
			over := Span{min(u, v), max(u, v)}
			f, ok1 := c.truth(m)
			g, ok2 := c.truth(u)
			if one := Curves[k].One; ok1 && ok2 && m != v && u != m && math.Abs(v) < 1e300 && (one == nil || one(over)) {
				s, r := quotient(f, b, m, v), quotient(g, f, u, m)
				if d := c.Slope(over); !d.holds(s) || !d.holds(r) {
					lo, hi := s.Floats()
					t.Fatalf("the slope of function %d with %g at %v: %v, by 256 bits [%.17g, %.17g]", k, c.P, over, d, lo, hi)
				} else if lo, hi := s.Span().Lo, s.Span().Hi; u != v && math.Abs(u-v) < 1e-9*math.Abs(v) && d.Hi-d.Lo > 1e-3*max(math.Abs(lo), math.Abs(hi), 1e-9) {
					wide++
				}
				half := quotient(r, s, u, v)
				if d := c.Second(over); u != v && !d.holds(half.Add(half)) {
					lo, hi := half.Floats()
					t.Fatalf("the second derivative of function %d with %g at %v: %v, by 256 bits twice [%.17g, %.17g]", k, c.P, over, d, lo, hi)
				}
			}
			if r := c.Image(Just(v)); !r.holds(b) {
				t.Fatalf("the range of function %d with %g at %g: %v", k, c.P, v, r)
			}
			if r := c.Image(Span{c.Domain().Lo, v}); Curves[k].image == nil && r.Lo != a.Lo && r.Hi != a.Hi {
				t.Fatalf("the range of function %d with %g from the end of its domain to %g: %v", k, c.P, v, r)
			}
			// What has a value in w is kept.
			w := Span{a.Lo, a.Hi}
			if lo, hi := b.Floats(); rng.IntN(2) == 0 {
				w = Span{lo, hi}
			}
			if r := c.Preimage(w, Whole()); !(r.Lo <= v && v <= r.Hi) {
				t.Fatalf("function %d with %g: %.17g is not in the preimage %v of %v", k, c.P, v, r, w)
			}
		}
		if wide > 20 {
			t.Errorf("function %d: %d wide enclosures", k, wide)
		}
	}
}

// TestLeastOfCurves: the bound of y·f(u) − s·u over an interval is below the values, and next to
// the least one.
func TestLeastOfCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	exponents := map[Kind][]float64{Even: {6, 3.5}, Huber: {0.3, 2}, PosPower: {1.5, 3}, Power: {-1, -0.5, 0.5, 0.3}}
	for k := Square; int(k) < len(Curves); k++ {
		if k == Product {
			continue
		}
		far := 0
		for range 150 {
			c := Function{Kind: k}
			if ps := exponents[k]; ps != nil {
				c.P = ps[rng.IntN(len(ps))]
			}
			scale := []float64{0.1, 1, 10}[rng.IntN(3)]
			u, v := scale*rng.NormFloat64(), scale*rng.NormFloat64()
			d := c.Domain()
			a := Span{max(min(u, v), d.Lo+1e-3), min(max(u, v), d.Hi-1e-3)} // at a pole none is the least
			if one := Curves[k].One; a.Empty() || one != nil && !one(a) {
				continue
			}
			y, near := rng.NormFloat64(), a.Lo+rng.Float64()*(a.Hi-a.Lo)
			s := c.Slope(Just(near)).Mid() * y
			if rng.IntN(2) == 0 {
				s *= rng.Float64()
			}
			low, size := math.Inf(1), 0.0
			for i := range 1001 {
				x := a.Clip(a.Lo + (a.Hi-a.Lo)*float64(i)/1000)
				w := c.Value(x).Times(Just(y)).Less(Just(s).Times(Just(x)))
				low, size = min(low, w.Hi), max(size, math.Abs(y*c.Value(x).Mid()), math.Abs(s*x))
			}
			if rng.IntN(3) == 0 {
				near = a.Hi
			}
			got := c.Least(y, s, a, near)
			if got > low {
				t.Fatalf("function %d with %g: %g*f - %g*u over %v is at least %.17g, a value is %.17g", k, c.P, y, s, a, got, low)
			}
			if size < 1e100 && low > -1e100 && got < low-1e-3*size {
				far++
			}
		}
		if far > 5 {
			t.Errorf("function %d: %d bounds are far below the least value", k, far)
		}
	}
}

// TestPi: the digits of π are those of Machin's formula.
func TestPi(t *testing.T) {
	num := func(n int64) *big.Float { return new(big.Float).SetPrec(piBits + 64).SetInt64(n) }
	sum := num(0)
	for _, part := range [2][2]int64{{16, 5}, {-4, 239}} {
		power := num(part[0])
		power.Quo(power, num(part[1]))
		for n := int64(1); power.MantExp(nil) > -piBits-64; n += 2 {
			sum.Add(sum, num(0).Quo(power, num(n)))
			power.Quo(power, num(-part[1]*part[1]))
		}
	}
	if d := sum.Sub(sum, pi()); d.Sign() != 0 && d.MantExp(nil) > 4-piBits {
		t.Errorf("π is off by %.3g", d)
	}
}
