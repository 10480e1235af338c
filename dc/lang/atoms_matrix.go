package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// ofSymmetric serves functions of one symmetric matrix.
func ofSymmetric(make func(a dc.Affine) dc.Expr) func(*evaluator, *syntax.Node, []value.Value) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Value) value.Value {
		v := ev.symmetric(n, args, 0)
		return ev.matrixAtom(n, make(v.Affine()), &v)
	}
}

// symmetric is argument k, a symmetric matrix that is affine.
func (ev *evaluator) symmetric(n *syntax.Node, args []value.Value, k int) value.Value {
	v := ev.affineArg(n, args, k)
	if v.Len() == 1 {
		return v.Reshape(1, 1)
	}
	if len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] || v.Len() == 0 {
		ev.fail(n.Args[k], "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(n.Args[k]), value.ShapeText(v.Shape))
	}
	order := v.Shape[0]
	if n.Name == "logdet" {
		order *= 2
	}
	if v.IsData() {
		order = 0
	}
	ev.factored(n, v.Shape[0], order)
	a := v.Affine()
	if i, j, ok := dc.IsSymmetric(a); !ok {
		at := n.Args[k]
		if v.IsData() {
			d := v.Shape[0]
			ev.fail(at, "", "%s needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]",
				n.Name, ev.say(at), v.Num[i*d+j], i+1, j+1, v.Num[j*d+i], j+1, i+1)
		}
		ev.fail(at, "declare the variable symmetric or psd, or take (X + X')/2", "%s needs a symmetric matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] differ",
			n.Name, ev.say(at), i+1, j+1, j+1, i+1)
	}
	return v
}

// factored counts the work of factoring a matrix of order d and of stating a
// semidefinite cone of the given order.
func (ev *evaluator) factored(n *syntax.Node, d, order int) {
	ev.spend(n, int(min(math.Pow(float64(d), 3)/64+unitsRow*math.Pow(float64(order), 2)/2, 1<<30)))
}

// unitsRow is the work for a row of a cone.
const unitsRow = 64

// matrixAtom is an atom of matrices as a value.
func (ev *evaluator) matrixAtom(n *syntax.Node, e dc.Expr, args ...*value.Value) value.Value {
	weight := 0
	for _, v := range args {
		if v.Curvature() == value.Constant && e.Err() != nil {
			ev.failDomain(n.Args[len(n.Args)-1], "%s needs a positive definite matrix, and %s is not", n.Name, ev.say(n.Args[len(n.Args)-1]))
		}
		weight += v.Costs().Weight + v.Len()
	}
	return ev.atom(n, e, weight)
}

// fnMatFrac is x'P⁻¹x.
func (ev *evaluator) fnMatFrac(n *syntax.Node, args []value.Value) value.Value {
	x, p := ev.affineArg(n, args, 0), ev.symmetric(n, args, 1)
	d := p.Shape[0]
	if x.Len() == 1 {
		x = x.Reshape(1)
	}
	if len(x.Shape) > 2 || x.Shape[0] != d {
		ev.fail(n, "", "shapes differ: %s is %s, %s is %d x %d", ev.say(n.Args[0]), value.ShapeText(x.Shape), ev.say(n.Args[1]), d, d)
	}
	ev.spend(n, unitsCoeff*(x.Affine().NNZ()+x.Len()))
	cols := x.Len() / d
	if x.IsData() { // more are not needed
		cols = min(cols, d)
	}
	ev.factored(n, d, d+cols)
	return ev.matrixAtom(n, dc.MatFrac(x.Affine(), p.Affine()), &x, &p)
}

// fnLambdaSumLargest is the sum of the k largest eigenvalues.
func (ev *evaluator) fnLambdaSumLargest(n *syntax.Node, args []value.Value) value.Value {
	v := ev.symmetric(n, args, 0)
	k := ev.integer(n.Args[1], args[1], "the number of eigenvalues that lambda_sumlargest adds")
	if k < 1 || k > v.Shape[0] {
		ev.fail(n.Args[1], "", "lambda_sumlargest adds 1 to %d eigenvalues of %s, not %d", v.Shape[0], ev.say(n.Args[0]), k)
	}
	return ev.matrixAtom(n, dc.LambdaSumLargest(v.Affine(), k), &v)
}

// ofMatrix serves norms of a matrix, or of a vector as a column.
func ofMatrix(make func(a dc.Affine) dc.Expr) func(*evaluator, *syntax.Node, []value.Value) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Value) value.Value {
		v := ev.affineArg(n, args, 0)
		if len(v.Shape) > 2 {
			ev.fail(n.Args[0], "", "%s needs a matrix, but %s is %s", n.Name, ev.say(n.Args[0]), value.ShapeText(v.Shape))
		}
		if len(v.Shape) == 2 {
			ev.factored(n, min(v.Shape[0], v.Shape[1]), v.Shape[0]+v.Shape[1])
		}
		return ev.matrixAtom(n, make(v.Affine()), &v)
	}
}

// fnTrace is the sum of the diagonal of a square matrix.
func (ev *evaluator) fnTrace(n *syntax.Node, args []value.Value) value.Value {
	return ev.addUp(n, ev.diagonal(n, args[0]))
}

// fnDiag is the diagonal of a square matrix, or the diagonal matrix of a vector.
func (ev *evaluator) fnDiag(n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) != 1 {
		return ev.diagonal(n, v)
	}
	d := v.Len()
	zero := value.Number(0)
	refs := make([]ref, ev.room(n, []int{d, d}))
	for k := range refs {
		refs[k] = ref{&zero, 0}
		if k%(d+1) == 0 {
			refs[k] = ref{&v, k / (d + 1)}
		}
	}
	return assemble([]int{d, d}, refs)
}

func (ev *evaluator) diagonal(n *syntax.Node, v value.Value) value.Value {
	if v.Len() == 1 {
		return v.Reshape(1)
	}
	if len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] {
		ev.fail(n.Args[0], "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(n.Args[0]), value.ShapeText(v.Shape))
	}
	d := v.Shape[0]
	ev.spend(n, d)
	flat := make([]int, d)
	for k := range flat {
		flat[k] = k * (d + 1)
	}
	return v.Choose([]int{d}, flat)
}
