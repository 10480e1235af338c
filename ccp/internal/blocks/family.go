package blocks

import (
	"math"

	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Family is the rows l − h ≤ s of DC constraints that are one object, one for each or for some of
// them, or of members of the objective. They follow one another, as their slacks do; the slacks of
// the objective are columns that it has, which several families may share.
type Family struct {
	All         *family.Members // of the constraints; nil: of the objective
	Owner, Soft int             // numbers of the first of All: of the constraint, and among those with slacks
	Row, Slack  int             // numbers of the first row and of its slack
	all, some   *pass.Tangent   // of All, and of those with rows
	count       int             // of these
	Col         int             // of the first slack
	number      []int32         // in All of those with rows; nil: the same
	slot        [][]int32       // by variable of h: positions in A.Val
}

// NewFamily has the rows from row on of the members in the list, nil for all, whose slacks are the
// columns from col on. all has the tangents of m, of the objective where that is nil.
func NewFamily(m *family.Members, all *pass.Tangent, list []int32, row, col int) *Family {
	f := &Family{All: m, Row: row, all: all, some: all, count: all.Count(), Col: col, number: list}
	if list != nil {
		f.some, _ = m.Part(list).Tangent()
		f.count = len(list)
	}
	f.slot = make([][]int32, len(f.some.Of))
	for c := range f.slot {
		f.slot[c] = make([]int32, f.count)
	}
	return f
}

// Count is how many rows there are.
func (f *Family) Count() int { return f.count }

// Number is that in All of the member with the k-th row.
func (f *Family) Number(k int) int {
	if f.number == nil {
		return k
	}
	return int(f.number[k])
}

// Absent reports whether some members have no row.
func (f *Family) Absent() bool { return f.number != nil }

// Variables calls each with those of all h of All, some more than once.
func (f *Family) Variables(each func(j int)) {
	for _, of := range f.all.Of {
		for _, j := range of {
			each(int(j))
		}
	}
}

// Const is the constant of l of the k-th row.
func (f *Family) Const(k int) float64 { return graph.At(f.some.Rest.C, k) }

// Entries appends the coefficients of row k: those of h's variables first, without h, then the
// others.
func (f *Family) Entries(idx []int, val []float64, k int) ([]int, []float64) {
	t := f.some
	for c, of := range t.Of {
		idx, val = append(idx, int(graph.At(of, k))), append(val, baseOf(t, c, k))
	}
	for i, of := range t.Rest.Idx {
		idx, val = append(idx, int(graph.At(of, k))), append(val, graph.At(t.Rest.Val[i], k))
	}
	return append(idx, f.Col+k), append(val, -1)
}

// baseOf is the coefficient in l of variable c of h, of member k.
func baseOf(t *pass.Tangent, c, k int) float64 {
	if t.Base[c] == nil {
		return 0
	}
	return graph.At(t.Base[c], k)
}

// Locate takes down where the entries of row k stand in A.Val: in each column at next.
func (f *Family) Locate(k int, idx []int, next []int) {
	for c := range f.slot {
		f.slot[c][k] = int32(next[idx[c]])
	}
}

// Tangent writes the tangents of the h at x to A's values and to the upper bounds of all rows, u,
// which bare has without h. It reports whether all is finite, and whether no coefficient has
// changed.
func (f *Family) Tangent(a, u []float64, bare *qpbackend.Problem, x []float64) (finite, same bool) {
	nothing := 0.0 // or NaN
	same = true
	f.some.At(x, func(b *pass.Tangents) {
		h := b.H
		for c, g := range b.G {
			of, slot := f.some.Of[c], f.slot[c][b.Lo:][:len(g)]
			for i, v := range g {
				h[i] -= v * x[graph.At(of, b.Lo+i)]
				at := slot[i]
				v = bare.A.Val[at] - v
				same = same && v == a[at]
				a[at] = v
			}
		}
		rows, without := u[f.Row+b.Lo:], bare.U[f.Row+b.Lo:]
		for i, v := range h {
			rows[i] = without[i] + v
			nothing += 0 * (v + rows[i])
		}
	})
	return nothing == 0, same
}

// Correct moves the rows, which have the tangents at another point, so that the value of each
// at x is that of its function.
func (f *Family) Correct(a, u []float64, bare *qpbackend.Problem, x []float64) {
	f.some.At(x, func(b *pass.Tangents) {
		for i, v := range b.H {
			k := b.Lo + i
			for c, slot := range f.slot {
				v -= (bare.A.Val[slot[k]] - a[slot[k]]) * x[graph.At(f.some.Of[c], k)]
			}
			u[f.Row+k] = bare.U[f.Row+k] + v
		}
	})
}

// Slopes writes the largest entry of the gradient of each constraint at x, per unit of a
// variable, to out. A share of that of h counts; 0 where there is none.
func (f *Family) Slopes(out, x, units []float64, share float64) {
	t := f.all
	t.At(x, func(b *pass.Tangents) {
		for i := range b.H {
			k, ofH, top := b.Lo+i, 0.0, 0.0
			for c, g := range b.G {
				unit := units[graph.At(t.Of[c], k)]
				ofH = max(ofH, math.Abs(g[i])*unit)
				top = max(top, math.Abs(baseOf(t, c, k)-g[i])*unit)
			}
			for r, of := range t.Rest.Idx {
				top = max(top, math.Abs(graph.At(t.Rest.Val[r], k))*units[graph.At(of, k)])
			}
			if out[f.Soft+k] = max(top, share*ofH); !num.Finite(out[f.Soft+k]) {
				out[f.Soft+k] = 0
			}
		}
	})
}

// Sizes sets the sizes of the constraints with rows to those of the largest terms of their rows.
func (f *Family) Sizes(sizes, a, u, units []float64) {
	for k := range f.count {
		size := math.Abs(u[f.Row+k])
		for c, slot := range f.slot {
			size = max(size, math.Abs(a[slot[k]])*units[graph.At(f.some.Of[c], k)])
		}
		sizes[f.Soft+f.Number(k)] = size
	}
}

// SizesAt are Sizes of all constraints for tangents at x.
func (f *Family) SizesAt(sizes, x, units []float64) {
	t := f.all
	t.At(x, func(b *pass.Tangents) {
		for i, h := range b.H {
			k, top := b.Lo+i, 0.0
			for c, g := range b.G {
				j := graph.At(t.Of[c], k)
				h -= g[i] * x[j]
				top = max(top, math.Abs(g[i]-baseOf(t, c, k))*units[j])
			}
			sizes[f.Soft+k] = max(top, math.Abs(h-graph.At(t.Rest.C, k)))
		}
	})
}

// broken lists those of the list, which is ascending, without a row whose tangent at z is positive
// at x, or no number.
func (f *Family) broken(list []int32, z, x []float64) (broken []int32) {
	if len(list) == 0 {
		return nil
	}
	t, _ := f.All.Part(list).Tangent()
	next := 0
	t.At(z, func(b *pass.Tangents) {
		for i, h := range b.H {
			k := b.Lo + i
			number := list[k]
			for next < len(f.number) && f.number[next] < number {
				next++
			}
			if next < len(f.number) && f.number[next] == number {
				continue
			}
			v := graph.At(t.Rest.C, k) - h
			for c, g := range b.G {
				j := graph.At(t.Of[c], k)
				v += baseOf(t, c, k)*x[j] - g[i]*(x[j]-z[j])
			}
			for r, of := range t.Rest.Idx {
				v += graph.At(t.Rest.Val[r], k) * x[graph.At(of, k)]
			}
			if !(v <= 0) {
				broken = append(broken, number)
			}
		}
	})
	return broken
}
