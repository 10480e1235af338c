package rule

import (
	"context"
	"math"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
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

func newQuad(a convex.Array, q mat.Symmetric) expr.Scalar {
	f := quadOf(a, q)
	if a.IsConst() {
		return expr.Number(f.Value(nil))
	}
	return expr.ConvexOf(f, a.Of)
}

func quadOf(a convex.Array, q mat.Symmetric) *quad {
	n := a.Len()
	f := &quad{a: a, indices: a.Support(), q: mat.NewSymDense(n, nil)}
	f.q.CopySym(q)
	f.pool.New = func() any { return &quadWork{vector(n), vector(n)} }
	return f
}

// quad is aᵀQa. Without a split of its own Q is positive semidefinite.
type quad struct {
	own     *expr.Parted
	a       convex.Array
	q       *mat.SymDense
	indices []int
	pool    sync.Pool // of *quadWork
}

func vector(n int) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)} }

// quadWork are the values u of the argument, and Qu.
type quadWork struct{ u, qu blas64.Vector }

// at computes both at x; the caller puts w back into the pool.
func (f *quad) at(x []float64) *quadWork {
	w := f.pool.Get().(*quadWork)
	f.a.ValueTo(w.u.Data, x)
	f.multiply(w)
	return w
}

func (f *quad) multiply(w *quadWork) {
	if w.u.N > 0 {
		blas64.Symv(1, f.q.RawSymmetric(), w.u, 0, w.qu)
	}
}

// factor is an affine vector with the sum of squares f.
func (f *quad) factor() (convex.Array, bool) {
	r, ok, _ := dense.Root(context.Background(), f.q, 0)
	if !ok {
		return convex.Array{}, false
	}
	n, _ := r.Dims()
	return f.a.LeftMul(r, 1, []int{n}), true
}

func (f *quad) Value(x []float64) float64 {
	w := f.at(x)
	defer f.pool.Put(w)
	return blas64.Dot(w.u, w.qu)
}

func (f *quad) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.at(x)
	defer f.pool.Put(w)
	for i, v := range w.qu.Data {
		f.a.AddRow(dst, 2*scale*v, i)
	}
}

func (f *quad) Smooth() bool { return true }

func (f *quad) Support() []int { return f.indices }

func (f *quad) Represent(convex.Canon) convex.Form {
	return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: f.a, Q: f.q}}}
}

// Approx: |u|ᵀ|Q||u| times the roundings of the sums, and 2|Qu| times the errors
// of the entries u.
func (f *quad) Approx(x []float64) convex.Approx {
	w := f.at(x)
	defer f.pool.Put(w)
	u := w.u.Data
	n := float64(len(u))
	v, size, e := 0.0, 0.0, 0.0
	for i, ui := range u {
		row, abs, worst := 0.0, 0.0, 0.0
		ei := f.a.Approx(i, x).E
		for j, uj := range u {
			q := f.q.At(i, j)
			row += q * uj
			abs += math.Abs(q * uj)
			worst = max(worst, math.Abs(q))
		}
		v += ui * row
		size += math.Abs(ui) * abs
		e += 2*math.Abs(row)*ei + n*worst*ei*ei
	}
	return convex.Approx{V: v, E: e + (2*n+2)*convex.Roundoff*size}
}

func (f *quad) Node() expr.Node {
	return expr.Node{Name: expr.OpQuad, Inputs: [2]expr.Array{{Array: f.a}}, Nums: f.q.RawSymmetric().Data}
}

func (f *quad) Over() interval.Interval {
	i := f.products()
	if f.own == nil {
		i.Lo = max(i.Lo, 0)
	}
	return i
}

func (f *quad) HasSplit() bool { return f.own != nil }
func (f *quad) Split() *expr.Split {
	if f.own == nil {
		return nil
	}
	return &f.own.S
}

// products is the sum of the ranges of the products of entries.
func (f *quad) products() interval.Interval {
	entries := make([]interval.Interval, len(f.a.C))
	for k := range entries {
		if entries[k] = f.a.Over(k); !entries[k].IsFinite() && f.q.At(k, k) != 0 && len(entries) > expr.MostSquared {
			return interval.Whole
		}
	}
	i := interval.Point(0)
	for r, u := range entries {
		i = i.Add(u.Square().Scale(f.q.At(r, r)))
		for c := r + 1; c < len(entries); c++ {
			if v := f.q.At(r, c); v != 0 {
				i = i.Add(u.Mul(entries[c]).Scale(2 * v))
			}
		}
	}
	return i
}
func (f *quad) String() string { return "quad" }

func (f *quad) Twice() bool { return true }

// moved is Q times the derivatives of the entries along v.
func (f *quad) moved(x, v []float64) *quadWork {
	w := f.pool.Get().(*quadWork)
	for k := range w.u.Data {
		w.u.Data[k] = f.a.Linear(k).Directional(x, v)
	}
	f.multiply(w)
	return w
}

func (f *quad) Directional(x, v []float64) (s float64) {
	w := f.moved(x, v)
	defer f.pool.Put(w)
	for k, q := range w.qu.Data {
		s += 2 * q * f.a.At(k, x)
	}
	return s
}

func (f *quad) AddProduct(dst []float64, scale float64, x, v []float64) {
	w := f.moved(x, v)
	defer f.pool.Put(w)
	for k, q := range w.qu.Data {
		f.a.AddRow(dst, 2*scale*q, k)
	}
}

func (f *quotient) Twice() bool { return f.a.Twice() && f.b.Twice() }

func (f *quotient) Directional(x, v []float64) float64 {
	b := f.b.Value(x)
	return (f.a.Directional(x, v) - f.a.Value(x)/b*f.b.Directional(x, v)) / b
}

// AddProduct: the gradient is (∇a − q·∇b)/b with q = a/b.
func (f *quotient) AddProduct(dst []float64, scale float64, x, v []float64) {
	b := f.b.Value(x)
	q, db := f.a.Value(x)/b, f.b.Directional(x, v)
	dq := (f.a.Directional(x, v) - q*db) / b
	f.a.AddSubgrad(dst, -scale*db/b/b, x)
	f.b.AddSubgrad(dst, -scale*(dq-q*db/b)/b, x)
	f.a.AddProduct(dst, scale/b, x, v)
	f.b.AddProduct(dst, -scale*q/b, x, v)
}
