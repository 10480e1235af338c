//go:build !lean

package dc

import (
	"math"
	"slices"
)

// LoopRow has an affine function of each of some terms of a sum, or of some constraints: that of term i is Σ Val[t][i]·x[Idx[t][i]] + Const[i]. Idx
// ascends strictly with t, no number of Val is 0, and Idx and Val are of one length. A list of one number holds for all terms. Who takes a
// LoopRow keeps its lists: nobody writes to them.
type LoopRow struct {
	Idx   [][]int32
	Val   [][]float64
	Const []float64
	Lost  float64 // at least Linear.ConstSize less the size of the constant, of all terms
}

// appendTo is the row of term i in the room of l.
func (r *LoopRow) appendTo(l Linear, i int, of *space) Linear {
	d := rowData{idx: r.Idx, val: r.Val, c: r.Const, lost: r.Lost}
	return d.appendTo(Linear{Idx: l.Idx[:0], Val: l.Val[:0]}, i, of)
}

// isFinite reports whether all numbers are.
func (r *LoopRow) isFinite() bool {
	sum := 0.0
	for _, list := range r.Val {
		for _, v := range list {
			sum += v - v
		}
	}
	for _, v := range r.Const {
		sum += v - v
	}
	return sum == 0
}

// rowBlock is how many rows are read before the next coefficient of the first one. Source: a limit of time: they stay in the second
// level of a cache.
const rowBlock = 1 << 10

// LoopRow has n entries of a as the rows of n terms: that of term i is entry at(i). ok is false where these have not as many coefficients each, or a
// coefficient is 0.
func (a Affine) LoopRow(n int, at func(i int) int) (r LoopRow, ok bool) {
	width, entries := 0, make([]int, n)
	for i := range entries {
		entries[i] = at(i)
		l := a.Entry(entries[i])
		if i == 0 {
			width = len(l.Idx)
		}
		if len(l.Idx) != width || slices.Contains(l.Val, 0) {
			return r, false
		}
	}
	r = LoopRow{Idx: make([][]int32, width), Val: make([][]float64, width), Lost: a.lost}
	for lo := 0; lo < n; lo += rowBlock {
		block := entries[lo:min(n, lo+rowBlock)]
		for i, k := range block {
			r.Const = put1(r.Const, lo+i, n, a.c[k])
		}
		for t := range width {
			idx, val := r.Idx[t], r.Val[t]
			for i, k := range block {
				p := a.ptr[k] + t
				idx, val = put1(idx, lo+i, n, int32(a.idx[p])), put1(val, lo+i, n, a.val[p])
			}
			r.Idx[t], r.Val[t] = idx, val
		}
	}
	return r, true
}

// put1 puts v at place i of a list for n, which has one number as long as all are that.
func put1[T comparable](list []T, i, n int, v T) []T {
	switch {
	case i == 0:
		return append(list, v)
	case len(list) > 1:
		list[i] = v
		return list
	case list[0] == v:
		return list
	}
	out := make([]T, n)
	for k := range i {
		out[k] = list[0]
	}
	out[i] = v
	return out
}

// AddRows is Add of n terms, number i with the weight w[i] and the rows of number i; a list of one weight holds for all. Where ok is false, nothing of these
// terms was added.
func (l *Loop) AddRows(op LoopOp, n int, w []float64, rows []LoopRow, ends []int, term func() Expr) (ok bool) {
	if slices.ContainsFunc(w, func(v float64) bool { return v == 0 || !finite(v) }) || slices.ContainsFunc(rows, func(r LoopRow) bool { return !r.isFinite() }) || !l.keepForm(op, n, rows, ends) {
		return false
	}
	s := l.shapeFor(op, loopRows(nil, rows, 0, l.space()), ends, term)
	return s != nil && s.addRows(n, w, rows)
}

// loopRows are the rows of term i, in the room of a list.
func loopRows(list []Linear, rows []LoopRow, i int, of *space) []Linear {
	if list == nil {
		list = make([]Linear, len(rows))
	}
	for k := range rows {
		list[k] = rows[k].appendTo(list[k], i, of)
	}
	return list
}

// keepForm is keepsForm of n terms. Ends of ranges are computed to within rounding errors for a block of terms; those where these matter
// are looked at one by one.
func (l *Loop) keepForm(op LoopOp, n int, rows []LoopRow, ends []int) bool {
	bounds := make([]loopBounds, len(rows))
	free := true
	for k := range rows {
		free = bounds[k].begin(&rows[k], l.space()) && free
	}
	if free && op != LoopGap && (len(rows) > 1 || op <= LoopAbs) {
		return true
	}
	apart := op != LoopGap || differ(rows[:ends[0]], rows[ends[0]:ends[1]])
	var list []Linear
	for lo := 0; lo < n; lo += memberBlock {
		count := min(memberBlock, n-lo)
		for k := range rows {
			bounds[k].compute(&rows[k], lo, count, l.space())
		}
		for i := range count {
			if apart && op < LoopLeast && apartFrom(op, bounds, i) || apart && op == LoopGap && gapFrom(bounds, ends, i) {
				continue
			}
			list = loopRows(list, rows, lo+i, l.space())
			if !l.keepsForm(op, list, ends) {
				return false
			}
		}
	}
	return true
}

// loopBounds are the ends of the ranges of a row for a block of terms, and the sizes of their numbers.
type loopBounds struct {
	free         bool // the row is anywhere, in all terms
	lo, hi, size [memberBlock]float64
}

// begin reports whether the row has a variable without bounds in all terms.
func (b *loopBounds) begin(r *LoopRow, of *space) bool {
	for _, idx := range r.Idx {
		if len(idx) == 1 {
			i := of.interval(int(idx[0]))
			b.free = b.free || math.IsInf(i.Lo, -1) && math.IsInf(i.Hi, 1)
			continue
		}
		for _, j := range idx {
			of.interval(int(j)) // which is asked for then
		}
	}
	return b.free
}

// compute computes the ends for n terms from lo on.
func (b *loopBounds) compute(r *LoopRow, from, n int, of *space) {
	for i := range n {
		if b.lo[i], b.hi[i], b.size[i] = math.Inf(-1), math.Inf(1), 0; !b.free {
			c := pick(r.Const, from+i)
			b.lo[i], b.hi[i], b.size[i] = c, c, math.Abs(c)
		}
	}
	if b.free {
		return
	}
	for t := range r.Idx {
		for i := range n {
			v, x := pick(r.Val[t], from+i), of.interval(int(pick(r.Idx[t], from+i)))
			p, q := v*x.Lo, v*x.Hi
			b.lo[i], b.hi[i] = b.lo[i]+min(p, q), b.hi[i]+max(p, q)
			b.size[i] += finiteSize(p) + finiteSize(q)
		}
	}
}

// apartFrom reports whether keepsForm is true for term i of a block beyond rounding errors: no operand of a maximum is below another one.
func apartFrom(op LoopOp, bounds []loopBounds, i int) bool {
	top, least, size := math.Inf(-1), math.Inf(1), 0.0
	for k := range bounds {
		b := &bounds[k]
		lo, hi := b.lo[i], b.hi[i]
		if op == LoopMin {
			lo, hi = -hi, -lo
		}
		top, least = max(top, lo), min(least, hi)
		size += b.size[i]
	}
	if op == LoopPos || op == LoopAbs {
		top, least = max(top, 0), min(least, 0)
		if op == LoopAbs {
			top, least = bounds[0].lo[i], bounds[0].hi[i]
			return top < -apart*size && least > apart*size
		}
	}
	return least > top+apart*size || least == math.Inf(1) || top == math.Inf(-1)
}

// differ reports whether two lists of rows have other variables in all terms.
func differ(a, b []LoopRow) bool {
	if len(a) != len(b) {
		return true
	}
	for k := range a {
		if len(a[k].Idx) != len(b[k].Idx) {
			return true
		}
		for t, idx := range a[k].Idx {
			if o := b[k].Idx[t]; len(idx) == 1 && len(o) == 1 && idx[0] != o[0] {
				return true
			}
		}
	}
	return false
}

// gapFrom is apartFrom for a LoopGap: of both maxima, and of the sum of their difference and the last row, which is of either sign. A maximum of a row and its
// negative is known to be 0 or more.
func gapFrom(bounds []loopBounds, ends []int, i int) bool {
	if !apartFrom(LoopMax, bounds[:ends[0]], i) || !apartFrom(LoopMax, bounds[ends[0]:ends[1]], i) {
		return false
	}
	var lo, hi [2]float64
	size := bounds[ends[1]].size[i]
	for k := range bounds[:ends[1]] {
		b, at := &bounds[k], 0
		if k >= ends[0] {
			at = 1
		}
		if k == 0 || k == ends[0] {
			hi[at] = math.Inf(-1)
		}
		lo[at], hi[at], size = max(lo[at], b.lo[i]), max(hi[at], b.hi[i]), size+b.size[i]
	}
	rest := &bounds[ends[1]]
	for k := range lo {
		if !(rest.lo[i]+lo[k]-hi[1-k] < -apart*size && rest.hi[i]+hi[k]-lo[1-k] > apart*size) {
			return false
		}
	}
	return true
}

// space is that of the model.
func (l *Loop) space() *space { return l.Model.orNone().space }

// addRows adds n terms with these weights and rows.
func (s *loopShape) addRows(n int, w []float64, rows []LoopRow) bool {
	to, from := s.to, len(s.to.w)
	sign := to.sign
	if from == 0 {
		sign = math.Copysign(1, w[0]*s.weight)
	}
	for _, v := range w {
		if v*s.weight*sign < 0 {
			return false
		}
	}
	to.sign = sign
	s.appendRows(n, rows)
	for i := range n {
		to.w = append(to.w, pick(w, i)*s.weight*sign)
	}
	return to.merge(s.hashes(n, rows))
}

// appendRows appends the rows of n terms to those of the series, also those that are there already.
func (s *loopShape) appendRows(n int, rows []LoopRow) {
	to, from := s.to, len(s.to.w)
	for k := range rows {
		r, d := rows[k].signed(s.sign), &to.rows[s.places[k]]
		d.lost, d.c = max(d.lost, s.lostOf(rows, k)), joined(d.c, from, r.Const, n)
		for t := range r.Idx {
			d.idx[t], d.val[t] = joined(d.idx[t], from, r.Idx[t], n), joined(d.val[t], from, r.Val[t], n)
		}
	}
}

// lostOf is Lost of a row: of the squares of one array, which has the largest of its entries, that of all of them.
func (s *loopShape) lostOf(rows []LoopRow, k int) float64 {
	lost, from := rows[k].Lost, 0
	for _, end := range s.ends {
		if s.op == LoopLeast && k >= from && k < end {
			for i := from; i < end; i++ {
				lost = max(lost, rows[i].Lost)
			}
		}
		from = end
	}
	return lost
}

// signed is r times sign, which is 1 or -1.
func (r LoopRow) signed(sign float64) LoopRow {
	if sign == 1 {
		return r
	}
	out := LoopRow{Idx: r.Idx, Val: make([][]float64, len(r.Val)), Lost: r.Lost}
	for t := range r.Val {
		out.Val[t] = scaledList(sign, r.Val[t])
	}
	out.Const = scaledList(sign, r.Const)
	return out
}

func scaledList(w float64, list []float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = w * v
	}
	return out
}

// hashes mixes the rows of each of n terms, as add does.
func (s *loopShape) hashes(n int, rows []LoopRow) []uint64 {
	out := make([]uint64, n)
	all := make([]hasher, n)
	for k, at := range s.order {
		r, sign := &LoopRow{Const: s.to.rows[k].c}, 1.0
		if at >= 0 {
			r, sign = &rows[at], s.sign
		}
		for i := range all {
			all[i].mix(uint64(len(r.Idx)))
		}
		for t, idx := range r.Idx {
			val := r.Val[t]
			for i := range all {
				all[i].coefficient(uint64(pick(idx, i)), sign*pick(val, i))
			}
		}
		for i := range all {
			all[i].float(sign * pick(r.Const, i))
		}
	}
	for i, h := range all {
		out[i] = uint64(h)
	}
	return out
}

// merge adds the weights of terms, the last ones, which have these hashes, to those of terms before with the same rows, which stay.
func (s *series) merge(hashes []uint64) bool {
	from, kept := len(s.w)-len(hashes), make([]int32, 0, len(s.w))
	for k := range from {
		kept = append(kept, int32(k))
	}
	s.known.expect(len(hashes))
	for i, h := range hashes {
		k := from + i
		first := s.known.add(h)
		if first == k || !s.equalRows(first, k) {
			kept = append(kept, int32(k))
			continue
		}
		if s.w[first] += s.w[k]; !finite(s.w[first]) {
			return false
		}
	}
	if len(kept) == len(s.w) {
		return true
	}
	p := s.part(kept)
	s.rows, s.w, s.known = p.rows, some(s.w, kept), s.known.part(kept)
	return true
}

// equalRows reports whether two terms have the same rows.
func (s *series) equalRows(a, b int) bool {
	for k := range s.rows {
		d := &s.rows[k]
		if pick(d.c, a) != pick(d.c, b) {
			return false
		}
		for t := range d.idx {
			if pick(d.idx[t], a) != pick(d.idx[t], b) || pick(d.val[t], a) != pick(d.val[t], b) {
				return false
			}
		}
	}
	return true
}
