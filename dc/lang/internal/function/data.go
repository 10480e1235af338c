package function

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// fnSort is the entries of a vector in ascending order.
func fnSort(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := dataArg(ev, n, args, 0)
	if len(v.Shape) > 1 {
		ev.Fail(n, "", "sort takes a vector, but %s is %s", n.Args[0], v.Shape)
	}
	ev.Spend(n, 4*v.Len())
	return value.Vector(slices.Sorted(slices.Values(v.Numbers())))
}

// fnQuantile is the q-quantile of the entries, linear between neighbours: entry 1 + (n - 1)q of
// the sorted ones.
func fnQuantile(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v, q := dataArg(ev, n, args, 0), ev.Real(n.Args[1], args[1], "the order of a quantile")
	switch {
	case v.Len() == 0:
		ev.Fail(n, "", "quantile of nothing")
	case !(q >= 0 && q <= 1):
		ev.Fail(n.Args[1], "", "the order of a quantile lies between 0 and 1; it is %g", q)
	}
	ev.Spend(n, 4*v.Len())
	x := slices.Sorted(slices.Values(v.Numbers()))
	at, part := math.Modf(q * float64(len(x)-1))
	lo, hi := x[int(at)], x[min(int(at)+1, len(x)-1)]
	return ev.Finite(n, value.Number(float64(lo*(1-part))+float64(hi*part)))
}

// fnLinspace is n numbers from a to b, both included, in equal steps.
func fnLinspace(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	a, b := ev.Real(n.Args[0], args[0], "the first number"), ev.Real(n.Args[1], args[1], "the last number")
	out := make([]float64, ev.Room(n, []int{ev.Dimension(n.Args[2], args[2])}))
	for k := range out {
		t := float64(k) / float64(max(len(out)-1, 1))
		out[k] = float64(a*(1-t)) + float64(b*t)
	}
	return ev.Finite(n, value.Vector(out))
}

// fnProd is the product of the entries.
func fnProd(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	p, v := 1.0, args[0]
	if !v.IsData() {
		ev.Fail(n, "write the factors with *", "%s takes data only, but %s depends on a variable", n.Name, n.Args[0])
	}
	for _, x := range v.Numbers() {
		p *= x
	}
	return ev.Finite(n, value.Number(p))
}

// square is argument 0, a square matrix of data, and its order.
func square(ev *eval.Evaluator, n *syntax.Node, args []value.Value) (data []float64, order int) {
	v := dataArg(ev, n, args, 0)
	if order = 1; v.Len() != 1 {
		order = orderOf(ev, n, n.Args[0], v.Shape, 1)
	}
	ev.Spend(n, int(min(math.Pow(float64(order), 3)/64, 1<<30)))
	return v.Numbers(), order
}

// fnChol is the lower triangular L with A = L*L'.
func fnChol(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	data, d := square(ev, n, args)
	a := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			x, y := data[i*d+j], data[j*d+i]
			if !(math.Abs(x-y) <= eval.NearInteger*max(math.Abs(x), math.Abs(y))) {
				ev.Fail(n.Args[0], "", "chol needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]",
					n.Args[0], x, i+1, j+1, y, j+1, i+1)
			}
			a.SetSym(i, j, x/2+y/2)
		}
	}
	r := a.RawSymmetric() // L', of which the lower triangle is no part
	ok, err := dense.Cholesky(ev.Patience(), r)
	ev.GoOn(err)
	if !ok {
		ev.FailDomain(n.Args[0], "chol needs a positive definite matrix, and %s is not", n.Args[0])
	}
	out := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			out[i*d+j] = r.Data[j*r.Stride+i]
		}
	}
	return ev.Finite(n, value.Array([]int{d, d}, out))
}

// fnInv is the inverse of a square matrix.
func fnInv(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	data, d := square(ev, n, args)
	inverse, cond, err := dense.Inverse(ev.Patience(), d, data)
	ev.GoOn(err)
	if inverse == nil {
		ev.Fail(n.Args[0], "", "inv needs a regular matrix, and %s is singular or nearly so: its condition number "+
			"is about %.1g", n.Args[0], cond)
	}
	return ev.Finite(n, value.Array([]int{d, d}, inverse))
}

// dataArg is argument k, which must not depend on a variable.
func dataArg(ev *eval.Evaluator, n *syntax.Node, args []value.Value, k int) value.Value {
	v := args[k]
	if !v.IsData() {
		ev.Fail(n, "", "%s takes data only, but %s depends on a variable", n.Name, n.Args[k])
	}
	return v
}

// ofData serves functions of every number of an array.
func ofData(f func(float64) float64) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		return ev.EachNumber(n, dataArg(ev, n, args, 0), f)
	}
}

// constants serves zeros and ones.
func constants(x float64) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		shape := make([]int, len(args))
		for k := range args {
			shape[k] = ev.Dimension(n.Args[k], args[k])
		}
		return value.Array(shape, slices.Repeat([]float64{x}, ev.Room(n, shape)))
	}
}

func onlyStart(ev *eval.Evaluator, n *syntax.Node, _ []value.Value) value.Value {
	ev.Fail(n, "", "%s stands only after start, as in start %s", n.Name, n)
	return value.Value{}
}

func fnEye(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	d := ev.Dimension(n.Args[0], args[0])
	out := make([]float64, ev.Room(n, []int{d, d}))
	for k := range d {
		out[k*(d+1)] = 1
	}
	return value.Array([]int{d, d}, out)
}

// extent serves the numbers of rows and of columns.
func extent(d int) eval.Apply {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
		v, help := args[0], ""
		if len(v.Shape) == 1 {
			help = "len counts the entries of a vector"
		}
		if len(v.Shape) != 2 {
			ev.Fail(n, help, "%s counts in a matrix, but %s is %s", n.Name, n.Args[0], v.Shape)
		}
		return value.Number(float64(v.Shape[d]))
	}
}

func fnLen(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) > 1 {
		ev.Fail(n, "use rows or cols", "len counts the entries of a vector, but %s is %s", n.Args[0], v.Shape)
	}
	return value.Number(float64(v.Len()))
}

// fnStd is the standard deviation with divisor n.
func fnStd(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v := dataArg(ev, n, args, 0)
	if v.Len() == 0 {
		ev.Fail(n, "", "std of nothing")
	}
	mean := 0.0
	for _, x := range v.Numbers() {
		mean += x / float64(v.Len())
	}
	s := 0.0
	for _, x := range v.Numbers() {
		s += (x - mean) * (x - mean) / float64(v.Len())
	}
	return ev.Finite(n, value.Number(math.Sqrt(s)))
}
