package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// loose states the relations of a constraint of which a side has infinite
// entries. Those that always hold are left open.
func (c *compiler) loose(s *syntax.Statement, root *syntax.Node, f *Family, index []int, vs []value.Value, shape []int) bool {
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
				c.never(root, f, index, dc.LE(dc.Num(1), dc.Num(0)), "a side is infinite"+c.ev.where())
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
		c.looseRelation(root, f, index, l, r, rel, open, shape)
	}
	return stated
}

// looseRelation states l <= r or l == r without the open entries.
func (c *compiler) looseRelation(root *syntax.Node, f *Family, index []int, l, r value.Value, rel syntax.Kind, open []bool, shape []int) {
	if max(l.Sort, r.Sort) > value.AffineFunctions {
		for i := range open {
			if !open[i] {
				ops := []dc.Operand{l.Expr(min(i, l.Len()-1)), r.Expr(min(i, r.Len()-1))}
				f.Curvature = max(f.Curvature, c.add(root, ops, []syntax.Kind{rel}, f.Name, append(index[:len(index):len(index)], value.Unravel(i, shape)...)))
			}
		}
		return
	}
	con := dc.LE(l.Affine(), r.Affine())
	if rel == syntax.EQ {
		con = dc.EQ(l.Affine(), r.Affine())
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
