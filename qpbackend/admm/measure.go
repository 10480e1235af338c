package admm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// measure says how far a point is from optimal.
type measure struct {
	// Unscaled: residuals and gap, and the sizes of what they compare.
	prim, dual, gap             float64
	primSize, dualSize, gapSize float64
	unit                        qpbackend.Units
	gapUnit                     float64 // as in qpbackend.Residuals
	// worth is the largest of the three as qpbackend.Certify would have them,
	// up to rounding.
	worth float64
	// Scaled residuals relative to the terms that they compare; adapt balances them.
	relPrim, relDual float64
}

// within is the test of Stellato et al. 2020, section 3.4, and of the gap, with
// equal absolute and relative tolerances, the absolute ones in units of the problem.
func (m *measure) within(ε float64) bool {
	return m.prim <= ε*(m.unit.Side+m.primSize) && m.dual <= ε*(m.unit.Gradient+m.dualSize) &&
		m.gap <= ε*(m.gapUnit+m.gapSize)
}

// measure looks at a scaled point; r is the constant of the objective.
func (w *work) measure(x, z, y []float64, r float64) (t measure) {
	clear(w.product.px)
	w.p.AddSymMulVec(w.product.px, 1, x)
	w.multiplyT(w.product.aty, y)
	w.multiply(w.product.ax, x)

	t.unit = w.least.units
	rows, s, off := w.primal(&t, z, y)
	cols, xPx, qx, qSize := w.dual(&t, x)
	t.relPrim, t.relDual = ratio(rows.res, rows.size), ratio(cols.res, cols.size)

	c := w.scale.C
	t.gapUnit = t.unit.Gap((xPx + qSize) / c)
	t.gap = math.Abs(xPx+qx+s) / c
	t.gapSize = max(math.Abs(xPx), math.Abs(qx), math.Abs(s)) / c
	pObj, dObj := (xPx/2+qx)/c+r, (-xPx/2-s)/c+r
	t.worth = max(
		off,
		t.dual/max(t.unit.Gradient, t.dualSize),
		t.gap/max(t.gapUnit, math.Abs(pObj), math.Abs(dObj)))
	return t
}

// ratio of a residual to the size of what it compares.
func ratio(res, size float64) float64 { return res / (size + math.SmallestNonzeroFloat64) }

// scaled is a residual in scaled units.
type scaled struct{ res, size float64 }

// primal measures Ax − z. It returns S(y), the value of the support function,
// and how far Ax is from meeting the rows, relative.
func (w *work) primal(t *measure, z, y []float64) (in scaled, s, off float64) {
	axSize, nearSize := 0.0, 0.0
	for i, e := range w.side.unit {
		a := w.product.ax[i]
		d, size := math.Abs(a-z[i]), max(math.Abs(a), math.Abs(z[i]))
		in.res, in.size = max(in.res, d), max(in.size, size)
		if i < w.m {
			e *= min(1, w.least.rowSizes[i])
		}
		t.prim, t.primSize = max(t.prim, d/e), max(t.primSize, size/e)
		near := min(max(a, w.side.lo[i]), w.side.up[i])
		off = max(off, math.Abs(a-near)/e)
		axSize, nearSize = max(axSize, math.Abs(a)/e), max(nearSize, math.Abs(near)/e)
		switch v := y[i]; {
		case v > 0 && w.side.up[i] < math.Inf(1):
			s += v * w.side.up[i]
		case v < 0 && w.side.lo[i] > math.Inf(-1):
			s += v * w.side.lo[i]
		}
	}
	return in, s, off / max(t.unit.Side, axSize, nearSize)
}

// dual measures Px + q + Aᵀy, and returns xᵀPx, qᵀx and Σ|qⱼxⱼ|.
func (w *work) dual(t *measure, x []float64) (in scaled, xPx, qx, qSize float64) {
	for j, d := range w.scale.D {
		p, q, a := w.product.px[j], w.q[j], w.product.aty[j]
		v, size := math.Abs(p+q+a), max(math.Abs(p), math.Abs(q), math.Abs(a))
		in.res, in.size = max(in.res, v), max(in.size, size)
		t.dual, t.dualSize = max(t.dual, v/d), max(t.dualSize, size/d)
		xPx += x[j] * p
		qx += x[j] * q
		qSize += math.Abs(x[j] * q)
	}
	t.dual /= w.scale.C
	t.dualSize /= w.scale.C
	return in, xPx, qx, qSize
}

// adapt moves ρ to where it would balance the residuals of the last measure
// (Stellato et al. 2020, section 5.2), if that is far enough away.
func (w *work) adapt() {
	if !(w.now.relDual > 0) { // also for NaN
		if w.now.relPrim > 0 {
			w.setRho(maxRho)
		}
		return
	}
	ρ := min(max(w.mat.ρ*math.Sqrt(w.now.relPrim/w.now.relDual), minRho), maxRho)
	if ρ > rhoChange*w.mat.ρ || ρ < w.mat.ρ/rhoChange {
		w.setRho(ρ)
	}
}
