package eval

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/convex"
)

// affine is the affine part of the sum that began at m.
func (ev *Evaluator) affine(n *syntax.Node, m value.Mark) value.Value {
	a := &ev.sums
	idx, val := a.Idx[m.Coefs:], a.Val[m.Coefs:]
	sum, last, ordered := a.C-a.C, -1, true
	for k, v := range val {
		sum += v - v
		ordered = ordered && v != 0 && idx[k] > last
		last = idx[k]
	}
	ev.Spend(n, UnitsCoeff*len(idx))
	switch {
	case sum != 0 && len(idx) == 0:
		ev.infinite(n, a.C)
	case sum != 0:
		if ev.mentionsInf(n) {
			ev.MisplacedInf(n)
		}
		ev.Fail(n, "", "a coefficient is not finite")
	}
	l := convex.Linear{Idx: idx, Val: val, Const: a.C}
	if !ordered {
		l = convex.NewLinear(idx, val, a.C)
	}
	if len(l.Idx) == 0 {
		return value.Number(l.Const)
	}
	return value.FromLinear(ev.kept(ev.Model.Program().Own(l.WithConstSize(a.Size))))
}

// total is the value of the sum that began at m and ends here.
func (ev *Evaluator) total(n *syntax.Node, m value.Mark) value.Value {
	a := &ev.sums
	terms := a.Terms[m.Terms:]
	if len(terms) == 0 {
		v := ev.affine(n, m)
		a.BackTo(m)
		return v
	}
	if a.C != 0 || len(a.Idx) > m.Coefs {
		a.Terms = append(a.Terms, value.Summand{W: 1, V: ev.affine(n, m), At: n})
		terms = a.Terms[m.Terms:]
	}
	v := ev.Weighted(n, terms)
	a.BackTo(m)
	return v
}

// kept is l with memory of its own. Functions of the same variables that follow one another, as
// samples with all their features do, share the list of these.
func (ev *Evaluator) kept(l convex.Linear) convex.Linear {
	if !slices.Equal(l.Idx, ev.variables) {
		ev.variables = slices.Clip(slices.Clone(l.Idx))
	}
	l.Idx, l.Val = ev.variables, slices.Clone(l.Val)
	return l
}

// Weighted is the sum of arrays and expressions.
func (ev *Evaluator) Weighted(n *syntax.Node, terms []value.Summand) value.Value {
	if slices.ContainsFunc(terms, func(t value.Summand) bool { return t.V.Sort == value.ComplexPairs }) {
		var re, im []value.Summand
		for _, t := range terms {
			p := t.V.Parts()
			if re = append(re, value.Summand{W: t.W, V: p.Re, At: t.At}); !p.IsReal() {
				im = append(im, value.Summand{W: t.W, V: p.Im, At: t.At})
			}
		}
		return value.ComplexOf(ev.Weighted(n, re), ev.Weighted(n, im))
	}
	vs, nodes := make([]value.Value, len(terms)), make([]*syntax.Node, len(terms))
	top, all := value.Numbers, value.Cost{}
	for k, t := range terms {
		if vs[k], nodes[k] = t.V, t.At; len(terms) > 1 {
			vs[k] = ev.Dense(t.At, t.V)
		}
		if t.W-t.W != 0 && t.V.Sort != value.Numbers {
			ev.MisplacedInf(n) // an infinite multiple of variables
		}
		top, all = max(top, vs[k].Sort), all.Plus(vs[k].Costs())
	}
	if len(terms) == 1 {
		return ev.Scale(n, terms[0].W, vs[0])
	}
	shape := ev.Common(n, nodes, vs)
	size := value.Size(shape)
	ev.Spend(n, size*len(terms))
	if top == value.Numbers {
		out := make([]float64, size)
		for k := range terms {
			for i := range out {
				out[i] += terms[k].W * vs[k].At(min(i, vs[k].Len()-1))
			}
		}
		return ev.Finite(n, value.Array(shape, out))
	}
	if top == value.Expressions {
		ev.Spend(n, min(all.Weight+all.Parts, 1<<20))
	}
	parts := make([]dc.Expr, len(terms))
	for k := range terms {
		parts[k] = vs[k].Function()
		if k == 1 && len(terms) == 2 && terms[k].W == -1 {
			return ev.Made(n, parts[0].Sub(parts[1]), all)
		}
		parts[k] = parts[k].Scale(terms[k].W)
	}
	if len(shape) == 0 {
		return ev.Made(n, dc.Sum(parts...), all)
	}
	return ev.Made(n, parts[0].Add(parts[1:]...), all)
}

// Made is functions as a value, after a look at their error; c is their cost.
func (ev *Evaluator) Made(n *syntax.Node, e dc.Expr, c value.Cost) value.Value {
	if err := e.Err(); err != nil {
		ev.Fail(n, "", "%s: %s", n, Cause(err))
	}
	ev.Spend(n, UnitsCoeff*e.NNZ())
	return value.FromExpr(e, c)
}

// Scale is w·v, entries counted from 1.
func (ev *Evaluator) Scale(n *syntax.Node, w float64, v value.Value) value.Value {
	switch {
	case w == 1:
		return v.CountFrom(nil)
	case v.Sort == value.ComplexPairs:
		return v.Both(func(part value.Value) value.Value { return ev.Scale(n, w, part) })
	case v.Sort == value.SparseNumbers:
		ev.Spend(n, len(v.More.Sparse.Val))
		return value.SparseOf(v.Shape, v.More.Sparse.Scaled(w))
	}
	ev.Spend(n, v.Len())
	if v.Sort == value.Numbers {
		return ev.EachNumber(n, v, func(x float64) float64 { return w * x })
	}
	return ev.Made(n, v.Function().Scale(w), v.Cost)
}

// EachNumber applies f to every number.
func (ev *Evaluator) EachNumber(n *syntax.Node, v value.Value, f func(float64) float64) value.Value {
	if v.Scalar() {
		return ev.Finite(n, value.Number(f(v.X)))
	}
	ev.Spend(n, v.Len())
	out := make([]float64, len(v.Num))
	for k, x := range v.Num {
		out[k] = f(x)
	}
	return ev.Finite(n, value.Array(v.Shape, out))
}

// AddUp is the sum of all entries.
func (ev *Evaluator) AddUp(n *syntax.Node, v value.Value) value.Value {
	ev.Spend(n, v.Len()+v.Costs().Weight)
	if v.Sort != value.Numbers {
		return ev.Made(n, v.Function().Sum(), v.Cost)
	}
	s := 0.0
	for _, x := range v.Numbers() {
		s += x
	}
	return ev.Finite(n, value.Number(s))
}

// Fold is the max or min, entry by entry, of values of one shape.
func (ev *Evaluator) Fold(n *syntax.Node, name string, vs []value.Value) value.Value {
	shape, top, most, lifted := vs[0].Shape, value.Numbers, value.Cost{}, false
	for k := range vs {
		top, most = max(top, vs[k].Sort), most.Over(vs[k].Costs())
		lifted = lifted || vs[k].Curvature() > value.Convex
	}
	ev.Spend(n, value.Size(shape)*len(vs))
	ev.noInf(n, vs)
	best, ofNumbers := dc.Max, math.Max
	if name == "min" {
		best, ofNumbers = dc.Min, math.Min
	}
	if top == value.Numbers {
		out := slices.Clone(vs[0].Numbers())
		for k := range vs {
			for i, x := range vs[k].Numbers() {
				out[i] = ofNumbers(out[i], x)
			}
		}
		return ev.Finite(n, value.Array(shape, out))
	}
	if lifted { // each function is, by the convex parts of all others
		most.Parts, most.Weight = most.Parts*len(vs), most.Weight*len(vs)
	}
	most.Parts++
	most = ev.Afford(n, most.Capped())
	es, parts := make([]dc.Expr, value.Size(shape)), make([]dc.Expr, len(vs))
	for i := range es {
		for k := range vs {
			parts[k] = vs[k].Expr(i)
		}
		es[i] = best(parts...)
	}
	return ev.Made(n, dc.Stack(es...).Reshape(shape...), most)
}

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
