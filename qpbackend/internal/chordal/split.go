package chordal

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Reduction takes semidefinite cones to pieces.
type Reduction struct {
	// Trees of the cones of p that are worth it, by the pattern of p; no list where no
	// cone has one.
	Trees func(ctx context.Context, p *qpbackend.Problem, pattern Pattern) ([]Part, error)
}

// New leaves a problem as it is that has no pieces and will have none: constants, costs and bounds
// may go, coefficients stay.
func (r Reduction) New(
	ctx context.Context, p *qpbackend.Problem, _ qpbackend.Settings,
) (reduce.Reduced, error) {
	s := &reduced{trees: r.Trees, pattern: PatternOf(p)}
	var err error
	if s.list, err = r.Trees(ctx, p, s.pattern); s.list != nil || err != nil {
		return s, err
	}
	bare := *p
	bare.L, bare.Q, bare.Lo, bare.Hi = make([]float64, len(p.L)), make([]float64, len(p.Q)), nil, nil
	least := PatternOf(&bare)
	if least.Equal(s.pattern) {
		return nil, nil
	}
	if later, err := r.Trees(ctx, p, least); later == nil || err != nil {
		return nil, err
	}
	return s, nil
}

// reduced has the pieces that the present values allow.
type reduced struct {
	trees   func(ctx context.Context, p *qpbackend.Problem, pattern Pattern) ([]Part, error)
	pattern Pattern
	list    []Part // by pattern
	split   *split // by list; nil: there are no pieces
}

// Apply takes the problem apart, anew where the pattern has changed.
func (s *reduced) Apply(ctx context.Context, p *qpbackend.Problem, ask reduce.Ask) (reduce.Task, error) {
	make := ask.First
	if pattern := PatternOf(p); ask.Changed() && !pattern.Equal(s.pattern) {
		list, err := s.trees(ctx, p, pattern)
		if err != nil {
			return reduce.Task{}, err
		}
		s.pattern, s.list, make = pattern, list, true
	}
	if s.list == nil {
		s.split = nil
		return reduce.Task{}, nil
	}
	t := reduce.Task{Keep: !make, Confirm: true}
	if make {
		s.split = newSplit(p, s.list)
	} else {
		news := ask.News
		if news.L != nil || news.U != nil {
			news.L, news.U = p.L, p.U
		}
		t.News = s.split.values(news)
	}
	t.Problem, t.Cols = s.split.problem, s.split.kept
	return t, nil
}

// Invert puts an answer for the pieces together.
func (s *reduced) Invert(
	ctx context.Context, p *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	to.X = s.split.primal(ctx, to.X[:0], from.X, p, to.Status == qpbackend.DualInfeasible)
	to.Y, to.Z = s.split.multipliers(ctx, to.Y[:0], from.Y), s.split.spread(to.Z[:0], from.Z)
	return reduce.Checked, nil
}

// split is a problem of which some semidefinite cones have been taken to pieces.
type split struct {
	problem *qpbackend.Problem

	n, m   int    // variables and rows as stated
	kept   []int  // of each variable of problem but the ones of pieces, the one as stated
	from   []int  // of each row of problem, the one as stated; −1 where its constant is 0
	equal  []bool // of each row of problem: it is an equation for an entry of a sum
	source []int  // of each entry of A of problem, the one as stated; −1 for ±1
	parts  []part
}

// part is a cone that is in pieces.
type part struct {
	Part
	cone qpbackend.Cone
	in   []bool // of each of its rows: it is in a clique
}

// newSplit takes the cones of p apart that have a tree.
func newSplit(p *qpbackend.Problem, how []Part) *split {
	n, m := p.Dims()
	s := &split{n: n, m: m}
	to := make([][]int, m) // of each row as stated, the rows of problem
	for k, o := range how {
		if o.Tree == nil {
			continue
		}
		pt := part{o, p.Cones[k], make([]bool, p.Cones[k].Len)}
		o.Tree.Entries(func(q, a, b int) { pt.in[o.Tree.row(q, a, b)] = true })
		s.parts = append(s.parts, pt)
	}
	gone := make([]bool, m)
	for _, pt := range s.parts {
		for i, in := range pt.in {
			gone[pt.cone.Start+i] = pt.Completion || !in
		}
	}
	for i := range m {
		if !gone[i] {
			to[i] = append(to[i], len(s.from))
			s.from, s.equal = append(s.from, i), append(s.equal, false)
		}
	}
	out := &qpbackend.Problem{R: p.R}
	for k, c := range p.Cones {
		if how[k].Tree == nil {
			c.Start = to[c.Start][0]
			out.Cones = append(out.Cones, c)
		}
	}
	var sums []int // the equations of the entries of sums, in the order of their variables
	for _, pt := range s.parts {
		for q, c := range pt.Tree.Cliques {
			first := len(s.from)
			for b := range c.Vertices {
				for a := range b + 1 {
					i := pt.cone.Start + pt.Tree.row(q, a, b)
					if pt.Completion {
						to[i] = append(to[i], len(s.from))
						s.from = append(s.from, i)
					} else {
						s.equal[to[i][0]] = true
						sums = append(sums, to[i][0], len(s.from))
						s.from = append(s.from, -1)
					}
					s.equal = append(s.equal, false)
				}
			}
			out.Cones = append(out.Cones, qpbackend.Cone{Kind: qpbackend.Semidefinite, Start: first,
				Len: len(s.from) - first})
		}
	}
	s.columns(p, out, to, sums)
	u := s.values(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, A: p.A.Val})
	out.Q, out.Lo, out.Hi, out.L, out.U, out.A.Val = u.Q, u.Lo, u.Hi, u.L, u.U, u.A
	s.problem = out
	return s
}

// columns makes P of out and the pattern of A: the columns of the variables of p that have rows
// left, or had none, and the columns of the pieces of sums.
func (s *split) columns(p, out *qpbackend.Problem, to [][]int, sums []int) {
	type entry struct{ row, source int }
	var column []entry
	a := &sparse.CSC{Rows: len(s.from), ColPtr: []int{0}}
	out.P = &sparse.CSC{ColPtr: []int{0}, Val: slices.Clone(p.P.Val)}
	place := make([]int, s.n)
	for j := range s.n {
		column = column[:0]
		for e := p.A.ColPtr[j]; e < p.A.ColPtr[j+1]; e++ {
			for _, i := range to[p.A.RowIdx[e]] {
				column = append(column, entry{i, e})
			}
		}
		if len(column) == 0 && p.A.ColPtr[j+1] > p.A.ColPtr[j] {
			continue
		}
		place[j] = len(s.kept)
		s.kept = append(s.kept, j)
		slices.SortFunc(column, func(x, y entry) int { return x.row - y.row })
		for _, e := range column {
			a.RowIdx, s.source = append(a.RowIdx, e.row), append(s.source, e.source)
		}
		a.ColPtr = append(a.ColPtr, len(a.RowIdx))
		for e := p.P.ColPtr[j]; e < p.P.ColPtr[j+1]; e++ {
			out.P.RowIdx = append(out.P.RowIdx, place[p.P.RowIdx[e]])
		}
		out.P.ColPtr = append(out.P.ColPtr, len(out.P.RowIdx))
	}
	for k := 0; k < len(sums); k += 2 {
		a.RowIdx, s.source = append(a.RowIdx, sums[k:k+2]...), append(s.source, -1, -1)
		a.ColPtr = append(a.ColPtr, len(a.RowIdx))
		out.P.ColPtr = append(out.P.ColPtr, len(out.P.RowIdx))
	}
	a.Cols = len(a.ColPtr) - 1
	out.P.Rows, out.P.Cols = a.Cols, a.Cols
	out.A = a
}

// values are the values of problem for new values of the problem as stated, without those that are
// missing there. L and U come together.
func (s *split) values(u qpbackend.Update) qpbackend.Update {
	out := qpbackend.Update{P: u.P}
	pieces := 0
	for _, at := range s.from {
		if at < 0 {
			pieces++
		}
	}
	for _, v := range [...]struct {
		to   *[]float64
		from []float64
		fill float64
	}{{&out.Q, u.Q, 0}, {&out.Lo, u.Lo, math.Inf(-1)}, {&out.Hi, u.Hi, math.Inf(1)}} {
		if v.from == nil {
			continue
		}
		for _, j := range s.kept {
			*v.to = append(*v.to, v.from[j])
		}
		*v.to = append(*v.to, slices.Repeat([]float64{v.fill}, pieces)...)
	}
	if u.L != nil {
		for i, at := range s.from {
			l, up := 0.0, math.Inf(1)
			if at >= 0 {
				l, up = u.L[at], u.U[at]
			}
			if s.equal[i] {
				up = l
			}
			out.L, out.U = append(out.L, l), append(out.U, up)
		}
	}
	if u.A != nil {
		out.A = make([]float64, len(s.source))
		sign := -1.0 // of the two entries of a piece, the equation first
		for k, e := range s.source {
			if e >= 0 {
				out.A[k] = u.A[e]
			} else {
				out.A[k], sign = sign, -sign
			}
		}
	}
	return out
}

// spread appends the entries of the variables of problem at those as stated, and zeros.
func (s *split) spread(dst, v []float64) []float64 {
	return reduce.Spread(append(dst, make([]float64, s.n)...), v[:len(s.kept)], s.kept)
}

// primal appends to dst, which is empty, the point as stated for x of problem, by the present
// values p; with ray, a direction. Where there is no completion, or ctx has ended before, entries
// that nothing binds are zero.
func (s *split) primal(ctx context.Context, dst, x []float64, p *qpbackend.Problem, ray bool) []float64 {
	dst = s.spread(dst, x)
	if len(s.kept) == len(dst) {
		return dst
	}
	v := make([]float64, p.A.Rows)
	p.A.AddMulVec(v, 1, dst)
	if !ray {
		for i, l := range p.L {
			v[i] -= l
		}
	}
	for _, pt := range s.parts {
		if !pt.Completion {
			continue
		}
		own := v[pt.cone.Start:][:pt.cone.Len]
		for i, in := range pt.in {
			if !in {
				own[i] = 0
			}
		}
		pt.complete(ctx, own, 1)
	}
	at := 0
	for j := range dst {
		if at < len(s.kept) && s.kept[at] == j {
			at++
			continue
		}
		e := p.A.ColPtr[j] // the only one
		i := p.A.RowIdx[e]
		if dst[j] = v[i]; !ray {
			dst[j] += p.L[i]
		}
		dst[j] /= p.A.Val[e]
	}
	return dst
}

// multipliers appends to dst, which is empty, the multipliers of the rows as stated, given the ones
// of problem. In a sum, the ones of rows that are in no clique are a completion; where there is
// none, or ctx has ended before, they are zero.
func (s *split) multipliers(ctx context.Context, dst, y []float64) []float64 {
	dst = append(dst, make([]float64, s.m)...)
	for k, i := range s.from {
		if i >= 0 {
			dst[i] += y[k]
		}
	}
	for _, pt := range s.parts {
		if !pt.Completion {
			pt.complete(ctx, dst[pt.cone.Start:][:pt.cone.Len], -1)
		}
	}
	return dst
}

// complete fills in the entries of v, the rows of the cone, that are in no clique, such that sign·v
// is semidefinite.
func (pt part) complete(ctx context.Context, v []float64, sign float64) {
	if ctx.Err() != nil {
		return
	}
	n := len(pt.Tree.Order)
	m := make([]float64, n*n)
	each := func(visit func(i, j, at int, factor float64)) {
		for j, w := range pt.Tree.Order {
			for i, u := range pt.Tree.Order[:j] {
				visit(i, j, packed.Row(int(u), int(w)), sign*math.Sqrt2)
			}
			visit(j, j, packed.Row(int(w), int(w)), sign)
		}
	}
	each(func(i, j, at int, factor float64) {
		e := v[at] / factor
		m[i*n+j], m[j*n+i] = e, e
	})
	if !pt.Tree.Complete(ctx, m) {
		return
	}
	each(func(i, j, at int, factor float64) {
		if !pt.in[at] {
			v[at] = factor * m[i*n+j]
		}
	})
}
