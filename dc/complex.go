package dc

import (
	"context"
	"errors"
	"math"
	"math/cmplx"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/matrix"
	"github.com/dcopt/dcopt/internal/program"
	"gonum.org/v1/gonum/mat"
)

// Complex is an array of complex affine functions of a model's variables, by its real
// and imaginary parts, which have one shape. Make one with Model.ComplexVar,
// Model.HermitianVar, ComplexConst or from its parts; ' below is the conjugate transpose.
// Methods return new values; a mistake, such as shapes that differ, is kept by the parts
// and is an error of Model.Problem.
type Complex struct{ Re, Im Expr }

// ComplexConst is a constant array of the given shape, data in row-major order.
func ComplexConst(shape []int, data []complex128) Complex {
	re, im := make([]float64, len(data)), make([]float64, len(data))
	for k, z := range data {
		re[k], im[k] = real(z), imag(z)
	}
	return Complex{Const(shape, re), Const(shape, im)}
}

// ComplexMat is a constant matrix of shape [rows columns]; m is copied.
func ComplexMat(m mat.CMatrix) Complex {
	r, c := m.Dims()
	data := make([]complex128, 0, r*c)
	for i := range r {
		for j := range c {
			data = append(data, m.At(i, j))
		}
	}
	return ComplexConst([]int{r, c}, data)
}

// RealOnly is a real array as a complex one.
func RealOnly(a Expr) Complex { return Complex{a, Const(a.Shape(), make([]float64, a.Len()))} }

// Err is the first mistake made on the way to z, or nil.
func (z Complex) Err() error {
	if err := errors.Join(z.Re.Err(), z.Im.Err()); err != nil {
		return err
	}
	return z.Re.Sub(z.Im).Err() // shapes that differ
}

// Shape is the list of dimensions, empty for a scalar. Do not change it.
func (z Complex) Shape() []int { return z.Re.Shape() }

// Len is the number of entries.
func (z Complex) Len() int { return z.Re.Len() }

// Value is the entries at x, in row-major order.
func (z Complex) Value(x []float64) []complex128 {
	re, im := z.Re.Values(x), z.Im.Values(x)
	out := make([]complex128, len(re))
	for k := range out {
		out[k] = complex(re[k], im[k])
	}
	return out
}

// both applies f to the two parts.
func (z Complex) both(f func(Expr) Expr) Complex { return Complex{f(z.Re), f(z.Im)} }

// Conj is the conjugate.
func (z Complex) Conj() Complex { return Complex{z.Re, z.Im.Neg()} }

// T is the transpose of a matrix, without conjugation; of a vector, itself.
func (z Complex) T() Complex { return z.both(Expr.T) }

// H is the conjugate transpose of a matrix; of a vector, its conjugate.
func (z Complex) H() Complex { return z.T().Conj() }

// Neg is −z.
func (z Complex) Neg() Complex { return z.both(Expr.Neg) }

// Add is z + w, of one shape or with a scalar.
func (z Complex) Add(w Complex) Complex { return Complex{z.Re.Add(w.Re), z.Im.Add(w.Im)} }

// Sub is z − w, of one shape or with a scalar.
func (z Complex) Sub(w Complex) Complex { return Complex{z.Re.Sub(w.Re), z.Im.Sub(w.Im)} }

// Scale is c·z.
func (z Complex) Scale(c complex128) Complex {
	a, b := real(c), imag(c)
	if b == 0 {
		return z.both(func(p Expr) Expr { return p.Scale(a) })
	}
	return Complex{z.Re.Scale(a).Sub(z.Im.Scale(b)), z.Re.Scale(b).Add(z.Im.Scale(a))}
}

// At is an entry by its indices from 0, a scalar.
func (z Complex) At(index ...int) Complex {
	return z.both(func(a Expr) Expr { return a.At(index...) })
}

// Row is row i of a matrix.
func (z Complex) Row(i int) Complex { return z.both(func(a Expr) Expr { return a.Row(i) }) }

// Col is column j of a matrix.
func (z Complex) Col(j int) Complex { return z.both(func(a Expr) Expr { return a.Col(j) }) }

// Slice is the entries lo ≤ k < hi of a vector.
func (z Complex) Slice(lo, hi int) Complex {
	return z.both(func(a Expr) Expr { return a.Slice(lo, hi) })
}

// Reshape gives the same entries, in row-major order, another shape.
func (z Complex) Reshape(shape ...int) Complex {
	return z.both(func(a Expr) Expr { return a.Reshape(shape...) })
}

// Sum is the sum of all entries.
func (z Complex) Sum() Complex { return z.both(Expr.Sum) }

// Trace is the sum of the diagonal of a square matrix.
func (z Complex) Trace() Complex {
	if len(z.Shape()) != 2 {
		return Complex{failed("trace of shape %v, want a square matrix", z.Shape()), z.Im}
	}
	return z.both(func(a Expr) Expr { return a.Diag().Sum() })
}

// ComplexMatMul is the matrix product a·b, without conjugation, of arrays one of which is
// constant; the shapes are as in MatMul.
func ComplexMatMul(a, b Complex) Complex {
	return Complex{
		MatMul(a.Re, b.Re).Sub(MatMul(a.Im, b.Im)),
		MatMul(a.Re, b.Im).Add(MatMul(a.Im, b.Re)),
	}
}

// Pairs are all entries as one real vector: the real parts, then the imaginary ones.
func (z Complex) Pairs() Expr {
	if err := z.Err(); err != nil {
		return wrong(err)
	}
	n := z.Len()
	return Stack(z.Re.Reshape(n), z.Im.Reshape(n))
}

// Abs is the modulus of entry k in row-major order, 0 ≤ k < Len: the Euclidean norm of
// its parts. Where the imaginary part is 0 it is the absolute value of the real one.
func (z Complex) Abs(k int) Expr {
	if err := z.Err(); err != nil {
		return wrong(err)
	}
	re, im := z.Re.Linear(k), z.Im.Linear(k)
	if len(im.Idx) == 0 && im.Const == 0 {
		return Abs(FromLinear(re))
	}
	return Norm2(Stack(FromLinear(re), FromLinear(im)))
}

// Norm2 is the square root of the sum of the squared moduli of all entries.
func (z Complex) Norm2() Expr { return Norm2(z.Pairs()) }

// SumSquares is the sum of the squared moduli of all entries.
func (z Complex) SumSquares() Expr { return SumSquares(z.Pairs()) }

// Embedding is the real matrix [Re −Im; Im Re] of order 2n of a square matrix of order
// n. It is symmetric where the matrix is Hermitian, and has each eigenvalue twice.
// The source is Boyd and Vandenberghe 2004, exercise 4.42.
func (z Complex) Embedding() Expr {
	if err := z.Err(); err != nil {
		return wrong(err)
	}
	s := z.Shape()
	if len(s) == 0 {
		s = []int{1, 1}
	}
	if len(s) != 2 {
		return failed("the embedding of shape %v, want a matrix", s)
	}
	r, c := s[0], s[1]
	out := convex.Array{Shape: []int{2 * r, 2 * c}, Ptr: make([]int, 1, 4*r*c+1), C: make([]float64, 0, 4*r*c)}
	minus := z.Im.Neg()
	for i := range 2 * r {
		for j := range 2 * c {
			from := &z.Re
			switch {
			case i < r && j >= c:
				from = &minus
			case i >= r && j < c:
				from = &z.Im
			}
			out.Push(from.Linear(i%r*c + j%c))
		}
	}
	return FromAffine(out)
}

// IsHermitian reports whether a square matrix is seen to be Hermitian; if not, i and j
// are the indices, from 0, of an entry that is not the conjugate of its mirror.
func IsHermitian(z Complex) (i, j int, ok bool) {
	s := z.Shape()
	if len(s) != 2 || s[0] != s[1] || z.Err() != nil {
		return 0, 0, false
	}
	n := s[0]
	for i := range n {
		for j := i; j < n; j++ {
			a, b := Complex{z.Re.entryOf(i*n + j), z.Im.entryOf(i*n + j)},
				Complex{z.Re.entryOf(j*n + i), z.Im.entryOf(j*n + i)}
			d := a.Sub(b.Conj())
			if max(largestEntry(d.Re), largestEntry(d.Im)) > expr.MirrorTol*max(largestEntry(a.Re),
				largestEntry(a.Im)) {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// entryOf is entry k as a scalar.
func (a Expr) entryOf(k int) Expr { return FromLinear(a.Linear(k)) }

// largestEntry is the largest modulus of a coefficient or constant.
func largestEntry(a Expr) float64 {
	top := 0.0
	for _, v := range a.arr.Val {
		top = max(top, math.Abs(v))
	}
	for _, v := range a.arr.C {
		top = max(top, math.Abs(v))
	}
	return top
}

// hermitian is the embedding of a matrix that is seen to be Hermitian.
func (z Complex) hermitian() Expr {
	if err := z.Err(); err != nil {
		return wrong(err)
	}
	if len(z.Shape()) == 0 {
		z = z.Reshape(1, 1)
	}
	if i, j, ok := IsHermitian(z); !ok {
		return failed("a matrix of shape %v that is not seen to be Hermitian: entries (%d, %d) and (%d, %d), "+
			"counted from 0, are not conjugate; take (Z + Z')/2", z.Shape(), i, j, j, i)
	}
	return z.Upper().Embedding()
}

// Upper is the Hermitian matrix that has the entries of a square matrix above the diagonal
// and the real parts of those on it: the matrix itself, without rounding, where IsHermitian
// holds.
func (z Complex) Upper() Complex {
	if s := z.Shape(); len(s) != 2 || s[0] != s[1] || z.Err() != nil {
		return Complex{failed("the Hermitian matrix of shape %v, want a square matrix", s), z.Im}
	}
	n := z.Shape()[0]
	re, im := make([]convex.Linear, n*n), make([]convex.Linear, n*n)
	for i := range n {
		re[i*n+i] = z.Re.Linear(i*n + i)
		for j := range i {
			k := j*n + i
			re[k], im[k] = z.Re.Linear(k), z.Im.Linear(k)
			re[i*n+j], im[i*n+j] = re[k], im[k].Scale(-1)
		}
	}
	return Complex{FromAffine(convex.Entries(re...)).Reshape(n, n), FromAffine(convex.Entries(im...)).Reshape(n, n)}
}

// Semidefinite states that a Hermitian matrix of order n is positive semidefinite, by its
// embedding, of order 2n. It has the multiplier of the embedding; ComplexDual gives the
// complex one. A matrix that is not seen to be Hermitian is an error.
func (z Complex) Semidefinite() Constraint { return Semidefinite(z.hermitian()) }

// LambdaMax is the largest eigenvalue of a Hermitian matrix, convex in it: the one of its
// embedding. A matrix that is not seen to be Hermitian is an error.
func (z Complex) LambdaMax() Expr { return LambdaMax(z.hermitian()) }

// LambdaMin is the smallest eigenvalue of a Hermitian matrix, concave in it.
func (z Complex) LambdaMin() Expr { return LambdaMin(z.hermitian()) }

// Quad is z'Qz for the entries of z, in row-major order, and a Hermitian Q of that order: a
// real quadratic form, convex for a positive semidefinite Q, concave for a negative
// semidefinite one and split by eigenvalues else, within ctx as Quad does it. A Q that is not
// Hermitian is an error.
func (z Complex) Quad(ctx context.Context, q mat.CMatrix) Expr {
	n, c := q.Dims()
	if n != c || n != z.Len() {
		return failed("a quadratic form with a matrix %d x %d, want one of order %d", n, c, z.Len())
	}
	e := ComplexMat(q).hermitian()
	if err := e.Err(); err != nil {
		return wrong(err)
	}
	return Quad(ctx, z.Pairs(), mat.NewSymDense(2*n, e.arr.C))
}

// ComplexEQ states l = r, of one shape or with a scalar: the equation of the real parts,
// named re(family), and the equation of the imaginary parts, named im(family). With the
// multipliers of both, y = y_re + i·y_im is the multiplier of the complex equation, for
// which the Lagrangian has Re(conj(y)(l − r)).
func ComplexEQ(family string, l, r Complex, index ...int) []Constraint {
	re, im := EQ(l.Re, r.Re), EQ(l.Im, r.Im)
	if family == "" {
		return []Constraint{re, im}
	}
	return []Constraint{re.Named(program.RealPart(family), index...), im.Named(program.ImagPart(family), index...)}
}

// ComplexDual is the multiplier of a semidefinite Hermitian matrix of order n from the multiplier
// of its embedding, of order 2n, in row-major order: the Y with tr(YZ) = ⟨y, Embedding(Z)⟩ for
// every Hermitian Z.
func ComplexDual(n int, y []float64) []complex128 {
	out := make([]complex128, n*n)
	at := func(i, j int) float64 { return y[i*2*n+j] }
	for i := range n {
		for j := range n {
			out[i*n+j] = complex(at(i, j)+at(n+i, n+j), at(n+i, j)-at(i, n+j))
		}
	}
	for i := range n { // rounding of mirrored entries
		for j := range i {
			m := (out[i*n+j] + cmplx.Conj(out[j*n+i])) / 2
			out[i*n+j], out[j*n+i] = m, complex(real(m), 0-imag(m))
		}
		out[i*n+i] = complex(real(out[i*n+i]), 0)
	}
	return out
}

// IsSymmetric reports whether a square matrix is seen to be symmetric; if not,
// i and j are the indices, from 0, of an entry that differs from its mirror.
func IsSymmetric(a Expr) (i, j int, ok bool) {
	if len(a.arr.Shape) != 2 || a.arr.Shape[0] != a.arr.Shape[1] || a.Err() != nil || a.bent() {
		return 0, 0, false
	}
	return matrix.IsSymmetric(a.arr.Array)
}
