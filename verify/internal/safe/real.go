package safe

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// bits is the precision of the ends of intervals.
// Source: five times the precision of float64, so that cancellation of four times its digits still
// leaves some.
const bits = 256

// Ball is an interval of real numbers.
type Ball struct{ Lo, Hi *big.Float }

func newFloat(mode big.RoundingMode) *big.Float { return new(big.Float).SetPrec(bits).SetMode(mode) }
func Lower() *big.Float                         { return newFloat(big.ToNegativeInf) }
func Upper() *big.Float                         { return newFloat(big.ToPositiveInf) }
func Exactly(v float64) Ball                    { return Ball{Lower().SetFloat64(v), Upper().SetFloat64(v)} }
func (a Ball) Add(b Ball) Ball                  { return Ball{Lower().Add(a.Lo, b.Lo), Upper().Add(a.Hi, b.Hi)} }
func (a Ball) Neg() Ball                        { return Ball{Lower().Neg(a.Hi), Upper().Neg(a.Lo)} }
func (a Ball) Sub(b Ball) Ball                  { return a.Add(b.Neg()) }

func (a Ball) Mul(b Ball) Ball {
	out := Ball{}
	for _, x := range [2]*big.Float{a.Lo, a.Hi} {
		for _, y := range [2]*big.Float{b.Lo, b.Hi} {
			if p := Lower().Mul(x, y); out.Lo == nil || p.Cmp(out.Lo) < 0 {
				out.Lo = p
			}
			if p := Upper().Mul(x, y); out.Hi == nil || p.Cmp(out.Hi) > 0 {
				out.Hi = p
			}
		}
	}
	return out
}

func (a Ball) Inverse() Ball {
	if a.Lo.Sign() <= 0 && a.Hi.Sign() >= 0 {
		Outside("a quotient")
	}
	one := big.NewFloat(1)
	return Ball{Lower().Quo(one, a.Hi), Upper().Quo(one, a.Lo)}
}

func (a Ball) Max(b Ball) Ball {
	if b.Lo.Cmp(a.Lo) > 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) > 0 {
		a.Hi = b.Hi
	}
	return a
}

func (a Ball) Abs() Ball {
	switch {
	case a.Lo.Sign() >= 0:
		return a
	case a.Hi.Sign() <= 0:
		return a.Neg()
	}
	b := a.Neg()
	return Ball{Lower(), a.Max(b).Hi}
}

func (a Ball) Square() Ball {
	a = a.Abs()
	return Ball{Lower().Mul(a.Lo, a.Lo), Upper().Mul(a.Hi, a.Hi)}
}

func (a Ball) Sqrt() Ball {
	if a.Lo.Sign() < 0 {
		if a.Hi.Sign() < 0 {
			Outside("a square root")
		}
		a.Lo = Lower()
	}
	return Ball{Lower().Sqrt(a.Lo), Upper().Sqrt(a.Hi)}.wider()
}

// margin is the relative error that the series below are allowed: far above their own.
// Source: bits less 40 for the loss in at most 2^20 operations and argument reductions.
const margin = 40 - bits

// wider adds the error of a series.
func (a Ball) wider() Ball {
	err := func(x *big.Float) *big.Float {
		e := Upper().Abs(x)
		return e.SetMantExp(e, margin)
	}
	return Ball{Lower().Sub(a.Lo, err(a.Lo)), Upper().Add(a.Hi, err(a.Hi))}
}

// mostExponent bounds the arguments of exponentials.
// Source: far beyond float64, and within the exponents of big.Float.
const mostExponent = 1e8

// expOf is the exponential of a number to about bits digits, with an error below margin.
func expOf(x *big.Float) *big.Float {
	v, _ := x.Float64()
	if math.Abs(v) > mostExponent {
		panic(Fault{fmt.Errorf("an exponential of %g is out of range", v)})
	}
	z := series().Set(x)
	k := max(0, z.MantExp(nil)+10)
	z.SetMantExp(z, -k)
	sum := taylor(integer(1), func(term *big.Float, n int) { term.Quo(term.Mul(term, z), integer(n)) })
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

// logOf is the logarithm of a positive number: m·2^e has log m + e·log 2, and log m is
// 2·artanh((m − 1)/(m + 1)).
func logOf(x *big.Float) *big.Float {
	m := series()
	e := series().Set(x).MantExp(m)
	if m.Cmp(big.NewFloat(0.7)) < 0 { // near 1 the logarithm must not cancel
		m.SetMantExp(m, 1)
		e--
	}
	one := integer(1)
	z := series().Quo(series().Sub(m, one), series().Add(m, one))
	out := artanh2(series().Quo(one, integer(3)))
	out.Mul(out, integer(e))
	return out.Add(out, artanh2(z))
}

func (a Ball) Exp() Ball {
	least := big.NewFloat(-mostExponent)
	if a.Hi.Cmp(least) < 0 {
		a.Hi = least
	}
	out := Ball{Lower(), Upper().Set(expOf(a.Hi))}
	if a.Lo.Cmp(least) >= 0 {
		out.Lo.Set(expOf(a.Lo))
	}
	return out.wider()
}

func (a Ball) Log() Ball {
	if a.Lo.Sign() <= 0 {
		Outside("a logarithm")
	}
	return Ball{Lower().Set(logOf(a.Lo)), Upper().Set(logOf(a.Hi))}.wider()
}

// TimesLog is a·log a, which falls from 0 at 0 to −1/e at 1/e.
func (a Ball) TimesLog() Ball {
	if a.Lo.Sign() > 0 {
		return a.Mul(a.Log())
	}
	out := Exactly(0)
	if a.Lo.Sign() < 0 {
		Outside("a logarithm")
	}
	if a.Hi.Sign() > 0 {
		end := Ball{a.Hi, a.Hi}
		out = out.hull(end.Mul(end.Log()))
		if a.Hi.Cmp(big.NewFloat(0.3678)) > 0 {
			out = out.hull(Exactly(-0.36788))
		}
	}
	return out
}

// Power is aᵖ.
func (a Ball) Power(p float64) Ball {
	switch {
	case p == 2:
		return a.Square()
	case p == 0.5:
		return a.Sqrt()
	case p == -1:
		if a.Lo.Sign() <= 0 {
			Outside("a power")
		}
		return a.Inverse()
	case p == math.Trunc(p) && p >= 0 && p < 1e6:
		if math.Mod(p, 2) == 0 {
			a = a.Abs()
		}
		out := Exactly(1)
		for base, n := a, int(p); n > 0; n /= 2 {
			if n%2 == 1 {
				out = out.Mul(base)
			}
			base = base.Mul(base)
		}
		return out
	}
	if a.Lo.Sign() <= 0 {
		if a.Lo.Sign() < 0 || p < 0 {
			Outside("a power")
		}
		if a.Hi.Sign() == 0 {
			return Exactly(0)
		}
		top := Ball{a.Hi, a.Hi}.Log().Mul(Exactly(p)).Exp()
		return Ball{Lower(), top.Hi}
	}
	return a.Log().Mul(Exactly(p)).Exp()
}

// Root is the p-th root. The exponent 1/p is between two numbers.
func (a Ball) Root(p float64) Ball {
	if p == 2 {
		return a.Sqrt()
	}
	return a.Power(math.Nextafter(1/p, 0)).hull(a.Power(math.Nextafter(1/p, 1)))
}

func (a Ball) hull(b Ball) Ball {
	if b.Lo.Cmp(a.Lo) < 0 {
		a.Lo = b.Lo
	}
	return Ball{a.Lo, a.Max(b).Hi}
}

// SumOfAll is the sum of a function of each.
func SumOfAll(a []Ball, f func(Ball) Ball) Ball {
	out := Exactly(0)
	for _, b := range a {
		out = out.Add(f(b))
	}
	return out
}

func LargestOf(a []Ball) Ball {
	out := a[0]
	for _, b := range a[1:] {
		out = out.Max(b)
	}
	return out
}

// SumOfLargest adds the k largest lower and the k largest upper ends.
func SumOfLargest(a []Ball, k int) Ball {
	lo, hi := make([]*big.Float, len(a)), make([]*big.Float, len(a))
	for i, b := range a {
		lo[i], hi[i] = b.Lo, b.Hi
	}
	falling := func(x, y *big.Float) int { return y.Cmp(x) }
	slices.SortFunc(lo, falling)
	slices.SortFunc(hi, falling)
	out := Exactly(0)
	for i := range k {
		out = out.Add(Ball{lo[i], hi[i]})
	}
	return out
}

// huber is v² where |v| ≤ m, else 2m|v| − m².
func (a Ball) huber(threshold float64) Ball {
	m, s := Exactly(threshold), a.Abs()
	if s.Hi.Cmp(m.Lo) <= 0 {
		return s.Square()
	}
	far := s.Mul(m).Add(s.Mul(m)).Sub(m.Square())
	if s.Lo.Cmp(m.Hi) >= 0 {
		return far
	}
	return Ball{s.Square().Lo, far.Max(s.Square()).Hi}
}

// Floats rounds an interval outward.
func (a Ball) Floats() (lo, hi float64) {
	lo, acc := a.Lo.Float64()
	if acc == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, acc = a.Hi.Float64()
	if acc == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return lo, hi
}

func (a Ball) Span() Span {
	lo, hi := a.Floats()
	return Span{lo, hi}
}

// Wide adds an error.
func (a Ball) Wide(err *big.Float) Ball { return Ball{Lower().Sub(a.Lo, err), Upper().Add(a.Hi, err)} }
