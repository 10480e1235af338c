package decode

import (
	"math"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/wire"
)

// constraint is one of the graph and its form in dc.
type constraint struct {
	family string // of the constraints of dc
	n      int    // multipliers
	offset int    // of the multipliers in the vector of all
	parts  []part
}

// part is a statement of dc. put writes its multipliers y at x to the place of the multipliers of
// the whole; nil: they are these.
type part struct {
	stated dc.Statement
	put    func(dst, y, x []float64)
}

// placed gives an error the place of a constraint.
func (b *builder) placed(err *Error, k int) *Error {
	if err.Constraint == nil {
		err.Constraint = &k
		if err.Name == "" {
			err.Name = b.g.Constraints[k].Name
		}
	}
	return err
}

// constrain states constraint k.
func (b *builder) constrain(k int) {
	c := &b.g.Constraints[k]
	s := &stating{builder: b, k: k, c: c, out: constraint{family: b.family(k), offset: b.p.Multipliers}}
	kind, ok := kinds[c.Kind]
	if !ok {
		refuse("no constraint is of the kind %.40q", c.Kind)
	}
	if len(c.Args) < kind.least || len(c.Args) > kind.most {
		refuse("%s has %d arguments, want %d", c.Kind, len(c.Args), kind.most)
	}
	for _, a := range c.Args {
		v := b.p.values[a]
		if i := finite(v.data); i >= 0 && !kind.sides {
			panic(b.at(a, problemf("entry %d is %g", i, v.data[i])))
		}
		s.args = append(s.args, v)
	}
	if name := wire.Other(c, "kind args name "+kind.members); name != "" {
		refuseAs(wire.ErrRequest, "a constraint %s has no member %s", c.Kind, name)
	}
	kind.state(s)
	b.p.places[s.out.family] = wire.Place{Constraint: &k}
	b.p.constraints = append(b.p.constraints, s.out)
	b.p.Multipliers += s.out.n
}

// family is a name for the k-th constraint: as the user calls it, if that is not
// taken.
func (b *builder) family(k int) string {
	name := b.g.Constraints[k].Name
	if name == "" || !b.take(name) {
		name = strings.TrimPrefix(name+" ", " ") + "(constraint " + strconv.Itoa(k) + ")"
		b.take(name)
	}
	return name
}

// take reserves a name; it reports whether it was free.
func (b *builder) take(name string) bool {
	_, taken := b.p.places[name]
	if !taken {
		b.p.places[name] = wire.Place{}
	}
	return !taken
}

// kind is a kind of constraints.
type kind struct {
	least, most int    // arguments
	members     string // besides, with a blank behind each
	sides       bool   // of data they may be infinite
	state       func(s *stating)
}

var kinds = map[string]kind{
	"le":      {1, 2, "", true, func(s *stating) { s.compare(dc.LE, 1) }},
	"eq":      {1, 2, "", false, func(s *stating) { s.compare(dc.EQ, 2) }},
	"between": {1, 1, "lo hi ", false, (*stating).between},
	"soc":     {2, 2, "groups ", false, (*stating).secondOrder},
	"exp":     {3, 3, "", false, func(s *stating) { s.triples(convex.ExponentialCone) }},
	"pow":     {3, 3, "alpha ", false, func(s *stating) { s.triples(convex.PowerCone) }},
	"pownd":   {2, 2, "alpha groups ", false, (*stating).power},
	"psd":     {1, 1, "", false, (*stating).semidefinite},
}

// stating is a constraint while it is stated.
type stating struct {
	*builder
	k    int
	c    *wire.Constraint
	args []*value
	out  constraint

	links int // variables that are not the graph's
}

// link is a variable that is not the graph's.
func (s *stating) link(opts ...dc.VarOption) dc.Expr {
	s.links++
	a, _ := s.linked(1, []int{s.k, s.links}, opts...)
	return a.At(0)
}

// add states constraints under the family's name; put is that of a part.
func (s *stating) add(c dc.Constraint, put func(dst, y, x []float64), index ...int) {
	if err := c.Err(); err != nil {
		s.curved(cause(err))
	}
	s.out.parts = append(s.out.parts, part{s.m.SubjectTo(c.Named(s.out.family, index...)), put})
}

// to puts one multiplier times a factor to the others at k.
func to(k int, factor float64) func(dst, y, x []float64) {
	return func(dst, y, _ []float64) { dst[k] += factor * y[0] }
}

// curved refuses a constraint that dc refuses.
func (s *stating) curved(text string) {
	err := wire.Errorf(wire.ErrCurvature, "%s", text)
	err.Notes = s.notes(s.c.Args, s.args)
	panic(err)
}

// compare states l ≤ r or l = r; a missing side is 0. An entry that is not affine is so many
// constraints of dc.
func (s *stating) compare(relate func(l, r dc.Expr) dc.Constraint, each int) {
	l, r := s.args[0], number([]float64{0})
	if len(s.args) == 2 {
		r = s.args[1]
	}
	n, affine := l.n(), l.affine() && r.affine()
	if n == 1 {
		n = r.n()
	} else if r.n() != n && r.n() != 1 {
		refuse("a constraint with %d entries on the left and %d on the right", l.n(), r.n())
	}
	s.out.n = n
	switch {
	case n == 0:
		return
	case finite(l.data) >= 0 || finite(r.data) >= 0: // of ≤ alone
		s.oneSided(l, r, n)
		return
	case !affine:
		s.spend(n, each*(l.terms+r.terms))
	}
	var index []int
	if n == 1 && !affine {
		index = []int{0}
	}
	s.add(relate(l.broadcast(n), r.broadcast(n)), nil, index...)
}

// oneSided is l ≤ r where data have infinite entries, which say nothing or exclude
// everything.
func (s *stating) oneSided(l, r *value, n int) {
	hi := make([]float64, n)
	for k := range n {
		least, most := l.at(k, -1), r.at(k, 1)
		if math.IsInf(least, 1) || math.IsInf(most, -1) {
			refuse("entry %d asks for at least %g and at most %g", k, least, most)
		}
		if l.isData() && isInf(least) || r.isData() && isInf(most) {
			hi[k] = math.Inf(1)
		}
	}
	within := func(v *value) *value {
		if !v.isData() {
			return v
		}
		s.structural(v.deps)
		data := spread(v.data, n)
		for k := range data {
			if isInf(data[k]) {
				data[k] = 0
			}
		}
		return number(data)
	}
	s.sides(within(l), within(r), spread([]float64{math.Inf(-1)}, n), hi)
}

func (s *stating) between() {
	v := s.args[0]
	n := v.n()
	s.out.n = n
	lo, hi := sideOf("lo", s.c.Lo, -1, n), sideOf("hi", s.c.Hi, 1, n)
	if k, least, most := empty(lo, hi); k >= 0 {
		refuse("entry %d asks for at least %g and at most %g", k, least, most)
	}
	if n == 0 {
		return
	}
	s.sides(v, number([]float64{0}), lo, hi)
}

// sides states lo ≤ l − r ≤ hi; infinite sides say nothing. Entries that are not affine are two
// constraints, in the order of an equation, or one of l ≤ r.
func (s *stating) sides(l, r *value, lo, hi []float64) {
	n := len(lo)
	if l.affine() && r.affine() {
		s.add(dc.Between(dc.Vec(lo), l.broadcast(n).Sub(r.broadcast(n)), dc.Vec(hi)), nil)
		return
	}
	for k := range n {
		e, index := l.expr(k), []int{k, 0}
		if s.c.Kind == "le" {
			e, index = e.Sub(r.expr(k)), index[:1]
		}
		if !isInf(hi[k]) {
			s.add(dc.LE(e, dc.Num(hi[k])), to(k, 1), index...)
		}
		if !isInf(lo[k]) {
			s.add(dc.GE(e, dc.Num(lo[k])), to(k, -1), k, 1)
		}
	}
}
