package lang

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Explanation says what a compilation knows of an expression or a constraint.
type Explanation struct {
	Text       string // on one line
	Start, End int    // where it stands in File.Source, in bytes
	// Indices are the values of the indices around it for which the rest holds, those
	// of the first member; empty: there are none.
	Indices string
	Shape   []int
	// Data: no variable occurs in it. Values are its entries, in row-major order, at
	// most 12 of them.
	Data   bool
	Values []float64
	// Other is the value of what is no number: a set, a word, a condition; else empty.
	Other     string
	Curvature Curvature // of all entries together
	// Lo and Hi bound the entries, by the bounds of the variables; NaN of values that
	// are no numbers and of arrays with too many entries.
	Lo, Hi float64
	// Convex and Concave are the parts whose sum it is, neither where it is affine. The
	// concave ones are linearised where the sum is minimised or bounded from above, the
	// convex ones where it is maximised or bounded from below.
	Convex, Concave []string
	// Family is the constraint, nil of expressions. Shape, range and split are then of the left
	// side minus the right one, of the middle of l <= e <= u.
	Family *Family
	// Depth is how many expressions of Explained.Parts are around it.
	Depth int
}

// Explained has the expressions of a statement in which variables occur, each before those in it.
type Explained struct {
	Name  string // of the constraint or the let; "objective"
	Parts []Explanation
}

// The sizes of what an Explanation says.
// Source: limits of the length of a note beside a cursor.
const (
	mostValues  = 12
	mostRanged  = 4096 // entries whose ranges are joined
	mostMembers = 12   // of a set
)

// Explain says what the innermost expression around an offset of File.Source, in bytes, is, or the
// constraint where the offset is at its name or relation.
// Statements may have mistakes; of those after it, the bounds count that constraints of one
// variable give it. It is nil where
// there is no expression, or none with a value. The error is ctx.Err().
func Explain(ctx context.Context, f *File, opt Options, offset int) (*Explanation, error) {
	c, err := explaining(ctx, f, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range f.src.Tree.Statements {
		before := len(c.out.Families)
		c.compile(s)
		if c.ended {
			return nil, ctx.Err()
		}
		if s.Pos > offset || offset > s.End {
			continue
		}
		out := c.explain(s, offset)
		if out == nil && len(c.out.Families) > before {
			out = c.explainConstraint(s, &c.out.Families[before])
		}
		if c.ended {
			return nil, ctx.Err()
		}
		if out != nil {
			return out, nil
		}
	}
	return nil, nil
}

// explaining is a compiler that has seen all statements once, for a second pass over them that
// counts the bounds which constraints give. The error is ctx.Err().
func explaining(ctx context.Context, f *File, opt Options) (*compiler, error) {
	c := newCompiler(ctx, f, opt, eval.DefaultLimits(), dc.NewModel())
	if err := c.statements(ctx); err != nil {
		return nil, err
	}
	m, ok := c.model.Again()
	if !ok {
		m = dc.NewModel()
	}
	return c.again(m), nil
}

// ExplainAll explains the expressions of the objective, of all constraints and of the lets, those
// inside of loops for the first member. Statements with mistakes are left out. The error is
// ctx.Err().
func ExplainAll(ctx context.Context, f *File, opt Options) (all []Explained, err error) {
	c, err := explaining(ctx, f, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range f.src.Tree.Statements {
		before := len(c.out.Families)
		c.compile(s)
		out := Explained{Name: s.Name}
		switch {
		case s.Verb == syntax.Minimize || s.Verb == syntax.Maximize:
			out.Name = "objective"
		case len(c.out.Families) > before:
			out.Name = c.out.Families[before].Name
		case s.Verb != syntax.Let:
			continue
		}
		if c.resolve(s) {
			for _, n := range append([]*syntax.Node{s.Value}, s.Args...) {
				out.Parts = c.explainUnder(out.Parts, []*syntax.Node{n}, 0, s.Binders, s.Cond)
			}
		}
		if c.ended {
			return nil, ctx.Err()
		}
		if len(out.Parts) > 0 {
			all = append(all, out)
		}
	}
	return all, nil
}

// explainUnder appends the last node of a path, if variables occur in it, and the nodes in it.
func (c *compiler) explainUnder(
	to []Explanation, path []*syntax.Node, depth int, bs []syntax.Binder, cond *syntax.Node,
) []Explanation {
	n := path[len(path)-1]
	if n == nil || c.ended {
		return to
	}
	var e *Explanation
	c.ev.Forget()
	c.first(func() { c.under(path, bs, cond, func(n *syntax.Node) { e = c.explanation(n) }) })
	if e == nil || e.Data {
		return to
	}
	e.Depth = depth
	to = append(to, *e)
	if n.Op == syntax.OpIndex {
		return to
	}
	for _, a := range n.Args {
		to = c.explainUnder(to, append(path[:len(path):len(path)], a), depth+1, bs, cond)
	}
	return to
}

// pathTo are the nodes around an offset, from the outermost to the innermost.
func pathTo(n *syntax.Node, offset int, path []*syntax.Node) []*syntax.Node {
	if offset < n.Pos || offset > n.End {
		return path
	}
	path = append(path, n)
	deepest := path
	n.Each(func(a *syntax.Node) {
		if p := pathTo(a, offset, path[:len(path):len(path)]); len(p) > len(deepest) {
			deepest = p
		}
	})
	return deepest
}

// explain finds the expression of a statement and evaluates it for the first values of
// the indices around it.
func (c *compiler) explain(s *syntax.Statement, offset int) (out *Explanation) {
	if sym := c.ev.Names[s.Name]; s.Verb <= syntax.Let && s.At.Pos <= offset && offset <= s.At.End && sym != nil &&
		!sym.Bad && sym.At == s.At {
		c.first(func() { out = c.explanation(&syntax.Node{Span: s.At, Op: syntax.OpName, Name: s.Name}) })
		return out
	}
	if !c.resolve(s) { // functions are bound only where all names are known
		return nil
	}
	var path []*syntax.Node
	var binders []syntax.Binder
	var cond *syntax.Node
	s.Scoped(func(n *syntax.Node, reach []syntax.Binder) {
		if p := pathTo(n, offset, nil); len(p) > len(path) && (s.Verb != syntax.Option || s.Name != "backend") {
			path, binders, cond = p, reach, condOf(s.Cond, n, len(reach) == len(s.Binders))
		}
	})
	for k := len(path) - 1; k >= 0 && out == nil && !c.ended; k-- {
		c.ev.Forget()
		c.first(func() {
			c.under(path[:k+1], binders, cond, func(n *syntax.Node) { out = c.explanation(n) })
		})
	}
	return out
}

// explainConstraint explains the first member of a family.
func (c *compiler) explainConstraint(s *syntax.Statement, f *Family) (out *Explanation) {
	n := &syntax.Node{Span: s.Span, Op: syntax.OpSum, Args: s.Args, Minus: []bool{false, true}}
	if len(s.Rels) > 1 {
		n = s.Args[1]
	}
	c.ev.Forget()
	c.first(func() { c.under([]*syntax.Node{n}, s.Binders, s.Cond, func(n *syntax.Node) { out = c.explanation(n) }) })
	if out != nil {
		out.Text, out.Start, out.End, out.Family = c.f.src.Tree.Short(s.Span), s.Pos, s.End, f
		out.Curvature = f.Curvature
	}
	return out
}

// seen unwinds a loop of which the first member is enough.
type seen struct{}

// first runs f until it panics with seen, a mistake, or the end of the context.
func (c *compiler) first(f func()) {
	at := c.ev.Depth()
	defer func() {
		r := recover()
		c.ev.Unwind(at)
		switch r.(type) {
		case nil, seen, eval.Mistake:
		default:
			if c.ended = r == eval.ErrEnded; !c.ended {
				panic(r)
			}
		}
	}()
	f()
}

// under runs f on the last node of a path, within the first values of all indices around.
func (c *compiler) under(path []*syntax.Node, bs []syntax.Binder, cond *syntax.Node, f func(*syntax.Node)) {
	n := path[0]
	c.ev.Loop(n, bs, cond, func() {
		if len(path) == 1 {
			f(n)
			panic(seen{})
		}
		var bs []syntax.Binder
		var cond *syntax.Node
		n.Scoped(func(part *syntax.Node, reach []syntax.Binder) {
			if part == path[1] && len(n.Binders) > 0 {
				bs, cond = reach, condOf(n.Cond, part, len(reach) == len(n.Binders))
			}
		})
		c.under(path[1:], bs, cond, f)
	})
}

// condOf is the condition under which a part is evaluated: of those within all indices but itself.
func condOf(cond, part *syntax.Node, within bool) *syntax.Node {
	if !within || part == cond {
		return nil
	}
	return cond
}

// explanation is of a node at the present values of the indices.
func (c *compiler) explanation(n *syntax.Node) *Explanation {
	ev := c.ev
	v := ev.Eval(n)
	e := &Explanation{Text: c.f.src.Tree.Short(n.Span), Start: n.Pos, End: n.End, Shape: v.Shape, Data: true,
		Indices: ev.At(), Lo: math.NaN(), Hi: math.NaN()}
	switch v.Sort {
	case value.Truth:
		e.Other = fmt.Sprint(v.X != 0)
	case value.Text:
		e.Other = syntax.Quoted(v.More.Str)
	case value.Members:
		e.Other = brief(v.More.Set)
	case value.SparseNumbers:
		e.Other = "sparse"
	case value.ComplexPairs:
		if p := v.Parts(); p.IsData() {
			e.Other = fmt.Sprintf("%g", firstOf(&p))
		} else {
			e.Data, e.Curvature = false, Curvature(p.Curvature())
		}
	case value.Numbers:
		e.Values = slices.Clone(v.Numbers()[:min(v.Len(), mostValues)])
		if v.Len() > 0 {
			e.Lo, e.Hi = slices.Min(v.Numbers()), slices.Max(v.Numbers())
		}
	default:
		c.explainFunctions(e, n, v)
	}
	return e
}

// explainFunctions fills an explanation of real functions of the variables.
func (c *compiler) explainFunctions(e *Explanation, n *syntax.Node, v value.Value) {
	e.Data = false
	e.Curvature = Curvature(v.Curvature())
	if v.Len() <= mostRanged {
		for k := range v.Len() {
			r := v.Expr(k).Range()
			if k == 0 {
				e.Lo, e.Hi = r.Lo, r.Hi
			}
			e.Lo, e.Hi = min(e.Lo, r.Lo), max(e.Hi, r.Hi)
		}
	}
	if e.Curvature > Affine {
		var convex, concave Part
		c.linearisedOf(&convex, n, v, -1)
		c.linearisedOf(&concave, n, v, 1)
		e.Convex, e.Concave = convex.Linearised, concave.Linearised
	}
}

// brief is the members of a set in braces, the first ones where there are many.
func brief(s *value.Set) string {
	var parts []string
	for k := range s.List {
		if k == mostMembers {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, s.List[k].Text(s.Width))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// firstOf are the first entries of complex data.
func firstOf(p *value.Pair) (out []complex128) {
	im := p.Imag()
	for k := range min(p.Re.Len(), mostValues) {
		out = append(out, complex(p.Re.At(k), im.At(k)))
	}
	return out
}
