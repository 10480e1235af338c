package amd

// kind of a node of the quotient graph.
const (
	variable uint8 = iota
	element
	dead // absorbed, or set aside
)

const taken = ^uint32(0)

// graph is the quotient graph. Node i is a variable until it is chosen as
// pivot, then an element. The list of a variable holds its elements, then the
// variables adjacent to it by entries of the matrix that no element covers; the
// list of an element holds its variables. All lists lie in one array, which is
// compressed when it is full: what a pivot writes is never longer than what it
// absorbs, so the lists always fit.
type graph struct {
	n                  int
	list               []int32
	free               int32   // first unused place of list
	start, size, elems []int32 // list of node i; its first elems[i] are elements
	kind               []uint8
	nv                 []int32 // variables that i stands for; 0 once absorbed
	degree             []int32 // bound on a variable's degree; variables in an element
	member             []int32 // chain of the variables eliminated with i, −1 ends it
	tail               []int32 // end of that chain

	head, next, prev []int32 // degree lists
	minDegree        int32
	left             int32 // variables to eliminate in all
	eliminated       int

	mark       []int32 // per node; 0 for an absorbed element
	stamp      int32
	hash       []uint32
	bucketHead []int32
}

func newGraph(n int, colPtr, rowIdx []int) *graph {
	g := &graph{n: n, left: int32(n), minDegree: 0, stamp: 2}
	for _, s := range []*[]int32{
		&g.start, &g.size, &g.elems, &g.nv, &g.degree, &g.member, &g.tail,
		&g.head, &g.next, &g.prev, &g.mark, &g.bucketHead,
	} {
		*s = make([]int32, n)
	}
	g.kind, g.hash = make([]uint8, n), make([]uint32, n)
	for i := range n {
		g.head[i], g.bucketHead[i], g.member[i] = -1, -1, -1
		g.tail[i] = int32(i)
		g.nv[i], g.mark[i] = 1, 1
	}
	g.fill(colPtr, rowIdx)
	return g
}

// fill writes the lists: both triangles, each entry once, no diagonal.
func (g *graph) fill(colPtr, rowIdx []int) {
	count := make([]int32, g.n+1)
	for j := range g.n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if i != j {
				count[i]++
				count[j]++
			}
		}
	}
	total := int32(0)
	for i := range g.n {
		g.start[i] = total
		total += count[i]
	}
	// A pivot needs room for n variables beside the lists; a fifth more makes
	// compressions rare.
	g.list = make([]int32, int(total)+int(total)/5+g.n+1)
	g.free = total
	for j := range g.n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if i != j {
				g.push(int32(i), int32(j))
				g.push(int32(j), int32(i))
			}
		}
	}
	// Duplicates: seen[v] = i+1 once v is in the list of i.
	seen := count
	clear(seen)
	for i := range int32(g.n) {
		list, out := g.neighbours(i), int32(0)
		for _, v := range list {
			if seen[v] != i+1 {
				seen[v] = i + 1
				list[out] = v
				out++
			}
		}
		g.size[i] = out
	}
}

func (g *graph) push(i, v int32) {
	g.list[g.start[i]+g.size[i]] = v
	g.size[i]++
}

// neighbours is the whole list of node i.
func (g *graph) neighbours(i int32) []int32 { return g.list[g.start[i] : g.start[i]+g.size[i]] }

// vars is the list of the element e.
func (g *graph) vars(e int32) []int32 { return g.neighbours(e) }

// elements are those of the variable i.
func (g *graph) elements(i int32) []int32 { return g.list[g.start[i] : g.start[i]+g.elems[i]] }

// dropDead removes from the list of i what was set aside.
func (g *graph) dropDead(i int32) {
	list, out := g.neighbours(i), int32(0)
	for _, v := range list {
		if g.kind[v] != dead {
			list[out] = v
			out++
		}
	}
	g.size[i] = out
}

// absorb makes i stand for b as well and b for nothing.
func (g *graph) absorb(i, b int32) {
	g.member[g.tail[i]] = b
	g.tail[i] = g.tail[b]
	g.nv[b], g.kind[b] = 0, dead
}

// link enters variable i at the front of the list of its degree.
func (g *graph) link(i int32) {
	d := g.degree[i]
	h := g.head[d]
	g.next[i], g.prev[i] = h, -1
	if h >= 0 {
		g.prev[h] = i
	}
	g.head[d] = i
	g.minDegree = min(g.minDegree, d)
}

// unlink takes variable i out of its degree list.
func (g *graph) unlink(i int32) {
	next, prev := g.next[i], g.prev[i]
	if next >= 0 {
		g.prev[next] = prev
	}
	if prev >= 0 {
		g.next[prev] = next
	} else {
		g.head[g.degree[i]] = next
	}
}

// popMin takes a variable of least degree out of the lists.
func (g *graph) popMin() int32 {
	for g.head[g.minDegree] < 0 {
		g.minDegree++
	}
	i := g.head[g.minDegree]
	g.unlink(i)
	return i
}

// bucket enters variable i into the bucket of its hash, chained by next.
func (g *graph) bucket(i int32, hash uint32) {
	h := hash % uint32(g.n)
	g.hash[i] = h
	g.next[i] = g.bucketHead[h]
	g.bucketHead[h] = i
}

// renew makes every mark but that of absorbed elements older than stamp.
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
		if g.kind[i] != dead && g.size[i] > 0 {
			p := g.start[i]
			g.start[i] = g.list[p]
			g.list[p] = ^i
		}
	}
	out := int32(0)
	for p := int32(0); p < g.free; {
		if g.list[p] >= 0 {
			p++
			continue
		}
		i := ^g.list[p]
		g.list[out] = g.start[i]
		copy(g.list[out+1:], g.list[p+1:p+g.size[i]])
		g.start[i] = out
		out += g.size[i]
		p += g.size[i]
	}
	g.free = out
}
