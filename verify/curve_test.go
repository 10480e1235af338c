package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// truth encloses the value of a column's function by 256 bits; ok is false where it has none.
func (c *column) truth(v float64) (b ball, ok bool) {
	defer func() {
		if caught(recover()) != nil {
			b, ok = exactly(0), false
		}
	}()
	x := exactly(v)
	switch c.kind {
	case isEven:
		return x.abs().power(c.p), true
	case isPosPower:
		return x.max(exactly(0)).power(c.p), true
	case isPower:
		return x.power(c.p), true
	}
	ops := map[kind]op{isSquare: opPower, isAbs: opAbs, isHuber: opHuber, isExp: opExp, isLogistic: opLogistic, isXExp: opXExp, isLog: opLog, isEntropy: opEntropy}
	e := &expr{op: ops[c.kind], num: c.p, args: []*expr{{op: opVar}}}
	if c.kind == isSquare {
		e.num = 2
	}
	return newValues([]float64{v}, false).of(e), true
}

// slopeTruth encloses the derivative.
func (c *column) slopeTruth(v float64) (b ball, ok bool) {
	defer func() {
		if caught(recover()) != nil {
			ok = false
		}
	}()
	x, one, p := exactly(v), exactly(1), exactly(c.p)
	switch c.kind {
	case isEven, isPosPower, isPower:
		if v < 0 && c.kind != isEven {
			return exactly(0), c.kind == isPosPower
		}
		if v == 0 {
			return exactly(0), c.p > 1
		}
		y, _ := (&column{kind: isPower, p: c.p}).truth(math.Abs(v))
		return y.mul(p).mul(x.inverse()), true
	case isExp:
		return x.exp(), true
	case isLogistic:
		return one.add(x.neg().exp()).inverse(), true
	case isXExp:
		return one.add(x).mul(x.exp()), true
	case isLog:
		return x.inverse(), true
	case isEntropy:
		return x.log().neg().sub(one), true
	}
	return b, false
}

// holds reports whether a number of a narrow ball is in a span.
func (a span) holds(b ball) bool {
	under := func(lo float64, v *big.Float) bool {
		return math.IsInf(lo, -1) || lo-lo == 0 && big.NewFloat(lo).Cmp(v) <= 0
	}
	return under(a.lo, b.hi) && under(-a.hi, new(big.Float).Neg(b.lo))
}

// TestCurvesEnclose: the values, slopes, ranges and roots of functions of one column enclose those
// by 256 bits, also where the exponent or the argument is far from 1.
func TestCurvesEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	numbers := []float64{0, 1, 0.5, 2, 1e-310, 5e-324, 1e-300, 1e-8, 0.99999999, 1.0000000000000002, 36, 700, 709, 710, 745, 1e6, 1e154, 1e300, math.MaxFloat64}
	exponents := map[kind][]float64{
		isEven: {6, 10, 100, 1e4, 1e6 - 2}, isHuber: {0.3, 1e-300, 1, 1e300}, isPosPower: {1.5, 3, 7, 2.5, 1001, 99999, 1.0000000001, 1e5 + 0.5, 17.3},
		isPower: {-1, -2, -0.5, 0.5, 0.1, 1.0 / 3, 0.3, 1e-5, 1e-300, -7, -1001, 0.9999999, -1e-3, -3.7, -5000.5},
	}
	for k := isSquare; k < isProduct; k++ {
		ps := exponents[k]
		if ps == nil {
			ps = []float64{0}
		}
		wide := 0
		for trial := range 300 {
			c := &column{kind: k, p: ps[trial%len(ps)]}
			v := numbers[rng.IntN(len(numbers))]
			switch trial / len(ps) % 4 {
			case 1:
				v = math.Exp(20 * rng.NormFloat64())
			case 2:
				v = rng.Float64() * 10
			case 3:
				v = 1 + rng.NormFloat64()*1e-3
			}
			if v *= float64(1 - 2*rng.IntN(2)); v < c.domain().lo {
				v = -v
			}
			b, ok := c.truth(v)
			if lo, hi := b.floats(); !ok || hi-lo > 1e-14*math.Abs(lo)+5e-324 { // 256 bits cancel, too
				continue
			}
			a := c.value(v)
			if !a.holds(b) {
				lo, hi := b.floats()
				t.Fatalf("function %d with %g at %g: %v, by 256 bits [%.17g, %.17g]", k, c.p, v, a, lo, hi)
			}
			if lo, hi := b.floats(); math.Abs(lo) > 1e-300 && math.Abs(hi) < 1e300 && a.hi-a.lo > 1e-9*math.Abs(lo) {
				wide++
			}
			if s, ok := c.slopeTruth(v); ok {
				if d := c.derivative(v); !d.holds(s) {
					lo, hi := s.floats()
					t.Fatalf("the slope of function %d with %g at %g: %v, by 256 bits [%.17g, %.17g]", k, c.p, v, d, lo, hi)
				}
			}
			if r := c.image(just(v)); !r.holds(b) {
				t.Fatalf("the range of function %d with %g at %g: %v", k, c.p, v, r)
			}
			// What has a value in w is kept.
			w := span{a.lo, a.hi}
			if lo, hi := b.floats(); rng.IntN(2) == 0 {
				w = span{lo, hi}
			}
			if r := c.preimage(w, whole()); !(r.lo <= v && v <= r.hi) {
				t.Fatalf("function %d with %g: %.17g is not in the preimage %v of %v", k, c.p, v, r, w)
			}
		}
		if wide > 20 {
			t.Errorf("function %d: %d wide enclosures", k, wide)
		}
	}
}
