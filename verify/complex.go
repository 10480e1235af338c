package verify

import (
	"math"
	"slices"
)

// A complex number is an expression with opComplex and two arguments, its parts. It occurs in
// values alone: rows and the objective are real.

func complexOf(re, im *expr) *expr { return &expr{op: opComplex, args: []*expr{re, im}} }

func (e *expr) isComplex() bool { return e.op == opComplex }

func anyComplex(es []*expr) bool { return slices.ContainsFunc(es, (*expr).isComplex) }

// re and im are the parts of a number.
func re(e *expr) *expr {
	if e.isComplex() {
		return e.args[0]
	}
	return e
}

func im(e *expr) *expr {
	if e.isComplex() {
		return e.args[1]
	}
	return number(0)
}

func conj(e *expr) *expr {
	if e.isComplex() {
		return complexOf(e.args[0], scaled(-1, e.args[1]))
	}
	return e
}

// noImaginary is the share of its terms up to which an imaginary part is rounding errors.
// Source: derived: some thousand unit roundoffs, as many terms as an affine function here may have.
const noImaginary = 1e-12

// real is the real part of a number whose imaginary part is 0, but for rounding errors of
// affine functions; others stay as they are.
func real(e *expr) *expr {
	if !e.isComplex() {
		return e
	}
	sums, sizes := map[int]float64{}, map[int]float64{} // by variables; −1: the constant
	add := func(k int, v float64) { sums[k], sizes[k] = sums[k]+v, sizes[k]+math.Abs(v) }
	var walk func(e *expr, w float64) bool
	walk = func(e *expr, w float64) bool {
		switch e.op {
		case opConst:
			add(-1, w*e.num)
		case opVar:
			add(e.k, w)
		case opSum:
			for k, a := range e.args {
				if !walk(a, w*e.weights[k]) {
					return false
				}
			}
		default:
			return false
		}
		return true
	}
	if !walk(im(e), 1) {
		return e
	}
	for k, v := range sums {
		if math.Abs(v) > noImaginary*sizes[k] {
			return e
		}
	}
	return re(e)
}

// parts applies a function to all real and to all imaginary parts.
func parts(es []*expr, f func(es []*expr) *expr) *expr {
	u, v := make([]*expr, len(es)), make([]*expr, len(es))
	for k, e := range es {
		u[k], v[k] = re(e), im(e)
	}
	return complexOf(f(u), f(v))
}

// sum2 is w·a + v·b, a number of numbers.
func sum2(w float64, a *expr, v float64, b *expr) *expr {
	return total([]*expr{a, b}, []float64{w, v})
}

func complexProduct(a, b *expr) *expr {
	return complexOf(sum2(1, product(re(a), re(b)), -1, product(im(a), im(b))), sum2(1, product(re(a), im(b)), 1, product(im(a), re(b))))
}

// modulus is |e|.
func (s *scope) modulus(e *expr) *expr {
	if !e.isComplex() {
		return ofCurve(isAbs, 0, e)
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
				fail("exp takes complex data only")
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
			fail("quad of %d entries with a matrix of %d", n, len(q))
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
	case "sum", "mean", "cumsum", "len", "rows", "cols", "vec", "reshape", "trace", "diag", "conv", "kron", "max", "min":
		return value{}, false
	default:
		fail("%s of complex numbers is not checked", name)
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
