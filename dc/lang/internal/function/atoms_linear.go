package function

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// fnVec is the entries of an array, in row-major order, as a vector.
func fnVec(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	return args[0].Reshape(args[0].Len())
}

// factors are two arguments one of which is data; swapped says that it is the second.
func factors(ev *eval.Evaluator, n *syntax.Node, args []value.Value) (data, v value.Value, swapped bool) {
	switch {
	case args[0].IsData():
		return args[0], args[1], false
	case args[1].IsData():
		return args[1], args[0], true
	}
	ev.Fail(n, "write the sums of products, as in sum(i in I) a[i]*x[i]",
		"%s needs an argument that is data, but both depend on variables", n.Name)
	return data, v, false
}

// overDimension is the sums of an array over the dimension that argument 1 names, from 1, and how
// many entries each of them adds. The other dimensions keep their indices.
func overDimension(ev *eval.Evaluator, n *syntax.Node, args []value.Value) (sums value.Value, count int) {
	v := args[0]
	d := ev.Integer(n.Args[1], args[1], "the dimension that "+n.Name+" adds over") - 1
	if d < 0 || d >= len(v.Shape) {
		ev.Fail(n.Args[1], "", "%s is %s and has no dimension %d", n.Args[0], v.Shape, d+1)
	}
	if len(v.Shape) == 1 {
		return ev.AddUp(n, v), v.Len()
	}
	var to value.Axes
	for e, size := range v.Shape {
		if e != d {
			to.Add(size, v.First(e), v.Set(e))
		}
	}
	count = v.Shape[d]
	inner := value.Size(v.Shape[d+1:])
	m := eval.LinearMap{Ptr: make([]int, 1, ev.Room(n, to.Shape)+1), Idx: make([]int, 0, v.Len())}
	for i := range value.Size(to.Shape) {
		for k := range count {
			m.Add((i/inner*count+k)*inner+i%inner, 1)
		}
		m.EndRow()
	}
	return ev.Mapped(n, m, v, to.Shape).Along(&to), count
}

// fnConv is the discrete convolution of two vectors.
func fnConv(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	for k := range args {
		if len(args[k].Shape) > 1 || args[k].Len() == 0 {
			ev.Fail(n.Args[k], "", "conv takes vectors with entries, but %s is %s", n.Args[k], args[k].Shape)
		}
	}
	a, v, _ := factors(ev, n, args)
	rows, terms := a.Len()+v.Len()-1, a.Len()*v.Len()
	ev.Spend(n, eval.UnitsNumber*terms)
	ev.Fits(n, []int{terms})
	m := eval.LinearMap{Ptr: make([]int, 1, rows+1), Idx: make([]int, 0, terms), Val: make([]float64, 0, terms)}
	for k := range rows {
		for j := max(0, k-a.Len()+1); j <= min(k, v.Len()-1); j++ {
			m.Add(j, a.At(k-j))
		}
		m.EndRow()
	}
	return ev.Mapped(n, m, v, []int{rows})
}

// fnKron is the Kronecker product of two matrices, of which vectors are columns.
func fnKron(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	var dims [2][2]int
	vectors := true
	for k := range args {
		switch s := args[k].Shape; len(s) {
		case 0:
			dims[k] = [2]int{1, 1}
		case 1:
			dims[k] = [2]int{s[0], 1}
		case 2:
			dims[k], vectors = [2]int{s[0], s[1]}, false
		default:
			ev.Fail(n.Args[k], "", "kron takes matrices and vectors, but %s is %s", n.Args[k], value.Shape(s))
		}
	}
	a, v, swapped := factors(ev, n, args)
	shape := []int{dims[0][0] * dims[1][0], dims[0][1] * dims[1][1]}
	if vectors {
		shape = shape[:1]
	}
	var m eval.LinearMap
	m.Ptr = make([]int, 1, ev.Room(n, shape)+1)
	for i := range shape[0] {
		for j := range dims[0][1] * dims[1][1] {
			first := i/dims[1][0]*dims[0][1] + j/dims[1][1]
			second := i%dims[1][0]*dims[1][1] + j%dims[1][1]
			if swapped {
				first, second = second, first
			}
			m.Add(second, a.At(first))
			m.EndRow()
		}
	}
	return ev.Mapped(n, m, v, shape)
}

// fnDotSort is the inner product of the sorted entries and the sorted weights.
func fnDotSort(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	v, w := args[0], ev.Numeric(n.Args[1], args[1], "the weights of dotsort")
	switch {
	case v.Len() != w.Len():
		ev.ShapesDiffer(n, n.Args[0], n.Args[1], &v, &w)
	case v.Sort != value.Expressions:
		ev.Spend(n, v.Len()*v.Len())
		return ev.Atom(n, dc.DotSort(v.Function(), slices.Clone(w.Numbers())), v.Costs().Weight*v.Len())
	}
	return composed(ev, n, lifted(ev, n, v), "entries with a split", dc.DotSort(v.Function(), w.Numbers()))
}
