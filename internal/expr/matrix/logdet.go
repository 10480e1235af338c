package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// LogDet is the logarithm of the determinant.
func LogDet(a expr.Array) expr.Scalar {
	n, triangle, err := newSymmetric("logdet", a)
	switch {
	case err != nil:
		return expr.Scalar{Err: err}
	case n == 1:
		return rule.LogOf(expr.OfLinear(triangle.Linear(0)))
	}
	f := expr.NewSpecial(logDet, nil, triangle, expr.Special{
		Inputs: fromTriangle, Domain: newDomain(triangle),
	})
	if a.IsConst() {
		if v := f.Value(nil); !math.IsInf(v, 1) {
			return constant("logdet", -v)
		}
		return expr.Failed("logdet of a matrix that is not positive definite")
	}
	return expr.ConcaveOf(f, triangle.Of)
}

// newDomain is the domain of functions of positive semidefinite matrices.
func newDomain(triangle convex.Array) convex.Representer {
	return newEigenvalues(triangle.Scale(-1), 1)
}

var logDet = rowOf(atom.Reduce{
	Name: "logdet", Curvature: -1, Smooth: true,
	Value: func(dst []float64, u [][]float64, _ []float64) {
		w := takeSym(len(u))
		defer w.put()
		for m := range dst {
			if dst[m] = math.Inf(-1); w.definite(u, m) {
				sum := 0.0
				for i := range w.m.N {
					sum += 2 * math.Log(w.t.Data[i*w.m.N+i])
				}
				dst[m] = sum
			}
		}
	},
	// The gradient is the inverse.
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		w := takeSym(len(u))
		defer w.put()
		for m, g := range adj {
			if w.factor(u, m) {
				if inverse, ok := w.inverse(); ok {
					addEntries(to, m, g, inverse, w.m.N)
				}
			}
		}
	},
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, _ []float64) {
		w := takeSym(len(u))
		defer w.put()
		for m, g := range adj {
			if _, product, ok := w.sandwich(u, d, m); ok {
				addEntries(to, m, -g, product, w.m.N)
			}
		}
	},
	// The derivative is the inverse, whose Frobenius norm is computed.
	Error: func(dst, _ []float64, u, e [][]float64, v, _ []float64) {
		w := takeSym(len(u))
		defer w.put()
		n := float64(w.m.N)
		for m := range dst {
			e, inverse := errorNorm(u, e, m), w.inverseNorm(u, m)
			if dst[m] = math.Inf(1); inverse*e < 0.5 {
				dst[m] = math.Sqrt(n)*2*inverse*e + 2*n*convex.Roundoff*math.Abs(v[m])
			}
		}
	},
	// −Σ log dᵢ with [A Z; Zᵀ D] ⪰ 0 for a lower triangular Z with the
	// diagonal D: then A ⪰ LDLᵀ with L = ZD⁻¹, a unit lower triangle.
	Bound: func(c convex.Canon, u []convex.Linear, _ []float64) convex.Form {
		n := Order(len(u))
		z, _ := free(c, n) // read as the lower triangle
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
		semidefinite(c, 2*n, block(n, entries(u), lower, diagonal))
		out := convex.Form{}
		for i := range n {
			out = out.AddScaled(1, expr.RowOf("log").Neg().Represent(c, z(i, i)))
		}
		return out
	},
})

// inverseNorm is the Frobenius norm of the inverse.
func (w *symWork) inverseNorm(u [][]float64, m int) float64 {
	if !w.definite(u, m) {
		return math.Inf(1)
	}
	inverse, ok := w.inverse()
	if !ok {
		return math.Inf(1)
	}
	sum, n := 0.0, w.m.N
	for j := range n {
		for i := range j {
			v := inverse[i*n+j]
			sum += 2 * v * v
		}
		sum += inverse[j*n+j] * inverse[j*n+j]
	}
	return math.Sqrt(sum)
}

// sandwich has A⁻¹, and A⁻¹VA⁻¹ for the derivative V of A.
func (w *symWork) sandwich(u, d [][]float64, m int) (inverse, product []float64, ok bool) {
	if !w.factor(u, m) {
		return nil, nil, false
	}
	upper, ok := w.inverse()
	if !ok {
		return nil, nil, false
	}
	n := w.m.N
	inverse, product = make([]float64, n*n), make([]float64, n*n)
	v, half := make([]float64, n*n), make([]float64, n*n)
	for j := range n {
		for i := range j + 1 {
			inverse[i*n+j], inverse[j*n+i] = upper[i*n+j], upper[i*n+j]
			v[i*n+j] = d[expr.Place(i, j)][m]
			v[j*n+i] = v[i*n+j]
		}
	}
	multiply(half, inverse, v, n)
	multiply(product, half, inverse, n)
	return inverse, product, true
}

// multiply writes the product of two matrices of order n.
func multiply(dst, a, b []float64, n int) {
	for i := range n {
		for k := range n {
			for j := range n {
				dst[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
}

// addEntries adds w times a symmetric matrix, as a gradient with respect to the matrix, to the
// triangle of member m. It reads the upper triangle alone.
func addEntries(to [][]float64, m int, w float64, a []float64, n int) {
	for j := range n {
		for i := range j {
			to[expr.Place(i, j)][m] += 2 * w * a[i*n+j]
		}
		to[expr.Place(j, j)][m] += w * a[j*n+j]
	}
}
