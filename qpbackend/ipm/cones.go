package ipm

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/cone"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// coneRange is a cone over rows.
type coneRange struct {
	kind     qpbackend.ConeKind
	α        float64
	row, len int // first row and their number
}

// groups are the rows that the scaling has to treat alike.
func (l *layout) groups() []equil.Group {
	var g []equil.Group
	for _, c := range l.cones {
		g = append(g, equil.Group{Start: c.row, Len: c.len})
	}
	return g
}

// block is the part of the KKT matrix that the cone makes.
func (c coneRange) block() kkt.Block {
	expanded := c.kind == qpbackend.SecondOrder && c.len > longestDense
	return kkt.Block{Start: c.row, Len: c.len, Expanded: expanded}
}

// blocks are those of all cones. It is an error if they would not fit into
// memory.
func (l *layout) blocks() ([]kkt.Block, error) {
	var blocks []kkt.Block
	entries := 0.0
	for _, c := range l.cones {
		b := c.block()
		if !b.Expanded {
			entries += float64(c.len) * float64(c.len+1) / 2
		}
		if entries > mostDense {
			return nil, fmt.Errorf("ipm: with a %v cone of %d rows the KKT matrix has more than %g entries; a semidefinite cone may have an order of some 160", c.kind, c.len, mostDense)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// mostDense entries of dense blocks take most of a GB, and the factor as much
// again.
const mostDense = 1e8

// longestDense is the length of a second-order cone up to which a dense block is
// cheaper than the expanded one.
const longestDense = 4

// cones holds the rows of cones of a work. A cone states
//
//	s = v − lo ∈ K,  with multiplier z = −y in the dual cone.
//
// The slices have an entry for each of their rows, cone after cone.
type cones struct {
	of     []member
	degree float64
	asym   bool // one of them is not symmetric
	s, z   []float64
	ds, dz []float64
	rp, rc []float64
	e      []float64 // the unit of each cone
	h      []float64 // a dense block, or the diagonal of an expanded one
	tryS   []float64 // of the line search
	tryZ   []float64
}

// member is one of the cones. Of sym and asym one is set.
type member struct {
	cone.Cone
	sym      cone.Symmetric
	asym     cone.Asymmetric
	soc      *cone.SecondOrder // with expanded
	expanded bool
	row      int // first row
	from, to int // range in the slices
}

// newCones is nil where there are none.
func newCones(ranges []coneRange) *cones {
	if len(ranges) == 0 {
		return nil
	}
	c := &cones{}
	rows, most := 0, 0
	for _, r := range ranges {
		mb := r.member(rows)
		c.asym = c.asym || mb.asym != nil
		if mb.expanded {
			most = max(most, r.len)
		} else {
			most = max(most, r.len*(r.len+1)/2)
		}
		rows += r.len
		c.degree += mb.Degree()
		c.of = append(c.of, mb)
	}
	for _, v := range [...]*[]float64{&c.s, &c.z, &c.ds, &c.dz, &c.rp, &c.rc, &c.e, &c.tryS, &c.tryZ} {
		*v = make([]float64, rows)
	}
	c.h = make([]float64, most)
	for _, mb := range c.of {
		mb.Unit(mb.part(c.e))
	}
	return c
}

// member makes the cone, with its entries in the slices from the given one on.
func (c coneRange) member(from int) member {
	mb := member{expanded: c.block().Expanded, row: c.row, from: from, to: from + c.len}
	switch c.kind {
	case qpbackend.SecondOrder:
		mb.soc = cone.NewSecondOrder(c.len)
		mb.sym = mb.soc
	case qpbackend.Exponential:
		mb.asym = cone.NewExponential()
	case qpbackend.Power:
		mb.asym = cone.NewPower(c.α)
	case qpbackend.Semidefinite:
		mb.sym = cone.NewSemidefinite(order(c.len))
	}
	if mb.Cone = mb.sym; mb.asym != nil {
		mb.Cone = mb.asym
	}
	return mb
}

// order is that of the matrix whose triangle has so many entries.
func order(entries int) int { return int(math.Sqrt(2 * float64(entries))) }

func (mb *member) part(v []float64) []float64 { return v[mb.from:mb.to] }

// rowsOf are the entries of the cone in a vector with one for each entry of
// (x, Ax).
func (mb *member) rowsOf(w *work, v []float64) []float64 {
	return v[w.n+mb.row:][:mb.to-mb.from]
}

// count is the number of complementarity products: what sᵀz is divided by.
func (w *work) count() float64 {
	c := float64(len(w.side.s))
	if w.cone != nil {
		c += w.cone.degree
	}
	if w.hom != nil {
		c++
	}
	return c
}

// coneMultipliers sets y on the rows of cones.
func (w *work) coneMultipliers() {
	for k := range w.cone.of {
		mb := &w.cone.of[k]
		y := mb.rowsOf(w, w.y)
		for i, z := range mb.part(w.cone.z) {
			y[i] = -z
		}
	}
}

// coneResidual sets rp, and adds to pinf and μ what cones have.
func (w *work) coneResidual() {
	c, τ := w.cone, w.τ()
	for k := range c.of {
		mb := &c.of[k]
		v, lo, s := mb.rowsOf(w, w.v), mb.rowsOf(w, w.lo), mb.part(c.s)
		for i, rp := 0, mb.part(c.rp); i < len(rp); i++ {
			rp[i] = v[i] - τ*lo[i] - s[i]
		}
	}
	sides := float64(len(w.side.s))
	w.pinf = max(w.pinf, normInf(c.rp))
	w.μ = (w.μ*sides + dot(c.s, c.z)) / (sides + c.degree)
}

// scaleCones finds the scalings at the present point, false where it is no
// longer inside.
func (w *work) scaleCones(ctx context.Context) bool {
	if w.cone == nil {
		return true
	}
	for k := range w.cone.of {
		mb := &w.cone.of[k]
		if ctx.Err() != nil || !mb.Scale(mb.part(w.cone.s), mb.part(w.cone.z)) {
			return false
		}
	}
	return true
}

// weighCones writes the blocks of the KKT matrix.
func (w *work) weighCones() {
	c, more := w.cone, w.γy+w.reg.δ
	for k := range c.of {
		mb := &c.of[k]
		diag := mb.rowsOf(w, w.diag)
		if mb.expanded {
			d := c.h[:len(diag)]
			u, v := w.sys.Expansion(k)
			mb.soc.Expansion(d, u, v)
			for i := range diag {
				diag[i] = -(d[i] + more)
			}
			continue
		}
		mb.Block(c.h)
		w.sys.SetDense(k, c.h)
		for i, at := 0, 0; i < len(diag); i++ {
			diag[i] = -(c.h[at] + more)
			at += i + 2
		}
	}
}

// affineCones sets the right-hand side of the predictor.
func (w *work) affineCones() {
	for i, s := range w.cone.s {
		w.cone.rc[i] = -s
	}
}

// centreCones sets that of the corrector.
func (w *work) centreCones(σμ float64) {
	c := w.cone
	for i, s := range c.s {
		c.rc[i] = -s
	}
	for k := range c.of {
		mb := &c.of[k]
		mb.Correct(mb.part(c.rc), mb.part(c.ds), mb.part(c.dz), σμ)
	}
}

// coneRHS sets the right-hand side of the KKT matrix on the rows of cones.
func (w *work) coneRHS() {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		rhs, rc, rp := mb.rowsOf(w, w.rhs), mb.part(c.rc), mb.part(c.rp)
		for i := range rhs {
			rhs[i] = rc[i] - rp[i]
		}
	}
}

// recoverCones sets ds and dz from dy.
func (w *work) recoverCones() {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		dz, ds, rc := mb.part(c.dz), mb.part(c.ds), mb.part(c.rc)
		for i, dy := range mb.rowsOf(w, w.dy) {
			dz[i] = -dy
		}
		mb.Mul(ds, dz)
		for i := range ds {
			ds[i] = rc[i] - ds[i]
		}
	}
}

// coneSteps shortens αp and αd to what the cones allow, as stepLengths.
func (w *work) coneSteps(τ float64) {
	c := w.cone
	for k := range c.of {
		if mb := &c.of[k]; mb.sym != nil {
			αp, αd := mb.sym.Reach(mb.part(c.ds), mb.part(c.dz))
			w.αp, w.αd = min(w.αp, τ*αp), min(w.αd, τ*αd)
		}
	}
}

// asymmetricSteps shortens the common step to what the cones without a closed
// form allow: inside for τ = 1, and for less centrally enough too.
func (w *work) asymmetricSteps(τ float64) {
	c := w.cone
	α := w.αp
	for k := range c.of {
		if mb := &c.of[k]; mb.asym != nil && !w.insideAfter(mb, α, 0, 0) {
			lo, hi := 0.0, α
			for hi-lo > stepAccuracy*hi {
				if mid := lo + (hi-lo)/2; w.insideAfter(mb, mid, 0, 0) {
					lo = mid
				} else {
					hi = mid
				}
				if hi < shortestStep {
					break
				}
			}
			α = lo
		}
	}
	if α < w.αp {
		α *= τ
	}
	if τ < 1 {
		α = w.central(α)
	}
	w.αp, w.αd = α, α
}

// central takes the step α back until all those cones are central enough.
func (w *work) central(α float64) float64 {
	c := w.cone
	μ := w.after(α, α) / w.count()
	for k := 0; k < len(c.of); k++ {
		if mb := &c.of[k]; mb.asym != nil && !w.insideAfter(mb, α, leastCentral, μ) {
			if α *= takeBack; !(α > shortestStep) {
				return 0
			}
			μ = w.after(α, α) / w.count()
			k = -1
		}
	}
	return α
}

func (w *work) insideAfter(mb *member, α, share, μ float64) bool {
	c := w.cone
	s, z, ds, dz := mb.part(c.s), mb.part(c.z), mb.part(c.ds), mb.part(c.dz)
	tryS, tryZ := mb.part(c.tryS), mb.part(c.tryZ)
	for i := range s {
		tryS[i], tryZ[i] = s[i]+α*ds[i], z[i]+α*dz[i]
	}
	return mb.asym.Inside(tryS, tryZ, share, μ)
}

const (
	leastCentral = 1e-4 // of ν/⟨s̃, z̃⟩ relative to μ
	takeBack     = 0.8
	stepAccuracy = 0.01
	shortestStep = 1e-10
)

// after is the sum of s·z after steps along the direction.
func (w *work) after(αp, αd float64) float64 {
	sum := w.side.after(w.side.ds, w.side.dz, αp, αd)
	if c := w.cone; c != nil {
		for i, s := range c.s {
			sum += (s + αp*c.ds[i]) * (c.z[i] + αd*c.dz[i])
		}
	}
	if h := w.hom; h != nil {
		sum += (h.τ + αp*h.dτ) * (h.κ + αd*h.dκ)
	}
	return sum
}

// advanceCones moves s and z.
func (w *work) advanceCones() {
	c := w.cone
	for i := range c.s {
		c.s[i] += w.αp * c.ds[i]
		c.z[i] += w.αd * c.dz[i]
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
