package verify

import (
	"fmt"
	"math/big"
	"slices"
)

// mostOrder bounds the order of matrices whose eigenvalues are computed.
// Source: a limit of time, some seconds.
const mostOrder = 40

// ofMatrix is a function of a matrix, by its eigenvalues.
func (e *expr) ofMatrix(a []ball) ball {
	switch e.op {
	case opEigen:
		ev := eigenvalues(a, e.k)
		slices.Reverse(ev)
		out := exactly(0)
		for _, v := range ev[:min(len(ev), int(e.num))] {
			out = out.add(v)
		}
		return out
	case opLogDet:
		out := exactly(0)
		for _, v := range eigenvalues(a, e.k) {
			if v.lo.Sign() <= 0 {
				outside("logdet")
			}
			out = out.add(v.log())
		}
		return out
	case opSingular, opNuclear: // the eigenvalues of AᵀA are the squares
		m := e.k
		n := len(a) / m
		if n > m {
			t := make([]ball, len(a))
			for i := range m {
				for j := range n {
					t[j*m+i] = a[i*n+j]
				}
			}
			a, m, n = t, n, m
		}
		gram := make([]ball, n*n)
		for i := range n {
			for j := range n {
				s := exactly(0)
				for k := range m {
					s = s.add(a[k*n+i].mul(a[k*n+j]))
				}
				gram[i*n+j] = s
			}
		}
		ev := eigenvalues(gram, n)
		if e.op == opSingular {
			return ev[n-1].sqrt()
		}
		out := exactly(0)
		for _, v := range ev {
			out = out.add(ball{v.lo, v.hi}.max(exactly(0)).sqrt())
		}
		return out
	case opMatFrac: // Σ over columns of xᵀP⁻¹x, by the solution of P·Z = X
		return matFrac(a[:e.k*e.k], a[e.k*e.k:], e.k, int(e.num))
	}
	panic(fault{fmt.Errorf("an operation that verify does not know")})
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
	m := make([][]*big.Float, n)
	radius, scale := upper(), upper()
	half := big.NewFloat(0.5)
	for i := range n {
		m[i] = make([]*big.Float, n)
		for j := range n {
			x, y := a[i*n+j], a[j*n+i]
			s := x.add(y)
			m[i][j] = num().Add(s.lo, s.hi)
			m[i][j].Mul(m[i][j], big.NewFloat(0.25))
			w := upper().Sub(s.hi, s.lo)
			radius.Add(radius, w.Mul(w, half))
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
		small := num().SetMantExp(num().Set(scale), 2*margin/2)
		if off.Cmp(small) <= 0 {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if m[p][q].Sign() == 0 {
					continue
				}
				θ := num().Sub(m[q][q], m[p][p])
				θ.Quo(θ, num().Add(m[p][q], m[p][q]))
				t := num().Sqrt(num().Add(num().Mul(θ, θ), one))
				t.Add(t, num().Abs(θ))
				t.Quo(one, t)
				if θ.Sign() < 0 {
					t.Neg(t)
				}
				c := num().Quo(one, num().Sqrt(num().Add(num().Mul(t, t), one)))
				s := num().Mul(t, c)
				for k := range n {
					x, y := m[k][p], m[k][q]
					m[k][p] = num().Sub(num().Mul(c, x), num().Mul(s, y))
					m[k][q] = num().Add(num().Mul(s, x), num().Mul(c, y))
				}
				for k := range n {
					x, y := m[p][k], m[q][k]
					m[p][k] = num().Sub(num().Mul(c, x), num().Mul(s, y))
					m[q][k] = num().Add(num().Mul(s, x), num().Mul(c, y))
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
