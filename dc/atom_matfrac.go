package dc

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MatFrac is xᵀP⁻¹x for a symmetric matrix P, which it restricts to positive
// definite ones; of a matrix X the trace of XᵀP⁻¹X. In a sum, terms over the same P
// become one.
//
//	arguments  x: a vector with n entries or a matrix, n × k; p: a symmetric matrix, n × n
//	curvature  convex
//	sign       nonnegative
//	monotone   x: none; p: nonincreasing in the Löwner order
//	domain     p positive definite
//	takes      affine
//	refuses    shapes that do not fit; a p that is not symmetric as a function, or of data and not positive definite
//	form       semidefinite cone of order n + k; quadratic for a p of data
//	source     Boyd and Vandenberghe 2004, example 3.4
func MatFrac(x, p Expr) Expr {
	if err := errors.Join(x.Err(), p.Err()); err != nil {
		return wrong(err)
	}
	return number(matFraction(x.list(), p.list()))
}

func matFraction(x, p array) scalar {
	s, err := newSymmetric("matfrac", p)
	if err != nil {
		return scalar{err: err}
	}
	if x.bent() {
		return badExpr("matfrac needs affine functions")
	}
	if len(x.Shape) == 0 {
		x.Array = x.Reshaped(1)
	}
	if len(x.Shape) > 2 || x.Shape[0] != s.n {
		return badExpr("matfrac of shape %v over a matrix of order %d", x.Shape, s.n)
	}
	cols := x.Reshaped(s.n, x.Len()/s.n)
	cols = cols.Transpose()
	f := newMatFrac(cols.Reshaped(cols.Len()), s)
	if x.isConst() {
		f.x = narrow(f.x, s.n)
	}
	switch {
	case x.Len() == 0:
		return scalar{}
	case p.isConst():
		return f.overData()
	case s.n == 1:
		return reduce(atom.QuadOverLin, nil, convex.Stack(s.at(0, 0).Number(), f.x))
	}
	return convexOf(f, x.Of.Join(p.Of))
}

type matFrac struct {
	*symmetric
	x      convex.Array // the columns of X, one after the other
	both   []int
	domain convex.Representer
}

func newMatFrac(x convex.Array, p *symmetric) *matFrac {
	return &matFrac{p, x, convex.Union(x.Idx, p.indices), newDomain(p)}
}

// overData is the sum of quadratic functions that f is for a P of data.
func (f *matFrac) overData() scalar {
	p := make([]float64, f.n*f.n)
	for j := range f.n {
		for i := range j + 1 {
			p[i*f.n+j] = f.at(i, j).Const
			p[j*f.n+i] = p[i*f.n+j]
		}
	}
	ctx := context.Background()
	definite, _ := dense.Cholesky(ctx, blas64.Symmetric{Uplo: blas.Upper, N: f.n, Stride: f.n, Data: slices.Clone(p)})
	inverse, _, err := dense.Inverse(ctx, f.n, p)
	if !definite || inverse == nil || err != nil {
		return badExpr("matfrac over a matrix of data that is not positive definite")
	}
	var parts []scalar
	for k := 0; k < f.x.Len(); k += f.n {
		parts = append(parts, quadContext(ctx, f.x.Slice(k, k+f.n), mat.NewSymDense(f.n, inverse)))
	}
	return sumExprs(parts)
}

func (f *matFrac) Value(x []float64) float64 {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.definite(f.symmetric, x) {
		return math.Inf(1)
	}
	sum := 0.0
	for k := 0; k < f.x.Len(); k += f.n { // ‖U⁻ᵀxₖ‖²
		f.load(w, k, x)
		v := blas64.Vector{N: f.n, Data: w.v, Inc: 1}
		blas64.Trsv(blas.Trans, w.t, v)
		for _, e := range w.v {
			sum += e * e
		}
	}
	return sum
}

// load writes the column that begins at entry k.
func (f *matFrac) load(w *symWork, k int, x []float64) {
	for i := range w.v {
		w.v[i] = f.x.At(k+i, x)
	}
}

// AddSubgrad: with zₖ = P⁻¹xₖ that is 2zₖ for xₖ and −zₖzₖᵀ for P.
func (f *matFrac) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.factor(f.symmetric, x) {
		return
	}
	at := func(i int) float64 { return w.v[i] }
	for k := 0; k < f.x.Len(); k += f.n {
		f.load(w, k, x)
		v := blas64.Vector{N: f.n, Data: w.v, Inc: 1}
		blas64.Trsv(blas.Trans, w.t, v)
		blas64.Trsv(blas.NoTrans, w.t, v)
		for i, z := range w.v {
			f.x.AddRow(dst, 2*scale*z, k+i)
		}
		f.addOuter(dst, -scale, f.n, at)
	}
}

func (f *matFrac) Smooth() bool { return true }

func (f *matFrac) Support() []int { return f.both }

// Represent: tr T with [P X; Xᵀ T] ⪰ 0.
func (f *matFrac) Represent(c convex.Canon) convex.Form {
	x := narrow(f.x, f.n)
	r := x.Len() / f.n
	t, trace := free(c, r)
	semidefinite(c, f.n+r, block(f.n, f.at, func(i, j int) convex.Linear { return x.Linear(j*f.n + i) }, t))
	return convex.Form{Linear: trace}
}

func (f *matFrac) Domain() []convex.Representer { return []convex.Representer{f.domain} }

func (f *matFrac) Inside(x []float64) bool {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	return w.definite(f.symmetric, x)
}

// approx: the derivative by P is at most the value times the norm of the
// inverse, that by the columns is 2P⁻¹x.
func (f *matFrac) Approx(x []float64) convex.Approx {
	v, e, inverse := f.Value(x), f.errorNorm(x), f.inverseNorm(x)
	if !(inverse*e < 0.5) {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	columns := f.x.ErrorNorm(x)
	root := math.Sqrt(v * inverse)
	return convex.Approx{V: v, E: 2*v*inverse*e + (2*root+inverse*columns)*columns + float64(4*f.n)*convex.Roundoff*v}
}

func (f *matFrac) Over() interval.Interval { return interval.New(0, math.Inf(1)) }
func (f *matFrac) String() string          { return "matfrac" }

func (f *matFrac) node() Node {
	return Node{op: "matfrac", args: [2]argument{{affine: &f.x, layout: columns, order: f.n}, f.arg()[0]}}
}

// merge makes one term of all matfrac terms of one sign over one P; the others become zero.
func (f *matFrac) merge(all []term) {
	var groups [][]int
	for k, t := range all {
		f, ok := t.f.(*matFrac)
		if !ok || t.w == 0 {
			continue
		}
		found := false
		for i, g := range groups {
			head := all[g[0]]
			if found = (head.w > 0) == (t.w > 0) && sameEntries(&head.f.(*matFrac).a, &f.a); found {
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
		head := all[g[0]].f.(*matFrac)
		parts := make([]convex.Array, len(g))
		sign := math.Copysign(1, all[g[0]].w)
		for i, k := range g {
			parts[i] = all[k].f.(*matFrac).x.Scale(math.Sqrt(math.Abs(all[k].w)))
			all[k].w = 0
		}
		x := convex.Stack(parts...)
		if x.IsConst() {
			x = narrow(x, head.n)
		}
		all[g[0]] = term{sign, &matFrac{head.symmetric, x, convex.Union(x.Idx, head.indices), head.domain}}
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

func matfracAtoms() []constructor {
	return []constructor{{op: "matfrac", args: 2, make: func(args []Expr, _ []float64) Expr {
		return MatFrac(args[0], args[1])
	}}}
}
