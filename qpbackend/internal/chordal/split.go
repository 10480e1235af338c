package chordal

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/project"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Split is a problem of which some semidefinite cones have been taken to pieces.
type Split struct {
	Problem *qpbackend.Problem

	stated int     // variables of the problem as stated
	pieces int     // rows and variables of the pieces, which come after the others
	rows   []int32 // of each row as stated, the one of Problem; −1 where the row is zero and in no clique
	parts  []part
}

// part is a cone, with its first row as stated, that is in pieces.
type part struct {
	cone qpbackend.Cone
	tree *Tree
}

// row is that of the entry (i, j) of a matrix within its cone.
func row(i, j int32) int {
	i, j = min(i, j), max(i, j)
	return int(j)*(int(j)+1)/2 + int(i)
}

// row is that of the entry (a, b) of clique k.
func (t *Tree) row(k, a, b int) int {
	c := t.Cliques[k].Vertices
	return row(t.Order[c[a]], t.Order[c[b]])
}

// column is j of the entry (i, j), i ≤ j, of a matrix that is in a row of its cone.
func column(row int) int {
	j := int(math.Sqrt(2 * float64(row))) // that or one more
	if j*(j+1)/2 > row {
		j--
	}
	return j
}

// Pattern says, of each row of p in a semidefinite cone, whether it is in the pattern of the matrix: that
// it has entries or a constant.
func Pattern(p *qpbackend.Problem) []bool {
	_, m := p.Dims()
	in := make([]bool, m)
	for _, i := range p.A.RowIdx[:p.A.NNZ()] {
		in[i] = true
	}
	for _, c := range p.Cones {
		if c.Kind == qpbackend.Semidefinite {
			for i := c.Start; i < c.Start+c.Len; i++ {
				in[i] = in[i] || p.L[i] != 0
			}
		}
	}
	return in
}

// TreeOf is the tree of a semidefinite cone of p with the pattern.
func TreeOf(ctx context.Context, pattern []bool, c qpbackend.Cone, price Price) (*Tree, error) {
	n := project.Order(c.Len)
	ptr, idx := make([]int, 1, n+1), []int{}
	for j := range n {
		first := c.Start + j*(j+1)/2
		for i, in := range pattern[first : first+j] {
			if in {
				idx = append(idx, i)
			}
		}
		ptr = append(ptr, len(idx))
	}
	return Extend(ctx, n, ptr, idx, price)
}

// Spread is the number of variables of the cone, whose tree it is, with a data matrix that is not within one clique: they couple
// the equations of all its cliques, so they are in the border of their matrix.
func (t *Tree) Spread(a *sparse.CSC, c qpbackend.Cone) int {
	place, owner := make([]int32, len(t.Order)), make([]int, len(t.Order))
	for k, v := range t.Order {
		place[v] = int32(k)
	}
	for k, q := range t.Cliques {
		for _, v := range q.Vertices[q.Outer:] {
			owner[v] = k
		}
	}
	count := 0
	var vertices []int32
	for j := range a.Cols {
		vertices = vertices[:0]
		rows := a.RowIdx[a.ColPtr[j]:a.ColPtr[j+1]]
		from, _ := slices.BinarySearch(rows, c.Start)
		for _, i := range rows[from:] {
			if i >= c.Start+c.Len {
				break
			}
			v := column(i - c.Start)
			vertices = append(vertices, place[v], place[i-c.Start-row(0, int32(v))])
		}
		if len(vertices) == 0 {
			continue
		}
		in := t.Cliques[owner[slices.Max(vertices)]].Vertices
		for _, v := range vertices {
			if _, found := slices.BinarySearch(in, v); !found {
				count++
				break
			}
		}
	}
	return count
}

// New takes the cones of p apart that have a tree. p must not lack anything, see qpbackend.Prepare.
func New(p *qpbackend.Problem, trees []*Tree) *Split {
	n, m := p.Dims()
	s := &Split{stated: n, rows: make([]int32, m)}
	for k, t := range trees {
		if t == nil {
			continue
		}
		c := p.Cones[k]
		for i := range c.Len {
			s.rows[c.Start+i] = -1
		}
		t.Entries(func(q, a, b int) { s.rows[c.Start+t.row(q, a, b)] = 0 })
		s.parts = append(s.parts, part{c, t})
	}
	count := int32(0)
	for i, to := range s.rows {
		if to >= 0 {
			s.rows[i] = count
			count++
		}
	}
	out := &qpbackend.Problem{R: p.R}
	for k, c := range p.Cones {
		if trees[k] == nil {
			c.Start = int(s.rows[c.Start])
			out.Cones = append(out.Cones, c)
		}
	}
	a := &sparse.CSC{ColPtr: slices.Clone(p.A.ColPtr), Val: slices.Clone(p.A.Val[:p.A.NNZ()])}
	for _, i := range p.A.RowIdx[:p.A.NNZ()] {
		a.RowIdx = append(a.RowIdx, int(s.rows[i]))
	}
	end := int(count)
	for _, pt := range s.parts {
		for q, c := range pt.tree.Cliques {
			start := end
			for b := range c.Vertices {
				for a0 := range b + 1 {
					a.RowIdx = append(a.RowIdx, int(s.rows[pt.cone.Start+pt.tree.row(q, a0, b)]), end)
					a.Val = append(a.Val, -1, 1)
					a.ColPtr = append(a.ColPtr, len(a.RowIdx))
					end++
				}
			}
			out.Cones = append(out.Cones, qpbackend.Cone{Kind: qpbackend.Semidefinite, Start: start, Len: end - start})
		}
	}
	s.pieces = end - int(count)
	a.Rows, a.Cols = end, n+s.pieces
	out.A = a
	out.P = &sparse.CSC{Rows: a.Cols, Cols: a.Cols, ColPtr: slices.Clone(p.P.ColPtr), RowIdx: slices.Clone(p.P.RowIdx), Val: slices.Clone(p.P.Val)}
	for range s.pieces {
		out.P.ColPtr = append(out.P.ColPtr, p.P.NNZ())
	}
	u := s.Values(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U})
	out.Q, out.Lo, out.Hi, out.L, out.U = u.Q, u.Lo, u.Hi, u.L, u.U
	s.Problem = out
	return s
}

// Values are those of Problem for new values of the problem as stated, without those that are missing there.
func (s *Split) Values(u qpbackend.Update) qpbackend.Update {
	longer := func(v []float64, fill float64) []float64 {
		if v == nil {
			return nil
		}
		return append(slices.Clone(v), slices.Repeat([]float64{fill}, s.pieces)...)
	}
	out := qpbackend.Update{Q: longer(u.Q, 0), Lo: longer(u.Lo, math.Inf(-1)), Hi: longer(u.Hi, math.Inf(1)), P: u.P}
	if u.A != nil {
		out.A = append(slices.Clone(u.A), s.Problem.A.Val[len(u.A):]...)
	}
	out.L, out.U = longer(s.kept(u.L), 0), longer(s.kept(u.U), math.Inf(1))
	if u.L == nil || u.U == nil {
		return out
	}
	for _, pt := range s.parts { // now these are equations
		for _, to := range s.rows[pt.cone.Start:][:pt.cone.Len] {
			if to >= 0 {
				out.U[to] = out.L[to]
			}
		}
	}
	return out
}

// kept are the entries of v that belong to the rows of Problem which are not of pieces.
func (s *Split) kept(v []float64) (out []float64) {
	for i, to := range s.rows {
		if v != nil && to >= 0 {
			out = append(out, v[i])
		}
	}
	return out
}

// Multipliers appends to dst, which is empty, the multipliers of the rows as stated for those of Problem. Those of rows that are in no clique
// are a completion; where there is none, or ctx has ended before, they are zero.
func (s *Split) Multipliers(ctx context.Context, dst, y []float64) []float64 {
	for _, to := range s.rows {
		if to < 0 {
			dst = append(dst, 0)
		} else {
			dst = append(dst, y[to])
		}
	}
	for _, pt := range s.parts {
		if ctx.Err() != nil {
			break
		}
		n, own := len(pt.tree.Order), dst[pt.cone.Start:][:pt.cone.Len]
		m := make([]float64, n*n)
		each := func(visit func(i, j, at int, factor float64)) {
			for j, w := range pt.tree.Order {
				for i, v := range pt.tree.Order[:j] {
					visit(i, j, row(v, w), -math.Sqrt2)
				}
				visit(j, j, row(w, w), -1)
			}
		}
		each(func(i, j, at int, factor float64) {
			e := own[at] / factor
			m[i*n+j], m[j*n+i] = e, e
		})
		if !pt.tree.Complete(ctx, m) {
			continue
		}
		each(func(i, j, at int, factor float64) {
			if s.rows[pt.cone.Start+at] < 0 {
				own[at] = factor * m[i*n+j]
			}
		})
	}
	return dst
}
