package ipm

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A row with one entry bounds a variable. Programs in the form l ≤ Ax ≤ u have such rows for all
// their bounds; as rows each would be an unknown of the linear systems. In a problem without cones
// they are left out of the matrix where the variable has no bounds of its own, and give it theirs.
// Their multipliers are the multipliers of the bounds, divided by the entry.

// boundRow is such a row: the entry of the stated A with that index is its only one, in column col.
type boundRow struct{ row, col, entry int }

// sides are the bounds that it gives its variable.
func (b boundRow) sides(p *qpbackend.Problem) (lo, up float64) {
	v := p.A.Val[b.entry]
	lo, up = p.Sides(b.row)
	if v < 0 {
		lo, up = up, lo
	}
	return lo / v, up / v
}

// holds reports whether it says the same as a bound on the values of p: the variable has none of
// its own, the entry is not zero, and no side becomes infinite.
func (b boundRow) holds(p *qpbackend.Problem) bool {
	if lo, up := p.Bounds(b.col); !math.IsInf(lo, -1) || !math.IsInf(up, 1) || p.A.Val[b.entry] == 0 {
		return false
	}
	l, u := p.Sides(b.row)
	v := p.A.Val[b.entry]
	return math.IsInf(l/v, 0) == math.IsInf(l, 0) && math.IsInf(u/v, 0) == math.IsInf(u, 0)
}

// generalRows are the rows that are no bounds.
type generalRows struct {
	at     *sparse.CSC // Aᵀ of these rows: column i holds row i
	from   []int       // of each entry the one of the stated A
	kept   []int       // of each row the stated one; nil: the same
	bounds []boundRow  // the others, one for each variable at most,
	of     []int32     // of each variable its row of these, −1 for none
	single []boundRow  // all rows with one entry, by columns
}

// newGeneralRows takes the rows of p apart.
func newGeneralRows(p *qpbackend.Problem) (l generalRows) {
	if l.at, l.from = p.A.Transpose(); len(p.Cones) > 0 {
		return l
	}
	all, from := l.at, l.from
	for i := range all.Cols {
		if e := all.ColPtr[i]; all.ColPtr[i+1] == e+1 {
			l.single = append(l.single, boundRow{i, all.RowIdx[e], from[e]})
		}
	}
	slices.SortFunc(l.single, func(a, b boundRow) int { return a.entry - b.entry })
	last := -1
	for _, b := range l.single {
		if b.col != last && b.holds(p) {
			last, l.bounds = b.col, append(l.bounds, b)
		}
	}
	if l.bounds == nil {
		return l
	}
	l.of = make([]int32, all.Rows)
	for j := range l.of {
		l.of[j] = -1
	}
	gone := make([]bool, all.Cols)
	for k, b := range l.bounds {
		l.of[b.col], gone[b.row] = int32(k), true
	}
	nnz := all.NNZ() - len(l.bounds)
	l.at = &sparse.CSC{Rows: all.Rows, ColPtr: []int{0}, RowIdx: make([]int, 0, nnz), Val: make([]float64, nnz)}
	l.from = make([]int, 0, nnz)
	for i, lo := range all.ColPtr[:all.Cols] {
		if hi := all.ColPtr[i+1]; !gone[i] {
			l.kept = append(l.kept, i)
			l.at.RowIdx, l.from = append(l.at.RowIdx, all.RowIdx[lo:hi]...), append(l.from, from[lo:hi]...)
			l.at.ColPtr = append(l.at.ColPtr, len(l.from))
		}
	}
	l.at.Cols = len(l.kept)
	return l
}

// load takes over the values of the stated A.
func (l *generalRows) load(a *sparse.CSC) {
	for k, e := range l.from {
		l.at.Val[k] = a.Val[e]
	}
}

// row is the stated row of row i of a.
func (l *generalRows) row(i int) int {
	if l.kept == nil {
		return i
	}
	return l.kept[i]
}

// hold reports whether the same rows are bounds on the values of p.
func (l *generalRows) hold(p *qpbackend.Problem) bool {
	rest, last := l.bounds, -1
	for _, b := range l.single {
		if b.col == last || !b.holds(p) {
			continue
		}
		if len(rest) == 0 || rest[0] != b {
			return false
		}
		rest, last = rest[1:], b.col
	}
	return len(rest) == 0
}

// variable are the bounds of variable j, its own or from a row.
func (l *generalRows) variable(p *qpbackend.Problem, j int) (lo, up float64) {
	if l.of != nil && l.of[j] >= 0 {
		return l.bounds[l.of[j]].sides(p)
	}
	return p.Bounds(j)
}

// handOver gives the multipliers z of bounds that are rows to these, in y.
func (l *generalRows) handOver(p *qpbackend.Problem, y, z []float64) {
	for _, b := range l.bounds {
		y[b.row], z[b.col] = z[b.col]/p.A.Val[b.entry], 0
	}
}

// takeOver adds the multipliers y of rows that are bounds to the multipliers of bounds, in z, both
// in the units of the problem.
func (l *generalRows) takeOver(p *qpbackend.Problem, y, z []float64) {
	for _, b := range l.bounds {
		z[b.col] += p.A.Val[b.entry] * y[b.row]
	}
}

// stated is sc for the problem as stated: rows that are bounds have the factors of their variables.
func (l *generalRows) stated(p *qpbackend.Problem, sc *equil.Scaling) *equil.Scaling {
	if l.bounds == nil {
		return sc
	}
	all := *sc
	all.E = make([]float64, p.A.Rows)
	for i, e := range sc.E {
		all.E[l.kept[i]] = e
	}
	for _, b := range l.bounds {
		all.E[b.row] = 1 / (sc.D[b.col] * math.Abs(p.A.Val[b.entry]))
	}
	return &all
}
