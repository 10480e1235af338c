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
	s, err := newSymmetric("matfrac", p)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	if x.Bent() {
		return expr.Failed("matfrac needs affine functions")
	}
	if len(x.Shape) == 0 {
		x.Array = x.Reshaped(1)
	}
	if len(x.Shape) > 2 || x.Shape[0] != s.N {
		return expr.Failed("matfrac of shape %v over a matrix of order %d", x.Shape, s.N)
	}
	cols := x.Reshaped(s.N, x.Len()/s.N)
	cols = cols.Transpose()
	f := newMatFrac(cols.Reshaped(cols.Len()), s)
	if x.IsConst() {
		f.x = narrow(f.x, s.N)
	}
	switch {
	case x.Len() == 0:
		return expr.Scalar{}
	case p.IsConst():
		return f.overData()
	case s.N == 1:
		return expr.Reduce(atom.QuadOverLin, nil, convex.Stack(s.at(0, 0).Number(), f.x))
	}
	return expr.ConvexOf(f, x.Of.Join(p.Of))
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
func (f *matFrac) overData() expr.Scalar {
	p := make([]float64, f.N*f.N)
	for j := range f.N {
		for i := range j + 1 {
			p[i*f.N+j] = f.at(i, j).Const
			p[j*f.N+i] = p[i*f.N+j]
		}
	}
	ctx := context.Background()
	definite, _ := dense.Cholesky(ctx, blas64.Symmetric{Uplo: blas.Upper, N: f.N, Stride: f.N, Data: slices.Clone(p)})
	inverse, _, err := dense.Inverse(ctx, f.N, p)
	if !definite || inverse == nil || err != nil {
		return expr.Failed("matfrac over a matrix of data that is not positive definite")
	}
	var parts []expr.Scalar
	for k := 0; k < f.x.Len(); k += f.N {
		parts = append(parts, rule.Quad(ctx, f.x.Slice(k, k+f.N), mat.NewSymDense(f.N, inverse)))
	}
	return expr.SumOf(parts)
}

func (f *matFrac) Value(x []float64) float64 {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.definite(f.symmetric, x) {
		return math.Inf(1)
	}
	sum := 0.0
	for k := 0; k < f.x.Len(); k += f.N { // ‖U⁻ᵀxₖ‖²
		f.load(w, k, x)
		v := blas64.Vector{N: f.N, Data: w.v, Inc: 1}
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
	for k := 0; k < f.x.Len(); k += f.N {
		f.load(w, k, x)
		v := blas64.Vector{N: f.N, Data: w.v, Inc: 1}
		blas64.Trsv(blas.Trans, w.t, v)
		blas64.Trsv(blas.NoTrans, w.t, v)
		for i, z := range w.v {
			f.x.AddRow(dst, 2*scale*z, k+i)
		}
		f.addOuter(dst, -scale, f.N, at)
	}
}

func (f *matFrac) Smooth() bool { return true }

func (f *matFrac) Support() []int { return f.both }

// Represent: tr T with [P X; Xᵀ T] ⪰ 0.
func (f *matFrac) Represent(c convex.Canon) convex.Form {
	x := narrow(f.x, f.N)
	r := x.Len() / f.N
	t, trace := free(c, r)
	semidefinite(c, f.N+r, block(f.N, f.at, func(i, j int) convex.Linear { return x.Linear(j*f.N + i) }, t))
	return convex.Form{Linear: trace}
}

func (f *matFrac) Domain() []convex.Representer { return []convex.Representer{f.domain} }

func (f *matFrac) Inside(x []float64) bool {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	return w.definite(f.symmetric, x)
}

// Approx: the derivative by P is at most the value times the norm of the
// inverse, that by the columns is 2P⁻¹x.
func (f *matFrac) Approx(x []float64) convex.Approx {
	v, e, inverse := f.Value(x), f.errorNorm(x), f.inverseNorm(x)
	if !(inverse*e < 0.5) {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	columns := f.x.ErrorNorm(x)
	root := math.Sqrt(v * inverse)
	return convex.Approx{V: v, E: 2*v*inverse*e + (2*root+inverse*columns)*columns + float64(4*f.N)*convex.Roundoff*v}
}

func (f *matFrac) Over() interval.Interval { return interval.New(0, math.Inf(1)) }
func (f *matFrac) String() string          { return "matfrac" }

func (f *matFrac) Node() expr.Node {
	return expr.Node{Name: "matfrac", Inputs: [2]expr.Argument{{Affine: &f.x, Layout: expr.Columns, Order: f.N},
		f.arg()[0]}}
}

// Merge makes one term of all matfrac terms of one sign over one P; the others become zero.
func (f *matFrac) Merge(all []expr.Term) {
	var groups [][]int
	for k, t := range all {
		f, ok := t.F.(*matFrac)
		if !ok || t.W == 0 {
			continue
		}
		found := false
		for i, g := range groups {
			head := all[g[0]]
			if found = (head.W > 0) == (t.W > 0) && expr.SameEntries(&head.F.(*matFrac).a, &f.a); found {
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
		head := all[g[0]].F.(*matFrac)
		parts := make([]convex.Array, len(g))
		sign := math.Copysign(1, all[g[0]].W)
		for i, k := range g {
			parts[i] = all[k].F.(*matFrac).x.Scale(math.Sqrt(math.Abs(all[k].W)))
			all[k].W = 0
		}
		x := convex.Stack(parts...)
		if x.IsConst() {
			x = narrow(x, head.N)
		}
		all[g[0]] = expr.Term{W: sign, F: &matFrac{head.symmetric, x, convex.Union(x.Idx, head.indices), head.domain}}
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
