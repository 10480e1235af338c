package eval

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/convex"
)

// linear is the affine part of the sum that began at m, in the accumulator's
// room.
func (ev *Evaluator) linear(n *syntax.Node, m value.Mark) convex.Linear {
	a := &ev.sums
	idx, val := a.Idx[m.Coefs:], a.Val[m.Coefs:]
	sum, last, ordered := a.C-a.C, -1, true
	for k, v := range val {
		sum += v - v
		ordered = ordered && v != 0 && idx[k] > last
		last = idx[k]
	}
	ev.Spend(n, UnitsCoeff*len(idx))
	switch {
	case sum != 0 && len(idx) == 0:
		ev.infinite(n, a.C)
	case sum != 0:
		if ev.mentionsInf(n) {
			ev.MisplacedInf(n)
		}
		ev.Fail(n, "", "a coefficient is not finite")
	case ordered:
		return ev.Model.Own(convex.Linear{Idx: idx, Val: val, Const: a.C}.WithConstSize(a.Size))
	}
	return ev.Model.Own(convex.NewLinear(idx, val, a.C).WithConstSize(a.Size))
}

// total is the value of the sum that began at m and ends here.
func (ev *Evaluator) total(n *syntax.Node, m value.Mark) value.Value {
	a := &ev.sums
	terms := a.Terms[m.Terms:]
	if len(terms) == 0 {
		l := ev.linear(n, m)
		a.BackTo(m)
		if len(l.Idx) == 0 {
			return value.Number(l.Const)
		}
		return value.FromLinear(ev.kept(l))
	}
	if a.C != 0 || len(a.Idx) > m.Coefs {
		l := ev.linear(n, m)
		scalar := value.Number(l.Const)
		if len(l.Idx) > 0 {
			scalar = value.FromLinear(ev.kept(l))
		}
		a.Terms = append(a.Terms, value.Summand{W: 1, V: scalar, At: n})
		terms = a.Terms[m.Terms:]
	}
	v := ev.Weighted(n, terms)
	a.BackTo(m)
	return v
}

// kept is l with memory of its own. Functions of the same variables that follow one another, as
// samples with all their features do, share the list of these.
func (ev *Evaluator) kept(l convex.Linear) convex.Linear {
	if !slices.Equal(l.Idx, ev.variables) {
		ev.variables = slices.Clip(slices.Clone(l.Idx))
	}
	l.Idx, l.Val = ev.variables, slices.Clone(l.Val)
	return l
}

// Weighted is the sum of arrays and expressions.
func (ev *Evaluator) Weighted(n *syntax.Node, terms []value.Summand) value.Value {
	if len(terms) > 1 {
		for k := range terms {
			terms[k].V = ev.Dense(terms[k].At, terms[k].V)
		}
	}
	switch {
	case len(terms) == 1:
		ev.finiteWeight(n, &terms[0])
		return ev.Scale(n, terms[0].W, terms[0].V)
	case len(terms) == 2 && terms[0].W == 1 && terms[1].W*terms[1].W == 1:
		if v, ok := ev.pair(n, &terms[0].V, &terms[1].V, terms[1].W < 0); ok {
			return v
		}
	}
	vs, nodes := make([]value.Value, len(terms)), make([]*syntax.Node, len(terms))
	top, all := value.Numbers, value.Cost{}
	for k := range terms {
		vs[k], nodes[k] = terms[k].V, terms[k].At
		ev.finiteWeight(n, &terms[k])
		top, all = max(top, vs[k].Sort), all.Plus(vs[k].Costs())
	}
	shape := ev.Common(n, nodes, vs)
	size := value.Size(shape)
	ev.Spend(n, size*len(terms))
	switch top {
	case value.Numbers:
		out := make([]float64, size)
		for k := range terms {
			for i := range out {
				out[i] += terms[k].W * vs[k].At(min(i, vs[k].Len()-1))
			}
		}
		return ev.Finite(n, value.Array(shape, out))
	}
	parts := make([]dc.Expr, len(terms))
	for k := range terms {
		if parts[k] = vs[k].Function(); terms[k].W != 1 {
			parts[k] = parts[k].Scale(terms[k].W)
		}
	}
	if top == value.AffineFunctions {
		return ev.Sound(n, parts[0].Add(parts[1:]...))
	}
	ev.Spend(n, min(all.Weight+all.Parts, 1<<20))
	if len(shape) > 0 {
		return value.FromExpr(parts[0].Add(parts[1:]...), all)
	}
	return value.FromExpr(ev.Combine(n, "sum", parts), all)
}

// finiteWeight refuses an infinite multiple of variables.
func (ev *Evaluator) finiteWeight(n *syntax.Node, t *value.Summand) {
	if t.W-t.W != 0 && t.V.Sort != value.Numbers {
		ev.MisplacedInf(n)
	}
}

// pair is the sum or difference of two affine arrays of one shape.
func (ev *Evaluator) pair(n *syntax.Node, a, b *value.Value, minus bool) (v value.Value, ok bool) {
	if max(a.Sort, b.Sort) != value.AffineFunctions || !slices.Equal(a.Shape, b.Shape) || a.HasInf() || b.HasInf() {
		return v, false
	}
	ev.Spend(n, 2*a.Len())
	if minus {
		return ev.Sound(n, a.Function().Sub(b.Function())), true
	}
	return ev.Sound(n, a.Function().Add(b.Function())), true
}

// Scale is w·v, entries counted from 1.
func (ev *Evaluator) Scale(n *syntax.Node, w float64, v value.Value) value.Value {
	if w == 1 {
		return v.CountFrom(nil)
	}
	if v.Sort == value.SparseNumbers {
		ev.Spend(n, len(v.More.Sparse.Val))
		return value.SparseOf(v.Shape, v.More.Sparse.Scaled(w))
	}
	ev.Spend(n, v.Len())
	switch v.Sort {
	case value.AffineFunctions:
		if v.Fn == nil {
			ev.Spend(n, UnitsCoeff*len(v.Lin.Idx))
			return value.FromLinear(v.Lin.Scale(w))
		}
		return ev.Sound(n, v.Fn.Scale(w))
	case value.Expressions:
		return value.FromExpr(v.Fn.Scale(w), v.Cost)
	}
	return ev.EachNumber(n, v, func(x float64) float64 { return w * x })
}

// EachNumber applies f to every number.
func (ev *Evaluator) EachNumber(n *syntax.Node, v value.Value, f func(float64) float64) value.Value {
	if v.Scalar() {
		return ev.Finite(n, value.Number(f(v.X)))
	}
	ev.Spend(n, v.Len())
	out := make([]float64, len(v.Num))
	for k, x := range v.Num {
		out[k] = f(x)
	}
	return ev.Finite(n, value.Array(v.Shape, out))
}

// AddUp is the sum of all entries.
func (ev *Evaluator) AddUp(n *syntax.Node, v value.Value) value.Value {
	ev.Spend(n, v.Len()+v.Costs().Weight)
	switch v.Sort {
	case value.AffineFunctions:
		return ev.Sound(n, v.Function().Sum())
	case value.Expressions:
		return value.FromExpr(ev.Combine(n, "sum", []dc.Expr{*v.Fn}), v.Cost)
	}
	s := 0.0
	for _, x := range v.Numbers() {
		s += x
	}
	return ev.Finite(n, value.Number(s))
}

// Fold is the max or min, entry by entry, of values of one shape.
func (ev *Evaluator) Fold(n *syntax.Node, name string, vs []value.Value) value.Value {
	shape, top, most, lifted := vs[0].Shape, value.Numbers, value.Cost{}, false
	for k := range vs {
		top, most = max(top, vs[k].Sort), most.Over(vs[k].Costs())
		lifted = lifted || vs[k].Curvature() > value.Convex
	}
	size := value.Size(shape)
	ev.Spend(n, size*len(vs))
	ev.noInf(n, vs)
	if top == value.Numbers {
		return ev.foldNumbers(n, name, vs)
	}
	most = ev.maximum(n, len(vs), lifted, most)
	es, parts := make([]dc.Expr, size), make([]dc.Expr, len(vs))
	for i := range es {
		for k := range vs {
			parts[k] = vs[k].Expr(i)
		}
		es[i] = ev.Combine(n, name, parts)
	}
	return value.FromExprs(shape, es, most)
}

// maximum is the cost of a maximum of so many values. Where they are lifted, as
// functions that are not convex, each is by the convex parts of all others.
func (ev *Evaluator) maximum(n *syntax.Node, count int, lifted bool, c value.Cost) value.Cost {
	if lifted {
		c.Parts, c.Weight = c.Parts*count, c.Weight*count
	}
	c.Parts++
	return ev.Afford(n, c.Capped())
}

// Combine is the sum, max or min of expressions.
func (ev *Evaluator) Combine(n *syntax.Node, name string, parts []dc.Expr) dc.Expr {
	var e dc.Expr
	switch name {
	case "sum":
		e = dc.Sum(parts...)
	case "max":
		e = dc.Max(parts...)
	default:
		neg := make([]dc.Expr, len(parts))
		for k := range parts {
			neg[k] = parts[k].Neg()
		}
		e = dc.Max(neg...).Neg()
	}
	if err := e.Err(); err != nil {
		ev.Fail(n, "", "%s: %s", ev.Say(n), Cause(err))
	}
	return e
}

func (ev *Evaluator) foldNumbers(n *syntax.Node, name string, vs []value.Value) value.Value {
	out := make([]float64, value.Size(vs[0].Shape))
	best := math.Min
	if name == "max" {
		best = math.Max
	}
	for i := range out {
		out[i] = vs[0].At(i)
		for k := 1; k < len(vs); k++ {
			out[i] = best(out[i], vs[k].At(i))
		}
	}
	return ev.Finite(n, value.Array(vs[0].Shape, out))
}

// FoldEntries is the max or min of all entries.
func (ev *Evaluator) FoldEntries(n *syntax.Node, name string, v value.Value) value.Value {
	vs := make([]value.Value, v.Len())
	for k := range vs {
		vs[k] = v.Entry(k)
	}
	return ev.Fold(n, name, vs)
}

// Ref is an entry of a value.
type Ref struct {
	V *value.Value
	K int
}

// Assemble makes an array of entries from several values.
func Assemble(shape []int, refs []Ref) value.Value {
	top, all := value.Numbers, value.Cost{}
	for _, r := range refs {
		top = max(top, r.V.Sort)
		if r.V.Sort == value.Expressions {
			c := r.V.Share(1)
			all = value.Cost{Pieces: max(all.Pieces, c.Pieces), Parts: max(all.Parts, c.Parts),
				Weight: all.Weight + c.Weight}.Capped()
		}
	}
	switch top {
	case value.Numbers:
		out := make([]float64, len(refs))
		for i, r := range refs {
			out[i] = r.V.At(r.K)
		}
		return value.Marked(value.Array(shape, out))
	case value.AffineFunctions:
		rows := make([]convex.Linear, len(refs))
		for i, r := range refs {
			if r.V.Sort == value.AffineFunctions {
				rows[i] = r.V.Linear(r.K)
			} else {
				rows[i] = convex.Linear{Const: r.V.At(r.K)}
			}
		}
		return value.FromAffine(dc.Entries(rows...).Reshape(shape...))
	}
	es := make([]dc.Expr, len(refs))
	for i, r := range refs {
		es[i] = r.V.Expr(r.K)
	}
	return value.FromExprs(shape, es, all)
}
