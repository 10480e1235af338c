package lang

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The atoms of this file take data only, so far.

// fnKL is x·log(x/y) − x + y, entry by entry.
func (ev *evaluator) fnKL(n *node) value {
	vs := []value{ev.dataArg(n, 0), ev.dataArg(n, 1)}
	shape := ev.common(n, n.args, vs)
	out := make([]float64, ev.room(n, shape))
	for k := range out {
		x, y := vs[0].at(min(k, vs[0].len()-1)), vs[1].at(min(k, vs[1].len()-1))
		out[k] = y - x
		if x != 0 {
			out[k] += x * math.Log(x/y)
		}
	}
	return ev.finite(n, array(shape, out))
}

// fnQuadOverLin is the sum of squares of the first argument over the second.
func (ev *evaluator) fnQuadOverLin(n *node) value {
	x := ev.dataArg(n, 0)
	ev.dataArg(n, 1)
	y := ev.real(n.args[1], "the denominator of quadoverlin")
	s := 0.0
	for _, v := range x.numbers() {
		s += v * v
	}
	return ev.finite(n, number(s*reciprocal(y)))
}

// fnGeoMean is the geometric mean of all entries of all arguments.
func (ev *evaluator) fnGeoMean(n *node) value {
	s, count := 0.0, 0
	for k := range n.args {
		v := ev.dataArg(n, k)
		for _, x := range v.numbers() {
			s += math.Log(x)
			count++
		}
	}
	return ev.finite(n, number(math.Exp(s/float64(max(count, 1)))))
}

// symmetric is argument k, a symmetric matrix of data.
func (ev *evaluator) symmetric(n *node, k int) *mat.SymDense {
	v := ev.dataArg(n, k)
	d := 0
	if len(v.shape) == 2 {
		d = v.shape[0]
	}
	if d == 0 || v.shape[1] != d {
		ev.fail(n.args[k], "", "%s needs a square matrix, but %s is %s", n.name, ev.say(n.args[k]), shapeText(v.shape))
	}
	ev.spend(n, int(math.Pow(float64(d), 3)/64))
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			a, b := v.num[i*d+j], v.num[j*d+i]
			if !(math.Abs(a-b) <= nearInteger*max(math.Abs(a), math.Abs(b))) {
				ev.fail(n.args[k], "", "%s needs a symmetric matrix, but %s has %g at [%d,%d] and %g at [%d,%d]",
					n.name, ev.say(n.args[k]), a, i+1, j+1, b, j+1, i+1)
			}
			s.SetSym(i, j, a)
		}
	}
	return s
}

func (ev *evaluator) cholesky(n *node, k int) *mat.Cholesky {
	var c mat.Cholesky
	if !c.Factorize(ev.symmetric(n, k)) {
		ev.fail(n.args[k], "", "%s needs a positive definite matrix, and %s is not", n.name, ev.say(n.args[k]))
	}
	return &c
}

func (ev *evaluator) fnLogDet(n *node) value {
	return ev.finite(n, number(ev.cholesky(n, 0).LogDet()))
}

// fnMatFrac is x'P⁻¹x.
func (ev *evaluator) fnMatFrac(n *node) value {
	x, c := ev.dataArg(n, 0), ev.cholesky(n, 1)
	d := c.SymmetricDim()
	if len(x.shape) > 1 || x.len() != d {
		ev.fail(n, "", "shapes differ: %s is %s, %s is %d x %d", ev.say(n.args[0]), shapeText(x.shape), ev.say(n.args[1]), d, d)
	}
	var y mat.VecDense
	v := mat.NewVecDense(d, append([]float64(nil), x.numbers()...))
	if err := c.SolveVecTo(&y, v); err != nil {
		ev.fail(n, "", "%s: the matrix is singular but for rounding", n.name)
	}
	return ev.finite(n, number(mat.Dot(v, &y)))
}

func (ev *evaluator) fnLambdaMax(n *node) value {
	var e mat.EigenSym
	if !e.Factorize(ev.symmetric(n, 0), false) {
		ev.fail(n, "", "the eigenvalues of %s cannot be computed", ev.say(n.args[0]))
	}
	λ := e.Values(nil)
	return number(λ[len(λ)-1])
}
