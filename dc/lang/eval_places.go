package lang

import "github.com/dcopt/dcopt/dc/lang/internal/syntax"

// along says which places of dimension d an index names.
func (ev *evaluator) along(n, a *syntax.Node, v *value, d int) dimension {
	if a.Op == syntax.OpAll || a.Op == syntax.OpRange {
		return ev.slice(n, a, v, d)
	}
	w := ev.dataOf(a, "an index")
	if !w.scalar() {
		return ev.listed(n, a, v, d, &w)
	}
	return dimension{first: ev.within(n, a, v, d, w.x), count: 1, single: true}
}

// dimension says which places of one dimension are taken: a run of them or a
// list.
type dimension struct {
	first, count int
	list         []int // not nil: instead of a run
	single       bool  // an index, not a slice: the dimension goes
	origin       int
	set          *memberSet // that indexes it, nil: none
}

func (d *dimension) at(k int) int {
	if d.list != nil {
		return d.list[k]
	}
	return d.first + k
}

// within is the place in dimension d that an index stands for, from 0.
func (ev *evaluator) within(n, a *syntax.Node, v *value, d int, x float64) int {
	k, ok := whole(x)
	if !ok {
		ev.fail(a, "", "an index of %s must be a whole number, not %s", ev.say(n.Args[0]), ev.is(a, x))
	}
	lo := v.first(d)
	if k < lo || k >= lo+v.shape[d] {
		ev.outside(n, a, v, d, k)
	}
	return k - lo
}

func (ev *evaluator) outside(n, a *syntax.Node, v *value, d, k int) {
	lo := v.first(d)
	which := ""
	if len(v.shape) > 1 {
		which = [...]string{"first ", "second ", "third "}[min(d, 2)]
		if d > 2 {
			which = ""
		}
	}
	ev.fail(a, "", "the %sindex of %s is %d, outside %d..%d", which, ev.say(n.Args[0]), k, lo, lo+v.shape[d]-1)
}

// slice is : or lo..hi in dimension d.
func (ev *evaluator) slice(n, a *syntax.Node, v *value, d int) dimension {
	lo, hi, origin := 0, v.shape[d]-1, v.first(d)
	if a.Op == syntax.OpRange {
		lo, hi = ev.ends(a)
		if lo <= hi {
			ev.within(n, a, v, d, float64(lo))
			ev.within(n, a, v, d, float64(hi))
		}
		lo, hi, origin = lo-v.first(d), hi-v.first(d), 1
	}
	return dimension{first: lo, count: max(0, hi-lo+1), origin: origin}
}

// listed is a vector of indices in dimension d.
func (ev *evaluator) listed(n, a *syntax.Node, v *value, d int, list *value) dimension {
	if len(list.shape) != 1 {
		ev.fail(a, "", "an index is a number, a range or a vector, but %s is %s", ev.say(a), shapeText(list.shape))
	}
	out := dimension{origin: 1, count: len(list.num), list: make([]int, len(list.num))}
	for k, x := range list.num {
		out.list[k] = ev.within(n, a, v, d, x)
	}
	return out
}

// pick gathers the entries that the dimensions name.
func (ev *evaluator) pick(n *syntax.Node, v *value, dims []dimension) value {
	var to axes
	shifted := false
	for d := range dims {
		if !dims[d].single {
			to.add(dims[d].count, dims[d].origin, dims[d].set)
			shifted = shifted || dims[d].origin != 1 || dims[d].set != nil
		}
	}
	total := ev.room(n, to.shape)
	out := v.choose(to.shape, ev.places(v, dims, total))
	if out.sort == affine {
		ev.spend(n, unitsCoeff*out.nnz())
	}
	if shifted {
		out = out.along(&to)
	}
	return out
}

// places are the places of the named entries in row-major order, valid until the
// next call.
func (ev *evaluator) places(v *value, dims []dimension, total int) []int {
	flat := ev.flats[:0]
	var few [4]int
	at := few[:0]
	for range dims {
		at = append(at, 0)
	}
	for range total {
		k := 0
		for d := range dims {
			k = k*v.shape[d] + dims[d].at(at[d])
		}
		flat = append(flat, k)
		for d := len(dims) - 1; d >= 0; d-- {
			if at[d]++; at[d] < dims[d].count {
				break
			}
			at[d] = 0
		}
	}
	ev.flats = flat
	return flat
}

// alongSet says which members of a set the indices name: one, all, or those that
// have the given parts where others are left open by a colon.
func (ev *evaluator) alongSet(n *syntax.Node, args []*syntax.Node, s *memberSet) dimension {
	var k key
	open, known := 0, [maxWidth]bool{}
	for i, a := range args {
		if known[i] = a.Op != syntax.OpAll; !known[i] {
			open++
			continue
		}
		if len(args) == 1 {
			if v := ev.eval(a); a.Op == syntax.OpRange || v.sort != text && len(v.shape) == 1 {
				return ev.listedSet(n, a, s)
			}
		}
		k[i] = ev.part(a, "an index of "+ev.say(n.Args[0]))
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
func (ev *evaluator) placeOf(n, a *syntax.Node, s *memberSet, k key) int {
	at, ok := s.place[k]
	if !ok {
		ev.fail(a, "", "%s is not among the indices of %s", k.text(s.width), ev.say(n.Args[0]))
	}
	return at
}

// listedSet are the members that a vector or a set names.
func (ev *evaluator) listedSet(n, a *syntax.Node, s *memberSet) dimension {
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
