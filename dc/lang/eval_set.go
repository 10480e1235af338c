package lang

// part is the value of n as a part of a member of a set.
func (ev *evaluator) part(n *node, what string) part {
	v := ev.eval(n)
	if v.sort == text {
		return part{word: v.more.str}
	}
	return part{k: ev.integer(n, ev.operand(n), what)}
}

// set is a set in braces.
func (ev *evaluator) set(n *node) value {
	s := &memberSet{width: 1}
	if n.op == opFilter {
		ev.filter(n, s)
		return s.value()
	}
	for i, a := range n.args {
		width := 1
		var v value
		if a.op == opTuple {
			width = len(a.args)
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
func (ev *evaluator) include(a *node, s *memberSet, v value) {
	switch {
	case a.op == opTuple:
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
func (ev *evaluator) tuple(n *node) (k key) {
	if len(n.args) > maxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", maxWidth)
	}
	for i, a := range n.args {
		k[i] = ev.part(a, "a part of a member")
	}
	return k
}

// filter adds the indices that meet a condition.
func (ev *evaluator) filter(n *node, s *memberSet) {
	from := len(ev.indices)
	s.width = 0
	for _, b := range n.binders {
		s.width += len(b.names)
	}
	if s.width > maxWidth {
		ev.fail(n, "", "a member of a set has at most %d parts", maxWidth)
	}
	ev.loop(n, n.binders, n.cond, func() {
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
func (ev *evaluator) pairs(n *node, v value) value {
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

// isMember is the condition a in S.
func (ev *evaluator) isMember(n *node) bool {
	a, in := n.args[0], n.args[1]
	var k key
	width := 1
	if a.op == opTuple {
		k, width = ev.tuple(a), len(a.args)
	} else {
		k[0] = ev.part(a, "a member of a set")
	}
	lo, hi, list, set := ev.members(in)
	switch {
	case set != nil && set.width != width:
		ev.fail(n, "", "the members of %s have %s, but %s has %d", ev.say(in), count(set.width, "part", "parts"), ev.say(a), width)
	case set != nil:
		_, ok := set.place[k]
		return ok
	case width > 1:
		ev.fail(n, "", "the members of %s are whole numbers, but %s has %d parts", ev.say(in), ev.say(a), width)
	}
	for _, m := range list {
		if m == k[0].k && k[0].word == "" {
			return true
		}
	}
	return list == nil && k[0].word == "" && lo <= k[0].k && k[0].k <= hi
}

// indexSets is index for an array with dimensions that sets index.
func (ev *evaluator) indexSets(n *node, v *value) view {
	base, args := n.args[0], n.args[1:]
	total := 0
	for _, s := range v.sets() {
		total += max(1, s.parts())
	}
	if len(args) != total {
		ev.fail(n, "", "%s has %s, not %d", ev.say(base), count(total, "index", "indices"), len(args))
	}
	var dims []dimension
	single, flat := true, 0
	for d, s := range v.sets() {
		width := max(1, s.parts())
		if s == nil {
			dims = append(dims, ev.along(n, args[0], v, d))
		} else {
			dims = append(dims, ev.alongSet(n, args[:width], s))
		}
		args = args[width:]
		single = single && dims[d].single
		flat = flat*v.shape[d] + dims[d].first
	}
	switch {
	case !single:
		return view{v: ev.pick(n, v, dims)}
	case v.sort == numbers:
		return view{v: number(v.num[flat])}
	}
	return view{v: *v, single: true, first: flat}
}

// parts is the number of indices that the set takes.
func (s *memberSet) parts() int {
	if s == nil {
		return 0
	}
	return s.width
}

// alongSet says which members of a set the indices name: one, all, or those that
// have the given parts where others are left open by a colon.
func (ev *evaluator) alongSet(n *node, args []*node, s *memberSet) dimension {
	var k key
	open, known := 0, [maxWidth]bool{}
	for i, a := range args {
		if known[i] = a.op != opAll; !known[i] {
			open++
			continue
		}
		if len(args) == 1 {
			if v := ev.eval(a); a.op == opRange || v.sort != text && len(v.shape) == 1 {
				return ev.listedSet(n, a, s)
			}
		}
		k[i] = ev.part(a, "an index of "+ev.say(n.args[0]))
	}
	if open == len(args) {
		return dimension{count: len(s.list), origin: 1, set: s}
	}
	if open == 0 {
		return dimension{first: ev.placeOf(n, args[0], s, k), count: 1, single: true}
	}
	out := dimension{origin: 1, list: []int{}}
	for at, m := range s.list {
		matches := true
		for i := range args {
			matches = matches && (!known[i] || m[i] == k[i])
		}
		if matches {
			out.list = append(out.list, at)
		}
	}
	ev.spend(n, len(s.list))
	out.count = len(out.list)
	return out
}

// placeOf is the place of a member.
func (ev *evaluator) placeOf(n, a *node, s *memberSet, k key) int {
	at, ok := s.place[k]
	if !ok {
		ev.fail(a, "", "%s is not among the indices of %s", k.text(s.width), ev.say(n.args[0]))
	}
	return at
}

// listedSet are the members that a vector or a set names.
func (ev *evaluator) listedSet(n, a *node, s *memberSet) dimension {
	out := dimension{origin: 1, list: []int{}}
	lo, hi, list, set := ev.members(a)
	if set != nil {
		for _, k := range set.list {
			out.list = append(out.list, ev.placeOf(n, a, s, k))
		}
	}
	for i := lo; i <= hi; i++ {
		out.list = append(out.list, ev.placeOf(n, a, s, key{{k: i}}))
	}
	for _, i := range list {
		out.list = append(out.list, ev.placeOf(n, a, s, key{{k: i}}))
	}
	out.count = len(out.list)
	return out
}
