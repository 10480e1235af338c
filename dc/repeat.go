//go:build !lean

package dc

import (
	"slices"
)

// Repeat adds constraints of a model that differ from the last one in numbers alone, without an object of each.
type Repeat struct {
	cs    *collection
	model *Model
	to    *members
	flat  bool // the function is |row|
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
	to.pack()
	to.packed = true
	return &Repeat{cs, m, to, f.op == "abs"}
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
	r.to.addPacked(index, all)
	r.cs.run++
	r.cs.list = append(r.cs.list, Constraint{r.cs.list[len(r.cs.list)-1].Common, r.to.count - 1})
	return true
}

// addPacked is add in lists that have one number as long as all are that.
func (m *members) addPacked(index []int, r *memberReader) {
	for _, i := range index {
		m.index = append(m.index, int32(i))
	}
	n := m.count
	for k, l := range r.rows {
		d := &m.rows[k]
		d.c, d.lost = appendPacked(d.c, n, l.Const), max(d.lost, l.lost)
		for t, j := range l.Idx {
			d.idx[t], d.val[t] = appendPacked(d.idx[t], n, int32(j)), appendPacked(d.val[t], n, l.Val[t])
		}
	}
	for k, v := range r.nums {
		m.nums[k] = appendPacked(m.nums[k], n, v)
	}
	m.count++
}

// takes reports whether l may be that row of a member.
func (r *Repeat) takes(row int, l *Linear) bool {
	return len(l.Idx) == len(r.to.rows[row].idx) && (l.of == nil || l.of == r.to.of) && !bad(*l)
}

// AddRows is Add of n constraints: the last number of their indices is one from last on, and those before are in index. Where ok is false, none of them was
// added.
func (r *Repeat) AddRows(index []int, last, n int, rest LoopRow, w float64, rows []LoopRow) (ok bool) {
	to := r.to
	if len(rest.Idx) == 0 {
		rest.Const = slices.Clone(rest.Const)
		for i := range rest.Const {
			rest.Const[i] += 0 // not -0
		}
	}
	all := append([]LoopRow{rest}, rows...)
	if r.cs.to != to || len(index)+1 != to.width || len(all) != len(to.rows) || !finite(w) || w*to.signs[0] <= 0 {
		return false
	}
	lost := 0.0
	for k := range all {
		if l := &all[k]; len(l.Idx) != len(to.rows[k].idx) || !l.isFinite() {
			return false
		}
		if k > 0 {
			lost = max(lost, all[k].Lost)
		}
	}
	flat := Loop{Model: r.model}
	if r.flat && !flat.keepForm(LoopAbs, n, rows, nil) {
		return false
	}
	for k := range all {
		d, l := &to.rows[k], &all[k]
		if k == 0 {
			d.lost = max(d.lost, l.Lost)
		} else {
			d.lost = max(d.lost, lost)
		}
		d.c = joined(d.c, to.count, l.Const, n)
		for t := range l.Idx {
			d.idx[t], d.val[t] = joined(d.idx[t], to.count, l.Idx[t], n), joined(d.val[t], to.count, l.Val[t], n)
		}
	}
	to.nums[0] = joined(to.nums[0], to.count, []float64{w}, n)
	to.index = roomFor(to.index, n*to.width)
	r.cs.list = roomFor(r.cs.list, n)
	common := r.cs.list[len(r.cs.list)-1].Common
	for i := range n {
		for _, k := range index {
			to.index = append(to.index, int32(k))
		}
		to.index = append(to.index, int32(last+i))
		r.cs.list = append(r.cs.list, Constraint{common, to.count + i})
	}
	to.count += n
	r.cs.run += n
	return true
}
