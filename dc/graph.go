package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Term is Weight times the atom of Node.
type Term struct {
	Weight float64
	Node   Node
}

// Written is e as it was written: an affine function plus weighted atoms.
func (e scalar) Written() (affine convex.Linear, terms []Term) {
	affine = e.lin
	affine.Of = e.of.Join(affine.Of)
	for _, t := range e.terms {
		if f, ok := t.f.(many); ok {
			for _, m := range f.oneByOne() {
				_, one := m.Scale(t.w).Written()
				terms = append(terms, one...)
			}
			continue
		}
		u := Term{t.w, nodeOf(t.f)}
		if u.Node.Negative() {
			u.Weight = -u.Weight
		}
		for k := range u.Node.args {
			u.Node.args[k].of = e.owner()
		}
		terms = append(terms, u)
	}
	return affine, terms
}

// Args are the arguments.
func (n *Node) Args() []Expr {
	if n.row != nil && n.row.Places != atom.Together {
		all := n.args[0].expr()
		all = all.Reshape(all.Len())
		head, rest := all.Slice(0, 1), all.Slice(1, all.Len())
		if n.row.Places == atom.FirstBehind {
			return []Expr{rest, head}
		}
		return []Expr{head, rest}
	}
	var out []Expr
	for k := 0; k < len(n.args) && n.args[k].len() > 0; k++ {
		out = append(out, n.args[k].expr())
	}
	return out
}

// numbers are the arguments of a function of several numbers, in the order of its row.
func (n *Node) numbers() []scalar { return append(n.args[0].entries(), n.args[1].entries()...) }

// Data are the numbers that belong to the atom beside its arguments: the exponent
// of power, pos_power and norm, the threshold of huber, the count of sumlargest,
// sumsmallest and lambda_sumlargest, the weights of wgeomean, the matrix of quad in
// row-major order.
func (n *Node) Data() []float64 {
	switch {
	case n.curve.row != nil:
		return n.curve.data()
	case n.op == opQuad:
		return fullSymmetric(n.nums, n.args[0].len())
	case n.nums != nil && (n.row == nil || n.row.HasParameters):
		return slices.Clone(n.nums)
	case n.num != 0:
		return []float64{n.num}
	}
	return nil
}

// fullSymmetric mirrors an upper triangle that is stored row by row.
func fullSymmetric(q []float64, n int) []float64 {
	q = slices.Clone(q)
	for i := range n {
		for j := range i {
			q[i*n+j] = q[j*n+i]
		}
	}
	return q
}

// expr is the array as it was written.
func (a *argument) expr() Expr {
	switch {
	case a.affine != nil && a.layout == triangles:
		n := a.order
		flat := make([]int, 0, n*n)
		for i := range n {
			for j := range n {
				flat = append(flat, place(i, j))
			}
		}
		return affineExpr(a.affine.Take([]int{n, n}, flat))
	case a.affine != nil && a.layout == columns:
		m := a.affine.Reshaped(a.affine.Len()/a.order, a.order)
		return affineExpr(m.Transpose())
	case a.affine != nil:
		return affineExpr(*a.affine)
	}
	out := arrayOf([]int{len(a.exprs)}, a.entries())
	out.arr.Of = a.of.Join(out.arr.Of)
	return out
}

// entry is the k-th expression in row-major order, 0 ≤ k < len.
func (a *argument) entry(k int) scalar {
	switch {
	case a.affine != nil && a.layout == triangles:
		return scalar{lin: a.affine.Linear(place(k/a.order, k%a.order))}
	case a.affine != nil && a.layout == columns:
		cols := a.affine.Len() / a.order
		return scalar{lin: a.affine.Linear(k%cols*a.order + k/cols)}
	case a.affine != nil:
		return scalar{lin: a.affine.Linear(k)}
	}
	return a.exprs[k].owned(a.of)
}

// owned is e as an expression of a model.
func (e scalar) owned(of *convex.Space) scalar {
	if e.of = e.of.Join(of); !e.composite && mixed(e.terms) {
		e.composite, e.lazy = true, &lazySplit{}
	}
	return e
}

// entries are all expressions of a.
func (a *argument) entries() []scalar {
	es := make([]scalar, a.len())
	for k := range es {
		es[k] = a.entry(k)
	}
	return es
}

// constructor is how an op is made: it stands in the file of the atom.
type constructor struct {
	op   string
	args int // arrays; −1: one or more
	data int // numbers; −1: as many as make wants
	make func(args []Expr, data []float64) Expr
}

// of is an atom of one array.
func of(f func(Expr) Expr) func([]Expr, []float64) Expr {
	return func(args []Expr, _ []float64) Expr { return f(args[0]) }
}

// whole is a number of data, or an error.
func whole(op string, v float64) (int, error) {
	if n := int(v); float64(n) == v {
		return n, nil
	}
	return 0, badExpr("%s with the count %g", op, v).err
}

// opQuad is the atom that has a matrix as data.
const opQuad = "quad"
