package global

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/qpbackend"
)

// choices is an objective base + Σ squares + Σ weight·min(items) with convex base and
// items. Where all constraints are convex too, it is minimised by branch and bound over
// which item of each minimum counts.
type choices struct {
	p       *dc.Problem // with exact splits
	box     []dc.Interval
	base    dc.Expr
	squares []dc.Linear // Σ l²
	list    []choice
	// groups says, for each sum of the k least of some functions f, k: it is the sum of
	// minima of (f, 0), of which k take f.
	groups []int
}

// choice is weight times the least of convex functions.
type choice struct {
	weight  float64
	items   []item
	support []int
	least   float64 // a lower bound of the minimum
	group   int     // the number of a sum of the least that it is part of, −1: none
}

// item is lin + Σ l² + Σ max(pieces).
type item struct {
	e       dc.Expr
	lin     dc.Linear
	squares []dc.Linear
	maxima  [][]dc.Linear
}

// newChoices reads the objective of p, whose splits are exact; nil where it has no minimum
// of convex functions, or another part that is not convex.
func newChoices(p *dc.Problem) *choices {
	if len(p.Defined()) > 0 || slices.ContainsFunc(p.Vars, func(v *dc.Variable) bool { return v.Param }) {
		return nil
	}
	for i := range p.Constraints {
		if !p.Constraints[i].Convex() {
			return nil
		}
	}
	c := &choices{p: p, box: boxOf(p)}
	lin, terms := p.Objective.Written()
	terms, rest := c.ramps(terms)
	rest = append(rest, dc.FromLinear(lin))
	for _, t := range terms {
		less, ok := c.minima(t)
		if !ok {
			less = dc.Apply(t.Node.Op(), t.Node.Data(), t.Node.Args()...).Scale(t.Weight)
		}
		rest = append(rest, less)
	}
	all := dc.Sum(rest...)
	if len(c.list) == 0 || all.Err() != nil || !all.IsConvex() {
		return nil
	}
	lin, terms = all.Written()
	base := []dc.Expr{dc.FromLinear(lin)}
	for _, t := range terms {
		if rows, ok := squaresOf(t); ok {
			c.squares = append(c.squares, rows...)
			continue
		}
		base = append(base, dc.Apply(t.Node.Op(), t.Node.Data(), t.Node.Args()...).Scale(t.Weight))
	}
	c.base = dc.Sum(base...)
	if c.base.Err() != nil || !c.base.IsConvex() {
		return nil
	}
	return c
}

// squaresOf are affine functions whose squares add up to the term.
func squaresOf(t dc.Term) ([]dc.Linear, bool) {
	if t.Weight < 0 || atom.SumOf(t.Node.Op()) != atom.SumSquares {
		return nil, false
	}
	a := t.Node.Args()[0]
	if !a.Plain() {
		return nil, false
	}
	rows := make([]dc.Linear, a.Len())
	for k := range rows {
		rows[k] = a.Linear(k).Scale(math.Sqrt(t.Weight))
	}
	return rows, true
}

// minima adds a term that is a sum of the least of convex functions, but for less: −w
// times the sum of the k largest of concave functions, w times that of the k least of
// convex ones, and −w times the sum of the k largest of n convex ones, which is that of
// the n − k least less all of them.
func (c *choices) minima(t dc.Term) (less dc.Expr, ok bool) {
	row := atom.FindReduce(t.Node.Op())
	if row == nil || row.Extremes == nil {
		return dc.Expr{}, false
	}
	w, k := -row.Sign()*t.Weight, row.Extremes(t.Node.Data())
	es := entriesOf(t)
	all := func(holds func(dc.Expr) bool) bool {
		return !slices.ContainsFunc(es, func(e dc.Expr) bool { return !holds(e) })
	}
	if w <= 0 || all(dc.Expr.IsAffine) { // the regions of affine pieces say more
		return dc.Expr{}, false
	}
	switch {
	case row.Curvature < 0:
	case all(dc.Expr.IsConcave):
		for i := range es {
			es[i] = es[i].Neg()
		}
	default:
		less, k = dc.Sum(es...).Scale(-w), len(es)-k
	}
	items := make([]item, len(es))
	for i, e := range es {
		if items[i], ok = newItem(e); !ok {
			return dc.Expr{}, false
		}
	}
	if k == 1 {
		c.list = append(c.list, newChoice(w, items, -1))
		return less, true
	}
	c.groups = append(c.groups, k)
	for _, it := range items {
		c.list = append(c.list, newChoice(w, []item{it, {}}, len(c.groups)-1))
	}
	return less, true
}

// entriesOf are the scalar arguments of a term.
func entriesOf(t dc.Term) (es []dc.Expr) {
	for _, a := range t.Node.Args() {
		for i := range a.Len() {
			es = append(es, a.Entry(i))
		}
	}
	return es
}

// hinge is a term weight·(lin + (d)₊) with affine lin and d.
type hinge struct {
	term     int
	weight   float64
	lin, d   dc.Expr
	slope    string // |weight| and the coefficients of d
	constant float64
}

// hingesOf reads the terms that are the larger of two affine functions.
func hingesOf(terms []dc.Term) (hinges []hinge) {
	for k, t := range terms {
		es := entriesOf(t)
		if atom.FindReduce(t.Node.Op()) != atom.Max || len(es) != 2 || !es[0].IsAffine() || !es[1].IsAffine() {
			continue
		}
		d := es[0].Sub(es[1])
		lin, _ := d.Written()
		hinges = append(hinges, hinge{k, t.Weight, es[1], d, fmt.Sprint(math.Abs(t.Weight), lin.Idx, lin.Val), lin.Const})
	}
	return hinges
}

// ramps takes pairs of hinges of one weight out of the terms, (d)₊ − (d − c)₊ with c > 0, which is min((d)₊, c):
// without bounds of the variables neither hinge has a range, and the minimum has. rest is affine, of the hinges
// that were taken.
func (c *choices) ramps(terms []dc.Term) (left []dc.Term, rest []dc.Expr) {
	hinges, added := hingesOf(terms), map[string][]hinge{}
	for _, h := range hinges {
		if h.weight > 0 {
			added[h.slope] = append(added[h.slope], h)
		}
	}
	taken := make([]bool, len(terms))
	for _, less := range hinges {
		if less.weight > 0 {
			continue
		}
		of := added[less.slope]
		at := slices.IndexFunc(of, func(h hinge) bool { return h.constant > less.constant })
		if at < 0 {
			continue
		}
		plus := of[at]
		it, ok := newItem(dc.Pos(plus.d))
		most, _ := newItem(dc.Num(plus.constant - less.constant))
		if !ok {
			continue
		}
		c.list = append(c.list, newChoice(plus.weight, []item{it, most}, -1))
		rest = append(rest, plus.lin.Scale(plus.weight), less.lin.Scale(less.weight))
		taken[plus.term], taken[less.term] = true, true
		added[less.slope] = slices.Delete(of, at, at+1)
	}
	for k, t := range terms {
		if !taken[k] {
			left = append(left, t)
		}
	}
	return left, rest
}

func newChoice(w float64, items []item, group int) choice {
	c := choice{weight: w, items: items, least: math.Inf(1), group: group}
	for _, it := range items {
		c.least = min(c.least, it.e.Range().Lo)
		c.support = append(append(c.support, it.e.G().Support()...), it.lin.Idx...)
	}
	slices.Sort(c.support)
	c.support = slices.Compact(c.support)
	return c
}

// newItem reads a convex function.
func newItem(e dc.Expr) (item, bool) {
	if e.Err() != nil || !e.IsConvex() {
		return item{}, false
	}
	it := item{e: e}
	lin, terms := e.Written()
	it.lin = lin
	for _, t := range terms {
		if rows, ok := squaresOf(t); ok {
			it.squares = append(it.squares, rows...)
			continue
		}
		m, ok := dc.Apply(t.Node.Op(), t.Node.Data(), t.Node.Args()...).Scale(t.Weight).G().(sumOfMaxima)
		if !ok {
			return item{}, false
		}
		rest, ok := m.Maxima(func(w float64, pieces []dc.Linear) {
			scaled := make([]dc.Linear, len(pieces))
			for k, l := range pieces {
				scaled[k] = l.Scale(w)
			}
			it.maxima = append(it.maxima, scaled)
		})
		if !ok {
			return item{}, false
		}
		it.lin = it.lin.AddScaled(1, rest)
	}
	return it, true
}

// relaxed is a choice in a node without a decision: the columns of the weights of its
// items, and its cost with its share of the squares.
type relaxed struct {
	choice  int
	weights []dc.Linear
	cost    dc.Linear
	shared  []dc.Linear
}

// relax is the convex problem of a node. Decided choices are their item; of the others
// each gets an equal share of the squares that have no other variables than it has, and
// the sum is bounded by its convex hull.
func (c *choices) relax(ctx context.Context, piece []int8) (qp *qpbackend.Problem, open []relaxed, err error) {
	defer subproblem.Unwound(&err)
	b := subproblem.NewBuilder(ctx, c.p.NumVars())
	b.Minimise(b.Form(c.base.G()))
	shares, own := c.share(piece)
	if len(own) > 0 {
		b.Minimise(dc.Form{Quad: []dc.Quadratic{{Weight: 1, Arg: dc.Entries(own...)}}})
	}
	subproblem.HardRows(b, c.p)
	taken := make([]int, len(c.groups))
	kept := make([]dc.Linear, len(c.groups))
	for k := range c.list {
		ch := &c.list[k]
		if j := piece[k]; j >= 0 {
			if it := &ch.items[j]; !it.e.IsConst() {
				b.Minimise(b.Form(it.e.Scale(ch.weight).G()))
			} else {
				b.AddLinear(dc.Linear{Const: ch.weight * it.lin.Const})
			}
			if ch.group >= 0 && j == 0 {
				taken[ch.group]++
			}
			continue
		}
		r := relaxed{choice: k, shared: shares[k]}
		if len(r.shared) == 0 && !c.boxed(ch.support) && ch.group < 0 {
			r.cost = dc.Linear{Const: ch.weight * ch.least}
		} else {
			ch.hull(b, c.box, &r)
		}
		b.AddLinear(r.cost)
		if ch.group >= 0 {
			kept[ch.group] = kept[ch.group].AddScaled(1, r.weights[0])
		}
		open = append(open, r)
	}
	for i, k := range c.groups {
		if n := float64(k - taken[i]); len(kept[i].Idx) > 0 || n != 0 {
			b.Row(kept[i], n, n)
		}
	}
	qp, err = b.Problem(nil)
	return qp, open, err
}

// share parts the squares among the open choices that have their variables; own are those
// that no choice has.
func (c *choices) share(piece []int8) (shares [][]dc.Linear, own []dc.Linear) {
	shares = make([][]dc.Linear, len(c.list))
	of := make([][]int, c.p.NumVars()) // the open choices of a variable
	for k := range c.list {
		if piece[k] < 0 {
			for _, j := range c.list[k].support {
				of[j] = append(of[j], k)
			}
		}
	}
	for _, l := range c.squares {
		var among []int
		for i, j := range l.Idx {
			if i == 0 {
				among = slices.Clone(of[j])
				continue
			}
			among = slices.DeleteFunc(among, func(k int) bool { return !slices.Contains(of[j], k) })
		}
		if len(among) == 0 {
			own = append(own, l)
			continue
		}
		part := l.Scale(1 / math.Sqrt(float64(len(among))))
		for _, k := range among {
			shares[k] = append(shares[k], part)
		}
	}
	return shares, own
}

func (c *choices) boxed(support []int) bool {
	return !slices.ContainsFunc(support, func(j int) bool { return !c.box[j].IsFinite() })
}

// hull adds the convex hull of the items, each with the shared squares: a copy of the
// variables for each item, scaled by a weight, and the perspectives of the functions
// there. Balas 1979; Ceria and Soares 1999, Convex programming for disjunctive convex
// optimization.
func (c *choice) hull(b *subproblem.Builder, box []dc.Interval, r *relaxed) {
	ones := dc.Linear{}
	sums := make([]dc.Linear, len(c.support))
	for i, j := range c.support {
		sums[i] = dc.Linear{Idx: []int{j}, Val: []float64{-1}}
	}
	for k := range c.items {
		it := &c.items[k]
		z := b.Var()
		b.BoundColumn(z, 0, 1)
		first := b.Cols
		b.Cols += len(c.support)
		λ := flat.ColumnOf(z)
		r.weights, ones = append(r.weights, λ), ones.AddScaled(1, λ)
		at := func(l dc.Linear) dc.Linear { // z·l(y/z)
			out := dc.Linear{Idx: make([]int, len(l.Idx)), Val: l.Val}
			for i, j := range l.Idx {
				place, _ := slices.BinarySearch(c.support, j)
				out.Idx[i] = first + place
			}
			return out.AddScaled(l.Const, λ)
		}
		for i, j := range c.support {
			y := flat.ColumnOf(first + i)
			sums[i] = sums[i].AddScaled(1, y)
			if hi := box[j].Hi; !math.IsInf(hi, 1) {
				b.Row(y.AddScaled(-hi, λ), math.Inf(-1), 0)
			}
			if lo := box[j].Lo; !math.IsInf(lo, -1) {
				b.Row(y.AddScaled(-lo, λ), 0, math.Inf(1))
			}
		}
		r.cost = r.cost.AddScaled(c.weight, at(it.lin))
		for _, pieces := range it.maxima {
			t := flat.ColumnOf(b.Var())
			for _, l := range pieces {
				b.Row(at(l).AddScaled(-1, t), math.Inf(-1), 0)
			}
			r.cost = r.cost.AddScaled(c.weight, t)
		}
		if len(r.shared)+len(it.squares) == 0 {
			continue
		}
		s := flat.ColumnOf(b.Var()) // s·z ≥ Σ l(y)²
		rows := []dc.Linear{s.AddScaled(1, λ), s.AddScaled(-1, λ)}
		for _, l := range r.shared {
			rows = append(rows, at(l).Scale(2))
		}
		for _, l := range it.squares {
			rows = append(rows, at(l).Scale(2*math.Sqrt(c.weight)))
		}
		b.Cone(dc.Cone{Kind: dc.SecondOrderCone, Rows: rows})
		r.cost = r.cost.AddScaled(1, s)
	}
	b.Row(ones, 1, 1)
	for _, s := range sums {
		b.Row(s, 0, 0)
	}
}

func (it *item) value(x []float64) float64 {
	if it.e.IsConst() {
		return it.lin.Const
	}
	return it.e.Value(x)
}

func boxOf(p *dc.Problem) []dc.Interval {
	lo, hi := p.Box()
	box := make([]dc.Interval, len(lo))
	for j := range box {
		box[j] = dc.Interval{Lo: lo[j], Hi: hi[j]}
	}
	return box
}
