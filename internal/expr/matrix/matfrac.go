package matrix

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MatFraction is xᵀP⁻¹x, of matrices the trace, see dc.MatFrac.
func MatFraction(x, p expr.Array) expr.Scalar {
	n, triangle, err := newSymmetric("matfrac", p)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	if x.Bent() {
		return expr.Failed("matfrac needs affine functions")
	}
	if len(x.Shape) == 0 {
		x.Array = x.Reshaped(1)
	}
	if len(x.Shape) > 2 || x.Shape[0] != n {
		return expr.Failed("matfrac of shape %v over a matrix of order %d", x.Shape, n)
	}
	cols := x.Reshaped(n, x.Len()/n)
	cols = cols.Transpose()
	cols = cols.Reshaped(cols.Len())
	if x.IsConst() {
		cols = narrow(cols, n)
	}
	switch {
	case x.Len() == 0:
		return expr.Scalar{}
	case p.IsConst():
		return overData(cols, n, &triangle)
	case n == 1:
		return expr.Reduce(atom.QuadOverLin, nil, convex.Stack(triangle, cols))
	}
	return expr.ConvexOf(newMatFrac(cols, triangle), x.Of.Join(p.Of))
}

// newMatFrac has the triangle of P and the columns of X, one after the other.
func newMatFrac(x, triangle convex.Array) *expr.VectorAtom {
	p := []float64{float64(Order(triangle.Len()))}
	return expr.NewSpecial(matFrac, p, convex.Stack(triangle, x), expr.Special{
		Inputs: func(a *convex.Array, p []float64) [2]expr.Array {
			x, triangle := arguments(a, p)
			x = x.Reshaped(x.Len()/int(p[0]), int(p[0]))
			return [2]expr.Array{{Array: x.Transpose()}, fromTriangle(&triangle, nil)[0]}
		},
		Domain: newDomain(triangle), Merge: merge,
	})
}

// arguments are the columns of X, one after the other, and the triangle of P.
func arguments(a *convex.Array, p []float64) (x, triangle convex.Array) {
	n := expr.Triangle(int(p[0]))
	return a.Slice(n, a.Len()), a.Slice(0, n)
}

// overData is the sum of quadratic functions that xᵀP⁻¹x is for a P of data.
func overData(x convex.Array, n int, triangle *convex.Array) expr.Scalar {
	p := make([]float64, n*n)
	for j := range n {
		for i := range j + 1 {
			p[i*n+j] = triangle.C[expr.Place(i, j)]
			p[j*n+i] = p[i*n+j]
		}
	}
	ctx := context.Background()
	definite, _ := dense.Cholesky(ctx, blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: slices.Clone(p)})
	inverse, _, err := dense.Inverse(ctx, n, p)
	if !definite || inverse == nil || err != nil {
		return expr.Failed("matfrac over a matrix of data that is not positive definite")
	}
	var parts []expr.Scalar
	for k := 0; k < x.Len(); k += n {
		parts = append(parts, rule.Quad(ctx, x.Slice(k, k+n), mat.NewSymDense(n, inverse)))
	}
	return expr.SumOf(parts)
}

// matFrac is the sum of xₖᵀP⁻¹xₖ: the numbers are the upper triangle of P and the xₖ one after the
// other; the parameter is the order of P.
var matFrac = rowOf(atom.Reduce{
	Name: "matfrac", Curvature: 1, Smooth: true,
	Value: func(dst []float64, u [][]float64, p []float64) {
		u, x, w := parts(u, p)
		defer w.put()
		for m := range dst {
			if dst[m] = math.Inf(1); !w.definite(u, m) {
				continue
			}
			sum := 0.0
			for k := range len(x) / len(w.v) { // ‖U⁻ᵀxₖ‖²
				blas64.Trsv(blas.Trans, w.t, w.column(x, k, m))
				for _, e := range w.v {
					sum += e * e
				}
			}
			dst[m] = sum
		}
	},
	// With zₖ = P⁻¹xₖ that is 2zₖ for xₖ and −zₖzₖᵀ for P.
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
		u, x, w := parts(u, p)
		defer w.put()
		at := func(i int) float64 { return w.v[i] }
		for m, g := range adj {
			if !w.factor(u, m) {
				continue
			}
			for k := range len(x) / len(w.v) {
				v := w.column(x, k, m)
				blas64.Trsv(blas.Trans, w.t, v)
				blas64.Trsv(blas.NoTrans, w.t, v)
				for i, z := range w.v {
					to[len(u)+k*len(w.v)+i][m] += 2 * g * z
				}
				addOuter(to, m, -g, len(w.v), at)
			}
		}
	},
	// By P and the columns it is −(dz·zᵀ + z·dzᵀ) and 2dz, for the derivative dz of z.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, p []float64) {
		u, x, w := parts(u, p)
		defer w.put()
		n, dx := w.m.N, d[len(u):]
		for m, g := range adj {
			inverse, product, ok := w.sandwich(u, d, m)
			if !ok {
				continue
			}
			sum := make([]float64, n*n)
			for k := range len(x) / n {
				z, dz := make([]float64, n), make([]float64, n)
				for i := range n {
					for j := range n {
						z[i] += inverse[i*n+j] * x[k*n+j][m]
						dz[i] += inverse[i*n+j]*dx[k*n+j][m] - product[i*n+j]*x[k*n+j][m]
					}
				}
				for i := range n {
					to[len(u)+k*n+i][m] += 2 * g * dz[i]
					for j := range n {
						sum[i*n+j] -= dz[i]*z[j] + z[i]*dz[j]
					}
				}
			}
			addEntries(to, m, g, sum, n)
		}
	},
	// The derivative by P is at most the value times the norm of the inverse, that by the columns
	// is 2P⁻¹x.
	Error: func(dst, _ []float64, u, e [][]float64, v, p []float64) {
		u, _, w := parts(u, p)
		defer w.put()
		for m, v := range v[:len(dst)] {
			d, inverse, columns := errorNorm(u, e, m), w.inverseNorm(u, m), norm(e[len(u):], m)
			if dst[m] = math.Inf(1); inverse*d < 0.5 {
				root := math.Sqrt(v * inverse)
				dst[m] = 2*v*inverse*d + (2*root+inverse*columns)*columns + 4*p[0]*convex.Roundoff*v
			}
		}
	},
	Over: func([]atom.Interval, []float64) atom.Interval { return interval.New(0, math.Inf(1)) },
	// tr T with [P X; Xᵀ T] ⪰ 0.
	Bound: func(c convex.Canon, u []convex.Linear, p []float64) convex.Form {
		n := int(p[0])
		x := narrow(convex.Entries(u[expr.Triangle(n):]...), n)
		t, trace := free(c, x.Len()/n)
		column := func(i, j int) convex.Linear { return x.Linear(j*n + i) }
		semidefinite(c, n+x.Len()/n, block(n, entries(u), column, t))
		return convex.Form{Linear: trace}
	},
})

// parts are the triangle of P, the columns of X one after the other, and room for P.
func parts(u [][]float64, p []float64) (triangle, x [][]float64, w *symWork) {
	n := expr.Triangle(int(p[0]))
	return u[:n], u[n:], takeSym(n)
}

// column is column k of x.
func (w *symWork) column(x [][]float64, k, m int) blas64.Vector {
	for i := range w.v {
		w.v[i] = x[k*len(w.v)+i][m]
	}
	return blas64.Vector{N: len(w.v), Data: w.v, Inc: 1}
}

// norm is the Euclidean norm of the numbers of a member.
func norm(u [][]float64, m int) float64 {
	sum := 0.0
	for _, u := range u {
		sum += u[m] * u[m]
	}
	return math.Sqrt(sum)
}

// merge makes one term of all matfrac terms of one sign over one P; the others become zero.
func merge(all []expr.Term) {
	var groups [][]int
	inputs := func(k int) (x, triangle convex.Array) {
		f := all[k].F.(*expr.VectorAtom)
		return arguments(&f.Args.Array, f.P)
	}
	for k, t := range all {
		if expr.RowAt(t.F, matFrac) == nil || t.W == 0 {
			continue
		}
		_, p := inputs(k)
		found := false
		for i, g := range groups {
			_, q := inputs(g[0])
			if found = (all[g[0]].W > 0) == (t.W > 0) && expr.SameEntries(&q, &p); found {
				groups[i] = append(g, k)
				break
			}
		}
		if !found {
			groups = append(groups, []int{k})
		}
	}
	for _, g := range groups {
		if len(g) == 1 {
			continue
		}
		parts, sign := make([]convex.Array, len(g)), math.Copysign(1, all[g[0]].W)
		_, p := inputs(g[0])
		for i, k := range g {
			x, _ := inputs(k)
			parts[i] = x.Scale(math.Sqrt(math.Abs(all[k].W)))
			all[k].W = 0
		}
		x := convex.Stack(parts...)
		if x.IsConst() {
			x = narrow(x, Order(p.Len()))
		}
		all[g[0]] = expr.Term{W: sign, F: newMatFrac(x, p)}
	}
}

// mostColumns bounds the columns that narrow looks at where they are not data.
// Source: a limit of time: the look takes its cube.
const mostColumns = 1000

// narrow returns columns of length n with the same sum of outer products, if
// there are some of them that depend on others: X by XV without its zero
// columns, VΛVᵀ the Gram matrix of the columns' coefficients.
func narrow(x convex.Array, n int) convex.Array {
	cols := x.Len() / n
	switch {
	case cols <= 1:
		return x
	case x.IsConst():
		return narrowData(x, n)
	case cols > mostColumns:
		return x
	}
	gram := mat.NewSymDense(cols, nil)
	for k := range cols {
		for l := k; l < cols; l++ {
			s := 0.0
			for i := range n {
				s += innerProduct(x.Linear(k*n+i), x.Linear(l*n+i))
			}
			gram.SetSym(k, l, s)
		}
	}
	λ, v, first := spectrum(gram)
	if first == 0 {
		return x
	}
	out := convex.Array{Ptr: []int{0}}
	parts, w := make([]convex.Linear, cols), make([]float64, cols)
	for j := first; j < len(λ); j++ {
		for i := range n {
			for k := range cols {
				parts[k], w[k] = x.Linear(k*n+i), v.At(k, j)
			}
			out.Push(convex.SumLinear(parts, w))
		}
	}
	out.Shape = []int{len(out.C)}
	return out
}

// narrowData is narrow by the eigenvalues of the sum itself.
func narrowData(x convex.Array, n int) convex.Array {
	if x.Len() <= n*n {
		return x
	}
	m := mat.NewDense(x.Len()/n, n, x.C)
	var sum mat.SymDense
	sum.SymOuterK(1, m.T())
	λ, v, first := spectrum(&sum)
	var out []float64
	for j := first; j < n; j++ {
		for i := range n {
			out = append(out, math.Sqrt(λ[j])*v.At(i, j))
		}
	}
	return convex.Array{Shape: []int{len(out)}, C: out}
}

// spectrum is the eigenvalues, ascending, and eigenvectors of a positive
// semidefinite matrix, and which is the first that is not zero but for
// rounding. Where they cannot be computed that is 0 and the matrix is kept.
func spectrum(q mat.Symmetric) (λ []float64, v *mat.Dense, first int) {
	var eig dense.EigenSym
	v = &mat.Dense{}
	if !eig.Factorize(q, true) {
		return nil, v, 0
	}
	λ = eig.Values(nil)
	eig.VectorsTo(v)
	for first < len(λ)-1 && !(λ[first] > negligible*λ[len(λ)-1]) {
		first++
	}
	return λ, v, first
}

// negligible is a sum of squares that counts as zero, relative to the largest.
// Source: derived: a hundred unit roundoffs.
const negligible = 1e-14

// innerProduct is the inner product of coefficients and constants.
func innerProduct(l convex.Linear, r convex.Linear) float64 {
	s := l.Const * r.Const
	for i, k := 0, 0; i < len(l.Idx) && k < len(r.Idx); {
		switch {
		case l.Idx[i] < r.Idx[k]:
			i++
		case l.Idx[i] > r.Idx[k]:
			k++
		default:
			s += l.Val[i] * r.Val[k]
			i, k = i+1, k+1
		}
	}
	return s
}
