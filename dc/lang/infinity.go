package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
)

// fixed are the names that every file has.
var fixed = map[string]float64{"pi": math.Pi, "inf": math.Inf(1)}

// hasInf reports whether an entry of data is infinite.
func (v *value) hasInf() bool {
	if v.sort != numbers {
		return false
	}
	return v.infinite || len(v.shape) == 0 && math.IsInf(v.x, 0)
}

// marked is a new array of data that knows whether it has infinite entries.
func marked(v value) value {
	for _, x := range v.num {
		if math.IsInf(x, 0) {
			v.infinite = true
			break
		}
	}
	return v
}

// mentionsInf reports whether infinite data stand in an expression.
func (ev *evaluator) mentionsInf(n *node) bool {
	if n.op == opName {
		s := ev.names[n.name]
		return s == nil && n.name == "inf" || s != nil && s.value.cells != nil && s.value.hasInf()
	}
	found := false
	n.each(func(a *node) { found = found || ev.mentionsInf(a) })
	return found
}

// noInf refuses infinite data beside expressions of variables.
func (ev *evaluator) noInf(n *node, vs []value) {
	top, inf := numbers, false
	for k := range vs {
		top, inf = max(top, vs[k].sort), inf || vs[k].hasInf()
	}
	if inf && top > numbers {
		ev.misplacedInf(n)
	}
}

func (ev *evaluator) misplacedInf(n *node) {
	ev.fail(n, "", "inf stands alone in bounds, in comparisons and as a side of a constraint; it has no place in %s", ev.say(n))
}

// withoutInf is data with 0 for infinite entries.
func (v value) withoutInf() value {
	if !v.hasInf() {
		return v
	}
	out := make([]float64, v.len())
	for k := range out {
		if x := v.at(k); !math.IsInf(x, 0) {
			out[k] = x
		}
	}
	return v.with(out)
}

// limitAt is an infinite entry of data, else 0.
func (v *value) limitAt(i int) float64 {
	if !v.hasInf() {
		return 0
	}
	if x := v.at(min(i, v.len()-1)); math.IsInf(x, 0) {
		return x
	}
	return 0
}

// loose states the relations of a constraint of which a side has infinite
// entries. Those that always hold are left open.
func (c *compiler) loose(s *statement, root *node, f *Family, index []int, vs []value, shape []int) bool {
	stated := false
	for k, rel := range s.rels {
		l, r := vs[k], vs[k+1]
		if rel == tGE {
			l, r = r, l
		}
		open, count := make([]bool, size(shape)), 0
		for i := range open {
			lo, hi := l.limitAt(i), r.limitAt(i)
			if open[i] = rel != tEQ && (lo < 0 || hi > 0); open[i] {
				count++
			} else if lo != 0 || hi != 0 {
				c.never(root, f, index, dc.LE(dc.Num(1), dc.Num(0)), "a side is infinite"+c.ev.where())
				return stated
			}
		}
		if count == len(open) {
			continue
		}
		stated = true
		if l, r = l.withoutInf(), r.withoutInf(); rel == tGE {
			rel = tLE
		}
		c.looseRelation(root, f, index, l, r, rel, open, shape)
	}
	return stated
}

// looseRelation states l <= r or l == r without the open entries.
func (c *compiler) looseRelation(root *node, f *Family, index []int, l, r value, rel kind, open []bool, shape []int) {
	if max(l.sort, r.sort) > affine {
		for i := range open {
			if !open[i] {
				ops := []dc.Operand{l.expr(min(i, l.len()-1)), r.expr(min(i, r.len()-1))}
				f.Curvature = max(f.Curvature, c.add(root, ops, []kind{rel}, f.Name, append(index[:len(index):len(index)], unravel(i, shape)...)))
			}
		}
		return
	}
	con := dc.LE(l.affine(), r.affine())
	if rel == tEQ {
		con = dc.EQ(l.affine(), r.affine())
	}
	if err := con.Err(); err != nil {
		c.ev.fail(root, "", "%s", cause(err))
	}
	for i := range open {
		if open[i] {
			con.Hi[i] = math.Inf(1)
		}
	}
	c.model.SubjectTo(con.Named(f.Name, index...))
	f.Curvature = max(f.Curvature, Affine)
}

// marking is a new array of entries of v, marked where they are infinite.
func (v *value) marking(out value) value {
	if !v.hasInf() || len(out.shape) == 0 {
		return out
	}
	return marked(out)
}
