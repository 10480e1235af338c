package boxed

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/dc"
)

// Quadratic is linear·x + ½xᵀHx over lo ≤ x ≤ hi.
type Quadratic struct {
	lo, hi []float64
	linear []float64
	diag   []float64 // of H
	rows   [][]entry // of H, without the diagonal
}

// entry is an entry of a row.
type entry struct {
	col int
	val float64
}

// The largest function that is read. Source: a limit of memory, and a tenth of a second.
const mostEntries = 2_000_000

// Of is the cost of p, or nil where p has rows, a variable without bounds or a cost that is not quadratic.
func Of(p *flat.Problem) *Quadratic {
	if len(p.Rows) > 0 {
		return nil
	}
	q := &Quadratic{linear: make([]float64, p.N), diag: make([]float64, p.N), rows: make([][]entry, p.N)}
	for _, b := range p.Box[:p.N] {
		if !b.IsFinite() {
			return nil
		}
		q.lo, q.hi = append(q.lo, b.Lo), append(q.hi, b.Hi)
	}
	r := reader{q: q, p: p, affine: map[int]dc.Linear{}}
	if !r.read() {
		return nil
	}
	for i, row := range q.rows {
		q.rows[i] = merged(row)
	}
	return q
}

// merged has each column once.
func merged(row []entry) []entry {
	slices.SortStableFunc(row, func(a, b entry) int { return a.col - b.col })
	out := row[:0]
	for _, e := range row {
		if last := len(out) - 1; last >= 0 && out[last].col == e.col {
			out[last].val += e.val
			continue
		}
		out = append(out, e)
	}
	return out
}

// reader expands columns.
type reader struct {
	q       *Quadratic
	p       *flat.Problem
	affine  map[int]dc.Linear // columns as functions of the variables
	entries int
}

// read reports false where the cost is not quadratic.
func (r *reader) read() bool {
	weights := make([]float64, r.p.Columns())
	for k, j := range r.p.Cost.Idx {
		weights[j] += r.p.Cost.Val[k]
	}
	for k := len(r.p.Terms) - 1; k >= 0; k-- { // a column has its weight when those after it are done
		t, w := &r.p.Terms[k], weights[r.p.N+k]
		if w == 0 {
			continue
		}
		switch t.Op {
		case flat.Affine:
			for i, j := range t.Lin.Idx {
				weights[j] += w * t.Lin.Val[i]
			}
		case flat.Square:
			if u, ok := r.column(t.A); !ok || !r.add(w, u, u) {
				return false
			}
		case flat.Product:
			u, ok := r.column(t.A)
			v, also := r.column(t.B)
			if !ok || !also || !r.add(w, u, v) {
				return false
			}
		default:
			return false
		}
	}
	for j := range r.p.N {
		r.q.linear[j] += weights[j]
	}
	return true
}

// column is a column over the variables; false where it is not affine.
func (r *reader) column(j int) (l dc.Linear, ok bool) {
	if j < r.p.N {
		return dc.Linear{Idx: []int{j}, Val: []float64{1}}, true
	}
	if l, ok := r.affine[j]; ok {
		return l, true
	}
	t := &r.p.Terms[j-r.p.N]
	if t.Op != flat.Affine {
		return l, false
	}
	l.Const = t.Lin.Const
	for k, i := range t.Lin.Idx {
		u, ok := r.column(i)
		if !ok {
			return l, false
		}
		l = l.AddScaled(t.Lin.Val[k], u)
	}
	r.affine[j] = l
	return l, true
}

// add adds w·u·v but for its constant.
func (r *reader) add(w float64, u, v dc.Linear) bool {
	if r.entries += len(u.Idx) * len(v.Idx); r.entries > mostEntries {
		return false
	}
	for k, i := range u.Idx {
		r.q.linear[i] += w * v.Const * u.Val[k]
		for l, j := range v.Idx {
			c := w * u.Val[k] * v.Val[l]
			if i == j {
				r.q.diag[i] += 2 * c
				continue
			}
			r.q.rows[i], r.q.rows[j] = append(r.q.rows[i], entry{j, c}), append(r.q.rows[j], entry{i, c})
		}
	}
	for l, j := range v.Idx {
		r.q.linear[j] += w * u.Const * v.Val[l]
	}
	return !math.IsNaN(w)
}
