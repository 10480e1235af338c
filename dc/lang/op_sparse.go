package lang

import (
	"github.com/dcopt/dcopt/dc"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// linearMap is a matrix that takes the entries of an array to those of another, its
// rows in compressed form.
type linearMap struct {
	ptr, idx []int
	val      []float64
}

// mapped is m applied to the entries of v, in a shape.
func (ev *evaluator) mapped(n *syntax.Node, m linearMap, v value.Value, shape []int) value.Value {
	rows := len(m.ptr) - 1
	ev.spend(n, unitsNumber*(rows+len(m.idx)))
	switch v.Sort {
	case value.AffineFunctions:
		out := v.Affine().MulSparse(m.ptr, m.idx, m.val)
		return ev.sound(n, out.Reshape(shape...))
	case value.Numbers:
		out := make([]float64, rows)
		for i := range out {
			for p := m.ptr[i]; p < m.ptr[i+1]; p++ {
				out[i] += m.val[p] * v.At(m.idx[p])
			}
		}
		return ev.finite(n, value.Array(shape, out))
	}
	c := v.Costs()
	c.Parts, c.Weight = c.Parts*max(1, len(m.idx)/max(1, rows)), c.Weight*max(1, len(m.idx)/max(1, v.Len()))
	c = ev.afford(n, c.Capped())
	return value.FromEach(shape, c, func(i int) dc.Expr {
		parts := make([]dc.Expr, 0, m.ptr[i+1]-m.ptr[i])
		for p := m.ptr[i]; p < m.ptr[i+1]; p++ {
			parts = append(parts, v.Expr(m.idx[p]).Scale(m.val[p]))
		}
		return ev.combine(n, "sum", parts)
	})
}

// sparseProduct is a*b for shapes that fit, of which one is sparse or both are.
func (ev *evaluator) sparseProduct(n *syntax.Node, a, b value.Value) value.Value {
	shape := append(a.Shape[:len(a.Shape)-1:len(a.Shape)-1], b.Shape[1:]...)
	inner := b.Shape[0]
	if a.Sort == value.SparseNumbers && b.Sort == value.SparseNumbers {
		x, y := a.More.Sparse, b.More.Sparse
		if len(b.Shape) == 1 {
			y = y.Transposed()
		}
		work := 0
		for _, k := range x.Idx {
			work += y.Ptr[k+1] - y.Ptr[k] + 1
		}
		ev.spend(n, unitsNumber*work)
		out := value.SparseOf(shape, &value.SparseData{Sparse: x.Mul(y.Sparse)})
		for _, v := range out.More.Sparse.Val {
			if v-v != 0 {
				ev.infinite(n, v)
			}
		}
		if len(shape) == 0 || len(shape) == 1 && len(b.Shape) == 1 {
			return ev.dense(n, out)
		}
		return out
	}
	ev.room(n, shape)
	if a.Sort == value.SparseNumbers {
		s, cols := a.More.Sparse, value.Size(b.Shape[1:])
		return ev.mapped(n, ev.blocks(n, s, cols, func(j, k int) int { return k*cols + j }, false), b, shape)
	}
	s := b.More.Sparse
	if len(b.Shape) == 2 {
		s = s.Transposed()
	}
	return ev.mapped(n, ev.blocks(n, s, a.Len()/max(1, inner), func(i, k int) int { return i*inner + k }, true), a, shape)
}

// blocks are rows of s for each of so many copies, whose column k is at a place: all
// rows for each copy in turn, or all copies for each row.
func (ev *evaluator) blocks(n *syntax.Node, s *value.SparseData, copies int, place func(copy, k int) int, inTurn bool) linearMap {
	if copies == 1 {
		return linearMap{s.Ptr, s.Idx, s.Val}
	}
	ev.spend(n, unitsNumber*len(s.Idx)*copies)
	m := linearMap{ptr: make([]int, 1, s.Rows*copies+1), idx: make([]int, 0, len(s.Idx)*copies), val: make([]float64, 0, len(s.Idx)*copies)}
	for r := range s.Rows * copies {
		row, c := r/copies, r%copies
		if inTurn {
			row, c = r%s.Rows, r/s.Rows
		}
		for p := s.Ptr[row]; p < s.Ptr[row+1]; p++ {
			m.idx, m.val = append(m.idx, place(c, s.Idx[p])), append(m.val, s.Val[p])
		}
		m.ptr = append(m.ptr, len(m.idx))
	}
	return m
}
