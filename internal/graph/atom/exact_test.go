package atom

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/interval"
)

// The functions below compute with 1000 bits, by Taylor series.
const bits = 1000

type real = *big.Float

func number64(v float64) real { return new(big.Float).SetPrec(bits).SetFloat64(v) }
func add(a, b real) real      { return number64(0).Add(a, b) }
func subt(a, b real) real     { return number64(0).Sub(a, b) }
func mul(a, b real) real      { return number64(0).Mul(a, b) }
func div(a, b real) real      { return number64(0).Quo(a, b) }
func neg(a real) real         { return number64(0).Neg(a) }
func root(a real) real        { return number64(0).Sqrt(a) }

// series is Σ t with t₀ = first and tₖ = tₖ₋₁·next(k).
func series(first real, next func(k float64) real) real {
	sum, t := first, first
	for k := 1.0; t.Sign() != 0 && (sum.Sign() == 0 || t.MantExp(nil) > sum.MantExp(nil)-bits || k < 2); k++ {
		t = mul(t, next(k))
		sum = add(sum, t)
	}
	return sum
}

func bigExp(u real) real {
	if u.Sign() == 0 {
		return number64(1)
	}
	halved := max(u.MantExp(nil)+20, 0)
	small := number64(0).SetMantExp(u, -halved)
	e := series(number64(1), func(k float64) real { return div(small, number64(k)) })
	for range halved {
		e = mul(e, e)
	}
	return e
}

// bigLog is by Halley's method.
func bigLog(u real) real {
	m := number64(0)
	e := u.MantExp(m)
	f, _ := m.Float64()
	y := add(number64(math.Log(f)), mul(number64(float64(e)), number64(math.Ln2)))
	for range 8 { // each triples the digits
		v := bigExp(y)
		y = add(y, div(mul(number64(2), subt(u, v)), add(u, v)))
	}
	return y
}

func bigAtan(u real) real {
	halved := 0
	for ; u.Sign() != 0 && u.MantExp(nil) > -20; halved++ { // atan u = 2 atan(u/(1 + √(1 + u²)))
		u = div(u, add(number64(1), root(add(number64(1), mul(u, u)))))
	}
	if u.Sign() == 0 {
		return u
	}
	square := neg(mul(u, u))
	sum, t := u, u
	for k := 3.0; t.MantExp(nil) > sum.MantExp(nil)-bits; k += 2 {
		t = mul(t, square)
		sum = add(sum, div(t, number64(k)))
	}
	return number64(0).SetMantExp(sum, halved)
}

var bigPi = mul(number64(4), bigAtan(number64(1)))

// bigSin is the sine of u + quarters·π/2.
func bigSin(u real, quarters int64) real {
	turns, _ := div(u, bigPi).Int(nil)
	u = add(subt(u, mul(number64(0).SetInt(turns), bigPi)), mul(number64(float64(quarters)/2), bigPi))
	square := neg(mul(u, u))
	s := series(u, func(k float64) real { return div(square, number64(2*k*(2*k+1))) })
	if turns.Bit(0) == 1 {
		s = neg(s)
	}
	return s
}

func bigErf(u real) real {
	square := neg(mul(u, u))
	if u.Sign() == 0 {
		return u
	}
	sum, t := u, u
	for k := 1.0; t.MantExp(nil) > sum.MantExp(nil)-bits || k < 2000; k++ {
		t = mul(t, div(square, number64(k)))
		sum = add(sum, div(t, number64(2*k+1)))
		if t.Sign() == 0 {
			break
		}
	}
	return mul(sum, div(number64(2), root(bigPi)))
}

func bigPow(u real, q float64) real {
	switch {
	case q == math.Trunc(q) && q >= 0 && q < 5: // exact
		out := number64(1)
		for range int(q) {
			out = mul(out, u)
		}
		return out
	case u.Sign() == 0:
		return number64(0)
	case u.Sign() < 0 && isOdd(q):
		return neg(bigPow(neg(u), q))
	case u.Sign() < 0:
		u = neg(u)
	}
	return bigExp(mul(number64(q), bigLog(u)))
}

// exact are value, slope and second derivative of a row, and the size of arguments.
type exact struct {
	size  float64
	parts func(u real, p float64) [3]real
}

func exactRows() map[string]exact {
	half := func(a real) real { return mul(a, number64(0.5)) }
	one, two := number64(1), number64(2)
	logs := func(base float64) exact {
		return exact{1e3, func(u real, _ float64) [3]real {
			l := number64(1)
			if base != math.E {
				l = bigLog(number64(base))
			}
			s := div(one, mul(u, l))
			return [3]real{div(bigLog(u), l), s, neg(div(s, u))}
		}}
	}
	hyperbolic := func(u real) (s, c real) {
		e, f := bigExp(u), bigExp(neg(u))
		return half(subt(e, f)), half(add(e, f))
	}
	asinh := func(u real) real { // of −u where that cancels
		if u.Sign() < 0 {
			return neg(bigLog(add(neg(u), root(add(mul(u, u), one)))))
		}
		return bigLog(add(u, root(add(mul(u, u), one))))
	}
	sigmoid := func(u real) (s, d, e real) {
		s = div(one, add(one, bigExp(neg(u))))
		d = mul(s, div(one, add(one, bigExp(u))))
		return s, d, mul(d, subt(one, mul(two, s)))
	}
	power := func(u real, p float64) [3]real {
		return [3]real{
			bigPow(u, p), mul(number64(p), bigPow(u, p-1)), mul(mul(number64(p), subt(number64(p), one)), bigPow(u, p-2)),
		}
	}
	return map[string]exact{
		"exp":   {300, func(u real, _ float64) [3]real { e := bigExp(u); return [3]real{e, e, e} }},
		"expm1": {40, func(u real, _ float64) [3]real { e := bigExp(u); return [3]real{subt(e, one), e, e} }},
		"xexp": {300, func(u real, _ float64) [3]real {
			e := bigExp(u)
			return [3]real{mul(u, e), mul(add(u, one), e), mul(add(u, two), e)}
		}},
		"sinh": {350, func(u real, _ float64) [3]real { s, c := hyperbolic(u); return [3]real{s, c, s} }},
		"cosh": {350, func(u real, _ float64) [3]real { s, c := hyperbolic(u); return [3]real{c, s, c} }},
		"log":  logs(math.E), "log2": logs(2), "log10": logs(10),
		"log1p": {3, func(u real, _ float64) [3]real {
			s := div(one, add(one, u))
			return [3]real{bigLog(add(one, u)), s, neg(mul(s, s))}
		}},
		"entr": {3, func(u real, _ float64) [3]real {
			l := bigLog(u)
			return [3]real{neg(mul(u, l)), subt(neg(l), one), neg(div(one, u))}
		}},
		"sin": {1e6, func(u real, _ float64) [3]real {
			s := bigSin(u, 0)
			return [3]real{s, bigSin(u, 1), neg(s)}
		}},
		"cos": {1e6, func(u real, _ float64) [3]real {
			c := bigSin(u, 1)
			return [3]real{c, neg(bigSin(u, 0)), neg(c)}
		}},
		"tan": {30, func(u real, _ float64) [3]real {
			t := div(bigSin(u, 0), bigSin(u, 1))
			s := add(one, mul(t, t))
			return [3]real{t, s, mul(mul(two, t), s)}
		}},
		"atan": {100, func(u real, _ float64) [3]real {
			s := div(one, add(one, mul(u, u)))
			return [3]real{bigAtan(u), s, neg(mul(mul(two, u), mul(s, s)))}
		}},
		"tanh": {20, func(u real, _ float64) [3]real {
			s, c := hyperbolic(u)
			t, d := div(s, c), div(one, mul(c, c))
			return [3]real{t, d, mul(number64(-2), mul(t, d))}
		}},
		"asinh": {1e5, func(u real, _ float64) [3]real {
			s := div(one, root(add(one, mul(u, u))))
			return [3]real{asinh(u), s, neg(mul(u, mul(s, mul(s, s))))}
		}},
		"atanh": {0.4, func(u real, _ float64) [3]real {
			s := div(one, subt(one, mul(u, u)))
			return [3]real{half(bigLog(div(add(one, u), subt(one, u)))), s, mul(mul(two, u), mul(s, s))}
		}},
		"sigmoid": {200, func(u real, _ float64) [3]real { s, d, e := sigmoid(u); return [3]real{s, d, e} }},
		"logistic": {30, func(u real, _ float64) [3]real {
			s, d, _ := sigmoid(u)
			return [3]real{bigLog(add(one, bigExp(u))), s, d}
		}},
		"erf": {6, func(u real, _ float64) [3]real {
			s := mul(div(two, root(bigPi)), bigExp(neg(mul(u, u))))
			return [3]real{bigErf(u), s, mul(mul(number64(-2), u), s)}
		}},
		"normcdf": {9, func(u real, _ float64) [3]real {
			s := div(bigExp(neg(half(mul(u, u)))), root(mul(two, bigPi)))
			return [3]real{half(add(one, bigErf(div(u, root(two))))), s, neg(mul(u, s))}
		}},
		"power": {1e3, power},
		"abspower": {10, func(u real, p float64) [3]real {
			out := power(number64(0).Abs(u), p)
			if u.Sign() < 0 {
				out[1] = neg(out[1])
			}
			return out
		}},
		"pos_power": {10, func(u real, p float64) [3]real {
			if u.Sign() < 0 {
				return [3]real{number64(0), number64(0), number64(0)}
			}
			return power(u, p)
		}},
		"square": {1e9, func(u real, _ float64) [3]real { return [3]real{mul(u, u), mul(two, u), two} }},
		"abs": {1, func(u real, _ float64) [3]real {
			return [3]real{number64(0).Abs(u), number64(float64(u.Sign())), number64(0)}
		}},
		"pos": {1, func(u real, _ float64) [3]real {
			s := max(float64(u.Sign()), 0)
			return [3]real{mul(u, number64(s)), number64(s), number64(0)}
		}},
		"huber": {2, func(u real, p float64) [3]real {
			if a := number64(0).Abs(u); a.Cmp(number64(p)) > 0 {
				q, s := number64(p), number64(float64(u.Sign()))
				return [3]real{subt(mul(mul(two, q), a), mul(q, q)), mul(mul(two, q), s), number64(0)}
			}
			return [3]real{mul(u, u), mul(two, u), two}
		}},
	}
}

// outside returns the name of a part whose exact value at u is not in its range over u; "" if all
// are.
func outside(c *Curve, e exact, u, p float64) string {
	values := e.parts(number64(u), p)
	for k, part := range []Part{c.Value, c.Slope, c.Second} {
		over := part.Over(interval.Point(u), p)
		if values[k].Cmp(number64(over.Lo)) < 0 || values[k].Cmp(number64(over.Hi)) > 0 {
			return []string{"value", "slope", "second derivative"}[k]
		}
	}
	return ""
}

// sampled compares ranges over one number with the samples of a row.
func sampled(c *Curve) error {
	for _, s := range c.Samples {
		var v [4]real
		for k, text := range s {
			var err error
			if v[k], _, err = big.ParseFloat(text, 10, bits, big.ToNearestEven); err != nil {
				return fmt.Errorf("the sample %q: %v", s, err)
			}
		}
		u, accuracy := v[0].Float64()
		if accuracy != big.Exact {
			return fmt.Errorf("the argument %s of a sample is no float64 number", s[0])
		}
		e := exact{parts: func(real, float64) [3]real { return [3]real(v[1:]) }}
		if part := outside(c, e, u, 0); part != "" {
			return fmt.Errorf("the %s of the sample %q is not in its range", part, s)
		}
	}
	return nil
}

// TestExact compares ranges over one number with values of 1000 bits, or with samples.
func TestExact(t *testing.T) {
	rows := exactRows()
	for _, c := range Curves() {
		e, ok := rows[c.Name]
		if err := sampled(c); err != nil || !ok && len(c.Samples) < 3 {
			t.Errorf("%s has %d samples with exact values: %v", c.Name, len(c.Samples), err)
		}
		if !ok {
			continue
		}
		r := rand.New(rand.NewPCG(48, 3))
		ps := parameters(c)
		for k := range 40 {
			u := e.size * r.NormFloat64()
			switch k % 4 {
			case 1:
				u *= math.Exp(-20 * r.Float64())
			case 3: // below 2^-1022
				if slices.Contains([]string{"log", "log2", "log10", "entr", "power"}, c.Name) {
					u = math.Ldexp(math.Abs(r.NormFloat64()), -1050)
				}
			case 2: // beside a multiple of π/2, where a sine cancels
				u = min(float64(r.IntN(9)-4)*math.Pi/2, e.size)
			}
			p := ps[r.IntN(len(ps))]
			if d := c.In(interval.Whole, p); u <= d.Lo || u >= d.Hi {
				u = math.Abs(u) / 10
			}
			if u == 0 {
				continue
			}
			if part := outside(c, e, u, p); part != "" {
				t.Errorf("%s, p = %g: the exact %s at %.17g is not in its range", c.Name, p, part, u)
				break
			}
		}
	}
}

// TestExactFires: a row with a value that is rounded twice as often as it says is found.
func TestExactFires(t *testing.T) {
	c := *Find("exp")
	c.Value = computed{at: of(func(u float64) float64 { return math.Pow(math.Exp(u/8), 8) }), ulps: 1}.part()
	found := false
	for u := 0.1; u < 40; u++ {
		found = found || outside(&c, exactRows()["exp"], u, 0) != ""
	}
	if !found {
		t.Error("not found")
	}
	c = *Find("exp")
	for _, sample := range [][4]string{
		{"1", "2.7182818284590452353", "2.7182818284590452353", "2.7182818284590"},
		{"0.1", "1.1051709180756476248", "1.1051709180756476248", "1.1051709180756476248"},
		{"0", "1", "1", "one"},
	} {
		if c.Samples = [][4]string{sample}; sampled(&c) == nil {
			t.Errorf("the sample %q is not found", sample)
		}
	}
}
