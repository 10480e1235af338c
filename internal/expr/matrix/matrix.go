package matrix

import (
	"context"
	"math"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// symmetric is a symmetric matrix of affine functions: the upper triangle,
// column by column.
type symmetric struct {
	N       int
	a       convex.Array
	indices []int
	pool    *sync.Pool // of *symWork
}

// newSymmetric takes the upper triangle of a square matrix that is seen to be
// symmetric, or returns an error.
func newSymmetric(name string, a expr.Array) (*symmetric, error) {
	if a.Bent() {
		return nil, expr.Failed("%s needs a matrix of affine functions", name).Err
	}
	shape := a.Shape
	if len(shape) == 0 {
		shape = []int{1, 1}
	}
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] == 0 {
		return nil, expr.Failed("%s of shape %v, want a square matrix", name, a.Shape).Err
	}
	n := shape[0]
	if i, j, ok := IsSymmetric(a.Reshaped(n, n)); !ok {
		return nil, expr.Failed("%s of a matrix that is not seen to be symmetric: entries (%d, %d) and (%d, %d), "+
			"counted from 0, differ; take (X + X')/2", name, i, j, j, i).Err
	}
	rows := make([]convex.Linear, 0, expr.Triangle(n))
	for j := range n {
		for i := range j + 1 {
			rows = append(rows, a.Linear(i*n+j))
		}
	}
	s := &symmetric{N: n, a: convex.Entries(rows...)}
	s.indices = s.a.Support()
	s.pool = &sync.Pool{New: func() any { return newSymWork(n) }}
	return s, nil
}

// IsSymmetric is IsSymmetric of a square matrix of affine functions.
func IsSymmetric(a convex.Array) (i, j int, ok bool) {
	n := a.Shape[0]
	for i := range n {
		for j := i + 1; j < n; j++ {
			if !mirrors(a.Linear(i*n+j), a.Linear(j*n+i)) {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// mirrors reports whether two functions are equal but for rounding.
func mirrors(l convex.Linear, r convex.Linear) bool {
	if l.Equal(r) {
		return true
	}
	d, size := l.AddScaled(-1, r), math.Max(math.Abs(l.Const), math.Abs(r.Const))
	for _, v := range l.Val {
		size = max(size, math.Abs(v))
	}
	ok := math.Abs(d.Const) <= expr.MirrorTol*size
	for _, v := range d.Val {
		ok = ok && math.Abs(v) <= expr.MirrorTol*size
	}
	return ok
}

// at is entry (i, j).
func (s *symmetric) at(i, j int) convex.Linear { return s.a.Linear(expr.Place(i, j)) }

// addOuter adds w·vvᵀ, as the gradient with respect to the matrix, to dst.
func (s *symmetric) addOuter(dst []float64, w float64, n int, v func(i int) float64) {
	for j := range n {
		vj := w * v(j)
		if vj == 0 {
			continue
		}
		for i := range j {
			s.a.AddRow(dst, 2*vj*v(i), expr.Place(i, j))
		}
		s.a.AddRow(dst, vj*v(j), expr.Place(j, j))
	}
}

// symWork is the room for factoring a symmetric matrix, row-major.
type symWork struct {
	m       blas64.Symmetric
	t       blas64.Triangular
	λ, work []float64
	v       []float64 // n
}

func newSymWork(n int) *symWork {
	w := &symWork{m: blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: make([]float64, n*n)},
		λ: make([]float64, n), v: make([]float64, n)}
	w.work = make([]float64, max(dense.SyevRoom(w.m, w.λ), 3*n))
	return w
}

// load writes the matrix at x into the upper triangle, shifted along the
// diagonal, and reports whether all of it is finite.
func (w *symWork) load(s *symmetric, x []float64, shift float64) bool {
	sum := 0.0
	for j := range s.N {
		for i := range j + 1 {
			v := s.a.At(expr.Place(i, j), x)
			if i == j {
				v += shift
			}
			w.m.Data[i*s.N+j] = v
			sum += v - v
		}
	}
	return sum == 0
}

// errorNorm is the Frobenius norm of the errors of the matrix: the errors of its
// entries at x, and the backward error of a factorisation, Higham 2002, theorem
// 10.3, which holds for the symmetric eigenvalue problem with a small factor
// more.
func (s *symmetric) errorNorm(x []float64) float64 {
	e, size := 0.0, 0.0
	for j := range s.N {
		for i := range j + 1 {
			v, w := s.a.Approx(expr.Place(i, j), x), 2.0
			if i == j {
				w = 1
			}
			e += w * v.E * v.E
			size += w * v.V * v.V
		}
	}
	return math.Sqrt(e) + 10*float64(s.N+1)*convex.Roundoff*math.Sqrt(size)
}

// eigen leaves the eigenvalues in λ, ascending, and the eigenvectors in the
// columns of m.
func (w *symWork) eigen(vectors bool) bool {
	return dense.Syev(vectors, w.m, w.λ, w.work)
}

// vector is component i of eigenvector k.
func (w *symWork) vector(k int) func(i int) float64 {
	return func(i int) float64 { return w.m.Data[i*w.m.Stride+k] }
}

// smallPivot is the smallest pivot of a positive definite matrix, relative to
// its largest diagonal entry.
// Source: derived: a hundred unit roundoffs.
const smallPivot = 1e-14

// cholesky leaves U with UᵀU in t; ok is false unless the matrix is positive
// definite.
func (w *symWork) cholesky() (ok bool) {
	n, top := w.m.N, 0.0
	for i := range n {
		top = max(top, w.m.Data[i*n+i])
	}
	if ok, _ = dense.Cholesky(context.Background(), w.m); !ok {
		return false
	}
	w.t = blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: w.m.Data}
	for i := range n {
		u := w.t.Data[i*n+i]
		ok = ok && u*u > smallPivot*top
	}
	return ok
}

// factor is the Cholesky factorisation at x. Outside the domain it is the one of
// the matrix moved along the diagonal until there is one.
func (w *symWork) factor(s *symmetric, x []float64) bool {
	if !w.load(s, x, 0) {
		return false
	}
	top := expr.Steepest
	for i := range s.N {
		top = max(top, math.Abs(w.m.Data[i*s.N+i]))
	}
	for shift := 0.0; ; shift = max(10*shift, 1e-10*top) {
		w.load(s, x, shift)
		if w.cholesky() {
			return true
		}
		if math.IsInf(shift, 1) {
			return false
		}
	}
}

// definite reports whether the matrix at x is positive definite, and leaves its
// factor.
func (w *symWork) definite(s *symmetric, x []float64) bool { return w.load(s, x, 0) && w.cholesky() }

// semidefinite states that the symmetric matrix is positive semidefinite.
func semidefinite(c convex.Canon, n int, at func(i, j int) convex.Linear) {
	if n == 1 {
		c.Row(at(0, 0), 0, math.Inf(1))
		return
	}
	c.Cone(semidefiniteCone(n, at))
}

// semidefiniteCone is the cone of semidefinite for n > 1. Of order two it is a
// second-order cone: ‖(a − c, 2b)‖ ≤ a + c.
func semidefiniteCone(n int, at func(i, j int) convex.Linear) convex.Cone {
	if n == 2 {
		a, b, d := at(0, 0), at(0, 1), at(1, 1)
		return convex.Cone{Kind: convex.SecondOrderCone, Rows: []convex.Linear{a.AddScaled(1, d), a.AddScaled(-1, d),
			b.Scale(2)}}
	}
	rows := make([]convex.Linear, 0, expr.Triangle(n))
	for j := range n {
		for i := range j {
			rows = append(rows, at(i, j).Scale(math.Sqrt2))
		}
		rows = append(rows, at(j, j))
	}
	return convex.Cone{Kind: convex.SemidefiniteCone, Rows: rows}
}

// block is the matrix [a b; bᵀ d], a of order n.
func block(n int, a, b, d func(i, j int) convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear {
		i, j = min(i, j), max(i, j)
		switch {
		case j < n:
			return a(i, j)
		case i >= n:
			return d(i-n, j-n)
		}
		return b(i, j-n)
	}
}

// free is a new symmetric matrix, and its trace.
func free(c convex.Canon, n int) (at func(i, j int) convex.Linear, trace convex.Linear) {
	cols := make([]convex.Linear, expr.Triangle(n))
	for k := range cols {
		cols[k] = convex.Column(c)
	}
	diagonal, ones := make([]convex.Linear, n), make([]float64, n)
	for i := range n {
		diagonal[i], ones[i] = cols[expr.Place(i, i)], 1
	}
	return func(i, j int) convex.Linear { return cols[expr.Place(i, j)] }, convex.SumLinear(diagonal, ones)
}

// multiple is l on the diagonal.
func multiple(l convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear {
		if i == j {
			return l
		}
		return convex.Linear{}
	}
}

// arg is the matrix as the argument of an atom.
func (s *symmetric) arg() [2]expr.Argument {
	return [2]expr.Argument{{Affine: &s.a, Layout: expr.Triangles, Order: s.N}}
}

// inverse leaves the inverse of the factored matrix in t, its upper triangle row by row.
func (w *symWork) inverse() (upper []float64, ok bool) {
	inverse, ok := lapack64.Potri(w.t)
	return inverse.Data, ok
}
