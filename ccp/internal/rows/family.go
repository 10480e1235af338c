package rows

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
)

// Members are constraints that differ in numbers alone, as dc.Constraint.Members has them.
type Members interface {
	Count() int
	Values(dst, x []float64)
	Plain() bool
	Affine(k int) dc.Linear
	AppendSupport(to []int, k int) []int
	Tangents(x, grad []float64, each func(k int, h float64))
}

// Family is the rows l − h ≤ s of DC constraints that are one object, one for each. They
// follow one another, as their slacks do.
type Family struct {
	Members
	Owner, Row, Slack int // numbers of the first: of the constraint, of its row, of its slack
	col               int // of that slack
	ptr               []int32
	idx               []int32   // h's variables, by member
	slot              []int32   // positions in A.Val
	base              []float64 // coefficients of l there; nil: zeros
}

// NewFamily has the members' rows from row on, whose slacks are the columns from col on.
func NewFamily(m Members, owner, row, slack, col int) *Family {
	f := &Family{Members: m, Owner: owner, Row: row, Slack: slack, col: col, ptr: make([]int32, 1, m.Count()+1)}
	var idx []int
	based := false
	for k := range m.Count() {
		idx = m.AppendSupport(idx[:0], k)
		for _, j := range idx {
			f.idx = append(f.idx, int32(j))
		}
		f.ptr = append(f.ptr, int32(len(f.idx)))
		based = based || len(m.Affine(k).Idx) > 0
	}
	f.slot = make([]int32, len(f.idx))
	if based {
		f.base = make([]float64, len(f.idx))
	}
	return f
}

// of are the numbers of list that belong to h's variables of member k.
func of[T any](f *Family, list []T, k int) []T { return list[f.ptr[k]:f.ptr[k+1]] }

// Support lists the variables of all h, some more than once.
func (f *Family) Support() []int32 { return f.idx }

// Entries appends the coefficients of the row of member k: those of h's variables first,
// without h, then the others.
func (f *Family) Entries(idx []int, val []float64, k int) ([]int, []float64) {
	for _, j := range of(f, f.idx, k) {
		idx, val = append(idx, int(j)), append(val, 0)
	}
	n, l := len(idx), f.Affine(k)
each:
	for t, j := range l.Idx {
		for i, o := range idx[:n] {
			if o == j {
				val[i] = l.Val[t]
				continue each
			}
		}
		idx, val = append(idx, j), append(val, l.Val[t])
	}
	return append(idx, f.col+k), append(val, -1)
}

// Locate takes down where the entries of member k stand in A.Val: in each column at next.
func (f *Family) Locate(k int, idx []int, val []float64, next []int) {
	slot := of(f, f.slot, k)
	for t := range slot {
		slot[t] = int32(next[idx[t]])
	}
	if f.base != nil {
		copy(of(f, f.base, k), val)
	}
}

// Tangent writes the tangents of the h at x to A's values and to the upper bounds of all
// rows, u, which without h are bare. grad has room for a gradient. It reports whether all
// is finite, and whether no coefficient has changed.
func (f *Family) Tangent(a, u, bare, x, grad []float64) (finite, same bool) {
	nothing := 0.0 // or NaN
	same = true
	f.Tangents(x, grad, func(k int, h float64) {
		idx := of(f, f.idx, k)
		for _, j := range idx {
			h -= grad[j] * x[j]
		}
		u[f.Row+k] = bare[f.Row+k] + h
		nothing += 0 * (h + u[f.Row+k])
		for i, at := range of(f, f.slot, k) {
			v := -grad[idx[i]]
			if f.base != nil {
				v += of(f, f.base, k)[i]
			}
			same = same && v == a[at]
			a[at] = v
		}
	})
	return nothing == 0, same
}

// Correct moves the rows, which have the tangents at another point, so that the value of each
// at x is that of its function. Rows with coefficients beside those of tangents stay.
func (f *Family) Correct(a, u, x, grad []float64) {
	if f.base != nil {
		return
	}
	f.Tangents(x, grad, func(k int, h float64) {
		below := -u[f.Row+k] // minus the tangent at x
		for i, j := range of(f, f.idx, k) {
			below += a[of(f, f.slot, k)[i]] * x[j]
		}
		u[f.Row+k] += below + h
	})
}

// Slopes writes the largest entry of the gradient of each constraint at x, per unit of a
// variable, to out. A share of that of h counts; 0 where there is none.
func (f *Family) Slopes(out, x, grad, units []float64, share float64) {
	clear(grad)
	f.Tangents(x, grad, func(k int, _ float64) {
		idx, l, top := of(f, f.idx, k), f.Affine(k), 0.0
		for _, j := range idx {
			top = max(top, math.Abs(grad[j])*units[j])
			grad[j] = -grad[j]
		}
		top *= share
		l.AddSubgrad(grad, 1, x)
		for _, j := range idx {
			top = max(top, math.Abs(grad[j])*units[j])
			grad[j] = 0
		}
		for _, j := range l.Idx {
			top = max(top, math.Abs(grad[j])*units[j])
			grad[j] = 0
		}
		if out[f.Slack+k] = top; !num.Finite(top) {
			out[f.Slack+k] = 0
		}
	})
}

// Sizes raises the sizes of slacks to those of the largest terms of their rows.
func (f *Family) Sizes(sizes, a, u, units []float64) {
	for k := range f.Count() {
		size := math.Abs(u[f.Row+k])
		for i, at := range of(f, f.slot, k) {
			size = max(size, math.Abs(a[at])*units[of(f, f.idx, k)[i]])
		}
		sizes[f.Slack+k] = max(sizes[f.Slack+k], size)
	}
}
