package spatial

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/internal/convex"
)

// hull is a choice that several items are left of, with a share of the squares of the cost.
type hull struct {
	*factorable.Choice
	items  []int
	by     int // the column to split
	shared []convex.Linear
	value  convex.Linear // a lower bound of the items and the shared squares, of columns of the backend's problem
}

// choices states the open choices by their convex hulls, each together with its share of the
// squares in the cost that have no other variables: their curvature makes the hull close. It takes
// these choices out of the cost, and the squares out of the squares of the cost, by column.
func (r *relaxation) choices(cost convex.Linear, squares map[int]float64) convex.Linear {
	r.open = nil
	for i := range r.p.Choices {
		h := hull{Choice: &r.p.Choices[i]}
		if h.items, h.by = h.Pick.Open(r.box); h.by >= 0 {
			r.open = append(r.open, h)
		}
	}
	r.share(squares)
	r.open = slices.DeleteFunc(r.open, func(h hull) bool {
		free := func(j int) bool { return !r.box[j].IsFinite() }
		return len(h.shared) == 0 && slices.ContainsFunc(h.Support, free)
	})
	for i := range r.open {
		h := &r.open[i]
		r.hull(h)
		cost = cost.AddScaled(-1, h.Cost).AddScaled(1, h.value)
	}
	return cost
}

// share parts the squares among the open choices that have their variables.
func (r *relaxation) share(squares map[int]float64) {
	of := map[int][]int{} // the open choices of a variable
	for i := range r.open {
		for _, j := range r.open[i].Support {
			of[j] = append(of[j], i)
		}
	}
	for _, j := range r.p.Cost.Idx {
		w := squares[j]
		if w == 0 {
			continue
		}
		l, ok := r.p.Plain(r.p.Terms[j-r.p.N].A)
		if !ok || len(l.Idx) == 0 {
			continue
		}
		among := slices.Clone(of[l.Idx[0]])
		for _, j := range l.Idx[1:] {
			among = slices.DeleteFunc(among, func(i int) bool { return !slices.Contains(of[j], i) })
		}
		for _, i := range among {
			r.open[i].shared = append(r.open[i].shared, l.Scale(math.Sqrt(w/float64(len(among)))))
		}
		if len(among) > 0 {
			squares[j] = 0
		}
	}
}

// hull adds the convex hull of the items, each with the shared squares: a copy of the variables for
// each item, scaled by a weight, and the perspectives of the functions there. Balas 1979; Ceria and
// Soares 1999, Convex programming for disjunctive convex optimization.
func (r *relaxation) hull(h *hull) {
	b, ones := r.b, convex.Linear{Const: -1}
	sums := make([]convex.Linear, len(h.Support)) // of the copies, less the variable
	for i, j := range h.Support {
		sums[i] = factorable.ColumnOf(j).Scale(-1)
	}
	for _, k := range h.items {
		it := &h.Items[k]
		λ := factorable.ColumnOf(b.Var())
		b.BoundColumn(λ.Idx[0], 0, 1)
		first := b.Cols()
		for range h.Support {
			b.Var()
		}
		ones = ones.AddScaled(1, λ)
		at := func(l convex.Linear) convex.Linear { // λ·l(y/λ)
			out := convex.Linear{Idx: make([]int, len(l.Idx)), Val: l.Val}
			for i, j := range l.Idx {
				place, _ := slices.BinarySearch(h.Support, j)
				out.Idx[i] = first + place
			}
			return out.AddScaled(l.Const, λ)
		}
		for i, j := range h.Support {
			y := factorable.ColumnOf(first + i)
			sums[i] = sums[i].AddScaled(1, y)
			if hi := r.box[j].Hi; !math.IsInf(hi, 1) {
				b.Row(y.AddScaled(-hi, λ), math.Inf(-1), 0)
			}
			if lo := r.box[j].Lo; !math.IsInf(lo, -1) {
				b.Row(y.AddScaled(-lo, λ), 0, math.Inf(1))
			}
		}
		h.value = h.value.AddScaled(1, at(it.Lin))
		for _, l := range it.Sizes {
			t := factorable.ColumnOf(b.Var())
			b.Row(at(l).AddScaled(-1, t), math.Inf(-1), 0)
			b.Row(at(l).AddScaled(1, t), 0, math.Inf(1))
			h.value = h.value.AddScaled(1, t)
		}
		if len(h.shared)+len(it.Squares) == 0 {
			continue
		}
		s := factorable.ColumnOf(b.Var()) // s·λ ≥ Σ l(y)²
		rows := []convex.Linear{s.AddScaled(1, λ), s.AddScaled(-1, λ)}
		for _, l := range slices.Concat(h.shared, it.Squares) {
			rows = append(rows, at(l).Scale(2))
		}
		b.Cone(convex.Cone{Kind: convex.SecondOrderCone, Rows: rows})
		h.value = h.value.AddScaled(1, s)
	}
	for _, l := range append(sums, ones) {
		b.Row(l, 0, 0)
	}
}

// furthest is the column to split of the choice whose hull is furthest below it at a solution, −1
// if all are exact.
func (r *relaxation) furthest(x []float64) (by int) {
	by = -1
	top := 1e-10 // Source: far below the least gap that counts
	for i := range r.open {
		h := &r.open[i]
		off := math.Inf(1)
		for _, k := range h.items {
			off = min(off, h.Items[k].Value(x))
		}
		for _, l := range h.shared {
			off += l.Value(x) * l.Value(x)
		}
		if off -= h.value.Value(x); off > top {
			by, top = h.by, off
		}
	}
	return by
}
