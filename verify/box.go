package verify

import (
	"math"
	"slices"
)

// span is an interval of float64 numbers, rounded outward.
type span struct{ lo, hi float64 }

func whole() span                     { return span{math.Inf(-1), math.Inf(1)} }
func just(v float64) span             { return span{v, v} }
func (a span) empty() bool            { return !(a.lo <= a.hi) }
func (a span) has(v float64) bool     { return a.lo <= v && v <= a.hi }
func (a span) finite() bool           { return a.lo > math.Inf(-1) && a.hi < math.Inf(1) }
func (a span) meet(b span) span       { return span{max(a.lo, b.lo), min(a.hi, b.hi)} }
func (a span) minus() span            { return span{-a.hi, -a.lo} }
func (a span) clip(v float64) float64 { return min(max(v, a.lo), a.hi) }

// mid is a finite number, of a bounded interval its middle.
func (a span) mid() float64 {
	if m := a.lo + (a.hi-a.lo)/2; m-m == 0 {
		return m
	}
	return 0
}

// below is the sum rounded down: where taking a part away does not give the other part
// back, a unit is taken off. A sum that is no number is −Inf.
func below(a, b float64) float64 {
	switch s := a + b; {
	case s-a == b && s-b == a:
		return s
	case math.IsNaN(s) || math.IsInf(a, -1) || math.IsInf(b, -1):
		return math.Inf(-1)
	case math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.Inf(1)
	default:
		return math.Nextafter(s, math.Inf(-1))
	}
}

func above(a, b float64) float64 { return -below(-a, -b) }

// belowProduct is the product rounded down, 0 where a factor is 0.
func belowProduct(a, b float64) float64 {
	switch p := a * b; {
	case a == 0 || b == 0:
		return 0
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return p
	case math.Abs(p) > 1e-280 && math.Abs(p) < math.MaxFloat64 && math.FMA(a, b, -p) >= 0:
		return p
	default:
		return math.Nextafter(p, math.Inf(-1))
	}
}

func aboveProduct(a, b float64) float64 { return -belowProduct(-a, b) }

func (a span) plus(b span) span { return span{below(a.lo, b.lo), above(a.hi, b.hi)} }
func (a span) less(b span) span { return a.plus(b.minus()) }

func (a span) times(b span) span {
	if a == (span{}) || b == (span{}) {
		return span{}
	}
	return span{
		min(belowProduct(a.lo, b.lo), belowProduct(a.lo, b.hi), belowProduct(a.hi, b.lo), belowProduct(a.hi, b.hi)),
		max(aboveProduct(a.lo, b.lo), aboveProduct(a.lo, b.hi), aboveProduct(a.hi, b.lo), aboveProduct(a.hi, b.hi)),
	}
}

// over is the quotient; all numbers where the divisor may be 0.
func (a span) over(b span) span {
	switch {
	case b.hi < 0:
		return a.minus().over(b.minus())
	case !(b.lo > 0):
		return whole()
	case b == just(1):
		return a
	}
	return a.times(span{math.Nextafter(1/b.hi, 0), math.Nextafter(1/b.lo, math.Inf(1))})
}

func (a span) magnitude() span {
	switch {
	case a.lo >= 0:
		return a
	case a.hi <= 0:
		return a.minus()
	}
	return span{0, max(-a.lo, a.hi)}
}

// loose encloses the value of a function of the mathematical library. Source: 16 units in
// the last place, where its tests allow a few; on amd64 math.Exp is infinite from 1.27e308 on.
func loose(v float64) span {
	switch {
	case math.IsNaN(v):
		return whole()
	case math.IsInf(v, 1):
		return span{0x1p1023, v}
	case math.IsInf(v, -1):
		return span{v, -0x1p1023}
	}
	e := math.Abs(v)*0x1p-48 + 0x1p-1050
	return span{v - e, v + e}
}

func (a span) atLeast(v float64) span { return span{max(a.lo, v), a.hi} }
func (a span) positive() span         { return span{max(a.lo, 0), max(a.hi, 0)} }

func (l *form) over(box []span) span {
	out := l.constant()
	for k, j := range l.idx {
		out = out.plus(box[j].times(l.val[k]))
	}
	return out
}

// narrow tightens a box by the functions, the rows and a cost of at most cutoff, in at most so many rounds, until
// one takes less than least from the breadth of a column. It reports false where nothing is left.
func (f *flat) narrow(box []span, cutoff float64, rounds int, least float64) bool {
	for range rounds {
		before := breadth(box)
		if !f.forward(box) {
			return false
		}
		for i := range f.rows {
			if r := &f.rows[i]; !r.lin.into(r.sides, box) {
				return false
			}
		}
		if !math.IsInf(cutoff, 1) && !f.cost.into(span{math.Inf(-1), cutoff}, box) {
			return false
		}
		if !f.backward(box) {
			return false
		}
		if breadth(box) > before-least*float64(len(box)) {
			break
		}
	}
	return f.forward(box)
}

// breadth falls when a box gets narrower.
func breadth(box []span) float64 {
	s := 0.0
	for _, b := range box {
		switch w := b.hi - b.lo; {
		case math.IsInf(b.lo, -1) && math.IsInf(b.hi, 1):
			s += 200
		case math.IsInf(w, 1):
			s += 100
		case w > 0:
			s += min(90, max(0, 40+math.Log2(w)))
		}
	}
	return s
}

func (f *flat) forward(box []span) bool {
	for k := range f.cols {
		c, j := &f.cols[k], f.n+k
		if box[c.a] = box[c.a].meet(c.domain()); box[c.a].empty() {
			return false
		}
		if box[j] = box[j].meet(c.over(box)); box[j].empty() {
			return false
		}
	}
	return !slices.ContainsFunc(box[:f.n], span.empty)
}

// over is the range of a column over a box.
func (c *column) over(box []span) span {
	switch {
	case c.kind == isAffine && c.under != nil && c.under.kind == bundleLargest:
		a := span{math.Inf(-1), math.Inf(-1)}
		for _, j := range c.under.args {
			a = span{max(a.lo, box[j].lo), max(a.hi, box[j].hi)}
		}
		return c.lin.over(box).meet(a.plus(span{-c.off, c.off}))
	case c.kind == isAffine:
		return c.lin.over(box)
	case c.kind == isProduct:
		return box[c.a].times(box[c.b])
	}
	return c.image(box[c.a])
}

func (f *flat) backward(box []span) bool {
	for k := len(f.cols) - 1; k >= 0; k-- {
		c, w := &f.cols[k], box[f.n+k]
		if u := c.under; u != nil && u.kind == bundleLargest {
			for _, j := range u.args {
				if box[j].hi = min(box[j].hi, above(w.hi, c.off)); box[j].empty() {
					return false
				}
			}
		}
		switch c.kind {
		case isAffine:
			if !c.lin.into(w, box) {
				return false
			}
			continue
		case isProduct:
			a, b := box[c.a], box[c.b]
			if b.lo > 0 || b.hi < 0 {
				box[c.a] = a.meet(w.over(b))
			}
			if a.lo > 0 || a.hi < 0 {
				box[c.b] = b.meet(w.over(a))
			}
			if box[c.b].empty() {
				return false
			}
		default:
			box[c.a] = c.preimage(w, box[c.a])
		}
		if box[c.a].empty() {
			return false
		}
	}
	return true
}

// into tightens the columns of l so that it can be in the target.
func (l *form) into(target span, box []span) bool {
	parts := make([]span, len(l.idx))
	sum := l.constant() // of the finite ends
	down, up := 0, 0
	for k, j := range l.idx {
		p := box[j].times(l.val[k])
		parts[k] = p
		if math.IsInf(p.lo, -1) {
			down++
		} else {
			sum.lo = below(sum.lo, p.lo)
		}
		if math.IsInf(p.hi, 1) {
			up++
		} else {
			sum.hi = above(sum.hi, p.hi)
		}
	}
	if down == 0 && sum.lo > target.hi || up == 0 && sum.hi < target.lo {
		return false
	}
	for k, j := range l.idx {
		rest := whole()
		if down == 0 {
			rest.lo = below(sum.lo, -parts[k].lo)
		} else if down == 1 && math.IsInf(parts[k].lo, -1) {
			rest.lo = sum.lo
		}
		if up == 0 {
			rest.hi = above(sum.hi, -parts[k].hi)
		} else if up == 1 && math.IsInf(parts[k].hi, 1) {
			rest.hi = sum.hi
		}
		room := span{below(target.lo, -rest.hi), above(target.hi, -rest.lo)}
		if math.IsNaN(room.lo) || math.IsNaN(room.hi) || math.IsInf(room.lo, -1) && math.IsInf(room.hi, 1) {
			continue
		}
		if box[j] = box[j].meet(room.over(l.val[k])); box[j].empty() {
			return false
		}
	}
	return true
}
