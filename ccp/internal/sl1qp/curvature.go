package sl1qp

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// curvature is the second-order term of a convex problem,
//
//	W = Σ wₖ·∇²fₖ + Σ ρᵢ·aᵢaᵢᵀ,
//
// over the linearised functions fₖ with their multipliers, and the gradients aᵢ of nonlinear
// equations. The second sum does not change a step that meets their rows, and makes W convex where
// the Hessian of the Lagrangian is so on their null space (Nocedal and Wright 2006, section 17.3).
// Where that is not enough, its diagonal becomes larger.
type curvature struct {
	sub    *subproblem.Problem
	pieces []*piece
	rows   []row     // of equations
	square bool      // there are places for the second sum
	diag   []int     // places of the variables' squares
	base   []float64 // P as compiled
	convex *qpbackend.Convexity
	x, v   []float64 // room: a product with a Hessian, and a direction
	size   []float64
}

// piece is a linearised function −h.
type piece struct {
	h     convex.Func
	times func(dst []float64, scale float64, x, v []float64) // the Hessian of h
	idx   []int
	up    []int     // rows −h ≤ s
	down  []int     // rows h ≤ s
	hess  []float64 // −∇²h, |idx|×|idx|
	pairs [][2]int  // indices into idx of the entries that may not be 0
	place []int     // of pairs
	w     float64
}

// row is the gradient of an equation.
type row struct {
	cut   *subproblem.Cut
	place []int // of its square
}

// The limits keep a Hessian cheaper than the factorisations of a convex problem: in
// entries of all Hessians, and variables of an equation.
// Source: limits of time and memory: four million entries are 32 MB.
const (
	mostEntries = 4_000_000
	mostSquared = 200
)

// newCurvature lists the functions; nil: their Hessians would be too large.
func newCurvature(sub *subproblem.Problem) *curvature {
	c := &curvature{sub: sub}
	n := sub.Compiled.DC.NumVars()
	entries := 0
	add := func(p *piece) {
		var ok bool
		if p.times, ok = convex.HessianOf(p.h); !ok {
			return // functions without kinks have one
		}
		p.idx = p.h.Support()
		entries += len(p.idx) * len(p.idx)
		c.pieces = append(c.pieces, p)
	}
	if f := smoothPart(sub.Compiled.H0); f != nil {
		add(&piece{h: f})
	}
	var first *piece // that of an equation's first half
	for k := 0; k < len(sub.Compiled.Cuts); {
		from := k
		for k++; k < len(sub.Compiled.Cuts) && sub.Compiled.Cuts[k].Same; k++ {
		}
		cut := &sub.Compiled.Cuts[from]
		if cut.Slack == subproblem.NoSlack {
			continue
		}
		owner := sub.Compiled.Rows.At(cut.Row).Owner
		if owner > 0 && sub.Compiled.DC.Constraints[owner-1].Equation && first != nil {
			first.down = append(first.down, cut.Row)
			first = nil
			continue
		}
		first = nil
		p := &piece{}
		for _, s := range sub.Compiled.Cuts[from:k] {
			p.up = append(p.up, s.Row)
		}
		if sub.Compiled.DC.Constraints[owner].Equation {
			if first = p; len(cut.Idx) <= mostSquared {
				c.rows = append(c.rows, row{cut: cut})
			}
		}
		if p.h = smoothPart(cut.H); p.h != nil {
			add(p)
		}
	}
	if entries > mostEntries {
		return nil
	}
	c.x, c.v = make([]float64, n), make([]float64, n)
	return c
}

// weight is the multiplier of the function, 1 for the objective.
func (p *piece) weight(y []float64) float64 {
	if len(p.up) == 0 {
		return 1
	}
	w := 0.0
	for _, i := range p.up {
		w += y[i]
	}
	for _, i := range p.down {
		w -= y[i]
	}
	return w
}

// hessian computes −∇²h, which h is minus of.
func (c *curvature) hessian(ctx context.Context, p *piece, x []float64) error {
	n := len(p.idx)
	if p.hess == nil {
		p.hess = make([]float64, n*n)
	}
	for b, j := range p.idx {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, i := range p.idx {
			c.x[i] = 0
		}
		c.v[j] = 1
		p.times(c.x, -1, x, c.v)
		c.v[j] = 0
		for a, i := range p.idx {
			if p.hess[a*n+b] = c.x[i]; !num.Finite(c.x[i]) {
				p.hess[a*n+b] = 0
			}
		}
	}
	return nil
}

// find finds the entries of a piece by the Hessians at points.
func (c *curvature) find(ctx context.Context, p *piece, points [][]float64) error {
	n := len(p.idx)
	in := make([]bool, n*n)
	for _, x := range points {
		if err := c.hessian(ctx, p, x); err != nil {
			return err
		}
		for k, v := range p.hess {
			in[k] = in[k] || v != 0
		}
	}
	for a := range n {
		for b := a; b < n; b++ {
			if in[b*n+a] {
				p.pairs = append(p.pairs, [2]int{a, b})
			}
		}
	}
	return nil
}

// places makes places in P.
func (c *curvature) places(square bool) {
	c.square = square
	var is, js []int
	for j := range c.v {
		is, js = append(is, j), append(js, j)
	}
	for _, p := range c.pieces {
		for _, e := range p.pairs {
			is, js = append(is, p.idx[e[0]]), append(js, p.idx[e[1]])
		}
	}
	if square {
		for k := range c.rows {
			idx := c.rows[k].cut.Idx
			for a, i := range idx {
				for _, j := range idx[a:] {
					is, js = append(is, i), append(js, j)
				}
			}
		}
	}
	all := c.sub.Curve(is, js)
	take := func(m int) (out []int) { out, all = all[:m], all[m:]; return out }
	c.diag = take(len(c.v))
	for _, p := range c.pieces {
		p.place = take(len(p.pairs))
	}
	for k := range c.rows {
		if m := len(c.rows[k].cut.Idx); square {
			c.rows[k].place = take(m * (m + 1) / 2)
		}
	}
	c.base = append([]float64(nil), c.sub.Compiled.QP.P.Val...)
	c.convex = nil
}

// at computes the Hessians at x of the functions that have a multiplier, by those of the rows.
func (c *curvature) at(ctx context.Context, x, y []float64) error {
	for _, p := range c.pieces {
		if p.w = p.weight(y); p.w == 0 {
			continue
		}
		if err := c.hessian(ctx, p, x); err != nil {
			return err
		}
	}
	return nil
}

// squares is the weight of the second sum, in multiples of the largest entry of the first over the
// squared length of a row, in units of the variables: enough where reduced and full Hessian are of
// one size. shares are those of the way to a dominant diagonal that follow.
const squares = 5

var shares = []float64{0, 1. / 64, 1. / 16, 0.25, 1}

// write writes W at x, as convex as it has to be, and its linear part to the convex
// problem.
func (c *curvature) write(ctx context.Context, x []float64) error {
	ok, err := c.try(ctx, 0, 0)
	if !ok && !c.square && err == nil {
		c.places(true)
		c.sub.Close()
	}
	for k := 0; k < len(shares) && !ok && err == nil; k++ {
		ok, err = c.try(ctx, shares[k], squares)
	}
	c.shift(x)
	return err
}

// try writes W with the second sum times κ and a diagonal that is the share t of the way to a
// dominant one, and reports whether that is positive semidefinite.
func (c *curvature) try(ctx context.Context, t, κ float64) (bool, error) {
	now := c.sub.Lin.Now.P
	copy(now, c.base)
	for _, p := range c.pieces {
		for e, at := range p.place {
			if a, b := p.pairs[e][0], p.pairs[e][1]; p.w != 0 {
				now[at] += p.w * p.hess[b*len(p.idx)+a]
			}
		}
	}
	top, need := c.circles()
	for j, at := range c.diag {
		now[at] += t * max(need[j], 0)
	}
	if κ > 0 {
		for _, r := range c.rows {
			c.addSquare(r, κ*top)
		}
	}
	if c.convex == nil {
		var err error
		if c.convex, err = qpbackend.NewConvexity(ctx, c.sub.Compiled.QP.P); err != nil {
			return false, err
		}
	}
	p := *c.sub.Compiled.QP.P
	p.Val = c.seen(now)
	exact, err := c.convex.Check(ctx, &p)
	if err != nil && ctx.Err() != nil {
		return false, ctx.Err()
	}
	return exact && err == nil, nil
}

// circles are the largest entry of W in units of the variables, and by how much each diagonal entry
// is below the sum of the others' sizes: with that much more W is convex (Gershgorin).
func (c *curvature) circles() (top float64, need []float64) {
	p, now := c.sub.Compiled.QP.P, c.sub.Lin.Now.P
	need = make([]float64, len(c.v))
	for j := range need {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i, v := p.RowIdx[k], now[k]
			if i >= len(need) {
				continue
			}
			top = max(top, math.Abs(v-c.base[k])*c.size[i]*c.size[j])
			if i == j {
				need[j] -= v
				continue
			}
			need[i] += math.Abs(v) * c.size[j] / c.size[i]
			need[j] += math.Abs(v) * c.size[i] / c.size[j]
		}
	}
	return top, need
}

// addSquare adds the square of a row, of the given size in units of the variables.
func (c *curvature) addSquare(r row, size float64) {
	now, length, e := c.sub.Lin.Now, 0.0, 0
	val := func(k int) float64 { return now.A[r.cut.Slot[k]] }
	for k, j := range r.cut.Idx {
		v := val(k) * c.size[j]
		length += v * v
	}
	if !(length > 0) {
		return
	}
	for a := range r.cut.Idx {
		for b := a; b < len(r.cut.Idx); b++ {
			now.P[r.place[e]] += size / length * val(a) * val(b)
			e++
		}
	}
}

// seen are the values of P without the columns and rows of parameters.
func (c *curvature) seen(now []float64) []float64 {
	hidden := c.sub.Compiled.Hidden.Cols
	if len(hidden) == 0 {
		return now
	}
	skip := make([]bool, len(c.sub.Lin.Now.Q))
	for _, j := range hidden {
		skip[j] = true
	}
	p := c.sub.Compiled.QP.P
	out := slices.Clone(now)
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			if skip[j] || skip[p.RowIdx[k]] {
				out[k] = 0
			}
		}
	}
	return out
}

// shift centres W at x, by the linear objective.
func (c *curvature) shift(x []float64) {
	c.sub.Session.Curved()
	c.add(c.sub.Lin.Now.Q, -1, x)
}

// quadratic is ½·dᵀWd for a step d.
func (c *curvature) quadratic(d []float64) float64 {
	out := make([]float64, len(c.sub.Lin.Now.Q))
	c.add(out, 1, d)
	return num.Dot(d, out) / 2
}

// add adds w times W·x to dst.
func (c *curvature) add(dst []float64, w float64, x []float64) {
	p := *c.sub.Compiled.QP.P
	p.Val = slices.Clone(c.sub.Lin.Now.P)
	for k, v := range c.base {
		p.Val[k] -= v
	}
	p.AddSymMulVec(dst, w, append(slices.Clone(x), make([]float64, len(dst)-len(x))...))
}

// smoothPart is f, or its smooth part if Problem.Linearised has made f; nil if it has none.
func smoothPart(f convex.Func) convex.Func {
	if smooth(f) {
		return f
	}
	if s, ok := f.(interface{ SmoothPart() convex.Func }); ok {
		return s.SmoothPart()
	}
	return nil
}

// smooth reports whether f has a gradient wherever it has subgradients, norms at 0
// aside; false where that is not known.
func smooth(f convex.Func) bool {
	if _, ok := f.(convex.Linear); ok {
		return true
	}
	s, ok := f.(interface{ Smooth() bool })
	return ok && s.Smooth()
}
