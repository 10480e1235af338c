package kkt

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A pivot of the wrong sign or below pivotEps is replaced by pivotDelta.
// Refinement makes up for what that changes.
// Source: pivotEps is a hundred unit roundoffs; pivotDelta is near the square root of
// the unit roundoff, the usual compromise between the growth of the factor and the
// error that refinement removes. How much depends on it: docs/lab/bench.md, Constants of
// ipm.
const (
	pivotEps   = 1e-14
	pivotDelta = 1e-7
)

// Source: docs/lab/bench.md, Constants of ipm.
const (
	maxRefine = 8
	enough    = 0.1 // of the goal
)

// System is the matrix, its factorisation and workspace. It is for one
// goroutine.
type System struct {
	n, m int
	p    *sparse.CSC // the caller's, upper triangle of H
	at   *sparse.CSC // the caller's, columns are rows of A

	k      *sparse.CSC // upper triangle of the matrix, exact
	pPos   []int       // place in k.Val of each entry of p
	diag   []int       // place in k.Val of each diagonal entry
	d      []float64   // the diagonal
	more   float64     // see Outweigh
	heavy  []float64   // the diagonal with that; made when first needed
	hd     []float64   // diagonal of H, as loaded
	sign   []int8
	weight []float64 // of the entries of a residual, once weighed
	f      factor

	diagonal bool       // H is
	vectors  *arrowhead // where products by way of its vectors cost least
	both     bool       // they do for AddBoth too
	runs     *runs      // of A; nil where at serves as well, and with blocks
	sought   bool       // runs are the result of newRuns

	rows  byRows // with the sparse strategy
	plain bool   // nothing is off, and all blocks are expanded

	loaded   bool // there has been a Load
	weighed  bool
	off      []bool    // as loaded
	res, cor []float64 // refinement; cor is made when first needed, as weight is
	wide     vectors   // of products with neighbouring entries
	ax       []float64 // A·x of the last residual
	on       []float64 // with runs: zero where off

	blocks    []Block
	gone      []bool    // they are eliminated
	conjugate conjugate // with eliminated blocks

	extra  []int // of each block, the first of its columns behind the rows; −1 for none
	behind bool  // all entries of blocks are in such columns
}

// New analyses the pattern of H (upper triangle, n × n) and A (transposed,
// n × m), and chooses a strategy. It keeps both matrices: Load reads their
// values.
func New(ctx context.Context, p, at *sparse.CSC) (*System, error) {
	return NewWith(ctx, p, at, Auto)
}

// NewWith is New with a strategy.
func NewWith(ctx context.Context, p, at *sparse.CSC, how Strategy) (*System, error) {
	return NewBlocks(ctx, p, at, nil, how)
}

// Work is about the multiplications of an iteration: the factorisation, solves, and the scaling of
// semidefinite blocks.
func (s *System) Work() float64 {
	sum := s.f.work()
	for _, b := range s.blocks {
		n := float64(b.Order)
		sum += scaling * n * n * n
	}
	return sum
}

func newSystem(ctx context.Context, p, at *sparse.CSC, blocks []Block, gone []bool, how Strategy,
	like *System) (*System, error) {
	n, m := p.Cols, at.Cols
	s := &System{n: n, m: m, p: p, at: at, blocks: blocks, gone: gone, wide: vectors(cpu.Wide())}
	size := n + m + s.number()
	s.pPos, s.diag = make([]int, p.NNZ()), make([]int, size)
	s.hd, s.sign, s.d = make([]float64, n), make([]int8, size), make([]float64, size)
	s.res, s.off = make([]float64, size), make([]bool, n+m)
	s.ax = make([]float64, m)
	if err := s.pattern(ctx); err != nil {
		return nil, err
	}
	for i := range s.sign {
		s.sign[i] = 1
		if i >= n {
			s.sign[i] = -1
		}
	}
	s.signExtra()
	f, err := s.newFactor(ctx, how, like)
	if err != nil {
		return nil, fmt.Errorf("kkt: %w", err)
	}
	s.f = f
	if s.Strategy() == Arrowhead {
		s.on = make([]float64, n+m)
	}
	return s, nil
}

// pattern lays out the upper triangle, the diagonal always stored.
func (s *System) pattern(ctx context.Context) error {
	work := poll.New(ctx)
	n, m := s.n, s.m
	size := len(s.diag)
	nnz := s.p.NNZ() + s.at.NNZ() + size + s.blockEntries()
	k := &sparse.CSC{
		Rows: size, Cols: size,
		ColPtr: make([]int, size+1), RowIdx: make([]int, 0, nnz),
	}
	s.diagonal = true
	for j := range n {
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			s.pPos[e] = len(k.RowIdx) // a diagonal entry is the last of its column
			if i := s.p.RowIdx[e]; i != j {
				k.RowIdx = append(k.RowIdx, i)
				s.diagonal = false
			}
		}
		s.diag[j] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, j)
		k.ColPtr[j+1] = len(k.RowIdx)
	}
	next := 0 // the block that is ahead
	for i := range m {
		k.RowIdx = append(k.RowIdx, s.at.RowIdx[s.at.ColPtr[i]:s.at.ColPtr[i+1]]...)
		if next < len(s.blocks) {
			next = s.above(k, next, i)
		}
		s.diag[n+i] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, n+i)
		k.ColPtr[n+i+1] = len(k.RowIdx)
		if err := work.Err(k.ColPtr[n+i+1] - k.ColPtr[n+i]); err != nil {
			return err
		}
	}
	s.columnsBehind(k)
	k.Val = make([]float64, len(k.RowIdx))
	s.k = k
	return nil
}

// Load takes over the values of H, times θ, and of A. Columns that are off, variables
// first and rows after them, get zeros off the diagonal.
func (s *System) Load(θ float64, off []bool) {
	val := s.k.Val
	changed := !s.loaded || len(s.blocks) > 0 || !slices.Equal(s.off, off) // of the values off the diagonal
	s.loaded = true
	copy(s.off, off)
	for j := range s.n {
		s.hd[j] = 0
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			i, v := s.p.RowIdx[e], θ*s.p.Val[e]
			if off[i] || off[j] {
				v = 0
			}
			if i == j {
				s.hd[j] = v
			} else if at := s.pPos[e]; val[at] != v {
				val[at], changed = v, true
			}
		}
	}
	anyOff := slices.Contains(off[:s.n], true)
	for i := range s.m {
		lo, hi := s.at.ColPtr[i], s.at.ColPtr[i+1]
		row := val[s.k.ColPtr[s.n+i]:][:hi-lo]
		if off[s.n+i] {
			clear(row)
			continue
		}
		if !anyOff && slices.Equal(row, s.at.Val[lo:hi]) {
			continue
		}
		copy(row, s.at.Val[lo:hi])
		changed = true
		if anyOff {
			for t, j := range s.at.RowIdx[lo:hi] {
				if off[j] {
					row[t] = 0
				}
			}
		}
	}
	if _, ok := s.f.(whole); ok && s.rows.end == nil {
		s.rows = newByRows(s.at)
	}
	s.plain = s.rows.end != nil && s.behind && !slices.Contains(off, true)
	if changed {
		s.f.load(val, s.sign)
		s.chooseProducts()
	}
}

// Factorise factors the loaded matrix with h added to the diagonal of H and g,
// negative, as the diagonal of the rows; d holds h and g. It reports how many
// pivots had to be replaced. When ctx ends, the error is ctx.Err().
func (s *System) Factorise(ctx context.Context, d []float64) (replaced int, err error) {
	return s.FactoriseAhead(ctx, d, nil)
}

// FactoriseAhead is Factorise, and begins to solve for the right-hand side b, which SolveAhead goes
// on with; nil for none.
func (s *System) FactoriseAhead(ctx context.Context, d, b []float64) (replaced int, err error) {
	val, own := s.k.Val, s.d[:s.n]
	for j, h := range s.hd[:len(own)] {
		own[j] = h + d[j]
	}
	copy(s.d[s.n:], d[s.n:][:s.m])
	s.weighed = false
	if len(s.blocks) > 0 {
		s.weigh()
		s.weighBlocks()
	}
	reg := ldl.Regularisation{Eps: pivotEps, Delta: pivotDelta}
	f, sparse := s.f.(whole)
	switch {
	case len(s.blocks) == 0:
	case sparse && s.behind:
		f.f.Reload(s.k.ColPtr[s.n+s.m])
	default:
		s.f.load(val, s.sign)
	}
	if sparse {
		return f.f.Refactor(ctx, s.outweighed(), reg, b)
	}
	for j, d := range own { // other factors look there, products for the variables
		val[s.diag[j]] = d
	}
	return s.f.factorise(ctx, val, s.d, s.sign, reg)
}

// Accuracy is the largest entry of a residual over the variables and over the
// rows. In rows with a diagonal d beyond −1, which are about to drop out of the
// matrix, entries count divided by √|d|.
type Accuracy struct{ X, Y float64 }

// worst is the larger of the two, relative to goal.
func (a Accuracy) worst(goal Accuracy) float64 { return max(a.X/goal.X, a.Y/goal.Y) }

// Within reports whether a reaches the goal.
func (a Accuracy) Within(goal Accuracy) bool { return a.X <= goal.X && a.Y <= goal.Y }

// Ax is A·x for the x of the last Solve, zero in rows that are off.
func (s *System) Ax() []float64 { return s.ax }

// Solve sets x to the solution for the right-hand side b, both of length Size,
// refined until its residual is within goal/10 or no longer falls. It returns
// the residual, NaN where x is not a number. When ctx ends, x is not refined any
// further.
func (s *System) Solve(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	s.f.solve(x, b)
	return s.refine(ctx, x, b, goal)
}

// SolveOnce is Solve without a look at the residual; x and b may be one.
func (s *System) SolveOnce(x, b []float64) { s.f.solve(x, b) }

// SolveBegun is Solve for the right-hand side b of FactoriseAhead, before any other.
func (s *System) SolveBegun(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	s.f.ahead(x, b)
	return s.refine(ctx, x, b, goal)
}

// refine makes x, the solution by the factor, the solution of Solve.
func (s *System) refine(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	r := s.corrections(ctx, x, b, goal)
	if s.Strategy() == Schur {
		r = s.conjugate.steps(ctx, s, x, b, goal, r)
	}
	return r
}

// corrections is refine by those that the factor makes.
func (s *System) corrections(ctx context.Context, x, b []float64, goal Accuracy) Accuracy {
	r := s.residual(x, b, goal)
	for range maxRefine {
		worst := r.worst(goal)
		if worst <= enough || !(worst < math.MaxFloat64) || ctx.Err() != nil {
			break
		}
		s.f.solve(s.correction(), s.res)
		for i, v := range s.cor {
			x[i] += v
		}
		next := s.residual(x, b, goal)
		now := next.worst(goal)
		if !(now < worst) {
			for i, v := range s.cor {
				x[i] -= v
			}
			return s.residual(x, b, goal)
		}
		r = next
		if now > worst/2 {
			break
		}
	}
	return r
}

// correction is cor.
func (s *System) correction() []float64 {
	if s.cor == nil {
		s.cor = make([]float64, len(s.res))
	}
	return s.cor
}

// Outweigh makes the factors that follow the factors of a matrix with by more on the diagonal, less
// where pivots are negative, in place of the matrix, which the accuracy of Solve is about. It
// reports whether it can: where semidefinite blocks are eliminated, and with the sparse strategy.
// Of a Schur complement without cancellation, by is relative to the diagonal.
func (s *System) Outweigh(by float64) bool {
	switch f := s.f.(type) {
	case *eliminated:
		f.more = by
	case whole:
		s.more = by
	default:
		return false
	}
	return true
}

// outweighed is the diagonal with more.
func (s *System) outweighed() []float64 {
	if s.more == 0 {
		return s.d
	}
	if s.heavy == nil {
		s.heavy = make([]float64, len(s.d))
	}
	for i, d := range s.d {
		s.heavy[i] = d + float64(s.sign[i])*s.more
	}
	return s.heavy
}

// FormExactly makes the factors that follow the factors of a Schur complement of semidefinite
// blocks without cancellation, or leaves that to its price. It reports whether they become so by
// that.
func (s *System) FormExactly(on bool) bool {
	e, ok := s.f.(*eliminated)
	return ok && e.exact.use(on)
}

// Exact reports whether the factors belong to a complement without cancellation.
func (s *System) Exact() bool {
	e, ok := s.f.(*eliminated)
	return ok && (e.exact.on || e.exact.always)
}

// SolveAhead is Solve for the right-hand side b of FactoriseAhead, before any other, without a look
// at the residual, for a matrix without blocks. A·x satisfies the equations of the rows.
func (s *System) SolveAhead(x, b []float64) {
	s.f.ahead(x, b)
	rows, y, d, off := b[s.n:], x[s.n:], s.d[s.n:], s.off[s.n:]
	for i := range s.ax {
		s.ax[i] = rows[i] - d[i]*y[i]
		if off[i] {
			s.ax[i] = 0
		}
	}
}

// weigh sets the weights of residuals of rows.
func (s *System) weigh() {
	if s.weight == nil {
		s.weight = make([]float64, len(s.diag)-s.n)
	}
	for i := range s.m {
		s.weight[i] = 1
		if g := s.d[s.n+i]; g < -1 {
			s.weight[i] = 1 / math.Sqrt(-g)
		}
	}
	s.weighed = true
}

// residual sets s.res to b − Kx and returns its size. The weights of rows, at
// most one but for those behind the rows, are left aside where the goal is
// reached without them.
func (s *System) residual(x, b []float64, goal Accuracy) Accuracy {
	switch {
	case s.vectors != nil:
		s.subtractVectors(b, x)
	case s.runs != nil:
		s.subtract(b, x)
	case s.plain:
		s.subtractRows(b, x)
		s.subtractBlocks(b, x)
	default:
		s.subtractWhole(b, x)
	}
	for t, b := range s.blocks { // these hold by construction
		if s.gone[t] {
			clear(s.res[s.n+b.Start:][:b.Len])
		}
	}
	a := Accuracy{X: NormInf(s.res[:s.n], bool(s.wide))}
	if !s.weighed {
		if a.Y = NormInf(s.res[s.n:], bool(s.wide)); a.worst(goal) <= enough {
			return a
		}
		s.weigh()
		a.Y = 0
	}
	for i, e := range s.res[s.n:] {
		if v := math.Abs(e) * s.weight[i]; !(v <= a.Y) {
			if a.Y = v; math.IsNaN(v) {
				return a
			}
		}
	}
	return a
}

// Strategy is Sparse, Arrowhead or Schur, as chosen.
func (s *System) Strategy() Strategy {
	switch s.f.(type) {
	case *arrowhead:
		return Arrowhead
	case *eliminated:
		return Schur
	}
	return Sparse
}

// AddBoth adds A·x to ax and Aᵀ·y to aty, in the same way.
func (s *System) AddBoth(ax, aty, x, y []float64) {
	switch {
	case s.both:
		s.addVectors(ax, aty, x, y)
	case s.runs != nil:
		s.runs.addBoth(ax, aty, 1, x, y)
	case s.rows.end != nil:
		s.rows.addBoth(ax, aty, s.at.Val, x, y)
	default:
		s.at.AddMulBoth(aty, ax, y, x)
	}
}

// conjugate refines solutions of systems with eliminated blocks further, by generalised conjugate
// residuals (Eisenstat, Elman and Schultz 1983) with the factor as preconditioner. Near the end the
// Schur complement has eigenvalues below the rounding errors of the large ones, in the directions
// in which x of a problem without strict interior runs off. There the factor is far from the
// matrix, and refinement by its corrections alone stops. The products by way of the scaling's
// factor have these digits.
type conjugate struct {
	dir, image [directions][]float64 // images without the eliminated rows, which are zero
	norm       [directions]float64   // squares of the images' norms
	before     []float64             // the residual
}

// Source: directions 3 for all, conjugateSteps 8 for 20 and conjugateLag 2 for none: of hinf2 to
// hinf14, control1, control3, qap6, gpp100, gpp124 and gpp250 of SDPLIB all reach 1.1e-6 in any
// case but 20, where gpp250-4 ends at 4e-6. Without these steps hinf6, hinf8, hinf14 and gpp250-4
// end at 4e-6 to 7e-6.
const (
	directions     = 3 // that are kept: in exact arithmetic one is enough, the matrices being symmetric
	conjugateSteps = 8
	conjugateLag   = 2 // steps that have to halve the residual
)

// steps lowers the residual r of x, which s.res holds, and returns it.
func (c *conjugate) steps(ctx context.Context, s *System, x, b []float64, goal Accuracy, r Accuracy) Accuracy {
	size := len(x)
	var past [conjugateSteps]float64
	for k := range conjugateSteps {
		worst := r.worst(goal)
		if worst <= enough || !(worst < math.MaxFloat64) || ctx.Err() != nil ||
			k >= conjugateLag && worst > past[k-conjugateLag]/2 {
			break
		}
		past[k] = worst
		t := k % directions
		if c.dir[t] == nil {
			c.dir[t], c.image[t] = make([]float64, size), make([]float64, size)
			if c.before == nil {
				c.before = make([]float64, size)
			}
		}
		dir, image := c.dir[t], c.image[t]
		copy(c.before, s.res)
		s.f.solve(dir, s.res)
		s.residual(dir, c.before, goal)
		for i, v := range s.res {
			image[i] = c.before[i] - v
		}
		for o := range min(k, directions) {
			if o == t {
				continue
			}
			β := s.inner(image, c.image[o], goal) / c.norm[o]
			for i := range dir {
				dir[i] -= β * c.dir[o][i]
				image[i] -= β * c.image[o][i]
			}
		}
		c.norm[t] = s.inner(image, image, goal)
		α := s.inner(c.before, image, goal) / c.norm[t]
		if !(math.Abs(α) <= math.MaxFloat64) { // no image
			return s.residual(x, b, goal)
		}
		for i, v := range dir {
			x[i] += α * v
		}
		r = s.residual(x, b, goal)
	}
	return r
}

// inner is the inner product of residuals in units of the goal.
func (s *System) inner(u, v []float64, goal Accuracy) float64 {
	sum := 0.0
	for i, e := range u[:s.n] {
		sum += e / goal.X * (v[i] / goal.X)
	}
	for t, e := range u[s.n:] {
		if e != 0 {
			w := 1 / goal.Y
			if s.weighed {
				w *= s.weight[t]
			}
			sum += w * e * (w * v[s.n+t])
		}
	}
	return sum
}
