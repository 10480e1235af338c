package lang

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// fnSort is the entries of a vector in ascending order.
func (ev *evaluator) fnSort(n *syntax.Node, args []value.Value) value.Value {
	v := ev.dataArg(n, args, 0)
	if len(v.Shape) > 1 {
		ev.fail(n, "", "sort takes a vector, but %s is %s", ev.say(n.Args[0]), value.ShapeText(v.Shape))
	}
	out := slices.Clone(v.Numbers())
	ev.spend(n, 4*len(out))
	slices.Sort(out)
	return value.Vector(out)
}

// square is argument 0, a square matrix of data, and its order.
func (ev *evaluator) square(n *syntax.Node, args []value.Value) (data []float64, order int) {
	v := ev.dataArg(n, args, 0)
	switch {
	case v.Len() == 1:
		order = 1
	case len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] || v.Len() == 0:
		ev.fail(n.Args[0], "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(n.Args[0]), value.ShapeText(v.Shape))
	default:
		order = v.Shape[0]
	}
	ev.spend(n, int(min(math.Pow(float64(order), 3)/64, 1<<30)))
	return v.Numbers(), order
}

// fnChol is the lower triangular L with A = L*L'.
func (ev *evaluator) fnChol(n *syntax.Node, args []value.Value) value.Value {
	data, d := ev.square(n, args)
	a := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			x, y := data[i*d+j], data[j*d+i]
			if !(math.Abs(x-y) <= nearInteger*max(math.Abs(x), math.Abs(y))) {
				ev.fail(n.Args[0], "", "chol needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]", ev.say(n.Args[0]), x, i+1, j+1, y, j+1, i+1)
			}
			a.SetSym(i, j, x/2+y/2)
		}
	}
	r := a.RawSymmetric() // L', of which the lower triangle is no part
	ok, err := dense.Cholesky(ev.patience(), r)
	ev.goOn(err)
	if !ok {
		ev.failDomain(n.Args[0], "chol needs a positive definite matrix, and %s is not", ev.say(n.Args[0]))
	}
	out := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			out[i*d+j] = r.Data[j*r.Stride+i]
		}
	}
	return ev.finite(n, value.Array([]int{d, d}, out))
}

// fnInv is the inverse of a square matrix.
func (ev *evaluator) fnInv(n *syntax.Node, args []value.Value) value.Value {
	data, d := ev.square(n, args)
	inverse, cond, err := dense.Inverse(ev.patience(), d, data)
	ev.goOn(err)
	if inverse == nil {
		ev.fail(n.Args[0], "", "inv needs a regular matrix, and %s is singular or nearly so: its condition number is about %.1g", ev.say(n.Args[0]), cond)
	}
	return ev.finite(n, value.Array([]int{d, d}, inverse))
}

// identity is the entries of the identity matrix of order d.
func identity(d int) []float64 {
	out := make([]float64, d*d)
	for k := range d {
		out[k*d+k] = 1
	}
	return out
}

// dataArg is argument k, which must not depend on a variable.
func (ev *evaluator) dataArg(n *syntax.Node, args []value.Value, k int) value.Value {
	v := args[k]
	if !v.IsData() {
		ev.fail(n, "", "%s takes data only, but %s depends on a variable", n.Name, ev.say(n.Args[k]))
	}
	return v
}

// ofData serves functions of every number of an array.
func ofData(f func(float64) float64) func(*evaluator, *syntax.Node, []value.Value) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Value) value.Value {
		return ev.eachNumber(n, ev.dataArg(n, args, 0), f)
	}
}

// constants serves zeros and ones.
func constants(x float64) func(*evaluator, *syntax.Node, []value.Value) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Value) value.Value {
		shape := make([]int, len(args))
		for k := range args {
			shape[k] = ev.dimension(n.Args[k], args[k])
		}
		out := make([]float64, ev.room(n, shape))
		for k := range out {
			out[k] = x
		}
		return value.Array(shape, out)
	}
}

func onlyStart(ev *evaluator, n *syntax.Node, _ []value.Value) value.Value {
	ev.fail(n, "", "%s stands only after start, as in start %s", n.Name, ev.say(n))
	return value.Value{}
}

func (ev *evaluator) fnEye(n *syntax.Node, args []value.Value) value.Value {
	d := ev.dimension(n.Args[0], args[0])
	ev.room(n, []int{d, d})
	return value.Array([]int{d, d}, identity(d))
}

func (ev *evaluator) fnRows(n *syntax.Node, args []value.Value) value.Value {
	return ev.extent(n, args[0], 0)
}
func (ev *evaluator) fnCols(n *syntax.Node, args []value.Value) value.Value {
	return ev.extent(n, args[0], 1)
}

func (ev *evaluator) extent(n *syntax.Node, v value.Value, d int) value.Value {
	if len(v.Shape) != 2 {
		help := ""
		if len(v.Shape) == 1 {
			help = "len counts the entries of a vector"
		}
		ev.fail(n, help, "%s counts in a matrix, but %s is %s", n.Name, ev.say(n.Args[0]), value.ShapeText(v.Shape))
	}
	return value.Number(float64(v.Shape[d]))
}

func (ev *evaluator) fnLen(n *syntax.Node, args []value.Value) value.Value {
	v := args[0]
	if len(v.Shape) > 1 {
		ev.fail(n, "use rows or cols", "len counts the entries of a vector, but %s is %s", ev.say(n.Args[0]), value.ShapeText(v.Shape))
	}
	return value.Number(float64(v.Len()))
}

// fnStd is the standard deviation with divisor n.
func (ev *evaluator) fnStd(n *syntax.Node, args []value.Value) value.Value {
	v := ev.dataArg(n, args, 0)
	if v.Len() == 0 {
		ev.fail(n, "", "std of nothing")
	}
	mean := 0.0
	for _, x := range v.Numbers() {
		mean += x / float64(v.Len())
	}
	s := 0.0
	for _, x := range v.Numbers() {
		s += (x - mean) * (x - mean) / float64(v.Len())
	}
	return ev.finite(n, value.Number(math.Sqrt(s)))
}
