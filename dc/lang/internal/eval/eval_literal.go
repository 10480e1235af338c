package eval

import (
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Literal is [row; row]. The elements of a row stand side by side: scalars and
// vectors make a vector, matrices (and vectors as their columns) a matrix. Rows
// stand below each other; rows of one number each make a vector.
func (ev *Evaluator) Literal(n *syntax.Node) value.Value {
	if len(n.Rows) == 0 {
		return value.Vector(nil)
	}
	rows := make([]value.Value, len(n.Rows))
	short := true
	for i, elements := range n.Rows {
		rows[i] = ev.row(n, elements)
		short = short && rows[i].Len() == 1 && len(rows[i].Shape) == 1
	}
	if len(rows) == 1 {
		return rows[0]
	}
	ev.noInf(n, rows)
	height, width := 0, rows[0].Shape[len(rows[0].Shape)-1]
	for i := range rows {
		r := &rows[i]
		if w := r.Shape[len(r.Shape)-1]; w != width {
			help := ""
			if w == 1 || width == 1 {
				help = "; begins a row: write a comma to put a number beside a vector"
			}
			ev.Fail(n.Rows[i][0], help, "row %d of the matrix has %s, the rows before it %d", i+1,
				Count(w, "element", "elements"), width)
		}
		height++
		if len(r.Shape) == 2 {
			height += r.Shape[0] - 1
		}
	}
	ev.Room(n, []int{height, width})
	if short {
		return value.Stack(rows...)
	}
	return value.Stack(rows...).Reshape(height, width)
}

// row puts elements side by side.
func (ev *Evaluator) row(n *syntax.Node, elements []*syntax.Node) value.Value {
	vs := make([]value.Value, len(elements))
	height := -1 // of the matrices among them
	for k, e := range elements {
		vs[k] = ev.Side(e)
		switch {
		case len(vs[k].Shape) > 2:
			ev.Fail(e, "", "%s is %s; only vectors and matrices can be put together", e, vs[k].Shape)
		case len(vs[k].Shape) == 2 && height < 0:
			height = vs[k].Shape[0]
		}
	}
	ev.noInf(n, vs)
	if height < 0 {
		count := 0
		for k := range vs {
			count += vs[k].Len()
		}
		ev.Room(n, []int{count})
		return value.Stack(vs...)
	}
	width := 0
	for k := range vs {
		if len(vs[k].Shape) == 0 || vs[k].Shape[0] != height {
			ev.Fail(elements[k], "", "the row of the matrix has height %d, but %s is %s", height, elements[k],
				vs[k].Shape)
		}
		width += vs[k].Len() / max(height, 1)
	}
	ev.Room(n, []int{height, width})
	var flat []int
	for i := range height {
		first := 0 // of the entries of a matrix
		for k := range vs {
			w := vs[k].Len() / height
			for j := range w {
				flat = append(flat, first+i*w+j)
			}
			first += vs[k].Len()
		}
	}
	all := value.Stack(vs...)
	return all.Choose([]int{height, width}, flat)
}

// Set is a set in braces.
func (ev *Evaluator) Set(n *syntax.Node) value.Value {
	s := &value.Set{Width: 1}
	if n.Op == syntax.OpFilter {
		ev.filter(n, s)
		return s.Value()
	}
	for i, a := range n.Args {
		width := 1
		var v value.Value
		if a.Op == syntax.OpTuple {
			width = len(a.Args)
		} else if v = ev.Eval(a); v.Sort == value.Members {
			width = v.More.Set.Width
		}
		if i == 0 {
			s.Width = width
		}
		if s.Width != width {
			ev.Fail(a, "", "the members of a set have %s each, but %s has %d", Count(s.Width, "part", "parts"), a,
				width)
		}
		ev.include(a, s, v)
		ev.Fits(n, []int{len(s.List)})
	}
	return s.Value()
}

// Include adds a member to a set, and counts its memory.
func (ev *Evaluator) Include(n *syntax.Node, s *value.Set, k value.Member) {
	s.Add(k)
	ev.Spend(n, UnitsMember)
}

// include adds an element of a set in braces, which may have many members.
func (ev *Evaluator) include(a *syntax.Node, s *value.Set, v value.Value) {
	switch {
	case a.Op == syntax.OpTuple:
		ev.Include(a, s, ev.tuple(a))
	case v.Sort == value.Members:
		for _, k := range v.More.Set.List {
			ev.Include(a, s, k)
		}
	case v.Sort == value.Text:
		ev.Include(a, s, value.Member{{Word: v.More.Str}})
	default:
		v = ev.Numeric(a, ev.Operand(a), "a member of a set")
		for _, x := range v.Numbers() {
			k, ok := Whole(x)
			if !ok {
				ev.Fail(a, "", "a set holds whole numbers and words, not %g", x)
			}
			ev.Include(a, s, value.Member{{K: k}})
		}
	}
}

// tuple is the member (i, j, ...) of a set.
func (ev *Evaluator) tuple(n *syntax.Node) (k value.Member) {
	if len(n.Args) > value.MaxWidth {
		ev.Fail(n, "", "a member of a set has at most %d parts", value.MaxWidth)
	}
	for i, a := range n.Args {
		k[i] = ev.part(a, "a part of a member")
	}
	return k
}

// filter adds the indices that meet a condition.
func (ev *Evaluator) filter(n *syntax.Node, s *value.Set) {
	from := len(ev.Indices)
	s.Width = 0
	for _, b := range n.Binders {
		s.Width += len(b.Names)
	}
	if s.Width > value.MaxWidth {
		ev.Fail(n, "", "a member of a set has at most %d parts", value.MaxWidth)
	}
	ev.Loop(n, n.Binders, n.Cond, func() {
		var k value.Member
		for i, b := range ev.Indices[from:] {
			if k[i] = (value.Part{K: b.At}); b.Word != "" {
				k[i] = value.Part{Word: b.Word}
			}
		}
		ev.Include(n, s, k)
		ev.Fits(n, []int{len(s.List)})
	})
}

// Pairs is a matrix of whole numbers as a set: a member per row.
func (ev *Evaluator) Pairs(n *syntax.Node, v value.Value) value.Value {
	width := v.Shape[1]
	if width < 2 || width > value.MaxWidth {
		ev.Fail(n, "", "a set of rows needs 2 to %d columns, but %s is %s", value.MaxWidth, n, v.Shape)
	}
	s := &value.Set{Width: width}
	for i := range v.Shape[0] {
		var k value.Member
		for j := range width {
			at, ok := Whole(v.Num[i*width+j])
			if !ok {
				ev.Fail(n, "", "a set holds whole numbers and words, not %g", v.Num[i*width+j])
			}
			k[j].K = at
		}
		ev.Include(n, s, k)
	}
	return s.Value()
}

// Condition is a comparison, or and, or, not.
func (ev *Evaluator) Condition(n *syntax.Node) bool {
	switch n.Op {
	case syntax.OpNot:
		return !ev.Holds(n.Args[0])
	case syntax.OpIn:
		return ev.isMember(n)
	case syntax.OpAnd:
		return !slices.ContainsFunc(n.Args, func(a *syntax.Node) bool { return !ev.Holds(a) })
	case syntax.OpOr:
		return slices.ContainsFunc(n.Args, ev.Holds)
	}
	if l, r := ev.Eval(n.Args[0]), n.Args[len(n.Args)-1]; l.Sort == value.Text && len(n.Args) == 2 &&
		(n.Rels[0] == syntax.EQ || n.Rels[0] == syntax.NE) {
		w := ev.Eval(r)
		if w.Sort != value.Text {
			ev.Fail(n, "", "%s is a word, %s is none", n.Args[0], r)
		}
		return (l.More.Str == w.More.Str) == (n.Rels[0] == syntax.EQ)
	}
	const what = "what a condition compares"
	left, ok := ev.Limit(n.Args[0], ev.Operand(n.Args[0]), what), true
	for k, r := range n.Rels {
		a := n.Args[k+1]
		right := ev.Limit(a, ev.Operand(a), what)
		ok = ok && compare(left, r, right)
		left = right
	}
	return ok
}

func compare(a float64, rel syntax.Kind, b float64) bool {
	switch rel {
	case syntax.Less:
		return a < b
	case syntax.Greater:
		return a > b
	case syntax.LE:
		return a <= b
	case syntax.GE:
		return a >= b
	case syntax.EQ:
		return a == b
	}
	return a != b
}

// isMember is the condition a in S.
func (ev *Evaluator) isMember(n *syntax.Node) bool {
	a, in := n.Args[0], n.Args[1]
	var k value.Member
	width := 1
	if a.Op == syntax.OpTuple {
		k, width = ev.tuple(a), len(a.Args)
	} else {
		k[0] = ev.part(a, "a member of a set")
	}
	m := ev.Members(in)
	switch {
	case m.Set != nil && m.Set.Width != width:
		ev.Fail(n, "", "the members of %s have %s, but %s has %d", in, Count(m.Set.Width, "part", "parts"), a, width)
	case m.Set != nil:
		_, ok := m.Set.Place[k]
		return ok
	case width > 1:
		ev.Fail(n, "", "the members of %s are whole numbers, but %s has %d parts", in, a, width)
	}
	if m.List != nil {
		return k[0].Word == "" && slices.Contains(m.List, k[0].K)
	}
	return k[0].Word == "" && m.Lo <= k[0].K && k[0].K < m.Lo+m.N
}
