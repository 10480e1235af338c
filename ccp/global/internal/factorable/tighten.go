package factorable

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// over is the range of an affine function over a box.
func over(l convex.Linear, box []Interval) Interval {
	out := interval.Point(l.Const)
	for k, j := range l.Idx {
		out = out.Add(box[j].Scale(l.Val[k]))
	}
	return out
}

// A reader of the proof tightens the boxes again, with other roundings. The search leaves the rows
// and the cutoff so much room that its boxes contain those of the reader, whose bounds are then no
// weaker: an error of 1e-16 in a row is one of 1e-8 in the argument of a square.
// Source: the first is far above rounding errors, the second the difference of two bounds that
// dcopt verify allows.
const (
	roomOfRows   = 1e-12 // of the row's parts
	roomOfCutoff = 1e-9  // of max(1, |cutoff|)
)

// Tighten narrows a box of all columns by the rows, the terms and a cost of at most
// cutoff, by interval arithmetic forth and back, at most rounds times. It reports
// false where nothing is left.
func (p *Problem) Tighten(box []Interval, cutoff float64, rounds int) bool {
	for range rounds {
		before := measure(box)
		if !p.forth(box) || !p.rowsOver(box, cutoff) || !p.back(box) {
			return false
		}
		if after := measure(box); !(after < before-0.01*float64(len(box))) && after >= 0.98*before {
			return true
		}
	}
	return p.forth(box)
}

// measure falls when a box gets narrower.
func measure(box []Interval) float64 {
	s := 0.0
	for _, b := range box {
		switch w := interval.Width(b); {
		case math.IsInf(w, 1) && math.IsInf(b.Lo, -1) && math.IsInf(b.Hi, 1):
			s += 100
		case math.IsInf(w, 1):
			s += 50
		case w > 0:
			s += min(45, max(0, 30+math.Log2(w)))
		}
	}
	return s
}

// forth evaluates all terms.
func (p *Problem) forth(box []Interval) bool {
	for k := range p.Terms {
		t, j := &p.Terms[k], p.N+k
		if t.OfOne() {
			if box[t.A] = meet(box[t.A], t.domain()); empty(box[t.A]) {
				return false
			}
		}
		box[j] = meet(box[j], p.value(t, box))
		if u := t.Under; u.Largest() {
			all := box[u.Args[0]]
			for _, i := range u.Args[1:] {
				all = all.Max(box[i])
			}
			box[j] = meet(box[j], all)
		}
		if empty(box[j]) {
			return false
		}
	}
	return !slices.ContainsFunc(box[:p.N], empty)
}

// value is the range of a term.
func (p *Problem) value(t *Term, box []Interval) Interval {
	switch t.Op {
	case Affine:
		return over(t.Lin, box)
	case Product:
		return box[t.A].Mul(box[t.B])
	}
	return t.image(box[t.A])
}

// rowsOver narrows the columns of rows.
func (p *Problem) rowsOver(box []Interval, cutoff float64) bool {
	for i := range p.Rows {
		r := &p.Rows[i]
		if room := roomOfRows * sizeOver(r.Lin, box); !meets(r.Lin, interval.New(r.Lo-room, r.Hi+room), box) {
			return false
		}
	}
	return math.IsInf(cutoff, 1) ||
		meets(p.Cost, interval.New(math.Inf(-1), cutoff+roomOfCutoff*max(1, math.Abs(cutoff))), box)
}

// sizeOver is the largest part of an affine function over a box, of those that have bounds.
func sizeOver(l convex.Linear, box []Interval) float64 {
	size := math.Abs(l.Const)
	for k, j := range l.Idx {
		if v := math.Abs(l.Val[k]) * box[j].Abs().Hi; !math.IsInf(v, 1) {
			size = max(size, v)
		}
	}
	return size
}

// back narrows the arguments of terms.
func (p *Problem) back(box []Interval) bool {
	for k := len(p.Terms) - 1; k >= 0; k-- {
		t, w := &p.Terms[k], box[p.N+k]
		if u := t.Under; u.Largest() {
			for _, j := range u.Args {
				if box[j].Hi = min(box[j].Hi, w.Hi); empty(box[j]) {
					return false
				}
			}
		}
		switch t.Op {
		case Affine:
			if !meets(t.Lin, w, box) {
				return false
			}
			continue
		case Product:
			a, b := box[t.A], box[t.B]
			if b.Lo > 0 || b.Hi < 0 {
				box[t.A] = meet(a, div(w, b))
			}
			if a.Lo > 0 || a.Hi < 0 {
				box[t.B] = meet(b, div(w, a))
			}
		default:
			box[t.A] = t.inverse(w, box[t.A])
		}
		if empty(box[t.A]) || t.Op == Product && empty(box[t.B]) {
			return false
		}
	}
	return true
}

// meets narrows the columns of l so that it can be in the target.
func meets(l convex.Linear, target Interval, box []Interval) bool {
	lo, hi := l.Const, l.Const // of the finite parts
	free, top := 0, 0          // infinite parts below and above
	for k, j := range l.Idx {
		c := box[j].Scale(l.Val[k])
		if math.IsInf(c.Lo, -1) {
			free++
		} else {
			lo = num.AddDown(lo, c.Lo)
		}
		if math.IsInf(c.Hi, 1) {
			top++
		} else {
			hi = num.AddUp(hi, c.Hi)
		}
	}
	if free == 0 && lo > target.Hi || top == 0 && hi < target.Lo {
		return false
	}
	if free > 1 && top > 1 {
		return true
	}
	for k, j := range l.Idx {
		w := l.Val[k]
		c := box[j].Scale(w)
		rest := interval.Whole
		switch {
		case free == 0:
			rest.Lo = num.AddDown(lo, -c.Lo)
		case free == 1 && math.IsInf(c.Lo, -1):
			rest.Lo = lo
		}
		switch {
		case top == 0:
			rest.Hi = num.AddUp(hi, -c.Hi)
		case top == 1 && math.IsInf(c.Hi, 1):
			rest.Hi = hi
		}
		room := target.Add(rest.Neg())
		if w == 0 || math.IsInf(room.Lo, -1) && math.IsInf(room.Hi, 1) {
			continue
		}
		if box[j] = meet(box[j], div(room, interval.Point(w))); empty(box[j]) {
			return false
		}
	}
	return true
}
