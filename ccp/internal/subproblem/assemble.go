package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// pin notes which variables are parameters.
func (s *Compiled) pin(b *Builder) {
	for _, v := range s.DC.Vars {
		if !v.Param {
			continue
		}
		if b.pinned == nil {
			b.pinned = make([]bool, s.DC.NumVars())
		}
		for j := v.Offset; j < v.Offset+v.Len(); j++ {
			b.pinned[j] = true
			s.Hidden.Cols = append(s.Hidden.Cols, j)
		}
	}
}

// addObjective adds g of the objective, and the domain of its h.
func (s *Compiled) addObjective(b *Builder) {
	b.Minimise(b.Form(s.DC.Objective.G()))
	if h := s.DC.Objective.H(); len(h.Support()) > 0 {
		s.H0 = h
		s.restrict(b, h)
	}
}

// addConstraints adds the rows of all constraints, and the bounds of slacks.
func (s *Compiled) addConstraints(b *Builder) {
	for i := 0; i < len(s.DC.Constraints); i++ {
		b.work(1)
		if n := s.addFamily(b, i); n > 0 {
			i += n - 1
			continue
		}
		b.owner = i
		c := &s.DC.Constraints[i]
		if c.Convex() {
			s.Hard = append(s.Hard, c)
		} else {
			s.Soft = append(s.Soft, c)
		}
		s.addConstraint(b, c)
	}
	b.owner = ownObjective
	for _, j := range s.Slacks {
		b.BoundColumn(j, 0, math.Inf(1))
	}
}

// addFamily adds the rows of the constraints that number i is the first of, where they are one
// object. It returns how many there are, 0 where they are to be added one by one.
func (s *Compiled) addFamily(b *Builder, i int) int {
	m := s.DC.Constraints[i].Members()
	if m == nil {
		return 0
	}
	t, ok := m.Tangent()
	if !ok {
		return 0
	}
	n := m.Count()
	some := s.choice.Of(len(b.Rows.Families), m)
	f := blocks.NewFamily(m, t, some, b.Rows.Count(), b.Cols())
	f.Owner, f.Soft, f.Slack = i, len(s.Soft), len(s.Slacks)
	for k := range f.Count() {
		s.Slacks = append(s.Slacks, b.Var())
		s.owners = append(s.owners, int32(len(s.Soft)+f.Number(k)))
	}
	s.Soft = slices.Grow(s.Soft, n)
	for k := range n {
		s.Soft = append(s.Soft, &s.DC.Constraints[i+k])
	}
	b.work(f.Count())
	b.Rows.Families = append(b.Rows.Families, f)
	return n
}

// addConstraint adds the rows of one constraint.
func (s *Compiled) addConstraint(b *Builder, c *program.Constraint) {
	if b.meet(c) {
		return
	}
	e := c.Function()
	g, h := e.G(), e.H()
	s.restrict(b, h)
	slack := convex.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
	s.Slacks = append(s.Slacks, slack.Idx[0])
	s.owners = append(s.owners, int32(len(s.Soft)-1))
	for k, l := range upperRows(b, g, len(h.Support())) {
		b.cut(l.AddScaled(-1, slack), h, Cut{Same: k > 0, Slack: len(s.Slacks) - 1}, 0)
	}
}

// meet states a constraint of which nothing is linearised. It returns false for any other.
func (b *Builder) meet(c *program.Constraint) bool {
	switch {
	case !c.DC:
		for k := range c.A.Len() {
			b.AddRow(c.A.Linear(k), c.Lo[k], c.Hi[k], k)
		}
	case b.inCone(c):
	case !c.Convex():
		return false
	default:
		if g := c.Function().G(); !b.atMost(g, 0) {
			for _, l := range upperRows(b, g, 0) {
				b.AddRow(l, math.Inf(-1), 0, 0)
			}
		}
	}
	return true
}

// upperRows returns affine functions that must all be ≤ 0 for g ≤ 0: the
// pieces of a polyhedral g where writing h out for each of them costs no more
// than a column above g, else that column.
func upperRows(b *Builder, g convex.Representer, hSupport int) []convex.Linear {
	if p, ok := g.(convex.Polyhedral); ok {
		if pieces := p.Pieces(); len(pieces) > 0 && expr.FewPieces(len(pieces), len(g.Support()), hSupport) {
			return pieces
		}
	}
	return []convex.Linear{b.Bound(g)}
}

// restrict keeps the points within the domain of h.
func (s *Compiled) restrict(b *Builder, h convex.Func) {
	r, ok := h.(convex.Restricted)
	if e, is := h.(interface{ Everywhere() bool }); !ok || is && e.Everywhere() {
		return
	}
	s.Domain = append(s.Domain, r)
	for _, f := range r.Domain() {
		s.boundary = append(s.boundary, f)
		b.within(f)
	}
}

// within states f ≤ 0, of a domain.
func (b *Builder) within(f convex.Representer) {
	if !b.atMost(f, -1) {
		b.Row(b.Bound(f), math.Inf(-1), 0)
	}
}

// restrictMajorants adds the domains of the h that majorants linearise.
func (s *Compiled) restrictMajorants(b *Builder) {
	for k := 0; k < len(b.cuts); k++ { // which may grow
		if b.cuts[k].Slack == NoSlack {
			s.restrict(b, b.cuts[k].H)
		}
	}
}

// lonely are the variables that no row and no square or product of the convex problem has.
func lonely(qp *qpbackend.Problem, n int) (list []int) {
	in := make([]bool, len(qp.Q))
	for j := range in {
		squares := qp.P.RowIdx[qp.P.ColPtr[j]:qp.P.ColPtr[j+1]]
		in[j] = in[j] || len(squares) > 0 || qp.A.ColPtr[j+1] > qp.A.ColPtr[j]
		for _, i := range squares {
			in[i] = true
		}
	}
	for j := range n {
		if !in[j] {
			list = append(list, j)
		}
	}
	return list
}

// compress is the rows as a matrix, zeros kept. Rows fill the columns in order, so
// one pass is enough after one that counts. The cuts, in the order of their rows, learn where the
// coefficients of their h stand.
func (b *Builder) compress() *sparse.CSC {
	cols, cuts := b.Cols(), b.cuts
	a := &sparse.CSC{Rows: b.Rows.Count(), Cols: cols, ColPtr: make([]int, cols+1)}
	b.Rows.Entries(func(_ int, idx []int, _ []float64, _ *blocks.Family, _ int) {
		b.work(len(idx))
		for _, j := range idx {
			a.ColPtr[j+1]++
		}
	})
	for j := range cols {
		a.ColPtr[j+1] += a.ColPtr[j]
	}
	a.RowIdx, a.Val = make([]int, a.NNZ()), make([]float64, a.NNZ())
	next := slices.Clone(a.ColPtr[:cols])
	b.Rows.Entries(func(i int, idx []int, val []float64, f *blocks.Family, k int) {
		b.work(len(idx))
		// Each column has one entry more once the row is in.
		if f != nil {
			f.Locate(k, idx, next)
		} else if len(cuts) > 0 && cuts[0].Row == i {
			cuts[0].Slot = reduce.Pick(make([]int, len(cuts[0].Idx)), next, cuts[0].Idx)
			cuts = cuts[1:]
		}
		for k, j := range idx {
			a.RowIdx[next[j]], a.Val[next[j]] = i, val[k]
			next[j]++
		}
	})
	return a
}
