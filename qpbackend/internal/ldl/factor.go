package ldl

import (
	"context"
	"fmt"
	"math"
)

// Regularisation replaces pivots on the way: with Delta > 0, a pivot d of
// expected sign s becomes s·Delta where s·d <= Eps. Where no sign is given it
// becomes ±Delta, by its own sign, where |d| <= Eps. The zero value replaces
// nothing.
type Regularisation struct{ Eps, Delta float64 }

// Factor holds the factorisation of one matrix pattern. It is for one goroutine
// at a time.
type Factor struct {
	n      int
	perm   []int   // original index of each pivot
	order  []int32 // perm once more: passes read half as much
	sym    analysis
	parent []int32
	count  []int32 // entries of each column of L below the diagonal
	nnz    int
	flops  float64

	d, dinv []float64
	x       []float64 // of SolveTo
	diag    []float64 // of Factorise

	first *leading    // of the first pivots, perhaps none,
	sup   *supernodal // and of the matrix that these leave
	last  []int       // the end of each of the caller's columns, behind the diagonal entry
	call  call
}

// analysis is the material of the symbolic work.
type analysis struct {
	up   *triangle
	post []int32 // the column of up that each column is; nil where these are the same
	room []int32 // 4n + 1 entries for vectors of its steps
}

// call has the arguments of the last Load, and of the call of Refactor that runs.
type call struct {
	val      []float64
	sign     []int8
	reg      Regularisation
	replaced int
}

// NNZ is the number of entries of L without the diagonal.
func (f *Factor) NNZ() int { return f.nnz }

// Flops is the number of operations a factorisation needs.
func (f *Factor) Flops() float64 { return f.flops }

// Front is the largest number of entries below the diagonal in a column of L, 0 for none.
func (f *Factor) Front() int {
	most := int32(0)
	for _, c := range f.count {
		most = max(most, c)
	}
	return int(most)
}

// Pivots returns D in pivot order and the original index of each pivot. They
// are the factor's own slices; D changes with the next factorisation.
func (f *Factor) Pivots() (d []float64, perm []int) { return f.d, f.perm }

// Factorise computes P K Pᵀ = L D Lᵀ from values in the order of k.Val given to
// Count. sign[i] = ±1 is the expected sign of the pivot of original row i, 0
// for unknown; nil: none is known. It returns the number of replaced pivots. It
// is an error when a pivot is not finite, or zero and not replaced; the factor
// then must not be used. When ctx ends, the error is ctx.Err(). No allocation but
// for the error, and in the first call.
func (f *Factor) Factorise(ctx context.Context, val []float64, sign []int8,
	reg Regularisation) (replaced int, err error) {
	if size := len(f.first.dest); len(val) != size {
		return 0, fmt.Errorf("ldl: %d values for %d entries", len(val), size)
	}
	if sign != nil && len(sign) != f.n {
		return 0, fmt.Errorf("ldl: %d signs for %d pivots", len(sign), f.n)
	}
	f.Load(val, sign)
	for k, end := range f.last {
		f.diag[k] = val[end-1]
	}
	return f.Refactor(ctx, f.diag, reg, nil)
}

// Load takes over the values off the diagonal and the signs, as for Factorise, for calls of
// Refactor. It keeps both.
func (f *Factor) Load(val []float64, sign []int8) {
	f.call.val, f.call.sign = val, sign
	f.first.load(f, val, sign)
}

// Reload takes over the values from an entry on once more: those before and the signs are as at the
// last Load.
func (f *Factor) Reload(from int) { f.first.fix(f.call.val, from) }

// Refactor is Factorise with the values of the last Load off the diagonal, and diag, of length n,
// on it. On the way it begins to solve for the right-hand side b, which SolveAhead goes on with;
// nil for none.
func (f *Factor) Refactor(ctx context.Context, diag []float64, reg Regularisation,
	b []float64) (replaced int, err error) {
	if b != nil {
		f.gather(b)
	}
	f.call.reg, f.call.replaced = reg, 0
	bad, err := f.first.eliminate(ctx, f, diag)
	if bad < 0 && err == nil {
		bad, err = f.sup.factorise(ctx, f)
	}
	if err == nil && bad >= 0 {
		err = fmt.Errorf("ldl: pivot %d of %d, row %d of the matrix, is %g", bad, f.n, f.perm[bad], f.d[bad])
	}
	return f.call.replaced, err
}

// SolveAhead sets x to the solution for the right-hand side of Refactor, if that was the last call.
// No allocation.
func (f *Factor) SolveAhead(x []float64) { f.finish(x) }

// pivot stores d as pivot k, replaced if the regularisation says so, and
// reports whether it can be divided by.
func (f *Factor) pivot(k int, d float64) bool {
	if δ := f.call.reg.Delta; δ > 0 && math.Abs(d) <= math.MaxFloat64 {
		s := 0.0
		if f.call.sign != nil {
			s = float64(f.call.sign[f.perm[k]])
		}
		if s == 0 {
			if math.Abs(d) <= f.call.reg.Eps {
				d = math.Copysign(δ, d)
				f.call.replaced++
			}
		} else if s*d <= f.call.reg.Eps {
			d = s * δ
			f.call.replaced++
		}
	}
	f.d[k] = d
	f.dinv[k] = 1 / d
	return d != 0 && math.Abs(d) <= math.MaxFloat64
}

// SolveTo sets x to K⁻¹b, both of length n. They may be one. No allocation.
func (f *Factor) SolveTo(x, b []float64) {
	f.gather(b)
	f.first.forward(f.x)
	f.finish(x)
}

// gather sets f.x to b in the order of the pivots.
func (f *Factor) gather(b []float64) {
	b, ordered := b[:f.n], f.x[:len(f.order)]
	for k, p := range f.order {
		ordered[k] = b[p]
	}
}

// finish goes on from the forward pass of the leading columns, and sets x to f.x in the order of
// the matrix.
func (f *Factor) finish(x []float64) {
	f.sup.solve(f.x[f.sup.base:])
	f.first.backward(f.x)
	x, ordered := x[:f.n], f.x[:len(f.order)]
	for k, p := range f.order {
		x[p] = ordered[k]
	}
}
