package presolve

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// reduction is a problem and the parts that were taken out of it. Rows and columns
// keep their numbers.
type reduction struct {
	p        *qpbackend.Problem // as stated
	now      qpbackend.Problem  // with the present costs, bounds and sides
	byRow    *sparse.CSC        // Aᵀ: column i holds row i
	pFull    *sparse.CSC        // both triangles of P
	shift    []float64          // the contribution to a row of columns taken out: l + shift is the side as stated
	x, y     []float64          // of what has been decided
	rowAlive []bool
	colAlive []bool
	rowLen   []int // entries in alive columns
	stack    []step
	queue    []int // rows to look at
	queued   []bool
	proof    []multiplier // not nil: rows and bounds exclude each other

	rows, cols []int // those left, by old number

	work *poll.Poll
	err  error // of the context
}

// ended counts work and reports whether the context has ended.
func (r *reduction) ended(work int) bool {
	if r.err == nil {
		r.err = r.work.Err(work)
	}
	return r.err != nil
}

// multiplier is one entry of a certificate of infeasibility.
type multiplier struct {
	row, col int // col counts where z is not zero
	y, z     float64
}

// step is one reduction, undone in reverse order.
type step struct {
	kind     stepKind
	row, col int
	a        float64 // the coefficient, or the factor of a multiple
	// which sides of the kept row, or bounds of the column, came from the row
	// left out
	lower, upper bool
	other        int // of a multiple: the row kept
	// of a singleton: the row's sides, and the side that must hold, else NaN
	lo, hi, b float64
}

type stepKind uint8

const (
	fixed     stepKind = iota // col at a bound, or at both
	bound                     // row has col alone
	multiple                  // row = a·other
	singleton                 // col is free and only in row
)

// tolerances, relative to 1 + the size of what is compared.
// Source: limits of rounding; the answer of a reduced problem is certified on the whole.
const (
	sameTol = 1e-12 // for multiples and contradictions
	pivot   = 1e-3  // least coefficient of a singleton beside the largest of its row
)

// reduceProblem returns the parts of p, which lacks no matrix and has no cones, that can be left
// out, or nil if they are too few. Where it meets a contradiction it stops with a proof. The error
// is ctx.Err().
func reduceProblem(ctx context.Context, p *qpbackend.Problem) (*reduction, error) {
	n, m := p.Dims()
	if n == 0 {
		return nil, nil
	}
	work := poll.New(ctx)
	r := newReduction(p)
	r.work = &work
	for pass := 0; pass < 10 && r.proof == nil; pass++ {
		before := len(r.stack)
		r.drain()
		r.columns()
		r.drain()
		if len(r.stack) == before {
			if !r.multiples() { // the dearest, once the others find nothing
				break
			}
		}
	}
	if r.err == nil {
		r.err = ctx.Err()
	}
	if r.proof != nil || r.err != nil {
		return r, r.err
	}
	for i, alive := range r.rowAlive {
		if alive {
			r.rows = append(r.rows, i)
		}
	}
	for j, alive := range r.colAlive {
		if alive {
			r.cols = append(r.cols, j)
		}
	}
	if float64(m-len(r.rows)+n-len(r.cols)) < worthwhile*float64(m+n) {
		return nil, nil
	}
	return r, nil
}

func newReduction(p *qpbackend.Problem) *reduction {
	n, m := p.Dims()
	r := &reduction{
		p: p, now: *p, pFull: bothTriangles(p.P), x: make([]float64, n), y: make([]float64, m),
		rowAlive: make([]bool, m), colAlive: make([]bool, n), rowLen: make([]int, m), shift: make([]float64, m),
		queued: make([]bool, m),
	}
	r.byRow, _ = p.A.Transpose()
	now := &r.now
	now.Q, now.Lo, now.Hi = slices.Clone(p.Q), make([]float64, n), make([]float64, n)
	now.L, now.U = make([]float64, m), make([]float64, m)
	for j := range n {
		r.colAlive[j] = true
		now.Lo[j], now.Hi[j] = p.Bounds(j)
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			if p.A.Val[k] != 0 {
				r.rowLen[p.A.RowIdx[k]]++
			}
		}
	}
	for i := range m {
		now.L[i], now.U[i] = p.Sides(i)
		r.rowAlive[i] = true
		r.push(i)
	}
	return r
}

// bothTriangles is the symmetric matrix without stored zeros, given its upper
// triangle.
func bothTriangles(p *sparse.CSC) *sparse.CSC {
	lower, _ := p.Transpose()
	full := &sparse.CSC{Rows: p.Rows, Cols: p.Cols, ColPtr: make([]int, 1, p.Cols+1)}
	for j := range p.Cols {
		for _, half := range [...]*sparse.CSC{p, lower} {
			for k := half.ColPtr[j]; k < half.ColPtr[j+1]; k++ {
				i, v := half.RowIdx[k], half.Val[k]
				if v != 0 && (half == p || i != j) {
					full.RowIdx, full.Val = append(full.RowIdx, i), append(full.Val, v)
				}
			}
		}
		full.ColPtr = append(full.ColPtr, len(full.RowIdx))
	}
	return full
}

func (r *reduction) push(i int) {
	if !r.queued[i] && r.rowAlive[i] {
		r.queued[i] = true
		r.queue = append(r.queue, i)
	}
}

// rowWork is the count of a look at a row or column in poll.Poll.
// Source: a limit of the wait after a cancellation; results do not depend on it.
const rowWork = 1 << 8

// drain looks at the rows in the queue.
func (r *reduction) drain() {
	for len(r.queue) > 0 && r.proof == nil && !r.ended(rowWork) {
		i := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.queued[i] = false
		if !r.rowAlive[i] {
			continue
		}
		switch {
		case math.IsInf(r.now.L[i], -1) && math.IsInf(r.now.U[i], 1):
			r.rowAlive[i] = false
		case r.rowLen[i] == 0:
			slack := sameTol * (1 + math.Abs(r.p.L[i]) + math.Abs(r.p.U[i]))
			if math.IsInf(slack, 0) {
				slack = sameTol
			}
			switch {
			case r.now.L[i] > slack:
				r.proof = []multiplier{{row: i, y: -1}}
			case r.now.U[i] < -slack:
				r.proof = []multiplier{{row: i, y: 1}}
			}
			r.rowAlive[i] = false
		case r.rowLen[i] == 1:
			r.tighten(i)
		}
	}
}

// tighten makes bounds of row i, which has one variable.
func (r *reduction) tighten(i int) {
	j, a := r.only(i)
	if math.Abs(a) < leastCoefficient {
		return
	}
	st := step{kind: bound, row: i, col: j, a: a}
	lo, hi, y := st.within(r.now.L[i], r.now.U[i], r.now.Lo[j], r.now.Hi[j])
	if y != 0 {
		r.proof = []multiplier{{row: i, y: y / a, col: j, z: -y}}
		return
	}
	r.now.Lo[j], r.now.Hi[j] = lo, hi
	r.rowAlive[i] = false
	r.stack = append(r.stack, st)
}

// within is the part of the interval from lo to hi between the sides l and u of the step's row,
// over its factor. Where there is none, y names the row's side that excludes it: 1 the upper one,
// else -1.
func (st *step) within(l, u, lo, hi float64) (tightLo, tightHi, y float64) {
	l, u = l/st.a, u/st.a
	if st.a < 0 {
		l, u = u, l
	}
	st.lower, st.upper = l > lo, u < hi
	l, u = max(l, lo), min(u, hi)
	switch far := l-u > sameTol*(1+math.Abs(u)); {
	case far && st.lower:
		return l, u, -1
	case far:
		return l, u, 1
	case l > u && st.lower: // equal but for rounding
		l = u
	case l > u:
		u = l
	}
	return l, u, 0
}

// leastCoefficient is the size of a coefficient below which a row is not divided
// by it.
// Source: a division by less would magnify the rounding errors of a row beyond the
// tolerance of 1e-7 of the certificate.
const leastCoefficient = 1e-9

// only is the one alive column of row i, and its coefficient.
func (r *reduction) only(i int) (int, float64) {
	t := r.byRow
	for k := t.ColPtr[i]; k < t.ColPtr[i+1]; k++ {
		if j := t.RowIdx[k]; r.colAlive[j] && t.Val[k] != 0 {
			return j, t.Val[k]
		}
	}
	panic("presolve: a row of one entry has none")
}

// remove takes column j out at the value v.
func (r *reduction) remove(j int, v float64) {
	r.colAlive[j] = false
	r.x[j] = v
	a := r.p.A
	for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
		i := a.RowIdx[k]
		if a.Val[k] == 0 {
			continue
		}
		r.rowLen[i]--
		r.shift[i] += a.Val[k] * v
		if r.rowAlive[i] {
			r.now.L[i] -= a.Val[k] * v
			r.now.U[i] -= a.Val[k] * v
			r.push(i)
		}
	}
	for k := r.pFull.ColPtr[j]; k < r.pFull.ColPtr[j+1]; k++ {
		r.now.Q[r.pFull.RowIdx[k]] += r.pFull.Val[k] * v
	}
}

// columns looks for those with one value, and for those that have no part in P
// and in at most one row.
func (r *reduction) columns() {
	a := r.p.A
	for j := range r.colAlive {
		if !r.colAlive[j] || r.proof != nil {
			continue
		}
		if r.ended(rowWork) {
			return
		}
		if r.now.Lo[j] == r.now.Hi[j] {
			r.fix(j, r.now.Lo[j])
			continue
		}
		if r.pFull.ColPtr[j] < r.pFull.ColPtr[j+1] {
			continue
		}
		rows, at := 0, -1
		for k := a.ColPtr[j]; k < a.ColPtr[j+1] && rows < 2; k++ {
			if r.rowAlive[a.RowIdx[k]] && a.Val[k] != 0 {
				rows, at = rows+1, k
			}
		}
		switch {
		case rows == 0:
			r.atBound(j)
		case rows == 1 && math.IsInf(r.now.Lo[j], -1) && math.IsInf(r.now.Hi[j], 1):
			r.singleton(j, a.RowIdx[at], a.Val[at])
		}
	}
}

// fix takes column j out at a bound.
func (r *reduction) fix(j int, v float64) {
	r.stack = append(r.stack, step{kind: fixed, col: j})
	r.remove(j, v)
}

// atBound puts a column that only bounds hold where its cost wants it.
func (r *reduction) atBound(j int) {
	switch q := r.now.Q[j]; {
	case q == 0:
		r.remove(j, min(max(0, r.now.Lo[j]), r.now.Hi[j]))
	case q > 0 && !math.IsInf(r.now.Lo[j], -1):
		r.fix(j, r.now.Lo[j])
	case q < 0 && !math.IsInf(r.now.Hi[j], 1):
		r.fix(j, r.now.Hi[j])
	default:
		// Unbounded, if the rest is feasible: the backend is to say so.
	}
}

// singleton takes out a free column that occurs in row i alone, with the row:
// the column's cost fixes the row's multiplier, and its sign the side that
// holds.
func (r *reduction) singleton(j, i int, a float64) {
	t := r.byRow
	top := 0.0
	for k := t.ColPtr[i]; k < t.ColPtr[i+1]; k++ {
		if r.colAlive[t.RowIdx[k]] {
			top = max(top, math.Abs(t.Val[k]))
		}
	}
	if math.Abs(a) < pivot*top {
		return
	}
	y := -r.now.Q[j] / a
	b := math.NaN() // any value within the sides
	switch {
	case r.now.L[i] == r.now.U[i]:
		b = r.now.L[i]
	case y > 0:
		b = r.now.U[i]
	case y < 0:
		b = r.now.L[i]
	}
	if math.IsInf(b, 0) {
		return // unbounded: for the backend
	}
	r.stack = append(r.stack, step{kind: singleton, row: i, col: j, a: a, lo: r.now.L[i] + r.shift[i],
		hi: r.now.U[i] + r.shift[i], b: b + r.shift[i]})
	r.y[i] = y
	r.rowAlive[i], r.colAlive[j] = false, false
	for k := t.ColPtr[i]; k < t.ColPtr[i+1]; k++ {
		if c := t.RowIdx[k]; r.colAlive[c] {
			r.now.Q[c] += y * t.Val[k]
		}
	}
}

// String says what is left out.
func (r *reduction) String() string {
	n, m := r.p.Dims()
	return fmt.Sprintf("presolve left out %d of %d variables and %d of %d rows", n-len(r.cols), n, m-len(r.rows), m)
}
