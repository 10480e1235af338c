package expr

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Triangle is the number of entries on and above the diagonal.
func Triangle(n int) int { return n * (n + 1) / 2 }

// Place is where entry (i, j) of a symmetric matrix stands in its upper
// triangle, column by column.
func Place(i, j int) int { return max(i, j)*(max(i, j)+1)/2 + min(i, j) }

// MirrorTol is how far, relatively, rounding may take mirrored entries apart.
// Source: derived: entries may be sums of products; some million unit roundoffs.
const MirrorTol = 1e-9

// Atom is Weight times the atom of Node.
type Atom struct {
	Weight float64
	Node   Node
}

// Written is e as it was written: an affine function plus weighted atoms.
func (e Scalar) Written() (affine convex.Linear, terms []Atom) {
	affine = e.Lin
	affine.Of = e.Of.Join(affine.Of)
	for _, t := range e.Terms {
		if f, ok := t.F.(Many); ok {
			for _, m := range f.OneByOne() {
				_, one := m.Scale(t.W).Written()
				terms = append(terms, one...)
			}
			continue
		}
		u := Atom{t.W, NodeOf(t.F)}
		if u.Node.Negative() {
			u.Weight = -u.Weight
		}
		for k := range u.Node.Inputs {
			u.Node.Inputs[k].Of = e.Owner().Join(u.Node.Inputs[k].Of)
		}
		terms = append(terms, u)
	}
	return affine, terms
}

// Args are the arguments.
func (n *Node) Args() []Array {
	if n.Row != nil && n.Row.Places != atom.Together {
		all := n.Inputs[0].written()
		all.Array = all.Reshaped(all.Len())
		head, rest := all.Slice(0, 1), all.Slice(1, all.Len())
		if n.Row.Places == atom.FirstBehind {
			return []Array{rest, head}
		}
		return []Array{head, rest}
	}
	var out []Array
	for k := 0; k < len(n.Inputs) && n.Inputs[k].given(); k++ {
		out = append(out, n.Inputs[k].written())
	}
	return out
}

// Numbers are the arguments of a function of several numbers, in the order of its row.
func (n *Node) Numbers() (out []Scalar) {
	for k := range n.Inputs {
		if n.Inputs[k].given() {
			in := n.Inputs[k].written()
			out = append(out, in.Scalars()...)
		}
	}
	return out
}

// Data are the numbers that belong to the atom beside its arguments: the exponent
// of power, pos_power and norm, the threshold of huber, the count of sumlargest,
// sumsmallest and lambda_sumlargest, the weights of wgeomean, the matrix of quad in
// row-major order.
func (n *Node) Data() []float64 {
	switch {
	case n.Curve.Row != nil:
		return n.Curve.data()
	case n.Name == OpQuad:
		return fullSymmetric(n.Nums, n.Inputs[0].Len())
	case n.Nums != nil && (n.Row == nil || n.Row.HasParameters):
		return slices.Clone(n.Nums)
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

// given reports whether there is an argument, which may have no entries.
func (a *Array) given() bool { return a.Bent() || a.C != nil }

// written is a as an array of expressions of its model.
func (a *Array) written() Array {
	if !a.Bent() {
		return *a
	}
	es := make([]Scalar, len(a.Fs))
	for k := range es {
		es[k] = a.Fs[k].owned(a.Of)
	}
	out := ListOf([]int{len(es)}, es)
	out.Of = a.Of.Join(out.Of)
	return out
}

// owned is e as an expression of a model.
func (e Scalar) owned(of *convex.Space) Scalar {
	if e.Of = e.Of.Join(of); !e.Composite && mixed(e.Terms) {
		e.Composite, e.Lazy = true, &LazySplit{}
	}
	return e
}

// OpQuad is the atom that has a matrix as data.
const OpQuad = "quad"

// Node is an atom with its arguments, as an expression was written. Passes over
// expressions read nodes: Expr.Written yields them, Apply makes them again.
type Node struct {
	Name   string
	Curve  Curve        // of one that is a function of one number: it knows op and data
	Row    *atom.Reduce // of one that is a function of several numbers
	Minus  bool         // the function is minus the atom
	Inputs [2]Array
	Nums   []float64
	Key    any // the rest that tells it from others, comparable
}

// noder is implemented by functions that can be compared and read. The node points
// into the function.
type noder interface{ Node() Node }

// NodeOf is f as a node; the node of a function nobody knows has the op "".
func NodeOf(f convex.Func) Node {
	if n, ok := f.(noder); ok {
		return n.Node()
	}
	return Node{Key: f}
}

// Op is the name of the atom: the name of a function in a problem file where there is
// one; "mul" and "inner" are products, "power" and "pos_power" powers of u and of
// max(u, 0), "sumsmallest" is the sum of the k smallest entries, "cost" the term of
// Model.AddCost, "blackbox" a function of the library's user.
func (n *Node) Op() string {
	switch row := n.Curve.Row; {
	case row == nil:
		return n.Name
	case atom.Find(row.Name) != row: // whatever its name is
		return "blackbox"
	case n.Curve.Bend != 0: // a part of splits alone
		return "bent"
	default:
		return row.Name
	}
}

// Negative reports whether the function that the split has is minus the atom.
// Expr.Written has turned the sign of the weight then.
func (n *Node) Negative() bool { return n.Minus || n.Curve.Row != nil && n.Curve.Negative }

// ExprArgs are the arguments of an atom of one array.
func ExprArgs(es ...Scalar) [2]Array { return [2]Array{{Fs: es}} }
