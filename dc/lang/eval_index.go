package lang

// view is a value, or some entries of it before an array is made of them.
type view struct {
	v                  value
	single             bool // the entry first
	run                bool // the vector of the entries first, first + step, ...
	first, step, count int
	origin             int // the first index of the vector
}

// isNumber reports whether it is a single number.
func (a *view) isNumber() bool { return a.v.sort == numbers && a.v.scalar() }

// vector is a vector as a run of entries.
func (a *view) vector() (run view, ok bool) {
	switch {
	case a.run:
		return *a, true
	case a.single || len(a.v.shape) != 1:
		return view{}, false
	}
	return view{v: a.v, first: 0, step: 1, count: a.v.len()}, true
}

// value is the viewed entries as a value.
func (a view) value(ev *evaluator, n *node) value {
	switch {
	case a.single:
		return a.v.entry(a.first)
	case !a.run:
		return a.v
	}
	ev.room(n, []int{a.count})
	ev.flats = ev.flats[:0]
	for k := range a.count {
		ev.flats = append(ev.flats, a.first+k*a.step)
	}
	v := a.v.choose([]int{a.count}, ev.flats)
	if v.sort == affine {
		ev.spend(n, unitsCoeff*v.nnz())
	}
	if a.origin != 1 {
		v = v.countFrom([]int{a.origin})
	}
	return v
}

// view is the value of n where an array of numbers or functions is wanted.
func (ev *evaluator) view(n *node) view {
	switch {
	case n.op == opIndex && (n.open || len(ev.indices) == 0 && !ev.keep):
		ev.spend(n, unitsNode)
		return ev.index(n)
	case n.op == opTrans:
		a := ev.view(n.args[0])
		if a.run || !a.single && len(a.v.shape) < 2 {
			return a // vectors have no direction
		}
		return view{v: ev.transpose(n, a.value(ev, n.args[0]))}
	}
	return view{v: ev.operand(n)}
}

// index is base[args].
func (ev *evaluator) index(n *node) view {
	base, args := n.args[0], n.args[1:]
	v := ev.operand(base)
	if v.sets() != nil {
		return ev.indexSets(n, &v)
	}
	if len(args) != len(v.shape) {
		help := ""
		if len(v.shape) > len(args) {
			help = "write : for a whole dimension, as in x[i,:]"
		}
		ev.fail(n, help, "%s has %s, not %d", ev.say(base), count(len(v.shape), "index", "indices"), len(args))
	}
	var few [4]dimension
	dims, slices, lists := few[:0], 0, 0
	flat := 0
	for d, a := range args {
		dims = append(dims, ev.along(n, a, &v, d))
		flat = flat*v.shape[d] + dims[d].first
		switch {
		case dims[d].list != nil:
			lists++
		case !dims[d].single:
			slices++
		}
	}
	switch {
	case lists > 0 || slices > 1:
		return view{v: ev.pick(n, &v, dims)}
	case slices == 1:
		a := view{v: v, run: true, first: flat, step: 1}
		for d := len(dims) - 1; dims[d].single; d-- {
			a.step *= v.shape[d]
		}
		for _, d := range dims {
			if !d.single {
				a.count, a.origin = d.count, d.origin
			}
		}
		return a
	case v.sort == numbers:
		return view{v: number(v.num[flat])}
	}
	return view{v: v, single: true, first: flat}
}

// along says which places of dimension d an index names.
func (ev *evaluator) along(n, a *node, v *value, d int) dimension {
	if a.op == opAll || a.op == opRange {
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
func (ev *evaluator) within(n, a *node, v *value, d int, x float64) int {
	k, ok := whole(x)
	if !ok {
		ev.fail(a, "", "an index of %s must be a whole number, not %s", ev.say(n.args[0]), ev.is(a, x))
	}
	lo := v.first(d)
	if k < lo || k >= lo+v.shape[d] {
		ev.outside(n, a, v, d, k)
	}
	return k - lo
}

func (ev *evaluator) outside(n, a *node, v *value, d, k int) {
	lo := v.first(d)
	which := ""
	if len(v.shape) > 1 {
		which = [...]string{"first ", "second ", "third "}[min(d, 2)]
		if d > 2 {
			which = ""
		}
	}
	ev.fail(a, "", "the %sindex of %s is %d, outside %d..%d", which, ev.say(n.args[0]), k, lo, lo+v.shape[d]-1)
}

// slice is : or lo..hi in dimension d.
func (ev *evaluator) slice(n, a *node, v *value, d int) dimension {
	lo, hi, origin := 0, v.shape[d]-1, v.first(d)
	if a.op == opRange {
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
func (ev *evaluator) listed(n, a *node, v *value, d int, list *value) dimension {
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
func (ev *evaluator) pick(n *node, v *value, dims []dimension) value {
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
