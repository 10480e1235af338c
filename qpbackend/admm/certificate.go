package admm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// infeasible looks whether the last step proves infeasibility (Banjac et al.
// 2019). Two measures must be within InfeasTol: the measure of Stellato et al. 2020,
// section 3.5, relative to the step, and the one in package qpbackend, on the
// stated problem. An accepted proof is in s.cert.
func (s *solver) infeasible(now qpbackend.Residuals) qpbackend.Status {
	if now.Primal > s.run.ε && s.primalProof() {
		return qpbackend.PrimalInfeasible
	}
	if now.Dual > s.run.ε && s.dualProof() {
		return qpbackend.DualInfeasible
	}
	return qpbackend.Unknown
}

// primalProof looks at dy, without the entries that point to absent bounds.
func (s *solver) primalProof() bool {
	w, sc := s.w, s.w.scale
	size, support := 0.0, 0.0
	for i, v := range w.dy {
		switch {
		case v > 0 && w.side.up[i] < math.Inf(1):
			support += v * w.side.up[i]
		case v < 0 && w.side.lo[i] > math.Inf(-1):
			support += v * w.side.lo[i]
		default:
			w.dy[i] = 0
		}
		size = max(size, math.Abs(w.side.unit[i]*w.dy[i]))
	}
	if !(support < 0 && size <= math.MaxFloat64) {
		return false
	}
	w.multiplyT(w.product.aty, w.dy)
	worst := 0.0
	for j, a := range w.product.aty {
		worst = max(worst, math.Abs(a)/sc.D[j])
	}
	if !(worst <= s.Set.InfeasTol*min(size, -support)) {
		return false
	}
	clear(s.cert.Z)
	for i, v := range w.dy {
		v *= w.side.unit[i] / -support
		if i < w.m {
			s.cert.Y[i] = v
		} else {
			s.cert.Z[w.box[i-w.m]] = v
		}
	}
	return qpbackend.PrimalInfeasibility(s.P, s.cert.Y, s.cert.Z) <= s.Set.InfeasTol
}

// dualProof looks at dx.
func (s *solver) dualProof() bool {
	w, sc := s.w, s.w.scale
	size, slope := 0.0, 0.0
	for j, v := range w.dx {
		size = max(size, math.Abs(sc.D[j]*v))
		slope += w.q[j] * v / sc.C
	}
	if !(slope < 0 && size <= math.MaxFloat64) {
		return false
	}
	limit := s.Set.InfeasTol * min(size, -slope)
	clear(w.product.px)
	w.p.AddSymMulVec(w.product.px, 1, w.dx)
	for j, v := range w.product.px {
		if !(math.Abs(v) <= limit*sc.D[j]*sc.C) {
			return false
		}
	}
	w.multiply(w.product.ax, w.dx)
	for i, v := range w.product.ax {
		v /= w.side.unit[i]
		if w.side.up[i] < math.Inf(1) && !(v <= limit) || w.side.lo[i] > math.Inf(-1) && !(v >= -limit) {
			return false
		}
	}
	for j, v := range w.dx {
		s.cert.X[j] = sc.D[j] * v / -slope
	}
	return qpbackend.DualInfeasibility(s.P, s.cert.X) <= s.Set.InfeasTol
}
