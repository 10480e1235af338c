package matrix

import (
	"math"
	"sync"

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
	f := &singularNorm{name: name, all: all, r: a.Shape[0], c: a.Shape[1], a: a.Array, indices: a.Support()}
	f.pool.New = func() any { return dense.NewSVD(f.r, f.c) }
	if s, err := newSymmetric(name, a); err == nil {
		f.symmetric = s
	}
	if a.IsConst() {
		return constant(name, f.Value(nil))
	}
	return expr.ConvexOf(f, a.Of)
}

// singularNorm is a norm of the singular values of an r × c matrix, r ≥ c: their
// sum or the largest.
type singularNorm struct {
	name      string
	all       bool
	r, c      int
	a         convex.Array
	symmetric *symmetric // not nil where the matrix is seen to be
	indices   []int
	pool      sync.Pool // of *dense.SVD
}

// factor decomposes the matrix at x. Subgradients need all vectors; values
// none, but the algorithm for values alone allocates.
func (f *singularNorm) factor(w *dense.SVD, x []float64, vectors bool) bool {
	f.a.ValueTo(w.A.Data, x)
	sum := 0.0
	for _, v := range w.A.Data {
		sum += v - v
	}
	return sum == 0 && w.Decompose(vectors)
}

func (f *singularNorm) Value(x []float64) float64 {
	w := f.pool.Get().(*dense.SVD)
	defer f.pool.Put(w)
	if !f.factor(w, x, false) {
		return math.NaN()
	}
	if !f.all {
		return w.Values[0]
	}
	sum := 0.0
	for _, σ := range w.Values {
		sum += σ
	}
	return sum
}

// AddSubgrad: uvᵀ of the largest singular value, or of all of them, zeros
// included: a linearisation at a singular matrix still says "move away".
func (f *singularNorm) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.pool.Get().(*dense.SVD)
	defer f.pool.Put(w)
	if !f.factor(w, x, true) {
		return
	}
	for k := range w.Values {
		for i := range f.r {
			u := scale * w.U.Data[i*f.c+k]
			for j := range f.c {
				f.a.AddRow(dst, u*w.VT.Data[k*f.c+j], i*f.c+j)
			}
		}
		if !f.all {
			return
		}
	}
}

func (f *singularNorm) Support() []int { return f.indices }

// Represent: of the largest, t with [tI A; Aᵀ tI] ⪰ 0, and of the sum (tr V + tr W)/2 with [V A; Aᵀ
// W] ⪰ 0. For symmetric matrices half the order is enough: −tI ⪯ A ⪯ tI, and tr V + tr W with A = V
// − W, V, W ⪰ 0.
func (f *singularNorm) Represent(c convex.Canon) convex.Form {
	if f.symmetric != nil {
		return f.representSymmetric(c)
	}
	entry := func(i, j int) convex.Linear { return f.a.Linear(i*f.c + j) }
	if !f.all {
		t := convex.Column(c)
		semidefinite(c, f.r+f.c, block(f.r, multiple(t), entry, multiple(t)))
		return convex.Form{Linear: t}
	}
	v, trV := free(c, f.r)
	w, trW := free(c, f.c)
	semidefinite(c, f.r+f.c, block(f.r, v, entry, w))
	return convex.Form{Linear: trV.AddScaled(1, trW).Scale(0.5)}
}

func (f *singularNorm) representSymmetric(c convex.Canon) convex.Form {
	n, a := f.r, f.symmetric
	if !f.all {
		t := convex.Column(c)
		for _, sign := range []float64{1, -1} {
			semidefinite(c, n, func(i, j int) convex.Linear { return multiple(t)(i, j).AddScaled(sign, a.at(i, j)) })
		}
		return convex.Form{Linear: t}
	}
	v, trace := free(c, n)
	semidefinite(c, n, v)
	minus := convex.Linear{}
	for i := range n {
		minus = minus.AddScaled(1, a.at(i, i))
	}
	semidefinite(c, n, func(i, j int) convex.Linear { return v(i, j).AddScaled(-1, a.at(i, j)) })
	return convex.Form{Linear: trace.Scale(2).AddScaled(-1, minus)}
}

// Approx: singular values change by no more than the norm of the error, their
// sum by as many times; the backward error of the decomposition is the same as of the
// symmetric eigenvalue problem.
func (f *singularNorm) Approx(x []float64) convex.Approx {
	v := f.Value(x)
	e := f.a.ErrorNorm(x) + 10*float64(f.r+f.c)*convex.Roundoff*v
	if f.all {
		e *= float64(f.c)
	}
	return convex.Approx{V: v, E: e}
}

func (f *singularNorm) Over() interval.Interval { return interval.New(0, math.Inf(1)) }
func (f *singularNorm) String() string          { return f.name }

func (f *singularNorm) Node() expr.Node {
	return expr.Node{Name: f.name, Inputs: [2]expr.Argument{{Affine: &f.a,
		Order: f.r}}} // of one order: columns count as well
}
