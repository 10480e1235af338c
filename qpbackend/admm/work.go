package admm

import (
	"context"
	"errors"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Rows by the step size that suits them.
type rowKind uint8

const (
	bounded rowKind = iota
	equal           // the bounds are nearer than equalWidth
	loose           // no bounds
)

// Source: Stellato and others 2020, section 5.2, and OSQP's RHO_MIN, RHO_MAX,
// RHO_EQ_OVER_RHO_INEQ and RHO_TOL; the others are OSQP's defaults.
const (
	scalings       = 10   // passes of equilibration
	firstSigma     = 1e-6 // proximal weight of x
	relaxation     = 1.6
	firstRho       = 0.1  // step size, of a solve without warm start
	rhoInterval    = 50   // iterations between looks whether another one is better,
	rhoChange      = 5    // by more than this factor
	testInterval   = 25   // iterations between tests
	polishWeight   = 1e-6 // regularisation in polishing,
	polishSteps    = 3    // and steps of refinement
	minRho, maxRho = 1e-6, 1e6
	equalRho       = 1e3 // times ρ, in equality rows
	equalWidth     = 1e-4
)

// work is the scaled problem, the iterates and the factorised matrix
//
//	⎡ P + σI + diag(ρ)   Aᵀ         ⎤
//	⎣ A                  −diag(1/ρ) ⎦
//
// with the ρ of the bounds of variables above and of the rows below. Slices
// "of rows and bounds" have an entry for each row and then one for each variable
// of box. A bound is the row x of the scaled problem, with coefficient one: it is
// eliminated from the matrix.
type work struct {
	n, m     int
	box      []int // variables with a bound, ascending
	scale    *equil.Scaling
	p, at    *sparse.CSC // upper triangle of P; columns are rows of A
	from     []int       // entry of at → entry of A
	q        []float64
	side     sides
	set      qpbackend.Settings
	rowSizes []float64 // as set.RowSizes
	mat      matrix
	x, z, y  []float64 // x of length n; z ≈ (Ax, x) and y of rows and bounds
	rhs      []float64 // length n+m
	dx, dy   []float64 // the step to the present iterate, after a test
	product  products
	pol      polished
}

// sides belong to rows and bounds, infinite where absent.
type sides struct {
	lo, up []float64
	unit   []float64 // the number of which their values are multiples
	kind   []rowKind
}

// matrix is the one above with its factorisation.
type matrix struct {
	σ, ρ     float64
	rowρ     []float64 // of rows and bounds
	inverse  []float64 // 1/ρ of these
	sys      *kkt.System
	loaded   bool // sys holds the values of p and at, nothing off
	factored bool // and is factored for ρ
	diag     []float64
	off      []bool // of variables and rows: polishing switches it off
}

// products are Px, Aᵀy with the multipliers of bounds, and (Ax, x of box).
type products struct{ px, aty, ax []float64 }

func newWork(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (*work, error) {
	n, m := p.Dims()
	at, from := p.A.Transpose()
	vec := func(k int) []float64 { return make([]float64, k) }
	w := &work{
		n: n, m: m, scale: equil.New(n, m, nil), p: p.P.Clone(), at: at, from: from,
		q: vec(n), x: vec(n), rhs: vec(n + m), dx: vec(n), product: products{px: vec(n), aty: vec(n)},
		set: set, rowSizes: vec(m),
		mat: matrix{ρ: firstRho, diag: vec(n + m), off: make([]bool, n+m)},
	}
	var err error
	if w.mat.sys, err = kkt.New(ctx, w.p, w.at, nil, kkt.Sparse, nil); err != nil {
		return nil, err
	}
	w.loadMatrices(p)
	return w, nil
}

// loadMatrices takes over all values and finds a new scaling.
func (w *work) loadMatrices(p *qpbackend.Problem) {
	copy(w.p.Val, p.P.Val)
	for t, k := range w.from {
		w.at.Val[t] = p.A.Val[k]
	}
	copy(w.q, p.Q)
	w.set.RowSizes(p, w.rowSizes)
	w.scale.Modified(w.p, w.at, w.q, scalings)
	w.mat.loaded, w.mat.factored = false, false
	w.loadVectors(p)
}

// loadVectors takes over q, l and u within the scaling that there is.
func (w *work) loadVectors(p *qpbackend.Problem) {
	for j, q := range p.Q {
		w.q[j] = w.scale.C * w.scale.D[j] * q
	}
	w.findBox(p)
	for i := range w.side.lo {
		var e, lo, up float64
		if i < w.m {
			e = w.scale.E[i]
			lo, up = p.Sides(i)
		} else {
			j := w.box[i-w.m]
			e = 1 / w.scale.D[j]
			lo, up = p.Bounds(j)
		}
		w.side.unit[i], w.side.lo[i], w.side.up[i] = e, e*lo, e*up
		kind := bounded
		switch {
		case math.IsInf(w.side.lo[i], -1) && math.IsInf(w.side.up[i], 1):
			kind = loose
		case w.side.up[i]-w.side.lo[i] < equalWidth:
			kind = equal
		}
		if kind != w.side.kind[i] {
			w.side.kind[i], w.mat.factored = kind, false
		}
	}
}

// findBox lists the variables with bounds, and gives the slices of rows and
// bounds their length.
func (w *work) findBox(p *qpbackend.Problem) {
	count, same := 0, true
	for j := range w.n {
		if lo, up := p.Bounds(j); math.IsInf(lo, -1) && math.IsInf(up, 1) {
			continue
		}
		if count == len(w.box) {
			w.box = append(w.box, j)
		}
		same = same && w.box[count] == j
		w.box[count] = j
		count++
	}
	w.box = w.box[:count]
	length := w.m + count
	if same && len(w.side.lo) == length {
		return
	}
	w.mat.factored = false
	for _, v := range [...]*[]float64{&w.side.lo, &w.side.up, &w.side.unit, &w.mat.rowρ, &w.mat.inverse, &w.z, &w.y,
		&w.dy, &w.product.ax} {
		*v = make([]float64, length)
	}
	w.side.kind = make([]rowKind, length)
	w.pol = polished{}
}

// setSigma makes σ the proximal weight of x.
func (w *work) setSigma(σ float64) {
	if σ != w.mat.σ {
		w.mat.σ, w.mat.factored = σ, false
	}
}

// setRho makes ρ the step size, within its range.
func (w *work) setRho(ρ float64) {
	if ρ = min(max(ρ, minRho), maxRho); ρ != w.mat.ρ {
		w.mat.ρ, w.mat.factored = ρ, false
	}
}

// errIndefinite says that rounding has made the matrix lose its quasi-definiteness.
var errIndefinite = errors.New("admm: the KKT matrix is not quasi-definite")

// factor brings the factorisation up to date. The error is ctx.Err(), or says
// that the matrix cannot be factored.
func (w *work) factor(ctx context.Context) error {
	if w.mat.factored {
		return nil
	}
	if !w.mat.loaded {
		clear(w.mat.off)
		w.mat.sys.Load(1, w.mat.off)
		w.mat.loaded = true
	}
	for j := range w.n {
		w.mat.diag[j] = w.mat.σ
	}
	for i, kind := range w.side.kind {
		ρ := w.mat.ρ
		switch kind {
		case equal:
			ρ *= equalRho
		case loose:
			ρ = minRho
		}
		w.mat.rowρ[i], w.mat.inverse[i] = ρ, 1/ρ
		if i < w.m {
			w.mat.diag[w.n+i] = -1 / ρ
		} else {
			w.mat.diag[w.box[i-w.m]] += ρ
		}
	}
	replaced, err := w.mat.sys.Factorise(ctx, w.mat.diag)
	if err == nil && replaced > 0 {
		err = errIndefinite
	}
	w.mat.factored = err == nil
	return err
}

// reset starts from zero and the first ρ.
func (w *work) reset() {
	clear(w.x)
	clear(w.z)
	clear(w.y)
	w.setRho(firstRho)
}

// start from an unscaled point; ρ stays.
func (w *work) start(from *base.Point) {
	for j, d := range w.scale.D {
		w.x[j] = from.X[j] / d
	}
	for i, e := range w.scale.E {
		w.y[i] = from.Y[i] * w.scale.C / e
	}
	for k, j := range w.box {
		w.y[w.m+k] = from.Z[j] * w.scale.C * w.scale.D[j]
	}
	w.multiply(w.z, w.x)
}

// multiply sets dst to (Ax, x of box).
func (w *work) multiply(dst, x []float64) {
	clear(dst[:w.m])
	w.at.AddMulVecT(dst[:w.m], 1, x)
	for k, j := range w.box {
		dst[w.m+k] = x[j]
	}
}

// multiplyT sets dst to Aᵀy plus the multipliers of the bounds.
func (w *work) multiplyT(dst, y []float64) {
	clear(dst)
	w.at.AddMulVec(dst, 1, y[:w.m])
	for k, j := range w.box {
		dst[j] += y[w.m+k]
	}
}

// unscale writes a scaled pair to dst.
func (w *work) unscale(dst *base.Point, x, y []float64) {
	for j, d := range w.scale.D {
		dst.X[j] = d * x[j]
	}
	for i, e := range w.scale.E {
		dst.Y[i] = e * y[i] / w.scale.C
	}
	clear(dst.Z)
	for k, j := range w.box {
		dst.Z[j] = y[w.m+k] / (w.scale.D[j] * w.scale.C)
	}
}
