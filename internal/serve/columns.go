package serve

import (
	"math"
	"slices"
	"sort"

	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// sides are the given sides, or n infinite ones.
func sides(a *wire.Floats, n, sign int) []float64 {
	if a != nil {
		return a.V
	}
	return slices.Repeat([]float64{math.Inf(sign)}, n)
}

// cone appends the rows of a cone.
func (d *matrices) cone(c wire.Cone) {
	kind, rows, each := qpbackend.SecondOrder, c.Size, c.Size // each: rows of a cone of the backend
	switch c.Kind {
	case "zero", "nonneg":
		each = 0
	case "soc":
	case "exp":
		if kind, each = qpbackend.Exponential, 3; rows%3 != 0 {
			refuseAs(wire.ErrProblem, "exponential cones of %d rows, want a multiple of 3", rows)
		}
	case "pow":
		if kind = qpbackend.Power; rows != 3 {
			refuseAs(wire.ErrProblem, "a power cone of %d rows, want 3", rows)
		}
	case "psd":
		if rows > 1<<14 {
			refuseAs(wire.ErrLimit, "a semidefinite cone of order %d", rows)
		}
		rows = rows * (rows + 1) / 2
		kind, each = qpbackend.Semidefinite, rows
	default:
		refuseAs(wire.ErrProblem, "no cone is called %.40q; there are zero, nonneg, soc, exp, pow, psd", c.Kind)
	}
	for k := range rows {
		if each > 0 && k%each == 0 {
			d.qp.Cones = append(d.qp.Cones, qpbackend.Cone{Kind: kind, Start: len(d.turned), Len: each, Alpha: c.Alpha})
		}
		d.turned, d.fixed = append(d.turned, each > 0), append(d.fixed, c.Kind == "zero")
	}
}

// offsets writes the sides of the conic form for a b.
func (d *matrices) offsets(l, u, b []float64) {
	for i, v := range b {
		switch {
		case d.turned[i]:
			l[i], u[i] = -v, math.Inf(1)
		case d.fixed[i]:
			l[i], u[i] = v, v
		default:
			l[i], u[i] = math.Inf(-1), v
		}
	}
}

// columns is a matrix in compressed columns with ascending indices, and where each
// entry went; entries that keep refuses are left out.
func columns(name string, m *wire.Sparse, rows, cols int, keep func(i, j int) bool) (*sparse.CSC, []int) {
	bad := func(format string, args ...any) { refuseAs(wire.ErrProblem, name+": "+format, args...) }
	if m.Indptr == nil || m.Indices == nil || m.Data == nil {
		refuseAs(wire.ErrRequest, "%s wants indptr, indices and data", name)
	}
	ptr, idx, val := m.Indptr.V, m.Indices.V, m.Data.V
	switch {
	case len(ptr) != cols+1:
		bad("indptr has %d numbers, want %d, one more than there are columns", len(ptr), cols+1)
	case ptr[0] != 0 || ptr[cols] != len(idx) || len(idx) != len(val):
		bad("indptr ends at %d; there are %d indices and %d numbers", ptr[cols], len(idx), len(val))
	}
	out := &sparse.CSC{Rows: rows, Cols: cols, ColPtr: make([]int, cols+1), RowIdx: make([]int, 0, len(idx)),
		Val: make([]float64, 0, len(idx))}
	place := make([]int, len(idx))
	var order []int
	for j := range cols {
		if ptr[j] > ptr[j+1] {
			bad("indptr descends in column %d", j)
		}
	}
	for j := range cols {
		order = order[:0]
		sorted := true
		for k := ptr[j]; k < ptr[j+1]; k++ {
			if i := idx[k]; i < 0 || i >= rows {
				bad("row %d of %d in column %d", i, rows, j)
			}
			sorted = sorted && (k == ptr[j] || idx[k-1] < idx[k])
			order = append(order, k)
		}
		if !sorted {
			sort.Slice(order, func(a, b int) bool { return idx[order[a]] < idx[order[b]] })
		}
		last := -1
		for _, k := range order {
			if idx[k] == last {
				bad("two entries in row %d of column %d", last, j)
			}
			last = idx[k]
			place[k] = -1
			if keep(idx[k], j) {
				place[k] = len(out.RowIdx)
				out.RowIdx, out.Val = append(out.RowIdx, idx[k]), append(out.Val, val[k])
			}
		}
		out.ColPtr[j+1] = len(out.RowIdx)
	}
	return out, place
}
