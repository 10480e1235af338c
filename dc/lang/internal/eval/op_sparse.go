package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// LinearMap is a matrix that takes the entries of an array to the entries of another, its
// rows in compressed form.
type LinearMap struct {
	Ptr, Idx []int
	Val      []float64
}

// Add adds a coefficient to the last row.
func (m *LinearMap) Add(k int, w float64) {
	if w != 0 {
		m.Idx, m.Val = append(m.Idx, k), append(m.Val, w)
	}
}

func (m *LinearMap) EndRow() { m.Ptr = append(m.Ptr, len(m.Idx)) }

// Mapped is m applied to the entries of v, in a shape.
func (ev *Evaluator) Mapped(n *syntax.Node, m LinearMap, v value.Value, shape []int) value.Value {
	rows := len(m.Ptr) - 1
	ev.Spend(n, UnitsNumber*(rows+len(m.Idx)))
	if v.Sort == value.Numbers {
		out := make([]float64, rows)
		for i := range out {
			for p := m.Ptr[i]; p < m.Ptr[i+1]; p++ {
				out[i] += m.Val[p] * v.At(m.Idx[p])
			}
		}
		return ev.Finite(n, value.Array(shape, out))
	}
	c := v.Cost
	if v.Sort == value.Expressions {
		c.Parts, c.Weight = c.Parts*max(1, len(m.Idx)/max(1, rows)), c.Weight*max(1, len(m.Idx)/max(1, v.Len()))
		c = ev.Afford(n, c.Capped())
	}
	return ev.Made(n, v.Function().MulSparse(m.Ptr, m.Idx, m.Val).Reshape(shape...), c)
}

// sparseProduct is a*b for shapes that fit, of which one is sparse or both are.
func (ev *Evaluator) sparseProduct(n *syntax.Node, a, b value.Value) value.Value {
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
		ev.Spend(n, UnitsNumber*work)
		out := value.SparseOf(shape, &value.SparseData{Sparse: x.Mul(y.Sparse)})
		for _, v := range out.More.Sparse.Val {
			if v-v != 0 {
				ev.infinite(n, v)
			}
		}
		if len(shape) == 0 || len(shape) == 1 && len(b.Shape) == 1 {
			return ev.Dense(n, out)
		}
		return out
	}
	ev.Room(n, shape)
	if a.Sort == value.SparseNumbers {
		s, cols := a.More.Sparse, value.Size(b.Shape[1:])
		return ev.Mapped(n, ev.blocks(n, s, cols, func(j, k int) int { return k*cols + j }, false), b, shape)
	}
	s := b.More.Sparse
	if len(b.Shape) == 2 {
		s = s.Transposed()
	}
	return ev.Mapped(n, ev.blocks(n, s, a.Len()/max(1, inner), func(i, k int) int { return i*inner + k }, true), a,
		shape)
}

// blocks are rows of s for each of so many copies, whose column k is at a place: all
// rows for each copy in turn, or all copies for each row.
func (ev *Evaluator) blocks(n *syntax.Node, s *value.SparseData, copies int, place func(copy, k int) int,
	inTurn bool) LinearMap {
	if copies == 1 {
		return LinearMap{s.Ptr, s.Idx, s.Val}
	}
	ev.Spend(n, UnitsNumber*len(s.Idx)*copies)
	m := LinearMap{Ptr: make([]int, 1, s.Rows*copies+1), Idx: make([]int, 0, len(s.Idx)*copies),
		Val: make([]float64, 0, len(s.Idx)*copies)}
	for r := range s.Rows * copies {
		row, c := r/copies, r%copies
		if inTurn {
			row, c = r%s.Rows, r/s.Rows
		}
		for p := s.Ptr[row]; p < s.Ptr[row+1]; p++ {
			m.Idx, m.Val = append(m.Idx, place(c, s.Idx[p])), append(m.Val, s.Val[p])
		}
		m.Ptr = append(m.Ptr, len(m.Idx))
	}
	return m
}
