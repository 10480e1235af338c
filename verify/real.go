package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// bits is the precision of the ends of intervals.
// Source: five times that of float64, so that cancellation of four times its digits still leaves some.
const bits = 256

// ball is an interval of real numbers.
type ball struct{ lo, hi *big.Float }

func newFloat(mode big.RoundingMode) *big.Float { return new(big.Float).SetPrec(bits).SetMode(mode) }
func lower() *big.Float                         { return newFloat(big.ToNegativeInf) }
func upper() *big.Float                         { return newFloat(big.ToPositiveInf) }
func exactly(v float64) ball                    { return ball{lower().SetFloat64(v), upper().SetFloat64(v)} }
func (a ball) add(b ball) ball                  { return ball{lower().Add(a.lo, b.lo), upper().Add(a.hi, b.hi)} }
func (a ball) neg() ball                        { return ball{lower().Neg(a.hi), upper().Neg(a.lo)} }
func (a ball) sub(b ball) ball                  { return a.add(b.neg()) }

func (a ball) mul(b ball) ball {
	out := ball{}
	for _, x := range [2]*big.Float{a.lo, a.hi} {
		for _, y := range [2]*big.Float{b.lo, b.hi} {
			if p := lower().Mul(x, y); out.lo == nil || p.Cmp(out.lo) < 0 {
				out.lo = p
			}
			if p := upper().Mul(x, y); out.hi == nil || p.Cmp(out.hi) > 0 {
				out.hi = p
			}
		}
	}
	return out
}

// domainError says that a function has no value.
type domainError struct{ what string }

func (e domainError) Error() string { return "the point is outside the domain of " + e.what }
func outside(what string)           { panic(fault{domainError{what}}) }

func (a ball) inverse() ball {
	if a.lo.Sign() <= 0 && a.hi.Sign() >= 0 {
		outside("a quotient")
	}
	one := big.NewFloat(1)
	return ball{lower().Quo(one, a.hi), upper().Quo(one, a.lo)}
}

func (a ball) max(b ball) ball {
	if b.lo.Cmp(a.lo) > 0 {
		a.lo = b.lo
	}
	if b.hi.Cmp(a.hi) > 0 {
		a.hi = b.hi
	}
	return a
}

func (a ball) abs() ball {
	switch {
	case a.lo.Sign() >= 0:
		return a
	case a.hi.Sign() <= 0:
		return a.neg()
	}
	b := a.neg()
	return ball{lower(), a.max(b).hi}
}

func (a ball) square() ball {
	a = a.abs()
	return ball{lower().Mul(a.lo, a.lo), upper().Mul(a.hi, a.hi)}
}

func (a ball) sqrt() ball {
	if a.lo.Sign() < 0 {
		if a.hi.Sign() < 0 {
			outside("a square root")
		}
		a.lo = lower()
	}
	return ball{lower().Sqrt(a.lo), upper().Sqrt(a.hi)}.wider()
}

// margin is the relative error that the series below are allowed: far above their own.
// Source: bits less 40 for the loss in at most 2^20 operations and argument reductions.
const margin = 40 - bits

// wider adds the error of a series.
func (a ball) wider() ball {
	err := func(x *big.Float) *big.Float {
		e := upper().Abs(x)
		return e.SetMantExp(e, margin)
	}
	return ball{lower().Sub(a.lo, err(a.lo)), upper().Add(a.hi, err(a.hi))}
}

// mostExponent bounds the arguments of exponentials.
// Source: far beyond float64, and within the exponents of big.Float.
const mostExponent = 1e8

// expOf is the exponential of a number to about bits digits, with an error below margin.
func expOf(x *big.Float) *big.Float {
	v, _ := x.Float64()
	if math.Abs(v) > mostExponent {
		panic(fault{fmt.Errorf("an exponential of %g is out of range", v)})
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

func (a ball) exp() ball {
	least := big.NewFloat(-mostExponent)
	if a.hi.Cmp(least) < 0 {
		a.hi = least
	}
	out := ball{lower(), upper().Set(expOf(a.hi))}
	if a.lo.Cmp(least) >= 0 {
		out.lo.Set(expOf(a.lo))
	}
	return out.wider()
}

func (a ball) log() ball {
	if a.lo.Sign() <= 0 {
		outside("a logarithm")
	}
	return ball{lower().Set(logOf(a.lo)), upper().Set(logOf(a.hi))}.wider()
}

// timesLog is a·log a, which falls from 0 at 0 to −1/e at 1/e.
func (a ball) timesLog() ball {
	if a.lo.Sign() > 0 {
		return a.mul(a.log())
	}
	out := exactly(0)
	if a.lo.Sign() < 0 {
		outside("a logarithm")
	}
	if a.hi.Sign() > 0 {
		end := ball{a.hi, a.hi}
		out = out.hull(end.mul(end.log()))
		if a.hi.Cmp(big.NewFloat(0.3678)) > 0 {
			out = out.hull(exactly(-0.36788))
		}
	}
	return out
}

// power is aᵖ.
func (a ball) power(p float64) ball {
	switch {
	case p == 2:
		return a.square()
	case p == 0.5:
		return a.sqrt()
	case p == -1:
		if a.lo.Sign() <= 0 {
			outside("a power")
		}
		return a.inverse()
	case p == math.Trunc(p) && p >= 0 && p < 1e6:
		if math.Mod(p, 2) == 0 {
			a = a.abs()
		}
		out := exactly(1)
		for base, n := a, int(p); n > 0; n /= 2 {
			if n%2 == 1 {
				out = out.mul(base)
			}
			if base = base.mul(base); math.Mod(p, 2) == 0 {
				base.lo.Set(new(big.Float).Abs(base.lo))
			}
		}
		return out
	}
	if a.lo.Sign() <= 0 {
		if a.lo.Sign() < 0 || p < 0 {
			outside("a power")
		}
		if a.hi.Sign() == 0 {
			return exactly(0)
		}
		top := ball{a.hi, a.hi}.log().mul(exactly(p)).exp()
		return ball{lower(), top.hi}
	}
	return a.log().mul(exactly(p)).exp()
}

// root is the p-th root. The exponent 1/p is between two numbers.
func (a ball) root(p float64) ball {
	if p == 2 {
		return a.sqrt()
	}
	return a.power(math.Nextafter(1/p, 0)).hull(a.power(math.Nextafter(1/p, 1)))
}

// combine is the operation on values of the arguments.
func (e *expr) combine(a []ball) ball {
	switch e.op {
	case opSum:
		out := exactly(0)
		for k := range a {
			out = out.add(a[k].mul(exactly(e.weights[k])))
		}
		return out
	case opMul:
		if e.args[0] == e.args[1] {
			return a[0].square()
		}
		return a[0].mul(a[1])
	case opPower:
		return a[0].power(e.num)
	case opCurve:
		return curves[e.k].exact(a[0], e.num)
	case opMax:
		return largestOf(a)
	case opNorm:
		return sumOfAll(a, func(b ball) ball { return b.abs().power(e.num) }).root(e.num)
	case opLSE:
		top := ball{largestOf(a).lo, largestOf(a).lo}
		return sumOfAll(a, func(b ball) ball { return b.sub(top).exp() }).log().add(top)
	case opLargest:
		return sumOfLargest(a, e.k)
	case opGeo:
		out := exactly(1)
		for k := range a {
			if e.weights[k] > 0 {
				out = out.mul(a[k].power(e.weights[k]))
			}
		}
		return out
	case opQuadOver:
		n := len(a) - 1
		if a[n].lo.Sign() <= 0 {
			outside("quadoverlin")
		}
		return sumOfAll(a[:n], ball.square).mul(a[n].inverse())
	case opKL:
		if a[1].lo.Sign() <= 0 || a[0].lo.Sign() < 0 {
			outside("kl")
		}
		return a[0].mul(a[1].inverse()).timesLog().mul(a[1]).sub(a[0]).add(a[1])
	}
	return e.ofMatrix(a)
}

func (a ball) hull(b ball) ball {
	if b.lo.Cmp(a.lo) < 0 {
		a.lo = b.lo
	}
	return ball{a.lo, a.max(b).hi}
}

// sumOfAll is the sum of a function of each.
func sumOfAll(a []ball, f func(ball) ball) ball {
	out := exactly(0)
	for _, b := range a {
		out = out.add(f(b))
	}
	return out
}

func largestOf(a []ball) ball {
	out := a[0]
	for _, b := range a[1:] {
		out = out.max(b)
	}
	return out
}

// sumOfLargest adds the k largest lower and the k largest upper ends.
func sumOfLargest(a []ball, k int) ball {
	lo, hi := make([]*big.Float, len(a)), make([]*big.Float, len(a))
	for i, b := range a {
		lo[i], hi[i] = b.lo, b.hi
	}
	falling := func(x, y *big.Float) int { return y.Cmp(x) }
	slices.SortFunc(lo, falling)
	slices.SortFunc(hi, falling)
	out := exactly(0)
	for i := range k {
		out = out.add(ball{lo[i], hi[i]})
	}
	return out
}

// huber is v² where |v| ≤ m, else 2m|v| − m².
func (a ball) huber(threshold float64) ball {
	m, s := exactly(threshold), a.abs()
	if s.hi.Cmp(m.lo) <= 0 {
		return s.square()
	}
	far := s.mul(m).add(s.mul(m)).sub(m.square())
	if s.lo.Cmp(m.hi) >= 0 {
		return far
	}
	return ball{s.square().lo, far.max(s.square()).hi}
}
