package lang

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// fnSort is the entries of a vector in ascending order.
func (ev *evaluator) fnSort(n *node) value {
	v := ev.dataArg(n, 0)
	if len(v.shape) > 1 {
		ev.fail(n, "", "sort takes a vector, but %s is %s", ev.say(n.args[0]), shapeText(v.shape))
	}
	out := slices.Clone(v.numbers())
	ev.spend(n, 4*len(out))
	slices.Sort(out)
	return vector(out)
}

// square is argument 0, a square matrix of data, and its order.
func (ev *evaluator) square(n *node) (data []float64, order int) {
	v := ev.dataArg(n, 0)
	switch {
	case v.len() == 1:
		order = 1
	case len(v.shape) != 2 || v.shape[0] != v.shape[1] || v.len() == 0:
		ev.fail(n.args[0], "", "%s needs a square matrix, but %s is %s", n.name, ev.say(n.args[0]), shapeText(v.shape))
	default:
		order = v.shape[0]
	}
	ev.spend(n, int(min(math.Pow(float64(order), 3)/64, 1<<30)))
	return v.numbers(), order
}

// fnChol is the lower triangular L with A = L*L'.
func (ev *evaluator) fnChol(n *node) value {
	data, d := ev.square(n)
	a := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			x, y := data[i*d+j], data[j*d+i]
			if !(math.Abs(x-y) <= nearInteger*max(math.Abs(x), math.Abs(y))) {
				ev.fail(n.args[0], "", "chol needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]", ev.say(n.args[0]), x, i+1, j+1, y, j+1, i+1)
			}
			a.SetSym(i, j, x/2+y/2)
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		ev.failDomain(n.args[0], "chol needs a positive definite matrix, and %s is not", ev.say(n.args[0]))
	}
	var l mat.TriDense
	c.LTo(&l)
	out := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			out[i*d+j] = l.At(i, j)
		}
	}
	return ev.finite(n, array([]int{d, d}, out))
}

// fnInv is the inverse of a square matrix.
func (ev *evaluator) fnInv(n *node) value {
	data, d := ev.square(n)
	var lu mat.LU
	lu.Factorize(mat.NewDense(d, d, data))
	inverse := mat.NewDense(d, d, nil)
	if c := lu.Cond(); !(c < 1/epsilon) || lu.SolveTo(inverse, false, matrix{d, d, identity(d)}) != nil {
		ev.fail(n.args[0], "", "inv needs a regular matrix, and %s is singular or nearly so: its condition number is about %.1g", ev.say(n.args[0]), c)
	}
	return ev.finite(n, array([]int{d, d}, inverse.RawMatrix().Data))
}

// epsilon is the distance from 1 to the next float64: the inverse of a matrix
// with a larger condition number than 1/epsilon has no correct digit.
const epsilon = 0x1p-52

// identity is the entries of the identity matrix of order d.
func identity(d int) []float64 {
	out := make([]float64, d*d)
	for k := range d {
		out[k*d+k] = 1
	}
	return out
}
