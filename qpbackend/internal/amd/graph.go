package amd

import "github.com/dcopt/dcopt/internal/poll"

// kind of a node of the quotient graph.
const (
	variable uint8 = iota
	element
	dead // absorbed, eliminated before the rest, or set aside
)

// node is a variable until it is chosen as pivot, then an element.
type node struct {
	// The list is list[start:start+size]. The list of a variable holds its elements,
	// elems of them, then the variables adjacent to it by entries of the matrix
	// that no element covers; the list of an element holds its variables. The list
	// of a deferred variable, marked by elems < 0, is the one from when the
	// variable was last up to date; degree then bounds from below, or is less
	// than the bound from above would be.
	start, size, elems int32
	degree             int32 // bound on a variable's degree; variables in an element
	next, prev         int32 // in a degree list, or a hash chain; of a dead element: next absorbed it
	bucket             int32 // of its hash; −1: not in a bucket
	skipped            int32 // pivots that a deferred variable was not updated for
	kind               uint8
	counted            uint8 // times its degree has been counted
	stage              uint8 // of a variable
}

// graph is the quotient graph. All lists lie in one array, which is compressed
// when it is full: the list that a pivot writes is never longer than those it absorbs, so
// the lists always fit.
type graph struct {
	n          int
	node       []node
	list       []int32
	free       int32   // first unused place of list
	nv         []int32 // variables that i stands for; 0 once absorbed; negated for the variables of the pivot
	member     []int32 // chain of the variables eliminated with i, −1 ends it
	tail       []int32 // end of that chain
	left       int32   // variables still to eliminate
	touched    []int32 // by contract
	stage      uint8   // present one: variables of later ones are in no degree list
	head       []int32 // degree lists
	minDegree  int32
	mark       []int32 // 0 for an absorbed element
	stamp      int32
	bucketHead []int32 // a power of two of them
}

// newGraph is a graph for peel, contract and setAside, which furnishes it for the steps after them.
func newGraph(work *poll.Poll, n int, colPtr, rowIdx []int) (*graph, error) {
	pool := make([]int32, 3*n)
	g := &graph{n: n, node: make([]node, n), left: int32(n), stamp: 2, nv: pool[:n:n], member: pool[n : 2*n : 2*n],
		tail: pool[2*n:]}
	member, tail, nv := g.member[:n], g.tail[:n], g.nv[:n]
	for i := range g.node {
		member[i], tail[i], nv[i] = -1, int32(i), 1
	}
	return g, g.fill(work, colPtr, rowIdx)
}

// furnish makes the lists and marks that the other steps need besides.
func (g *graph) furnish() {
	n, buckets := g.n, 1
	for buckets < n {
		buckets *= 2
	}
	pool := make([]int32, 2*n+buckets)
	g.mark, g.head, g.bucketHead = pool[:n:n], pool[n:2*n:2*n], pool[2*n:]
	for i := range g.mark {
		g.mark[i] = 1
	}
	for i := range pool[n:] {
		pool[n+i] = -1
	}
}

// fill writes the lists: both triangles, each entry once, no diagonal.
func (g *graph) fill(work *poll.Poll, colPtr, rowIdx []int) error {
	ptr, list, simple, err := Adjacency(work, g.n, colPtr, rowIdx)
	if err != nil {
		return err
	}
	for i := range g.node {
		g.node[i] = node{start: ptr[i], size: ptr[i+1] - ptr[i], bucket: -1}
	}
	g.list, g.free = list[:cap(list)], int32(len(list))
	if !simple {
		return g.dropDuplicates(work, ptr[:g.n])
	}
	return nil
}

// Adjacency has the neighbours list[ptr[v]:ptr[v+1]] of each vertex v of the graph of a symmetric
// matrix, given one triangle or both: each as often as there are entries, once where simple.
// The error is that of work.
func Adjacency(work *poll.Poll, n int, colPtr, rowIdx []int) (ptr, list []int32, simple bool, err error) {
	ptr = make([]int32, n+1)
	simple = true // sorted, nothing below the diagonal, so no duplicates
	lo := colPtr[0]
	for j, hi := range colPtr[1:][:n] {
		last, own := -1, int32(0)
		for e := lo; e < hi; e++ {
			i := rowIdx[e]
			if i != j {
				ptr[i]++
				own++
			}
			if last >= i || i > j {
				simple = false
			}
			last = i
		}
		ptr[j] += own
		if err := work.Err(poll.Scattered * (hi - lo)); err != nil {
			return nil, nil, false, err
		}
		lo = hi
	}
	total := int32(0)
	for i, c := range ptr {
		ptr[i] = total
		total += c
	}
	// A pivot needs room for n variables beside the lists; a fifth more makes
	// compressions rare.
	list = make([]int32, total, int(total)+int(total)/5+n+1)
	lo = colPtr[0]
	for j, hi := range colPtr[1:][:n] { // ptr is the end of each list so far
		at := ptr[j]
		for e := lo; e < hi; e++ {
			if i := rowIdx[e]; i != j {
				p := ptr[i]
				list[p], ptr[i] = int32(j), p+1
				list[at] = int32(i)
				at++
			}
		}
		ptr[j] = at
		if err := work.Err(poll.Scattered * (hi - lo)); err != nil {
			return nil, nil, false, err
		}
		lo = hi
	}
	copy(ptr[1:], ptr) // the end of a list is the start of the next
	ptr[0] = 0
	return ptr, list, simple, nil
}

// dropDuplicates leaves each entry of a list once. It uses seen.
func (g *graph) dropDuplicates(work *poll.Poll, seen []int32) error {
	clear(seen) // seen[v] = i+1 once v is in the list of i
	for i := range int32(g.n) {
		list, out := g.neighbours(i), int32(0)
		for _, v := range list {
			if seen[v] != i+1 {
				seen[v] = i + 1
				list[out] = v
				out++
			}
		}
		g.node[i].size = out
		if err := work.Err(poll.Scattered * len(list)); err != nil {
			return err
		}
	}
	return nil
}

// neighbours is the whole list of node i.
func (g *graph) neighbours(i int32) []int32 {
	v := &g.node[i]
	return g.list[v.start : v.start+v.size]
}

// elements of the variable i.
func (g *graph) elements(i int32) []int32 {
	v := &g.node[i]
	return g.list[v.start : v.start+v.elems]
}

// dropDead removes dead nodes from the list of i.
func (g *graph) dropDead(i int32) {
	list, out := g.neighbours(i), int32(0)
	for _, v := range list {
		if g.node[v].kind != dead {
			list[out] = v
			out++
		}
	}
	g.node[i].size = out
}

// absorb makes i stand for b as well and b for nothing.
func (g *graph) absorb(i, b int32) {
	g.member[g.tail[i]] = b
	g.tail[i] = g.tail[b]
	g.nv[b], g.node[b].kind = 0, dead
	g.node[b].next = -1
}

// absorbElement ends element e, all of whose variables are in element me.
func (g *graph) absorbElement(me, e int32) {
	g.node[e].kind, g.node[e].next = dead, me
	g.mark[e] = 0
}

// link enters variable i at the front of the list of its degree, once its stage has come.
func (g *graph) link(i int32) {
	v := &g.node[i]
	if v.stage > g.stage {
		return
	}
	h := g.head[v.degree]
	v.next, v.prev = h, -1
	if h >= 0 {
		g.node[h].prev = i
	}
	g.head[v.degree] = i
	g.minDegree = min(g.minDegree, v.degree)
}

// unlink takes variable i out of its degree list, if it is in one.
func (g *graph) unlink(i int32) {
	v := &g.node[i]
	if v.stage > g.stage {
		return
	}
	if v.next >= 0 {
		g.node[v.next].prev = v.prev
	}
	if v.prev >= 0 {
		g.node[v.prev].next = v.next
	} else {
		g.head[v.degree] = v.next
	}
}

// popMin takes a variable of least degree out of the lists.
func (g *graph) popMin() int32 {
	for g.head[g.minDegree] < 0 {
		if g.minDegree++; int(g.minDegree) == g.n {
			g.nextStage()
		}
	}
	i := g.head[g.minDegree]
	g.unlink(i)
	return i
}

// nextStage enters the variables of the next stage into the degree lists.
func (g *graph) nextStage() {
	g.stage++
	g.minDegree = int32(g.n) - 1
	for i := range int32(g.n) {
		if v := &g.node[i]; v.stage == g.stage && v.kind == variable && g.nv[i] > 0 {
			g.link(i)
		}
	}
}

// renew makes every mark except on absorbed elements older than stamp.
func (g *graph) renew() {
	// A mark lies at most n above its stamp.
	g.stamp += int32(g.n) + 1
	if g.stamp > 1<<30 {
		for i, m := range g.mark {
			if m != 0 {
				g.mark[i] = 1
			}
		}
		g.stamp = 2
	}
}

// compress moves the live lists to the front of the array. Each is found by a
// flag in its first place: the flag is the node, the entry it displaced waits
// in start.
func (g *graph) compress() {
	for i := range int32(g.n) {
		if v := &g.node[i]; v.kind != dead && v.size > 0 {
			v.start, g.list[v.start] = g.list[v.start], ^i
		}
	}
	out := int32(0)
	for p := int32(0); p < g.free; {
		if g.list[p] >= 0 {
			p++
			continue
		}
		v := &g.node[^g.list[p]]
		g.list[out] = v.start
		copy(g.list[out+1:], g.list[p+1:p+v.size])
		v.start = out
		out += v.size
		p += v.size
	}
	g.free = out
}
