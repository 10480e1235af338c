package lang

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// fnVec is the entries of an array, in row-major order, as a vector.
func (ev *evaluator) fnVec(n *syntax.Node, args []value) value { return args[0].reshape(args[0].len()) }

// factors are two arguments one of which is data; swapped says that it is the second.
func (ev *evaluator) factors(n *syntax.Node, args []value) (data, v value, swapped bool) {
	switch {
	case args[0].isData():
		return args[0], args[1], false
	case args[1].isData():
		return args[1], args[0], true
	}
	ev.fail(n, "write the sums of products, as in sum(i in I) a[i]*x[i]", "%s needs an argument that is data, but both depend on variables", n.Name)
	return data, v, false
}

// fnConv is the discrete convolution of two vectors.
func (ev *evaluator) fnConv(n *syntax.Node, args []value) value {
	for k := range args {
		if len(args[k].shape) > 1 || args[k].len() == 0 {
			ev.fail(n.Args[k], "", "conv takes vectors with entries, but %s is %s", ev.say(n.Args[k]), shapeText(args[k].shape))
		}
	}
	a, v, _ := ev.factors(n, args)
	rows, terms := a.len()+v.len()-1, a.len()*v.len()
	ev.spend(n, unitsNumber*terms)
	ev.fits(n, []int{terms})
	m := linearMap{ptr: make([]int, 1, rows+1), idx: make([]int, 0, terms), val: make([]float64, 0, terms)}
	for k := range rows {
		for j := max(0, k-a.len()+1); j <= min(k, v.len()-1); j++ {
			m.add(j, a.at(k-j))
		}
		m.endRow()
	}
	return ev.mapped(n, m, v, []int{rows})
}

// fnKron is the Kronecker product of two matrices, of which vectors are columns.
func (ev *evaluator) fnKron(n *syntax.Node, args []value) value {
	var dims [2][2]int
	vectors := true
	for k := range args {
		switch s := args[k].shape; len(s) {
		case 0:
			dims[k] = [2]int{1, 1}
		case 1:
			dims[k] = [2]int{s[0], 1}
		case 2:
			dims[k], vectors = [2]int{s[0], s[1]}, false
		default:
			ev.fail(n.Args[k], "", "kron takes matrices and vectors, but %s is %s", ev.say(n.Args[k]), shapeText(s))
		}
	}
	a, v, swapped := ev.factors(n, args)
	shape := []int{dims[0][0] * dims[1][0], dims[0][1] * dims[1][1]}
	if vectors {
		shape = shape[:1]
	}
	var m linearMap
	m.ptr = make([]int, 1, ev.room(n, shape)+1)
	for i := range shape[0] {
		for j := range dims[0][1] * dims[1][1] {
			first := i/dims[1][0]*dims[0][1] + j/dims[1][1]
			second := i%dims[1][0]*dims[1][1] + j%dims[1][1]
			if swapped {
				first, second = second, first
			}
			m.add(second, a.at(first))
			m.endRow()
		}
	}
	return ev.mapped(n, m, v, shape)
}

// add adds a coefficient to the last row.
func (m *linearMap) add(k int, w float64) {
	if w != 0 {
		m.idx, m.val = append(m.idx, k), append(m.val, w)
	}
}

func (m *linearMap) endRow() { m.ptr = append(m.ptr, len(m.idx)) }

// fnDotSort is the inner product of the sorted entries and the sorted weights.
func (ev *evaluator) fnDotSort(n *syntax.Node, args []value) value {
	v, w := args[0], ev.numeric(n.Args[1], args[1], "the weights of dotsort")
	switch {
	case v.len() != w.len():
		ev.shapesDiffer(n, n.Args[0], n.Args[1], &v, &w)
	case v.sort != general:
		ev.spend(n, v.len()*v.len())
		return ev.atom(n, dc.DotSort(v.affine(), slices.Clone(w.numbers())), v.costs().weight*v.len())
	}
	c := v.cost
	c.parts, c.weight = c.parts*v.len(), c.weight*v.len()
	v = v.costed(ev.afford(n, c.capped()))
	return ev.composed(n, v, "entries with a split", dc.DotSortOf(operands(&v), w.numbers()))
}
