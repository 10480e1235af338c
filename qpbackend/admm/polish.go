package admm

// polished is a point from the equations of the rows that seem to hold, and
// workspace; all of it scaled.
type polished struct {
	x, z, y       []float64
	rhs, sol, res []float64 // length n+m
}

// polish solves the equations of the rows that seem to hold, and makes the
// result the best point if it is. It reports whether that is a solution. What
// improves on both residuals of the iterate takes its place.
func (s *solver) polish() bool {
	w := s.w
	if !w.polish() {
		return false
	}
	pol := &w.pol
	w.unscale(&s.cand, pol.x, pol.y)
	s.certify(&s.cand)
	s.consider()
	if s.best.certified && s.best.worth <= s.set.Tol {
		return true
	}
	was := w.now
	if now := w.measure(pol.x, pol.z, pol.y, s.p.R); now.prim < was.prim && now.dual < was.dual {
		copy(w.x, pol.x)
		copy(w.z, pol.z)
		copy(w.y, pol.y)
	}
	return false
}

// polish guesses from z and y which rows hold, solves with
//
//	⎡ P + δI   Aᵀ  ⎤
//	⎣ A        −δI ⎦
//
// over these rows and refines towards δ = 0 (Stellato et al. 2020, section 4).
// It reports whether that gave a point, in w.pol. The factorisation of the
// iteration is lost.
func (w *work) polish() bool {
	w.guess()
	w.sys.load(w.off)
	w.loaded, w.factored = false, false
	if _, err := w.sys.factor(w.diag); err != nil {
		return false
	}
	pol := &w.pol
	copy(pol.sol, pol.rhs)
	w.sys.f.Solve(pol.sol)
	for range w.opt.PolishRefineIter {
		w.remainder()
		w.sys.f.Solve(pol.res)
		for i, v := range pol.res {
			pol.sol[i] += v
		}
	}
	copy(pol.x, pol.sol)
	clear(pol.z)
	w.at.AddMulVecT(pol.z, 1, pol.x)
	// z is to meet the bounds, and y to be nonzero only at them: the projection
	// of z + y, and what it moved.
	for i, y := range pol.sol[w.n:] {
		v := pol.z[i] + y
		pol.z[i] = min(max(v, w.l[i]), w.u[i])
		pol.y[i] = v - pol.z[i]
	}
	return finite(pol.sol)
}

// guess fills off, diag and the right-hand side.
func (w *work) guess() {
	pol := &w.pol
	if pol.x == nil {
		vec := func(k int) []float64 { return make([]float64, k) }
		*pol = polished{
			x: vec(w.n), z: vec(w.m), y: vec(w.m),
			rhs: vec(w.n + w.m), sol: vec(w.n + w.m), res: vec(w.n + w.m),
		}
	}
	for j, q := range w.q {
		w.diag[j], pol.rhs[j] = w.opt.Delta, -q
	}
	for i, z := range w.z {
		r, at := w.n+i, 0.0
		switch y := w.y[i]; {
		case z-w.l[i] < -y || w.l[i] == w.u[i]:
			at, w.off[i] = w.l[i], false
		case w.u[i]-z < y:
			at, w.off[i] = w.u[i], false
		default:
			w.off[i] = true
		}
		pol.rhs[r], w.diag[r] = at, -w.opt.Delta
		if w.off[i] {
			w.diag[r] = -1 // with nothing beside it: y is zero
		}
	}
}

// remainder is what sol leaves of the equations with δ = 0.
func (w *work) remainder() {
	pol, n := &w.pol, w.n
	copy(pol.res, pol.rhs)
	w.p.AddSymMulVec(pol.res[:n], -1, pol.sol[:n])
	w.at.AddMulVec(pol.res[:n], -1, pol.sol[n:])
	w.at.AddMulVecT(pol.res[n:], -1, pol.sol[:n])
	for i, off := range w.off {
		if off {
			pol.res[n+i] = 0
		}
	}
}
