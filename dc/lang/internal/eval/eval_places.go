package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// along says which places of dimension d an index names.
func (ev *Evaluator) along(n, a *syntax.Node, v *value.Value, d int) dimension {
	if a.Op == syntax.OpAll || a.Op == syntax.OpRange {
		return ev.slice(n, a, v, d)
	}
	w := ev.DataOf(a, "an index")
	if !w.Scalar() {
		return ev.listed(n, a, v, d, &w)
	}
	return dimension{first: ev.within(n, a, v, d, w.X), count: 1, single: true}
}

// dimension says which places of one dimension are taken: a run of them or a
// list.
type dimension struct {
	first, count int
	list         []int // not nil: instead of a run
	single       bool  // an index, not a slice: the dimension goes
	origin       int
	set          *value.Set // that indexes it, nil: none
}

func (d *dimension) at(k int) int {
	if d.list != nil {
		return d.list[k]
	}
	return d.first + k
}

// within is the place in dimension d that an index stands for, from 0.
func (ev *Evaluator) within(n, a *syntax.Node, v *value.Value, d int, x float64) int {
	k, ok := Whole(x)
	if !ok {
		ev.Fail(a, "", "an index of %s must be a whole number, not %s", n.Args[0], ev.Is(a, x))
	}
	lo := v.First(d)
	if k < lo || k >= lo+v.Shape[d] {
		ev.outside(n, a, v, d, k)
	}
	return k - lo
}

func (ev *Evaluator) outside(n, a *syntax.Node, v *value.Value, d, k int) {
	lo := v.First(d)
	which := ""
	if len(v.Shape) > 1 {
		which = [...]string{"first ", "second ", "third "}[min(d, 2)]
		if d > 2 {
			which = ""
		}
	}
	ev.Fail(a, "", "the %sindex of %s is %d, outside %d..%d", which, n.Args[0], k, lo, lo+v.Shape[d]-1)
}

// slice is : or lo..hi in dimension d.
func (ev *Evaluator) slice(n, a *syntax.Node, v *value.Value, d int) dimension {
	lo, hi, origin := 0, v.Shape[d]-1, v.First(d)
	if a.Op == syntax.OpRange {
		lo, hi = ev.ends(a)
		if lo <= hi {
			ev.within(n, a, v, d, float64(lo))
			ev.within(n, a, v, d, float64(hi))
		}
		lo, hi, origin = lo-v.First(d), hi-v.First(d), 1
	}
	return dimension{first: lo, count: max(0, hi-lo+1), origin: origin}
}

// listed is a vector of indices in dimension d.
func (ev *Evaluator) listed(n, a *syntax.Node, v *value.Value, d int, list *value.Value) dimension {
	if len(list.Shape) != 1 {
		ev.Fail(a, "", "an index is a number, a range or a vector, but %s is %s", a, list.Shape)
	}
	out := dimension{origin: 1, count: len(list.Num), list: make([]int, len(list.Num))}
	for k, x := range list.Num {
		out.list[k] = ev.within(n, a, v, d, x)
	}
	return out
}

// pick gathers the entries that the dimensions name.
func (ev *Evaluator) pick(n *syntax.Node, v *value.Value, dims []dimension) value.Value {
	var to value.Axes
	shifted := false
	for d := range dims {
		if !dims[d].single {
			to.Add(dims[d].count, dims[d].origin, dims[d].set)
			shifted = shifted || dims[d].origin != 1 || dims[d].set != nil
		}
	}
	total := ev.Room(n, to.Shape)
	out := v.Choose(to.Shape, ev.places(v, dims, total))
	if out.Sort == value.AffineFunctions {
		ev.Spend(n, UnitsCoeff*out.Fn.NNZ())
	}
	if shifted {
		out = out.Along(&to)
	}
	return out
}

// places are the places of the named entries in row-major order, valid until the
// next call.
func (ev *Evaluator) places(v *value.Value, dims []dimension, total int) []int {
	flat, at := ev.flats[:0], make([]int, len(dims))
	for range total {
		k := 0
		for d := range dims {
			k = k*v.Shape[d] + dims[d].at(at[d])
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
func (ev *Evaluator) alongSet(n *syntax.Node, args []*syntax.Node, s *value.Set) dimension {
	var k value.Member
	open, known := 0, [value.MaxWidth]bool{}
	for i, a := range args {
		if known[i] = a.Op != syntax.OpAll; !known[i] {
			open++
			continue
		}
		if len(args) == 1 {
			if v := ev.Eval(a); a.Op == syntax.OpRange || v.Sort != value.Text && len(v.Shape) == 1 {
				return ev.listedSet(n, a, s)
			}
		}
		k[i] = ev.part(a, "an index of "+n.Args[0].String())
	}
	if open == len(args) {
		return dimension{count: len(s.List), origin: 1, set: s}
	}
	if open == 0 {
		return dimension{first: ev.placeOf(n, args[0], s, k), count: 1, single: true}
	}
	out := dimension{origin: 1, list: []int{}}
	for at, m := range s.List {
		matches := true
		for i := range args {
			matches = matches && (!known[i] || m[i] == k[i])
		}
		if matches {
			out.list = append(out.list, at)
		}
	}
	ev.Spend(n, len(s.List))
	out.count = len(out.list)
	return out
}

// placeOf is the place of a member.
func (ev *Evaluator) placeOf(n, a *syntax.Node, s *value.Set, k value.Member) int {
	at, ok := s.Place[k]
	if !ok {
		ev.Fail(a, "", "%s is not among the indices of %s", k.Text(s.Width), n.Args[0])
	}
	return at
}

// listedSet are the members that a vector or a set names.
func (ev *Evaluator) listedSet(n, a *syntax.Node, s *value.Set) dimension {
	out := dimension{origin: 1, list: []int{}}
	m := ev.Members(a)
	for k := range m.N {
		out.list = append(out.list, ev.placeOf(n, a, s, m.At(k)))
	}
	out.count = m.N
	return out
}
