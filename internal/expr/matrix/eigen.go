package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// LambdaSumLargest is the sum of the k largest eigenvalues.
func LambdaSumLargest(a expr.Array, k int) expr.Scalar {
	n, triangle, err := newSymmetric("lambda_max", a)
	switch {
	case err != nil:
		return expr.Scalar{Err: err}
	case k < 1 || k > n:
		return expr.Failed("the sum of the %d largest of %d eigenvalues", k, n)
	case k == n:
		return expr.Scalar{Lin: traceOf(n, entries(triangle.Linears()))}
	}
	f := newEigenvalues(triangle, k)
	if a.IsConst() {
		return constant("lambda_max", f.Value(nil))
	}
	return expr.ConvexOf(f, triangle.Of)
}

// newEigenvalues is the sum of the k largest eigenvalues of a symmetric matrix.
func newEigenvalues(triangle convex.Array, k int) *expr.VectorAtom {
	row := Largest
	if k > 1 {
		row = sumLargest
	}
	return expr.NewSpecial(row, []float64{float64(k)}, triangle, expr.Special{Inputs: fromTriangle})
}

// constant is an atom of data.
func constant(name string, v float64) expr.Scalar {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return expr.Failed("%s of this matrix of data has no value", name)
	}
	return expr.Number(v)
}

// Largest is the largest eigenvalue of a symmetric matrix, and sumLargest the sum of the k largest;
// k is the parameter.
var (
	Largest    = rowOf(eigenRow("lambda_max"))
	sumLargest = rowOf(eigenRow("lambda_sumlargest"))
)

func eigenRow(name string) atom.Reduce {
	row := atom.Reduce{
		Name: name, Curvature: 1,
		Value: func(dst []float64, u [][]float64, p []float64) {
			w := takeSym(len(u))
			defer w.put()
			for m := range dst {
				if dst[m] = math.NaN(); w.load(u, m, 0) && w.eigen(false) {
					sum := 0.0
					for _, λ := range w.λ[w.m.N-int(p[0]):] {
						sum += λ
					}
					dst[m] = sum
				}
			}
		},
		Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
			w := takeSym(len(u))
			defer w.put()
			for m, g := range adj {
				if !w.load(u, m, 0) || !w.eigen(true) {
					continue
				}
				for k := w.m.N - int(p[0]); k < w.m.N; k++ {
					addOuter(to, m, g, w.m.N, w.vector(k))
				}
			}
		},
		// By Weyl's inequality an eigenvalue changes by no more than the norm of the error.
		Error: func(dst, _ []float64, u, e [][]float64, v, p []float64) {
			for m := range dst {
				dst[m] = p[0] * (errorNorm(u, e, m) + convex.Roundoff*math.Abs(v[m]))
			}
		},
	}
	if name == "lambda_max" { // tI − A ⪰ 0
		row.Cone = func(t convex.Linear, u []convex.Linear, _ []float64) convex.Cone {
			return semidefiniteCone(Order(len(u)), below(t, u))
		}
		return row
	}
	row.HasParameters = true
	// ks + tr Z with Z ⪰ 0 and Z + sI − A ⪰ 0.
	row.Bound = func(c convex.Canon, u []convex.Linear, p []float64) convex.Form {
		n, s := Order(len(u)), convex.Column(c)
		z, trace := free(c, n)
		semidefinite(c, n, z)
		rest := below(s, u)
		semidefinite(c, n, func(i, j int) convex.Linear { return rest(i, j).AddScaled(1, z(i, j)) })
		return convex.Form{Linear: trace.AddScaled(p[0], s)}
	}
	return row
}

// below is bI − A.
func below(b convex.Linear, u []convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear {
		if a := u[expr.Place(i, j)]; i != j {
			return a.Scale(-1)
		} else {
			return b.AddScaled(-1, a)
		}
	}
}
