package verify

import (
	"fmt"
	"math/big"
	"slices"
)

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
