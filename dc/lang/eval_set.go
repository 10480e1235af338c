package lang

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// set is a set in braces.
func (ev *evaluator) set(n *syntax.Node) value.Value {
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
		} else if v = ev.eval(a); v.Sort == value.Members {
			width = v.More.Set.Width
		}
		if i == 0 {
			s.Width = width
		}
		if s.Width != width {
			ev.fail(a, "", "the members of a set have %s each, but %s has %d", count(s.Width, "part", "parts"), ev.say(a), width)
		}
		ev.include(a, s, v)
		ev.fits(n, []int{len(s.List)})
	}
	return s.Value()
}

// include adds an element of a set in braces, which may have many members.
func (ev *evaluator) include(a *syntax.Node, s *value.Set, v value.Value) {
	switch {
	case a.Op == syntax.OpTuple:
		s.Add(ev.tuple(a))
	case v.Sort == value.Members:
		for _, k := range v.More.Set.List {
			s.Add(k)
		}
	case v.Sort == value.Text:
		s.Add(value.Member{{Word: v.More.Str}})
	default:
		v = ev.numeric(a, ev.operand(a), "a member of a set")
		for _, x := range v.Numbers() {
			k, ok := whole(x)
			if !ok {
				ev.fail(a, "", "a set holds whole numbers and words, not %g", x)
			}
			s.Add(value.Member{{K: k}})
		}
	}
}

// tuple is the member (i, j, ...) of a set.
func (ev *evaluator) tuple(n *syntax.Node) (k value.Member) {
	if len(n.Args) > value.MaxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", value.MaxWidth)
	}
	for i, a := range n.Args {
		k[i] = ev.part(a, "a part of a member")
	}
	return k
}

// filter adds the indices that meet a condition.
func (ev *evaluator) filter(n *syntax.Node, s *value.Set) {
	from := len(ev.indices)
	s.Width = 0
	for _, b := range n.Binders {
		s.Width += len(b.Names)
	}
	if s.Width > value.MaxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", value.MaxWidth)
	}
	ev.loop(n, n.Binders, n.Cond, func() {
		var k value.Member
		for i, b := range ev.indices[from:] {
			if k[i] = (value.Part{K: b.at}); b.word != "" {
				k[i] = value.Part{Word: b.word}
			}
		}
		s.Add(k)
		ev.fits(n, []int{len(s.List)})
	})
}

// pairs is a matrix of whole numbers as a set: a member per row.
func (ev *evaluator) pairs(n *syntax.Node, v value.Value) value.Value {
	width := v.Shape[1]
	if width < 2 || width > value.MaxWidth {
		ev.fail(n, "", "a set of rows needs 2 to %d columns, but %s is %s", value.MaxWidth, ev.say(n), value.ShapeText(v.Shape))
	}
	s := &value.Set{Width: width}
	for i := range v.Shape[0] {
		var k value.Member
		for j := range width {
			at, ok := whole(v.Num[i*width+j])
			if !ok {
				ev.fail(n, "", "a set holds whole numbers and words, not %g", v.Num[i*width+j])
			}
			k[j].K = at
		}
		s.Add(k)
	}
	return s.Value()
}
