package eval

import (
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// sum is a scalar or an array of each member that is added up: affine functions, and nodes with
// weights.
type sum struct {
	entries []graph.Terms // one of a scalar; nil: none was added yet
	array   bool
	nodes   []int
	weights [][]float64
}

// room reports whether a sum has so many entries; an empty one takes them.
func (b *Batch) room(s *sum, array bool, count int) bool {
	if s.entries == nil {
		s.array, s.entries = array, make([]graph.Terms, count)
		for k := range s.entries {
			s.entries[k].Known = b.kept.multiples
		}
	}
	return s.array == array && len(s.entries) == count
}

// scalar is w times n, which is no array, and the row of its affine part.
func (b *Batch) scalar(n *syntax.Node, w float64) (s sum, r graph.Row, ok bool) {
	if !b.add(&s, n, one(w)) || !b.room(&s, false, 1) {
		return s, r, false
	}
	r, ok = s.entries[0].Row()
	return s, r, ok
}

// add is Evaluator.addTerm; ok is false where that has to be done one by one.
func (b *Batch) add(s *sum, n *syntax.Node, w []float64) (ok bool) {
	ev, at := b.ev, b.ev.NoteOf(n)
	if at.Complex || at.OfComplex {
		return false
	}
	ev.Spend(n, UnitsNumber*b.n)
	if n.Op == syntax.OpNumber {
		return b.addSeen(s, n, seen{num: one(n.Num)}, w)
	}
	if at.Open {
		switch n.Op {
		case syntax.OpSum:
			for k, a := range n.Args {
				if !b.add(s, a, graph.Scale(one(WithSign(1, n.Minus[k])), w)) {
					return false
				}
			}
			return true
		case syntax.OpNeg:
			return b.add(s, n.Args[0], graph.Scale(one(-1), w))
		case syntax.OpMul, syntax.OpDotMul:
			return b.addProduct(s, n, w)
		case syntax.OpDiv, syntax.OpDotDiv:
			return b.addQuotient(s, n, w)
		case syntax.OpReduce, syntax.OpCall:
			if n.Name == "sum" && n.Op == syntax.OpReduce {
				return b.each(n, func() bool { return b.add(s, n.Args[0], w) })
			}
			if !ev.withoutVariables(n) {
				return b.addAtom(s, n, w)
			}
		}
	}
	return b.addSeen(s, n, b.view(n), w)
}

// each runs f for the values of the indices of a reduction that has the same ones in all members.
func (b *Batch) each(n *syntax.Node, f func() bool) (ok bool) {
	varies := func(c syntax.Binder) bool { return b.depends(c.Set) }
	if slices.ContainsFunc(n.Binders, varies) || n.Cond != nil && b.depends(n.Cond) {
		return false
	}
	ok = true
	b.ev.Loop(n, n.Binders, n.Cond, func() { ok = ok && f() })
	return ok
}

// addSeen adds w times the value of n.
func (b *Batch) addSeen(s *sum, n *syntax.Node, a seen, w []float64) bool {
	switch {
	case a.array:
		b.ev.Spend(n, a.count*b.n)
		if !b.room(s, true, a.count) {
			return false
		}
		for k := range s.entries {
			if a.v.Sort == value.Numbers {
				s.entries[k].AddNumber(w, b.numbers(&a, k))
			} else if r := b.functions(&a, k); r != nil {
				s.entries[k].Add(w, r)
			} else {
				return false
			}
		}
	case a.num == nil && a.row == nil || !b.room(s, false, 1):
		return false
	case a.num != nil:
		s.entries[0].AddNumber(w, a.num)
	default:
		s.entries[0].Add(w, a.row)
	}
	return true
}

// addProduct is Evaluator.addProduct.
func (b *Batch) addProduct(s *sum, n *syntax.Node, w []float64) bool {
	l, r := n.Args[0], n.Args[1]
	form := l.Op == syntax.OpMul && l.Args[0].Op == syntax.OpTrans || l.Op == syntax.OpTrans && r.Op == syntax.OpMul
	if form && n.Op == syntax.OpMul {
		return false // maybe a quadratic form
	}
	x := b.view(l)
	if x.num != nil {
		return b.add(s, r, graph.Scale(w, x.num))
	}
	y := b.view(r)
	if y.num != nil {
		if x.row != nil {
			return b.addSeen(s, n, x, graph.Scale(w, y.num))
		}
		return !x.array && b.add(s, l, graph.Scale(w, y.num))
	}
	if n.Op != syntax.OpMul || !x.array || !y.array || x.count != y.count {
		return false
	}
	if x.v.Sort == value.AffineFunctions {
		x, y = y, x
	}
	if x.v.Sort != value.Numbers || y.v.Sort != value.AffineFunctions || !b.room(s, false, 1) {
		return false
	}
	b.ev.Spend(n, x.count*b.n)
	for k := range x.count {
		row := b.functions(&y, k)
		if row == nil {
			return false
		}
		s.entries[0].Add(graph.Scale(w, b.numbers(&x, k)), row)
	}
	return true
}

// addQuotient is Evaluator.addQuotient.
func (b *Batch) addQuotient(s *sum, n *syntax.Node, w []float64) bool {
	y := b.view(n.Args[1])
	if y.num == nil || slices.Contains(y.num, 0) {
		return false
	}
	if x := b.view(n.Args[0]); x.num != nil {
		x.num = graph.Map(x.num, y.num, func(x, y float64) float64 { return x / y })
		return b.addSeen(s, n, x, w)
	}
	return b.add(s, n.Args[0], graph.Scale(w, graph.Map(y.num, y.num, func(x, _ float64) float64 { return 1 / x })))
}

// addAtom adds w times a function that graphs have.
func (b *Batch) addAtom(s *sum, n *syntax.Node, w []float64) bool {
	node, sign, ok := b.atom(n)
	if !ok {
		return false
	}
	s.nodes, s.weights = append(s.nodes, node), append(s.weights, graph.Scale(one(sign), w))
	return true
}

// atom is the node of a function, which is sign times it.
func (b *Batch) atom(n *syntax.Node) (node int, sign float64, ok bool) {
	curve, f := atom.Find(n.Name), atom.FindReduce(n.Name)
	switch {
	case curve == nil && f == nil:
		return 0, 0, false
	case f == atom.Max:
		rows, ok := b.operands(n, 1)
		return b.reduce(atom.Max, rows...), 1, ok && len(rows) > 1 && someVary(rows)
	case f == atom.Min:
		if node, ok = b.least(n); ok {
			return node, 1, true
		}
		rows, ok := b.operands(n, -1)
		return b.reduce(atom.Max, rows...), -1, ok && len(rows) > 1 && someVary(rows)
	case f != nil:
		if !f.OfArray() || f.Restricted() || f.Root != nil {
			return 0, 0, false
		}
		rows, ok := b.vector(n.Args[0])
		return b.reduce(f, rows...), 1, ok && len(rows) > 1 && someVary(rows)
	case curve.Sum == atom.Norm1:
		return b.absolute(n.Args[0])
	case n.Name == "pos":
		r, ok := b.row(n.Args[0])
		return b.reduce(atom.Max, r, graph.Number(one(0))), 1, ok && len(r.Idx) > 0
	case curve.HasParameter || curve.Domain != nil || curve.Sum != nil || !curve.HasBound(0, false):
		return 0, 0, false
	}
	r, ok := b.row(n.Args[0])
	return b.apply(curve, r), 1, ok && len(r.Idx) > 0
}

// someVary reports whether a variable stands in some rows.
func someVary(rows []graph.Row) bool {
	return slices.ContainsFunc(rows, func(r graph.Row) bool { return len(r.Idx) > 0 })
}

// reduce is a function of all rows.
func (b *Batch) reduce(f *atom.Reduce, rows ...graph.Row) int {
	if len(rows) == 0 {
		return 0
	}
	at := b.graph.Add(graph.Node{Op: graph.Affine, Rows: rows})
	return b.graph.Add(graph.Reduced(f, len(rows), at))
}

// apply is a function of one number of a row.
func (b *Batch) apply(c *atom.Curve, r graph.Row) int {
	at := b.graph.Add(graph.Node{Op: graph.Affine, Rows: []graph.Row{r}})
	return b.graph.Add(graph.Node{Op: graph.Apply, Args: []int{at}, Curve: c})
}

// absolute is |n|, of an affine function or of one with maxima of such beside it.
func (b *Batch) absolute(n *syntax.Node) (node int, sign float64, ok bool) {
	t, r, ok := b.scalar(n, 1)
	switch {
	case !ok, len(t.nodes) == 0 && len(r.Idx) == 0:
		return 0, 0, false
	case len(t.nodes) == 0:
		return b.reduce(atom.Norm1, r), 1, true
	}
	e, ok := b.total(&t, r)
	return b.graph.Add(graph.Reduced(atom.Norm1, 1, e)), 1, ok
}

// total is the node of a sum with that row, whose weights have a sign each; ok is false where there
// is a node twice, or weights have both signs or none.
func (b *Batch) total(t *sum, r graph.Row) (node int, ok bool) {
	for k, w := range t.weights {
		if slices.Contains(t.nodes[:k], t.nodes[k]) || !oneSign(w) {
			return 0, false
		}
	}
	return b.graph.Add(graph.Node{Op: graph.Sum, Rows: []graph.Row{r}, Args: t.nodes, Weights: t.weights}), true
}

// oneSign reports whether all numbers are finite and above 0, or all are below.
func oneSign(w []float64) bool {
	return !slices.ContainsFunc(w, func(v float64) bool { return v*w[0] <= 0 || v-v != 0 })
}

// row is an affine function.
func (b *Batch) row(n *syntax.Node) (r graph.Row, ok bool) {
	t, r, ok := b.scalar(n, 1)
	b.ev.Spend(n, UnitsCoeff*len(r.Idx)*b.n)
	return r, ok && len(t.nodes) == 0
}

// operands are the rows of the arguments of a maximum, or of a minimum, times w.
func (b *Batch) operands(n *syntax.Node, w float64) (rows []graph.Row, ok bool) {
	ok = b.eachOperand(n, func(a *syntax.Node) bool {
		t, r, ok := b.scalar(a, w)
		rows = append(rows, r)
		return ok && len(t.nodes) == 0
	})
	return rows, ok
}

// eachOperand calls f with the arguments of a function, or with the body of a reduction for each
// value of its indices.
func (b *Batch) eachOperand(n *syntax.Node, f func(a *syntax.Node) bool) bool {
	if n.Op == syntax.OpReduce {
		return b.each(n, func() bool { return f(n.Args[0]) })
	}
	return !slices.ContainsFunc(n.Args, func(a *syntax.Node) bool { return !f(a) })
}

// least is a minimum of sums of squares of affine functions.
func (b *Batch) least(n *syntax.Node) (node int, ok bool) {
	var squares [][]graph.Row
	ok = b.eachOperand(n, func(a *syntax.Node) bool {
		squared := squaredIn(a)
		if squared == nil {
			return false
		}
		var rows []graph.Row
		if a.Name == "sumsq" {
			if rows, ok = b.vector(squared); !ok {
				return false
			}
		} else {
			r, ok := b.row(squared)
			if !ok {
				return false
			}
			rows = []graph.Row{r}
		}
		squares = append(squares, rows)
		return someVary(rows)
	})
	if !ok || len(squares) < 2 {
		return 0, false
	}
	args, group := []int{}, len(squares[0])
	if slices.ContainsFunc(squares, func(rows []graph.Row) bool { return len(rows) != group }) {
		for _, rows := range squares {
			args = append(args, b.reduce(atom.SumSquares, rows...))
		}
	} else { // one node has all
		at := b.graph.Add(graph.Node{Op: graph.Affine, Rows: slices.Concat(squares...)})
		args = append(args, b.graph.Add(graph.Reduced(atom.SumSquares, group, at)))
	}
	return b.graph.Add(graph.Reduced(atom.Min, len(squares), args...)), true
}

// squaredIn is the argument of a sum of squares; nil: n is none.
func squaredIn(n *syntax.Node) *syntax.Node {
	square := n.Op == syntax.OpPower && n.Args[1].Op == syntax.OpNumber && n.Args[1].Num == 2
	if square || n.Op == syntax.OpCall && (n.Name == "sumsq" || n.Name == "square") {
		return n.Args[0]
	}
	return nil
}

// vector are the entries of an array of affine functions. All have the largest of what was lost, as
// entries of one array have.
func (b *Batch) vector(n *syntax.Node) (rows []graph.Row, ok bool) {
	var t sum
	if !b.add(&t, n, one(1)) || !t.array || len(t.nodes) > 0 {
		return nil, false
	}
	lost := 0.0
	for k := range t.entries {
		r, ok := t.entries[k].Row()
		if !ok {
			return nil, false
		}
		b.ev.Spend(n, UnitsCoeff*len(r.Idx)*b.n)
		rows, lost = append(rows, r), max(lost, r.Lost)
	}
	for k := range rows {
		rows[k].Lost = lost
	}
	return rows, true
}
