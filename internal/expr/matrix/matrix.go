package matrix

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// newSymmetric is the order and the upper triangle, column by column, of a square matrix that is
// seen to be symmetric, or an error.
func newSymmetric(name string, a expr.Array) (n int, triangle convex.Array, err error) {
	if a.Bent() {
		return 0, triangle, expr.Failed("%s needs a matrix of affine functions", name).Err
	}
	shape := a.Shape
	if len(shape) == 0 {
		shape = []int{1, 1}
	}
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] == 0 {
		return 0, triangle, expr.Failed("%s of shape %v, want a square matrix", name, a.Shape).Err
	}
	n = shape[0]
	if i, j, ok := IsSymmetric(a.Reshaped(n, n)); !ok {
		return 0, triangle, expr.Failed("%s of a matrix that is not seen to be symmetric: "+
			"entries (%d, %d) and (%d, %d), counted from 0, differ; take (X + X')/2", name, i, j, j, i).Err
	}
	rows := make([]convex.Linear, 0, expr.Triangle(n))
	for j := range n {
		for i := range j + 1 {
			rows = append(rows, a.Linear(i*n+j))
		}
	}
	return n, convex.Entries(rows...), nil
}

// Order is the order of a matrix of which the upper triangle has so many entries.
func Order(entries int) int { return int(math.Sqrt(float64(2 * entries))) }

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

// entries are functions of the places in a symmetric matrix with the upper triangle u.
func entries(u []convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear { return u[expr.Place(i, j)] }
}

// addOuter adds w·vvᵀ, as the gradient with respect to the matrix, to the triangle of member m.
func addOuter(to [][]float64, m int, w float64, n int, v func(i int) float64) {
	for j := range n {
		for i := range j {
			to[expr.Place(i, j)][m] += 2 * w * v(j) * v(i)
		}
		to[expr.Place(j, j)][m] += w * v(j) * v(j)
	}
}

// symWork is the room for factoring a symmetric matrix, row-major.
type symWork struct {
	m       blas64.Symmetric
	t       blas64.Triangular
	λ, work []float64
	v       []float64 // n
}

// symRooms are pools of *symWork, and svdRooms of *dense.SVD, by the number of bits of the order.
var (
	symRooms = [bits.UintSize]sync.Pool{}
	svdRooms = [bits.UintSize]sync.Pool{}
)

func newSymWork(n int) *symWork {
	w := &symWork{m: blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: make([]float64, n*n)},
		λ: make([]float64, n), v: make([]float64, n)}
	w.work = make([]float64, max(dense.SyevRoom(w.m, w.λ), 3*n))
	return w
}

// rowOf is a row for the entries of a matrix.
func rowOf(f atom.Reduce) *atom.Reduce {
	f.Alone, f.Entries = true, make([]atom.Entry, 1)
	if f.Over == nil {
		f.Over = func([]atom.Interval, []float64) atom.Interval { return interval.Whole }
	}
	return &f
}

// takeSym is room for matrices with so many entries in the upper triangle, which put gives back.
func takeSym(entries int) *symWork {
	n := Order(entries)
	if w, ok := symRooms[bits.Len(uint(n))].Get().(*symWork); ok && w.m.N == n {
		return w
	}
	return newSymWork(n)
}

func (w *symWork) put() { symRooms[bits.Len(uint(w.m.N))].Put(w) }

// load writes the matrix with the upper triangle u of member m, shifted along the diagonal, and
// reports whether all of it is finite.
func (w *symWork) load(u [][]float64, m int, shift float64) bool {
	sum, n := 0.0, w.m.N
	for j := range n {
		for i := range j + 1 {
			v := u[expr.Place(i, j)][m]
			if i == j {
				v += shift
			}
			w.m.Data[i*n+j] = v
			sum += v - v
		}
	}
	return sum == 0
}

// errorNorm is the Frobenius norm of the errors of the matrix: the errors of its
// entries, and the backward error of a factorisation, Higham 2002, theorem
// 10.3, which holds for the symmetric eigenvalue problem with a small factor
// more.
func errorNorm(u, e [][]float64, m int) float64 {
	sum, size, n := 0.0, 0.0, Order(len(u))
	for j := range n {
		for i := range j + 1 {
			v, d, w := u[expr.Place(i, j)][m], e[expr.Place(i, j)][m], 2.0
			if i == j {
				w = 1
			}
			sum += w * d * d
			size += w * v * v
		}
	}
	return math.Sqrt(sum) + 10*float64(n+1)*convex.Roundoff*math.Sqrt(size)
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

// factor is the Cholesky factorisation of a matrix. Outside the domain it is the one of
// the matrix moved along the diagonal until there is one.
func (w *symWork) factor(u [][]float64, m int) bool {
	if !w.load(u, m, 0) {
		return false
	}
	top := expr.Steepest
	for i := range w.m.N {
		top = max(top, math.Abs(w.m.Data[i*w.m.N+i]))
	}
	for shift := 0.0; ; shift = max(10*shift, 1e-10*top) {
		w.load(u, m, shift)
		if w.cholesky() {
			return true
		}
		if math.IsInf(shift, 1) {
			return false
		}
	}
}

// definite reports whether a matrix is positive definite, and leaves its factor.
func (w *symWork) definite(u [][]float64, m int) bool { return w.load(u, m, 0) && w.cholesky() }

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
	return entries(cols), traceOf(n, entries(cols))
}

// traceOf is the sum of the diagonal.
func traceOf(n int, at func(i, j int) convex.Linear) convex.Linear {
	diagonal := make([]convex.Linear, n)
	for i := range diagonal {
		diagonal[i] = at(i, i)
	}
	return convex.SumLinear(diagonal, nil)
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

// fromTriangle is the symmetric matrix with an upper triangle, as the argument of a node.
func fromTriangle(a *convex.Array, _ []float64) [2]expr.Array {
	n := Order(a.Len())
	flat := make([]int, 0, n*n)
	for i := range n {
		for j := range n {
			flat = append(flat, expr.Place(i, j))
		}
	}
	return [2]expr.Array{{Array: a.Take([]int{n, n}, flat)}}
}

// inverse leaves the inverse of the factored matrix in t, its upper triangle row by row.
func (w *symWork) inverse() (upper []float64, ok bool) { return dense.Invert(w.t) }
