package decode

import (
	"math"
	"strconv"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/wire"
)

// form is how the multipliers of a constraint follow from the ones of its rows.
type form uint8

const (
	rows      form = iota // one affine constraint: its rows' multipliers
	single                // DC constraints, one for each entry
	equations             // pairs of DC constraints, or affine ones, one for each entry
	cones                 // cones, one for each group
	norms                 // norm2(X) ≤ t, one for each group
	powers                // power cones, one less than the entries of each group; of one entry −W ≤ z ≤ W
	matrices              // one matrix
)

// constraint is one of the graph and its form in dc.
type constraint struct {
	form   form
	family string // of the constraints of dc
	n      int    // multipliers
	g, m   int    // groups, and entries of a group without its bound
	offset int    // of the multipliers in the vector of all
	at     []int  // the constraints of dc, after locate
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
func (b *builder) constrain(k int) *Error {
	c := &b.g.Constraints[k]
	s := &stating{builder: b, k: k, c: c, out: constraint{family: b.family(k), offset: b.p.Multipliers, g: 1}}
	kind, ok := kinds[c.Kind]
	if !ok {
		return problemf("no constraint is of the kind %.40q", c.Kind)
	}
	if len(c.Args) < kind.least || len(c.Args) > kind.most {
		return problemf("%s has %d arguments, want %d", c.Kind, len(c.Args), kind.most)
	}
	for _, a := range c.Args {
		v := b.p.values[a]
		if i := finite(v.data); i >= 0 && !kind.sides {
			return b.at(a, problemf("entry %d is %g", i, v.data[i]))
		}
		s.args = append(s.args, v)
	}
	for _, extra := range []struct {
		there, wanted bool
		name          string
	}{
		{c.Lo != nil || c.Hi != nil, c.Kind == "between", "lo, hi"},
		{c.Alpha != nil, c.Kind == "pow" || c.Kind == "pownd", "alpha"},
		{c.Groups != nil, c.Kind == "soc" || c.Kind == "pownd", "groups"},
	} {
		if extra.there && !extra.wanted {
			return newError(wire.ErrRequest, "a constraint %s has no member %s", c.Kind, extra.name)
		}
	}
	if err := kind.state(s); err != nil {
		return err
	}
	b.p.constraints = append(b.p.constraints, s.out)
	b.p.Multipliers += s.out.n
	return nil
}

// family is a name for the k-th constraint: as the user calls it, if that is not
// taken.
func (b *builder) family(k int) string {
	name := b.g.Constraints[k].Name
	if name == "" || b.names()[name] {
		if name != "" {
			name += " "
		}
		name += "(constraint " + strconv.Itoa(k) + ")"
	}
	b.names()[name] = true
	return name
}

// names are those that are taken.
func (b *builder) names() map[string]bool {
	if b.taken == nil {
		b.taken = map[string]bool{}
		for _, v := range b.g.Variables {
			b.taken[v.Name], b.taken["psd("+v.Name+")"] = true, true
		}
		for _, p := range b.g.Parameters {
			b.taken[p.Name] = true
		}
	}
	return b.taken
}

// kind is a kind of constraints.
type kind struct {
	least, most int  // arguments
	sides       bool // of data they may be infinite
	state       func(s *stating) *Error
}

var kinds = map[string]kind{
	"le":      {1, 2, true, (*stating).lessEqual},
	"eq":      {1, 2, false, (*stating).equal},
	"between": {1, 1, false, (*stating).between},
	"soc":     {2, 2, false, (*stating).secondOrder},
	"exp":     {3, 3, false, func(s *stating) *Error { return s.triples(convex.ExponentialCone) }},
	"pow":     {3, 3, false, func(s *stating) *Error { return s.triples(convex.PowerCone) }},
	"pownd":   {2, 2, false, (*stating).power},
	"psd":     {1, 1, false, (*stating).semidefinite},
}

// stating is a constraint while it is stated.
type stating struct {
	*builder
	k    int
	c    *wire.Constraint
	args []value
	out  constraint

	links int // variables that are not the graph's
}

// link is a variable that is not the graph's.
func (s *stating) link(opts ...dc.VarOption) dc.Expr {
	s.links++
	a, _ := s.linked(1, []int{s.k, s.links}, opts...)
	return a.At(0)
}

// both are the two sides; a missing one is 0.
func (s *stating) both() (l, r value, n int, err *Error) {
	l, r = s.args[0], number([]float64{0}, nil)
	if len(s.args) == 2 {
		r = s.args[1]
	}
	switch {
	case l.n() == r.n() || r.n() == 1:
		n = l.n()
	case l.n() == 1:
		n = r.n()
	default:
		return l, r, 0, problemf("a constraint with %d entries on the left and %d on the right", l.n(), r.n())
	}
	return l, r, n, nil
}

// add states constraints under the family's name.
func (s *stating) add(c dc.Constraint, index ...int) *Error {
	if err := c.Err(); err != nil {
		return s.curved(cause(err))
	}
	s.m.SubjectTo(c.Named(s.out.family, index...))
	return nil
}

// each states the constraints of an array of n entries, that of entry k with the index k.
func (s *stating) each(c dc.Constraint, n int) *Error {
	if n == 1 {
		return s.add(c, 0)
	}
	return s.add(c)
}

// curved is a constraint that dc refuses.
func (s *stating) curved(text string) *Error {
	err := newError(wire.ErrCurvature, "%s", text)
	for i, a := range s.c.Args {
		err.Notes = append(err.Notes, wire.Note{Node: a, Name: s.nameOf(a), Text: s.args[i].curvature()})
	}
	return err
}

func (s *stating) lessEqual() *Error {
	l, r, n, err := s.both()
	if err != nil {
		return err
	}
	s.out.n = n
	switch {
	case n == 0:
		return nil
	case finite(l.data) >= 0 || finite(r.data) >= 0:
		return s.oneSided(l, r, n)
	case l.affine() && r.affine():
		return s.add(dc.LE(l.broadcast(n), r.broadcast(n)))
	}
	s.out.form = single
	if err := s.spend(n, l.terms+r.terms); err != nil {
		return err
	}
	return s.each(dc.LE(l.broadcast(n), r.broadcast(n)), n)
}

// oneSided is l ≤ r where data have infinite entries, which say nothing or exclude
// everything.
func (s *stating) oneSided(l, r value, n int) *Error {
	var kept []int
	for k := range n {
		lo, hi := math.Inf(-1), math.Inf(1)
		if l.isData() {
			lo = l.at(k)
		}
		if r.isData() {
			hi = r.at(k)
		}
		switch {
		case math.IsInf(lo, 1) || math.IsInf(hi, -1):
			return problemf("entry %d asks for at least %g and at most %g", k, lo, hi)
		case !(l.isData() && isInf(lo)) && !(r.isData() && isInf(hi)):
			kept = append(kept, k)
		}
	}
	s.structural(l.deps)
	s.structural(r.deps)
	side := func(v value) value {
		if !v.isData() {
			return v
		}
		data := make([]float64, n)
		for k := range data {
			if data[k] = v.at(k); isInf(data[k]) {
				data[k] = 0
			}
		}
		return number(data, nil)
	}
	l, r = side(l), side(r)
	if l.affine() && r.affine() {
		c := dc.LE(l.broadcast(n), r.broadcast(n))
		if c.Err() == nil {
			for k := range c.Hi {
				c.Hi[k] = math.Inf(1)
			}
			for _, k := range kept {
				c.Hi[k] = 0
			}
		}
		return s.add(c)
	}
	s.out.form = single
	for _, k := range kept {
		if err := s.add(dc.LE(l.expr(k), r.expr(k)), k); err != nil {
			return err
		}
	}
	return nil
}

func (s *stating) equal() *Error {
	l, r, n, err := s.both()
	if err != nil {
		return err
	}
	s.out.n = n
	switch {
	case n == 0:
		return nil
	case l.affine() && r.affine():
		return s.add(dc.EQ(l.broadcast(n), r.broadcast(n)))
	}
	s.out.form = equations
	if err := s.spend(n, 2*(l.terms+r.terms)); err != nil {
		return err
	}
	return s.each(dc.EQ(l.broadcast(n), r.broadcast(n)), n)
}

func (s *stating) between() *Error {
	v := s.args[0]
	n := v.n()
	s.out.n = n
	lo, hi := make([]float64, n), make([]float64, n)
	for k := range n {
		lo[k], hi[k] = math.Inf(-1), math.Inf(1)
	}
	for _, side := range []struct {
		name string
		a    *wire.Floats
		v    []float64
	}{{"lo", s.c.Lo, lo}, {"hi", s.c.Hi, hi}} {
		if side.a == nil || n == 0 {
			continue
		}
		if err := fit(side.name, side.a.V, n); err != nil {
			return err
		}
		for k := range n {
			side.v[k] = side.a.V[k%len(side.a.V)]
		}
	}
	for k := range n {
		if !(lo[k] <= hi[k]) || math.IsInf(lo[k], 1) || math.IsInf(hi[k], -1) {
			return problemf("entry %d asks for at least %g and at most %g", k, lo[k], hi[k])
		}
	}
	switch {
	case n == 0:
		return nil
	case v.affine():
		c := dc.LE(v.a, dc.Num(0))
		if c.Err() == nil {
			c.Lo, c.Hi = lo, hi
		}
		return s.add(c)
	}
	s.out.form = equations
	for k := range n { // the two halves in the order of an equation
		if !isInf(hi[k]) {
			if err := s.add(dc.LE(v.expr(k), dc.Num(hi[k])), k, 0); err != nil {
				return err
			}
		}
		if !isInf(lo[k]) {
			if err := s.add(dc.GE(v.expr(k), dc.Num(lo[k])), k, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// grouped are the groups of argument a, each with an entry of argument t.
func (s *stating) grouped(t, a int) *Error {
	g, m, err := groups(s.c.Groups, s.args[a].n())
	if err != nil {
		return err
	}
	if s.args[t].n() != g {
		return problemf("%s of %d groups with %d entries beside them", s.c.Kind, g, s.args[t].n())
	}
	s.out.g, s.out.m, s.out.n = g, m, g*(m+1)
	return nil
}

func (s *stating) secondOrder() *Error {
	if err := s.grouped(0, 1); err != nil {
		return err
	}
	t, x := &s.args[0], &s.args[1]
	m := s.out.m
	s.out.form = cones
	if !t.affine() || !x.affine() {
		s.out.form = norms
	}
	for k := range s.out.g {
		var c dc.Constraint
		if s.out.form == cones {
			c = dc.InCone(convex.SecondOrderCone, 0, dc.Stack(t.a.At(k), x.a.Slice(k*m, (k+1)*m)))
		} else {
			c = dc.LE(dc.Norm2(x.a.Slice(k*m, (k+1)*m)), t.expr(k))
		}
		if err := s.add(c, k); err != nil {
			return err
		}
	}
	return nil
}

// triples are cones of three entries, one from each argument.
func (s *stating) triples(kind convex.ConeKind) *Error {
	n := s.args[0].n()
	for i := range s.args {
		if s.args[i].n() != n {
			return problemf("%s of %d, %d and %d entries", s.c.Kind, s.args[0].n(), s.args[1].n(), s.args[2].n())
		}
		if !s.args[i].affine() {
			return s.curved("the arguments of " + s.c.Kind + " must be affine")
		}
	}
	alpha, err := s.alpha(n)
	if err != nil {
		return err
	}
	s.out.form, s.out.g, s.out.m, s.out.n = cones, n, 2, 3*n
	for k := range n {
		x, y, a := s.args[0].a.At(k), s.args[1].a.At(k), 0.0
		if kind == convex.PowerCone {
			x, y, a = s.based(x), s.based(y), alpha[k]
		}
		if err := s.add(dc.InCone(kind, a, dc.Stack(x, y, s.args[2].a.At(k))), k); err != nil {
			return err
		}
	}
	return nil
}

// alpha are n powers.
func (s *stating) alpha(n int) ([]float64, *Error) {
	switch {
	case s.c.Kind == "exp":
		return nil, nil
	case s.c.Alpha == nil:
		return nil, newError(wire.ErrRequest, "a constraint %s without alpha", s.c.Kind)
	case n == 0:
		return nil, nil
	}
	if err := fit("alpha", s.c.Alpha.V, n); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for k := range out {
		if out[k] = s.c.Alpha.V[k%len(s.c.Alpha.V)]; !(out[k] > 0 && out[k] <= 1) || out[k] == 1 && s.c.Kind == "pow" {
			return nil, problemf("alpha %d is %g, want 0 < alpha < 1", k, out[k])
		}
	}
	return out, nil
}

// power is Π W^α ≥ |z| for each group of W. A group of two is a power cone; a longer one
// is a chain of them: W₁ and a variable t₁ above |z|, W₂ and t₂ above t₁, and so on, with
// the multipliers of W and z among the ones of the cones (Chares 2009, Cones and
// interior-point algorithms for structured convex optimization involving powers and
// exponentials).
func (s *stating) power() *Error {
	if err := s.grouped(1, 0); err != nil {
		return err
	}
	w, z, m := &s.args[0], &s.args[1], s.out.m
	if !w.affine() || !z.affine() {
		return s.curved("the arguments of pownd must be affine")
	}
	alpha, err := s.alpha(w.n())
	if err != nil {
		return err
	}
	s.out.form = powers
	for k := range s.out.g {
		part := alpha[k*m : (k+1)*m]
		left := make([]float64, m+1) // the sums of the powers from an entry on
		for j := m - 1; j >= 0; j-- {
			left[j] = left[j+1] + part[j]
		}
		if math.Abs(left[0]-1) > 1e-9 {
			return problemf("the alphas of group %d add up to %g, want 1", k, left[0])
		}
		below := z.a.At(k)
		if m == 1 {
			if err := s.add(dc.LE(below, w.a.At(k)), k, 0); err != nil {
				return err
			}
			if err := s.add(dc.LE(below.Neg(), w.a.At(k)), k, 1); err != nil {
				return err
			}
		}
		for j := range m - 1 {
			rest := s.based(w.a.At(k*m + m - 1))
			if j < m-2 {
				rest = s.link(dc.StartAt(1))
			}
			if err := s.add(dc.InCone(convex.PowerCone, part[j]/left[j], dc.Stack(s.based(w.a.At(k*m+j)), rest, below)),
				k,
				j); err != nil {
				return err
			}
			below = rest
		}
	}
	return nil
}

// based is an argument of a power: a negative number becomes a variable with that value, as
// there is no power of it, but a cone with it, which excludes every point.
func (s *stating) based(a dc.Expr) dc.Expr {
	if l := a.Linear(0); len(l.Idx) == 0 && l.Const < 0 {
		return s.link(dc.AtLeast(l.Const), dc.AtMost(l.Const))
	}
	return a
}

func (s *stating) semidefinite() *Error {
	v, n := &s.args[0], 0
	for n*n < v.n() {
		n++
	}
	switch {
	case n*n != v.n():
		return problemf("psd of %d entries, want a square matrix", v.n())
	case !v.affine():
		return s.curved("the argument of psd must be affine")
	}
	s.out.form, s.out.n, s.out.m = matrices, n*n, n
	if n == 0 {
		return nil
	}
	a := v.a.Reshape(n, n)
	if _, _, ok := dc.IsSymmetric(a); !ok {
		a = a.Add(a.T()).Scale(0.5)
	}
	return s.add(dc.Semidefinite(a))
}
