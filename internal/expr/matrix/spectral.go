package matrix

import (
	"math"
	"math/bits"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Singular makes either norm.
func Singular(name string, a expr.Array, all bool) expr.Scalar {
	switch {
	case a.Bent():
		return expr.Failed("%s needs a matrix of affine functions", name)
	case len(a.Shape) > 2:
		return expr.Failed("%s of shape %v, want a matrix", name, a.Shape)
	case a.Len() == 0:
		return expr.Scalar{}
	case len(a.Shape) < 2 || a.Shape[0] == 1 || a.Shape[1] == 1:
		return expr.Reduce(atom.Norm2, nil, a.Reshaped(a.Len()))
	case a.Shape[0] < a.Shape[1]:
		a.Array = a.Transpose()
	}
	row, r, c := largestSingular, a.Shape[0], a.Shape[1]
	if all {
		row = nuclear
	}
	symmetric := 0.0
	if _, _, err := newSymmetric(name, a); err == nil {
		symmetric = 1
	}
	f := expr.NewVectorAtom(row, []float64{float64(r), float64(c), symmetric}, a.Array)
	if a.IsConst() {
		return constant(name, f.Value(nil))
	}
	return expr.ConvexOf(f, a.Of)
}

// largestSingular and nuclear are the largest singular value of an r × c matrix, r ≥ c, and the sum
// of all. The parameters are r and c, and 1 where the matrix is seen to be symmetric.
var (
	largestSingular = rowOf(singularRow("sigma_max", false))
	nuclear         = rowOf(singularRow("normnuc", true))
)

func singularRow(name string, all bool) atom.Reduce {
	return atom.Reduce{
		Name: name, Curvature: 1,
		Value: func(dst []float64, u [][]float64, p []float64) {
			w := takeSVD(p)
			defer putSVD(w)
			for m := range dst {
				if dst[m] = math.NaN(); !decompose(w, u, m, false) {
					continue
				}
				if dst[m] = w.Values[0]; all {
					dst[m] = 0
					for _, σ := range w.Values {
						dst[m] += σ
					}
				}
			}
		},
		// uvᵀ of the largest singular value, or of all of them, zeros included: a linearisation
		// at a singular matrix still says "move away".
		Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
			w := takeSVD(p)
			defer putSVD(w)
			r, c := int(p[0]), int(p[1])
			for m, g := range adj {
				if !decompose(w, u, m, true) {
					continue
				}
				for k := range w.Values {
					for i := range r {
						for j := range c {
							to[i*c+j][m] += g * w.U.Data[i*c+k] * w.VT.Data[k*c+j]
						}
					}
					if !all {
						break
					}
				}
			}
		},
		// Singular values change by no more than the norm of the error, their sum by as many
		// times; the backward error is the same as of the symmetric eigenvalue problem.
		Error: func(dst, _ []float64, _, e [][]float64, v, p []float64) {
			for m := range dst {
				if dst[m] = norm(e, m) + 10*(p[0]+p[1])*convex.Roundoff*v[m]; all {
					dst[m] *= p[1]
				}
			}
		},
		Over: func([]atom.Interval, []float64) atom.Interval { return interval.New(0, math.Inf(1)) },
		// Of the largest, t with [tI A; Aᵀ tI] ⪰ 0, and of the sum (tr V + tr W)/2 with
		// [V A; Aᵀ W] ⪰ 0. For symmetric matrices half the order is enough: −tI ⪯ A ⪯ tI, and
		// tr V + tr W with A = V − W, V, W ⪰ 0.
		Bound: func(to convex.Canon, u []convex.Linear, p []float64) convex.Form {
			r, c := int(p[0]), int(p[1])
			entry := func(i, j int) convex.Linear { return u[i*c+j] }
			switch symmetric := p[2] > 0; {
			case symmetric && !all:
				t := convex.Column(to)
				for _, sign := range []float64{1, -1} {
					semidefinite(to, r, func(i, j int) convex.Linear {
						return multiple(t)(i, j).AddScaled(sign, entry(i, j))
					})
				}
				return convex.Form{Linear: t}
			case symmetric:
				v, trace := free(to, r)
				semidefinite(to, r, v)
				semidefinite(to, r, func(i, j int) convex.Linear { return v(i, j).AddScaled(-1, entry(i, j)) })
				return convex.Form{Linear: trace.Scale(2).AddScaled(-1, traceOf(r, entry))}
			case !all:
				t := convex.Column(to)
				semidefinite(to, r+c, block(r, multiple(t), entry, multiple(t)))
				return convex.Form{Linear: t}
			}
			v, trV := free(to, r)
			w, trW := free(to, c)
			semidefinite(to, r+c, block(r, v, entry, w))
			return convex.Form{Linear: trV.AddScaled(1, trW).Scale(0.5)}
		},
	}
}

// takeSVD is room for matrices of a shape, which putSVD gives back.
func takeSVD(p []float64) *dense.SVD {
	r, c := int(p[0]), int(p[1])
	if w, ok := svdRooms[bits.Len(uint(r))].Get().(*dense.SVD); ok && w.A.Rows == r && w.A.Cols == c {
		return w
	}
	return dense.NewSVD(r, c)
}

func putSVD(w *dense.SVD) { svdRooms[bits.Len(uint(w.A.Rows))].Put(w) }

// decompose decomposes a matrix. Subgradients need all vectors; values
// none, but the algorithm for values alone allocates.
func decompose(w *dense.SVD, u [][]float64, m int, vectors bool) bool {
	sum := 0.0
	for k := range u {
		v := u[k][m]
		w.A.Data[k] = v
		sum += v - v
	}
	return sum == 0 && w.Decompose(vectors)
}
