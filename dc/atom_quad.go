package dc

import (
	"context"
	"math"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SumSquares is the sum of aₖ², ‖a‖².
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any whose squares have splits
//	refuses    others
//	form       quadratic
//	source     as a bound, a second-order cone: Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func SumSquares(a Expr) Expr {
	return a.fold(atom.SumSquares, func(a array) scalar { return sumOfEach(atom.SumSquares, a) })
}

// Square is o². Of a convex o ≥ 0, or a concave o ≤ 0, it is convex; see
// squareSplit for all others, of which it refuses those without a bound that it needs.
func Square(o Expr) Expr { return o.each(squareOf) }

// sumOfEach is the sum of |eₖ|, or of eₖ².
func sumOfEach(row *atom.Reduce, a array) scalar {
	es := a.fs
	if es == nil || allAffine(es) {
		return applyEntries(row, nil, a)
	}
	parts := make([]scalar, len(es))
	for k, e := range es {
		if parts[k] = absOf(e); row == atom.SumSquares {
			parts[k] = squareOf(e)
		}
	}
	return sumExprs(parts)
}

// diagonalQuad serves diagonal matrices without eigenvalues.
func diagonalQuad(a convex.Array, q mat.Symmetric) (scalar, bool) {
	n := q.SymmetricDim()
	var plus, minus []convex.Linear
	for i := range n {
		for j := i + 1; j < n; j++ {
			if q.At(i, j) != 0 {
				return scalar{}, false
			}
		}
		switch d := q.At(i, i); {
		case d > 0 && !math.IsInf(d, 1):
			plus = append(plus, a.Linear(i).Scale(math.Sqrt(d)))
		case d < 0 && !math.IsInf(d, -1):
			minus = append(minus, a.Linear(i).Scale(math.Sqrt(-d)))
		case d != 0:
			return badExpr("quad: diagonal entry %d is %g", i, d), true
		}
	}
	var e scalar
	if plus != nil {
		e = reduce(atom.SumSquares, nil, convex.Entries(plus...))
	}
	if minus != nil {
		e = e.Sub(reduce(atom.SumSquares, nil, convex.Entries(minus...)))
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

func newQuad(a convex.Array, q mat.Symmetric) scalar {
	f := quadOf(a, q)
	if a.IsConst() {
		return constantExpr(f.Value(nil))
	}
	return convexOf(f, a.Of)
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
	own     *parted
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

// approx: |u|ᵀ|Q||u| times the roundings of the sums, and 2|Qu| times the errors
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

func (f *quad) node() Node {
	return Node{op: opQuad, args: affineArgs(&f.a), nums: f.q.RawSymmetric().Data}
}

func (f *quad) Over() interval.Interval {
	i := f.products()
	if f.own == nil {
		i.Lo = max(i.Lo, 0)
	}
	return i
}

func (f *quad) hasSplit() bool { return f.own != nil }
func (f *quad) split() *split {
	if f.own == nil {
		return nil
	}
	return &f.own.s
}

// products is the sum of the ranges of the products of entries.
func (f *quad) products() interval.Interval {
	entries := make([]interval.Interval, len(f.a.C))
	for k := range entries {
		if entries[k] = f.a.Over(k); !entries[k].IsFinite() && f.q.At(k, k) != 0 && len(entries) > mostSquared {
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

func quadAtoms() []constructor {
	return []constructor{
		{op: "square", args: 1, make: of(Square)},
	}
}
