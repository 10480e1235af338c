package scaling

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// follower gives sizes to the columns from the first-th on, 0 for one that is not known.
type follower struct {
	p     *qpbackend.Problem
	first int
	size  []float64
	group []int
	cones []lorentzBoost
	w     []float64 // by row: the largest term whose size is known
	top   []float64 // by group: the same
	open  []int     // by group: how many entries have no known size
	lone  []lone    // by row: one of those
}

// lone is a column without a size, and its coefficient.
type lone struct {
	col int // none, several
	val float64
}

// sweep gives sizes to columns: to sides of cones if there are any, else to those of which
// all rows are known but for themselves, else to those with one such row, else to those with
// a row. It reports whether it gave any.
func (f *follower) sweep() bool {
	f.look()
	return f.sides() || f.rows(allKnown) || f.rows(oneKnown) || f.rows(noneKnown)
}

// look sets the sizes of rows and groups.
func (f *follower) look() {
	clear(f.open)
	for i := range f.w {
		f.w[i], f.lone[i] = math.Abs(f.p.L[i]), lone{col: none}
	}
	constants(f.top, f.group, f.p)
	a := f.p.A
	for j, size := range f.size {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			i, v := a.RowIdx[k], math.Abs(a.Val[k])
			g := f.group[i]
			switch {
			case v == 0:
			case size > 0:
				term := v * size
				if term > f.top[g] {
					f.top[g] = term
				}
				if term > f.w[i] {
					f.w[i] = term
				}
			case f.lone[i].col == none:
				f.open[g]++
				f.lone[i] = lone{j, v}
			default:
				f.open[g]++
				f.lone[i].col = several
			}
		}
	}
}

// give gives a column a size.
func (f *follower) give(l lone, size float64) bool {
	size /= l.val
	if l.col < f.first || !(size > 0) || math.IsInf(size, 1) {
		return false
	}
	f.size[l.col] = max(f.size[l.col], size)
	return true
}

// sides gives sizes to columns that are alone in a side of a power cone or of a cone 4uv ≥ ‖w‖².
func (f *follower) sides() bool {
	given := false
	for k := range f.cones {
		given = f.product(&f.cones[k]) || given
	}
	for _, c := range f.p.Cones {
		if c.Kind == qpbackend.Power {
			given = f.power(c.Start, c.Alpha) || given
		}
	}
	return given
}

// product: 4uv ≥ ‖w‖².
func (f *follower) product(b *lorentzBoost) bool {
	w, inW := 0.0, lone{col: none}
	for i := b.row + 2; i < b.row+2+b.w; i++ {
		w = max(w, f.w[i])
		if l := f.lone[i]; l.col != none {
			if inW.col != none {
				l.col = several
			}
			inW = l
		}
	}
	inU, inV := lone{col: none}, lone{col: none}
	for i, j := range b.cols {
		if f.size[j] > 0 {
			continue
		}
		a0, a1 := f.p.A.Val[b.at[i][0]], f.p.A.Val[b.at[i][1]]
		for _, side := range [...]struct {
			in *lone
			a  float64
		}{{&inU, math.Abs(a0+a1) / 2}, {&inV, math.Abs(a0-a1) / 2}} {
			switch {
			case side.a == 0:
			case side.in.col == none:
				*side.in = lone{j, side.a}
			default:
				side.in.col = several
			}
		}
	}
	u, v := b.sizes(f.p, f.size)
	switch {
	case inW.col == none && inV.col == none && inU.col != none:
		return f.give(inU, w*w/4/v)
	case inW.col == none && inU.col == none && inV.col != none:
		return f.give(inV, w*w/4/u)
	case inU.col == none && inV.col == none && inW.col != none:
		return f.give(inW, 2*math.Sqrt(u)*math.Sqrt(v))
	}
	return false
}

// power: s₀^α·s₁^(1−α) ≥ |s₂|.
func (f *follower) power(i int, α float64) bool {
	s0, s1, s2 := f.w[i], f.w[i+1], f.w[i+2]
	l0, l1, l2 := f.lone[i], f.lone[i+1], f.lone[i+2]
	switch {
	case l0.col != none && l1.col == none && l2.col == none:
		return f.give(l0, math.Pow(s2/math.Pow(s1, 1-α), 1/α))
	case l0.col == none && l1.col != none && l2.col == none:
		return f.give(l1, math.Pow(s2/math.Pow(s0, α), 1/(1-α)))
	case l0.col == none && l1.col == none && l2.col != none:
		return f.give(l2, math.Pow(s0, α)*math.Pow(s1, 1-α))
	}
	return false
}

// how much has to be known of the rows of a column
type known uint8

const (
	noneKnown known = iota
	oneKnown
	allKnown
)

// rows gives columns the size of the largest other term of their rows over their
// coefficient there.
func (f *follower) rows(need known) bool {
	a, given := f.p.A, false
	for j := f.first; j < len(f.size); j++ {
		if f.size[j] > 0 {
			continue
		}
		largest := 0.0
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			largest = max(largest, math.Abs(a.Val[k]))
		}
		size, closed, total := 0.0, 0, 0
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			// A coefficient far below the others is a rest of cancellation.
			v, g := math.Abs(a.Val[k]), f.group[a.RowIdx[k]]
			if !(v > 0x1p-20*largest) {
				continue
			}
			total++
			if f.open[g] > 1 && need != noneKnown {
				continue
			}
			closed++
			size = max(size, f.top[g]/v)
		}
		if closed > 0 && (closed == total || need != allKnown) {
			given = f.give(lone{j, 1}, size) || given
		}
	}
	return given
}
