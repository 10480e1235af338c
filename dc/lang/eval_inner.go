package lang

// vector is the grade of the entries of a node that is a vector: a name, or an
// index with one slice.
func (r *resolver) vector(n *node) grade {
	base, dims := n, 1
	switch n.op {
	case opTrans:
		return r.vector(n.args[0]) // itself
	case opIndex:
		base, dims = n.args[0], len(n.args)-1
		slices := 0
		for _, a := range n.args[1:] {
			switch {
			case a.op == opAll || a.op == opRange && a.args[0].grade == dataGrade && a.args[1].grade == dataGrade:
				slices++
			case a.grade != dataGrade:
				return anyGrade
			}
		}
		if slices != 1 {
			return anyGrade
		}
	}
	if s := r.c.ev.names[base.name]; base.op == opName && s != nil && len(s.value.shape) == dims {
		return gradeOfSort(s)
	}
	return anyGrade
}

// strip is a vector in an array.
type strip struct {
	v                  *value
	first, step, count int
}

// strip is the vector that a node stands for; see resolver.vector.
func (ev *evaluator) strip(n *node) (s strip, ok bool) {
	switch n.op {
	case opTrans:
		return ev.strip(n.args[0])
	case opName:
		v := &ev.names[n.name].value
		return strip{v, 0, 1, v.len()}, true
	}
	s = strip{v: &ev.names[n.args[0].name].value, step: 1}
	for d, a := range n.args[1:] {
		size, lo := s.v.shape[d], 0
		switch a.op {
		case opAll:
			s.count = size
		case opRange:
			x, okX := ev.number(a.args[0])
			y, okY := ev.number(a.args[1])
			from, okFrom := whole(x)
			to, okTo := whole(y)
			lo = from - s.v.first(d)
			if s.count = to - from + 1; !okX || !okY || !okFrom || !okTo || lo < 0 || s.count < 1 || lo+s.count > size {
				return strip{}, false
			}
		default:
			x, ok := ev.number(a)
			k, okK := whole(x)
			if lo = k - s.v.first(d); !ok || !okK || lo < 0 || lo >= size {
				return strip{}, false
			}
			s.first = s.first*size + lo
			continue
		}
		s.first = s.first*size + lo
		s.step = 1
		for _, rest := range s.v.shape[d+1:] {
			s.step *= rest
		}
	}
	return s, true
}

// gatherInner is gather for an inner product of data and affine functions.
func (ev *evaluator) gatherInner(n *node, w float64, to *coefficients) bool {
	x, ok := ev.strip(n.args[0])
	y, okY := ev.strip(n.args[1])
	if !ok || !okY || x.count != y.count {
		return false
	}
	ev.spend(n, x.count)
	if x.v.sort == affine {
		x, y = y, x
	}
	for range x.count {
		l, f := y.v.linear(y.first), x.v.num[x.first]
		to.c += w * (f * l.Const)
		for i, j := range l.Idx {
			to.idx, to.val = append(to.idx, j), append(to.val, w*(f*l.Val[i]))
		}
		x.first, y.first = x.first+x.step, y.first+y.step
	}
	return true
}
