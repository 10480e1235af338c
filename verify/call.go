package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// powers are functions that are powers, by their exponents.
var powers = map[string]float64{"square": 2, "sqrt": 0.5, "invpos": -1}

// norms are by their exponents.
var norms = map[string]float64{"norm1": 1, "norm2": 2, "norminf": math.Inf(1)}

// ofData are functions of one number that take data only.
var ofData = map[string]func(float64) float64{
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round,
}

// folded is a number if all arguments are, and no number if it has no value: the nearest one, and
// how far float64 arithmetic may be from it.
func folded(e *expr) *expr {
	if slices.ContainsFunc(e.args, (*expr).isNone) {
		return number(math.NaN())
	}
	if slices.ContainsFunc(e.args, func(a *expr) bool { return !a.isConst() }) {
		return e
	}
	b, outside, err := enclose(e, newValues(nil, false))
	if outside != "" || err != nil {
		return number(math.NaN())
	}
	v, _ := b.Lo.Float64() // as the interval is narrow
	if b.Lo.Sign() < 0 && b.Hi.Sign() > 0 {
		v = 0
	}
	if math.IsInf(v, 0) {
		return number(math.NaN())
	}
	lo, hi := v, v
	if wide, outside, err := enclose(e, newValues(nil, true)); outside == "" && err == nil {
		lo, hi = wide.Floats()
	}
	return computed(v, max(v-lo, hi-v))
}

// apply is an operation with a number on expressions.
func apply(o op, num float64, args ...*expr) *expr { return folded(&expr{op: o, num: num, args: args}) }

// ofCurve is a function of one number. Data are as the mathematical library has them.
func ofCurve(k safe.Kind, p float64, e *expr) *expr {
	if f := safe.Curves[k].Plain; f != nil && e.isConst() && e.off == 0 {
		if v := f(e.num); !math.IsInf(v, 0) {
			return number(v)
		}
	}
	return folded(&expr{op: opCurve, num: p, k: int(k), args: []*expr{e}})
}

// plus is a sum.
func plus(es []*expr) *expr { return total(es, slices.Repeat([]float64{1}, len(es))) }

// call is a function of the language.
func (s *scope) call(n *syntax.Node) (out value) {
	defer func() { // numbers and shapes of arguments are the compiler's to check
		v := recover()
		if f, ok := v.(safe.Fault); ok {
			panic(f)
		}
		if v != nil || slices.ContainsFunc(out.e, (*expr).ofNothing) {
			safe.Fail("%s does not take these arguments; dcopt check says why", n.Name)
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
	out = s.callValues(n.Name, args)
	s.p.computed = s.p.computed || slices.ContainsFunc(out.e, func(e *expr) bool { return e.off > 0 })
	return out
}

// callValues is a function of numbers.
func (s *scope) callValues(name string, args []value) value {
	if v, ok := s.complexCall(name, args); ok {
		return v
	}
	if p, ok := powers[name]; ok {
		return args[0].each(func(e *expr) *expr {
			if p < 0 && e.isConst() && e.num <= 0 { // invpos has no value there
				return number(math.NaN())
			}
			return raised(e, p)
		})
	}
	if f, ok := ofData[name]; ok {
		args[0].data(name)
		return args[0].each(func(e *expr) *expr { return number(f(e.num)) })
	}
	if k := safe.CurveOf(name); k >= 0 {
		p := 0.0
		if safe.Curves[k].Param {
			p = given(args, "the second argument of "+name, 1)
		}
		return args[0].each(func(e *expr) *expr { return ofCurve(safe.Kind(k), p, e) })
	}
	return s.shape(name, args)
}

// ofArrays is the functions of arrays whose entries may depend on variables.
func (s *scope) ofArrays(name string, args []value) value {
	es := args[0].e
	switch name {
	case "sum", "mean":
		if len(args) > 1 {
			return s.overDimension(name, args)
		}
	case "pos":
		return s.fold("max", []value{args[0], numeric(0)})
	case "kl":
		return pair(args[0], args[1], divergence)
	case "rel_entr": // u·log(u/v) = kl + u − v
		return pair(args[0], args[1], func(u, v *expr) *expr {
			return total([]*expr{divergence(u, v), u, v}, []float64{1, 1, -1})
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
				safe.Fail("%s of nothing", name)
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
	return scalar(s.one(name, es, args))
}

// one is a function of arrays that is one number. es is the entries of the first.
func (s *scope) one(name string, es []*expr, args []value) *expr {
	switch name {
	case "sum":
		return plus(es)
	case "mean":
		return total(es, slices.Repeat([]float64{1 / float64(len(es))}, len(es)))
	case "norm", "norm1", "norm2", "norminf":
		p, ok := norms[name]
		if !ok {
			p = given(args, "the exponent of norm", 2)
		}
		return s.norm(es, p)
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
		return total(parts, weights)
	case "lse":
		if len(es) == 1 {
			return es[0]
		}
		return apply(opLSE, 0, es...)
	case "quad":
		q := args[1].data("the matrix of quad")
		n := len(es)
		if len(q) != n*n {
			safe.Fail("quad of %d entries with a matrix of %d", n, len(q))
		}
		var parts []*expr
		var weights []float64
		for k, w := range q {
			if i, j := k/n, k%n; w != 0 {
				parts, weights = append(parts, product(es[min(i, j)], es[max(i, j)])), append(weights, w)
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
	safe.Raise(&UnknownError{name})
	return nil
}

// given is the second argument, where there is one.
func given(args []value, what string, otherwise float64) float64 {
	if len(args) < 2 {
		return otherwise
	}
	return args[1].real(what)
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
		sizes := vector(es).each(func(e *expr) *expr { return ofCurve(safe.Abs, 0, e) })
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

// matrixCall is the functions of matrices.
func (s *scope) matrixCall(name string, args []value) value {
	v := args[0]
	square := func() int {
		n, m := v.matrix()
		if n != m {
			safe.Fail("%s of a matrix that is not square", name)
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
		if e = (&expr{op: opRoots, k: n, args: v.e}); name == "sigma_max" {
			e = raised(folded(&expr{op: opEigen, num: 1, k: n, args: times(transpose(v), v).e}), 0.5)
		}
	case "matfrac":
		n, _ := args[1].matrix()
		_, k := v.matrix()
		e = &expr{op: opMatFrac, num: float64(k), k: n, args: append(slices.Clone(args[1].e), v.e...)}
	default:
		return s.ofArrays(name, args)
	}
	return scalar(folded(e))
}

// modulus is |e|.
func (s *scope) modulus(e *expr) *expr {
	if !e.isComplex() {
		return ofCurve(safe.Abs, 0, e)
	}
	return s.norm(e.args, 2)
}

// entries are the real numbers, two of a complex one.
func entries(es []*expr) []*expr {
	var out []*expr
	for _, e := range es {
		if e.isComplex() {
			out = append(out, e.args...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// complexCall is the functions that are others of complex numbers.
func (s *scope) complexCall(name string, args []value) (value, bool) {
	switch v := args[0]; name {
	case "re":
		return v.each(re), true
	case "im":
		return v.each(im), true
	case "conj":
		return v.each(conj), true
	}
	for k := range args {
		args[k] = args[k].each(real)
	}
	if !slices.ContainsFunc(args, func(v value) bool { return anyComplex(v.e) }) {
		return value{}, false
	}
	es := args[0].e
	switch name {
	case "abs":
		return args[0].each(s.modulus), true
	case "exp": // of data
		return args[0].each(func(e *expr) *expr {
			if !re(e).isConst() || !im(e).isConst() {
				safe.Fail("exp takes complex data only")
			}
			r, t := math.Exp(re(e).num), im(e).num
			return complexOf(number(r*math.Cos(t)), number(r*math.Sin(t)))
		}), true
	case "norm2", "sumsq":
		args[0] = vector(entries(es))
	case "norm", "norm1", "norminf":
		if name == "norm" && given(args, "the exponent of norm", 2) == 2 {
			args[0] = vector(entries(es))
		} else {
			args[0] = args[0].each(s.modulus)
		}
	case "quad": // zᴴQz
		q := args[1].e
		n := len(es)
		if len(q) != n*n {
			safe.Fail("quad of %d entries with a matrix of %d", n, len(q))
		}
		var all []*expr
		for i := range n {
			for j := range n {
				all = append(all, re(product(product(conj(es[i]), q[i*n+j]), es[j])))
			}
		}
		return scalar(total(all, slices.Repeat([]float64{1}, len(all)))), true
	case "lambda_max", "lambda_min", "lambda_sumlargest", "logdet", "sigma_max", "normnuc", "matfrac":
		s.p.twice = true
		for k := range args {
			if len(args[k].shape) > 0 {
				args[k] = realMatrix(args[k])
			}
		}
		half := name == "lambda_sumlargest" || name == "logdet" || name == "normnuc" || name == "matfrac"
		if name == "lambda_sumlargest" {
			args[1] = numeric(2 * args[1].real("the count of lambda_sumlargest"))
		}
		v := s.matrixCall(name, args)
		if half {
			v = v.each(func(e *expr) *expr { return scaled(0.5, e) })
		}
		return v, true
	case "sum", "mean", "cumsum", "len", "rows", "cols", "vec", "reshape", "trace", "diag", "conv", "kron",
		"max", "min":
		return value{}, false
	default:
		safe.Fail("%s of complex numbers is not checked", name)
	}
	v := s.callValues(name, args)
	return v, true
}

// realMatrix is [re −im; im re], which has each eigenvalue and singular value twice.
func realMatrix(v value) value {
	m, n := v.matrix()
	out := make([]*expr, 4*m*n)
	for i := range m {
		for j := range n {
			e := v.e[i*n+j]
			out[i*2*n+j], out[(m+i)*2*n+n+j] = re(e), re(e)
			out[i*2*n+n+j], out[(m+i)*2*n+j] = scaled(-1, im(e)), im(e)
		}
	}
	return array([]int{2 * m, 2 * n}, out)
}
