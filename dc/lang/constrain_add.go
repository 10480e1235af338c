package lang

import (
	"fmt"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// add adds one constraint to the model and returns its curvature.
func (c *compiler) add(root *syntax.Node, ops []dc.Operand, rels []syntax.Kind, name string, index []int) Curvature {
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
		c.ev.fail(root, "", "%s", cause(err))
	}
	if !con.DC {
		c.ev.spend(root, unitsCoeff*con.A.NNZ())
		for k := range con.Lo {
			if !(con.Lo[k] <= con.Hi[k]) { // no point meets both ends
				c.warn(root, "the bounds cross: %s > %s", c.ev.say(root.Args[0]), c.ev.say(root.Args[2]))
				con = dc.LE(ops[0], ops[1])
				c.model.SubjectTo(con.Named(name, index...))
				con = dc.LE(ops[1], ops[2])
				break
			}
		}
	}
	c.model.SubjectTo(con.Named(name, index...))
	switch {
	case !con.DC:
		return Affine
	case con.Convex() && rels[0] != syntax.EQ && (len(rels) == 1 || c.bothConvex(ops)):
		return Convex
	}
	return DC
}

// bothConvex reports whether both halves of a chain are convex.
func (c *compiler) bothConvex(ops []dc.Operand) bool {
	return dc.LE(ops[0], ops[1]).Convex() && dc.LE(ops[1], ops[2]).Convex()
}

// never states con, which holds nowhere, and says why.
func (c *compiler) never(root *syntax.Node, f *Family, index []int, con dc.Constraint, why string) {
	c.warn(root, "this never holds: %s", why)
	c.model.SubjectTo(con.Named(f.Name, index...))
}

func (c *compiler) warn(at *syntax.Node, format string, args ...any) {
	c.warnings.add(Diagnostic{File: c.f.Name, Place: c.f.place(at.Span), Severity: Warning, Message: fmt.Sprintf(format, args...)})
}
