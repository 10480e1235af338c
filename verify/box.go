package verify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

func (l *form) over(box []safe.Span) safe.Span {
	out := l.constant()
	for k, j := range l.idx {
		out = out.Plus(box[j].Times(l.val[k]))
	}
	return out
}

// narrow tightens a box by the functions, the rows and a cost of at most cutoff: in at most rounds
// rounds, or until one takes less than least from the breadth of a column. It reports false where
// nothing is left.
func (f *flat) narrow(box []safe.Span, cutoff float64, rounds int, least float64) bool {
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
		if !math.IsInf(cutoff, 1) && !f.cost.into(safe.Span{Lo: math.Inf(-1), Hi: cutoff}, box) {
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
func breadth(box []safe.Span) float64 {
	s := 0.0
	for _, b := range box {
		switch w := b.Hi - b.Lo; {
		case math.IsInf(b.Lo, -1) && math.IsInf(b.Hi, 1):
			s += 200
		case math.IsInf(w, 1):
			s += 100
		case w > 0:
			s += min(90, max(0, 40+math.Log2(w)))
		}
	}
	return s
}

func (f *flat) forward(box []safe.Span) bool {
	for k := range f.cols {
		c, j := &f.cols[k], f.n+k
		if box[c.a] = box[c.a].Meet(c.of.Domain()); box[c.a].Empty() {
			return false
		}
		if box[j] = box[j].Meet(c.over(box)); box[j].Empty() {
			return false
		}
	}
	return !slices.ContainsFunc(box[:f.n], safe.Span.Empty)
}

// over is the range of a column over a box.
func (c *column) over(box []safe.Span) safe.Span {
	switch {
	case c.of.Kind == safe.Affine && c.under != nil && c.under.kind == safe.Largest:
		a := safe.Span{Lo: math.Inf(-1), Hi: math.Inf(-1)}
		for _, j := range c.under.args {
			a = safe.Span{Lo: max(a.Lo, box[j].Lo), Hi: max(a.Hi, box[j].Hi)}
		}
		return c.lin.over(box).Meet(a.Plus(safe.Span{Lo: -c.off, Hi: c.off}))
	case c.of.Kind == safe.Affine:
		return c.lin.over(box)
	case c.of.Kind == safe.Product:
		return box[c.a].Times(box[c.b])
	}
	return c.of.Image(box[c.a])
}

func (f *flat) backward(box []safe.Span) bool {
	for k := len(f.cols) - 1; k >= 0; k-- {
		c, w := &f.cols[k], box[f.n+k]
		if u := c.under; u != nil && u.kind == safe.Largest {
			for _, j := range u.args {
				if box[j].Hi = min(box[j].Hi, safe.Above(w.Hi, c.off)); box[j].Empty() {
					return false
				}
			}
		}
		switch c.of.Kind {
		case safe.Affine:
			if !c.lin.into(w, box) {
				return false
			}
			continue
		case safe.Product:
			a, b := box[c.a], box[c.b]
			if b.Lo > 0 || b.Hi < 0 {
				box[c.a] = a.Meet(w.Over(b))
			}
			if a.Lo > 0 || a.Hi < 0 {
				box[c.b] = b.Meet(w.Over(a))
			}
			if box[c.b].Empty() {
				return false
			}
		default:
			box[c.a] = c.of.Preimage(w, box[c.a])
		}
		if box[c.a].Empty() {
			return false
		}
	}
	return true
}

// into tightens the columns of l so that it can be in the target.
func (l *form) into(target safe.Span, box []safe.Span) bool {
	parts := make([]safe.Span, len(l.idx))
	sum := l.constant() // of the finite ends
	down, up := 0, 0
	for k, j := range l.idx {
		p := box[j].Times(l.val[k])
		parts[k] = p
		if math.IsInf(p.Lo, -1) {
			down++
		} else {
			sum.Lo = safe.Below(sum.Lo, p.Lo)
		}
		if math.IsInf(p.Hi, 1) {
			up++
		} else {
			sum.Hi = safe.Above(sum.Hi, p.Hi)
		}
	}
	if down == 0 && sum.Lo > target.Hi || up == 0 && sum.Hi < target.Lo {
		return false
	}
	for k, j := range l.idx {
		rest := safe.Whole()
		if down == 0 {
			rest.Lo = safe.Below(sum.Lo, -parts[k].Lo)
		} else if down == 1 && math.IsInf(parts[k].Lo, -1) {
			rest.Lo = sum.Lo
		}
		if up == 0 {
			rest.Hi = safe.Above(sum.Hi, -parts[k].Hi)
		} else if up == 1 && math.IsInf(parts[k].Hi, 1) {
			rest.Hi = sum.Hi
		}
		room := safe.Span{Lo: safe.Below(target.Lo, -rest.Hi), Hi: safe.Above(target.Hi, -rest.Lo)}
		if math.IsNaN(room.Lo) || math.IsNaN(room.Hi) || math.IsInf(room.Lo, -1) && math.IsInf(room.Hi, 1) {
			continue
		}
		if box[j] = box[j].Meet(room.Over(l.val[k])); box[j].Empty() {
			return false
		}
	}
	return true
}

// enclose gives variables bounds that have none in a box: by affine functions of them whose values
// have bounds, if their matrix is shown to have an inverse. Any number may stand for the inverse.
func (f *flat) enclose(box []safe.Span) {
	free := []int{}
	for j := range f.n {
		if !box[j].Finite() {
			free = append(free, j)
		}
	}
	n := len(free)
	if n == 0 || n > mostWeights {
		return
	}
	var rows [][]safe.Span
	var values []safe.Span
	for k := range f.cols {
		c := &f.cols[k]
		row, value := make([]safe.Span, n), box[f.n+k].Less(c.lin.constant())
		for i, j := range c.lin.idx {
			if at, found := slices.BinarySearch(free, j); found {
				row[at] = c.lin.val[i]
			} else {
				value = value.Less(c.lin.val[i].Times(box[j]))
			}
		}
		if c.of.Kind == safe.Affine && value.Finite() && len(rows) < mostWeights {
			rows, values = append(rows, row), append(values, value)
		}
	}
	if n > len(rows) {
		return
	}
	m, weights := mat.NewDense(len(rows), n, nil), mat.NewDense(len(rows), len(rows), nil)
	for k, row := range rows {
		w := 1 / max(values[k].Magnitude().Hi, 1e-300)
		weights.Set(k, k, w)
		for i, v := range row {
			m.Set(k, i, w*v.Mid())
		}
	}
	var inverse mat.Dense
	if inverse.Solve(m, weights) != nil {
		return
	}
	far, off := 0.0, 0.0 // x is inverse·values + (1 − inverse·rows)·x
	for i := range n {
		x, rest := safe.Span{}, make([]safe.Span, n)
		rest[i] = safe.Just(1)
		for k, row := range rows {
			w := safe.Just(inverse.At(i, k))
			x = x.Plus(w.Times(values[k]))
			for q, v := range row {
				rest[q] = rest[q].Less(w.Times(v))
			}
		}
		sum := safe.Span{}
		for _, v := range rest {
			sum = sum.Plus(v.Magnitude())
		}
		far, off = max(far, x.Magnitude().Hi), max(off, sum.Hi)
	}
	if off < 1 {
		far = safe.Just(far).Over(safe.Just(1).Less(safe.Just(off))).Hi
		for _, j := range free {
			box[j] = box[j].Meet(safe.Span{Lo: -far, Hi: far})
		}
	}
}
