package pass

import (
	"github.com/dcopt/dcopt/internal/graph"
)

// Tangent has the tangents of members l − h, the last node of whose graph is a sum: l is its row,
// and h minus those arguments that are marked, times their weights. Its lists are columns: a
// variable of h in each, and none twice in a member.
type Tangent struct {
	p      *Plan
	marked []bool // by argument of the last node
	below  []bool // by node: h consists of it
	// Of has the variables of h; Base their coefficients in l, nil for zeros. Rest has the
	// coefficients of l for other variables.
	Of   [][]int32
	Base [][]float64
	Rest graph.Row

	parts [][]part // of each variable: the coefficients of rows below
}

// part is the coefficient of a variable in an entry of a node.
type part struct {
	entry
	val []float64
}

// NewTangent is for the members of a plan. ok is false where variables of one member are in one
// column and the ones of another are not.
func NewTangent(p *Plan, marked []bool) (t *Tangent, ok bool) {
	t = &Tangent{p: p, marked: marked, below: make([]bool, len(p.Nodes))}
	for a, arg := range p.Last().Args {
		t.below[arg] = t.below[arg] || marked[a]
	}
	for k := p.Top() - 1; k >= 0; k-- {
		for _, arg := range p.Nodes[k].Args {
			t.below[arg] = t.below[arg] || t.below[k]
		}
	}
	for k := range p.Nodes {
		for e := range p.Nodes[k].Rows {
			r := &p.Nodes[k].Rows[e]
			for i := 0; i < len(r.Idx) && t.below[k]; i++ {
				at, ok := t.column(r.Idx[i])
				if !ok {
					return nil, false
				}
				if at == len(t.Of) {
					t.Of, t.Base, t.parts = append(t.Of, r.Idx[i]), append(t.Base, nil), append(t.parts, nil)
				}
				t.parts[at] = append(t.parts[at], part{entry{k, e}, r.Val[i]})
			}
		}
	}
	t.sort()
	l := &p.Last().Rows[0]
	t.Rest.C = l.C
	for i, idx := range l.Idx {
		switch at, ok := t.column(idx); {
		case !ok:
			return nil, false
		case at < len(t.Of):
			t.Base[at] = l.Val[i]
		default:
			t.Rest.Idx, t.Rest.Val = append(t.Rest.Idx, idx), append(t.Rest.Val, l.Val[i])
		}
	}
	return t, true
}

// Count is how many members there are.
func (t *Tangent) Count() int { return t.p.N }

// sort brings the columns in the order of the variables of the first member: sums over them are
// those over the variables of a function.
func (t *Tangent) sort() {
	for c := range t.Of {
		for k := c; k > 0 && t.Of[k][0] < t.Of[k-1][0]; k-- {
			t.Of[k], t.Of[k-1] = t.Of[k-1], t.Of[k]
			t.parts[k], t.parts[k-1] = t.parts[k-1], t.parts[k]
		}
	}
}

// column is the number of a column of variables, the next number where these are new. ok is
// false where some are in another column.
func (t *Tangent) column(idx []int32) (at int, ok bool) {
	for k, of := range t.Of {
		same, some := true, false
		for i := range max(len(idx), len(of)) {
			equal := graph.At(idx, i) == graph.At(of, i)
			same, some = same && equal, some || equal
		}
		switch {
		case same:
			return k, true
		case some:
			return 0, false
		}
	}
	return len(t.Of), true
}

// Tangents of a block of members, from Lo on. They are good during a call.
type Tangents struct {
	Lo int
	H  []float64   // the values of h
	G  [][]float64 // by column of Of, the gradient of h
}

// At calls each with the tangents at x, a block at a time.
func (t *Tangent) At(x []float64, each func(b *Tangents)) {
	top, p := t.p.Last(), t.p
	room := make([]float64, (1+len(t.Of))*block)
	out := Tangents{G: make([][]float64, len(t.Of))}
	p.blocks(x, func(w *Work, lo, n int) {
		p.clearAdjoints(w, n)
		out.Lo, out.H = lo, room[:n]
		clear(out.H)
		for a, arg := range top.Args {
			if !t.marked[a] {
				continue
			}
			adj, v := w.adj[arg], w.v[arg]
			for i := range n {
				weight := -graph.At(top.Weights[a], lo+i)
				adj[i] += weight
				out.H[i] += weight * v[i]
			}
		}
		for k := p.Top() - 1; k >= 0; k-- {
			if t.below[k] {
				p.toArguments(w, w, k, lo, n)
			}
		}
		for c, parts := range t.parts {
			g := room[(1+c)*block:][:n]
			clear(g)
			for _, q := range parts {
				addScaled(g, q.val, lo, w.adjoint(q.entry, n))
			}
			out.G[c] = g
		}
		each(&out)
	})
}
