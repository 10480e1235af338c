package amd

// bucket enters variable i into the bucket of its hash, chained by next.
func (g *graph) bucket(i int32, hash uint32) {
	h := int32(hash & uint32(len(g.bucketHead)-1))
	g.node[i].bucket = h
	g.node[i].next = g.bucketHead[h]
	g.bucketHead[h] = i
}

// mergeIndistinct merges the variables of me that have the same neighbours.
// Only those with equal hash are compared. It empties the buckets.
func (g *graph) mergeIndistinct(me int32) {
	for _, i := range g.neighbours(me) {
		h := g.node[i].bucket
		if h < 0 {
			continue
		}
		chain := g.bucketHead[h]
		g.bucketHead[h] = -1
		for a := chain; a >= 0; a = g.node[a].next {
			g.node[a].bucket = -1
		}
		for a := chain; a >= 0 && g.node[a].next >= 0; a = g.node[a].next {
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
	for b := g.node[a].next; b >= 0; {
		after := g.node[b].next
		if g.node[b].size == g.node[a].size && g.node[b].elems == g.node[a].elems && g.allMarked(b) {
			g.nv[a] += g.nv[b] // both negative
			g.absorb(a, b)
			g.node[prev].next = after
		} else {
			prev = b
		}
		b = after
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
