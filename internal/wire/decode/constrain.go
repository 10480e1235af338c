package decode

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

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
func (b *builder) constrain(k int) *Error {
	c := &b.g.Constraints[k]
	s := &stating{builder: b, k: k, c: c, out: constraint{family: b.family(k), offset: b.p.Multipliers}}
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
	b.p.families[s.out.family] = k
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
	"le":      {1, 2, true, func(s *stating) *Error { return s.compare(dc.LE, 1) }},
	"eq":      {1, 2, false, func(s *stating) *Error { return s.compare(dc.EQ, 2) }},
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

// add states constraints under the family's name; put is that of a part.
func (s *stating) add(c dc.Constraint, put func(dst, y, x []float64), index ...int) *Error {
	if err := c.Err(); err != nil {
		return s.curved(cause(err))
	}
	s.out.parts = append(s.out.parts, part{s.m.SubjectTo(c.Named(s.out.family, index...)), put})
	return nil
}

// to puts one multiplier times a factor to the others at k.
func to(k int, factor float64) func(dst, y, x []float64) {
	return func(dst, y, _ []float64) { dst[k] += factor * y[0] }
}

// curved is a constraint that dc refuses.
func (s *stating) curved(text string) *Error {
	err := newError(wire.ErrCurvature, "%s", text)
	for i, a := range s.c.Args {
		err.Notes = append(err.Notes, wire.Note{Node: a, Name: s.nameOf(a), Text: s.args[i].curvature()})
	}
	return err
}

// compare states l ≤ r or l = r. An entry that is not affine is so many constraints of dc.
func (s *stating) compare(relate func(l, r dc.Expr) dc.Constraint, each int) *Error {
	l, r, n, err := s.both()
	if err != nil {
		return err
	}
	s.out.n = n
	affine := l.affine() && r.affine()
	switch {
	case n == 0:
		return nil
	case finite(l.data) >= 0 || finite(r.data) >= 0: // of ≤ alone
		return s.oneSided(l, r, n)
	case !affine:
		if err := s.spend(n, each*(l.terms+r.terms)); err != nil {
			return err
		}
	}
	c := relate(l.broadcast(n), r.broadcast(n))
	if n == 1 && !affine {
		return s.add(c, nil, 0)
	}
	return s.add(c, nil)
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
		return s.add(c, nil)
	}
	for _, k := range kept {
		if err := s.add(dc.LE(l.expr(k), r.expr(k)), to(k, 1), k); err != nil {
			return err
		}
	}
	return nil
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
		return s.add(c, nil)
	}
	for k := range n { // the two halves in the order of an equation
		if !isInf(hi[k]) {
			if err := s.add(dc.LE(v.expr(k), dc.Num(hi[k])), to(k, 1), k, 0); err != nil {
				return err
			}
		}
		if !isInf(lo[k]) {
			if err := s.add(dc.GE(v.expr(k), dc.Num(lo[k])), to(k, -1), k, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// grouped are the groups of argument a, g of m entries, each with an entry of argument t.
func (s *stating) grouped(t, a int) (g, m int, err *Error) {
	if g, m, err = groups(s.c.Groups, s.args[a].n()); err == nil && s.args[t].n() != g {
		err = problemf("%s of %d groups with %d entries beside them", s.c.Kind, g, s.args[t].n())
	}
	s.out.n = g * (m + 1)
	return g, m, err
}

func (s *stating) secondOrder() *Error {
	g, m, err := s.grouped(0, 1)
	if err != nil {
		return err
	}
	t, x := &s.args[0], &s.args[1]
	for k := range g {
		u := x.a.Slice(k*m, (k+1)*m)
		rest := func(dst []float64) []float64 { return dst[g+k*m : g+(k+1)*m] }
		if t.affine() && x.affine() {
			err = s.add(dc.InCone(convex.SecondOrderCone, 0, dc.Stack(t.a.At(k), u)), func(dst, y, _ []float64) {
				dst[k] = y[0]
				copy(rest(dst), y[1:])
			}, k)
		} else {
			err = s.add(dc.LE(dc.Norm2(u), t.expr(k)), func(dst, y, x []float64) {
				dst[k] = y[0]
				at := u.Values(x)
				if size := floats.Norm(at, 2); size > 0 {
					floats.ScaleTo(rest(dst), -y[0]/size, at)
				}
			}, k)
		}
		if err != nil {
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
	s.out.n = 3 * n
	for k := range n {
		spread := func(dst, y, _ []float64) { dst[k], dst[n+k], dst[2*n+k] = y[0], y[1], y[2] }
		x, y, a := s.args[0].a.At(k), s.args[1].a.At(k), 0.0
		if kind == convex.PowerCone {
			x, y, a = s.based(x), s.based(y), alpha[k]
		}
		if err := s.add(dc.InCone(kind, a, dc.Stack(x, y, s.args[2].a.At(k))), spread, k); err != nil {
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
	g, m, err := s.grouped(1, 0)
	if err != nil {
		return err
	}
	w, z := &s.args[0], &s.args[1]
	if !w.affine() || !z.affine() {
		return s.curved("the arguments of pownd must be affine")
	}
	alpha, err := s.alpha(w.n())
	if err != nil {
		return err
	}
	for k := range g {
		part := alpha[k*m : (k+1)*m]
		left := make([]float64, m+1) // the sums of the powers from an entry on
		for j := m - 1; j >= 0; j-- {
			left[j] = left[j+1] + part[j]
		}
		if math.Abs(left[0]-1) > 1e-9 {
			return problemf("the alphas of group %d add up to %g, want 1", k, left[0])
		}
		below, at := z.a.At(k), m*g+k // and the place of its multiplier
		for side, sign := range []float64{1, -1} {
			if m > 1 {
				break
			}
			if err := s.add(dc.LE(below.Scale(sign), w.a.At(k)), func(dst, y, _ []float64) { // sign z ≤ W
				dst[k] += y[0]
				dst[at] -= sign * y[0]
			}, k, side); err != nil {
				return err
			}
		}
		for j := range m - 1 {
			rest := s.based(w.a.At(k*m + m - 1))
			if j < m-2 {
				rest = s.link(dc.StartAt(1))
			}
			c := dc.InCone(convex.PowerCone, part[j]/left[j], dc.Stack(s.based(w.a.At(k*m+j)), rest, below))
			if err := s.add(c, func(dst, y, _ []float64) {
				dst[k*m+j] = y[0]
				if j == m-2 {
					dst[k*m+j+1] = y[1]
				}
				if j == 0 {
					dst[at] = y[2]
				}
			}, k, j); err != nil {
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
	s.out.n = n * n
	if n == 0 {
		return nil
	}
	a := v.a.Reshape(n, n)
	if _, _, ok := dc.IsSymmetric(a); !ok {
		a = a.Add(a.T()).Scale(0.5)
	}
	return s.add(dc.Semidefinite(a), nil)
}
