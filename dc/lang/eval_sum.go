package lang

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// sum adds the values of a sum's terms.
func (ev *evaluator) sum(n *node, terms []value) value {
	if out, ok := ev.sumScalars(n, terms); ok {
		return out
	}
	shape := ev.common(n, n.args, terms)
	total := size(shape)
	ev.spend(n, total*len(terms))
	top, all := numbers, cost{}
	for k := range terms {
		top, all = max(top, terms[k].sort), all.plus(terms[k].costs())
	}
	switch {
	case top == numbers:
		return ev.finite(n, addNumbers(shape, terms, n.minus))
	case top == affine && (total > 1 || len(terms) < 5):
		return ev.sumAffine(n, terms)
	}
	ev.spend(n, min(all.weight+all.parts, 1<<20))
	es := make([]dc.Expr, total)
	parts := make([]dc.Expr, len(terms))
	for i := range es {
		for k := range terms {
			parts[k] = terms[k].expr(min(i, terms[k].len()-1))
			if n.minus[k] {
				parts[k] = parts[k].Neg()
			}
		}
		es[i] = dc.SumExprs(parts)
	}
	return fromExprs(shape, es, all)
}

// sumScalars is sum for a few scalar affine functions and numbers.
func (ev *evaluator) sumScalars(n *node, terms []value) (v value, ok bool) {
	top := numbers
	for k := range terms {
		if len(terms[k].shape) > 0 || terms[k].sort > affine || len(terms) > 3 {
			return value{}, false
		}
		top = max(top, terms[k].sort)
	}
	if top == numbers {
		return value{}, false
	}
	to := ev.empty()
	for k := range terms {
		l, w := dc.Linear{Const: terms[k].x}, 1.0
		if terms[k].sort == affine {
			l = terms[k].lin
		}
		if n.minus[k] {
			w = -1
		}
		to.add(w, l)
	}
	l, ok := ev.sumOf(n, to, 0)
	l.Idx, l.Val = slices.Clone(l.Idx), slices.Clone(l.Val)
	return fromLinear(l), ok
}

// common is the shape of an entrywise operation; single entries go with
// everything.
func (ev *evaluator) common(n *node, parts []*node, vs []value) []int {
	best := 0
	for k := range vs {
		a, b := &vs[best], &vs[k]
		switch {
		case sameShape(a.shape, b.shape):
		case a.len() == 1 && (b.len() != 1 || len(b.shape) > len(a.shape)):
			best = k
		case b.len() != 1:
			ev.shapesDiffer(n, parts[best], parts[k], a, b)
		}
	}
	for k := range vs {
		if vs[k].len() == 1 && len(vs[k].shape) > 0 && !sameShape(vs[k].shape, vs[best].shape) {
			vs[k] = vs[k].reshape()
		}
	}
	return vs[best].shape
}

// shapesDiffer reports two shapes that do not go together.
func (ev *evaluator) shapesDiffer(n, l, r *node, a, b *value) {
	ev.fail(n, "", "shapes differ: %s is %s, %s is %s", ev.say(l)+ev.origin(l), shapeText(a.shape), ev.say(r), shapeText(b.shape)+ev.origin(r))
}

// origin says from which file the data of a name come.
func (ev *evaluator) origin(n *node) string {
	if n.op == opName {
		if s := ev.names[n.name]; s != nil && s.from != "" {
			return " (from " + s.from + ")"
		}
	}
	return ""
}

func addNumbers(shape []int, terms []value, minus []bool) value {
	if len(shape) == 0 {
		s := 0.0
		for k := range terms {
			if minus[k] {
				s -= terms[k].x
			} else {
				s += terms[k].x
			}
		}
		return number(s)
	}
	out := make([]float64, size(shape))
	for k := range terms {
		sign := 1.0
		if minus[k] {
			sign = -1
		}
		if terms[k].scalar() {
			for i := range out {
				out[i] += sign * terms[k].x
			}
			continue
		}
		for i, x := range terms[k].num {
			out[i] += sign * x
		}
	}
	return array(shape, out)
}

// sumAffine adds in pairs, so that many terms cost n log n.
func (ev *evaluator) sumAffine(n *node, terms []value) value {
	if len(terms) == 2 && (n.minus == nil || !n.minus[0]) {
		a, b := terms[0].affine(), terms[1].affine()
		if n.minus == nil || !n.minus[1] {
			return ev.sound(n, a.Add(b))
		}
		return ev.sound(n, a.Sub(b))
	}
	as := make([]dc.Affine, len(terms))
	for k := range terms {
		as[k] = terms[k].affine()
		if n.minus != nil && n.minus[k] {
			as[k] = as[k].Neg()
		}
	}
	return ev.sound(n, addPairs(as))
}

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

// sound is a as a value, after a look at its error.
func (ev *evaluator) sound(n *node, a dc.Affine) value {
	if err := a.Err(); err != nil {
		ev.fail(n, "", "%s", cause(err))
	}
	ev.spend(n, unitsCoeff*a.NNZ())
	return fromAffine(a)
}

func (ev *evaluator) soundLinear(n *node, l dc.Linear) value {
	ev.spend(n, unitsCoeff*len(l.Idx))
	return fromLinear(l)
}

// scale is w·v.
func (ev *evaluator) scale(n *node, w float64, v value) value {
	ev.spend(n, v.len())
	switch v.sort {
	case affine:
		if v.aff == nil {
			return ev.soundLinear(n, v.lin.Scale(w))
		}
		return ev.sound(n, v.aff.Scale(w))
	case general:
		es := make([]dc.Expr, len(v.exprs))
		for k := range es {
			es[k] = v.exprs[k].Scale(w)
		}
		return fromExprs(v.shape, es, v.cost)
	}
	if v.scalar() {
		return ev.finite(n, number(w*v.x))
	}
	out := make([]float64, len(v.num))
	for k, x := range v.num {
		out[k] = w * x
	}
	return ev.finite(n, array(v.shape, out))
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
			all = cost{max(all.pieces, c.pieces), max(all.parts, c.parts), all.weight + c.weight}.cut()
		}
	}
	switch top {
	case numbers:
		out := make([]float64, len(refs))
		for i, r := range refs {
			out[i] = r.v.at(r.k)
		}
		return value{shape: shape, num: out}
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
	return value{sort: general, shape: shape, exprs: es, cost: all}
}
