package sl1qp

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/qpbackend"
)

// curvature is the second-order term of a convex problem,
//
//	W = Σ wₖ·∇²fₖ + Σ ρᵢ·aᵢaᵢᵀ,
//
// over the linearised functions fₖ with their multipliers, and the gradients aᵢ of
// rows that hold with equality. The second sum does not change a step that meets these
// rows, and makes W convex where the Hessian of the Lagrangian is so on their null
// space (Nocedal and Wright 2006, section 17.3). Where that is not enough, fₖ that are
// not convex move towards their convex parts.
type curvature struct {
	sub    *subproblem.Problem
	pieces []*piece
	rows   []row
	square bool // there are places for the second sum
	diag   []int
	base   []float64 // P as compiled
	convex *qpbackend.Convexity
	x, v   []float64 // room: a product with a Hessian, and a direction
	σ      float64
	size   []float64
	moved  bool // W has moved towards convex parts
}

// piece is a linearised function −h.
type piece struct {
	h      dc.Convex
	times  func(dst []float64, scale float64, x, v []float64) // the Hessian of h
	idx    []int
	up     []int // rows −h ≤ s
	down   []int // rows h ≤ s
	blocks []block
	hess   []float64 // −∇²h, |idx|×|idx|
	w      float64
}

// block is a connected part of a Hessian.
type block struct {
	at    []int // indices into idx
	pairs [][2]int
	place []int
	full  []float64 // entries of pairs
	above []float64 // of a matrix that is positive semidefinite and above w times them
}

// row is one that holds with equality, or may.
type row struct {
	idx    []int
	val    func(k int) float64
	weight func(y []float64) float64 // its multiplier
	equal  bool
	soft   bool // it has a slack
	at     int  // one of its rows in the convex problem
	place  []int
}

// held tells which rows and variables hold with equality.
type held struct {
	row    func(r *row) bool
	column func(j int) bool
}

// The limits keep a Hessian cheaper than the factorisations of a convex problem: in
// entries of all Hessians, variables of a block whose eigenvalues are computed, and of
// a row that is squared.
// Source: limits of time and memory: four million entries are 32 MB.
const (
	mostEntries = 4_000_000
	mostEigen   = 200
	mostSquared = 200
)

// newCurvature lists the functions; nil: their Hessians would be too large.
func newCurvature(sub *subproblem.Problem) *curvature {
	c := &curvature{sub: sub}
	n := sub.Compiled.DC.NumVars()
	entries := 0
	add := func(p *piece) {
		var ok bool
		if p.times, ok = dc.HessianOf(p.h); !ok {
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
		if owner > 0 && sub.Compiled.DC.Constraints[owner-1].Equation() && first != nil {
			first.down = append(first.down, cut.Row)
			first = nil
			continue
		}
		first = nil
		p := &piece{}
		for _, s := range sub.Compiled.Cuts[from:k] {
			p.up = append(p.up, s.Row)
		}
		equation := sub.Compiled.DC.Constraints[owner].Equation()
		if c.rows = append(c.rows, row{idx: cut.Idx, val: func(i int) float64 { return sub.Lin.Now.A[cut.Slot[i]] }, weight: p.weight, equal: equation, soft: true, at: cut.Row}); equation {
			first = p
		}
		if p.h = smoothPart(cut.H); p.h != nil {
			add(p)
		}
	}
	if entries > mostEntries {
		return nil
	}
	cut := map[int]bool{}
	for k := range sub.Compiled.Cuts {
		cut[sub.Compiled.Cuts[k].Row] = true
	}
	cone := make([]bool, sub.Compiled.Rows.Count())
	for _, k := range sub.Compiled.QP.Cones {
		for i := range k.Len {
			cone[k.Start+i] = true
		}
	}
	for i, r := range sub.Compiled.Rows.Single { // there are no families
		if a := r.A; !cut[i] && !cone[i] && len(a.Idx) > 0 && a.Idx[len(a.Idx)-1] < n {
			c.rows = append(c.rows, row{idx: a.Idx, val: func(k int) float64 { return a.Val[k] }, weight: func(y []float64) float64 { return y[i] }, equal: r.Lo == r.Hi, at: i})
		}
	}
	c.rows = slices.DeleteFunc(c.rows, func(r row) bool { return len(r.idx) > mostSquared })
	c.x, c.v = make([]float64, n), make([]float64, n)
	return c
}

// weigh takes the multipliers of the rows.
func (c *curvature) weigh(y []float64) {
	for _, p := range c.pieces {
		p.w = p.weight(y)
	}
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
			v := c.x[i]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = 0
			}
			p.hess[a*n+b] = v
		}
	}
	return nil
}

// rounding is the share of the largest entry of W, above the error of differences, that is added to
// its diagonal where a test for convexity could fail by rounding.
// Source: docs/lab/ccp.md, Constants.
const rounding = 1e-6

// find finds the connected blocks of a piece by the Hessians at points.
func (c *curvature) find(ctx context.Context, p *piece, points [][]float64) error {
	n := len(p.idx)
	in := make([]bool, n*n)
	for _, x := range points {
		if err := c.hessian(ctx, p, x); err != nil {
			return err
		}
		for a := range n {
			for b := range a + 1 {
				in[b*n+a] = in[b*n+a] || p.hess[a*n+b] != 0
			}
		}
	}
	root := make([]int, n)
	for a := range root {
		root[a] = a
	}
	find := func(a int) int {
		for root[a] != a {
			root[a] = root[root[a]]
			a = root[a]
		}
		return a
	}
	for a := range n {
		for b := a; b < n; b++ {
			if in[a*n+b] {
				root[find(b)] = find(a)
			}
		}
	}
	number := map[int]int{}
	p.blocks = nil
	for a := range n {
		k, ok := number[find(a)]
		if !ok {
			k = len(p.blocks)
			number[find(a)] = k
			p.blocks = append(p.blocks, block{})
		}
		b := &p.blocks[k]
		b.at = append(b.at, a)
		b.pairs = append(b.pairs, [2]int{a, a})
		for other := a + 1; other < n; other++ {
			if in[a*n+other] {
				b.pairs = append(b.pairs, [2]int{a, other})
			}
		}
	}
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool { return len(b.at) == 1 && !in[b.at[0]*n+b.at[0]] })
	for k := range p.blocks { // eigenvectors fill a block
		if b := &p.blocks[k]; len(b.at) <= mostEigen && len(b.at) > 2 {
			b.pairs = b.pairs[:0]
			for i, u := range b.at {
				for _, v := range b.at[i:] {
					b.pairs = append(b.pairs, [2]int{u, v})
				}
			}
		}
	}
	return nil
}

// places makes places in P.
func (c *curvature) places(square bool) {
	n := c.sub.Compiled.DC.NumVars()
	c.square = square
	var is, js []int
	for j := range n {
		is, js = append(is, j), append(js, j)
	}
	for _, p := range c.pieces {
		for k := range p.blocks {
			for _, e := range p.blocks[k].pairs {
				is, js = append(is, p.idx[e[0]]), append(js, p.idx[e[1]])
			}
		}
	}
	if square {
		for k := range c.rows {
			idx := c.rows[k].idx
			for a, i := range idx {
				for _, j := range idx[a:] {
					is, js = append(is, i), append(js, j)
				}
			}
		}
	}
	all := c.sub.Curve(is, js)
	take := func(m int) (out []int) { out, all = all[:m], all[m:]; return out }
	c.diag = take(n)
	for _, p := range c.pieces {
		for k := range p.blocks {
			b := &p.blocks[k]
			b.place = take(len(b.pairs))
			b.full, b.above = make([]float64, len(b.pairs)), make([]float64, len(b.pairs))
		}
	}
	if square {
		for k := range c.rows {
			m := len(c.rows[k].idx)
			c.rows[k].place = take(m * (m + 1) / 2)
		}
	}
	c.base = append([]float64(nil), c.sub.Compiled.QP.P.Val...)
	c.convex = nil
}

// at computes the Hessians at x and their convex parts.
func (c *curvature) at(ctx context.Context, x []float64) error {
	for _, p := range c.pieces {
		if p.w == 0 {
			for k := range p.blocks {
				clear(p.blocks[k].full)
				clear(p.blocks[k].above)
			}
			continue
		}
		if err := c.hessian(ctx, p, x); err != nil {
			return err
		}
		n := len(p.idx)
		for k := range p.blocks {
			b := &p.blocks[k]
			for e, pair := range b.pairs {
				b.full[e] = p.w * p.hess[pair[0]*n+pair[1]]
			}
			c.lift(p, b)
		}
	}
	return nil
}

// lift computes the positive semidefinite part of a block, in units of the variables.
func (c *curvature) lift(p *piece, b *block) {
	m := len(b.at)
	size := func(a int) float64 { return c.size[p.idx[a]] }
	if m == 1 {
		b.above[0] = max(b.full[0], 0)
		return
	}
	copy(b.above, b.full)
	if m > mostEigen { // by the circles of Gershgorin
		need := map[int]float64{}
		for e, pair := range b.pairs {
			if u, v := pair[0], pair[1]; u == v {
				need[u] -= b.full[e]
			} else {
				need[u] += math.Abs(b.full[e]) * size(v) / size(u)
				need[v] += math.Abs(b.full[e]) * size(u) / size(v)
			}
		}
		for e, pair := range b.pairs {
			if pair[0] == pair[1] {
				b.above[e] += max(need[pair[0]], 0)
			}
		}
		return
	}
	number := map[int]int{}
	for i, a := range b.at {
		number[a] = i
	}
	s := mat.NewSymDense(m, nil)
	for e, pair := range b.pairs {
		s.SetSym(number[pair[0]], number[pair[1]], b.full[e]*size(pair[0])*size(pair[1]))
	}
	var eig dense.EigenSym
	if !eig.Factorize(s, true) {
		return
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	for e, pair := range b.pairs {
		i, j := number[pair[0]], number[pair[1]]
		sum := 0.0
		for k, λ := range eig.Values(nil) {
			if λ > 0 {
				sum += λ * v.At(i, k) * v.At(j, k)
			}
		}
		b.above[e] = sum / (size(pair[0]) * size(pair[1]))
	}
}

// The weights of the second sum are 10 and 1000 times the largest entry of the first
// over the squared length of the row, in units of the variables: enough where reduced
// and full Hessian are of one size, and few enough digits lost where they are not.
// Then the pieces move towards their convex parts by these shares.
var (
	squares = []float64{10, 1000}
	shares  = []float64{0.25, 0.5, 0.75, 1}
)

// write writes W at x, as convex as it has to be, and its linear part to the convex
// problem.
func (c *curvature) write(ctx context.Context, x []float64, h held) error {
	if ok, err := c.try(ctx, 0, 0, h); ok || err != nil {
		c.shift(x)
		return err
	}
	if !c.square {
		c.places(true)
		c.sub.Close()
	}
	for _, κ := range squares {
		if ok, err := c.try(ctx, 0, κ, h); ok || err != nil {
			c.shift(x)
			return err
		}
	}
	for _, t := range shares {
		if ok, err := c.try(ctx, t, squares[0], h); ok || err != nil {
			c.shift(x)
			return err
		}
	}
	c.shift(x)
	return nil
}

// try writes (1 − t)·W + t·W₊ with the second sum times κ, and reports whether that is
// positive semidefinite.
func (c *curvature) try(ctx context.Context, t, κ float64, h held) (bool, error) {
	now := c.sub.Lin.Now.P
	c.moved = t > 0
	copy(now, c.base)
	top := 0.0
	for _, p := range c.pieces {
		for k := range p.blocks {
			b := &p.blocks[k]
			for e, at := range b.place {
				v := (1-t)*b.full[e] + t*b.above[e]
				if t > 0 {
					v *= c.σ
				}
				now[at] += v
				top = max(top, math.Abs(v)*c.size[p.idx[b.pairs[e][0]]]*c.size[p.idx[b.pairs[e][1]]])
			}
		}
	}
	if κ > 0 {
		for k := range c.rows {
			r := &c.rows[k]
			if !h.row(r) {
				continue
			}
			length := 0.0
			for i, j := range r.idx {
				v := r.val(i) * c.size[j]
				length += v * v
			}
			if !(length > 0) {
				continue
			}
			ρ, e := κ*top/length, 0
			for a := range r.idx {
				for b := a; b < len(r.idx); b++ {
					now[r.place[e]] += ρ * r.val(a) * r.val(b)
					e++
				}
			}
		}
		for j, at := range c.diag {
			w := rounding
			if h.column(j) {
				w += κ
			}
			now[at] += w * top / (c.size[j] * c.size[j])
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

// A step that lowers the merit by modest times the predicted decrease could have been
// longer: W was too convex by about that. meets is where it is as convex as it should.
// Source: docs/lab/ccp.md, Constants.
const (
	modest = 1.5
	meets  = 0.9
)

// learn takes the ratio of the actual and the predicted decrease of a step: where the
// addition that makes W convex has kept the step short, it becomes smaller.
func (c *curvature) learn(ratio float64) {
	switch {
	case c.moved && ratio > modest:
		c.σ /= 4
	case ratio < meets:
		c.σ = min(1, 4*c.σ)
	}
}

// shift centres W at x, by the linear objective.
func (c *curvature) shift(x []float64) {
	c.sub.Session.Curved()
	p := *c.sub.Compiled.QP.P
	p.Val = append([]float64(nil), c.sub.Lin.Now.P...)
	for k, v := range c.base {
		p.Val[k] -= v
	}
	full := make([]float64, len(c.sub.Lin.Now.Q))
	copy(full, x)
	p.AddSymMulVec(c.sub.Lin.Now.Q, -1, full)
}

// quadratic is ½·dᵀWd for a step d.
func (c *curvature) quadratic(d []float64) float64 {
	p := *c.sub.Compiled.QP.P
	p.Val = append([]float64(nil), c.sub.Lin.Now.P...)
	for k, v := range c.base {
		p.Val[k] -= v
	}
	full, out := make([]float64, len(c.sub.Lin.Now.Q)), make([]float64, len(c.sub.Lin.Now.Q))
	copy(full, d)
	p.AddSymMulVec(out, 1, full)
	sum := 0.0
	for j, v := range full {
		sum += v * out[j]
	}
	return sum / 2
}

// smoothPart is f, or the smooth part of one that dc.Problem.Linearised has made; nil: there is none.
func smoothPart(f dc.Convex) dc.Convex {
	if smooth(f) {
		return f
	}
	if s, ok := f.(interface{ SmoothPart() dc.Convex }); ok {
		return s.SmoothPart()
	}
	return nil
}

// smooth reports whether f has a gradient wherever it has subgradients, norms at 0
// aside; false where that is not known.
func smooth(f dc.Convex) bool {
	if _, ok := f.(dc.Linear); ok {
		return true
	}
	s, ok := f.(interface{ Smooth() bool })
	return ok && s.Smooth()
}
