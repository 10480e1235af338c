package lang

// index is base[args].
func (ev *evaluator) index(n *node) value {
	base, args := n.args[0], n.args[1:]
	v := ev.operand(base)
	if len(args) != len(v.shape) {
		help := ""
		if len(v.shape) > len(args) {
			help = "write : for a whole dimension, as in x[i,:]"
		}
		ev.fail(n, help, "%s has %s, not %d", ev.say(base), count(len(v.shape), "index", "indices"), len(args))
	}
	flat := 0
	var dims []dimension
	for d, a := range args {
		if a.op != opAll && a.op != opRange {
			w := ev.numeric(a, "an index")
			if w.scalar() {
				k := ev.within(n, a, &v, d, w.x)
				if dims == nil {
					flat = flat*v.shape[d] + k
				} else {
					dims = append(dims, dimension{picks: []int{k}, single: true})
				}
				continue
			}
			dims = append(unpack(dims, args[:d], &v, flat), ev.listed(n, a, &v, d, &w))
			continue
		}
		dims = append(unpack(dims, args[:d], &v, flat), ev.slice(n, a, &v, d))
	}
	if dims == nil {
		return v.entry(flat)
	}
	return ev.pick(n, &v, dims)
}

// dimension says which places of one dimension are taken.
type dimension struct {
	picks  []int
	single bool // an index, not a slice: the dimension goes
	origin int
}

// unpack turns the place flat, that the indices before the first slice stand
// for, into dimensions.
func unpack(dims []dimension, args []*node, v *value, flat int) []dimension {
	if dims != nil {
		return dims
	}
	dims = make([]dimension, len(args), len(v.shape))
	for d := len(args) - 1; d >= 0; d-- {
		dims[d] = dimension{picks: []int{flat % v.shape[d]}, single: true}
		flat /= v.shape[d]
	}
	return dims
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
	out := dimension{origin: origin, picks: make([]int, max(0, hi-lo+1))}
	for k := range out.picks {
		out.picks[k] = lo + k
	}
	return out
}

// listed is a vector of indices in dimension d.
func (ev *evaluator) listed(n, a *node, v *value, d int, list *value) dimension {
	if len(list.shape) != 1 {
		ev.fail(a, "", "an index is a number, a range or a vector, but %s is %s", ev.say(a), shapeText(list.shape))
	}
	out := dimension{origin: 1, picks: make([]int, len(list.num))}
	for k, x := range list.num {
		out.picks[k] = ev.within(n, a, v, d, x)
	}
	return out
}

// pick gathers the entries that the dimensions name.
func (ev *evaluator) pick(n *node, v *value, dims []dimension) value {
	shape, origin, shifted := []int{}, []int{}, false
	for _, d := range dims {
		if !d.single {
			shape, origin = append(shape, len(d.picks)), append(origin, d.origin)
			shifted = shifted || d.origin != 1
		}
	}
	total := ev.room(n, shape)
	flat := make([]int, 0, total)
	at := make([]int, len(dims))
	for range total {
		k := 0
		for d := range dims {
			k = k*v.shape[d] + dims[d].picks[at[d]]
		}
		flat = append(flat, k)
		for d := len(dims) - 1; d >= 0; d-- {
			if at[d]++; at[d] < len(dims[d].picks) {
				break
			}
			at[d] = 0
		}
	}
	out := v.gather(shape, flat)
	if out.sort == affine {
		ev.spend(n, unitsCoeff*out.aff.NNZ())
	}
	if shifted {
		out.origin = origin
	}
	return out
}
