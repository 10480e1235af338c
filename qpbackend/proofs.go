package qpbackend

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// rounding bounds the relative error of the sums below: each is counted as if
// its terms had been off by so much.
// Source: derived: nine unit roundoffs, for sums of terms that were themselves
// rounded.
const rounding = 1e-15

// PrimalInfeasibility is the worth of (y, z) as a proof that no point meets the rows and the
// bounds; z are multipliers of bounds, nil for zeros. It is ε = ‖Aᵀŷ + ẑ‖∞ / min(−S(ŷ, ẑ), T), or
// +Inf where S ≥ 0, T the largest of |aᵢⱼŷᵢ|, |ẑⱼ| and, of rows without entries, |ŷᵢ|, with S(y, z)
// the sum of u[i]·y[i] over y[i] > 0 and l[i]·y[i] over y[i] < 0 (and over cones), and of
// hi[j]·z[j] and lo[j]·z[j] likewise. Every feasible point then has ‖x‖₁ ≥ 1/ε. Where the sides are
// large, so are the feasible points, and that alone proves nothing: therefore the residual is
// relative to T, too, the largest term of its sums.
//
// Here ŷ is y, repaired where it says nothing: entries on the side of an absent
// bound are set to zero, and in a cone y moves to the nearest point of the polar;
// likewise ẑ. It is they that prove; how far y was from ŷ does not matter, but
// where it moved in a cone, each of the cone's entries counts as being off by the
// rounding of the largest.
//
// The bound of the rounding errors of the sums counts against the proof: terms
// that cancel to the last digit prove nothing.
func PrimalInfeasibility(p *Problem, y, z []float64) float64 {
	n, m := p.Dims()
	bad := make([]float64, m)
	ŷ := append([]float64(nil), y...)
	s := support(context.Background(), p, ŷ, bad)
	size, weight := 0.0, make([]float64, m) // of the terms of s, of the entries of ŷ
	rows(p, func(i int) {
		if bad[i] != 0 {
			ŷ[i] = 0
		}
		weight[i] = math.Abs(ŷ[i])
		switch {
		case ŷ[i] > 0:
			size += math.Abs(ŷ[i] * p.U[i])
		case ŷ[i] < 0:
			size += math.Abs(ŷ[i] * p.L[i])
		}
	}, func(c Cone) {
		end := c.Start + c.Len
		moved := num.NormInf(bad[c.Start:end]) != 0
		top := num.NormInf(y[c.Start:end])
		for i := c.Start; i < end; i++ {
			if weight[i] = math.Abs(y[i]); moved {
				ŷ[i] -= bad[i]
				s -= bad[i] * p.L[i]
				weight[i] = top
			}
			size += weight[i] * math.Abs(p.L[i])
		}
	})
	aty, sizes, top := make([]float64, n), make([]float64, n), make([]float64, m)
	zBad, largest := sizes, 0.0
	s += linear(z, p.Lo, p.Hi, zBad)
	for j, v := range z {
		if zBad[j] != 0 {
			v = 0
		}
		lo, hi := p.Bounds(j)
		switch {
		case v > 0:
			size += v * math.Abs(hi)
		case v < 0:
			size -= v * math.Abs(lo)
		}
		aty[j], sizes[j] = v, math.Abs(v)
		largest = max(largest, sizes[j])
	}
	s += rounding * size
	if !(s < 0) {
		return math.Inf(1)
	}
	if p.A != nil {
		p.A.AddMulVecT(aty, 1, ŷ)
		for j := range sizes {
			for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
				i, v := p.A.RowIdx[k], math.Abs(p.A.Val[k])
				sizes[j] += v * weight[i]
				top[i] = max(top[i], v)
			}
		}
	}
	for i, v := range top {
		if v == 0 {
			v = 1
		}
		largest = max(largest, v*weight[i])
	}
	return num.NormInf(withRounding(aty, sizes)) / min(-s, largest)
}

// withRounding adds to each sum, in size, the bound of its rounding error.
func withRounding(sum, size []float64) []float64 {
	for j, v := range sum {
		sum[j] = math.Abs(v) + rounding*size[j]
	}
	return sum
}

// DualInfeasibility is the worth of the direction d as a proof that the objective is unbounded
// below wherever it is feasible: it is the largest entry of Pd, divided by −qᵀd, and of the
// distance of Ad and d from the directions in which the rows and the bounds stay met, divided by
// min(−qᵀd, ‖aᵢ‖∞‖d‖∞), aᵢ the row (of a cone its largest) or 1 for a bound; +Inf where qᵀd ≥ 0.
// Rounding counts against the proof, as in PrimalInfeasibility. A row of small entries that d
// breaks counts as one of large entries does.
func DualInfeasibility(p *Problem, d []float64) float64 {
	n, m := p.Dims()
	pd, ad := make([]float64, n), make([]float64, m)
	pSize, aSize, top := make([]float64, n), make([]float64, m), make([]float64, m)
	qd, largest := 0.0, num.NormInf(d)
	for j, q := range p.Q {
		qd += q*d[j] + rounding*math.Abs(q*d[j])
	}
	if !(qd < 0) {
		return math.Inf(1)
	}
	if p.P != nil {
		p.P.AddSymMulVec(pd, 1, d)
		for j := range n {
			for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
				i, v := p.P.RowIdx[k], math.Abs(p.P.Val[k])
				pSize[i] += v * math.Abs(d[j])
				if i != j {
					pSize[j] += v * math.Abs(d[i])
				}
			}
		}
	}
	if p.A != nil {
		p.A.AddMulVec(ad, 1, d)
		for j := range n {
			for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
				i, v := p.A.RowIdx[k], math.Abs(p.A.Val[k])
				aSize[i] += v * math.Abs(d[j])
				top[i] = max(top[i], v*largest)
			}
		}
	}
	worst, off := num.NormInf(withRounding(pd, pSize))/-qd, 0.0
	for j, v := range d {
		lo, hi := p.Bounds(j)
		if hi < Infinity {
			off = max(off, v)
		}
		if lo > -Infinity {
			off = max(off, -v)
		}
	}
	worst = max(worst, off/min(-qd, largest))
	rows(p, func(i int) {
		size := min(-qd, top[i]+math.SmallestNonzeroFloat64) // rows without entries are off by 0
		if p.U[i] < Infinity {
			worst = max(worst, (ad[i]+rounding*aSize[i])/size)
		}
		if p.L[i] > -Infinity {
			worst = max(worst, (rounding*aSize[i]-ad[i])/size)
		}
	}, func(c Cone) {
		// The distance changes by no more than the point does.
		s, z := ad[c.Start:c.Start+c.Len], make([]float64, c.Len)
		nearest(context.Background(), c, z, s)
		hidden, off := 0.0, 0.0
		for i := range s {
			hidden = math.Hypot(hidden, aSize[c.Start+i])
		}
		for i := range s {
			off = max(off, math.Abs(s[i]-z[i])+rounding*hidden)
		}
		worst = max(worst, off/min(-qd, num.NormInf(top[c.Start:c.Start+c.Len])+math.SmallestNonzeroFloat64))
	})
	return worst
}
