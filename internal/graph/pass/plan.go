package pass

import (
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// block is how many members are computed together: their numbers and the numbers of the nodes
// between stay in the first level of a cache. Source: derived: 1 kB for an entry, and 32 kB for the
// entries of most members.
const block = 128

// Plan is a graph with facts that its evaluations need. It does not change, and may be shared by
// goroutines.
type Plan struct {
	*graph.Graph
	rows    []row // of all nodes, one after the other
	first   []int // by node: its first row
	entries [][]entry
	joined  []bool // by node: see joinSquares
	pool    sync.Pool
}

// row is an affine function of each member, with facts about it.
type row struct {
	*graph.Row
	shared   bool // all members have the same coefficients
	lead     int  // the number of a row before that differs in constants alone; −1: none does
	followed bool // it is the lead of another one
}

// entry is one of those that a node reduces: entry at of a node.
type entry struct{ node, at int }

// NewPlan is a plan of the graph, which does not change from then on.
func NewPlan(g *graph.Graph) *Plan {
	p := &Plan{Graph: g, first: make([]int, len(g.Nodes)), entries: make([][]entry, len(g.Nodes))}
	for k := range g.Nodes {
		n := &g.Nodes[k]
		p.first[k] = len(p.rows)
		for r := range n.Rows {
			p.addRow(&n.Rows[r])
		}
		if n.Op != graph.Apply && n.Op != graph.Reduce {
			continue
		}
		for _, a := range n.Args {
			for e := range g.Nodes[a].W {
				p.entries[k] = append(p.entries[k], entry{a, e})
			}
		}
	}
	p.joined = p.joinSquares()
	p.pool.New = func() any { return p.newWork() }
	return p
}

func (p *Plan) addRow(r *graph.Row) {
	out := row{Row: r, shared: r.Shared(), lead: -1}
	if !out.shared {
		for k := range p.rows {
			if o := &p.rows[k]; o.lead < 0 && !o.shared && o.Parallel(r) {
				out.lead, o.followed = k, true
				break
			}
		}
	}
	p.rows = append(p.rows, out)
}

// joinSquares marks sums of squares of rows that have coefficients in common and a constant for
// each member, and these rows.
func (p *Plan) joinSquares() []bool {
	joined, users := make([]bool, len(p.Nodes)), make([]int, len(p.Nodes))
	for k := range p.Nodes {
		for _, a := range p.Nodes[k].Args {
			users[a]++
		}
	}
	for k := range p.Nodes {
		n := &p.Nodes[k]
		if !n.Is(atom.SumSquares) || len(n.Args) != 1 {
			continue
		}
		a := n.Args[0]
		apart := func(r graph.Row) bool { return !r.Shared() || len(r.C) == 1 }
		if p.Nodes[a].Op == graph.Affine && users[a] == 1 && !slices.ContainsFunc(p.Nodes[a].Rows, apart) {
			joined[k], joined[a] = true, true
		}
	}
	return joined
}

// Work is the room for a block of members. It belongs to one goroutine at a time.
type Work struct {
	v, adj [][]float64 // by node, block numbers for each entry; adj has the adjoints, the errors or the reaches
	groups [][]group   // by node, the groups that it reduces
	rows   []rowWork
	sums   []float64
	block  Block
}

// group are the values and the adjoints of the entries of a group, columns of a block.
type group struct{ u, adj [][]float64 }

// rowWork is the room of a row.
type rowWork struct {
	shared, grad float64 // Σ val·x and the sum of the adjoints, where coefficients are shared
	// Of a row that others follow: Σ val·x of the block, its errors in units, and the sum of the
	// adjoints of those that follow.
	products, errors, adjoint []float64
}

func (p *Plan) newWork() *Work {
	w := &Work{rows: make([]rowWork, len(p.rows)), sums: make([]float64, block)}
	w.v, w.adj = make([][]float64, len(p.Nodes)), make([][]float64, len(p.Nodes))
	w.groups = make([][]group, len(p.Nodes))
	for k := range p.Nodes {
		n := &p.Nodes[k]
		w.v[k], w.adj[k] = make([]float64, n.W*block), make([]float64, n.W*block)
		if n.Op == graph.Reduce {
			w.groups[k] = make([]group, n.W)
		}
		for e := range w.groups[k] {
			for _, t := range p.entries[k][e*n.Group : (e+1)*n.Group] {
				g := &w.groups[k][e]
				g.u, g.adj = append(g.u, w.value(t, block)), append(g.adj, w.adjoint(t, block))
			}
		}
	}
	for k := range p.rows {
		if p.rows[k].followed {
			r := &w.rows[k]
			r.products, r.errors, r.adjoint = make([]float64, block), make([]float64, block), make([]float64, block)
		}
	}
	return w
}

// of is entry e of a node, n members of it.
func of(list []float64, e, n int) []float64 { return list[e*block:][:n:n] }

// value and adjoint belong to an entry, n members of it.
func (w *Work) value(e entry, n int) []float64   { return of(w.v[e.node], e.at, n) }
func (w *Work) adjoint(e entry, n int) []float64 { return of(w.adj[e.node], e.at, n) }

// zeros are n of them, until the next call.
func (w *Work) zeros(n int) []float64 {
	clear(w.sums[:n])
	return w.sums[:n]
}

// take is room for a block, which put gives back.
func (p *Plan) take() *Work { return p.pool.Get().(*Work) }
func (p *Plan) put(w *Work) { p.pool.Put(w) }

// Coefficients is how many of them a value of all members visits.
func (p *Plan) Coefficients() int {
	n := 0
	for k := range p.rows {
		n += max(1, len(p.rows[k].Idx))
	}
	return n * p.N
}

// Support lists, ascending, the variables that the members depend on.
func (p *Plan) Support() []int {
	seen := map[int32]bool{}
	p.EachVariable(func(_ int, j int32) { seen[j] = true })
	out := make([]int, 0, len(seen))
	for j := range seen {
		out = append(out, int(j))
	}
	slices.Sort(out)
	return out
}

// EachVariable calls f with the nodes and variables of all rows, some more than once.
func (p *Plan) EachVariable(f func(node int, j int32)) {
	for k := range p.Nodes {
		for _, r := range p.Nodes[k].Rows {
			for _, idx := range r.Idx {
				for _, j := range idx {
					f(k, j)
				}
			}
		}
	}
}
