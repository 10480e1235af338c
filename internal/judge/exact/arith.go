package exact

import (
	"math"
	"math/big"
)

// Precision is the number of bits in which expressions are evaluated.
const Precision = 200

// guard is the number of bits that exp and log carry beyond prec: 30 for the
// reduction by multiples of log 2, 12 for the squarings of exp, 53 for a
// logarithm next to 1, and some.
const guard = 128

// Arith is arithmetic in prec bits. It is not safe for concurrent use.
type Arith struct {
	prec uint
	ln2  *big.Float // in prec+guard bits
}

func NewArith(prec uint) *Arith {
	a := &Arith{prec: prec}
	// log 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)
	sum := a.wide()
	for _, t := range [3][2]int64{{18, 26}, {-2, 4801}, {8, 8749}} {
		sum.Add(sum, a.wide().Mul(a.wide().SetInt64(t[0]), a.atanhInverse(t[1])))
	}
	a.ln2 = sum
	return a
}

// num is a zero of prec bits, wide one of prec+guard bits.
func (a *Arith) num() *big.Float  { return new(big.Float).SetPrec(a.prec) }
func (a *Arith) wide() *big.Float { return new(big.Float).SetPrec(a.prec + guard) }

// Of is a float64, which must be finite, as a number.
func (a *Arith) Of(v float64) *big.Float { return a.num().SetFloat64(v) }

func (a *Arith) add(x, y *big.Float) *big.Float { return a.num().Add(x, y) }
func (a *Arith) Sub(x, y *big.Float) *big.Float { return a.num().Sub(x, y) }
func (a *Arith) mul(x, y *big.Float) *big.Float { return a.num().Mul(x, y) }
func (a *Arith) quo(x, y *big.Float) *big.Float { return a.num().Quo(x, y) }
func (a *Arith) Abs(x *big.Float) *big.Float    { return a.num().Abs(x) }
func (a *Arith) Neg(x *big.Float) *big.Float    { return a.num().Neg(x) }

// atanhInverse is atanh(1/k) by its series.
func (a *Arith) atanhInverse(k int64) *big.Float {
	square := a.wide().SetInt64(k * k)
	power := a.wide().Quo(a.wide().SetInt64(1), a.wide().SetInt64(k))
	sum := a.wide().Set(power)
	for j := int64(3); ; j += 2 {
		power.Quo(power, square)
		term := a.wide().Quo(power, a.wide().SetInt64(j))
		if tiny(term, sum) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// tiny reports whether term no longer changes sum.
func tiny(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(sum.Prec())-2
}

// expLimit bounds arguments of exp, so that exponents of results fit.
const expLimit = 1 << 28

// exp is e^x; false beyond expLimit.
func (a *Arith) exp(x *big.Float) (*big.Float, bool) {
	approx, _ := x.Float64()
	if !(approx < expLimit) {
		return nil, false
	}
	if approx < -expLimit {
		return a.num(), true
	}
	return a.num().Set(a.expWide(a.wide().Set(x))), true
}

// expWide is e^x in prec+guard bits.
func (a *Arith) expWide(x *big.Float) *big.Float { return a.wide().Set(a.expTo(x, a.prec+guard)) }

// expTo is e^x in so many bits, by x = k log 2 + 2^s r: a Taylor series for e^r, s squarings and a
// shift by k, in fixed point. Each of about 60 operations errs by a unit, and the squarings
// multiply that by 2^s: the last 32 bits have room for it.
func (a *Arith) expTo(x *big.Float, prec uint) *big.Float {
	const s = 12
	bits := prec + 32
	approx, _ := x.Float64()
	k := math.Round(approx / math.Ln2)
	reduced := a.wide().Sub(x, a.wide().Mul(a.wide().SetFloat64(k), a.ln2))
	r, _ := reduced.SetMantExp(reduced, int(bits)-s).Int(nil)
	sum := new(big.Int).Lsh(big.NewInt(1), bits)
	term, by := new(big.Int).Set(sum), new(big.Int)
	for j := int64(1); term.Sign() != 0; j++ {
		term.Rsh(term.Mul(term, r), bits)
		term.Quo(term, by.SetInt64(j))
		sum.Add(sum, term)
	}
	for range s {
		sum.Rsh(sum.Mul(sum, sum), bits)
	}
	e := new(big.Float).SetPrec(prec).SetInt(sum)
	return e.SetMantExp(e, int(k)-int(bits))
}

// log is the natural logarithm; false unless x > 0.
func (a *Arith) log(x *big.Float) (*big.Float, bool) {
	if x.Sign() <= 0 {
		return nil, false
	}
	return a.num().Set(a.logWide(a.wide().Set(x))), true
}

// logWide solves e^y = x by Halley's iteration, which triples the correct bits:
// from 50 of the float64 logarithm twice to more than prec+guard, the first time in few.
func (a *Arith) logWide(x *big.Float) *big.Float {
	mant := a.wide()
	k := x.MantExp(mant) // x = mant 2^k, mant in [1/2, 1)
	if k == 1 {          // next to 1 from above: keep k log 2 out of it
		mant.SetMantExp(mant, 1)
		k = 0
	}
	m, _ := mant.Float64()
	y := a.wide().SetFloat64(math.Log(m))
	for bits := uint(50); bits < a.prec+guard; bits *= 3 {
		e := a.expTo(y, min(4*bits, a.prec+guard))
		num := a.wide().Sub(mant, e)
		num.SetMantExp(num, 1)
		y.Add(y, num.Quo(num, a.wide().Add(mant, e)))
	}
	return y.Add(y, a.wide().Mul(a.wide().SetInt64(int64(k)), a.ln2))
}

// log1p is log(1 + t) for t >= 0.
func (a *Arith) log1p(t *big.Float) *big.Float {
	if t.Sign() == 0 {
		return a.num()
	}
	if t.MantExp(nil) > -20 {
		return a.num().Set(a.logWide(a.wide().Add(a.wide().SetInt64(1), t)))
	}
	power, sum := a.wide().Set(t), a.wide().Set(t)
	for j := int64(2); ; j++ {
		power.Mul(power, a.wide().Neg(t))
		term := a.wide().Quo(power, a.wide().SetInt64(j))
		if tiny(term, sum) {
			return a.num().Set(sum)
		}
		sum.Add(sum, term)
	}
}

// logistic is log(1 + e^x).
func (a *Arith) logistic(x *big.Float) (*big.Float, bool) {
	if x.Sign() > 0 {
		e, ok := a.exp(a.Neg(x))
		if !ok {
			return nil, false
		}
		return a.add(x, a.log1p(e)), true
	}
	e, ok := a.exp(x)
	if !ok {
		return nil, false
	}
	return a.log1p(e), true
}

// pow is x^p: by products for whole p, else by exp and log, for x >= 0. False
// outside the domain: x = 0 with p < 0, x < 0 with p that is not whole.
func (a *Arith) pow(x *big.Float, p float64) (*big.Float, bool) {
	if x.Sign() == 0 {
		return a.Of(0), p > 0
	}
	if p == math.Trunc(p) && math.Abs(p) < 1e6 {
		y, base := a.wide().SetInt64(1), a.wide().Set(x)
		for k := int(math.Abs(p)); k > 0; k >>= 1 {
			if k&1 == 1 {
				y.Mul(y, base)
			}
			base.Mul(base, base)
		}
		if p < 0 {
			y.Quo(a.wide().SetInt64(1), y)
		}
		return a.num().Set(y), true
	}
	if x.Sign() < 0 {
		return nil, false
	}
	return a.exp(a.wide().Mul(a.wide().SetFloat64(p), a.logWide(a.wide().Set(x))))
}

// entr is -x log x, 0 at 0.
func (a *Arith) entr(x *big.Float) (*big.Float, bool) {
	if x.Sign() <= 0 {
		return a.num(), x.Sign() == 0
	}
	l, _ := a.log(x)
	return a.Neg(a.mul(x, l)), true
}

// kl is x log(x/z) - x + z.
func (a *Arith) kl(x, z *big.Float) (*big.Float, bool) {
	if z.Sign() <= 0 || x.Sign() < 0 {
		return nil, false
	}
	rest := a.Sub(z, x)
	if x.Sign() == 0 {
		return rest, true
	}
	l, _ := a.log(a.quo(x, z))
	return a.add(a.mul(x, l), rest), true
}

func (a *Arith) sqrt(x *big.Float) (*big.Float, bool) {
	if x.Sign() < 0 {
		return nil, false
	}
	return a.num().Sqrt(x), true
}
