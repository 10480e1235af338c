package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// shape is the functions of shapes and of data alone.
func (s *scope) shape(name string, args []value) value {
	dims := func(vs []value) []int {
		out := make([]int, len(vs))
		for k := range vs {
			out[k] = vs[k].whole("a dimension")
		}
		s.hold(size(out))
		return out
	}
	v := args[0]
	switch name {
	case "rows":
		m, _ := v.matrix()
		return numeric(float64(m))
	case "cols":
		_, n := v.matrix()
		return numeric(float64(n))
	case "len":
		return numeric(float64(len(v.e)))
	case "vec":
		return vector(v.e)
	case "reshape":
		return array(dims(args[1:]), v.e)
	case "zeros", "ones":
		shape, c := dims(args), map[string]float64{"ones": 1}[name]
		return array(shape, slices.Repeat([]*expr{number(c)}, size(shape)))
	case "eye":
		n := v.whole("a dimension")
		s.hold(size([]int{n, n}))
		return diagonal(slices.Repeat([]*expr{number(1)}, n))
	case "sort":
		x := slices.Clone(v.data("sort"))
		slices.Sort(x)
		return numbers(x)
	case "std":
		x := v.data("std")
		mean, sq := 0.0, 0.0
		for _, y := range x {
			mean += y / float64(len(x))
		}
		for _, y := range x {
			sq += (y - mean) * (y - mean) / float64(len(x))
		}
		return numeric(math.Sqrt(sq))
	case "inv":
		n, _ := v.matrix()
		var out mat.Dense
		var c mat.Condition
		err := out.Inverse(mat.NewDense(n, n, v.data(name)))
		if err != nil && (!errors.As(err, &c) || math.IsInf(float64(c), 1)) {
			safe.Fail("inv of a singular matrix")
		}
		return dense(&out)
	case "chol":
		n, _ := v.matrix()
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(n, v.data(name))) {
			safe.Fail("chol of a matrix that is not positive definite")
		}
		var l mat.TriDense
		c.LTo(&l)
		return dense(&l)
	case "conv":
		a, x := v.e, args[1].e
		out := make([]*expr, max(0, len(a)+len(x)-1))
		for k := range out {
			var es []*expr
			for i := range a {
				if j := k - i; j >= 0 && j < len(x) {
					es = append(es, product(a[i], x[j]))
				}
			}
			out[k] = plus(es)
		}
		return vector(out)
	case "kron":
		m, n := v.matrix()
		p, q := args[1].matrix()
		out := make([]*expr, 0, m*n*p*q)
		for i := range m * p {
			for j := range n * q {
				out = append(out, product(v.e[i/p*n+j/q], args[1].e[i%p*q+j%q]))
			}
		}
		return array([]int{m * p, n * q}, out)
	case "trace":
		return scalar(plus(onDiagonal(v)))
	case "diag":
		if len(v.shape) == 2 {
			return vector(onDiagonal(v))
		}
		return diagonal(v.e)
	case "linspace":
		a, b, n := args[0].real("a number"), args[1].real("a number"), args[2].whole("a dimension")
		s.hold(n)
		x := make([]float64, n)
		for k := range x {
			t := float64(k) / float64(max(n-1, 1))
			x[k] = float64(a*(1-t)) + float64(b*t)
		}
		return numbers(x)
	case "quantile":
		x := slices.Clone(args[0].data(name))
		slices.Sort(x)
		at, part := math.Modf(args[1].real("a number") * float64(len(x)-1))
		next := min(int(at)+1, len(x)-1)
		return numeric(float64(x[int(at)]*(1-part)) + float64(x[next]*part))
	case "prod":
		p := 1.0
		for _, x := range args[0].data(name) {
			p *= x
		}
		return numeric(p)
	}
	return s.matrixCall(name, args)
}

// onDiagonal has the entries on the diagonal of a matrix, diagonal is the matrix with such entries.
func onDiagonal(v value) []*expr {
	m, n := v.matrix()
	es := make([]*expr, m)
	for k := range es {
		es[k] = v.e[k*n+k]
	}
	return es
}

func diagonal(on []*expr) value {
	n := len(on)
	es := slices.Repeat([]*expr{number(0)}, n*n)
	for k, e := range on {
		es[k*n+k] = e
	}
	return array([]int{n, n}, es)
}

// dense is a matrix of numbers.
func dense(m mat.Matrix) value {
	rows, cols := m.Dims()
	v := numbers(mat.DenseCopyOf(m).RawMatrix().Data)
	return array([]int{rows, cols}, v.e)
}

func numbers(x []float64) value {
	es := make([]*expr, len(x))
	for k, v := range x {
		es[k] = number(v)
	}
	return vector(es)
}

// overDimension is the sum or mean over one dimension.
func (s *scope) overDimension(name string, args []value) value {
	v, d := args[0], args[1].whole("a dimension")-1
	shape, axes := slices.Clone(v.shape), slices.Clone(v.axes)
	count, inner := shape[d], size(shape[d+1:])
	out := array(slices.Delete(shape, d, d+1), nil)
	out.axes = slices.Delete(axes, d, d+1)
	weight := 1.0
	if name == "mean" {
		weight = 1 / float64(count)
	}
	for i := range size(out.shape) {
		var es []*expr
		for k := range count {
			es = append(es, v.e[(i/inner*count+k)*inner+i%inner])
		}
		out.e = append(out.e, total(es, slices.Repeat([]float64{weight}, count)))
	}
	return out
}

// files reads a data file.
func (s *scope) files(n *syntax.Node) value {
	text := func(k int) string {
		a := n.Args[k]
		if a.Op == syntax.OpNot {
			a = a.Args[0]
		}
		v := s.eval(a)
		w, ok := v.word.(string)
		if !ok {
			safe.Fail("%s wants a name in quotes", n.Name)
		}
		return w
	}
	if n.Name != "header" && (n.Name != "csv" || len(n.Args) == 1) {
		key := ""
		if len(n.Args) > 1 {
			key = text(1)
		}
		return s.file(n.Name, text(0), key)
	}
	var columns []string
	for k := range n.Args[1:] {
		columns = append(columns, text(k+1))
	}
	if len(n.Args) == 1 || n.Args[1].Op == syntax.OpNot {
		all, err := s.data.Header(text(0))
		if err != nil {
			safe.Fail("%v", err)
		}
		columns = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(columns, name) })
	}
	if n.Name == "header" {
		out := value{isSet: true}
		for _, name := range columns {
			out.set = append(out.set, member{name})
		}
		return out
	}
	var nums [][]float64
	var words [][]string
	rows, named := 0, false
	for _, column := range columns {
		x, w, err := s.data.Column(text(0), column)
		if err != nil {
			safe.Fail("%v", err)
		}
		nums, words = append(nums, x), append(words, w)
		rows, named = max(len(x), len(w)), named || w != nil
		s.hold(rows)
	}
	if !named {
		es := make([]*expr, 0, rows*len(nums))
		for i := range rows {
			for _, x := range nums {
				es = append(es, number(x[i]))
			}
		}
		if len(nums) == 1 {
			return vector(es)
		}
		return array([]int{rows, len(nums)}, es)
	}
	out, seen := value{isSet: true}, map[string]bool{}
	for i := range rows {
		var m member
		for k := range nums {
			if words[k] != nil {
				m = append(m, words[k][i])
			} else {
				m = append(m, int(math.Round(nums[k][i])))
			}
		}
		if key := fmt.Sprintf("%#v", m); !seen[key] {
			seen[key], out.set = true, append(out.set, m)
		}
	}
	return out
}

func (s *scope) file(function, name, key string) value {
	shape, x, err := s.data.Array(function, name, key)
	if err != nil {
		safe.Fail("%v", err)
	}
	s.hold(len(x))
	v := numbers(x)
	if len(shape) == 0 {
		return scalar(v.e[0])
	}
	return array(shape, v.e)
}
