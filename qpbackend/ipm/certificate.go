package ipm

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
)

// A proof of infeasibility is accepted where it holds on the stated problem, by
// qpbackend.PrimalInfeasibility or DualInfeasibility within InfeasTol, and where
// each entry of what should vanish is as small against the row that makes it.
// The first alone would take min −1e9·x + ½x² for unbounded.

// primalProof looks at multipliers y of the rows, with aty = Aᵀy, both scaled, as a proof that no
// point is feasible. The bounds of the variables take up as much of Aᵀy as they can. It writes an
// accepted proof to s.cert. weight is the value that qpbackend.PrimalInfeasibility would give, +Inf
// for none; without weigh it may be +Inf for any y that proves nothing.
func (s *solver) primalProof(y, aty []float64, weigh bool) (weight float64, ok bool) {
	if !weigh && !s.cancels(y, aty) {
		return math.Inf(1), false
	}
	sc := s.scale
	support, rest := 0.0, 0.0
	for i, e := range sc.E {
		lo, up := s.P.Sides(s.lay.row(i))
		v := e * y[i]
		switch {
		case s.lay.conic[i]: // by construction y is in the polar
			support += v * lo
		case v > 0 && up < math.Inf(1):
			support += v * up
		case v < 0 && lo > math.Inf(-1):
			support += v * lo
		case v != 0:
			return math.Inf(1), false
		}
	}
	for j, a := range aty {
		t := -a / sc.D[j]
		if b := s.bound(j, t); math.IsInf(b, 0) {
			rest = max(rest, math.Abs(t))
		} else {
			support += t * b
		}
	}
	if !(support < 0) {
		return math.Inf(1), false
	}
	weight = rest / -support
	if !(weight <= s.Set.InfeasTol/2 && (!weigh || s.cancels(y, aty))) {
		return weight, false
	}
	for i, e := range sc.E {
		s.cert.Y[s.lay.row(i)] = e * y[i] / -support
	}
	for j, a := range aty {
		t := -a / sc.D[j]
		if s.cert.Z[j] = 0; !math.IsInf(s.bound(j, t), 0) {
			s.cert.Z[j] = t / -support
		}
	}
	s.lay.handOver(s.P, s.cert.Y, s.cert.Z)
	return weight, qpbackend.PrimalInfeasibility(s.P, s.cert.Y, s.cert.Z) <= s.Set.InfeasTol
}

// bound is the bound of variable j that a multiplier t belongs to, the upper one
// for t > 0; infinite where there is none.
func (s *solver) bound(j int, t float64) float64 {
	lo, up := s.lay.variable(s.P, j)
	if t > 0 {
		return up
	}
	return lo
}

// cancels reports whether the entries of aty that no bound takes up are small
// against the columns of A and y. Most iterates are no proof by one of the first entries.
func (s *solver) cancels(y, aty []float64) bool {
	tol := s.Set.InfeasTol * num.NormInf(y)
	for j, v := range aty {
		if size := math.Abs(v); !(size <= tol*s.colNorms[j]) && math.IsInf(s.bound(j, -v), 0) {
			return false
		}
	}
	return true
}

// dualProof looks at the scaled direction d, with ad = Ad, as a proof that the objective is
// unbounded below. It writes an accepted proof to s.cert. The cheap objections come first: this is
// asked in every iteration.
func (s *solver) dualProof(d, ad []float64) bool {
	sc, tol, n := s.scale, s.Set.InfeasTol, s.p.Cols
	fall, bad, top := 0.0, 0.0, num.NormInf(d)
	lows, ups := s.w.Bounds()
	q, scale, lo, up := s.P.Q[:len(d)], sc.D[:len(d)], lows[:len(d)], ups[:len(d)]
	for j, e := range d {
		fall -= q[j] * scale[j] * e
		if leaves(e, lo[j], up[j]) {
			off := math.Abs(e)
			if !(off <= tol*top) {
				return false
			}
			bad = max(bad, scale[j]*off)
		}
	}
	if !(top >= 0) {
		return false
	}
	for t, e := range ad {
		if s.lay.conic[t] {
			continue
		}
		if leaves(e, lows[n+t], ups[n+t]) {
			off := math.Abs(e)
			if !(off <= tol*top*s.rowNorm(t)) {
				return false
			}
			bad = max(bad, off/sc.E[t])
		}
	}
	if !(fall > 0 && bad/fall <= tol/2) {
		return false
	}
	if !s.w.ConesMet(ad, func(row, _ int) float64 { return tol / 2 * fall * sc.E[row] }) {
		return false
	}
	pd := s.work[:n]
	clear(pd)
	s.p.AddSymMulVec(pd, 1, d)
	for j, v := range pd {
		bad = max(bad, math.Abs(v)/(sc.B*sc.C*sc.D[j]))
	}
	if !(bad/fall <= tol/2 && s.flat(pd, ad, tol*top)) {
		return false
	}
	for j, e := range d {
		s.cert.X[j] = sc.D[j] * e / fall
	}
	return qpbackend.DualInfeasibility(s.P, s.cert.X) <= tol
}

// leaves reports whether a bound, lo or up, is in the way of a step e somewhere.
func leaves(e, lo, up float64) bool {
	return e > 0 && up <= math.MaxFloat64 || e < 0 && lo >= -math.MaxFloat64
}

// rowNorm is the largest entry of row t of A, scaled.
func (s *solver) rowNorm(t int) float64 {
	at := s.lay.at
	return num.NormInf(at.Val[at.ColPtr[t]:at.ColPtr[t+1]])
}

// flat reports whether pd, and ad in the cones, are within tol of rows of P and A.
func (s *solver) flat(pd, ad []float64, tol float64) bool {
	n, at := s.p.Cols, s.lay.at
	norm := s.work[n : 2*n]
	clear(norm)
	equil.SymNorms(s.p, norm)
	for j, e := range pd {
		if !(math.Abs(e) <= tol*norm[j]) {
			return false
		}
	}
	return s.w.ConesMet(ad, func(row, length int) float64 {
		return tol * num.NormInf(at.Val[at.ColPtr[row]:at.ColPtr[row+length]])
	})
}
