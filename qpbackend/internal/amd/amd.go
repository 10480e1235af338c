package amd

import "math"

// Order returns a fill-reducing permutation of a symmetric matrix from its upper
// triangle (CSC pattern, diagonal optional): perm[k] is the original index of
// pivot k. Entries may repeat, be unsorted or stand below the diagonal; (i, j)
// and (j, i) mean the same. Row indices must lie in [0, n). The answer depends
// on nothing but the pattern.
func Order(n int, colPtr, rowIdx []int) []int {
	perm := make([]int, 0, n)
	if n == 0 {
		return perm
	}
	g := newGraph(n, colPtr, rowIdx)
	dense := g.setAside()
	for g.eliminated < n-len(dense) {
		me := g.popMin()
		g.makeElement(me)
		g.scanElements(me)
		g.updateDegrees(me)
		g.mergeIndistinct(me)
		g.finish(me)
		for v := me; v >= 0; v = g.member[v] {
			perm = append(perm, int(v))
		}
	}
	return append(perm, dense...)
}

// setAside takes out the nearly dense rows, which would cost quadratic time and
// hide the structure of the rest; they are returned, to be ordered last.
// Everything else enters the degree lists.
func (g *graph) setAside() (dense []int) {
	limit := int32(min(float64(g.n), max(16, 10*math.Sqrt(float64(g.n)))))
	for i := range int32(g.n) {
		if g.size[i] > limit {
			g.kind[i] = dead
			g.nv[i] = 0
			dense = append(dense, int(i))
		}
	}
	for i := range int32(g.n) {
		if g.kind[i] == dead {
			continue
		}
		if len(dense) > 0 {
			g.dropDead(i)
		}
		g.degree[i] = g.size[i]
		g.link(i)
	}
	// Degrees are bounded by what remains, not by n.
	g.left = int32(g.n - len(dense))
	return dense
}

// makeElement turns the variable me into an element: its list becomes the
// variables adjacent to it, directly or through elements, which are absorbed.
// The variables of the list leave the degree lists and have nv negated while
// the pivot lasts.
func (g *graph) makeElement(me int32) {
	nvme := g.nv[me]
	g.eliminated += int(nvme)
	g.nv[me] = -nvme
	if int(g.free)+int(g.degree[me]) > len(g.list) {
		g.compress()
	}
	start, nel := g.start[me], g.elems[me]
	end := start + g.size[me]
	// With no elements the list can be built in place.
	out := g.free
	if nel == 0 {
		out = start
	}
	first, weight := out, int32(0)
	take := func(v int32) {
		nv := g.nv[v]
		if nv <= 0 {
			return
		}
		weight += nv
		g.nv[v] = -nv
		g.list[out] = v
		out++
		g.unlink(v)
	}
	for p := start; p < start+nel; p++ {
		e := g.list[p]
		for q := g.start[e]; q < g.start[e]+g.size[e]; q++ {
			take(g.list[q])
		}
		g.kind[e], g.mark[e] = dead, 0
	}
	for p := start + nel; p < end; p++ {
		take(g.list[p])
	}
	if nel != 0 {
		g.free = out
	}
	g.kind[me] = element
	g.start[me], g.size[me], g.elems[me] = first, out-first, 0
	g.degree[me] = weight
}

// scanElements leaves |Le \ Lme| + stamp in mark[e] for each element e that
// touches the new element me.
func (g *graph) scanElements(me int32) {
	g.renew()
	stamp, mark, degree := g.stamp, g.mark, g.degree
	for _, i := range g.vars(me) {
		nvi := -g.nv[i]
		for _, e := range g.elements(i) {
			if m := mark[e]; m >= stamp {
				mark[e] = m - nvi
			} else if m != 0 {
				mark[e] = stamp + degree[e] - nvi
			}
		}
	}
}

// updateDegrees bounds the degree of each variable of the new element me from
// above, prunes its lists, absorbs elements that me covers and eliminates with
// me the variables that touch nothing else. The rest enter hash buckets.
func (g *graph) updateDegrees(me int32) {
	stamp, mark, list, nv := g.stamp, g.mark, g.list, g.nv
	for _, i := range g.vars(me) {
		start := g.start[i]
		end, split := start+g.size[i], start+g.elems[i]
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
				g.kind[e], mark[e] = dead, 0
			}
		}
		// me takes one place among the elements; pruning has made room for it.
		elems := out - start + 1
		firstVar := out
		for _, v := range list[split:end] {
			if w := nv[v]; w > 0 {
				deg += int64(w)
				list[out] = v
				out++
				hash += uint32(v)
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
		g.elems[i], g.size[i] = elems, out-start+1
		hash += uint32(me)
		// |Lme \ i| is added when the final weight of me is known.
		g.degree[i] = int32(min(deg, int64(g.degree[i])))
		g.bucket(i, hash)
	}
}

// eliminateWith removes variable i together with the pivot me.
func (g *graph) eliminateWith(me, i int32) {
	nvi := -g.nv[i]
	g.eliminated += int(nvi)
	g.degree[me] -= nvi
	g.nv[me] -= nvi // negated while the pivot lasts
	g.absorb(me, i)
}

// mergeIndistinct merges the variables of me that have the same neighbours.
// Only those with equal hash are compared.
func (g *graph) mergeIndistinct(me int32) {
	for _, i := range g.vars(me) {
		if g.nv[i] == 0 || g.hash[i] == taken {
			continue
		}
		h := g.hash[i]
		chain := g.bucketHead[h]
		g.bucketHead[h] = -1
		for a := chain; a >= 0; a = g.next[a] {
			g.hash[a] = taken
		}
		for a := chain; a >= 0 && g.next[a] >= 0; a = g.next[a] {
			g.mergeInto(a)
		}
	}
}

// mergeInto absorbs into variable a those behind it in its bucket that are
// adjacent to the same elements and variables.
func (g *graph) mergeInto(a int32) {
	g.renew()
	for _, v := range g.neighbours(a)[1:] { // the first is the pivot for all
		g.mark[v] = g.stamp
	}
	prev := a
	for b := g.next[a]; b >= 0; b = g.next[b] {
		if g.size[b] == g.size[a] && g.elems[b] == g.elems[a] && g.allMarked(b) {
			g.nv[a] += g.nv[b] // both negative
			g.absorb(a, b)
			g.next[prev] = g.next[b]
		} else {
			prev = b
		}
	}
}

func (g *graph) allMarked(b int32) bool {
	for _, v := range g.neighbours(b)[1:] {
		if g.mark[v] != g.stamp {
			return false
		}
	}
	return true
}

// finish drops absorbed variables from me and puts the rest back into the
// degree lists.
func (g *graph) finish(me int32) {
	g.nv[me] = -g.nv[me]
	vars := g.vars(me)
	out := g.start[me]
	weight := g.degree[me]
	left := g.left - int32(g.eliminated)
	for _, i := range vars {
		nvi := -g.nv[i]
		if nvi <= 0 {
			continue
		}
		g.nv[i] = nvi
		g.degree[i] = min(g.degree[i]+weight-nvi, left-nvi)
		g.link(i)
		g.list[out] = i
		out++
	}
	if g.start[me]+g.size[me] == g.free {
		g.free = out
	}
	g.size[me] = out - g.start[me]
	if g.size[me] == 0 {
		g.kind[me], g.mark[me] = dead, 0
	}
}
