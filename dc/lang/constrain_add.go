package lang

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// relate states relations of values, of affine functions in one constraint, of others in one for
// each entry, without the entries that are open; nil: none is.
func (c *compiler) relate(root *syntax.Node, f *Family, index []int, vs []value.Value, rels []syntax.Kind, shape []int,
	open []bool) {
	ops := make([]dc.Expr, len(vs))
	if !slices.ContainsFunc(vs, func(v value.Value) bool { return v.Sort > value.AffineFunctions }) {
		for k := range vs {
			ops[k] = vs[k].Function()
		}
		f.Curvature = max(f.Curvature, c.add(root, ops, rels, open, f.Name, index))
		return
	}
	for i := range value.Size(shape) {
		if open != nil && open[i] {
			continue
		}
		for k := range vs {
			ops[k] = vs[k].Expr(min(i, vs[k].Len()-1))
			c.ev.Spend(root, min(vs[k].Costs().Weight/vs[k].Len(), 1<<20))
		}
		f.Curvature = max(f.Curvature, c.add(root, ops, rels, nil, f.Name,
			append(index[:len(index):len(index)], value.Unravel(i, shape)...)))
	}
}

// add adds one constraint to the model and returns its curvature.
func (c *compiler) add(root *syntax.Node, ops []dc.Expr, rels []syntax.Kind, open []bool, name string,
	index []int) Curvature {
	var con dc.Constraint
	switch {
	case len(rels) == 2:
		con = dc.Between(ops[0], ops[1], ops[2])
	case rels[0] == syntax.LE:
		con = dc.LE(ops[0], ops[1])
	case rels[0] == syntax.GE:
		con = dc.GE(ops[0], ops[1])
	default:
		con = dc.EQ(ops[0], ops[1])
	}
	if err := con.Err(); err != nil {
		c.ev.Fail(root, "", "%s", eval.Cause(err))
	}
	rows := con.Program()
	if !rows.DC {
		c.ev.Spend(root, eval.UnitsCoeff*len(rows.A.Idx))
		for k := range rows.Lo {
			if k < len(open) && open[k] {
				rows.Hi[k] = math.Inf(1)
			}
			if !(rows.Lo[k] <= rows.Hi[k]) { // no point meets both ends
				c.warn(root, "the bounds cross: %s > %s", root.Args[0], root.Args[2])
				con = dc.LE(ops[0], ops[1])
				c.model.SubjectTo(con.Named(name, index...))
				con = dc.LE(ops[1], ops[2])
				break
			}
		}
	}
	c.model.SubjectTo(con.Named(name, index...))
	switch {
	case !rows.DC:
		return Affine
	case con.Convex() && rels[0] != syntax.EQ &&
		(len(rels) == 1 || dc.LE(ops[0], ops[1]).Convex() && dc.LE(ops[1], ops[2]).Convex()):
		return Convex
	}
	return DC
}

// never states con, which holds nowhere, and says why.
func (c *compiler) never(root *syntax.Node, f *Family, index []int, con dc.Constraint, why string) {
	c.warn(root, "this never holds: %s", why)
	c.model.SubjectTo(con.Named(f.Name, index...))
}

func (c *compiler) warn(at *syntax.Node, format string, args ...any) {
	c.warnings.add(Diagnostic{File: c.f.Name, Place: c.f.place(at.Span), Severity: Warning,
		Message: fmt.Sprintf(format, args...)})
}

// loose states the relations of a constraint of which a side has infinite
// entries. Those that always hold are left open.
func (c *compiler) loose(s *syntax.Statement, root *syntax.Node, f *Family, index []int, vs []value.Value,
	shape []int) bool {
	stated := false
	for k, rel := range s.Rels {
		l, r := vs[k], vs[k+1]
		if rel == syntax.GE {
			l, r = r, l
		}
		open, count := make([]bool, value.Size(shape)), 0
		for i := range open {
			lo, hi := l.LimitAt(i), r.LimitAt(i)
			if open[i] = rel != syntax.EQ && (lo < 0 || hi > 0); open[i] {
				count++
			} else if lo != 0 || hi != 0 {
				c.never(root, f, index, dc.LE(dc.Num(1), dc.Num(0)), "a side is infinite"+c.ev.Where())
				return stated
			}
		}
		if count == len(open) {
			continue
		}
		stated = true
		if l, r = l.WithoutInf(), r.WithoutInf(); rel == syntax.GE {
			rel = syntax.LE
		}
		c.relate(root, f, index, []value.Value{l, r}, []syntax.Kind{rel}, shape, open)
	}
	return stated
}
