package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// reader reads functions as members of graphs: functions that were stated one by one and differ in
// numbers alone have graphs that are Alike. A graph that it returns is good until the next call.
type reader struct {
	g     graph.Graph
	nums  []float64 // room for columns, and for lists of them, of rows and of arguments
	idx   []int32
	lists [][]float64
	idxs  [][]int32
	rows  []graph.Row
	ints  []int
	ok    bool
}

// begin starts a graph of one member.
func (r *reader) begin() {
	r.g = graph.Graph{N: 1, Nodes: r.g.Nodes[:0]}
	r.nums, r.idx, r.lists, r.idxs = r.nums[:0], r.idx[:0], r.lists[:0], r.idxs[:0]
	r.rows, r.ints, r.ok = r.rows[:0], r.ints[:0], true
}

// read is f as a graph; ok is false where it is none of the functions that families have.
func (r *reader) read(f convex.Func) (g *graph.Graph, ok bool) {
	r.begin()
	if familyIn(f) != nil {
		return nil, false
	}
	at := r.function(f)
	return &r.g, r.ok && at == r.g.Top() && r.g.Last().W == 1 && r.g.Last().Op != graph.Affine
}

func (r *reader) number(v float64) []float64 {
	r.nums = append(r.nums, v)
	n := len(r.nums)
	return r.nums[n-1 : n : n]
}

func (r *reader) row(l convex.Linear) graph.Row {
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
func (r *reader) function(f convex.Func) int {
	switch f := f.(type) {
	case convex.Linear:
		return r.sum(f, nil)
	case *sum:
		return r.sum(f.lin, f.terms)
	}
	n := nodeOf(f)
	if !r.ok {
		return 0
	}
	if n.curve.row != nil {
		return r.curve(&n)
	}
	row := n.row
	if row == nil || row.Restricted() {
		r.ok = false
		return 0
	}
	p := r.numbers(n.nums)
	if a := n.args[0].affine; a != nil && row != atom.Inner && n.args[0].layout == asItIs && a.Len() > 0 {
		at := graph.Node{Op: graph.Reduce, Function: row, Args: r.list(r.affine(a)), Group: a.Len(), P: p}
		return r.signed(&n, r.g.Add(at))
	}
	return r.signed(&n, r.group(row, n.numbers(), p))
}

// affine is the node of an array.
func (r *reader) affine(a *convex.Array) int {
	from := len(r.rows)
	for k := range a.Len() {
		r.rows = append(r.rows, r.row(a.Linear(k)))
	}
	to := len(r.rows)
	return r.g.Add(graph.Node{Op: graph.Affine, Rows: r.rows[from:to:to]})
}

// list is a list of numbers of nodes.
func (r *reader) list(nodes ...int) []int {
	from := len(r.ints)
	r.ints = append(r.ints, nodes...)
	return r.ints[from:len(r.ints):len(r.ints)]
}

// signed is a node, or minus it where the function of n is that.
func (r *reader) signed(n *Node, at int) int {
	if !n.negative || !r.ok {
		return at
	}
	return r.g.Add(graph.Node{Op: graph.Sum, Args: r.list(at), Weights: [][]float64{r.number(-1)}})
}

// numbers is a list of numbers.
func (r *reader) numbers(v []float64) []float64 {
	from := len(r.nums)
	r.nums = append(r.nums, v...)
	return r.nums[from:len(r.nums):len(r.nums)]
}

// group is a function of all entries.
func (r *reader) group(op *atom.Reduce, entries []scalar, p []float64) int {
	if len(entries) == 0 {
		r.ok = false
	}
	args := r.entries(entries)
	if !r.ok {
		return 0
	}
	return r.g.Add(graph.Node{Op: graph.Reduce, Function: op, Args: args, Group: len(entries), P: p})
}

// entries are the nodes of expressions; affine ones that follow one another are one node.
func (r *reader) entries(es []scalar) (args []int) {
	var rows []graph.Row
	flush := func() {
		if len(rows) > 0 {
			args, rows = append(args, r.g.Add(graph.Node{Op: graph.Affine, Rows: rows})), nil
		}
	}
	for k := range es {
		e := &es[k]
		if len(e.terms) == 0 {
			rows = append(rows, r.row(e.lin))
			continue
		}
		flush()
		at := r.sum(e.lin, e.terms)
		if !r.ok {
			return nil
		}
		args = append(args, at)
	}
	flush()
	return args
}

// sum is lin + Σ terms.
func (r *reader) sum(lin convex.Linear, terms []term) int {
	switch {
	case len(terms) == 0:
		return r.g.Add(graph.Node{Op: graph.Affine, Rows: []graph.Row{r.row(lin)}})
	case len(terms) == 1 && terms[0].w == 1 && lin.IsZero():
		return r.function(terms[0].f)
	}
	return r.weighted(graph.Node{Op: graph.Sum, Rows: []graph.Row{r.row(lin)}}, terms)
}

// weighted is a sum with the terms beside its rows.
func (r *reader) weighted(n graph.Node, terms []term) int {
	var few [8]int
	args := few[:0]
	for _, t := range terms {
		at := r.function(t.f)
		if !r.ok || r.g.Nodes[at].W != 1 {
			r.ok = false
			return 0
		}
		args = append(args, at)
	}
	from := len(r.lists)
	for _, t := range terms {
		r.lists = append(r.lists, r.number(t.w))
	}
	n.Args, n.Weights = r.list(args...), r.lists[from:len(r.lists):len(r.lists)]
	return r.g.Add(n)
}

// curve is a function of one number that is finite everywhere.
func (r *reader) curve(n *Node) int {
	c := n.curve
	if r.ok = r.ok && c.total(); !r.ok {
		return 0
	}
	args := r.entries(n.args[0].entries())
	if !r.ok {
		return 0
	}
	if sum := c.row.Sum; sum != nil && !c.negative && c.bend == 0 {
		return r.g.Add(graph.Node{Op: graph.Reduce, Function: sum, Args: args, Group: 1})
	}
	at := r.g.Add(graph.Node{Op: graph.Apply, Args: args, Curve: c.row, P: r.number(c.p)})
	if !c.negative && c.bend == 0 {
		return at
	}
	all := graph.Node{Op: graph.Sum, Args: []int{at}, Weights: [][]float64{r.number(c.signed(1))}}
	if c.bend != 0 {
		all.Args = append(all.Args, r.g.Add(graph.Reduced(atom.SumSquares, 1, args...)))
		all.Weights = append(all.Weights, r.number(c.bend/2))
	}
	return r.g.Add(all)
}
