package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
)

// LogDet is the logarithm of the determinant.
func LogDet(a expr.Array) expr.Scalar {
	s, err := newSymmetric("logdet", a)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	if s.N == 1 {
		return rule.LogOf(expr.OfLinear(s.at(0, 0)))
	}
	f := &negLogDet{s, newDomain(s)}
	if a.IsConst() {
		if v := f.Value(nil); !math.IsInf(v, 1) {
			return constant("logdet", -v)
		}
		return expr.Failed("logdet of a matrix that is not positive definite")
	}
	return expr.ConcaveOf(f, s.a.Of)
}

// newDomain is the domain of functions of positive semidefinite matrices.
func newDomain(s *symmetric) convex.Representer {
	neg := *s
	neg.a = s.a.Scale(-1)
	return &EigenSum{&neg, 1}
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
	for i := range f.N {
		sum -= 2 * math.Log(w.t.Data[i*f.N+i])
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
	for j := range f.N {
		for i := range j {
			f.a.AddRow(dst, -2*scale*inverse[i*f.N+j], expr.Place(i, j))
		}
		f.a.AddRow(dst, -scale*inverse[j*f.N+j], expr.Place(j, j))
	}
}

func (f *negLogDet) Smooth() bool { return true }

func (f *negLogDet) Support() []int { return f.indices }

// Represent: −Σ log dᵢ with [A Z; Zᵀ D] ⪰ 0 for a lower triangular Z with the
// diagonal D: then A ⪰ LDLᵀ with L = ZD⁻¹, a unit lower triangle.
func (f *negLogDet) Represent(c convex.Canon) convex.Form {
	z, _ := free(c, f.N) // read as the lower triangle
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
	semidefinite(c, 2*f.N, block(f.N, f.at, lower, diagonal))
	out := convex.Form{}
	for i := range f.N {
		out = out.AddScaled(1, expr.RowOf("log").Neg().Represent(c, z(i, i)))
	}
	return out
}

func (f *negLogDet) Domain() []convex.Representer { return []convex.Representer{f.domain} }

func (f *negLogDet) Inside(x []float64) bool {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	return w.definite(f.symmetric, x)
}

// Approx: the derivative is the inverse, whose Frobenius norm is computed.
func (f *negLogDet) Approx(x []float64) convex.Approx {
	v, e := f.Value(x), f.errorNorm(x)
	inverse := f.inverseNorm(x)
	if !(inverse*e < 0.5) {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	return convex.Approx{V: v, E: math.Sqrt(float64(f.N))*2*inverse*e + float64(2*f.N)*convex.Roundoff*math.Abs(v)}
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
	for j := range s.N {
		for i := range j {
			v := inverse[i*s.N+j]
			sum += 2 * v * v
		}
		sum += inverse[j*s.N+j] * inverse[j*s.N+j]
	}
	return math.Sqrt(sum)
}

func (f *negLogDet) Node() expr.Node { return expr.Node{Name: "logdet", Minus: true, Inputs: f.arg()} }
func (f *negLogDet) String() string  { return "-logdet" }
