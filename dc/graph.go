package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Node is an atom with its arguments, as an expression was written. Passes over
// expressions read nodes: Expr.Written yields them, Apply makes them again.
type Node struct {
	op       string
	curve    curve        // of one that is a function of one number: it knows op and data
	row      *atom.Reduce // of one that is a function of several numbers
	negative bool         // the function is minus the atom
	args     [2]Array
	num      float64
	nums     []float64
	key      any // the rest that tells it from others, comparable
}

// node is f of an argument. Families know curves with cones.
func (f curve) node(args [2]Array) Node {
	switch {
	case f.represented():
		return Node{curve: f, args: args}
	case atom.Find(f.row.Name) != f.row:
		return Node{op: "blackbox", key: f, args: args}
	case f.negative || f.bend != 0: // a part of splits alone
		return Node{op: "bent " + f.row.Name, key: f, args: args}
	}
	return Node{op: f.row.Name, num: f.p, args: args}
}

// Term is Weight times the atom of Node.
type Term struct {
	Weight float64
	Node   Node
}

// Written is e as it was written: an affine function plus weighted atoms.
func (e Expr) Written() (affine Linear, terms []Term) {
	affine = e.lin
	affine.of = e.of.join(affine.of)
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

// noder is implemented by functions that can be compared and read. The node points
// into the function.
type noder interface{ node() Node }

// nodeOf is f as a node; that of a function nobody knows has the op "".
func nodeOf(f Convex) Node {
	if n, ok := f.(noder); ok {
		return n.node()
	}
	return Node{key: f}
}

// Op is the name of the atom: that of a function in a problem file where there is
// one; "mul" and "inner" are products, "power" and "pos_power" powers of u and of
// max(u, 0), "sumsmallest" is the sum of the k smallest entries, "cost" that of
// Model.AddCost, "blackbox" a function of the library's user.
func (n *Node) Op() string {
	switch row := n.curve.row; {
	case row == nil:
		return n.op
	case atom.Find(row.Name) != row: // whatever its name is
		return "blackbox"
	default:
		return row.Name
	}
}

// Negative reports whether the function that the split has is minus the atom.
// Expr.Written has turned the sign of the weight then.
func (n *Node) Negative() bool { return n.negative || n.curve.row != nil && n.curve.negative }

// Args are the arguments, arrays of expressions.
func (n *Node) Args() []Array {
	if n.row != nil && n.row.Places != atom.Together {
		head, rest := n.args[0].slice(0, 1), n.args[0].slice(1, n.args[0].Len())
		if n.row.Places == atom.FirstBehind {
			return []Array{rest, head}
		}
		return []Array{head, rest}
	}
	k := 0
	for k < len(n.args) && n.args[k].Len() > 0 {
		k++
	}
	return slices.Clone(n.args[:k])
}

// numbers are the arguments of a function of several numbers, in the order of its row.
func (n *Node) numbers() []Expr { return append(n.args[0].entries(), n.args[1].entries()...) }

// Data are the numbers that belong to the atom beside its arguments: the exponent
// of power, pos_power and norm, the threshold of huber, the count of sumlargest,
// sumsmallest and lambda_sumlargest, the weights of wgeomean, the matrix of quad in
// row-major order.
func (n *Node) Data() []float64 {
	switch {
	case n.curve.row != nil:
		return n.curve.data()
	case n.op == opQuad:
		return fullSymmetric(n.nums, n.args[0].Len())
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

// Array is an array of expressions with a shape: the argument of an atom. One of affine and exprs
// is empty.
type Array struct {
	affine *Affine
	layout layout // of affine
	order  int    // of the triangle, or the length of a column
	exprs  []Expr
	shape  []int // of exprs; nil: a vector
	of     *space
}

// layout is how an affine array lies.
type layout uint8

const (
	asItIs    layout = iota
	triangles        // the upper triangle of a symmetric matrix, column by column
	columns          // the columns of a matrix, one after the other
)

func affineArgs(as ...*Affine) (out [2]Array) {
	for k, a := range as {
		out[k].affine = a
	}
	return out
}

// exprArgs are the arguments of an atom of one array.
func exprArgs(es ...Expr) [2]Array { return [2]Array{{exprs: es}} }

// AffineArray is a as an argument.
func AffineArray(a Affine) Array { return Array{affine: &a, of: a.of} }

// ExprArray is an array of the given shape, none for a scalar, with entries in
// row-major order.
func ExprArray(shape []int, es ...Expr) Array {
	if size(shape) != len(es) {
		es = []Expr{badExpr("an array of shape %v needs %d expressions, not %d", shape, size(shape), len(es))}
		shape = nil
	}
	return Array{exprs: es, shape: append([]int{}, shape...), of: ownerOf(es...)}
}

// Err is the first mistake made on the way to a, or nil.
func (a *Array) Err() error {
	if a.affine != nil {
		return a.affine.Err()
	}
	for k := range a.exprs {
		if err := a.exprs[k].err; err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of entries: the product of Shape, 1 for a scalar.
func (a *Array) Len() int {
	switch {
	case a.affine != nil && a.layout == triangles:
		return a.order * a.order
	case a.affine != nil:
		return a.affine.Len()
	}
	return len(a.exprs)
}

// Shape is the list of dimensions, empty for a scalar. Do not change it.
func (a *Array) Shape() []int {
	switch {
	case a.affine != nil && a.layout == triangles:
		return []int{a.order, a.order}
	case a.affine != nil && a.layout == columns:
		return []int{a.order, a.affine.Len() / a.order}
	case a.affine != nil:
		return a.affine.shape
	case a.exprs != nil && a.shape != nil:
		return a.shape
	}
	return []int{a.Len()}
}

// Affine is the array of affine functions that a is; ok is false where another
// function is among the entries.
func (a *Array) Affine() (out Affine, ok bool) {
	switch {
	case a.affine != nil && a.layout == triangles:
		n := a.order
		flat := make([]int, 0, n*n)
		for i := range n {
			for j := range n {
				flat = append(flat, place(i, j))
			}
		}
		return a.affine.Select([]int{n, n}, flat), true
	case a.affine != nil && a.layout == columns:
		return a.affine.Reshape(a.affine.Len()/a.order, a.order).T(), true
	case a.affine != nil:
		return *a.affine, true
	}
	rows := make([]Linear, a.Len())
	for k := range rows {
		e := a.Entry(k)
		if len(e.terms) > 0 {
			return Affine{}, false
		}
		rows[k] = e.lin
	}
	out = Entries(rows...)
	out.of = a.of.join(out.of)
	if s := a.Shape(); len(s) != 1 {
		out = out.Reshape(s...)
	}
	return out, true
}

// Entry is the k-th expression in row-major order, 0 ≤ k < Len.
func (a *Array) Entry(k int) Expr {
	switch {
	case a.affine != nil && a.layout == triangles:
		return Expr{lin: a.affine.Entry(place(k/a.order, k%a.order))}
	case a.affine != nil && a.layout == columns:
		cols := a.affine.Len() / a.order
		return Expr{lin: a.affine.Entry(k%cols*a.order + k/cols)}
	case a.affine != nil:
		return Expr{lin: a.affine.Entry(k)}
	}
	return a.exprs[k].owned(a.of)
}

// owned is e as an expression of a model.
func (e Expr) owned(of *space) Expr {
	if e.of = e.of.join(of); !e.composite && mixed(e.terms) {
		e.composite, e.lazy = true, &lazySplit{}
	}
	return e
}

// exprOf is a convex function as an expression.
func exprOf(f Convex) Expr {
	switch f := f.(type) {
	case Linear:
		return Expr{lin: f}
	case *sum:
		return Expr{lin: f.lin, terms: f.terms}
	}
	return Expr{terms: []term{{1, f}}}
}

// slice are the entries from lo to hi, as a vector.
func (a *Array) slice(lo, hi int) Array {
	if l, ok := a.Affine(); ok {
		l = l.Reshape(l.Len()).Range(lo, hi)
		return Array{affine: &l, of: a.of}
	}
	return Array{exprs: a.entries()[lo:hi], of: a.of}
}

// entries are all expressions of a.
func (a *Array) entries() []Expr {
	es := make([]Expr, a.Len())
	for k := range es {
		es[k] = a.Entry(k)
	}
	return es
}

// each are f of all expressions of a.
func (a *Array) each(f func(Expr) Expr) []Expr {
	es := a.entries()
	for k := range es {
		es[k] = f(es[k])
	}
	return es
}

// constructor is how an op is made: it stands in the file of the atom.
type constructor struct {
	op   string
	args int // arrays; −1: one or more
	data int // numbers; −1: as many as make wants
	// scalar: each array has one entry. affine: all entries are affine.
	scalar, affine bool
	make           func(args []Array, data []float64) Expr
}

// affineOf are the entries of an array of which Apply knows that it is affine.
func affineOf(a *Array) Affine {
	out, _ := a.Affine()
	return out
}

// ofScalar is an atom of one number.
func ofScalar(f func(Operand) Expr) func([]Array, []float64) Expr {
	return func(args []Array, _ []float64) Expr { return f(args[0].Entry(0)) }
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

// ofMatrix is an atom of one matrix.
func ofMatrix(f func(Affine) Expr) func([]Array, []float64) Expr {
	return func(args []Array, _ []float64) Expr { return f(affineOf(&args[0])) }
}
