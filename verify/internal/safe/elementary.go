package safe

import "math/big"

// guard is the precision of series: their errors, relative to their values, are far below margin.
const guard = bits + 64

func series() *big.Float { return new(big.Float).SetPrec(guard) }

func integer(n int) *big.Float { return series().SetInt64(int64(n)) }

// increasing is the image by a function that rises.
func increasing(f func(v Ball) Ball) func(a Ball, p float64) Ball {
	return func(a Ball, _ float64) Ball { return Ball{f(Ball{a.Lo, a.Lo}).Lo, f(Ball{a.Hi, a.Hi}).Hi} }
}

// half is a/2.
func (a Ball) half() Ball { return a.Mul(Exactly(0.5)) }

func (a Ball) sinh() Ball { return a.Exp().Sub(a.Neg().Exp()).half() }
func (a Ball) cosh() Ball { return a.Exp().Add(a.Neg().Exp()).half() }
func (a Ball) tanh() Ball { return a.Add(a).sigmoid().Sub(Exactly(0.5)).Mul(Exactly(2)) }
func (a Ball) sigmoid() Ball { // of a number, as far out as exponentials are known
	if most := big.NewFloat(mostExponent); a.Lo.Cmp(most) > 0 {
		return Ball{Ball{most, most}.sigmoid().Lo, Exactly(1).Hi}
	} else if low := most.Neg(most); a.Hi.Cmp(low) < 0 {
		return Ball{Exactly(0).Lo, Ball{low, low}.sigmoid().Hi}
	}
	return Exactly(1).Add(a.Neg().Exp()).Inverse()
}
func (a Ball) normal() Ball {
	return a.Mul(Exactly(0.5).Sqrt()).erf().Add(Exactly(1)).half().Max(Exactly(0))
}

func (a Ball) asinh() Ball { // of a number: ±log(|v| + √(v² + 1))
	if a.Lo.Sign() < 0 {
		return a.Neg().asinh().Neg()
	}
	return a.Square().Add(Exactly(1)).Sqrt().Add(a).Log()
}

// taylor is Σ of terms, the first one given and term n made of the one before by next, to guard
// bits.
func taylor(first *big.Float, next func(term *big.Float, n int)) *big.Float {
	sum, term := series().Set(first), series().Set(first)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-guard; n++ {
		next(term, n)
		sum.Add(sum, term)
	}
	return sum
}

// odd is Σ z·squareⁿ/(2n + 1): atan z for −z², artanh z for z².
func odd(z, square *big.Float) *big.Float {
	power := series().Set(z)
	return taylor(z, func(term *big.Float, n int) { term.Quo(power.Mul(power, square), integer(2*n+1)) })
}

func artanh2(z *big.Float) *big.Float { return series().SetMantExp(odd(z, series().Mul(z, z)), 1) }

// enclosed is a number as a ball.
func enclosed(x *big.Float) Ball { return Ball{Lower().Set(x), Upper().Set(x)}.wider() }

func (a Ball) atan() Ball { // of a number; the half of an angle has the tangent x/(1 + √(1 + x²))
	z := series().Set(a.Lo)
	const halves = 5
	for range halves {
		root := series().Mul(z, z)
		root.Add(root, integer(1))
		z.Quo(z, root.Add(root.Sqrt(root), integer(1)))
	}
	sum := odd(z, series().Neg(series().Mul(z, z)))
	return enclosed(sum.SetMantExp(sum, halves))
}

// erf of a number is 2/√π·e^(−x²)·Σ 2ⁿ·x^(2n+1)/(1·3···(2n + 1)). Source: DLMF 7.6.2. From 30 on it
// is 1 to 1300 bits.
func (a Ball) erf() Ball {
	x := series().Set(a.Lo)
	if most := integer(30); series().Abs(x).Cmp(most) > 0 {
		x.Mul(most, integer(x.Sign()))
	}
	square := series().Mul(x, x)
	sum := taylor(x, func(term *big.Float, n int) {
		term.Quo(term.Mul(term, series().SetMantExp(square, 1)), integer(2*n+1))
	})
	sum.Quo(sum.Mul(sum, expOf(series().Neg(square))), series().Sqrt(series().Set(pi())))
	return enclosed(sum.SetMantExp(sum, 1))
}

// piBits is the precision of π: beside the largest multiples of it that are float64 numbers are
// left guard bits and more.
const piBits = 1024 + 2*guard

// piDigits is π. Source: derived: 16·atan(1/5) − 4·atan(1/239), as TestPi has it.
const piDigits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803" +
	"4825342117067982148086513282306647093844609550582231725359408128481117450284102701938521" +
	"1055596446229489549303819644288109756659334461284756482337867831652712019091456485669234" +
	"6034861045432664821339360726024914127372458700660631558817488152092096282925409171536436" +
	"7892590360011330530548820466521384146951941511609433057270365759591953092186117381932611" +
	"793105118548074462379962749567351885752724891227938183011949129833"

func pi() *big.Float {
	p, _, _ := big.ParseFloat(piDigits, 10, piBits, big.ToNearestEven)
	return p
}

// quarter is x as r + k·π/2 with a small r.
func quarter(x *big.Float) (r *big.Float, k *big.Int) {
	if x.IsInf() || x.MantExp(nil) > 1024 {
		Fail("an angle of %.3g is out of range", x)
	}
	half := new(big.Float).SetMantExp(pi(), -1)
	at := new(big.Float).SetPrec(piBits).Quo(x, half)
	at.Add(at, big.NewFloat(0.5))
	if k, _ = at.Int(nil); at.Sign() < 0 {
		k.Sub(k, big.NewInt(1))
	}
	r = new(big.Float).SetPrec(piBits).SetInt(k)
	return series().Set(r.Sub(x, r.Mul(r, half))), k
}

// waveOf is sin(x + q·π/2).
func waveOf(x *big.Float, q int) Ball {
	r, k := quarter(x)
	turn := (int(2*k.Bit(1)+k.Bit(0)) + q) % 4
	first, odd := r, 1
	if turn%2 == 1 {
		first, odd = integer(1), 0
	}
	square := series().Neg(series().Mul(r, r))
	out := enclosed(taylor(first, func(term *big.Float, n int) {
		term.Quo(term.Mul(term, square), integer((2*n+odd)*(2*n+odd-1)))
	}))
	if turn >= 2 {
		return out.Neg()
	}
	return out
}

// wave is the image by sin(x + q·π/2), whose slopes are at most 1.
func (a Ball) wave(q int) Ball {
	out, one := waveOf(a.Lo, q).Wide(Upper().Sub(a.Hi, a.Lo)), Exactly(1)
	if out.Hi.Cmp(one.Hi) > 0 {
		out.Hi = one.Hi
	}
	return out.Max(one.Neg())
}

func (a Ball) tan(_ float64) Ball {
	branch := func(x *big.Float) *big.Int { // of the one around 0: 0
		r, k := quarter(x)
		if k.Bit(0) == 1 && r.Sign() < 0 {
			k.Sub(k, big.NewInt(1))
		}
		return k.Rsh(k.Add(k, big.NewInt(1)), 1)
	}
	if branch(a.Lo).Cmp(branch(a.Hi)) != 0 {
		Outside("tan")
	}
	return increasing(func(x Ball) Ball { return waveOf(x.Lo, 0).Mul(waveOf(x.Lo, 1).Inverse()) })(a, 0)
}
