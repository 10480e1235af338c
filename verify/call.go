package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc/lang/reader"
)

// powers are functions that are powers, by their exponents.
var powers = map[string]float64{"square": 2, "sqrt": 0.5, "invpos": -1}

// ofData are functions of one number that take data only.
var ofData = map[string]func(float64) float64{
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round,
}

// folded is a number if all arguments are, and no number if it has no value.
func folded(e *expr) *expr {
	if slices.ContainsFunc(e.args, func(a *expr) bool { return !a.isConst() }) {
		return e
	}
	b, outside, err := enclose(e, newValues(nil, false))
	if outside != "" || err != nil {
		return number(math.NaN())
	}
	v, _ := b.lo.Float64() // the nearest, as the interval is narrow
	return number(v)
}

// apply is an operation with a number on expressions.
func apply(o op, num float64, args ...*expr) *expr { return folded(&expr{op: o, num: num, args: args}) }

// ofCurve is a function of one number. Data are as the mathematical library has them.
func ofCurve(k kind, p float64, e *expr) *expr {
	if f := curves[k].plain; f != nil && e.isConst() {
		return number(f(e.num))
	}
	return folded(&expr{op: opCurve, num: p, k: int(k), args: []*expr{e}})
}

// plus is a sum.
func plus(es []*expr) *expr { return total(es, slices.Repeat([]float64{1}, len(es))) }

// call is a function of the language.
func (s *scope) call(n *reader.Node) (out value) {
	defer func() { // numbers and shapes of arguments are the compiler's to check
		v := recover()
		if f, ok := v.(fault); ok {
			panic(f)
		}
		if v != nil || slices.ContainsFunc(out.e, (*expr).ofNothing) {
			fail("%s does not take these arguments; dcopt check says why", n.Name)
		}
	}()
	switch n.Name {
	case "csv", "json", "npy", "npz", "mtx", "header":
		return s.files(n)
	}
	args := make([]value, len(n.Args))
	for k, a := range n.Args {
		if n.Name == "len" {
			if v := s.eval(a); v.isSet {
				return numeric(float64(len(v.set)))
			}
		}
		args[k] = s.plain(a)
	}
	return s.callValues(n.Name, args)
}

// callValues is a function of numbers.
func (s *scope) callValues(name string, args []value) value {
	if len(args) > 0 {
		if v, ok := s.complexCall(name, args); ok {
			return v
		}
	}
	if p, ok := powers[name]; ok {
		return args[0].each(func(e *expr) *expr { return raised(e, p) })
	}
	if f, ok := ofData[name]; ok {
		args[0].data(name)
		return args[0].each(func(e *expr) *expr { return number(f(e.num)) })
	}
	given := func(what string, otherwise float64) float64 { // the second argument
		if len(args) < 2 {
			return otherwise
		}
		return args[1].real(what)
	}
	if k := curveOf(name); k >= 0 {
		p := 0.0
		if curves[k].param {
			p = given("the second argument of "+name, 1)
		}
		return args[0].each(func(e *expr) *expr { return ofCurve(kind(k), p, e) })
	}
	for _, of := range []func(string, []value) (value, bool){s.shape, s.ofNumbers, s.overDimension, s.matrixCall} {
		if v, ok := of(name, args); ok {
			return v
		}
	}
	es := args[0].e
	switch name {
	case "pos":
		return s.fold("max", []value{args[0], numeric(0)})
	case "kl":
		return pair(args[0], args[1], divergence)
	case "rel_entr": // u·log(u/v) = kl + u − v
		return pair(args[0], args[1], func(u, v *expr) *expr {
			return sumOf([]*expr{divergence(u, v), u, v}, []float64{1, 1, -1})
		})
	case "dc":
		return pair(args[0], args[1], func(g, h *expr) *expr { return sumOf([]*expr{g, h}, []float64{1, -1}) })
	case "max", "min":
		if len(args) == 1 {
			args = nil
			for _, e := range es {
				args = append(args, scalar(e))
			}
			if len(args) == 0 {
				fail("%s of nothing", name)
			}
		}
		return s.fold(name, args)
	case "cumsum":
		out := make([]*expr, len(es))
		for k := range es {
			out[k] = plus(es[:k+1])
		}
		return vector(out)
	case "geomean":
		es = nil
		for _, a := range args {
			es = append(es, a.e...)
		}
		return scalar(geometric(es, slices.Repeat([]float64{1 / float64(len(es))}, len(es))))
	}
	return scalar(s.one(name, es, args, given))
}

// one is a function of arrays that is one number. es is the entries of the first.
func (s *scope) one(name string, es []*expr, args []value, given func(string, float64) float64) *expr {
	switch name {
	case "sum":
		return plus(es)
	case "mean":
		return total(es, slices.Repeat([]float64{1 / float64(len(es))}, len(es)))
	case "norm1":
		return s.norm(es, 1)
	case "norm2":
		return s.norm(es, 2)
	case "norminf":
		return s.norm(es, math.Inf(1))
	case "norm":
		return s.norm(es, given("the exponent of norm", 2))
	case "sumsq":
		squares := vector(es).each(func(e *expr) *expr { return raised(e, 2) })
		return plus(squares.e)
	case "sumlargest":
		k := args[1].whole("the count of sumlargest")
		return sumLargest(es, min(max(k, 0), len(es)))
	case "dotsort":
		w := slices.Clone(args[1].data("the weights of dotsort"))
		slices.Sort(w)
		slices.Reverse(w)
		w = append(w, 0)
		var parts []*expr
		var weights []float64
		for k := range len(w) - 1 {
			parts, weights = append(parts, sumLargest(es, k+1)), append(weights, w[k]-w[k+1])
		}
		return sumOf(parts, weights)
	case "lse":
		if len(es) == 1 {
			return es[0]
		}
		return apply(opLSE, 0, es...)
	case "quad":
		q := args[1].data("the matrix of quad")
		n := len(es)
		if len(q) != n*n {
			fail("quad of %d entries with a matrix of %d", n, len(q))
		}
		var parts []*expr
		var weights []float64
		for i := range n {
			for j := i; j < n; j++ {
				for _, w := range [2]float64{q[i*n+j], q[j*n+i]} {
					if w != 0 {
						parts, weights = append(parts, product(es[i], es[j])), append(weights, w)
					}
					if i == j {
						break
					}
				}
			}
		}
		return total(parts, weights)
	case "quadoverlin":
		return apply(opQuadOver, 0, append(slices.Clone(es), args[1].e[0])...)
	case "wgeomean":
		w := slices.Clone(args[1].data("the weights of wgeomean"))
		sum := 0.0
		for _, v := range w {
			sum += v
		}
		for k := range w {
			w[k] /= sum
		}
		return geometric(es, w)
	}
	panic(fault{&UnknownError{name}})
}

func divergence(u, v *expr) *expr { return apply(opKL, 0, u, v) }

func geometric(es []*expr, weights []float64) *expr {
	return folded(&expr{op: opGeo, args: es, weights: weights})
}

func sumLargest(es []*expr, k int) *expr {
	if k == len(es) || k == 0 {
		return plus(es[:k])
	}
	return folded(&expr{op: opLargest, k: k, args: es})
}

// norm is the p-norm.
func (s *scope) norm(es []*expr, p float64) *expr {
	switch {
	case len(es) == 0:
		return number(0)
	case p == 1 || len(es) == 1:
		sizes := vector(es).each(func(e *expr) *expr { return ofCurve(isAbs, 0, e) })
		return plus(sizes.e)
	case math.IsInf(p, 1):
		both := make([]*expr, 0, 2*len(es))
		for _, e := range es {
			both = append(both, e, scaled(-1, e))
		}
		return largest(both)
	}
	return apply(opNorm, p, es...)
}

// shape is the functions of shapes and of data alone.
func (s *scope) shape(name string, args []value) (value, bool) {
	dims := func(vs []value) []int {
		out := make([]int, len(vs))
		for k := range vs {
			out[k] = vs[k].whole("a dimension")
		}
		s.hold(size(out))
		return out
	}
	var v value
	if len(args) > 0 {
		v = args[0]
	}
	switch name {
	case "rows":
		m, _ := v.matrix()
		return numeric(float64(m)), true
	case "cols":
		_, n := v.matrix()
		return numeric(float64(n)), true
	case "len":
		return numeric(float64(len(v.e))), true
	case "vec":
		return vector(v.e), true
	case "reshape":
		return array(dims(args[1:]), v.e), true
	case "zeros", "ones":
		shape, c := dims(args), map[string]float64{"ones": 1}[name]
		return array(shape, slices.Repeat([]*expr{number(c)}, size(shape))), true
	case "eye":
		n := v.whole("a dimension")
		s.hold(size([]int{n, n}))
		return diagonal(slices.Repeat([]*expr{number(1)}, n)), true
	case "sort":
		x := slices.Clone(v.data("sort"))
		slices.Sort(x)
		return numbers(x), true
	case "std":
		x := v.data("std")
		mean, sq := 0.0, 0.0
		for _, y := range x {
			mean += y / float64(len(x))
		}
		for _, y := range x {
			sq += (y - mean) * (y - mean) / float64(len(x))
		}
		return numeric(math.Sqrt(sq)), true
	case "inv":
		n, _ := v.matrix()
		var out mat.Dense
		var c mat.Condition
		err := out.Inverse(mat.NewDense(n, n, v.data(name)))
		if err != nil && (!errors.As(err, &c) || math.IsInf(float64(c), 1)) {
			fail("inv of a singular matrix")
		}
		return dense(&out), true
	case "chol":
		n, _ := v.matrix()
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(n, v.data(name))) {
			fail("chol of a matrix that is not positive definite")
		}
		var l mat.TriDense
		c.LTo(&l)
		return dense(&l), true
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
		return vector(out), true
	case "kron":
		m, n := v.matrix()
		p, q := args[1].matrix()
		out := make([]*expr, 0, m*n*p*q)
		for i := range m * p {
			for j := range n * q {
				out = append(out, product(v.e[i/p*n+j/q], args[1].e[i%p*q+j%q]))
			}
		}
		return array([]int{m * p, n * q}, out), true
	case "trace":
		return scalar(plus(onDiagonal(v))), true
	case "diag":
		if len(v.shape) == 2 {
			return vector(onDiagonal(v)), true
		}
		return diagonal(v.e), true
	}
	return value{}, false
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

// matrixCall is the functions of matrices.
func (s *scope) matrixCall(name string, args []value) (value, bool) {
	if len(args) == 0 {
		return value{}, false
	}
	v := args[0]
	square := func() int {
		n, m := v.matrix()
		if n != m {
			fail("%s of a matrix that is not square", name)
		}
		return n
	}
	var e *expr
	switch name {
	case "lambda_max":
		e = &expr{op: opEigen, num: 1, k: square(), args: v.e}
	case "lambda_min":
		e = smallest(square(), v.e)
	case "lambda_sumlargest":
		e = &expr{op: opEigen, num: args[1].real("the count of lambda_sumlargest"), k: square(), args: v.e}
	case "logdet":
		e = &expr{op: opLogDet, k: square(), args: v.e}
	case "sigma_max", "normnuc": // the eigenvalues of AᵀA are the squares of the singular values
		m, n := v.matrix()
		if n > m {
			v, n = transpose(v), m
		}
		s.spend(len(v.e) * n)
		gram := times(transpose(v), v)
		if e = (&expr{op: opRoots, k: n, args: gram.e}); name == "sigma_max" {
			e = raised(&expr{op: opEigen, num: 1, k: n, args: gram.e}, 0.5)
		}
	case "matfrac":
		n, _ := args[1].matrix()
		_, k := v.matrix()
		e = &expr{op: opMatFrac, num: float64(k), k: n, args: append(slices.Clone(args[1].e), v.e...)}
	default:
		return value{}, false
	}
	return scalar(e), true
}

// files reads a data file.
func (s *scope) files(n *reader.Node) value {
	text := func(k int) string {
		a := n.Args[k]
		if a.Op == reader.OpNot {
			a = a.Args[0]
		}
		v := s.eval(a)
		w, ok := v.word.(string)
		if !ok {
			fail("%s wants a name in quotes", n.Name)
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
	if len(n.Args) == 1 || n.Args[1].Op == reader.OpNot {
		all, err := s.data.Header(text(0))
		if err != nil {
			fail("%v", err)
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
			fail("%v", err)
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
		fail("%v", err)
	}
	s.hold(len(x))
	v := numbers(x)
	if len(shape) == 0 {
		return scalar(v.e[0])
	}
	return array(shape, v.e)
}
