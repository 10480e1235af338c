package expr

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
)

// Array is an array of functions: affine ones by their coefficients, others one by one.
type Array struct {
	convex.Array          // of others: the shape, and the space of all
	Fs           []Scalar // not nil: the entries, some of which are not affine
}

// ListOf is the entries in that shape; where all are affine as they are written, by their
// coefficients. Entries of several models are one mistake.
func ListOf(shape []int, fs []Scalar) Array {
	of := OwnerOf(fs...)
	if of != nil && of.Wrong != nil {
		return Array{Fs: []Scalar{{Err: of.Wrong}}}
	}
	lins := make([]convex.Linear, len(fs))
	for k := range fs {
		if fs[k].Err != nil || !fs[k].IsAffineNow() {
			return Array{convex.Array{Shape: shape, Of: of}, fs}
		}
		lins[k] = fs[k].Lin
	}
	out := convex.Entries(lins...)
	out.Shape = shape
	return Array{Array: out}
}

// Bent reports whether some entries may not be affine.
func (a *Array) Bent() bool { return a.Fs != nil }

// Len is the number of entries.
func (a *Array) Len() int {
	if a.Bent() {
		return len(a.Fs)
	}
	return a.Array.Len()
}

// Scalar is entry k.
func (a *Array) Scalar(k int) Scalar {
	if a.Bent() {
		return a.Fs[k]
	}
	return Scalar{Lin: a.Linear(k)}
}

// Scalars are the entries.
func (a *Array) Scalars() []Scalar {
	if a.Bent() {
		return a.Fs
	}
	out := make([]Scalar, a.Len())
	for k := range out {
		out[k] = a.Scalar(k)
	}
	return out
}

// Slice are the entries from lo to hi of a vector.
func (a *Array) Slice(lo, hi int) Array {
	if a.Bent() {
		return ListOf([]int{hi - lo}, a.Fs[lo:hi:hi])
	}
	return Array{Array: a.Array.Slice(lo, hi)}
}

// Take are entries by their places, as a vector.
func (a *Array) Take(flat []int) Array {
	if !a.Bent() {
		return Array{Array: a.Array.Take([]int{len(flat)}, flat)}
	}
	fs := make([]Scalar, len(flat))
	for i, k := range flat {
		fs[i] = a.Fs[k]
	}
	return ListOf([]int{len(fs)}, fs)
}

func (a *Array) ValueTo(dst, x []float64) {
	for k := range a.Fs {
		dst[k] = a.Fs[k].Value(x)
	}
	if !a.Bent() {
		a.Array.ValueTo(dst, x)
	}
}

// addRows adds gradients, each entry of one times its number in g, to dst.
func (a *Array) addRows(dst []float64, g [][]float64, x []float64) {
	for k := range g {
		switch v := g[k][0]; {
		case !a.Bent():
			a.AddRow(dst, v, k)
		case v != 0:
			a.Fs[k].AddSubgrad(dst, v, x)
		}
	}
}

// approxTo writes values and bounds of their errors.
func (a *Array) approxTo(u, e [][]float64, x []float64) {
	for k := range u {
		v := convex.Approx{}
		if a.Bent() {
			v = a.Fs[k].Approx(x)
		} else {
			v = a.Array.Approx(k, x)
		}
		u[k][0], e[k][0] = v.V, v.E
	}
}

func (a *Array) Support() []int {
	lists := [][]int{a.Idx}
	for k := range a.Fs {
		lists = append(lists, a.Fs[k].Support())
	}
	return convex.Union(lists...)
}

// Size is the largest term of e at x, the constant included.
func (e *Scalar) Size(x []float64) float64 {
	s := e.Lin.Size(x)
	for _, t := range e.Terms {
		if f, ok := t.F.(convex.Sized); ok {
			_, most := f.Sizes(x)
			s = max(s, math.Abs(t.W)*most)
			continue
		}
		s = max(s, convex.FiniteSize(t.W*t.F.Value(x)))
	}
	return s
}

// IsWider reports whether the range of f is found to be wider than a number by a few members of a
// sum: the range of the sum is as wide as all of them together. False says nothing.
func IsWider(f convex.Func, than float64) bool {
	s, ok := f.(interface{ Wider(than float64) bool })
	return ok && s.Wider(than)
}
