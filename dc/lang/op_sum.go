package lang

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// linear is the affine part of the sum that began at m, in the accumulator's
// room.
func (ev *evaluator) linear(n *syntax.Node, m mark) dc.Linear {
	a := &ev.sums
	idx, val := a.idx[m.coefs:], a.val[m.coefs:]
	sum, last, ordered := a.c-a.c, -1, true
	for k, v := range val {
		sum += v - v
		ordered = ordered && v != 0 && idx[k] > last
		last = idx[k]
	}
	ev.spend(n, unitsCoeff*len(idx))
	switch {
	case sum != 0 && len(idx) == 0:
		ev.infinite(n, a.c)
	case sum != 0:
		if ev.mentionsInf(n) {
			ev.misplacedInf(n)
		}
		ev.fail(n, "", "a coefficient is not finite")
	case ordered:
		return ev.model.Own(dc.Linear{Idx: idx, Val: val, Const: a.c})
	}
	return ev.model.Own(dc.NewLinear(idx, val, a.c))
}

// total is the value of the sum that began at m and ends here.
func (ev *evaluator) total(n *syntax.Node, m mark) value {
	a := &ev.sums
	terms := a.terms[m.terms:]
	if len(terms) == 0 {
		l := ev.linear(n, m)
		a.backTo(m)
		if len(l.Idx) == 0 {
			return number(l.Const)
		}
		l.Idx, l.Val = slices.Clone(l.Idx), slices.Clone(l.Val)
		return fromLinear(l)
	}
	if a.c != 0 || len(a.idx) > m.coefs {
		l := ev.linear(n, m)
		scalar := number(l.Const)
		if len(l.Idx) > 0 {
			l.Idx, l.Val = slices.Clone(l.Idx), slices.Clone(l.Val)
			scalar = fromLinear(l)
		}
		a.terms = append(a.terms, summand{1, scalar, n})
		terms = a.terms[m.terms:]
	}
	v := ev.weighted(n, terms)
	a.backTo(m)
	return v
}

// weighted is the sum of arrays and expressions.
func (ev *evaluator) weighted(n *syntax.Node, terms []summand) value {
	if len(terms) > 1 {
		for k := range terms {
			terms[k].v = ev.dense(terms[k].at, terms[k].v)
		}
	}
	switch {
	case len(terms) == 1:
		ev.finiteWeight(n, &terms[0])
		return ev.scale(n, terms[0].w, terms[0].v)
	case len(terms) == 2 && terms[0].w == 1 && terms[1].w*terms[1].w == 1:
		if v, ok := ev.pair(n, &terms[0].v, &terms[1].v, terms[1].w < 0); ok {
			return v
		}
	}
	vs, nodes := make([]value, len(terms)), make([]*syntax.Node, len(terms))
	top, all := numbers, cost{}
	for k := range terms {
		vs[k], nodes[k] = terms[k].v, terms[k].at
		ev.finiteWeight(n, &terms[k])
		top, all = max(top, vs[k].sort), all.plus(vs[k].costs())
	}
	shape := ev.common(n, nodes, vs)
	size := size(shape)
	ev.spend(n, size*len(terms))
	switch top {
	case numbers:
		out := make([]float64, size)
		for k := range terms {
			for i := range out {
				out[i] += terms[k].w * vs[k].at(min(i, vs[k].len()-1))
			}
		}
		return ev.finite(n, array(shape, out))
	case affine:
		as := make([]dc.Affine, len(terms))
		for k := range terms {
			as[k] = vs[k].affine()
		}
		for k := range terms {
			if terms[k].w != 1 {
				as[k] = as[k].Scale(terms[k].w)
			}
		}
		return ev.sound(n, addPairs(as))
	}
	ev.spend(n, min(all.weight+all.parts, 1<<20))
	es, parts := make([]dc.Expr, size), make([]dc.Expr, len(terms))
	for i := range es {
		for k := range terms {
			if parts[k] = vs[k].expr(min(i, vs[k].len()-1)); terms[k].w != 1 {
				parts[k] = parts[k].Scale(terms[k].w)
			}
		}
		es[i] = ev.combine(n, "sum", parts)
	}
	return fromExprs(shape, es, all)
}

// finiteWeight refuses an infinite multiple of variables.
func (ev *evaluator) finiteWeight(n *syntax.Node, t *summand) {
	if t.w-t.w != 0 && t.v.sort != numbers {
		ev.misplacedInf(n)
	}
}

// pair is the sum or difference of two affine arrays of one shape.
func (ev *evaluator) pair(n *syntax.Node, a, b *value, minus bool) (v value, ok bool) {
	if max(a.sort, b.sort) != affine || !slices.Equal(a.shape, b.shape) || a.hasInf() || b.hasInf() {
		return v, false
	}
	ev.spend(n, 2*a.len())
	if minus {
		return ev.sound(n, a.affine().Sub(b.affine())), true
	}
	return ev.sound(n, a.affine().Add(b.affine())), true
}

// addPairs adds in pairs, so that many terms cost n log n.
func addPairs(as []dc.Affine) dc.Affine {
	for len(as) > 1 {
		half := as[:0]
		for k := 0; k < len(as); k += 2 {
			if k+1 < len(as) {
				half = append(half, as[k].Add(as[k+1]))
			} else {
				half = append(half, as[k])
			}
		}
		as = half
	}
	return as[0]
}

// scale is w·v, entries counted from 1.
func (ev *evaluator) scale(n *syntax.Node, w float64, v value) value {
	if w == 1 {
		return v.countFrom(nil)
	}
	if v.sort == sparseNumbers {
		ev.spend(n, len(v.more.sparse.Val))
		return sparseOf(v.shape, v.more.sparse.scaled(w))
	}
	ev.spend(n, v.len())
	switch v.sort {
	case affine:
		if v.aff == nil {
			ev.spend(n, unitsCoeff*len(v.lin.Idx))
			return fromLinear(v.lin.Scale(w))
		}
		return ev.sound(n, v.aff.Scale(w))
	case general:
		es := make([]dc.Expr, len(v.exprs))
		for k := range es {
			es[k] = v.exprs[k].Scale(w)
		}
		return fromExprs(v.shape, es, v.cost)
	}
	return ev.eachNumber(n, v, func(x float64) float64 { return w * x })
}

// eachNumber applies f to every number.
func (ev *evaluator) eachNumber(n *syntax.Node, v value, f func(float64) float64) value {
	if v.scalar() {
		return ev.finite(n, number(f(v.x)))
	}
	ev.spend(n, v.len())
	out := make([]float64, len(v.num))
	for k, x := range v.num {
		out[k] = f(x)
	}
	return ev.finite(n, array(v.shape, out))
}

// addUp is the sum of all entries.
func (ev *evaluator) addUp(n *syntax.Node, v value) value {
	ev.spend(n, v.len()+v.costs().weight)
	switch v.sort {
	case affine:
		return ev.sound(n, v.affine().Sum())
	case general:
		return fromExpr(ev.combine(n, "sum", v.exprs), v.cost)
	}
	s := 0.0
	for _, x := range v.numbers() {
		s += x
	}
	return ev.finite(n, number(s))
}

// fold is the max or min, entry by entry, of values of one shape.
func (ev *evaluator) fold(n *syntax.Node, name string, vs []value) value {
	shape, top, most, lifted := vs[0].shape, numbers, cost{}, false
	for k := range vs {
		top, most = max(top, vs[k].sort), most.over(vs[k].costs())
		lifted = lifted || vs[k].curvature() > curveConvex
	}
	size := size(shape)
	ev.spend(n, size*len(vs))
	ev.noInf(n, vs)
	if top == numbers {
		return ev.foldNumbers(n, name, vs)
	}
	most = ev.maximum(n, len(vs), lifted, most)
	es, parts := make([]dc.Expr, size), make([]dc.Expr, len(vs))
	for i := range es {
		for k := range vs {
			parts[k] = vs[k].expr(i)
		}
		es[i] = ev.combine(n, name, parts)
	}
	return fromExprs(shape, es, most)
}

// maximum is the cost of a maximum of so many values. Where they are lifted, as
// functions that are not convex, each is by the convex parts of all others.
func (ev *evaluator) maximum(n *syntax.Node, count int, lifted bool, c cost) cost {
	if lifted {
		c.parts, c.weight = c.parts*count, c.weight*count
	}
	c.parts++
	return ev.afford(n, c.capped())
}

// combine is the sum, max or min of expressions.
func (ev *evaluator) combine(n *syntax.Node, name string, parts []dc.Expr) dc.Expr {
	var e dc.Expr
	switch name {
	case "sum":
		e = dc.SumOf(parts)
	case "max":
		e = dc.MaxOf(parts)
	default:
		neg := make([]dc.Expr, len(parts))
		for k := range parts {
			neg[k] = parts[k].Neg()
		}
		e = dc.MaxOf(neg).Neg()
	}
	if err := e.Err(); err != nil {
		ev.fail(n, "", "%s: %s", ev.say(n), cause(err))
	}
	return e
}

func (ev *evaluator) foldNumbers(n *syntax.Node, name string, vs []value) value {
	out := make([]float64, size(vs[0].shape))
	best := math.Min
	if name == "max" {
		best = math.Max
	}
	for i := range out {
		out[i] = vs[0].at(i)
		for k := 1; k < len(vs); k++ {
			out[i] = best(out[i], vs[k].at(i))
		}
	}
	return ev.finite(n, array(vs[0].shape, out))
}

// foldEntries is the max or min of all entries.
func (ev *evaluator) foldEntries(n *syntax.Node, name string, v value) value {
	vs := make([]value, v.len())
	for k := range vs {
		vs[k] = v.entry(k)
	}
	return ev.fold(n, name, vs)
}

// ref is an entry of a value.
type ref struct {
	v *value
	k int
}

// assemble makes an array of entries from several values.
func assemble(shape []int, refs []ref) value {
	top, all := numbers, cost{}
	for _, r := range refs {
		top = max(top, r.v.sort)
		if r.v.sort == general {
			c := r.v.share(1)
			all = cost{max(all.pieces, c.pieces), max(all.parts, c.parts), all.weight + c.weight}.capped()
		}
	}
	switch top {
	case numbers:
		out := make([]float64, len(refs))
		for i, r := range refs {
			out[i] = r.v.at(r.k)
		}
		return marked(array(shape, out))
	case affine:
		rows := make([]dc.Linear, len(refs))
		for i, r := range refs {
			if r.v.sort == affine {
				rows[i] = r.v.linear(r.k)
			} else {
				rows[i] = dc.Linear{Const: r.v.at(r.k)}
			}
		}
		return fromAffine(dc.Entries(rows...).Reshape(shape...))
	}
	es := make([]dc.Expr, len(refs))
	for i, r := range refs {
		es[i] = r.v.expr(r.k)
	}
	return generalOf(shape, es, all)
}
