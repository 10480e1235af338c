package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// eval is the value of a node.
func (s *scope) eval(n *syntax.Node) value {
	v := s.node(n)
	s.spend(unitsNode)
	if n.Op != syntax.OpName {
		s.hold(len(v.e) - 1)
	}
	return v
}

func (s *scope) node(n *syntax.Node) value {
	switch n.Op {
	case syntax.OpNumber:
		return numeric(n.Num)
	case syntax.OpImaginary:
		return scalar(complexOf(number(0), number(n.Num)))
	case syntax.OpString:
		return value{word: n.Name}
	case syntax.OpName:
		v, ok := s.names[n.Name]
		if !ok {
			safe.Fail("%s is not known", n.Name)
		}
		return v
	case syntax.OpIndex:
		return s.index(n)
	case syntax.OpRange:
		a, b := s.eval(n.Args[0]), s.eval(n.Args[1])
		out := value{isSet: true}
		lo, hi := a.whole("a range"), b.whole("a range")
		s.spend(size([]int{max(0, hi-lo+1)}))
		for k := lo; k <= hi; k++ {
			out.set = append(out.set, member{k})
		}
		return out
	case syntax.OpCall:
		return s.call(n)
	case syntax.OpReduce:
		return s.reduce(n)
	case syntax.OpSum:
		vs, ws := make([]value, len(n.Args)), make([]float64, len(n.Args))
		for k, a := range n.Args {
			if vs[k], ws[k] = s.plain(a), 1; n.Minus != nil && n.Minus[k] {
				ws[k] = -1
			}
		}
		return s.sum(vs, ws)
	case syntax.OpMul:
		out := s.plain(n.Args[0])
		for _, a := range n.Args[1:] {
			v := s.plain(a)
			if _, p := v.matrix(); !out.isScalar() && !v.isScalar() {
				s.spend(len(out.e) * p)
			}
			out = times(out, v)
		}
		return out
	case syntax.OpDotMul:
		return pair(s.plain(n.Args[0]), s.plain(n.Args[1]), product)
	case syntax.OpDiv, syntax.OpDotDiv:
		return pair(s.plain(n.Args[0]), s.plain(n.Args[1]), s.quotient)
	case syntax.OpPower:
		return pair(s.plain(n.Args[0]), s.plain(n.Args[1]), func(a, p *expr) *expr {
			counts := func(t weighted) bool { return t.w != safe.Just(0) }
			if s := p.summands(); s.affine && !slices.ContainsFunc(s.terms, counts) { // its variables cancel
				p = number(s.c.Mid())
			}
			if !p.isConst() {
				return ofCurve(safe.Exp, 0, product(p, ofCurve(safe.Log, 0, a)))
			}
			return raised(a, p.num)
		})
	case syntax.OpNeg:
		return s.plain(n.Args[0]).each(func(e *expr) *expr { return scaled(-1, e) })
	case syntax.OpTrans:
		return transpose(s.plain(n.Args[0]))
	case syntax.OpLiteral:
		return s.literal(n)
	case syntax.OpMembers:
		out := value{isSet: true}
		for _, a := range n.Args {
			if a.Op == syntax.OpRange || a.Op == syntax.OpName && s.names[a.Name].isSet {
				out.set = append(out.set, s.eval(a).set...)
				continue
			}
			out.set = append(out.set, s.asMember(a))
		}
		return out
	case syntax.OpFilter:
		out := value{isSet: true}
		s.over(n.Binders, n.Cond, func(at []member, _ []int) { out.set = append(out.set, slices.Concat(at...)) })
		return out
	case syntax.OpTuple:
		return value{word: s.asMember(n)}
	case syntax.OpChoice:
		if s.truth(n.Cond) {
			return s.eval(n.Args[0])
		}
		return s.eval(n.Args[1])
	case syntax.OpCompare, syntax.OpAnd, syntax.OpOr, syntax.OpNot, syntax.OpIn:
		if s.truth(n) {
			return numeric(1)
		}
		return numeric(0)
	}
	safe.Fail("an expression of a kind that verify does not know")
	return value{}
}

// plain is a value of numbers: a set of numbers is the vector of them.
func (s *scope) plain(n *syntax.Node) value {
	v := s.eval(n)
	if v.word != nil {
		safe.Fail("a word stands where a number is wanted")
	}
	if !v.isSet {
		return v
	}
	es := make([]*expr, len(v.set))
	for k, m := range v.set {
		x, ok := m[0].(int)
		if !ok || len(m) != 1 {
			safe.Fail("a set of words stands where numbers are wanted")
		}
		es[k] = number(float64(x))
	}
	return vector(es)
}

// quotient is a/b. The sign of b is not known before all bounds are, see signs.
func (s *scope) quotient(a, b *expr) *expr {
	switch {
	case b.isComplex():
		size := sum2(1, product(re(b), re(b)), 1, product(im(b), im(b)))
		return s.quotient(product(a, conj(b)), size)
	case a.isComplex():
		return complexOf(s.quotient(re(a), b), s.quotient(im(a), b))
	case b.isConst() && a.isConst():
		return number(a.num / b.num)
	case b.isConst() && b.num < 0:
		return s.quotient(scaled(-1, a), number(-b.num))
	}
	q := &expr{op: opPower, num: -1, args: []*expr{b}}
	if b.isConst() {
		return &expr{op: opMul, args: []*expr{a, q}}
	}
	s.quotients = append(s.quotients, q)
	return product(a, q)
}

// signs makes 1/b of a negative denominator b into −1/(−b), as powers below 0 are of positive
// numbers, and b/b² without a known sign. The sign follows from bounds and from constraints of one
// variable.
func (s *scope) signs() {
	box := slices.Clone(s.p.box)
	for _, r := range s.p.rows {
		if coefs, c, ok := affine(r.e); ok && len(coefs) == 1 {
			for j, v := range coefs {
				if in := box[j].Meet(r.sides.Less(c).Over(v)); !in.Empty() {
					box[j] = in
				}
			}
		}
	}
	f := newFlat(s.p.n, box)
	for _, q := range s.quotients { // those within others come first
		l, err := f.try(q.args[0])
		switch a := f.reach(l); {
		case err != nil || a.Lo < 0 && a.Hi > 0:
			*q = *product(q.args[0], raised(product(q.args[0], q.args[0]), -1))
		case a.Lo < 0:
			*q = *scaled(-1, raised(scaled(-1, q.args[0]), -1))
		}
	}
}

// index is base[args].
func (s *scope) index(n *syntax.Node) value {
	base, args := s.eval(n.Args[0]), n.Args[1:]
	if base.isSet {
		base = s.plain(n.Args[0])
	}
	var places [][]int // of each dimension
	var keep []bool
	var axes []axis
	for d := range base.shape {
		a := base.axes[d]
		width := 1
		if len(a.members) > 0 {
			width = len(a.members[0])
		}
		if len(args) < width {
			safe.Fail("an array has too few indices")
		}
		p, slice, left := s.along(args[:width], a, base.shape[d])
		args = args[width:]
		places, keep, axes = append(places, p), append(keep, slice), append(axes, left)
	}
	if len(args) > 0 {
		safe.Fail("an array has too many indices")
	}
	flat := []int{0}
	var shape []int
	var kept []axis
	for d, p := range places {
		next := make([]int, 0, len(flat)*len(p))
		for _, f := range flat {
			for _, i := range p {
				next = append(next, f*base.shape[d]+i)
			}
		}
		flat = next
		if keep[d] {
			shape, kept = append(shape, len(p)), append(kept, axes[d])
		}
	}
	es := make([]*expr, len(flat))
	for k, f := range flat {
		es[k] = base.e[f]
	}
	return value{shape: shape, axes: kept, e: es}
}

// along is the places that indices choose in a dimension, and whether they are a slice.
func (s *scope) along(args []*syntax.Node, a axis, n int) (places []int, slice bool, left axis) {
	find := func(m member) int {
		if a.members == nil {
			x, ok := m[0].(int)
			if !ok || len(m) != 1 || x < a.origin || x >= a.origin+n {
				safe.Fail("the index %v is out of range", m)
			}
			return x - a.origin
		}
		s.spend(len(a.members) / 8)
		k := slices.IndexFunc(a.members, m.equal)
		if k < 0 {
			safe.Fail("%v is no member", m)
		}
		return k
	}
	left.origin = 1
	if len(args) == 1 {
		if args[0].Op == syntax.OpAll {
			for i := range n {
				places = append(places, i)
			}
			return places, true, a
		}
		v := s.eval(args[0])
		if v.isSet || v.word == nil && len(v.shape) > 0 {
			for _, m := range s.asSet(v, "an index").set {
				places = append(places, find(m))
			}
			return places, true, left
		}
		return []int{find(s.asMember(args[0]))}, false, left
	}
	// The parts of a member: those with : are free.
	want := make([]member, len(args))
	free := false
	for k, arg := range args {
		if arg.Op == syntax.OpAll {
			free = true
			continue
		}
		want[k] = s.asMember(arg)
	}
	if !free {
		return []int{find(slices.Concat(want...))}, false, left
	}
	for i, m := range a.members {
		ok := true
		for k, w := range want {
			ok = ok && (w == nil || w[0] == m[k])
		}
		if ok {
			places = append(places, i)
		}
	}
	return places, true, left
}

// reduce is a sum, maximum or minimum over indices.
func (s *scope) reduce(n *syntax.Node) value {
	var vs []value
	s.over(n.Binders, n.Cond, func([]member, []int) { vs = append(vs, s.plain(n.Args[0])) })
	if len(vs) == 0 {
		if n.Name != "sum" {
			safe.Fail("%s of nothing", n.Name)
		}
		return numeric(0)
	}
	if n.Name != "sum" {
		return s.fold(n.Name, vs)
	}
	return s.sum(vs, slices.Repeat([]float64{1}, len(vs)))
}

// sum is a sum entry by entry. That of sums has a list of its own.
func (s *scope) sum(vs []value, ws []float64) value {
	return together(vs, func(es []*expr) *expr {
		e := total(es, ws)
		s.spend(unitsNode * len(e.args))
		return e
	})
}

// total is a sum that is a number where all terms with a weight are.
func total(es []*expr, ws []float64) *expr {
	c, off, size, exact := 0.0, 0.0, 0.0, len(es) < 2
	for k, e := range es {
		switch {
		case e.isConst():
			v := ws[k] * e.num
			c, off, size = c+v, off+math.Abs(ws[k])*e.off, size+math.Abs(v)
			exact = exact && math.Abs(ws[k]) == 1
		case ws[k] != 0:
			return sumOf(es, ws)
		}
	}
	if !exact {
		off += rounding(len(es)) * size
	}
	return computed(c, off)
}

// fold is the maximum or minimum entry by entry.
func (s *scope) fold(name string, vs []value) value {
	sign := 1.0
	if name == "min" {
		sign = -1
	}
	return together(vs, func(es []*expr) *expr {
		for i, e := range es {
			es[i] = scaled(sign, e)
		}
		return scaled(sign, largest(es))
	})
}

func largest(es []*expr) *expr {
	c, off := math.Inf(-1), 0.0
	for _, e := range es {
		if !e.isConst() {
			if len(es) == 1 {
				return es[0]
			}
			return folded(&expr{op: opMax, args: es})
		}
		c, off = max(c, e.num), max(off, e.off)
	}
	return computed(c, off)
}
