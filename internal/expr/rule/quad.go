package rule

import (
	"math"
	"math/bits"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SumOfEach is the sum of |eₖ|, or of eₖ².
func SumOfEach(row *atom.Reduce, a expr.Array) expr.Scalar {
	es := a.Fs
	if es == nil || expr.AllAffine(es) {
		return expr.ApplyEntries(row, nil, a)
	}
	parts := make([]expr.Scalar, len(es))
	for k, e := range es {
		if parts[k] = expr.AbsOf(e); row == atom.SumSquares {
			parts[k] = SquareOf(e)
		}
	}
	return expr.SumOf(parts)
}

// diagonalQuad serves diagonal matrices without eigenvalues.
func diagonalQuad(a convex.Array, q mat.Symmetric) (expr.Scalar, bool) {
	n := q.SymmetricDim()
	var plus, minus []convex.Linear
	for i := range n {
		for j := i + 1; j < n; j++ {
			if q.At(i, j) != 0 {
				return expr.Scalar{}, false
			}
		}
		switch d := q.At(i, i); {
		case d > 0 && !math.IsInf(d, 1):
			plus = append(plus, a.Linear(i).Scale(math.Sqrt(d)))
		case d < 0 && !math.IsInf(d, -1):
			minus = append(minus, a.Linear(i).Scale(math.Sqrt(-d)))
		case d != 0:
			return expr.Failed("quad: diagonal entry %d is %g", i, d), true
		}
	}
	var e expr.Scalar
	if plus != nil {
		e = expr.Reduce(atom.SumSquares, nil, convex.Entries(plus...))
	}
	if minus != nil {
		e = e.Sub(expr.Reduce(atom.SumSquares, nil, convex.Entries(minus...)))
	}
	return e, true
}

// spectralPart is the sum of sign·λ·vvᵀ over the eigenvalues of that sign.
func spectralPart(dst *mat.SymDense, λ []float64, v *mat.Dense, sign float64) {
	n := len(λ)
	scaled := mat.NewDense(n, n, nil)
	for k := range n {
		if sign*λ[k] > 0 {
			s := math.Sqrt(sign * λ[k])
			for i := range n {
				scaled.Set(i, k, s*v.At(i, k))
			}
		}
	}
	*dst = *mat.NewSymDense(n, nil)
	dst.SymOuterK(1, scaled)
}

// newQuad is aᵀQa of a positive semidefinite Q.
func newQuad(a convex.Array, q mat.Symmetric) expr.Scalar {
	f := expr.NewVectorAtom(semidefinite, dataOf(q), a)
	if a.IsConst() {
		return expr.Number(f.Value(nil))
	}
	return expr.ConvexOf(f, a.Of)
}

// dataOf is a copy of a matrix, of which the upper triangle counts.
func dataOf(q mat.Symmetric) []float64 {
	c := mat.NewSymDense(q.SymmetricDim(), nil)
	c.CopySym(q)
	return c.RawSymmetric().Data
}

func vector(n int) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)} }

// quadRooms are pools of *quadWork by the number of bits of the order.
var quadRooms = [bits.UintSize]sync.Pool{}

// quadWork are numbers u, and Qu.
type quadWork struct{ u, qu blas64.Vector }

// times computes Qu of member m; put gives the room back.
func times(p []float64, u [][]float64, m int) *quadWork {
	n := len(u)
	w, ok := quadRooms[bits.Len(uint(n))].Get().(*quadWork)
	if !ok || w.u.N != n {
		w = &quadWork{vector(n), vector(n)}
	}
	for k := range u {
		w.u.Data[k] = u[k][m]
	}
	if n > 0 {
		blas64.Symv(1, blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: p}, w.u, 0, w.qu)
	}
	return w
}

func (w *quadWork) put() { quadRooms[bits.Len(uint(w.u.N))].Put(w) }

// semidefinite is uᵀQu of a positive semidefinite Q, the parameters, and indefinite of any.
var (
	semidefinite = rowOf(quadRow(1))
	indefinite   = rowOf(quadRow(0))
)

func quadRow(curvature int) atom.Reduce {
	addTimes := func(to [][]float64, adj, p []float64, u [][]float64) {
		for m, g := range adj {
			w := times(p, u, m)
			for k, v := range w.qu.Data {
				to[k][m] += 2 * g * v
			}
			w.put()
		}
	}
	return atom.Reduce{
		Name: expr.OpQuad, Curvature: curvature, Smooth: true,
		Value: func(dst []float64, u [][]float64, p []float64) {
			for m := range dst {
				w := times(p, u, m)
				dst[m] = blas64.Dot(w.u, w.qu)
				w.put()
			}
		},
		Slope:  func(to [][]float64, adj []float64, u [][]float64, _, p []float64) { addTimes(to, adj, p, u) },
		Second: func(to [][]float64, adj []float64, _, d [][]float64, _, p []float64) { addTimes(to, adj, p, d) },
		// |u|ᵀ|Q||u| times the roundings of the sums, and 2|Qu| times the errors of the entries u.
		Error: func(dst, _ []float64, u, e [][]float64, _, p []float64) {
			n := len(u)
			for m := range dst {
				size, err := 0.0, 0.0
				for i := range u {
					row, abs, worst, ei := 0.0, 0.0, 0.0, e[i][m]
					for j := range u {
						q := p[min(i, j)*n+max(i, j)]
						row += q * u[j][m]
						abs += math.Abs(q * u[j][m])
						worst = max(worst, math.Abs(q))
					}
					size += math.Abs(u[i][m]) * abs
					err += 2*math.Abs(row)*ei + float64(n)*worst*ei*ei
				}
				dst[m] = err + float64(2*n+2)*convex.Roundoff*size
			}
		},
		// The sum of the ranges of the products of entries.
		Over: func(u []atom.Interval, p []float64) atom.Interval {
			n := len(u)
			sum := interval.Point(0)
			for r, i := range u {
				if !i.IsFinite() && p[r*n+r] != 0 && n > expr.MostSquared {
					sum = interval.Whole
					break
				}
				sum = sum.Add(i.Square().Scale(p[r*n+r]))
				for c := r + 1; c < n; c++ {
					if v := p[r*n+c]; v != 0 {
						sum = sum.Add(i.Mul(u[c]).Scale(2 * v))
					}
				}
			}
			if curvature > 0 {
				sum.Lo = max(sum.Lo, 0)
			}
			return sum
		},
		Bound: func(_ convex.Canon, u []convex.Linear, p []float64) convex.Form {
			q := mat.NewSymDense(len(u), p)
			return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: convex.Entries(u...), Q: q}}}
		},
	}
}
