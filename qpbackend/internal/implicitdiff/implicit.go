package implicitdiff

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Derivative is a qpbackend.Derivative. It is for one goroutine.
type Derivative struct {
	prob *qpbackend.Problem
	n, m int

	pieces []*piece
	p      *sparse.CSC // scaled
	rows   *rows
	mat    matrices

	scale *equil.Scaling
	now   point
	side  []side // of the variables, then of the rows
	old   []side
	room  room

	missed float64 // by the last solve, see qpbackend.Tangent
	reg    qpbackend.Regularity
	out    qpbackend.Tangent // the point in the units of the problem
}

// matrices are those of the linearised conditions, in units of their own.
type matrices struct {
	q        *sparse.CSC    // P by level
	at       *sparse.CSC    // scaled, turned and weighted: Âᵀ
	level    *equil.Scaling // of the matrix
	sys      *kkt.System
	expand   []int // of each piece, its block in the system; −1 for a dense basis
	singular bool  // or nearly
}

// point is a point, scaled.
type point struct {
	x      []float64 // the variables,
	wx, wy []float64 // and w of their bounds and of the rows
	s      []float64 // Π(w) of the rows
	y, z   []float64
}

// room is the memory of a solve.
type room struct {
	diag, rhs, sol, more, res []float64
	b1, b3, b2                []float64 // scaled right-hand sides
	dx, dz, dy                []float64 // scaled changes
	f1, f3, f2                []float64 // residuals of the conditions
	off                       []bool
}

// side says which sides hold.
type side uint8

const (
	none side = iota
	lower
	upper
	both
	conic
)

// New prepares the derivatives of solutions of p, which may change its values but not its pattern.
// The strategy is that of package kkt; solver is the system that the problem was solved with, whose
// analysis serves again where the matrices have one pattern.
func New(ctx context.Context, p *qpbackend.Problem, how kkt.Strategy, solver *kkt.System) (*Derivative, error) {
	n, m := p.Dims()
	r, err := newRows(p)
	if err != nil {
		return nil, err
	}
	d := &Derivative{prob: p, n: n, m: m, p: p.P.Clone(), rows: r,
		mat: matrices{q: p.P.Clone(), at: r.at, level: equil.New(n, m, nil)}}
	var blocks []kkt.Block
	for _, c := range p.Cones {
		pc := newPiece(c)
		d.pieces = append(d.pieces, pc)
		if d.mat.expand = append(d.mat.expand, -1); long(c) {
			d.mat.expand[len(d.mat.expand)-1] = len(blocks)
			blocks = append(blocks, kkt.Block{Start: c.Start, Len: c.Len, Expanded: true})
			d.mat.level.Groups = append(d.mat.level.Groups, equil.Group{Start: c.Start, Len: c.Len})
		}
	}
	if how == kkt.Schur {
		how, solver = kkt.Auto, nil
	}
	if d.mat.sys, err = kkt.New(ctx, d.mat.q, d.mat.at, blocks, how, solver); err != nil {
		return nil, fmt.Errorf("derivative: %w", err)
	}
	vec := func(k int) []float64 { return make([]float64, k) }
	now, room := &d.now, &d.room
	for _, v := range [...]*[]float64{
		&now.x, &now.wx, &now.z, &room.b1, &room.b3, &room.dx, &room.dz, &room.f1, &room.f3, &d.out.X, &d.out.Z,
	} {
		*v = vec(n)
	}
	for _, v := range [...]*[]float64{&now.wy, &now.s, &now.y, &room.b2, &room.dy, &room.f2, &d.out.Y} {
		*v = vec(m)
	}
	size := d.mat.sys.Size()
	d.room.diag, d.room.rhs, d.room.sol, d.room.more, d.room.res = vec(n+m), vec(size), vec(size), vec(size), vec(size)
	d.room.off, d.side, d.old = make([]bool, n+m), make([]side, n+m), make([]side, n+m)
	return d, nil
}

// Sides nearer than this, relative, are one.
// Source: ipm has the same.
const equalWidth = 1e-12

// maxNewton bounds the steps of refinement. One is enough where the solver's tolerance is
// 1e-8 and the solution regular, as they converge quadratically.
// Source: derived: 1e-3 squared four times is below the unit roundoff.
const maxNewton = 4

// mostFlips bounds the steps after which other sides hold than before. Where all rows are linear
// the step after the last flip is exact, however much the residual has risen by the one before.
// Source: a limit of time; it takes one or two where the solver's accuracy is some 1e-4.
const mostFlips = 10

// exact is the residual of the conditions that needs no refinement.
// Source: derived: some hundred unit roundoffs of scaled data.
const exact = 1e-13

// slow is the reduction of the residual from which on another step is not worth its time.
// Source: derived: quadratic convergence makes of 1e-2 at least 1e-4; less is rounding.
const slow = 0.01

// Linearise finds the derivative at the solution x, y, z of the present values, with the
// scaling. The slices are copied.
func (d *Derivative) Linearise(ctx context.Context, x, y, z []float64, scale *equil.Scaling) error {
	d.scale, d.mat.singular = scale, false
	d.load(x, y, z)
	last, least := math.Inf(1), math.Inf(1)
	var kept [3][]float64 // the point of the least residual
	for k := 0; ; k++ {
		changed, flipped, err := d.project(ctx)
		if err != nil {
			return err
		}
		res := d.conditions()
		again := flipped && k > 0 && k < mostFlips
		if k > 0 && !(res < least) && !again {
			if err := d.back(ctx, kept); err != nil {
				return err
			}
			break
		}
		d.reg.Residual = res
		if changed || k == 0 {
			if err := d.factor(ctx, k == 0); err != nil {
				return err
			}
		}
		if res <= exact || !again && (k >= maxNewton || res > slow*last) {
			break
		}
		if last = res; res < least {
			least = res
			for i, v := range [...][]float64{d.now.x, d.now.wx, d.now.wy} {
				kept[i] = append(kept[i][:0], v...)
			}
		}
		if err := d.newton(ctx); err != nil {
			return err
		}
	}
	d.unscale()
	return d.judge(ctx)
}

// back goes back to a point before the last.
func (d *Derivative) back(ctx context.Context, point [3][]float64) error {
	copy(d.now.x, point[0])
	copy(d.now.wx, point[1])
	copy(d.now.wy, point[2])
	if _, _, err := d.project(ctx); err != nil {
		return err
	}
	d.reg.Residual = d.conditions()
	return d.factor(ctx, false)
}

// load scales the problem and the point.
func (d *Derivative) load(x, y, z []float64) {
	sc := d.scale
	for j := range d.n {
		for e := d.p.ColPtr[j]; e < d.p.ColPtr[j+1]; e++ {
			d.p.Val[e] = sc.C * sc.B * sc.D[j] * sc.D[d.p.RowIdx[e]] * d.prob.P.Val[e]
		}
	}
	d.rows.load(d.prob.A, sc)
	for j, v := range x {
		d.now.x[j] = v / (sc.B * sc.D[j])
		d.now.wx[j] = d.now.x[j] + sc.C*sc.D[j]*z[j]
	}
	clear(d.now.s)
	d.rows.a.AddMulVec(d.now.s, 1, d.now.x)
	d.rows.offset(d.prob, sc)
	for i, v := range y {
		d.now.wy[i] = d.now.s[i] + sc.C/sc.E[i]*v
	}
	for _, pc := range d.pieces {
		num.Axpy(d.now.wy[pc.Start:][:pc.Len], -1, d.rows.l[pc.Start:][:pc.Len])
	}
}

// bounds are those of variable j, scaled.
func (d *Derivative) bounds(j int) (lo, hi float64) {
	lo, hi = d.prob.Bounds(j)
	f := 1 / (d.scale.B * d.scale.D[j])
	return f * lo, f * hi
}

// clip projects w on the sides.
func clip(w, lo, hi float64) (s float64, at side, margin float64) {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return w, none, math.Inf(1)
	case hi-lo <= equalWidth*max(1, min(math.Abs(lo), math.Abs(hi))):
		return lo + (hi-lo)/2, both, math.Inf(1)
	case w <= lo:
		return lo, lower, lo - w
	case w >= hi:
		return hi, upper, w - hi
	}
	return w, none, min(w-lo, hi-w)
}

// project finds the projections of w and their derivatives. It reports whether these may differ
// from those before, and whether other sides hold.
func (d *Derivative) project(ctx context.Context) (changed, flipped bool, err error) {
	copy(d.old, d.side)
	d.reg.Margin, d.reg.Variable, d.reg.Row = math.Inf(1), -1, -1
	note := func(margin, size float64, variable, row int) {
		if rel := margin / max(1, size); rel < d.reg.Margin {
			d.reg.Margin, d.reg.Variable, d.reg.Row = rel, variable, row
		}
	}
	for j, w := range d.now.wx {
		lo, hi := d.bounds(j)
		s, at, margin := clip(w, lo, hi)
		d.room.f3[j], d.now.z[j], d.side[j] = d.now.x[j]-s, w-s, at
		note(margin, math.Abs(s), j, -1)
	}
	for i, w := range d.now.wy {
		if d.rows.cone[i] {
			d.side[d.n+i] = conic
			continue
		}
		s, at, margin := clip(w, d.rows.l[i], d.rows.u[i])
		d.now.s[i], d.now.y[i], d.side[d.n+i] = s, w-s, at
		note(margin, math.Abs(s), -1, i)
	}
	for _, pc := range d.pieces {
		s, w, y := d.now.s[pc.Start:][:pc.Len], d.now.wy[pc.Start:][:pc.Len], d.now.y[pc.Start:][:pc.Len]
		if !pc.at(ctx, s, w) {
			if ctx.Err() != nil {
				return false, false, ctx.Err()
			}
			return false, false, errors.New("derivative: the solution is not finite")
		}
		for i := range y {
			y[i] = w[i] - s[i]
			s[i] += d.rows.l[pc.Start+i]
		}
		note(pc.margin, 1, -1, pc.Start)
	}
	for i, at := range d.side {
		flipped = flipped || at != d.old[i]
	}
	return flipped || len(d.pieces) > 0, flipped, nil
}

// conditions sets the residuals of the optimality conditions and returns the largest.
func (d *Derivative) conditions() float64 {
	for j, q := range d.prob.Q {
		d.room.f1[j] = d.scale.C*d.scale.D[j]*q + d.now.z[j]
	}
	d.p.AddSymMulVec(d.room.f1, 1, d.now.x)
	for i, s := range d.now.s {
		d.room.f2[i] = -s
	}
	d.rows.a.AddMulBoth(d.room.f2, d.room.f1, d.now.x, d.now.y)
	return max(num.NormInf(d.room.f1), num.NormInf(d.room.f3), num.NormInf(d.room.f2))
}

// newton moves the point by a step on the conditions.
func (d *Derivative) newton(ctx context.Context) error {
	copy(d.room.b1, d.room.f1)
	copy(d.room.b2, d.room.f2)
	copy(d.room.b3, d.room.f3)
	if err := d.solve(ctx); err != nil {
		return err
	}
	for j, dx := range d.room.dx {
		d.now.x[j] += dx
		d.now.wx[j] += dx + d.room.f3[j] + d.room.dz[j]
	}
	for i, dy := range d.room.dy {
		d.now.wy[i] += d.room.f2[i] + dy
	}
	d.rows.a.AddMulVec(d.now.wy, 1, d.room.dx)
	return nil
}

// unscale sets the point in the units of the problem.
func (d *Derivative) unscale() {
	sc := d.scale
	for j, v := range d.now.x {
		d.out.X[j] = sc.B * sc.D[j] * v
		d.out.Z[j] = d.now.z[j] / (sc.C * sc.D[j])
	}
	for i, v := range d.now.y {
		d.out.Y[i] = sc.E[i] / sc.C * v
	}
}

// Point implements qpbackend.Derivative.
func (d *Derivative) Point() qpbackend.Tangent { return d.out }

// Regularity implements qpbackend.Derivative.
func (d *Derivative) Regularity() qpbackend.Regularity { return d.reg }
