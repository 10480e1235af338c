//go:build !lean

package dc

import (
	"slices"
)

// Repeat adds constraints of a model that differ from the last one in numbers alone, without an object of each.
type Repeat struct {
	cs   *collection
	to   *members
	flat bool // the function is |row|
}

// Repeat is for constraints such as the last one of m. It is nil unless that is rest + w·f(rows) ≤ 0 with these numbers, where f is a norm or an
// absolute value of affine functions, and one of many of its name that have arrays.
func (m *Model) Repeat(rest Linear, w float64, rows []Linear) *Repeat {
	cs := &m.orNone().cs
	to := cs.to
	if to == nil || len(to.steps) != len(rows)+2 || len(to.rows) != len(rows)+1 || len(to.nums) != 1 || to.top().row != 0 || !slices.Equal(to.top().args, []int{len(rows)}) {
		return nil
	}
	f := &to.steps[len(rows)]
	if !slices.Contains([]string{"abs", "norm1", "norm2"}, f.op) || len(f.args) != len(rows) {
		return nil
	}
	last := to.count - 1
	for k, l := range rows {
		if s := &to.steps[k]; f.args[k] != k || s.op != opRow || s.row != k+1 || !to.rows[k+1].linear(last, nil).equal(l) {
			return nil
		}
	}
	if !to.rows[0].linear(last, nil).equal(rest) || pick(to.nums[0], last) != w {
		return nil
	}
	return &Repeat{cs, to, f.op == "abs"}
}

// Add adds the constraint of the same name with this index that is rest + w·f(rows) ≤ 0. The lists are read only during the call. ok is false
// where it has another form by its numbers or the bounds of its variables, or another constraint was added since: then nothing is added.
func (r *Repeat) Add(index []int, rest Linear, w float64, rows []Linear) (ok bool) {
	if to := r.to; r.cs.to != to || len(index) != to.width || len(rows) != len(to.rows)-1 || !finite(w) || w*to.signs[0] <= 0 || !r.takes(0, &rest) {
		return false
	}
	all, lost := &r.cs.r, 0.0
	all.begin()
	if rest.isZero() {
		rest = Linear{} // not -0
	}
	all.rows, all.nums = append(append(all.rows, rest), rows...), append(all.nums, w)
	for k := range rows {
		if !r.takes(k+1, &rows[k]) {
			return false
		}
		lost = max(lost, rows[k].lost)
	}
	if r.flat {
		if i := rows[0].over(); i.Lo >= 0 || i.Hi <= 0 {
			return false
		}
	}
	for k := range rows {
		all.rows[k+1].lost = lost // those of one array have the largest of its entries
	}
	r.to.add(index, all)
	r.cs.run++
	r.cs.list = append(r.cs.list, Constraint{r.cs.list[len(r.cs.list)-1].Common, r.to.count - 1})
	return true
}

// takes reports whether l may be that row of a member.
func (r *Repeat) takes(row int, l *Linear) bool {
	return len(l.Idx) == len(r.to.rows[row].idx) && (l.of == nil || l.of == r.to.of) && !bad(*l)
}
