package interior

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// kind says what bounds an entry of v = (x, Ax) has.
type kind uint8

const (
	free  kind = iota // none
	fixed             // both, and equal
	sided             // one or two, with room between them
	conic             // a row of a cone
)

// equalWidth: bounds nearer than this, relative, leave no interior to work in.
// Source: derived: some thousand unit roundoffs; a slack in a narrower interval has no
// correct digit.
const equalWidth = 1e-12

// Work is one interior point run over
//
//	minimise    ½ xᵀ(θP + γₓI)x + qᵀx + ½ γᵧ‖y‖²   y the dual of the rows
//	subject to  lo ≤ (x, Ax − γᵧy) ≤ up
//
// where θ = 1, γₓ = γᵧ = 0 is the problem itself, and γᵧ > 0 makes the rows
// elastic: Ax may leave its bounds by γᵧy at the price ½ γᵧ‖y‖². All data are
// scaled. An entry of v = (x, Ax − γᵧy) that is fixed is an equality, or a
// variable with a constant value, which is then no unknown. Any other has up to
// two sides
//
//	sgn·v + s = h,  s ≥ 0, with multiplier z ≥ 0.
type Work struct {
	n, m   int
	prog   program
	side   sides
	cone   cones
	method method
	reg    regularisation
	lin    system
	trial  trial

	// Unknowns and directions: x has length n; y, v length n+m. The entries of
	// dy and dv for variables are not set: dx and dy are parts of the solution of lin.
	x, dx  []float64
	y, dy  []float64
	v, dv  []float64
	αp, αd float64
	res    residual
	fresh  bool // a run from a first point of its own whose multipliers have not been raised
}

// program is the scaled problem.
type program struct {
	p       *sparse.CSC // upper triangle
	squares bool        // p has all diagonal entries and no others
	at      *sparse.CSC // n × m, columns are rows of A

	θ, γx, γy float64
	q         []float64
	lo, up    []float64 // length n+m; ±Inf for none
	kind      []kind
	off       []bool // for the KKT matrix: fixed variables, free rows
	bare      int    // variables without a square in the objective

	// Entries of v by kind.
	fixedVars, freeRows, fixedRows []int
}

// system is the linear system of a direction.
type system struct {
	sys      *kkt.System
	goal     kkt.Accuracy // of its solution
	wsum     []float64    // of sided rows, as entries of v: the reciprocal of the weight of their sides
	diag     []float64
	rhs, sol []float64
}

// residual of the point.
type residual struct {
	grad, aty  []float64 // θPx + γₓx + q; Aᵀy over the rows, without bounds of x
	rd         []float64 // dual residual −(grad + aty + y)
	re         []float64 // length m, residual of equality rows
	pinf, dinf float64   // largest primal and dual residual
	μ          float64   // mean of s·z
}

// sides holds the one-sided bounds; all slices have one length.
type sides struct {
	pair
	src  []int32 // entry of v, ascending: the ones of variables come first,
	vars int     // so many
	// the lower sides of entries with two, of which the upper one comes next: the ones of variables
	// come first,
	both    []int32
	varBoth int // so many
	sgn     []float64
	h       []float64
	wt, b   []float64 // weight and right-hand side once s and z are eliminated
	wide    bool      // the processor has the registers for the kernels
}

// New is a run over the scaled P, A by rows and cones, with room for all that it needs. It keeps p
// and at. With cones it steps on the homogeneous embedding, for whose linear systems tol, the
// tolerance of the result, says how accurate they are at the end.
func New(p, at *sparse.CSC, sys *kkt.System, cones []qpbackend.Cone, tol float64) *Work {
	var how method = &plain{}
	if len(cones) > 0 {
		how = newEmbedding(p.Cols, at.Cols, sys.Size(), tol)
	}
	return newWork(p, at, sys, cones, how)
}

// Embedding is a run of the homogeneous embedding over the matrices of w, a problem without cones.
func (w *Work) Embedding(tol float64) *Work {
	return newWork(w.prog.p, w.prog.at, w.lin.sys, nil, newEmbedding(w.n, w.m, w.lin.sys.Size(), tol))
}

// TakeOver makes w, an Embedding, the embedding of the current problem of the other run, without
// its objective where that is not asked for.
func (w *Work) TakeOver(of *Work, objective bool) {
	w.reg.least = of.reg.least
	w.prog.θ = 0
	clear(w.prog.q)
	if objective {
		w.prog.θ = of.prog.θ
		copy(w.prog.q, of.prog.q)
	}
	copy(w.prog.lo, of.prog.lo)
	copy(w.prog.up, of.prog.up)
	w.Loaded()
}

func newWork(p, at *sparse.CSC, sys *kkt.System, cones []qpbackend.Cone, how method) *Work {
	n, m := p.Cols, at.Cols
	nv := n + m
	vec := func(k int) []float64 { return make([]float64, k) }
	w := &Work{
		n: n, m: m, method: how, cone: newCones(cones, m, sys),
		prog: program{p: p, squares: diagonal(p), at: at, θ: 1, q: vec(n), lo: vec(nv), up: vec(nv),
			kind: make([]kind, nv), off: make([]bool, nv)},
		lin: system{sys: sys, wsum: vec(nv), diag: vec(nv), rhs: vec(sys.Size()), sol: vec(sys.Size())},
		x:   vec(n), y: vec(nv), v: vec(nv), dv: vec(nv),
		res: residual{grad: vec(n), aty: vec(n), rd: vec(n), re: vec(m)},
	}
	for _, c := range cones {
		for i := range c.Len {
			w.prog.kind[n+c.Start+i] = conic
		}
	}
	w.dx, w.dy = w.lin.sol[:n], w.lin.sol[:nv]
	w.side.wide = cpu.Wide()
	return w
}

// diagonal reports whether p has all entries of the diagonal and no others: then they are its
// values.
func diagonal(p *sparse.CSC) bool {
	if p.NNZ() != p.Cols {
		return false
	}
	for j, i := range p.RowIdx[:p.Cols] {
		if p.ColPtr[j] != j || i != j {
			return false
		}
	}
	return true
}

// Bounds of the scaled (x, Ax), to be filled, ±Inf for none; then Loaded is to be called.
// Rows of a cone have no upper one.
func (w *Work) Bounds() (lo, up []float64) { return w.prog.lo, w.prog.up }

// Costs is the scaled q, to be filled as Bounds is.
func (w *Work) Costs() []float64 { return w.prog.q }

// Outweigh gives the proximal term of x at least that weight, for a P that is convex but for
// rounding.
func (w *Work) Outweigh(least float64) { w.reg.least = least }

// Proposal are x, and the multipliers of (x, Ax), of a warm start, to be filled before StartFrom.
func (w *Work) Proposal() (x, y []float64) { return w.x, w.y }

// Scaled sets x to τ⁻¹ times the x of the point, and returns its multipliers of (x, Ax), which are
// to be divided by τ.
func (w *Work) Scaled(x []float64) (y []float64, τ float64) {
	τ = w.method.τ()
	for j, v := range w.x {
		x[j] = v / τ
	}
	w.method.unshift(x)
	return w.y, τ
}

// Multipliers are y of the rows and Aᵀy, for a proof that no point is feasible.
func (w *Work) Multipliers() (y, aty []float64) { return w.y[w.n:], w.res.aty }

// Step is the last step in x and its image under A, along which the objective may fall for ever.
func (w *Work) Step() (d, ad []float64) { return w.dx, w.dv[w.n:] }

// Ray is another such direction, nil for none.
func (w *Work) Ray() (d, ad []float64) { return w.method.ray(w) }

// Homogeneous reports whether this is the embedding.
func (w *Work) Homogeneous() bool { return w.method.degree() > 0 }

// Primal and Dual are the largest residuals of the scaled problem, Complementarity is μ, of the
// point over τ.
func (w *Work) Primal() float64          { return w.res.pinf / w.method.τ() }
func (w *Work) Dual() float64            { return w.res.dinf / w.method.τ() }
func (w *Work) Complementarity() float64 { return w.res.μ / (w.method.τ() * w.method.τ()) }

// Far is how many tolerances, in ScaledError, are far from the end.
func (w *Work) Far() float64 { return w.method.distance() }

// Loaded takes in the values of P, A, Costs and Bounds.
func (w *Work) Loaded() {
	w.classify()
	w.prog.bare = w.withoutSquare()
	w.method.load(w)
}

// Strict reports whether every variable has a square of its own in the objective.
func (w *Work) Strict() bool { return w.prog.bare == 0 }

// withoutSquare counts the variables without a square of their own in the objective, but fixed
// ones.
func (w *Work) withoutSquare() (count int) {
	for j := range w.n {
		p := w.prog.p
		last := p.ColPtr[j+1] - 1
		if w.prog.kind[j] != fixed && (last < p.ColPtr[j] || p.RowIdx[last] != j || !(p.Val[last] > 0)) {
			count++
		}
	}
	return count
}

// classify reads lo and up: it sets the kinds and lists the sides.
func (w *Work) classify() {
	sd, count, both := &w.side, 0, 0
	for i := range w.prog.kind {
		lo, up := w.prog.lo[i], w.prog.up[i]
		switch {
		case w.prog.kind[i] == conic:
		case math.IsInf(lo, -1) && math.IsInf(up, 1):
			w.prog.kind[i] = free
			w.y[i] = 0
		case up-lo <= equalWidth*max(1, min(math.Abs(lo), math.Abs(up))):
			w.prog.kind[i] = fixed
		default:
			w.prog.kind[i] = sided
			count++
			if !math.IsInf(lo, -1) && !math.IsInf(up, 1) {
				count++
				both++
			}
		}
		w.prog.off[i] = w.prog.kind[i] == fixed && i < w.n || w.prog.kind[i] == free && i >= w.n
		if i < w.n {
			sd.vars, sd.varBoth = count, both
		}
	}
	w.listKinds()
	sd.resize(count)
	sd.both = slices.Grow(sd.both[:0], both)
	k := 0
	for i, kind := range w.prog.kind {
		if kind != sided {
			continue
		}
		if lo := w.prog.lo[i]; !math.IsInf(lo, -1) {
			sd.src[k], sd.sgn[k], sd.h[k] = int32(i), -1, -lo
			k++
		}
		if up := w.prog.up[i]; !math.IsInf(up, 1) {
			if k > 0 && sd.src[k-1] == int32(i) {
				sd.both = append(sd.both, int32(k-1))
			}
			sd.src[k], sd.sgn[k], sd.h[k] = int32(i), 1, up
			k++
		}
	}
}

// listKinds makes the lists of entries by kind.
func (w *Work) listKinds() {
	w.prog.fixedVars = w.list(w.prog.fixedVars, 0, w.n, fixed)
	w.prog.freeRows = w.list(w.prog.freeRows, w.n, w.n+w.m, free)
	w.prog.fixedRows = w.list(w.prog.fixedRows, w.n, w.n+w.m, fixed)
	clear(w.res.re)
}

// list sets dst to the entries of that kind.
func (w *Work) list(dst []int, from, to int, of kind) []int {
	dst = dst[:0]
	for i, k := range w.prog.kind[from:to] {
		if k == of {
			dst = append(dst, from+i)
		}
	}
	return dst
}

// resize gives the slices length k. It allocates only for a k larger than all
// before.
func (sd *sides) resize(k int) {
	sd.src = slices.Grow(sd.src[:0], k)[:k]
	for _, v := range [...]*[]float64{&sd.sgn, &sd.h, &sd.s, &sd.z, &sd.ds, &sd.dz, &sd.rp, &sd.rc, &sd.wt, &sd.b} {
		*v = slices.Grow((*v)[:0], k)[:k]
	}
}

// regularisation holds the weights of the terms ½ρ‖Δx‖² and ½δ‖Δy‖² of each
// step that keep the KKT matrix quasi-definite: proximal terms whose centre is
// the present point.
type regularisation struct {
	ρ, δ           float64
	floorρ, floorδ float64 // the limits to which they fall with μ
	least          float64 // of ρ, where P is slightly nonconvex

	lastP, lastD, lastμ float64      // residuals and μ of the iterate before
	left                kkt.Accuracy // the residual of the last corrector's system
	held                kkt.Accuracy // the largest entries of ρΔx and δΔy in the last step of plain
}

// pair holds the vectors of a part, with an entry for each of its rows: s and z,
// their steps, and right-hand sides, rp of the equations that define s and rc of
// complementarity.
type pair struct {
	s, z   []float64
	ds, dz []float64
	rp, rc []float64
}

// trial is for the sides that seem to hold at the solution, see Steady: of a warm run those with
// multipliers larger than slacks. Where they are the right ones, one linear system has the
// solution, exact but for rounding (Mehrotra and Ye 1993).
type trial struct {
	set   []bool // of each side of the last iterate
	tried bool   // it has been tried in vain
	warm  bool   // the run is from a warm start

	x, y, s, z []float64 // the iterate, during a trial
	reg        regularisation
}
