package admm

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// polished is a point from the equations of the rows that seem to hold, and
// workspace; all of it scaled.
type polished struct {
	x, z, y       []float64
	at            []float64 // of the bounds: the one that holds, NaN for none
	rhs, sol, res []float64 // length n + m + the number of bounds
}

// polish solves the equations of the rows that seem to hold, and makes the
// result the best point if it is. It reports whether that is a solution. A point that
// improves on both residuals of the iterate takes its place.
func (s *solver) polish(ctx context.Context, was qpbackend.Residuals) bool {
	w := s.w
	if !w.polish(ctx) {
		return false
	}
	pol := &w.pol
	now := s.look(pol.x, pol.y)
	if s.best.Res.Max() <= s.Set.Tol {
		return true
	}
	if now.Primal < was.Primal && now.Dual < was.Dual {
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
// over these rows, with 1/δ on the diagonal of P for each bound that holds, the
// eliminated form of such a row, and refines towards δ = 0 (Stellato et al. 2020, section 4).
// It reports whether that gave a point, in w.pol. The factorisation of the
// iteration is lost.
func (w *work) polish(ctx context.Context) bool {
	w.guess()
	w.mat.sys.Load(1, w.mat.off)
	w.mat.loaded, w.mat.factored = false, false
	if _, err := w.mat.sys.Factorise(ctx, w.mat.diag); err != nil {
		return false
	}
	pol := &w.pol
	copy(pol.sol, pol.rhs)
	w.solveActive(pol.sol)
	for range polishSteps {
		w.remainder()
		w.solveActive(pol.res)
		for i, v := range pol.res {
			pol.sol[i] += v
		}
	}
	copy(pol.x, pol.sol)
	w.multiply(pol.z, pol.x)
	// z is to meet the bounds, and y to be nonzero only at them: the projection
	// of z + y, and the distance that it moved.
	for i, y := range pol.sol[w.n:] {
		v := pol.z[i] + y
		pol.z[i] = min(max(v, w.side.lo[i]), w.side.up[i])
		pol.y[i] = v - pol.z[i]
	}
	return num.FirstNotFinite(pol.sol) < 0
}

// guess fills off, diag and the right-hand side.
func (w *work) guess() {
	pol := &w.pol
	if pol.x == nil {
		vec := func(k int) []float64 { return make([]float64, k) }
		*pol = polished{
			x: vec(w.n), z: vec(len(w.z)), y: vec(len(w.z)), at: vec(len(w.box)),
			rhs: vec(w.n + len(w.z)), sol: vec(w.n + len(w.z)), res: vec(w.n + len(w.z)),
		}
	}
	for j, q := range w.q {
		w.mat.diag[j], pol.rhs[j] = polishWeight, -q
	}
	for i := range w.m {
		r, at := w.n+i, w.holding(i)
		pol.rhs[r], w.mat.diag[r], w.mat.off[r] = at, -polishWeight, false
		if math.IsNaN(at) { // with nothing beside it: y is zero
			pol.rhs[r], w.mat.diag[r], w.mat.off[r] = 0, -1, true
		}
	}
	for k, j := range w.box {
		i := w.m + k
		pol.at[k] = w.holding(i)
		if pol.rhs[w.n+i] = 0; !math.IsNaN(pol.at[k]) {
			pol.rhs[w.n+i] = pol.at[k]
			w.mat.diag[j] += 1 / polishWeight
		}
	}
}

// holding is the side of row or bound i that seems to hold, NaN for none.
func (w *work) holding(i int) float64 {
	switch z, y := w.z[i], w.y[i]; {
	case z-w.side.lo[i] < -y || w.side.lo[i] == w.side.up[i]:
		return w.side.lo[i]
	case w.side.up[i]-z < y:
		return w.side.up[i]
	}
	return math.NaN()
}

// solveActive solves with the matrix of polish in place: v has an entry for each
// variable, row and bound. The bounds are eliminated: y = (x − v)/δ there.
func (w *work) solveActive(v []float64) {
	δ, bounds := polishWeight, v[w.n+w.m:]
	for k, j := range w.box {
		v[j] += bounds[k] / δ // zero where no bound holds
	}
	w.mat.sys.SolveOnce(v[:w.n+w.m], v[:w.n+w.m])
	for k, j := range w.box {
		if math.IsNaN(w.pol.at[k]) {
			bounds[k] = 0
		} else {
			bounds[k] = (v[j] - bounds[k]) / δ
		}
	}
}

// remainder is the residual of sol in the equations with δ = 0.
func (w *work) remainder() {
	pol, n := &w.pol, w.n
	copy(pol.res, pol.rhs)
	w.p.AddSymMulVec(pol.res[:n], -1, pol.sol[:n])
	w.at.AddMulVec(pol.res[:n], -1, pol.sol[n:n+w.m])
	w.at.AddMulVecT(pol.res[n:n+w.m], -1, pol.sol[:n])
	for k, j := range w.box {
		pol.res[j] -= pol.sol[n+w.m+k]
		if !math.IsNaN(pol.at[k]) {
			pol.res[n+w.m+k] -= pol.sol[j]
		}
	}
	for r, off := range w.mat.off {
		if off {
			pol.res[r] = 0
		}
	}
}
