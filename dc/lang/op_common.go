package lang

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// common is the shape of an entrywise operation; single entries go with
// everything.
func (ev *evaluator) common(n *syntax.Node, parts []*syntax.Node, vs []value) []int {
	ev.noInf(n, vs)
	return ev.sides(n, parts, vs)
}

// sides is common for the sides of a constraint, which may be infinite.
func (ev *evaluator) sides(n *syntax.Node, parts []*syntax.Node, vs []value) []int {
	best := 0
	for k := range vs {
		a, b := &vs[best], &vs[k]
		switch {
		case slices.Equal(a.shape, b.shape):
		case a.len() == 1 && (b.len() != 1 || len(b.shape) > len(a.shape)):
			best = k
		case b.len() != 1:
			ev.shapesDiffer(n, parts[best], parts[k], a, b)
		}
	}
	for k := range vs {
		if vs[k].len() == 1 && len(vs[k].shape) > 0 && !slices.Equal(vs[k].shape, vs[best].shape) {
			vs[k] = vs[k].reshape()
		}
	}
	return vs[best].shape
}

// shapesDiffer reports two shapes that do not go together.
func (ev *evaluator) shapesDiffer(n, l, r *syntax.Node, a, b *value) {
	ev.fail(n, "", "shapes differ: %s is %s, %s is %s", ev.say(l)+ev.fromFile(l), shapeText(a.shape), ev.say(r), shapeText(b.shape)+ev.fromFile(r))
}

// sound is a as a value, after a look at its error.
func (ev *evaluator) sound(n *syntax.Node, a dc.Affine) value {
	if err := a.Err(); err != nil {
		ev.fail(n, "", "%s", cause(err))
	}
	ev.spend(n, unitsCoeff*a.NNZ())
	return fromAffine(a)
}

// transpose is the transpose of a matrix; vectors have no direction.
func (ev *evaluator) transpose(n *syntax.Node, v value) value {
	if len(v.shape) < 2 {
		return v
	}
	if len(v.shape) > 2 {
		ev.fail(n, "", "%s is %s; only matrices have a transpose", ev.say(n.Args[0]), shapeText(v.shape))
	}
	r, c := v.shape[0], v.shape[1]
	if v.sort == sparseNumbers {
		ev.spend(n, len(v.more.sparse.Idx)+r+c)
		return sparseOf([]int{c, r}, v.more.sparse.transposed())
	}
	ev.spend(n, r*c)
	flat := make([]int, 0, r*c)
	for j := range c {
		for i := range r {
			flat = append(flat, i*c+j)
		}
	}
	return v.choose([]int{c, r}, flat)
}
