package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc/lang/reader"
)

// one makes a function of one number.
func one(o op, num float64, f func(float64) float64) func(*expr) *expr {
	return func(e *expr) *expr {
		if e.isConst() {
			return number(f(e.num))
		}
		return &expr{op: o, num: num, args: []*expr{e}}
	}
}

// entrywise is the functions of one number.
func entrywise(name string) func(*expr) *expr {
	switch name {
	case "abs":
		return one(opAbs, 0, math.Abs)
	case "pos":
		return func(e *expr) *expr { return largest([]*expr{e, number(0)}) }
	case "square":
		return func(e *expr) *expr { return raised(e, 2) }
	case "sqrt":
		return func(e *expr) *expr {
			if e.isConst() {
				return number(math.Sqrt(e.num))
			}
			return raised(e, 0.5)
		}
	case "invpos":
		return func(e *expr) *expr { return raised(e, -1) }
	case "exp":
		return one(opExp, 0, math.Exp)
	case "log":
		return one(opLog, 0, math.Log)
	case "entr":
		return one(opEntropy, 0, func(v float64) float64 {
			if v == 0 {
				return 0
			}
			return -v * math.Log(v)
		})
	case "logistic":
		return one(opLogistic, 0, func(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) })
	case "xexp":
		return one(opXExp, 0, func(v float64) float64 { return v * math.Exp(v) })
	case "sin", "cos", "floor", "ceil", "round":
		f := map[string]func(float64) float64{"sin": math.Sin, "cos": math.Cos, "floor": math.Floor, "ceil": math.Ceil, "round": math.Round}[name]
		return func(e *expr) *expr {
			if !e.isConst() {
				fail("%s takes data only", name)
			}
			return number(f(e.num))
		}
	}
	return nil
}

// geometric is a geometric mean; of data a number.
func geometric(es []*expr, weights []float64) *expr {
	v := 1.0
	for k, e := range es {
		if !e.isConst() {
			return &expr{op: opGeo, args: es, weights: weights}
		}
		if v *= math.Pow(e.num, weights[k]); e.num < 0 {
			v = math.NaN()
		}
	}
	return number(v)
}

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
	case "csv", "json", "npy", "npz", "mtx":
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
	if f := entrywise(name); f != nil {
		return args[0].each(f)
	}
	if v, ok := s.shape(name, args); ok {
		return v
	}
	if v, ok := s.matrixCall(name, args); ok {
		return v
	}
	es := args[0].e
	switch name {
	case "huber":
		m := 1.0
		if len(args) > 1 {
			m = args[1].real("the threshold of huber")
		}
		return args[0].each(one(opHuber, m, func(v float64) float64 {
			if a := math.Abs(v); a > m {
				return 2*m*a - m*m
			}
			return v * v
		}))
	case "kl":
		return pair(args[0], args[1], divergence)
	case "rel_entr": // u·log(u/v) = kl + u − v
		return pair(args[0], args[1], func(u, v *expr) *expr {
			return sumOf([]*expr{divergence(u, v), u, v}, []float64{1, 1, -1})
		})
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
	case "sum":
		return scalar(total(es, slices.Repeat([]float64{1}, len(es))))
	case "mean":
		return scalar(total(es, slices.Repeat([]float64{1 / float64(len(es))}, len(es))))
	case "cumsum":
		out := make([]*expr, len(es))
		for k := range es {
			out[k] = total(es[:k+1], slices.Repeat([]float64{1}, k+1))
		}
		return vector(out)
	case "norm1":
		return scalar(s.norm(es, 1))
	case "norm2":
		return scalar(s.norm(es, 2))
	case "norminf":
		return scalar(s.norm(es, math.Inf(1)))
	case "norm":
		p := 2.0
		if len(args) > 1 {
			p = args[1].real("the exponent of norm")
		}
		return scalar(s.norm(es, p))
	case "sumsq":
		return scalar(squares(es))
	case "sumlargest":
		k := args[1].whole("the count of sumlargest")
		return scalar(sumLargest(es, min(max(k, 0), len(es))))
	case "dotsort":
		w := slices.Clone(args[1].data("the weights of dotsort"))
		slices.Sort(w)
		slices.Reverse(w)
		var parts []*expr
		var weights []float64
		for k := range w {
			next := 0.0
			if k+1 < len(w) {
				next = w[k+1]
			}
			parts, weights = append(parts, sumLargest(es, k+1)), append(weights, w[k]-next)
		}
		return scalar(sumOf(parts, weights))
	case "lse":
		if len(es) == 1 {
			return scalar(es[0])
		}
		return scalar(&expr{op: opLSE, args: es})
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
		return scalar(total(parts, weights))
	case "quadoverlin":
		return scalar(&expr{op: opQuadOver, args: append(slices.Clone(es), args[1].e[0])})
	case "geomean":
		var all []*expr
		for _, a := range args {
			all = append(all, a.e...)
		}
		return scalar(geometric(all, slices.Repeat([]float64{1 / float64(len(all))}, len(all))))
	case "wgeomean":
		w := args[1].data("the weights of wgeomean")
		sum := 0.0
		for _, v := range w {
			sum += v
		}
		out := make([]float64, len(w))
		for k, v := range w {
			out[k] = v / sum
		}
		return scalar(geometric(es, out))
	case "dc":
		return pair(args[0], args[1], func(g, h *expr) *expr { return sumOf([]*expr{g, h}, []float64{1, -1}) })
	}
	fail("the function %s is not known to verify", name)
	return value{}
}

func divergence(u, v *expr) *expr { return &expr{op: opKL, args: []*expr{u, v}} }

func squares(es []*expr) *expr {
	sq := make([]*expr, len(es))
	for k, e := range es {
		sq[k] = raised(e, 2)
	}
	return total(sq, slices.Repeat([]float64{1}, len(sq)))
}

func sumLargest(es []*expr, k int) *expr {
	if k == len(es) || k == 0 {
		return total(es[:k], slices.Repeat([]float64{1}, k))
	}
	return &expr{op: opLargest, k: k, args: es}
}

// norm is the p-norm.
func (s *scope) norm(es []*expr, p float64) *expr {
	abs := entrywise("abs")
	sizes := make([]*expr, len(es))
	for k, e := range es {
		sizes[k] = abs(e)
	}
	constant := !slices.ContainsFunc(es, func(e *expr) bool { return !e.isConst() })
	switch {
	case len(es) == 0:
		return number(0)
	case p == 1 || len(es) == 1:
		return total(sizes, slices.Repeat([]float64{1}, len(sizes)))
	case math.IsInf(p, 1):
		both := make([]*expr, 0, 2*len(es))
		for _, e := range es {
			both = append(both, e, scaled(-1, e))
		}
		return largest(both)
	case constant && p == 2:
		v := 0.0
		for _, e := range es {
			v = math.Hypot(v, e.num)
		}
		return number(v)
	case constant:
		v := 0.0
		for _, e := range sizes {
			v += math.Pow(e.num, p)
		}
		return number(math.Pow(v, 1/p))
	}
	return &expr{op: opNorm, num: p, args: es}
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
	case "rows", "cols":
		m, n := v.matrix()
		if name == "rows" {
			return numeric(float64(m)), true
		}
		return numeric(float64(n)), true
	case "len":
		return numeric(float64(len(v.e))), true
	case "vec":
		return vector(v.e), true
	case "reshape":
		return array(dims(args[1:]), v.e), true
	case "zeros", "ones":
		c := 0.0
		if name == "ones" {
			c = 1
		}
		shape := dims(args)
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
	case "chol", "inv":
		n, _ := v.matrix()
		a := mat.NewDense(n, n, slices.Clone(v.data(name)))
		out := mat.NewDense(n, n, nil)
		if name == "inv" {
			if err := out.Inverse(a); err != nil {
				var c mat.Condition
				if !errors.As(err, &c) || math.IsInf(float64(c), 1) {
					fail("inv of a singular matrix")
				}
			}
		} else {
			var c mat.Cholesky
			sym := mat.NewSymDense(n, nil)
			for i := range n {
				for j := i; j < n; j++ {
					sym.SetSym(i, j, a.At(i, j))
				}
			}
			if !c.Factorize(sym) {
				fail("chol of a matrix that is not positive definite")
			}
			var l mat.TriDense
			c.LTo(&l)
			out.Copy(&l)
		}
		w := numbers(out.RawMatrix().Data)
		return array([]int{n, n}, w.e), true
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
			out[k] = total(es, slices.Repeat([]float64{1}, len(es)))
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
		es := onDiagonal(v)
		return scalar(total(es, slices.Repeat([]float64{1}, len(es)))), true
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
	case "sigma_max", "normnuc":
		m, _ := v.matrix()
		e = &expr{op: opSingular, k: m, args: v.e}
		if name == "normnuc" {
			e.op = opNuclear
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
		v := s.eval(n.Args[k])
		w, ok := v.word.(string)
		if !ok {
			fail("%s wants a name in quotes", n.Name)
		}
		return w
	}
	if n.Name != "csv" || len(n.Args) == 1 {
		key := ""
		if len(n.Args) > 1 {
			key = text(1)
		}
		return s.file(n.Name, text(0), key)
	}
	var nums [][]float64
	var words [][]string
	rows, named := 0, false
	for k := range n.Args[1:] {
		x, w, err := s.data.Column(text(0), text(k+1))
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
