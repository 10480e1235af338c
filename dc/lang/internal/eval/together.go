//go:build !lean

package eval

import (
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// manyTerms is from how many members of the first index on a sum is added up as arrays. Source: a limit of time: an object of
// each of some hundred terms takes less than 10 ms.
const manyTerms = 1 << 10

// Together lets sums over indices that are parts of n, a sum itself, add up terms that differ in numbers alone as
// arrays. n is the objective: elsewhere terms are asked for one by one.
func (ev *Evaluator) Together(n *syntax.Node) {
	if at := ev.NoteOf(n); at.Complex || at.OfComplex {
		return
	}
	switch n.Op {
	case syntax.OpSum:
		for _, a := range n.Args {
			ev.Together(a)
		}
	case syntax.OpNeg:
		ev.Together(n.Args[0])
	case syntax.OpMul, syntax.OpDotMul:
		if ev.withoutVariables(n.Args[0]) {
			ev.Together(n.Args[1])
		}
	case syntax.OpDiv, syntax.OpDotDiv:
		if ev.withoutVariables(n.Args[1]) {
			ev.Together(n.Args[0])
		}
	case syntax.OpReduce:
		ev.NoteOf(n).together = n.Name == "sum"
	}
}

// withoutVariables reports whether only data stand in n.
func (ev *Evaluator) withoutVariables(n *syntax.Node) bool {
	if n.Op == syntax.OpName {
		s := ev.Names[n.Name]
		return s == nil || s.Value.Cells != nil && (s.Value.IsData() || s.Value.Sort > value.Expressions && s.Value.Sort != value.ComplexPairs)
	}
	all := true
	n.Each(func(a *syntax.Node) { all = all && ev.withoutVariables(a) })
	return all
}

// together is a sum that is added up as arrays.
type together struct {
	sum  dc.Loop
	cost value.Cost
	rows []dc.Linear
	ends []int
	each map[*syntax.Node]value.Cost // of a term
}

// SumTogether is the sum over indices n by arrays; ok is false where it is to be added up term by term.
func (ev *Evaluator) SumTogether(n *syntax.Node) (v value.Value, ok bool) {
	if !ev.NoteOf(n).together || len(ev.Indices) > 0 {
		return v, false
	}
	at, t, ok := ev.Depth(), together{each: map[*syntax.Node]value.Cost{}}, true
	from := ev.sums.Begin()
	m := ev.Caught(func() {
		lo, hi, list, set := ev.Members(n.Binders[0].Set)
		count := max(hi-lo+1, len(list))
		if set != nil {
			count = len(set.List)
		}
		if ok = count >= manyTerms; !ok {
			return
		}
		t.sum.Count, t.sum.Model = count, ev.Model
		ev.LoopColumns(n, n.Binders, n.Cond, func() { ok = ok && ev.addMember(&t, n.Args[0], 1) }, func(c *Columns) bool {
			return ok && t.addColumns(c, n.Args[0], &ok)
		})
	})
	e := dc.Expr{}
	if m == nil && ok {
		e, ok = t.sum.Sum()
	}
	if m != nil || !ok {
		ev.Unwind(at)
		return v, false
	}
	if !e.IsAffine() {
		ev.sums.Add(1, value.FromExpr(e, t.cost), n)
	}
	return ev.total(n, from), true
}

// addColumns adds the members for which there are columns. It returns false where these are to be added one by one; ok
// is false where the sum has none of the members as arrays.
func (t *together) addColumns(c *Columns, n *syntax.Node, ok *bool) bool {
	u, is := c.term(n, 1)
	if !is {
		return false
	}
	ev := c.ev
	*ok = t.sum.AddRows(u.op, c.n, u.w, u.rows, u.ends, t.first(ev, u.at))
	each := t.each[u.at]
	t.cost = t.cost.Plus(value.Cost{Pieces: each.Pieces, Parts: each.Parts * c.n, Weight: each.Weight * c.n}.Capped())
	return true
}

// first evaluates a term.
func (t *together) first(ev *Evaluator, n *syntax.Node) func() dc.Expr {
	return func() dc.Expr {
		v := ev.Eval(n)
		t.each[n] = v.Costs()
		return v.Expr(0)
	}
}

// loopOps are the functions of affine functions that arrays have.
func loopOps(name string) (op dc.LoopOp, ok bool) {
	switch name {
	case "pos":
		op = dc.LoopPos
	case "abs":
		op = dc.LoopAbs
	case "max":
		op = dc.LoopMax
	case "min":
		op = dc.LoopMin
	default:
		return 0, false
	}
	return op, true
}

// loopable reports whether a function has as many rows as it must have.
func loopable(op dc.LoopOp, rows int) bool {
	if op == dc.LoopPos || op == dc.LoopAbs {
		return rows == 1
	}
	return rows > 1
}

// addMember adds w·n, a part of a member. It returns false where that is none of the sums that arrays have.
func (ev *Evaluator) addMember(t *together, n *syntax.Node, w float64) bool {
	at := ev.NoteOf(n)
	if at.Open && !at.Complex && !at.OfComplex {
		switch n.Op {
		case syntax.OpSum:
			for k, a := range n.Args {
				if !ev.addMember(t, a, WithSign(w, n.Minus[k])) {
					return false
				}
			}
			return true
		case syntax.OpNeg:
			return ev.addMember(t, n.Args[0], -w)
		case syntax.OpMul:
			if n.Args[0].Op == syntax.OpMul || n.Args[0].Op == syntax.OpTrans {
				break // maybe a quadratic form
			}
			if a := ev.view(n.Args[0]); a.isNumber() {
				return ev.addMember(t, n.Args[1], w*a.v.X)
			}
		case syntax.OpCall, syntax.OpReduce:
			if added, ok := ev.addAtom(t, n, w); ok {
				return added
			}
		}
	}
	from := len(ev.sums.Terms)
	ev.addTerm(n, w)
	return len(ev.sums.Terms) == from
}

// addAtom adds w·n, a function of affine functions; ok is false where it is none of those that arrays have.
func (ev *Evaluator) addAtom(t *together, n *syntax.Node, w float64) (added, ok bool) {
	op, ok := loopOps(n.Name)
	if !ok {
		return false, false
	}
	t.rows, t.ends = t.rows[:0], t.ends[:0]
	m, all := ev.sums.Mark(), true
	if n.Op == syntax.OpReduce {
		ev.Loop(n, n.Binders, n.Cond, func() { all = all && ev.addRows(t, op, n.Args[0]) })
	} else {
		for _, a := range n.Args {
			all = all && ev.addRows(t, op, a)
		}
	}
	if len(t.ends) > 0 {
		op = dc.LoopLeast
	}
	if !all || !loopable(op, len(t.rows)) {
		ev.sums.BackTo(m)
		return false, true
	}
	added = t.sum.Add(op, w, t.rows, t.ends, t.first(ev, n))
	ev.sums.BackTo(m)
	t.cost = t.cost.Plus(t.each[n])
	return added, true
}

// addRows adds the rows of an argument: an affine function, or of a minimum a sum of squares. It returns false
// where it is neither.
func (ev *Evaluator) addRows(t *together, op dc.LoopOp, n *syntax.Node) bool {
	if squared := squaredIn(n); op == dc.LoopMin && squared != nil && len(t.ends) > 0 == (len(t.rows) > 0) {
		ok := n.Name != "sumsq" && ev.addRow(t, squared) || n.Name == "sumsq" && ev.addEntries(t, squared)
		t.ends = append(t.ends, len(t.rows))
		return ok
	}
	return len(t.ends) == 0 && ev.addRow(t, n)
}

// squaredIn is the argument of a sum of squares; nil: n is none.
func squaredIn(n *syntax.Node) *syntax.Node {
	if n.Op == syntax.OpCall && (n.Name == "sumsq" || n.Name == "square") || n.Op == syntax.OpPower && n.Args[1].Op == syntax.OpNumber && n.Args[1].Num == 2 {
		return n.Args[0]
	}
	return nil
}

// addRow adds a scalar affine function, in the accumulator's room.
func (ev *Evaluator) addRow(t *together, n *syntax.Node) bool {
	at := ev.NoteOf(n)
	if at.Complex || at.OfComplex {
		return false
	}
	switch n.Op {
	case syntax.OpSum, syntax.OpNeg, syntax.OpMul, syntax.OpDotMul, syntax.OpDiv, syntax.OpDotDiv:
		if !at.Open {
			break
		}
		ev.Spend(n, UnitsNode)
		m := ev.sums.Begin()
		ev.add(n, 1)
		if len(ev.sums.Terms) > m.Terms {
			return false
		}
		l := ev.linear(n, m)
		if len(l.Idx) == 0 {
			l = dc.Linear{Const: l.Const}
		}
		t.rows = append(t.rows, l)
		return true
	}
	a := ev.view(n)
	switch {
	case a.isNumber():
		t.rows = append(t.rows, dc.Linear{Const: a.v.X})
	case a.v.Sort == value.AffineFunctions && (a.single || !a.run && a.v.Scalar()):
		t.rows = append(t.rows, a.v.Linear(a.first))
	default:
		return false
	}
	return true
}

// addEntries adds the entries of an array of affine functions. A vector of them with another one added takes no array.
func (ev *Evaluator) addEntries(t *together, n *syntax.Node) bool {
	if n.Op == syntax.OpSum && len(n.Args) == 2 && !n.Minus[0] && n.Args[0].Op == syntax.OpIndex && n.Args[1].Op == syntax.OpIndex {
		a, b := ev.view(n.Args[0]), ev.view(n.Args[1])
		if a.run && b.run && a.count == b.count && a.v.Sort == value.AffineFunctions && b.v.Sort <= value.AffineFunctions {
			ev.Spend(n, 2*a.count)
			for k := range a.count {
				l, r := a.v.Linear(a.first+k*a.step), dc.Linear{}
				if b.v.Sort == value.Numbers {
					r.Const = b.v.Num[b.first+k*b.step]
				} else {
					r = b.v.Linear(b.first + k*b.step)
				}
				t.rows = append(t.rows, l.AddScaled(WithSign(1, n.Minus[1]), r))
			}
			return true
		}
	}
	v := ev.Operand(n)
	if v.Sort != value.AffineFunctions {
		return false
	}
	for k := range v.Len() {
		t.rows = append(t.rows, v.Linear(k))
	}
	return true
}

// Repeats adds members of a constraint that differ from those before in numbers alone, without an object of each. One side is a norm
// or an absolute value of affine functions, the other side is affine.
type Repeats struct {
	ev         *Evaluator
	atom, rest *syntax.Node // nil: the constraint is another one
	w          float64      // of the atom
	to         *dc.Repeat   // nil: members are stated one by one
	index      []int
	rows       []dc.Linear
	at         together // rows of a side
	read       func()
	ok         bool // of the last read
}

// fewestRepeats is after how many members a member is looked at, and after twice as many again where it did not fit. Source: as many have
// arrays in dc.
const fewestRepeats = 128

// NewRepeats is for a constraint with these sides.
func NewRepeats(ev *Evaluator, args []*syntax.Node, rels []syntax.Kind) *Repeats {
	r := &Repeats{ev: ev}
	if len(rels) != 1 || rels[0] == syntax.EQ {
		return r
	}
	for k, a := range args {
		at, other := ev.NoteOf(a), args[1-k]
		if a.Op != syntax.OpCall || len(a.Args) != 1 || !at.Open || at.Complex || at.OfComplex || ev.NoteOf(other).Complex {
			continue
		}
		switch a.Name {
		case "norm1", "norm2", "abs":
			r.atom, r.rest, r.w = a, other, WithSign(1, (k == 1) == (rels[0] == syntax.LE))
		}
	}
	r.read = func() { r.ok = r.numbers() }
	return r
}

// Add adds the current member. ok is false where it is to be stated as any other.
func (r *Repeats) Add() (ok bool) {
	if r.to == nil {
		return false
	}
	if !r.look() || !r.to.Add(r.index, r.rows[0], r.w, r.rows[1:]) {
		r.to = nil
		return false
	}
	return true
}

// AddColumns adds many members. It returns false where they are to be added one by one.
func (r *Repeats) AddColumns(c *Columns) bool {
	if r.to == nil {
		return false
	}
	ok, at := false, r.ev.Depth()
	m := r.ev.Caught(func() {
		rest, is := c.row(r.rest)
		if !is {
			return
		}
		if r.w > 0 {
			rest.Const = c.times(one(-1), rest.Const)
			for t := range rest.Val {
				rest.Val[t] = c.times(one(-1), rest.Val[t])
			}
		}
		rows := []dc.LoopRow{}
		if r.atom.Name == "abs" {
			is = c.addTo(&rows, r.atom.Args[0])
		} else {
			rows, is = c.entries(rows, r.atom.Args[0])
		}
		if is {
			r.index = r.index[:0]
			for k := range c.at {
				r.index = append(r.index, r.ev.Indices[k].At)
			}
			ok = r.to.AddRows(r.index, c.lo, c.n, rest, r.w, rows)
		}
	})
	r.ev.Unwind(at)
	return m == nil && ok
}

// Stated says that the current member was stated, one of so many.
func (r *Repeats) Stated(members int) {
	if r.atom != nil && r.to == nil && members >= fewestRepeats && members&(members-1) == 0 && r.look() {
		r.to = r.ev.Model.Repeat(r.rows[0], r.w, r.rows[1:])
	}
}

// look reads the numbers of the current member, until the next call: the affine side in E ≤ 0 and the rows of the atom. It returns false where
// there are none, and where there is a mistake.
func (r *Repeats) look() bool {
	at := r.ev.Depth()
	m := r.ev.Caught(r.read)
	r.ev.Unwind(at)
	return m == nil && r.ok
}

func (r *Repeats) numbers() bool {
	ev := r.ev
	r.index = r.index[:0]
	for k := range ev.Indices {
		r.index = append(r.index, ev.Indices[k].At)
	}
	r.at.rows = r.at.rows[:0]
	ok := ev.addRow(&r.at, r.rest)
	if ok && r.atom.Name == "abs" {
		ok = ev.addRow(&r.at, r.atom.Args[0])
	} else if ok {
		ok = ev.addEntries(&r.at, r.atom.Args[0])
	}
	if r.rows = r.at.rows; ok && r.w > 0 {
		r.rows[0] = r.rows[0].Scale(-1)
	}
	return ok
}
