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

func lower() *big.Float { return newFloat(big.ToNegativeInf) }
func upper() *big.Float { return newFloat(big.ToPositiveInf) }

func exactly(v float64) ball { return ball{lower().SetFloat64(v), upper().SetFloat64(v)} }

func (a ball) add(b ball) ball { return ball{lower().Add(a.lo, b.lo), upper().Add(a.hi, b.hi)} }

func (a ball) neg() ball { return ball{lower().Neg(a.hi), upper().Neg(a.lo)} }

func (a ball) sub(b ball) ball { return a.add(b.neg()) }

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

func outside(what string) { panic(fault{domainError{what}}) }

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
	z := new(big.Float).SetPrec(guard).Set(x)
	k := max(0, z.MantExp(nil)+10)
	z.SetMantExp(z, -k)
	sum, term := big.NewFloat(1).SetPrec(guard), big.NewFloat(1).SetPrec(guard)
	for n := 1; n < 60; n++ { // (2^−10)^60/60! is far below 2^−guard
		term.Mul(term, z)
		term.Quo(term, new(big.Float).SetPrec(guard).SetInt64(int64(n)))
		sum.Add(sum, term)
	}
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
	case p == 0:
		return exactly(1)
	case p == 1:
		return a
	case p == 2:
		return a.square()
	case p == 0.5:
		return a.sqrt()
	case p == -1:
		if a.lo.Sign() <= 0 {
			outside("a power")
		}
		return a.inverse()
	case p == math.Trunc(p) && p > 0 && p < 1e6:
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

// mostOrder bounds the order of matrices whose eigenvalues are computed.
// Source: a limit of time, some seconds.
const mostOrder = 40

// ofMatrix is a function of a matrix, all but one by its eigenvalues.
func (e *expr) ofMatrix(a []ball) ball {
	if e.op == opMatFrac { // Σ over columns of xᵀP⁻¹x, by the solution of P·Z = X
		return matFrac(a[:e.k*e.k], a[e.k*e.k:], e.k, int(e.num))
	}
	ev := eigenvalues(a, e.k)
	slices.Reverse(ev)
	if e.op == opEigen {
		ev = ev[:min(len(ev), int(e.num))]
	}
	return sumOfAll(ev, func(v ball) ball {
		switch e.op {
		case opLogDet:
			if v.lo.Sign() <= 0 {
				outside("logdet")
			}
			return v.log()
		case opRoots:
			return v.max(exactly(0)).sqrt()
		}
		return v
	})
}

// eigenvalues of a symmetric matrix of order n, ascending: Jacobi's rotations at the
// middles, to diagonal dominance; each is within the norm of the rest and of the radii
// (Weyl). The error of the rotations is far below the margin.
func eigenvalues(a []ball, n int) []ball {
	if n > mostOrder {
		panic(fault{fmt.Errorf("a matrix of order %d is too large for verified eigenvalues", n)})
	}
	const guard = bits + 128
	num := func() *big.Float { return new(big.Float).SetPrec(guard) }
	add := func(x, y *big.Float) *big.Float { return num().Add(x, y) }
	mul := func(x, y *big.Float) *big.Float { return num().Mul(x, y) }
	m := make([][]*big.Float, n)
	radius, scale := upper(), upper()
	for i := range n {
		m[i] = make([]*big.Float, n)
		for j := range n {
			s := a[i*n+j].add(a[j*n+i])
			m[i][j] = mul(add(s.lo, s.hi), big.NewFloat(0.25))
			w := upper().Sub(s.hi, s.lo)
			radius.Add(radius, w.Mul(w, big.NewFloat(0.5)))
			scale.Add(scale, upper().Abs(m[i][j]))
		}
	}
	one := num().SetInt64(1)
	for range 60 {
		off := num()
		for i := range n {
			for j := range i {
				off.Add(off, num().Abs(m[i][j]))
			}
		}
		if off.Cmp(num().SetMantExp(scale, margin)) <= 0 {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if m[p][q].Sign() == 0 {
					continue
				}
				θ := num().Sub(m[q][q], m[p][p])
				θ.Quo(θ, add(m[p][q], m[p][q]))
				t := num().Sqrt(add(mul(θ, θ), one))
				t.Quo(one, t.Add(t, num().Abs(θ)))
				if θ.Sign() < 0 {
					t.Neg(t)
				}
				c := num().Quo(one, num().Sqrt(add(mul(t, t), one)))
				s := mul(t, c)
				rotate := func(x, y **big.Float) {
					*x, *y = num().Sub(mul(c, *x), mul(s, *y)), add(mul(s, *x), mul(c, *y))
				}
				for k := range n {
					rotate(&m[k][p], &m[k][q])
				}
				for k := range n {
					rotate(&m[p][k], &m[q][k])
				}
			}
		}
	}
	rest := upper().Set(radius)
	for i := range n {
		for j := range n {
			if i != j {
				rest.Add(rest, upper().Abs(m[i][j]))
			}
		}
	}
	rest.Add(rest, upper().SetMantExp(scale, margin))
	out := make([]ball, n)
	for k := range out {
		out[k] = ball{lower().Sub(m[k][k], rest), upper().Add(m[k][k], rest)}
	}
	slices.SortFunc(out, func(x, y ball) int { return x.lo.Cmp(y.lo) })
	return out
}

// matFrac is the trace of XᵀP⁻¹X by interval elimination; P is positive definite where all
// pivots are positive.
func matFrac(p, x []ball, n, k int) ball {
	p, x = slices.Clone(p), slices.Clone(x)
	out := exactly(0)
	for i := range n {
		pivot := p[i*n+i]
		if pivot.lo.Sign() <= 0 {
			outside("matfrac")
		}
		inv := pivot.inverse()
		for c := range k {
			out = out.add(x[i*k+c].square().mul(inv))
		}
		for j := i + 1; j < n; j++ {
			f := p[j*n+i].mul(inv)
			for l := i; l < n; l++ {
				p[j*n+l] = p[j*n+l].sub(f.mul(p[i*n+l]))
			}
			for c := range k {
				x[j*k+c] = x[j*k+c].sub(f.mul(x[i*k+c]))
			}
		}
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
