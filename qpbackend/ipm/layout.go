package ipm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// layout sorts the rows of A by pattern: rows with several entries and those of
// cones, which are rows of the KKT matrix, and other rows with one entry, which
// are bounds of a variable.
type layout struct {
	rows  []int // general row → row of A, ascending
	at    *sparse.CSC
	first []int // row of A → its first entry in at; −1 where it is not there
	next  []int
	ahead []int // of each column of A, the entry that comes next
	tiles []int // rows of A that are laid out together begin here; their number last
	fresh bool  // at holds the values of a that newLayout was given

	// Rows with one entry: those of variable j are ptr[j] ≤ t < ptr[j+1].
	ptr   []int
	row   []int // row of A
	entry []int // entry of A
	empty []int // rows of A without entries

	cones []coneRange
	conic []bool // general row → is one of a cone

	// What the values make of them: which of them bind each variable; −1 none.
	lo, up       []float64
	loRow, upRow []int // places in row
}

func newLayout(a *sparse.CSC, cones []qpbackend.Cone) *layout {
	n := a.Cols
	inCone := make([]bool, a.Rows)
	for _, c := range cones {
		for i := range c.Len {
			inCone[c.Start+i] = true
		}
	}
	count := make([]int, a.Rows)
	for _, i := range a.RowIdx {
		count[i]++
	}
	singles := 0
	l := &layout{
		ptr: make([]int, n+1),
		lo:  make([]float64, n), up: make([]float64, n),
		loRow: make([]int, n), upRow: make([]int, n),
	}
	l.at = &sparse.CSC{Rows: n}
	l.first, l.next, l.ahead = make([]int, a.Rows), make([]int, a.Rows), make([]int, n)
	l.at.ColPtr = append(l.at.ColPtr, 0)
	nnz := 0
	for i, c := range count {
		switch {
		case inCone[i]:
			l.first[i] = nnz
			nnz += c
			l.rows = append(l.rows, i)
			l.at.ColPtr = append(l.at.ColPtr, nnz)
		case c == 0:
			l.first[i] = -1
			l.empty = append(l.empty, i)
		case c == 1:
			l.first[i] = -1
			singles++
		default:
			l.first[i] = nnz
			nnz += c
			l.rows = append(l.rows, i)
			l.at.ColPtr = append(l.at.ColPtr, nnz)
		}
	}
	l.at.Cols = len(l.rows)
	l.placeCones(cones)
	l.at.RowIdx, l.at.Val = make([]int, nnz), make([]float64, nnz)
	l.tile(count)
	l.fill(a, true)
	l.single(a, singles)
	l.fresh = true
	return l
}

// load takes over the values of a in general rows.
func (l *layout) load(a *sparse.CSC) {
	if l.fresh {
		l.fresh = false
		return
	}
	l.fill(a, false)
}

// tileEntries is how many entries of at are filled together. More would be too
// many for a near cache and for the table of memory pages, as columns of a have
// their entries far apart in at.
const tileEntries = 1 << 16

// tile cuts the rows, given the number of their entries.
func (l *layout) tile(count []int) {
	l.tiles = append(l.tiles, 0)
	filled := 0
	for i, c := range count {
		if filled > 0 && filled+c > tileEntries {
			l.tiles = append(l.tiles, i)
			filled = 0
		}
		filled += c
	}
	l.tiles = append(l.tiles, len(count))
}

// fill writes the values of a to at, and with pattern their places.
func (l *layout) fill(a *sparse.CSC, pattern bool) {
	copy(l.next, l.first)
	copy(l.ahead, a.ColPtr)
	val, idx := l.at.Val, l.at.RowIdx
	for _, end := range l.tiles[1:] {
		for j, k := range l.ahead {
			for hi := a.ColPtr[j+1]; k < hi; k++ {
				i := a.RowIdx[k]
				if i >= end {
					break
				}
				t := l.next[i]
				if t < 0 {
					continue
				}
				val[t] = a.Val[k]
				if pattern {
					idx[t] = j
				}
				l.next[i] = t + 1
			}
			l.ahead[j] = k
		}
	}
}

// single lists the rows with one entry, so many of them.
func (l *layout) single(a *sparse.CSC, count int) {
	l.row, l.entry = make([]int, 0, count), make([]int, 0, count)
	for j := range a.Cols {
		if len(l.row) < count {
			for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
				if i := a.RowIdx[k]; l.first[i] < 0 {
					l.row, l.entry = append(l.row, i), append(l.entry, k)
				}
			}
		}
		l.ptr[j+1] = len(l.row)
	}
}

// bind sets the bounds of the variables from their rows in p. Where the rows of
// a variable contradict one another, or a row whose coefficients are all zero
// cannot hold, it writes a proof of infeasibility to y and returns false.
// Contradictions up to tol, relative, are settled in the middle.
func (l *layout) bind(p *qpbackend.Problem, tol float64, y []float64) bool {
	for _, i := range l.empty {
		if contradicts(p, i, tol, y) {
			return false
		}
	}
	for j := range l.lo {
		lo, up := math.Inf(-1), math.Inf(1)
		l.loRow[j], l.upRow[j] = -1, -1
		for t := l.ptr[j]; t < l.ptr[j+1]; t++ {
			a, i := p.A.Val[l.entry[t]], l.row[t]
			if a == 0 {
				if contradicts(p, i, tol, y) {
					return false
				}
				continue
			}
			tlo, tup := rowBounds(p, i)
			tlo, tup = tlo/a, tup/a
			if a < 0 {
				tlo, tup = tup, tlo
			}
			if len(l.cones) > 0 && math.Abs(a) <= negligible {
				// What rounding left of a zero. Far bounds would bound what is
				// unbounded for all purposes.
				if tlo < -remote {
					tlo = math.Inf(-1)
				}
				if tup > remote {
					tup = math.Inf(1)
				}
			}
			if tlo > lo && tlo > -qpbackend.Infinity {
				lo, l.loRow[j] = tlo, t
			}
			if tup < up && tup < qpbackend.Infinity {
				up, l.upRow[j] = tup, t
			}
		}
		if lo > up {
			if lo-up > tol*max(1, math.Abs(lo), math.Abs(up)) {
				clear(y)
				gap := lo - up // the support value is scaled to −1
				y[l.row[l.loRow[j]]] += -1 / (p.A.Val[l.entry[l.loRow[j]]] * gap)
				y[l.row[l.upRow[j]]] += 1 / (p.A.Val[l.entry[l.upRow[j]]] * gap)
				return false
			}
			lo = lo + (up-lo)/2
			up = lo
		}
		l.lo[j], l.up[j] = lo, up
	}
	return true
}

const (
	negligible = 1e-13 // coefficient
	remote     = 1e12  // bound
)

// contradicts reports whether row i, 0 = Ax, is impossible, with the proof.
func contradicts(p *qpbackend.Problem, i int, tol float64, y []float64) bool {
	lo, up := rowBounds(p, i)
	if lo <= tol && up >= -tol {
		return false
	}
	clear(y)
	y[i] = -1 / up
	if lo > tol {
		y[i] = -1 / lo
	}
	return true
}

// rowBounds are the bounds of row i, ±Inf where there is none.
func rowBounds(p *qpbackend.Problem, i int) (lo, up float64) {
	lo, up = p.L[i], p.U[i]
	if lo <= -qpbackend.Infinity {
		lo = math.Inf(-1)
	}
	if up >= qpbackend.Infinity {
		up = math.Inf(1)
	}
	return lo, up
}

// binding is the place in row of the bound of variable j that a multiplier t
// belongs to, the upper one for t > 0; −1 where there is none.
func (l *layout) binding(j int, t float64) int {
	if t < 0 {
		return l.loRow[j]
	}
	return l.upRow[j]
}

// spread writes to y, zero before, the multiplier of the row that bounds
// variable j, given the multiplier t of the bound.
func (l *layout) spread(p *qpbackend.Problem, j int, t float64, y []float64) {
	if at := l.binding(j, t); at >= 0 {
		y[l.row[at]] = t / p.A.Val[l.entry[at]]
	}
}
