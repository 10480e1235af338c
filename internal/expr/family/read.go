package family

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Reader reads functions as members of graphs: functions that were stated one by one and differ in
// numbers alone have graphs that are Alike. A graph that it returns is good until the next call.
type Reader struct {
	G     graph.Graph
	nums  []float64 // room for columns, and for lists of them, of rows and of arguments
	idx   []int32
	lists [][]float64
	idxs  [][]int32
	rows  []graph.Row
	ints  []int
	Ok    bool
}

// Begin starts a graph of one member.
func (r *Reader) Begin() {
	r.G = graph.Graph{N: 1, Nodes: r.G.Nodes[:0]}
	r.nums, r.idx, r.lists, r.idxs = r.nums[:0], r.idx[:0], r.lists[:0], r.idxs[:0]
	r.rows, r.ints, r.Ok = r.rows[:0], r.ints[:0], true
}

// read is f as a graph; ok is false where it is none of the functions that families have.
func (r *Reader) read(f convex.Func) (g *graph.Graph, ok bool) {
	r.Begin()
	if FamilyIn(f) != nil {
		return nil, false
	}
	at := r.function(f)
	return &r.G, r.Ok && at == r.G.Top() && r.G.Last().W == 1 && r.G.Last().Op != graph.Affine
}

func (r *Reader) number(v float64) []float64 {
	r.nums = append(r.nums, v)
	n := len(r.nums)
	return r.nums[n-1 : n : n]
}

func (r *Reader) Row(l convex.Linear) graph.Row {
	from, first := len(r.lists), len(r.idxs)
	for t, j := range l.Idx {
		r.idx = append(r.idx, int32(j))
		n := len(r.idx)
		r.lists, r.idxs = append(r.lists, r.number(l.Val[t])), append(r.idxs, r.idx[n-1:n:n])
	}
	to := len(r.lists)
	return graph.Row{Idx: slices.Clip(r.idxs[first:]), Val: r.lists[from:to:to], C: r.number(l.Const), Lost: l.Lost}
}

// function is the number of the node of f.
func (r *Reader) function(f convex.Func) int {
	switch f := f.(type) {
	case convex.Linear:
		return r.sum(f, nil)
	case *expr.Scalar:
		return r.sum(f.Lin, f.Terms)
	}
	n := expr.NodeOf(f)
	if !r.Ok {
		return 0
	}
	if n.Curve.Row != nil {
		return r.curve(&n)
	}
	row := n.Row
	if row == nil || row.Restricted() || row.Alone {
		r.Ok = false
		return 0
	}
	p := r.numbers(n.Nums)
	if a := &n.Inputs[0]; !a.Bent() && row != atom.Inner && a.Len() > 0 {
		at := graph.Node{Op: graph.Reduce, Function: row, Args: r.list(r.affine(&a.Array)), Group: a.Len(), P: p}
		return r.signed(&n, r.G.Add(at))
	}
	return r.signed(&n, r.group(row, n.Numbers(), p))
}

// affine is the node of an array.
func (r *Reader) affine(a *convex.Array) int {
	from := len(r.rows)
	for k := range a.Len() {
		r.rows = append(r.rows, r.Row(a.Linear(k)))
	}
	to := len(r.rows)
	return r.G.Add(graph.Node{Op: graph.Affine, Rows: r.rows[from:to:to]})
}

// list is a list of numbers of nodes.
func (r *Reader) list(nodes ...int) []int {
	from := len(r.ints)
	r.ints = append(r.ints, nodes...)
	return r.ints[from:len(r.ints):len(r.ints)]
}

// signed is a node, or minus it where the function of n is that.
func (r *Reader) signed(n *expr.Node, at int) int {
	if !n.Minus || !r.Ok {
		return at
	}
	return r.G.Add(graph.Node{Op: graph.Sum, Args: r.list(at), Weights: [][]float64{r.number(-1)}})
}

// numbers is a list of numbers.
func (r *Reader) numbers(v []float64) []float64 {
	from := len(r.nums)
	r.nums = append(r.nums, v...)
	return r.nums[from:len(r.nums):len(r.nums)]
}

// group is a function of all entries.
func (r *Reader) group(op *atom.Reduce, entries []expr.Scalar, p []float64) int {
	if len(entries) == 0 {
		r.Ok = false
	}
	args := r.entries(entries)
	if !r.Ok {
		return 0
	}
	return r.G.Add(graph.Node{Op: graph.Reduce, Function: op, Args: args, Group: len(entries), P: p})
}

// entries are the nodes of expressions; affine ones that follow one another are one node.
func (r *Reader) entries(es []expr.Scalar) (args []int) {
	var rows []graph.Row
	flush := func() {
		if len(rows) > 0 {
			args, rows = append(args, r.G.Add(graph.Node{Op: graph.Affine, Rows: rows})), nil
		}
	}
	for k := range es {
		e := &es[k]
		if len(e.Terms) == 0 {
			rows = append(rows, r.Row(e.Lin))
			continue
		}
		flush()
		at := r.sum(e.Lin, e.Terms)
		if !r.Ok {
			return nil
		}
		args = append(args, at)
	}
	flush()
	return args
}

// sum is lin + Σ terms.
func (r *Reader) sum(lin convex.Linear, terms []expr.Term) int {
	switch {
	case len(terms) == 0:
		return r.G.Add(graph.Node{Op: graph.Affine, Rows: []graph.Row{r.Row(lin)}})
	case len(terms) == 1 && terms[0].W == 1 && lin.IsZero():
		return r.function(terms[0].F)
	}
	return r.Weighted(graph.Node{Op: graph.Sum, Rows: []graph.Row{r.Row(lin)}}, terms)
}

// Weighted is a sum with the terms beside its rows.
func (r *Reader) Weighted(n graph.Node, terms []expr.Term) int {
	var few [8]int
	args := few[:0]
	for _, t := range terms {
		at := r.function(t.F)
		if !r.Ok || r.G.Nodes[at].W != 1 {
			r.Ok = false
			return 0
		}
		args = append(args, at)
	}
	from := len(r.lists)
	for _, t := range terms {
		r.lists = append(r.lists, r.number(t.W))
	}
	n.Args, n.Weights = r.list(args...), r.lists[from:len(r.lists):len(r.lists)]
	return r.G.Add(n)
}

// curve is a function of one number that has cones and is finite everywhere.
func (r *Reader) curve(n *expr.Node) int {
	c := n.Curve
	if r.Ok = r.Ok && c.Total() && c.Represented(); !r.Ok {
		return 0
	}
	args := r.entries(n.Numbers())
	if !r.Ok {
		return 0
	}
	if sum := c.Row.Sum; sum != nil && !c.Negative {
		return r.G.Add(graph.Node{Op: graph.Reduce, Function: sum, Args: args, Group: 1})
	}
	at := r.G.Add(graph.Node{Op: graph.Apply, Args: args, Curve: c.Row, P: r.number(c.P)})
	if !c.Negative {
		return at
	}
	return r.G.Add(graph.Node{Op: graph.Sum, Args: []int{at}, Weights: [][]float64{r.number(-1)}})
}
