package lang

import "github.com/dcopt/dcopt/dc/lang/internal/syntax"

// set is a set in braces.
func (ev *evaluator) set(n *syntax.Node) value {
	s := &memberSet{width: 1}
	if n.Op == syntax.OpFilter {
		ev.filter(n, s)
		return s.value()
	}
	for i, a := range n.Args {
		width := 1
		var v value
		if a.Op == syntax.OpTuple {
			width = len(a.Args)
		} else if v = ev.eval(a); v.sort == members {
			width = v.more.set.width
		}
		if i == 0 {
			s.width = width
		}
		if s.width != width {
			ev.fail(a, "", "the members of a set have %s each, but %s has %d", count(s.width, "part", "parts"), ev.say(a), width)
		}
		ev.include(a, s, v)
		ev.fits(n, []int{len(s.list)})
	}
	return s.value()
}

// include adds an element of a set in braces, which may have many members.
func (ev *evaluator) include(a *syntax.Node, s *memberSet, v value) {
	switch {
	case a.Op == syntax.OpTuple:
		s.add(ev.tuple(a))
	case v.sort == members:
		for _, k := range v.more.set.list {
			s.add(k)
		}
	case v.sort == text:
		s.add(key{{word: v.more.str}})
	default:
		v = ev.numeric(a, ev.operand(a), "a member of a set")
		for _, x := range v.numbers() {
			k, ok := whole(x)
			if !ok {
				ev.fail(a, "", "a set holds whole numbers and words, not %g", x)
			}
			s.add(key{{k: k}})
		}
	}
}

// tuple is the member (i, j, ...) of a set.
func (ev *evaluator) tuple(n *syntax.Node) (k key) {
	if len(n.Args) > maxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", maxWidth)
	}
	for i, a := range n.Args {
		k[i] = ev.part(a, "a part of a member")
	}
	return k
}

// filter adds the indices that meet a condition.
func (ev *evaluator) filter(n *syntax.Node, s *memberSet) {
	from := len(ev.indices)
	s.width = 0
	for _, b := range n.Binders {
		s.width += len(b.Names)
	}
	if s.width > maxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", maxWidth)
	}
	ev.loop(n, n.Binders, n.Cond, func() {
		var k key
		for i, b := range ev.indices[from:] {
			if k[i] = (part{k: b.at}); b.word != "" {
				k[i] = part{word: b.word}
			}
		}
		s.add(k)
		ev.fits(n, []int{len(s.list)})
	})
}

// pairs is a matrix of whole numbers as a set: a member per row.
func (ev *evaluator) pairs(n *syntax.Node, v value) value {
	width := v.shape[1]
	if width < 2 || width > maxWidth {
		ev.fail(n, "", "a set of rows needs 2 to %d columns, but %s is %s", maxWidth, ev.say(n), shapeText(v.shape))
	}
	s := &memberSet{width: width}
	for i := range v.shape[0] {
		var k key
		for j := range width {
			at, ok := whole(v.num[i*width+j])
			if !ok {
				ev.fail(n, "", "a set holds whole numbers and words, not %g", v.num[i*width+j])
			}
			k[j].k = at
		}
		s.add(k)
	}
	return s.value()
}
