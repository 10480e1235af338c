package interior

import (
	"context"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/cone"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// Block is the part of the KKT matrix that the cone makes.
func Block(c qpbackend.Cone) kkt.Block {
	expanded := c.Kind == qpbackend.SecondOrder && c.Len > longestDense ||
		c.Kind == qpbackend.Exponential || c.Kind == qpbackend.Power
	b := kkt.Block{Start: c.Start, Len: c.Len, Expanded: expanded}
	if c.Kind == qpbackend.Semidefinite {
		b.Order = packed.Order(c.Len)
	}
	return b
}

// longestDense is the length of a second-order cone up to which its block is dense. A
// dense block of three rows has fewer entries than the expanded one, but loses the
// small eigenvalues of the scaling to rounding in the large ones.
// Source: docs/lab/bench.md, Constants of ipm.
const longestDense = 2

// cones holds the rows of cones of a work. A cone states
//
//	s = v − lo ∈ K,  with multiplier z = −y in the dual cone.
//
// The slices have an entry for each of their rows, cone after cone.
type cones struct {
	pair
	of       []*member
	rows     int // of the problem
	deg      float64
	asym     bool      // one of them is not symmetric
	expanded int       // how many have no dense block of more than two rows
	e        []float64 // the unit of each cone
	h        []float64 // a dense block, or the diagonal of an expanded one
	tryS     []float64 // of the line search
	tryZ     []float64
}

// member is one of the cones. Of sym and asym one is set.
type member struct {
	cone.Cone
	sym      cone.Symmetric
	asym     *cone.Asymmetric
	expanded interface{ Expansion(d, u, v []float64) } // nil: a dense block
	row      int                                       // first row
	from, to int                                       // range in the slices
	gone     bool                                      // its rows are eliminated, but not with variables
	spread   float64                                   // of a cone that is not symmetric, see there
	own      []int                                     // variables eliminated with its rows
}

// newCones makes the cones over the ranges of m rows.
func newCones(ranges []qpbackend.Cone, m int, sys *kkt.System) cones {
	c := cones{rows: m}
	rows, most, asym := 0, 0, 0
	for _, r := range ranges {
		if asymmetric(r) {
			asym++
		}
	}
	room, members := make([]cone.Asymmetric, asym), make([]member, len(ranges))
	for k, r := range ranges {
		mb := &members[k]
		*mb = newMember(r, rows)
		if asymmetric(r) {
			room[0], mb.spread = cone.Exponential(), spread
			if r.Kind == qpbackend.Power {
				room[0], mb.spread = cone.Power(r.Alpha), 1
			}
			mb.asym, mb.Cone, mb.expanded = &room[0], &room[0], &room[0]
			room = room[1:]
		}
		mb.own = sys.Own(k)
		mb.gone = sys.Eliminated(k) && mb.own == nil
		c.asym = c.asym || mb.asym != nil
		if mb.expanded != nil || r.Len <= longestDense {
			c.expanded++
		}
		switch {
		case mb.expanded != nil:
			most = max(most, r.Len)
		case !sys.Eliminated(k):
			most = max(most, r.Len*(r.Len+1)/2)
		}
		rows += r.Len
		c.deg += mb.Degree()
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

// spread is by how much the first s of an exponential cone is larger, and its z smaller, than the
// unit. Source: 1150 random programs with exponential and power cones, see stepAccuracy of package
// cone, take 13,557 iterations with 1, 13,240 with 2, and with the same for power cones 13,364 with
// 1.4, 13,230 with 2 and 13,299 with 3; as many others of these kinds 13,667 with 1 and 13,319 with
// 2. Four portfolios of CBLIB with power cones take 117 with 2 for these too, and 111 with 1.
const spread = 2

// newMember makes the cone, but for one that is not symmetric, with its entries in the slices from
// the given one on.
func newMember(c qpbackend.Cone, from int) member {
	mb := member{row: c.Start, from: from, to: from + c.Len}
	switch c.Kind {
	case qpbackend.SecondOrder:
		soc := cone.NewSecondOrder(c.Len)
		mb.sym = soc
		if Block(c).Expanded {
			mb.expanded = soc
		}
	case qpbackend.Semidefinite:
		mb.sym = cone.NewSemidefinite(packed.Order(c.Len))
	}
	mb.Cone = mb.sym
	return mb
}

func asymmetric(c qpbackend.Cone) bool {
	return c.Kind == qpbackend.Exponential || c.Kind == qpbackend.Power
}

func (mb *member) part(v []float64) []float64 { return v[mb.from:mb.to] }

// rowsOf are the entries of the cone in a vector with one for each entry of
// (x, Ax).
func (mb *member) rowsOf(w *Work, v []float64) []float64 {
	return v[w.n+mb.row:][:mb.to-mb.from]
}

func (c *cones) degree() float64 { return c.deg }

// multipliers: y = −z.
func (c *cones) multipliers(y []float64) {
	n := len(y) - c.rows
	for _, mb := range c.of {
		y := y[n+mb.row:][:mb.to-mb.from]
		for i, z := range mb.part(c.z) {
			y[i] = -z
		}
	}
}

func (c *cones) residual(w *Work, τ float64) float64 {
	for _, mb := range c.of {
		v, lo, s := mb.rowsOf(w, w.v), mb.rowsOf(w, w.prog.lo), mb.part(c.s)
		for i, rp := 0, mb.part(c.rp); i < len(rp); i++ {
			rp[i] = v[i] - τ*lo[i] - s[i]
		}
	}
	return num.NormInf(c.rp)
}

func (c *cones) scale(ctx context.Context) bool {
	for _, mb := range c.of {
		if ctx.Err() != nil || !mb.Scale(mb.part(c.s), mb.part(c.z)) && !mb.lift(mb.part(c.s), mb.part(c.z)) {
			return false
		}
	}
	return true
}

// lift moves s and z of a second-order cone inside by some unit roundoffs of their size, where
// they have left it by rounding alone, and finds the scaling.
func (mb *member) lift(s, z []float64) bool {
	soc, ok := mb.Cone.(*cone.SecondOrder)
	if !ok {
		return false
	}
	for _, v := range [...][]float64{s, z} {
		margin, least := soc.Margin(v), lifted*v[0]
		if !(margin > -least) {
			return false
		}
		v[0] += max(0, least-margin)
	}
	return soc.Scale(s, z)
}

// Source: derived: four unit roundoffs, the error of a norm and of the sums that led there.
const lifted = 4 * 0x1p-52

// weigh writes the blocks of the KKT matrix.
func (c *cones) weigh(w *Work) {
	more := w.prog.γy + w.reg.δ
	for k, mb := range c.of {
		diag := mb.rowsOf(w, w.lin.diag)
		if mb.expanded != nil {
			d := c.h[:len(diag)]
			u, v := w.lin.sys.Expansion(k)
			mb.expanded.Expansion(d, u, v)
			for i := range diag {
				diag[i] = -(d[i] + more)
			}
			continue
		}
		if w.lin.sys.Eliminated(k) {
			w.lin.sys.SetScaling(k, mb.sym.(*cone.Semidefinite))
			clear(diag)
			for _, j := range mb.own {
				w.lin.diag[j] = 0
			}
			continue
		}
		mb.sym.Block(c.h)
		w.lin.sys.SetDense(k, c.h)
		for i, at := 0, 0; i < len(diag); i++ {
			diag[i] = -(c.h[at] + more)
			at += i + 2
		}
	}
}

// affine: where the rows of a cone are eliminated rc belongs to the multipliers, H⁻¹ times
// the rc of the others, −z: the product would lose the digits of its small entries.
func (c *cones) affine() {
	for _, mb := range c.of {
		from := mb.part(c.s)
		if mb.gone {
			from = mb.part(c.z)
		}
		rc := mb.part(c.rc)
		for i, v := range from {
			rc[i] = -v
		}
	}
}

func (c *cones) centre(σμ float64) {
	c.affine()
	for _, mb := range c.of {
		if mb.gone {
			mb.Cone.(*cone.Semidefinite).CorrectDual(mb.part(c.rc), mb.part(c.ds), mb.part(c.dz), σμ)
			continue
		}
		mb.Correct(mb.part(c.rc), mb.part(c.ds), mb.part(c.dz), σμ)
	}
}

func (c *cones) right(w *Work) {
	for _, mb := range c.of {
		rhs, rc, rp := mb.rowsOf(w, w.lin.rhs), mb.part(c.rc), mb.part(c.rp)
		if mb.gone { // in the unknowns y + rc
			for i := range rhs {
				rhs[i] = -rp[i]
				for e := w.prog.at.ColPtr[mb.row+i]; e < w.prog.at.ColPtr[mb.row+i+1]; e++ {
					w.lin.rhs[w.prog.at.RowIdx[e]] += w.prog.at.Val[e] * rc[i]
				}
			}
			continue
		}
		for i := range rhs {
			rhs[i] = rc[i] - rp[i]
		}
	}
}

func (c *cones) recover(w *Work) {
	for _, mb := range c.of {
		dz, ds, rc := mb.part(c.dz), mb.part(c.ds), mb.part(c.rc)
		if mb.gone { // the row holds, and z has the rounding errors
			dy, dv, rp := mb.rowsOf(w, w.dy), mb.rowsOf(w, w.dv), mb.part(c.rp)
			for i := range dy {
				dy[i] -= rc[i]
				dz[i], ds[i] = -dy[i], dv[i]+rp[i]
			}
			continue
		}
		for i, dy := range mb.rowsOf(w, w.dy) {
			dz[i] = -dy
		}
		if mb.own != nil { // the row holds
			rp := mb.part(c.rp)
			for i, dv := range mb.rowsOf(w, w.dv) {
				ds[i] = dv + rp[i]
			}
			continue
		}
		mb.Mul(ds, dz)
		for i := range ds {
			ds[i] = rc[i] - ds[i]
		}
		// The row is missed by the accuracy of the solve, the proximal term and the rounding
		// of H·dz: most of that is little in the scaling.
		e, rp := mb.part(c.tryS), mb.part(c.rp)
		for i, dv := range mb.rowsOf(w, w.dv) {
			e[i] = dv + rp[i] - ds[i]
		}
		mb.Absorb(ds, e)
	}
}

// reach of the symmetric cones; settle knows about the others.
func (c *cones) reach(share float64) (αp, αd float64) {
	αp, αd = 1, 1
	for _, mb := range c.of {
		if mb.sym != nil {
			p, d := mb.sym.Reach(mb.part(c.ds), mb.part(c.dz))
			αp, αd = min(αp, share*p), min(αd, share*d)
		}
	}
	return αp, αd
}

// settle shortens the step to the length that the cones without a closed form allow: inside
// for a share of 1, and for less centrally enough too.
func (c *cones) settle(w *Work, most, share float64) float64 {
	if share < 1 && c.central(w, most) {
		return most
	}
	α := most
	for _, mb := range c.of {
		if mb.asym != nil {
			α = mb.asym.Reach(mb.part(c.s), mb.part(c.z), mb.part(c.ds), mb.part(c.dz), α)
		}
	}
	if α < most {
		α *= share
	}
	if !(α > shortestStep) {
		return 0
	}
	for share < 1 && !c.central(w, α) {
		if α *= takeBack; !(α > shortestStep) {
			return 0
		}
	}
	return α
}

// central reports whether all those cones are central enough after the step α.
func (c *cones) central(w *Work, α float64) bool {
	μ := w.after(α, α) / w.degree()
	for _, mb := range c.of {
		if mb.asym == nil {
			continue
		}
		s, z, ds, dz := mb.part(c.s), mb.part(c.z), mb.part(c.ds), mb.part(c.dz)
		tryS, tryZ := mb.part(c.tryS), mb.part(c.tryZ)
		for i := range s {
			tryS[i], tryZ[i] = s[i]+α*ds[i], z[i]+α*dz[i]
		}
		if !mb.asym.Inside(tryS, tryZ, leastCentral, μ) {
			return false
		}
	}
	return true
}

// Source: docs/lab/bench.md, Constants of ipm; the neighbourhood of Dahl and Andersen 2022.
const (
	leastCentral = 1e-4 // of ν/⟨s̃, z̃⟩ relative to μ
	takeBack     = 0.8
	shortestStep = 1e-10
)

func (c *cones) after(αp, αd float64) float64 {
	sum := 0.0
	for i, s := range c.s {
		sum += (s + αp*c.ds[i]) * (c.z[i] + αd*c.dz[i])
	}
	return sum
}

func (c *cones) product() float64 { return num.Dot(c.s, c.z) }

func (c *cones) advance(αp, αd float64) {
	for i := range c.s {
		c.s[i] += αp * c.ds[i]
		c.z[i] += αd * c.dz[i]
	}
}
