package function

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// ofSymmetric serves functions of one symmetric matrix.
func ofSymmetric(make func(a dc.Expr) dc.Expr) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		v := symmetric(ev, n, args, 0)
		return matrixAtom(ev, n, make(v.Function()), &v)
	}
}

// symmetric is argument k, a symmetric matrix that is affine.
func symmetric(ev *eval.Evaluator, n *syntax.Node, args []value.Value, k int) value.Value {
	v := affineArg(ev, n, args, k)
	if v.Len() == 1 {
		return v.Reshape(1, 1)
	}
	order := orderOf(ev, n, n.Args[k], v.Shape, 1)
	if n.Name == "logdet" {
		order *= 2
	}
	if v.IsData() {
		order = 0
	}
	Factored(ev, n, v.Shape[0], order)
	a := v.Function()
	if i, j, ok := dc.IsSymmetric(a); !ok {
		at := n.Args[k]
		if v.IsData() {
			d := v.Shape[0]
			ev.Fail(at, "", "%s needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]", n.Name, at,
				v.Num[i*d+j], i+1, j+1, v.Num[j*d+i], j+1, i+1)
		}
		ev.Fail(at, "declare the variable symmetric or psd, or take (X + X')/2",
			"%s needs a symmetric matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] differ", n.Name,
			at, i+1, j+1, j+1, i+1)
	}
	return v
}

// orderOf is the order of a square matrix with that shape, at least some.
func orderOf(ev *eval.Evaluator, n, arg *syntax.Node, shape []int, least int) int {
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] < least {
		ev.Fail(arg, "", "%s needs a square matrix, but %s is %s", n.Name, arg, value.Shape(shape))
	}
	return shape[0]
}

// Factored counts the work of factoring a matrix of order d and of stating a
// semidefinite cone of the given order.
func Factored(ev *eval.Evaluator, n *syntax.Node, d, order int) {
	ev.Spend(n, int(min(math.Pow(float64(d), 3)/64+unitsRow*math.Pow(float64(order), 2)/2, 1<<30)))
}

// unitsRow is the work for a row of a cone. Source: derived: 2·Work/Entries of eval.DefaultLimits,
// so that the cone of a matrix with as many entries as there may be uses up the work. Times 3
// orders above 2364 are refused, times 0.3 none that the entries do not. Measured: 2 μs a row with
// its variables, about 200 units (dcopt check of lambda_min(X) >= 1 of order 300 and 600).
const unitsRow = 64

// matrixAtom is an atom of matrices as a value.
func matrixAtom(ev *eval.Evaluator, n *syntax.Node, e dc.Expr, args ...*value.Value) value.Value {
	weight := 0
	for _, v := range args {
		if v.Curvature() == value.Constant && e.Err() != nil {
			ev.FailDomain(n.Args[len(n.Args)-1], "%s needs a positive definite matrix, and %s is not", n.Name,
				n.Args[len(n.Args)-1])
		}
		weight += v.Costs().Weight + v.Len()
	}
	return ev.Atom(n, e, weight)
}

// fnMatFrac is x'P⁻¹x.
func fnMatFrac(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	x, p := affineArg(ev, n, args, 0), symmetric(ev, n, args, 1)
	d := p.Shape[0]
	if x.Len() == 1 {
		x = x.Reshape(1)
	}
	if len(x.Shape) > 2 || x.Shape[0] != d {
		ev.Fail(n, "", "shapes differ: %s is %s, %s is %d x %d", n.Args[0], x.Shape, n.Args[1], d, d)
	}
	ev.Spend(n, eval.UnitsCoeff*(x.Function().NNZ()+x.Len()))
	cols := x.Len() / d
	if x.IsData() { // more are not needed
		cols = min(cols, d)
	}
	Factored(ev, n, d, d+cols)
	return matrixAtom(ev, n, dc.MatFrac(x.Function(), p.Function()), &x, &p)
}

// fnLambdaSumLargest is the sum of the k largest eigenvalues.
func fnLambdaSumLargest(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := symmetric(ev, n, args, 0)
	return matrixAtom(ev, n, dc.LambdaSumLargest(v.Function(), eigenvalues(ev, n, args[1], v.Shape[0])), &v)
}

// eigenvalues is how many of them lambda_sumlargest adds.
func eigenvalues(ev *eval.Evaluator, n *syntax.Node, v value.Value, most int) int {
	k := ev.Integer(n.Args[1], v, "the number of eigenvalues that lambda_sumlargest adds")
	if k < 1 || k > most {
		ev.Fail(n.Args[1], "", "lambda_sumlargest adds 1 to %d eigenvalues of %s, not %d", most, n.Args[0], k)
	}
	return k
}

// ofMatrix serves norms of a matrix, or of a vector as a column.
func ofMatrix(make func(a dc.Expr) dc.Expr) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		v := affineArg(ev, n, args, 0)
		if len(v.Shape) > 2 {
			ev.Fail(n.Args[0], "", "%s needs a matrix, but %s is %s", n.Name, n.Args[0], v.Shape)
		}
		if len(v.Shape) == 2 {
			Factored(ev, n, min(v.Shape[0], v.Shape[1]), v.Shape[0]+v.Shape[1])
		}
		return matrixAtom(ev, n, make(v.Function()), &v)
	}
}

// fnTrace is the sum of the diagonal of a square matrix.
func fnTrace(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	return ev.AddUp(n, diagonal(ev, n, args[0]))
}

// fnDiag is the diagonal of a square matrix, or the diagonal matrix of a vector.
func fnDiag(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) != 1 {
		return diagonal(ev, n, v)
	}
	d := v.Len()
	flat := make([]int, ev.Room(n, []int{d, d}))
	for k := range d {
		flat[k*(d+1)] = k + 1 // behind a zero
	}
	all := value.Stack(value.Number(0), v)
	return all.Choose([]int{d, d}, flat)
}

func diagonal(ev *eval.Evaluator, n *syntax.Node, v value.Value) value.Value {
	if v.Len() == 1 {
		return v.Reshape(1)
	}
	d := orderOf(ev, n, n.Args[0], v.Shape, 0)
	ev.Spend(n, d)
	flat := make([]int, d)
	for k := range flat {
		flat[k] = k * (d + 1)
	}
	return v.Choose([]int{d}, flat)
}
