package problems

import (
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Triangle is the number of rows of a semidefinite cone of an order.
func Triangle(order int) int { return order * (order + 1) / 2 }

// orderOf is the order of a semidefinite cone of n rows.
func orderOf(n int) int {
	k := 0
	for Triangle(k) < n {
		k++
	}
	return k
}

// position says where on a cone a complementary pair lies.
type position uint8

const (
	inPrimal   position = iota // s inside, y = 0
	atApex                     // s = 0, −y inside the dual cone
	onBoundary                 // both on the boundary and not zero, where the cone has room for it
)

// pair draws s in the cone and y in its polar, orthogonal and strictly
// complementary.
func pair(rng *rand.Rand, c qpbackend.Cone, at position) (s, y []float64) {
	narrow := c.Len == 1
	switch {
	case at == inPrimal || at == onBoundary && narrow && rng.IntN(2) == 0:
		return InsidePoint(rng, c), make([]float64, c.Len)
	case at == atApex || narrow:
		return make([]float64, c.Len), polarPoint(rng, c)
	}
	switch c.Kind {
	case qpbackend.SecondOrder:
		s, y = make([]float64, c.Len), make([]float64, c.Len)
		for i := range s {
			s[i] = rng.NormFloat64() / math.Sqrt(float64(c.Len))
		}
		s[0] = 0
		s[1] += math.Copysign(0.2, s[1])
		r, b := num.Norm2(s), 0.3+rng.Float64()
		for i := range s {
			y[i] = b * s[i]
		}
		s[0], y[0] = r, -b*r
		return s, y
	case qpbackend.Exponential:
		ρ, a, b := rng.NormFloat64(), 0.3+rng.Float64(), 0.3+rng.Float64()
		return []float64{a * ρ, a, a * math.Exp(ρ)}, []float64{b, b * (1 - ρ), -b * math.Exp(-ρ)}
	case qpbackend.Power:
		u, v, b := 0.3+rng.Float64(), 0.3+rng.Float64(), 0.3+rng.Float64()
		w := math.Pow(u, c.Alpha) * math.Pow(v, 1-c.Alpha)
		sign := float64(2*rng.IntN(2) - 1)
		return []float64{u, v, sign * w}, []float64{-b * c.Alpha * w / u, -b * (1 - c.Alpha) * w / v, sign * b}
	}
	k := orderOf(c.Len)
	rank := 1 + rng.IntN(k-1)
	s, y = make([]float64, c.Len), make([]float64, c.Len)
	for i, q := range orthonormal(rng, k) {
		if λ := 0.3 + rng.Float64(); i < rank {
			addSquare(s, q, λ)
		} else {
			addSquare(y, q, -λ)
		}
	}
	return s, y
}

// InsidePoint is well inside the cone, and of size 1.
func InsidePoint(rng *rand.Rand, c qpbackend.Cone) []float64 {
	v := make([]float64, c.Len)
	switch c.Kind {
	case qpbackend.SecondOrder:
		for i := range v {
			v[i] = rng.NormFloat64() / math.Sqrt(float64(c.Len))
		}
		v[0] = 0
		v[0] = num.Norm2(v)*(1.2+rng.Float64()) + 0.3
	case qpbackend.Exponential:
		ρ, a := rng.NormFloat64(), 0.3+rng.Float64()
		v[0], v[1], v[2] = a*ρ, a, a*math.Exp(ρ)*(1.2+rng.Float64())
	case qpbackend.Power:
		v[0], v[1] = 0.3+rng.Float64(), 0.3+rng.Float64()
		v[2] = 0.8 * (2*rng.Float64() - 1) * math.Pow(v[0], c.Alpha) * math.Pow(v[1], 1-c.Alpha)
	case qpbackend.Semidefinite:
		for _, q := range orthonormal(rng, orderOf(c.Len)) {
			addSquare(v, q, 0.3+rng.Float64())
		}
	}
	return v
}

// polarPoint is well inside the polar of the cone.
func polarPoint(rng *rand.Rand, c qpbackend.Cone) []float64 {
	if c.Kind == qpbackend.Exponential {
		ρ, b := rng.NormFloat64(), 0.3+rng.Float64()
		return []float64{b, b * (1 - ρ), -b * math.Exp(-ρ) * (1.2 + rng.Float64())}
	}
	v := InsidePoint(rng, c)
	for i := range v {
		v[i] = -v[i]
	}
	if c.Kind == qpbackend.Power {
		v[0], v[1] = v[0]*c.Alpha, v[1]*(1-c.Alpha)
	}
	return v
}

// orthonormal is a random orthonormal basis, by Gram and Schmidt, twice.
func orthonormal(rng *rand.Rand, k int) [][]float64 {
	q := make([][]float64, k)
	for i := range q {
		q[i] = make([]float64, k)
		for j := range q[i] {
			q[i][j] = rng.NormFloat64()
		}
		for range 2 {
			for _, e := range q[:i] {
				d := num.Dot(e, q[i])
				for j := range e {
					q[i][j] -= d * e[j]
				}
			}
		}
		r := num.Norm2(q[i])
		for j := range q[i] {
			q[i][j] /= r
		}
	}
	return q
}

// addSquare adds λ·qqᵀ to a scaled triangle.
func addSquare(v, q []float64, λ float64) {
	at := 0
	for j := range q {
		for i := range j {
			v[at] += math.Sqrt2 * λ * q[i] * q[j]
			at++
		}
		v[at] += λ * q[j] * q[j]
		at++
	}
}
