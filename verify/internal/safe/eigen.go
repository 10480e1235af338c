package safe

import (
	"fmt"
	"math/big"
	"slices"
)

// mostOrder bounds the order of matrices whose eigenvalues are computed.
// Source: a limit of time, some seconds.
const mostOrder = 40

// Eigenvalues of a symmetric matrix of order n, ascending: Jacobi's rotations at the
// middles, to diagonal dominance; each is within the norm of the rest and of the radii
// (Weyl). The error of the rotations is far below the margin.
func Eigenvalues(a []Ball, n int) []Ball {
	if n > mostOrder {
		panic(Fault{fmt.Errorf("a matrix of order %d is too large for verified eigenvalues", n)})
	}
	const guard = bits + 128
	num := func() *big.Float { return new(big.Float).SetPrec(guard) }
	add := func(x, y *big.Float) *big.Float { return num().Add(x, y) }
	mul := func(x, y *big.Float) *big.Float { return num().Mul(x, y) }
	m := make([][]*big.Float, n)
	radius, scale := Upper(), Upper()
	for i := range n {
		m[i] = make([]*big.Float, n)
		for j := range n {
			s := a[i*n+j].Add(a[j*n+i])
			m[i][j] = mul(add(s.Lo, s.Hi), big.NewFloat(0.25))
			w := Upper().Sub(s.Hi, s.Lo)
			radius.Add(radius, w.Mul(w, big.NewFloat(0.5)))
			scale.Add(scale, Upper().Abs(m[i][j]))
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
	rest := Upper().Set(radius)
	for i := range n {
		for j := range n {
			if i != j {
				rest.Add(rest, Upper().Abs(m[i][j]))
			}
		}
	}
	rest.Add(rest, Upper().SetMantExp(scale, margin))
	out := make([]Ball, n)
	for k := range out {
		out[k] = Ball{Lower().Sub(m[k][k], rest), Upper().Add(m[k][k], rest)}
	}
	slices.SortFunc(out, func(x, y Ball) int { return x.Lo.Cmp(y.Lo) })
	return out
}

// MatFrac is the trace of XᵀP⁻¹X by interval elimination; P is positive definite where all
// pivots are positive.
func MatFrac(p, x []Ball, n, k int) Ball {
	p, x = slices.Clone(p), slices.Clone(x)
	out := Exactly(0)
	for i := range n {
		pivot := p[i*n+i]
		if pivot.Lo.Sign() <= 0 {
			Outside("matfrac")
		}
		inv := pivot.Inverse()
		for c := range k {
			out = out.Add(x[i*k+c].Square().Mul(inv))
		}
		for j := i + 1; j < n; j++ {
			f := p[j*n+i].Mul(inv)
			for l := i; l < n; l++ {
				p[j*n+l] = p[j*n+l].Sub(f.Mul(p[i*n+l]))
			}
			for c := range k {
				x[j*k+c] = x[j*k+c].Sub(f.Mul(x[i*k+c]))
			}
		}
	}
	return out
}
