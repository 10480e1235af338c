package verify

import "math"

func (l *form) over(box []span) span {
	out := l.constant()
	for k, j := range l.idx {
		out = out.plus(box[j].times(l.val[k]))
	}
	return out
}

// narrow tightens a box by the functions, the rows and a cost of at most cutoff. It
// reports false where nothing is left.
func (f *flat) narrow(box []span, cutoff float64, rounds int) bool {
	for range rounds {
		before := breadth(box)
		if !f.forward(box) {
			return false
		}
		for i := range f.rows {
			if r := &f.rows[i]; !r.lin.into(span{r.lo, r.hi}, box) {
				return false
			}
		}
		if !math.IsInf(cutoff, 1) && !f.cost.into(span{math.Inf(-1), cutoff}, box) {
			return false
		}
		if !f.backward(box) {
			return false
		}
		if breadth(box) > before-1e-6*float64(len(box)) {
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
		var v span
		switch c.kind {
		case isAffine:
			v = c.lin.over(box)
		case isProduct:
			v = box[c.a].times(box[c.b])
		default:
			if box[c.a] = box[c.a].meet(c.domain()); box[c.a].empty() {
				return false
			}
			v = c.image(box[c.a])
		}
		if u := c.under; u != nil && u.kind == bundleLargest {
			v = v.meet(u.largest(box, c.off))
		}
		if box[j] = box[j].meet(v); box[j].empty() {
			return false
		}
	}
	for _, b := range box[:f.n] {
		if b.empty() {
			return false
		}
	}
	return true
}

// largest is the range of a maximum that is off by at most off.
func (u *bundle) largest(box []span, off float64) span {
	a := span{math.Inf(-1), math.Inf(-1)}
	for _, j := range u.args {
		a = span{max(a.lo, box[j].lo), max(a.hi, box[j].hi)}
	}
	return a.plus(span{-off, off})
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
