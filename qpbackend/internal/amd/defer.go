package amd

const (
	// longList is the length from which lists may be deferred.
	// Source: a limit of speed, no ordering depends on it.
	longList = 32
	// deferRate is how much of a list a pivot pays for: lists of a length of
	// deferRate·k are put right after every k pivots that touch them.
	// Source: a limit of speed, no ordering depends on it.
	deferRate = 3
	// A variable whose degree has been counted so often is no longer deferred:
	// its bound is too weak. Source: measured: columns of A hardly ever need more than one count;
	// where all rows of a matrix are alike, counting costs more than it saves.
	maxCounts = 2
)

// choose takes a variable of least degree out of the lists. Deferred ones that
// only seem to be of least degree get their true one.
func (g *graph) choose() int32 {
	for {
		i := g.popMin()
		if g.node[i].elems >= 0 {
			return i
		}
		g.count(i)
		if g.node[i].degree <= g.minDegree {
			return i
		}
		g.link(i)
	}
}

// deferLong defers the variables of me whose lists are long and puts the lists
// of the others right. Where enough pivots have passed over the long ones, they
// are all put right as well: only variables that are up to date in the same
// pivot can be merged. It returns the length of the lists of those deferred.
func (g *graph) deferLong(me int32) (length int32) {
	skipped := 0
	for _, i := range g.neighbours(me) {
		if v := &g.node[i]; v.long() {
			length += v.size
			v.skipped++
			skipped += int(v.skipped)
		}
	}
	if deferRate*skipped >= int(length) {
		length = 0
	}
	for _, i := range g.neighbours(me) {
		v := &g.node[i]
		if length > 0 && v.long() {
			v.elems = -1
			continue
		}
		v.skipped = 0
		if v.elems < 0 {
			g.restore(i, me)
			v.degree = int32(g.n) // no bound from above is known
		}
	}
	return length
}

func (v *node) long() bool { return v.size > longList && v.counted < maxCounts }

// restore brings the list of the deferred variable i up to date: dead elements
// stand for those that absorbed them, dead variables for nothing. The element
// except is left out.
func (g *graph) restore(i, except int32) {
	g.renew()
	stamp, mark, list := g.stamp, g.mark, g.list
	start := g.node[i].start
	split, out := start, start // elements, variables
	for _, v := range g.neighbours(i) {
		for v >= 0 && g.node[v].kind == dead {
			v = g.node[v].next
		}
		if v < 0 || v == except || mark[v] == stamp {
			continue
		}
		mark[v] = stamp
		if g.node[v].kind == element {
			list[out], list[split] = list[split], v
			split++
		} else {
			list[out] = v
		}
		out++
	}
	g.node[i].elems, g.node[i].size = split-start, out-start
}

// count restores the list of the deferred variable i, counts its degree and
// drops from the list the variables that its elements cover. Where all that is
// left are its neighbours, it stops early: a variable that stands in the list
// beside an element that covers it does no harm.
func (g *graph) count(i int32) {
	g.restore(i, -1)
	g.renew()
	stamp, mark, nv := g.stamp, g.mark, g.nv
	v := &g.node[i]
	v.counted++
	mark[i] = stamp
	deg, all := int32(0), g.left-nv[i]
	for _, e := range g.elements(i) {
		if deg == all {
			v.degree = deg
			return
		}
		for _, u := range g.neighbours(e) {
			if w := nv[u]; w > 0 && mark[u] != stamp {
				mark[u] = stamp
				deg += w
			}
		}
	}
	end := v.start + v.elems
	for _, u := range g.list[end : v.start+v.size] {
		if mark[u] != stamp {
			deg += nv[u]
			g.list[end] = u
			end++
		}
	}
	v.size, v.degree = end-v.start, deg
}
