package eval

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// Common is the shape of an entrywise operation; single entries go with
// everything.
func (ev *Evaluator) Common(n *syntax.Node, parts []*syntax.Node, vs []value.Value) []int {
	ev.noInf(n, vs)
	return ev.Sides(n, parts, vs)
}

// Sides is common for the sides of a constraint, which may be infinite.
func (ev *Evaluator) Sides(n *syntax.Node, parts []*syntax.Node, vs []value.Value) []int {
	best := 0
	for k := range vs {
		a, b := &vs[best], &vs[k]
		switch {
		case slices.Equal(a.Shape, b.Shape):
		case a.Len() == 1 && (b.Len() != 1 || len(b.Shape) > len(a.Shape)):
			best = k
		case b.Len() != 1:
			ev.ShapesDiffer(n, parts[best], parts[k], a, b)
		}
	}
	for k := range vs {
		if vs[k].Len() == 1 && len(vs[k].Shape) > 0 && !slices.Equal(vs[k].Shape, vs[best].Shape) {
			vs[k] = vs[k].Reshape()
		}
	}
	return vs[best].Shape
}

// ShapesDiffer reports two shapes that do not go together.
func (ev *Evaluator) ShapesDiffer(n, l, r *syntax.Node, a, b *value.Value) {
	ev.Fail(n, "", "shapes differ: %s is %s, %s is %s", ev.Say(l)+ev.FromFile(l), value.ShapeText(a.Shape), ev.Say(r), value.ShapeText(b.Shape)+ev.FromFile(r))
}

// Sound is a as a value, after a look at its error.
func (ev *Evaluator) Sound(n *syntax.Node, a dc.Affine) value.Value {
	if err := a.Err(); err != nil {
		ev.Fail(n, "", "%s", Cause(err))
	}
	ev.Spend(n, UnitsCoeff*a.NNZ())
	return value.FromAffine(a)
}

// Transpose is the transpose of a matrix; vectors have no direction.
func (ev *Evaluator) Transpose(n *syntax.Node, v value.Value) value.Value {
	if len(v.Shape) < 2 {
		return v
	}
	if len(v.Shape) > 2 {
		ev.Fail(n, "", "%s is %s; only matrices have a transpose", ev.Say(n.Args[0]), value.ShapeText(v.Shape))
	}
	r, c := v.Shape[0], v.Shape[1]
	if v.Sort == value.SparseNumbers {
		ev.Spend(n, len(v.More.Sparse.Idx)+r+c)
		return value.SparseOf([]int{c, r}, v.More.Sparse.Transposed())
	}
	ev.Spend(n, r*c)
	flat := make([]int, 0, r*c)
	for j := range c {
		for i := range r {
			flat = append(flat, i*c+j)
		}
	}
	return v.Choose([]int{c, r}, flat)
}
