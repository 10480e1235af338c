package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
)

// LogDet is the logarithm of the determinant of a symmetric matrix, which it
// restricts to positive definite ones.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  concave
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     a positive definite
//	takes      affine
//	refuses    matrices that are not symmetric as functions; data that are not positive definite
//	form       semidefinite cone of order 2n and n exponential cones
//	source     Ben-Tal and Nemirovski 2001, section 4.2
func LogDet(a Expr) Expr { return a.as(logDet) }

func logDet(a array) scalar {
	s, err := newSymmetric("logdet", a)
	if err != nil {
		return scalar{err: err}
	}
	if s.n == 1 {
		return logOf(linearExpr(s.at(0, 0)))
	}
	f := &negLogDet{s, newDomain(s)}
	if a.isConst() {
		if v := f.Value(nil); !math.IsInf(v, 1) {
			return constant("logdet", -v)
		}
		return badExpr("logdet of a matrix that is not positive definite")
	}
	return concaveOf(f, s.a.Of)
}

// newDomain is the domain of functions of positive semidefinite matrices.
func newDomain(s *symmetric) convex.Representer {
	neg := *s
	neg.a = s.a.Scale(-1)
	return &eigenSum{&neg, 1}
}

type negLogDet struct {
	*symmetric
	domain convex.Representer
}

func (f *negLogDet) Value(x []float64) float64 {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.definite(f.symmetric, x) {
		return math.Inf(1)
	}
	sum := 0.0
	for i := range f.n {
		sum -= 2 * math.Log(w.t.Data[i*f.n+i])
	}
	return sum
}

// AddSubgrad: the gradient of −log det X is −X⁻¹.
func (f *negLogDet) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.factor(f.symmetric, x) {
		return
	}
	inverse, ok := w.inverse()
	if !ok {
		return
	}
	for j := range f.n {
		for i := range j {
			f.a.AddRow(dst, -2*scale*inverse[i*f.n+j], place(i, j))
		}
		f.a.AddRow(dst, -scale*inverse[j*f.n+j], place(j, j))
	}
}

func (f *negLogDet) Smooth() bool { return true }

func (f *negLogDet) Support() []int { return f.indices }

// Represent: −Σ log dᵢ with [A Z; Zᵀ D] ⪰ 0 for a lower triangular Z with the
// diagonal D: then A ⪰ LDLᵀ with L = ZD⁻¹, a unit lower triangle.
func (f *negLogDet) Represent(c convex.Canon) convex.Form {
	z, _ := free(c, f.n) // read as the lower triangle
	diagonal := func(i, j int) convex.Linear {
		if i == j {
			return z(i, i)
		}
		return convex.Linear{}
	}
	lower := func(i, j int) convex.Linear {
		if i >= j {
			return z(i, j)
		}
		return convex.Linear{}
	}
	semidefinite(c, 2*f.n, block(f.n, f.at, lower, diagonal))
	out := convex.Form{}
	for i := range f.n {
		out = out.AddScaled(1, rowOf("log").neg().represent(c, z(i, i)))
	}
	return out
}

func (f *negLogDet) Domain() []convex.Representer { return []convex.Representer{f.domain} }

func (f *negLogDet) Inside(x []float64) bool {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	return w.definite(f.symmetric, x)
}

// approx: the derivative is the inverse, whose Frobenius norm is computed.
func (f *negLogDet) Approx(x []float64) convex.Approx {
	v, e := f.Value(x), f.errorNorm(x)
	inverse := f.inverseNorm(x)
	if !(inverse*e < 0.5) {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	return convex.Approx{V: v, E: math.Sqrt(float64(f.n))*2*inverse*e + float64(2*f.n)*convex.Roundoff*math.Abs(v)}
}

// inverseNorm is the Frobenius norm of the inverse at x.
func (s *symmetric) inverseNorm(x []float64) float64 {
	w := s.pool.Get().(*symWork)
	defer s.pool.Put(w)
	if !w.definite(s, x) {
		return math.Inf(1)
	}
	inverse, ok := w.inverse()
	if !ok {
		return math.Inf(1)
	}
	sum := 0.0
	for j := range s.n {
		for i := range j {
			v := inverse[i*s.n+j]
			sum += 2 * v * v
		}
		sum += inverse[j*s.n+j] * inverse[j*s.n+j]
	}
	return math.Sqrt(sum)
}

func (f *negLogDet) node() Node     { return Node{op: "logdet", negative: true, args: f.arg()} }
func (f *negLogDet) String() string { return "-logdet" }

func logdetAtoms() []constructor {
	return []constructor{{op: "logdet", args: 1, make: of(LogDet)}}
}
