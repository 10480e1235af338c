package lang

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/program"
)

// constraint compiles a family of constraints.
func (c *compiler) constraint(s *syntax.Statement) {
	ev := c.ev
	f := Family{Name: s.Name, Part: Part{Text: c.f.src.Tree.Text(s.Span), Place: c.f.place(s.Span)}}
	if s.Name == "" {
		f.Name = c.freshName()
	} else if first := c.labels[s.Name]; first != s.At {
		f.Name = c.numbered(s.Name)
		c.warn(&syntax.Node{Span: s.At}, "two constraints are called %s; the first is in line %d, this one is %s",
			s.Name, c.f.src.Tree.Line(first.Pos), f.Name)
	}
	root := s.Whole
	ev.NoteOf(root).Open = len(s.Binders) > 0
	if c.together(s, &f) {
		c.out.Families = append(c.out.Families, f)
		return
	}
	seen := 0
	ev.Loop(root, s.Binders, s.Cond, func() {
		seen++
		index := make([]int, len(ev.Indices))
		for k, b := range ev.Indices {
			index[k] = b.At
		}
		if !c.member(s, root, &f, index) {
			return
		}
		if f.Members++; len(f.Linearised) == 0 && f.Curvature > Convex {
			c.linearisedIn(s, &f.Part)
		}
	})
	if seen == 0 {
		c.warn(root, "%s has no members", f.Name)
	}
	c.out.Families = append(c.out.Families, f)
}

// fewestTogether is from how many members on constraints are evaluated in one batch. Source: as
// many are one object in package dc.
const fewestTogether = 128

// together states a family in one batch; it returns false where that has to be done one by one.
func (c *compiler) together(s *syntax.Statement, f *Family) bool {
	if len(s.Rels) != 1 || s.Rels[0] == syntax.EQ {
		return false
	}
	l, r := s.Args[0], s.Args[1]
	if s.Rels[0] == syntax.GE {
		l, r = r, l
	}
	return c.ev.AtOnce(s.Whole, s.Binders, s.Cond, fewestTogether, func(b *eval.Batch) bool {
		g, ok := b.Constraints(l, r)
		if !ok || !c.model.Program().AddFamily(f.Name, len(c.ev.Indices), b.Index(), g) {
			return false
		}
		f.Members, f.Curvature = b.Len(), Convex
		for _, w := range g.Last().Weights {
			if w[0] < 0 {
				f.Curvature = DC
			}
		}
		if f.Curvature > Convex {
			c.linearisedIn(s, &f.Part)
		}
		return true
	})
}

// freshName is c1, c2, ... for constraints without a name.
func (c *compiler) freshName() string {
	for {
		c.unnamed++
		if name := fmt.Sprintf("c%d", c.unnamed); c.labels[name] == (syntax.Span{}) {
			return name
		}
	}
}

// numbered is a_2, a_3, ... for a constraint with the name of another one.
func (c *compiler) numbered(name string) string {
	for k := 2; ; k++ {
		if out := fmt.Sprintf("%s_%d", name, k); c.labels[out] == (syntax.Span{}) {
			c.labels[out] = syntax.Span{Pos: 1, End: 1}
			return out
		}
	}
}

// member adds the constraints of one member of a family, unless they always
// hold.
func (c *compiler) member(s *syntax.Statement, root *syntax.Node, f *Family, index []int) bool {
	vs, outside := c.sides(s)
	if outside != nil {
		with := c.with(s)
		if outside.Pole && with == "" {
			panic(*outside)
		}
		c.never(root, f, index, dc.LE(dc.Num(1), dc.Num(0)), outside.Message+with)
		return false
	}
	if c.inParts(s, vs) {
		return c.complexMember(s, root, f, index, vs)
	}
	return c.memberOf(s, root, f, index, vs)
}

// memberOf is member with the values of the sides.
func (c *compiler) memberOf(s *syntax.Statement, root *syntax.Node, f *Family, index []int, vs []value.Value) bool {
	ev := c.ev
	shape := ev.Sides(root, s.Args, vs)
	ev.Spend(root, value.Size(shape))
	rels := s.Rels
	if len(rels) == 2 && rels[0] == syntax.GE { // u >= e >= l is l <= e <= u
		slices.Reverse(vs)
		rels = []syntax.Kind{syntax.LE, syntax.LE}
	}
	if !slices.ContainsFunc(vs, func(v value.Value) bool { return v.Curvature() > value.Constant }) {
		c.onData(root, f, index, vs, rels, value.Size(shape))
		return false
	}
	if slices.ContainsFunc(vs, func(v value.Value) bool { return v.HasInf() }) {
		return c.loose(s, root, f, index, vs, shape)
	}
	c.relate(root, f, index, vs, rels, shape, nil)
	return true
}

// alwaysTol is the relative error by which rounding may break a constraint on data.
// Source: derived: rounding of sums of data with some 1e6 terms.
const alwaysTol = 1e-9

// onData checks a constraint without variables. One that holds is left out, one
// that does not makes the problem infeasible.
func (c *compiler) onData(root *syntax.Node, f *Family, index []int, vs []value.Value, rels []syntax.Kind, n int) {
	for k, r := range rels {
		for i := range n {
			a, _ := vs[k].Fixed(min(i, vs[k].Len()-1))
			b, _ := vs[k+1].Fixed(min(i, vs[k+1].Len()-1))
			tol, d := alwaysTol*max(1, math.Abs(a), math.Abs(b)), math.Abs(a-b)
			if a == b || d <= tol && !math.IsInf(d, 1) || r == syntax.LE && a <= b || r == syntax.GE && a >= b {
				continue
			}
			con := dc.LE(dc.Num(a), dc.Num(b))
			if math.IsInf(a, 0) || math.IsInf(b, 0) {
				con = dc.LE(dc.Num(1), dc.Num(0))
			} else if r == syntax.GE || r == syntax.EQ && a < b {
				con = dc.LE(dc.Num(b), dc.Num(a))
			}
			c.never(root, f, index, con, fmt.Sprintf("it says %g %s %g, and no variable occurs%s", a, r, b,
				c.ev.Where()))
			return
		}
	}
}

// sides are the values of the operands of a constraint, good until the next call. outside says that
// a function in it has no value, whatever the variables are.
func (c *compiler) sides(s *syntax.Statement) (vs []value.Value, outside *eval.Mistake) {
	evaluate := func() {
		vs = c.values[:0]
		for range s.Args {
			vs = append(vs, value.Value{})
		}
		c.values = vs
		c.ev.Each(len(vs), func(k int) { vs[k] = c.ev.Side(s.Args[k]) })
	}
	if outside = c.ev.Caught(evaluate); outside != nil && !c.ev.All {
		outside = c.everyMistake(evaluate)
	}
	if outside != nil && !outside.Domain {
		panic(*outside)
	}
	return vs, outside
}

// maxLinearised is how many sub-expressions a Part lists.
// Source: a limit of the length of the output.
const maxLinearised = 20

// linearisedIn lists the linearised sub-expressions of the current member of a
// family.
func (c *compiler) linearisedIn(s *syntax.Statement, part *Part) {
	for k, r := range s.Rels {
		l, u := s.Args[k], s.Args[k+1]
		if r != syntax.GE {
			c.linearised(part, l, 1)
		}
		if r != syntax.LE {
			c.linearised(part, l, -1)
			c.linearised(part, u, 1)
		}
		if r != syntax.GE {
			c.linearised(part, u, -1)
		}
	}
}

// linearised adds the sub-expressions of sign·n that are not convex.
func (c *compiler) linearised(part *Part, n *syntax.Node, sign int) {
	if !c.ev.NoteOf(n).Complex {
		c.linearisedOf(part, n, c.ev.Operand(n), sign)
	} else if p := c.ev.PairOf(n); p.GeneralPart() != nil { // a side of an equation
		part.linearise(c.f.src.Tree.Text(n.Span))
	}
}

// linearise lists a sub-expression.
func (p *Part) linearise(text string) {
	if !slices.Contains(p.Linearised, text) && len(p.Linearised) < maxLinearised {
		p.Linearised = append(p.Linearised, text)
	}
}

// linearisedOf is linearised for a node whose value is known.
func (c *compiler) linearisedOf(part *Part, n *syntax.Node, v value.Value, sign int) {
	ev := c.ev
	cur := v.Curvature()
	if cur <= value.Affine || sign > 0 && cur == value.Convex || sign < 0 && cur == value.Concave ||
		len(part.Linearised) == maxLinearised {
		return
	}
	switch {
	case n.Op == syntax.OpSum:
		for k, a := range n.Args {
			c.linearised(part, a, flip(sign, n.Minus[k]))
		}
		return
	case n.Op == syntax.OpNeg:
		c.linearised(part, n.Args[0], -sign)
		return
	case n.Op == syntax.OpReduce && n.Name == "sum":
		first := true
		ev.Loop(n, n.Binders, n.Cond, func() {
			if first {
				c.linearised(part, n.Args[0], sign)
			}
			first = false
		})
		return
	case n.Op == syntax.OpCall && n.Name == "sum" && v.Len() == 1:
		c.linearised(part, n.Args[0], sign)
		return
	case n.Op == syntax.OpCall && n.Name == "dc":
		if sign > 0 {
			c.linearised(part, n.Args[1], -1)
		} else {
			c.linearised(part, n.Args[0], -1)
		}
		return
	case n.Op == syntax.OpMul || n.Op == syntax.OpDotMul || n.Op == syntax.OpDiv || n.Op == syntax.OpDotDiv:
		for k, other := range []*syntax.Node{n.Args[1], n.Args[0]} {
			if w := ev.Operand(other); w.IsData() && w.Len() == 1 && w.At(0) != 0 {
				c.linearised(part, n.Args[k], flip(sign, w.At(0) < 0))
				return
			}
		}
	}
	text := c.f.src.Tree.Text(n.Span)
	if cur == value.DC {
		text = "part of " + text
	}
	part.linearise(text)
}

func flip(sign int, minus bool) int {
	if minus {
		return -sign
	}
	return sign
}

// inParts reports whether a constraint is one of the real and one of the imaginary parts: of
// a family whose members may be complex all members, so that all have one name.
func (c *compiler) inParts(s *syntax.Statement, vs []value.Value) bool {
	if len(s.Binders) > 0 && s.Rels[0] == syntax.EQ {
		return slices.ContainsFunc(s.Args, func(n *syntax.Node) bool { return c.ev.NoteOf(n).Complex })
	}
	return slices.ContainsFunc(vs, func(v value.Value) bool { return v.Sort == value.ComplexPairs })
}

// complexMember is memberOf where a side is complex: an equation of the real and one of
// the imaginary parts.
func (c *compiler) complexMember(s *syntax.Statement, root *syntax.Node, f *Family, index []int,
	vs []value.Value) bool {
	re, im := make([]value.Value, len(vs)), make([]value.Value, len(vs))
	for k, v := range vs {
		p := v.Parts()
		if s.Rels[0] != syntax.EQ && !p.IsReal() {
			c.ev.NoOrder(s.Args[k])
		}
		re[k], im[k] = p.Re, p.Imag()
	}
	stated := false
	for k, part := range [][]value.Value{re, im} {
		g := *f
		if g.Name = program.RealPart(f.Name); k == 1 {
			g.Name = program.ImagPart(f.Name)
		}
		stated = c.memberOf(s, root, &g, index, part) || stated
		f.Curvature = max(f.Curvature, g.Curvature)
	}
	return stated
}
