package qpbackend

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Residuals say how far a primal-dual pair is from optimal, each in the largest
// entry and relative to max(1, the norms of what is compared).
type Residuals struct {
	// Primal is ‖Ax − z‖ / max(1, ‖Ax‖, ‖z‖), z the point nearest to Ax that
	// meets the rows.
	Primal float64
	// Dual is ‖Px + q + Aᵀy‖ / max(1, ‖Px‖, ‖q‖, ‖Aᵀy‖), or, if larger,
	// the part of y on the side of an absent bound (in a cone: its distance
	// from the dual cone) / max(1, ‖y‖).
	Dual float64
	// Gap is |primal − dual objective| / max(1, |primal|, |dual|), with
	// dual objective −½ xᵀPx − S(y) + r and S(y) as in PrimalInfeasibility.
	Gap float64
}

// Max is the largest of the three.
func (r Residuals) Max() float64 { return max(r.Primal, r.Dual, r.Gap) }

// Certify measures (x, y) on p. It is the only place where residuals come from.
// NaN in x or y gives NaN or +Inf residuals. For exponential, power and
// semidefinite cones the distances are not measured and the result is NaN.
func Certify(p *Problem, x, y []float64) Residuals {
	n, m := p.Dims()
	work := make([]float64, 2*n+2*m)
	return certify(p, x, y, work)
}

// CertifyWork is Certify without allocation: len(work) ≥ 2n + 2m.
func CertifyWork(p *Problem, x, y, work []float64) Residuals {
	n, m := p.Dims()
	return certify(p, x, y, work[:2*n+2*m])
}

func certify(p *Problem, x, y, work []float64) Residuals {
	n, m := p.Dims()
	for i := range work {
		work[i] = 0
	}
	px, aty, ax, yBad := work[:n], work[n:2*n], work[2*n:2*n+m], work[2*n+m:]
	if p.P != nil {
		p.P.AddSymMulVec(px, 1, x)
	}
	if p.A != nil {
		addBoth(p.A, ax, aty, x, y)
	}

	var primal, axNorm, zNorm float64
	rows(p, func(i int) {
		z := min(max(ax[i], p.L[i]), p.U[i])
		primal = max(primal, math.Abs(ax[i]-z))
		axNorm, zNorm = max(axNorm, math.Abs(ax[i])), max(zNorm, math.Abs(z))
	}, func(c Cone) {
		d, norm := coneDistance(p, c, ax)
		primal = max(primal, d)
		axNorm = max(axNorm, norm)
	})

	s := support(p, y, yBad)
	var dual, pxNorm, qNorm, atyNorm, xPx, qx float64
	for j := range n {
		dual = max(dual, math.Abs(px[j]+p.Q[j]+aty[j]))
		pxNorm, qNorm = max(pxNorm, math.Abs(px[j])), max(qNorm, math.Abs(p.Q[j]))
		atyNorm = max(atyNorm, math.Abs(aty[j]))
		xPx += x[j] * px[j]
		qx += x[j] * p.Q[j]
	}
	dual /= max(1, pxNorm, qNorm, atyNorm)
	dual = max(dual, normInf(yBad)/max(1, normInf(y)))
	pObj, dObj := xPx/2+qx, -xPx/2-s
	return Residuals{
		Primal: primal / max(1, axNorm, zNorm),
		Dual:   dual,
		Gap:    math.Abs(pObj-dObj) / max(1, math.Abs(pObj+p.R), math.Abs(dObj+p.R)),
	}
}

// addBoth adds A·x to ax and Aᵀ·y to aty, in one pass over A.
func addBoth(a *sparse.CSC, ax, aty, x, y []float64) {
	for j, lo := range a.ColPtr[:a.Cols] {
		hi := a.ColPtr[j+1]
		xj, sum := x[j], 0.0
		val := a.Val[lo:hi]
		for k, i := range a.RowIdx[lo:hi] {
			ax[i] += val[k] * xj
			sum += val[k] * y[i]
		}
		aty[j] += sum
	}
}

// rounding bounds the relative error of the sums below: each is counted as if
// its terms had been off by so much.
const rounding = 1e-15

// PrimalInfeasibility is the worth of y as a proof that no x meets the rows: it
// is ε = ‖Aᵀŷ‖∞ / −S(ŷ), or +Inf where S(ŷ) ≥ 0. Here ŷ is y with its entries
// on the side of an absent bound set to zero and S(y) the sum of u[i]·y[i] over
// y[i] > 0 and l[i]·y[i] over y[i] < 0 (and over cones). Every feasible point
// then has ‖x‖₁ ≥ 1/ε. In a cone, y must lie in the cone's polar, or the worth
// is +Inf.
//
// What rounding may have hidden in the sums counts against the proof: terms
// that cancel to the last digit prove nothing.
func PrimalInfeasibility(p *Problem, y []float64) float64 {
	n, m := p.Dims()
	bad := make([]float64, m)
	ŷ := append([]float64(nil), y...)
	s := support(p, ŷ, bad)
	size := 0.0 // of the terms of s
	for i, b := range bad {
		if inCone(p, i) && b > 1e-12*normInf(y) {
			return math.Inf(1)
		}
		switch {
		case b != 0:
			ŷ[i] = 0
		case ŷ[i] > 0 && !inCone(p, i):
			size += math.Abs(ŷ[i] * p.U[i])
		case ŷ[i] != 0:
			size += math.Abs(ŷ[i] * p.L[i])
		}
	}
	s += rounding * size
	if !(s < 0) {
		return math.Inf(1)
	}
	aty, sizes := make([]float64, n), make([]float64, n)
	if p.A != nil {
		p.A.AddMulVecT(aty, 1, ŷ)
		for j := range sizes {
			for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
				sizes[j] += math.Abs(p.A.Val[k] * ŷ[p.A.RowIdx[k]])
			}
		}
	}
	return normInf(withRounding(aty, sizes)) / -s
}

// withRounding adds to each sum, in size, what rounding may have hidden.
func withRounding(sum, size []float64) []float64 {
	for j, v := range sum {
		sum[j] = math.Abs(v) + rounding*size[j]
	}
	return sum
}

// DualInfeasibility is the worth of the direction d as a proof that the
// objective is unbounded below wherever it is feasible: it is the largest entry
// of Pd and of the distance of Ad from the directions in which the rows stay
// met, divided by −qᵀd; +Inf where qᵀd ≥ 0. Rounding counts against the proof,
// as in PrimalInfeasibility.
func DualInfeasibility(p *Problem, d []float64) float64 {
	n, m := p.Dims()
	pd, ad := make([]float64, n), make([]float64, m)
	pSize, aSize := make([]float64, n), make([]float64, m)
	qd := 0.0
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
				aSize[p.A.RowIdx[k]] += math.Abs(p.A.Val[k] * d[j])
			}
		}
	}
	worst := normInf(withRounding(pd, pSize))
	rows(p, func(i int) {
		if p.U[i] < Infinity {
			worst = max(worst, ad[i]+rounding*aSize[i])
		}
		if p.L[i] > -Infinity {
			worst = max(worst, -ad[i]+rounding*aSize[i])
		}
	}, func(c Cone) {
		homogeneous := &Problem{L: make([]float64, m)}
		dist, _ := coneDistance(homogeneous, c, ad)
		worst = max(worst, dist)
	})
	return worst / -qd
}

// support returns S(y); bad receives, a row, the size of what keeps y out of
// the domain of S. That part does not enter the sum.
func support(p *Problem, y, bad []float64) float64 {
	s := 0.0
	rows(p, func(i int) {
		switch {
		case y[i] > 0 && p.U[i] < Infinity:
			s += y[i] * p.U[i]
		case y[i] < 0 && p.L[i] > -Infinity:
			s += y[i] * p.L[i]
		default:
			bad[i] = math.Abs(y[i])
		}
		if math.IsNaN(y[i]) {
			s = math.NaN()
		}
	}, func(c Cone) {
		neg := make([]float64, len(y))
		for i := c.Start; i < c.Start+c.Len; i++ {
			s += y[i] * p.L[i]
			neg[i] = -y[i]
		}
		// The second-order cone is its own dual.
		bad[c.Start], _ = coneDistance(&Problem{L: make([]float64, len(y))}, c, neg)
	})
	return s
}

// rows calls row for each interval row and cone for each cone, in order.
func rows(p *Problem, row func(i int), cone func(c Cone)) {
	i := 0
	for _, c := range p.Cones {
		for ; i < c.Start; i++ {
			row(i)
		}
		cone(c)
		i = c.Start + c.Len
	}
	for m := len(p.L); i < m; i++ {
		row(i)
	}
}

func inCone(p *Problem, i int) bool {
	for _, c := range p.Cones {
		if i >= c.Start && i < c.Start+c.Len {
			return true
		}
	}
	return false
}

// coneDistance is the largest entry of s minus its projection on the cone,
// s = ax − l on the cone's rows, and the largest entry of s; NaN for a cone
// whose distance is not measured.
func coneDistance(p *Problem, c Cone, ax []float64) (dist, norm float64) {
	if c.Kind != SecondOrder {
		return math.NaN(), math.NaN()
	}
	t, sq := ax[c.Start]-p.L[c.Start], 0.0
	norm = math.Abs(t)
	tail := 0.0 // largest entry of the tail
	for i := c.Start + 1; i < c.Start+c.Len; i++ {
		e := ax[i] - p.L[i]
		sq += e * e
		tail = max(tail, math.Abs(e))
	}
	norm = max(norm, tail)
	r := math.Sqrt(sq)
	switch {
	case r <= t:
		return 0, norm
	case r <= -t: // the projection is the apex
		return norm, norm
	default:
		// The projection is (t+r)/2 · (1, tail/r).
		move := (r - t) / 2
		return max(move, move*tail/r), norm
	}
}

// normInf is NaN where v has a NaN.
func normInf(v []float64) float64 {
	top := 0.0
	for _, e := range v {
		if a := math.Abs(e); !(a <= top) { // a branch that is seldom taken beats max
			if a != a {
				return a
			}
			top = a
		}
	}
	return top
}
