package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Node is an atom with its arguments, as an expression was written. Passes over
// expressions read nodes: Expr.Written yields them, Apply makes them again.
type Node struct {
	op       string
	curve    curve        // of one that is a function of one number: it knows op and data
	row      *atom.Reduce // of one that is a function of several numbers
	negative bool         // the function is minus the atom
	args     [2]argument
	num      float64
	nums     []float64
	key      any // the rest that tells it from others, comparable
}

// node is f of an argument. Families know curves with cones.
func (f curve) node(args [2]argument) Node {
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

// noder is implemented by functions that can be compared and read. The node points
// into the function.
type noder interface{ node() Node }

// nodeOf is f as a node; the node of a function nobody knows has the op "".
func nodeOf(f convex.Func) Node {
	if n, ok := f.(noder); ok {
		return n.node()
	}
	return Node{key: f}
}

// Op is the name of the atom: the name of a function in a problem file where there is
// one; "mul" and "inner" are products, "power" and "pos_power" powers of u and of
// max(u, 0), "sumsmallest" is the sum of the k smallest entries, "cost" the term of
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

// argument is an argument of an atom, as the atom keeps it. One of affine and exprs is empty.
type argument struct {
	affine *convex.Array
	layout layout // of affine
	order  int    // of the triangle, or the length of a column
	exprs  []scalar
	of     *convex.Space
}

// layout is how an affine array lies.
type layout uint8

const (
	asItIs    layout = iota
	triangles        // the upper triangle of a symmetric matrix, column by column
	columns          // the columns of a matrix, one after the other
)

func affineArgs(as ...*convex.Array) (out [2]argument) {
	for k, a := range as {
		out[k].affine = a
	}
	return out
}

// exprArgs are the arguments of an atom of one array.
func exprArgs(es ...scalar) [2]argument { return [2]argument{{exprs: es}} }

// len is the number of entries.
func (a *argument) len() int {
	switch {
	case a.affine != nil && a.layout == triangles:
		return a.order * a.order
	case a.affine != nil:
		return a.affine.Len()
	}
	return len(a.exprs)
}
