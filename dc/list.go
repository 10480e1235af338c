package dc

import "github.com/dcopt/dcopt/internal/convex"

// array is an array of functions: affine ones by their coefficients, others one by one.
type array struct {
	convex.Array          // of others: the shape, and the space of all
	fs           []scalar // not nil: the entries, some of which are not affine
}

// listOf is the entries in that shape; where all are affine as they are written, by their
// coefficients. Entries of several models are one mistake.
func listOf(shape []int, fs []scalar) array {
	of := ownerOf(fs...)
	if of != nil && of.Wrong != nil {
		return array{fs: []scalar{{err: of.Wrong}}}
	}
	lins := make([]convex.Linear, len(fs))
	for k := range fs {
		if fs[k].err != nil || !fs[k].isAffineNow() {
			return array{convex.Array{Shape: shape, Of: of}, fs}
		}
		lins[k] = fs[k].lin
	}
	out := convex.Entries(lins...)
	out.Shape = shape
	return array{Array: out}
}

// bent reports whether some entries may not be affine.
func (a *array) bent() bool { return a.fs != nil }

// Len is the number of entries.
func (a *array) Len() int {
	if a.bent() {
		return len(a.fs)
	}
	return a.Array.Len()
}

// scalar is entry k.
func (a *array) scalar(k int) scalar {
	if a.bent() {
		return a.fs[k]
	}
	return scalar{lin: a.Linear(k)}
}

// scalars are the entries.
func (a *array) scalars() []scalar {
	if a.bent() {
		return a.fs
	}
	out := make([]scalar, a.Len())
	for k := range out {
		out[k] = a.scalar(k)
	}
	return out
}

// slice are the entries from lo to hi of a vector.
func (a *array) slice(lo, hi int) array {
	if a.bent() {
		return listOf([]int{hi - lo}, a.fs[lo:hi:hi])
	}
	return array{Array: a.Array.Slice(lo, hi)}
}

// take are entries by their places, as a vector.
func (a *array) take(flat []int) array {
	if !a.bent() {
		return array{Array: a.Array.Take([]int{len(flat)}, flat)}
	}
	fs := make([]scalar, len(flat))
	for i, k := range flat {
		fs[i] = a.fs[k]
	}
	return listOf([]int{len(fs)}, fs)
}

func (a *array) valueTo(dst, x []float64) {
	for k := range a.fs {
		dst[k] = a.fs[k].value(x)
	}
	if !a.bent() {
		a.Array.ValueTo(dst, x)
	}
}

func (a *array) support() []int {
	lists := [][]int{a.Idx}
	for k := range a.fs {
		lists = append(lists, a.fs[k].support())
	}
	return convex.Union(lists...)
}
