package qpbackend

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/project"
)

// Residuals say how far a primal-dual pair is from optimal, each in the largest entry and relative
// to the norms of what is compared, or to u = Settings.Units if these are smaller. A row whose
// entries are all below 1 counts as if it were divided by the largest of them, as do its sides, and
// its multiplier as if it were multiplied by it; a cone's rows are one.
type Residuals struct {
	// Primal is ‖v − w‖ / max(u.Side, 1e-6·t, ‖v‖, ‖w‖), t the largest term of a sum, at most 1
	// where the norms are smaller, v = Ax with x of the bounded variables behind it and w the point
	// nearest to v that meets the rows and the bounds.
	Primal float64
	// Dual is ‖Px + q + Aᵀy + z‖ / max(u.Gradient, 1e-6·t, ‖Px‖, ‖q‖, ‖Aᵀy + z‖), or, if larger,
	// the part of y and z on the side of an absent bound (in a cone: its distance
	// from the dual cone) / max(u.Gradient, ‖y‖, ‖z‖).
	Dual float64
	// Gap is |primal − dual objective| / max(v, |primal|, |dual|), with v = u.Gap(xᵀPx + Σ|qⱼxⱼ|)
	// and dual objective −½ xᵀPx − S(y, z) + r and S as in PrimalInfeasibility.
	Gap float64
}

// Max is the largest of the three: NaN where one is.
func (r Residuals) Max() float64 { return max(r.Primal, r.Dual, r.Gap) }

// Certify measures (x, y, z) on p: z are the multipliers of the bounds of the
// variables, nil for zeros. It is the only place where residuals come from.
// NaN gives NaN or +Inf residuals. In a cone, the residual is the Euclidean
// distance: the largest entry of what separates the point from its projection.
func Certify(p *Problem, x, y, z []float64) Residuals {
	return Settings{}.Certify(context.Background(), p, nil, x, y, z, make([]float64, CertifyLen(p)))
}

// CertifyLen is the length of the workspace that Settings.Certify needs: 3n + 3m.
func CertifyLen(p *Problem) int {
	n, m := p.Dims()
	return 3*n + 3*m
}

// Certify is the function Certify in the units of s, within ctx: where that ends before the nearest
// points of large semidefinite cones are found, distances are those from the apex, which may be
// larger. rowSizes are those that RowSizes writes, nil to find them. len(work) ≥ CertifyLen(p);
// nothing is allocated, semidefinite cones of order above one aside.
func (s Settings) Certify(ctx context.Context, p *Problem, rowSizes, x, y, z, work []float64) Residuals {
	work = work[:CertifyLen(p)]
	n, m := p.Dims()
	for i := range work {
		work[i] = 0
	}
	px, aty, zBad, ax, yBad := work[:n], work[n:2*n], work[2*n:3*n], work[3*n:][:m], work[3*n+m:][:m]
	if rowSizes == nil {
		rowSizes = s.RowSizes(p, work[3*n+2*m:])
	}
	if p.P != nil {
		p.P.AddSymMulVec(px, 1, x)
	}
	if p.A != nil {
		p.A.AddMulBoth(ax, aty, x, y)
	}

	var primal, axNorm, zNorm float64
	stretches(p, func(from, to int) {
		l, u, size := p.L[from:to], p.U[from:to], rowSizes[from:to]
		off, vTop, zTop := 0.0, 0.0, 0.0
		for k, v := range ax[from:to] {
			z := min(max(v, l[k]), u[k])
			d, v, z := math.Abs(v-z), math.Abs(v), math.Abs(z)
			if size := size[k]; size < 1 {
				d, v, z = d/size, v/size, z/size
			}
			off, vTop, zTop = max(off, d), max(vTop, v), max(zTop, z)
		}
		primal, axNorm, zNorm = max(primal, off), max(axNorm, vTop), max(zNorm, zTop)
	}, func(c Cone) {
		v, w, size := ax[c.Start:c.Start+c.Len], yBad[c.Start:c.Start+c.Len], min(1, rowSizes[c.Start])
		for i, l := range p.L[c.Start : c.Start+c.Len] {
			axNorm = max(axNorm, math.Abs(v[i])/size)
			v[i] -= l
		}
		if !nearest(ctx, c, w, v) {
			clear(w)
		}
		for i, l := range p.L[c.Start : c.Start+c.Len] {
			primal = max(primal, math.Abs(v[i]-w[i])/size)
			zNorm = max(zNorm, math.Abs(l+w[i])/size)
		}
	})

	for j, v := range x {
		if lo, hi := p.Bounds(j); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			near := min(max(v, lo), hi)
			primal = max(primal, math.Abs(v-near))
			axNorm, zNorm = max(axNorm, math.Abs(v)), max(zNorm, math.Abs(near))
		}
	}
	for j, v := range z {
		aty[j] += v
	}

	support := support(ctx, p, y, yBad) + linear(z, p.Lo, p.Hi, zBad)
	var dual, pxNorm, qNorm, atyNorm, xPx, qx, qSize float64
	for j := range n {
		dual = max(dual, math.Abs(px[j]+p.Q[j]+aty[j]))
		pxNorm, qNorm = max(pxNorm, math.Abs(px[j])), max(qNorm, math.Abs(p.Q[j]))
		atyNorm = max(atyNorm, math.Abs(aty[j]))
		xPx += x[j] * px[j]
		qx += x[j] * p.Q[j]
		qSize += math.Abs(x[j] * p.Q[j])
	}
	pObj, dObj := xPx/2+qx, -xPx/2-support
	primalSize, dualSize := max(axNorm, zNorm), max(pxNorm, qNorm, atyNorm)
	broken, boundSize, gapSize := num.NormInf(zBad), num.NormInf(z), max(math.Abs(pObj+p.R), math.Abs(dObj+p.R))
	for i, v := range yBad {
		size := min(1, rowSizes[i])
		broken, boundSize = max(broken, math.Abs(v)*size), max(boundSize, math.Abs(y[i])*size)
	}
	unit := noUnits()
	if !(min(primalSize, dualSize, boundSize, gapSize) >= 1) { // else no unit counts
		unit = s.Units(p, rowSizes).aboveRounding(p, rowSizes, x, y, primalSize, min(dualSize, boundSize))
	}
	dual /= max(unit.Gradient, dualSize)
	return Residuals{
		Primal: primal / max(unit.Side, primalSize),
		Dual:   max(dual, broken/max(unit.Gradient, boundSize)),
		Gap:    math.Abs(pObj-dObj) / max(unit.Gap(xPx+qSize), gapSize),
	}
}

// support returns S(y); bad receives, a row, the size of what keeps y out of
// the domain of S, and in a cone the projection of y on the cone, which is the vector that
// separates y from the polar. That part does not enter the sum for intervals;
// for cones it does. Where ctx has ended before, that vector is y.
func support(ctx context.Context, p *Problem, y, bad []float64) float64 {
	s := 0.0
	stretches(p, func(from, to int) {
		s += linear(y[from:to], p.L[from:to], p.U[from:to], bad[from:to])
	}, func(c Cone) {
		for i := c.Start; i < c.Start+c.Len; i++ {
			s += y[i] * p.L[i]
		}
		if !nearest(ctx, c, bad[c.Start:c.Start+c.Len], y[c.Start:c.Start+c.Len]) {
			copy(bad[c.Start:c.Start+c.Len], y[c.Start:c.Start+c.Len])
		}
	})
	return s
}

// linear is the part of S that belongs to the multipliers y of intervals from lo to hi, where nil
// has no bounds; bad receives the size of what keeps y out of its domain.
func linear(y, lo, hi, bad []float64) (s float64) {
	bad = bad[:len(y)]
	for i, v := range y {
		bad[i] = 0
		switch {
		case v > 0 && hi != nil && hi[i] < Infinity:
			s += v * hi[i]
		case v < 0 && lo != nil && lo[i] > -Infinity:
			s += v * lo[i]
		case v != 0:
			bad[i] = math.Abs(v)
		}
		if v != v {
			s = math.NaN()
		}
	}
	return s
}

// nearest writes to dst the projection of v on the cone, or returns false where ctx has ended
// before.
func nearest(ctx context.Context, c Cone, dst, v []float64) bool {
	switch c.Kind {
	case SecondOrder:
		project.SecondOrder(dst, v)
	case Exponential:
		project.Exponential(dst, v)
	case Power:
		project.Power(dst, v, c.Alpha)
	case Semidefinite:
		return project.Semidefinite(ctx, dst, v)
	default:
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
	return true
}

// rows calls row for each interval row and cone for each cone, in order.
func rows(p *Problem, row func(i int), cone func(c Cone)) {
	stretches(p, func(from, to int) {
		for i := from; i < to; i++ {
			row(i)
		}
	}, cone)
}

// stretches calls intervals for each stretch of interval rows and cone for each cone, in order.
func stretches(p *Problem, intervals func(from, to int), cone func(c Cone)) {
	i := 0
	for _, c := range p.Cones {
		if i < c.Start {
			intervals(i, c.Start)
		}
		cone(c)
		i = c.Start + c.Len
	}
	if m := len(p.L); i < m {
		intervals(i, m)
	}
}
