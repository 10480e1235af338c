package amd

const (
	// worthContracting is the share of the variables that have to go. With few of them an order
	// takes as long as before, and ties fall in another way. Source: a limit of speed: less saves a
	// tenth of an analysis at most.
	worthContracting = 0.25
	// leastContracted is the number of variables from which they are looked for.
	// Source: a limit of speed: an order of fewer takes some microseconds.
	leastContracted = 100
	// longContracted is the length up to which lists are looked through.
	// Source: a limit of speed: the length of lists that may be deferred.
	longContracted = longList
)

// contraction is the former entry of a place of the lists; at below zero says that variable ^at has
// lost a neighbour.
type contraction struct{ at, was int32 }

// contract eliminates variables with two neighbours or fewer, as long as there are any: an entry
// between its neighbours takes the place of one in their lists. Chains and the edges of networks go
// that way without a quotient graph, and those that come to have two neighbours wait for their
// turn: a band is eliminated from both ends, by two sequences of pivots that do not wait for each
// other. It leaves in degree the sizes that the lists will have, and in touched the variables that
// are to be chosen first, the first ones last.
func (g *graph) contract(perm []int) []int {
	if g.n < leastContracted {
		return perm
	}
	before, enough := len(perm), len(perm)+int(worthContracting*float64(g.n))
	queue, log := make([]int32, 0, g.n), make([]contraction, 0, 2*(enough-before))
	g.touched = make([]int32, 0, g.n/2)
	for i := int32(g.n) - 1; i >= 0; i-- {
		if g.node[i].degree <= 2 {
			queue = append(queue, i)
		}
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		a, b, ok := g.ends(v)
		if !ok {
			continue
		}
		if b >= 0 {
			if log, ok = g.join(v, a, b, log); !ok {
				continue
			}
		} else if a >= 0 {
			log = g.lose(a, log)
		}
		g.node[v].kind, g.nv[v] = dead, 0
		if perm = append(perm, int(v)); len(perm) >= enough {
			log = log[:0] // nothing will be undone
		}
		if a >= 0 {
			queue = g.neighbourGone(a, queue)
		}
		if b >= 0 {
			queue = g.neighbourGone(b, queue)
		}
	}
	if len(perm) < enough {
		g.undo(perm[before:], log)
		return perm[:before]
	}
	g.left -= int32(len(perm) - before)
	return perm
}

// neighbourGone lets variable i wait for its turn, or notes it.
func (g *graph) neighbourGone(i int32, queue []int32) []int32 {
	if g.node[i].degree <= 2 {
		return append(queue, i)
	}
	g.touched = append(g.touched, i)
	return queue
}

// ends are the neighbours that the variable v has left, −1 for none, and whether these are two at
// most and v can be eliminated.
func (g *graph) ends(v int32) (a, b int32, ok bool) {
	a, b = -1, -1
	if n := &g.node[v]; n.degree > 2 || n.kind != variable || n.size > longContracted {
		return a, b, false
	}
	for _, w := range g.neighbours(v) {
		if g.node[w].kind == variable {
			a, b = w, a
		}
	}
	return a, b, true
}

// join puts an entry between a and b, unless there is one, in the place of v. It reports false
// where their lists are too long.
func (g *graph) join(v, a, b int32, log []contraction) ([]contraction, bool) {
	if max(g.node[a].size, g.node[b].size) > longContracted {
		return log, false
	}
	ofA, ofB := g.neighbours(a), g.neighbours(b)
	inA, inB := 0, 0
	for p, w := range ofA {
		if w == b {
			return g.lose(b, g.lose(a, log)), true
		}
		if w == v {
			inA = p
		}
	}
	for ofB[inB] != v {
		inB++
	}
	ofA[inA], ofB[inB] = b, a
	return append(log, contraction{g.node[a].start + int32(inA), v}, contraction{g.node[b].start + int32(inB), v}), true
}

// lose takes a neighbour from variable i.
func (g *graph) lose(i int32, log []contraction) []contraction {
	g.node[i].degree--
	return append(log, contraction{at: ^i})
}

// undo takes back the changes.
func (g *graph) undo(gone []int, log []contraction) {
	for k := len(log) - 1; k >= 0; k-- {
		if c := log[k]; c.at < 0 {
			g.node[^c.at].degree++
		} else {
			g.list[c.at] = c.was
		}
	}
	for _, v := range gone {
		g.node[v].kind, g.nv[v] = variable, 1
	}
	g.touched = nil
}
