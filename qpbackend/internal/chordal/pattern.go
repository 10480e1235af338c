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

// Part says how a semidefinite cone is taken apart: in a sum, see the package comment, or where
// completion is true as a matrix with entries that nothing else binds, of which the cliques have to
// be semidefinite, and of which the others are completed.
type Part struct {
	Tree       *Tree
	Completion bool
}

// row is the row of the entry (a, b) of clique k.
func (t *Tree) row(k, a, b int) int {
	c := t.Cliques[k].Vertices
	return packed.Row(int(t.Order[c[a]]), int(t.Order[c[b]]))
}

// Pattern says which rows of semidefinite cones count, in two ways; nothing of other rows.
type Pattern struct {
	Sum        []bool // the row has entries or a constant
	Completion []bool // the row is not alone with a variable that has no bounds, no costs and no other row
}

// Equal reports whether they are the same.
func (p Pattern) Equal(o Pattern) bool {
	return slices.Equal(p.Sum, o.Sum) && slices.Equal(p.Completion, o.Completion)
}

// PatternOf is the pattern of p, which must have a matrix A.
func PatternOf(p *qpbackend.Problem) Pattern {
	_, m := p.Dims()
	in := Pattern{make([]bool, m), make([]bool, m)}
	entries := make([]int, m)
	for _, i := range p.A.RowIdx[:p.A.NNZ()] {
		entries[i]++
	}
	for _, c := range p.Cones {
		for i := c.Start; i < c.Start+c.Len; i++ {
			in.Sum[i] = c.Kind == qpbackend.Semidefinite && (entries[i] > 0 || p.L[i] != 0)
			in.Completion[i] = c.Kind == qpbackend.Semidefinite
		}
	}
	curved := reduce.Curved(p)
	for j := range p.A.Cols {
		k := p.A.ColPtr[j]
		if p.A.ColPtr[j+1] != k+1 || p.A.Val[k] == 0 || entries[p.A.RowIdx[k]] != 1 || p.Q[j] != 0 || curved[j] {
			continue
		}
		if lo, hi := p.Bounds(j); math.IsInf(lo, -1) && math.IsInf(hi, 1) {
			in.Completion[p.A.RowIdx[k]] = false
		}
	}
	return in
}

// TreeOf is the tree of a semidefinite cone with those rows.
func TreeOf(ctx context.Context, in []bool, c qpbackend.Cone, price Price) (*Tree, error) {
	n := packed.Order(c.Len)
	ptr, idx := make([]int, 1, n+1), []int{}
	for j := range n {
		first := c.Start + j*(j+1)/2
		for i, in := range in[first : first+j] {
			if in {
				idx = append(idx, i)
			}
		}
		ptr = append(ptr, len(idx))
	}
	return Extend(ctx, n, ptr, idx, price)
}

// Spread is the number of columns of a, each with rows of the cone whose tree it is, that are not
// within one clique: they couple the equations of all cliques, so they are in the border of their
// matrix.
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
		for _, i := range a.RowIdx[a.ColPtr[j]:a.ColPtr[j+1]] {
			if i >= c.Start && i < c.Start+c.Len {
				u, v := packed.Entry(i - c.Start)
				vertices = append(vertices, place[v], place[u])
			}
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

// Spread is the border of the cone, of p, in pieces: the number of variables whose data matrices
// are not within one clique, or for a completion of rows.
func (o Part) Spread(p *qpbackend.Problem, c qpbackend.Cone) int {
	if !o.Completion {
		return o.Tree.Spread(p.A, c)
	}
	// In the other rows a variable of the matrix stands for the first row of the cone that has it.
	first := make([]int, p.A.Cols)
	for j := range first {
		first[j] = -1
		for _, i := range p.A.RowIdx[p.A.ColPtr[j]:p.A.ColPtr[j+1]] {
			if first[j] < 0 && i >= c.Start && i < c.Start+c.Len {
				first[j] = i
			}
		}
	}
	at, _ := p.A.Transpose()
	rows := &sparse.CSC{Rows: p.A.Rows, ColPtr: []int{0}}
	for i := range at.Cols {
		for _, j := range at.RowIdx[at.ColPtr[i]:at.ColPtr[i+1]] {
			if first[j] >= 0 && first[j] != i {
				rows.RowIdx = append(rows.RowIdx, first[j])
			}
		}
		rows.ColPtr = append(rows.ColPtr, len(rows.RowIdx))
		rows.Cols++
	}
	return o.Tree.Spread(rows, c)
}
