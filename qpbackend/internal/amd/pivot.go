package amd

// makeElement turns the variable me into an element: its list becomes the
// variables adjacent to it, directly or through elements, which are absorbed.
// The variables of the list leave the degree lists and have nv negated while
// the pivot lasts.
func (g *graph) makeElement(me int32) {
	pivot := &g.node[me]
	g.left -= g.nv[me]
	g.nv[me] = -g.nv[me]
	if int(g.free)+int(pivot.degree) > len(g.list) {
		g.compress()
	}
	start := pivot.start
	split, end := start+pivot.elems, start+pivot.size
	// With no elements the list can be built in place.
	out := g.free
	if split == start {
		out = start
	}
	first, weight := out, int32(0)
	for _, e := range g.list[start:split] {
		n, w := g.take(g.neighbours(e), out)
		out, weight = n, weight+w
		g.absorbElement(me, e)
	}
	out, w := g.take(g.list[split:end], out)
	if split != start {
		g.free = out
	}
	pivot.kind = element
	pivot.start, pivot.size, pivot.elems = first, out-first, 0
	pivot.degree = weight + w
}

// take appends to the list at out the variables of from that are not yet in it.
// It returns the end of the list and the variables they stand for.
func (g *graph) take(from []int32, out int32) (end, weight int32) {
	nv, list := g.nv, g.list
	for _, v := range from {
		w := nv[v]
		if w <= 0 {
			continue
		}
		weight += w
		nv[v] = -w
		list[out] = v
		out++
		g.unlink(v)
	}
	return out, weight
}

// scanElements leaves |Le \ Lme| + stamp in mark[e] for each element e that
// touches the new element me by a variable that is not deferred. Where there
// are deferred variables, whose elements are not looked at, |Le \ Lme| is
// counted along Le; if Le is too long for that, it is bounded from above.
func (g *graph) scanElements(me int32, deferred int32) {
	g.renew()
	stamp, mark, nv := g.stamp, g.mark, g.nv
	for _, i := range g.neighbours(me) {
		v := &g.node[i]
		if v.elems <= 0 {
			continue
		}
		nvi := -nv[i]
		for _, e := range g.list[v.start : v.start+v.elems] {
			m := mark[e]
			switch {
			case m == 0:
			case deferred > 0 && g.node[e].size <= deferred:
				if m < stamp {
					mark[e] = stamp + g.outside(e)
				}
			case m >= stamp:
				mark[e] = m - nvi
			default:
				mark[e] = stamp + g.node[e].degree - nvi
			}
		}
	}
}

// outside is |Le \ Lme|, counted.
func (g *graph) outside(e int32) int32 {
	sum, nv := int32(0), g.nv
	for _, v := range g.neighbours(e) {
		sum += max(nv[v], 0)
	}
	return sum
}

// updateDegrees bounds the degree of each variable of the new element me from
// above, prunes its lists, absorbs elements that me covers and eliminates with
// me the variables that touch nothing else. The rest enter hash buckets.
// Deferred variables are left alone.
func (g *graph) updateDegrees(me int32) {
	stamp, mark, list, nv := g.stamp, g.mark, g.list, g.nv
	for _, i := range g.neighbours(me) {
		v := &g.node[i]
		if v.elems < 0 {
			continue
		}
		start := v.start
		split, end := start+v.elems, start+v.size
		out, deg, hash := start, int64(0), uint32(0)
		for _, e := range list[start:split] {
			m := mark[e]
			if m == 0 {
				continue // absorbed
			}
			if outside := m - stamp; outside > 0 {
				deg += int64(outside)
				list[out] = e
				out++
				hash += uint32(e)
			} else {
				// Aggressive absorption: me covers e, though e is not adjacent to the pivot.
				g.absorbElement(me, e)
			}
		}
		// me takes one place among the elements; pruning has made room for it.
		firstVar := out
		for _, u := range list[split:end] {
			if w := nv[u]; w > 0 {
				deg += int64(w)
				list[out] = u
				out++
				hash += uint32(u)
			}
		}
		if deg == 0 {
			g.eliminateWith(me, i)
			continue
		}
		// Rotate me into place: first variable to the end, first element to its
		// place, me to the front.
		list[out], list[firstVar] = list[firstVar], list[start]
		list[start] = me
		v.elems, v.size = firstVar-start+1, out-start+1
		// |Lme \ i| is added when the final weight of me is known.
		v.degree = int32(min(deg, int64(v.degree)))
		g.bucket(i, hash)
	}
}

// eliminateWith removes variable i together with the pivot me.
func (g *graph) eliminateWith(me, i int32) {
	nvi := -g.nv[i]
	g.left -= nvi
	g.node[me].degree -= nvi
	g.nv[me] -= nvi // negated while the pivot lasts
	g.absorb(me, i)
}

// finish drops absorbed variables from me and puts the rest back into the
// degree lists.
func (g *graph) finish(me int32) {
	pivot := &g.node[me]
	nvme := -g.nv[me]
	g.nv[me] = nvme
	out := pivot.start
	for _, i := range g.neighbours(me) {
		nvi := -g.nv[i]
		if nvi <= 0 {
			continue
		}
		g.nv[i] = nvi
		v := &g.node[i]
		inside := pivot.degree - nvi
		if v.elems < 0 {
			v.degree = max(v.degree-nvme, inside)
		} else {
			v.degree = min(v.degree+inside, g.left-nvi)
		}
		g.link(i)
		g.list[out] = i
		out++
	}
	if pivot.start+pivot.size == g.free {
		g.free = out
	}
	pivot.size = out - pivot.start
	if pivot.size == 0 {
		g.absorbElement(-1, me)
	}
}
