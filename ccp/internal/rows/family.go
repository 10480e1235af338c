package rows

import (
	"math"
	"slices"

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
	Near(x []float64, most int) (list []int32, reach float64, reaches []float64, ok bool)
	Beyond(reaches, moved []float64) []int32
	Broken(x []float64, each func(k int, v float64))
	Part(list []int32) any
	Slope(k int) float64
	Blur(x []float64) float64
}

// Family is the rows l − h ≤ s of DC constraints that are one object, one for each or for some of them. They
// follow one another, as their slacks do.
type Family struct {
	Members             // those with rows
	All         Members // of the constraints
	Owner, Soft int     // numbers of the first of All: of the constraint, and among those with slacks
	Row, Slack  int     // numbers of the first row and of its slack
	col         int     // of that slack
	number      []int32 // in All of those with rows; nil: the same
	ptr         []int32
	idx         []int32   // h's variables, by member
	slot        []int32   // positions in A.Val
	base        []float64 // coefficients of l there; nil: zeros
}

// NewFamily has the rows from row on of the members in the list, nil for all, whose slacks are the columns from col on.
func NewFamily(all Members, list []int32, owner, soft, row, slack, col int) *Family {
	m := all
	if list != nil {
		m = all.Part(list).(Members)
	}
	f := &Family{Members: m, All: all, Owner: owner, Soft: soft, Row: row, Slack: slack, col: col, number: list, ptr: make([]int32, 1, m.Count()+1)}
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

// Number is that in All of the member with the k-th row.
func (f *Family) Number(k int) int {
	if f.number == nil {
		return k
	}
	return int(f.number[k])
}

// Column is that of the first slack.
func (f *Family) Column() int { return f.col }

// Absent reports whether some members have no row.
func (f *Family) Absent() bool { return f.number != nil }

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
	var idx []int
	f.All.Tangents(x, grad, func(k int, _ float64) {
		idx = f.All.AppendSupport(idx[:0], k)
		l, top := f.All.Affine(k), 0.0
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
		if out[f.Soft+k] = top; !num.Finite(top) {
			out[f.Soft+k] = 0
		}
	})
}

// Sizes sets the sizes of the constraints with rows to those of the largest terms of their rows.
func (f *Family) Sizes(sizes, a, u, units []float64) {
	for k := range f.Count() {
		size := math.Abs(u[f.Row+k])
		for i, at := range of(f, f.slot, k) {
			size = max(size, math.Abs(a[at])*units[of(f, f.idx, k)[i]])
		}
		sizes[f.Soft+f.Number(k)] = size
	}
}

// SizesAt are Sizes of all constraints for tangents at x.
func (f *Family) SizesAt(sizes, x, grad, units []float64) {
	var idx []int
	f.All.Tangents(x, grad, func(k int, h float64) {
		idx = f.All.AppendSupport(idx[:0], k)
		l, top := f.All.Affine(k), 0.0
		for _, j := range idx {
			h -= grad[j] * x[j]
			v := grad[j]
			if at := slices.Index(l.Idx, j); at >= 0 {
				v -= l.Val[at]
			}
			top = max(top, math.Abs(v)*units[j])
		}
		sizes[f.Soft+k] = max(top, math.Abs(h-l.Const))
	})
}
