package dc

import (
	"errors"
	"math"
	"slices"
)

// Add returns a + b + ..., entry by entry. Many terms are added in pairs, so that n of them cost n
// log n.
func (a Expr) Add(bs ...Expr) Expr {
	if len(bs) == 1 {
		return a.combine("sum", 1, bs[0])
	}
	for all := append([]Expr{a}, bs...); ; {
		if len(all) == 1 {
			return all[0]
		}
		half := all[:0]
		for k := 0; k < len(all); k += 2 {
			if k+1 < len(all) {
				half = append(half, all[k].combine("sum", 1, all[k+1]))
			} else {
				half = append(half, all[k])
			}
		}
		all = half
	}
}

// Sub returns a − b, entry by entry.
func (a Expr) Sub(b Expr) Expr { return a.combine("difference", -1, b) }

// Shift returns a + v, a number added to every entry.
func (a Expr) Shift(v float64) Expr { return a.Add(Num(v)) }

func (a Expr) combine(what string, w float64, b Expr) Expr {
	a, b, err := meet(what, a, b)
	if err != nil {
		return wrong(err)
	}
	if a.bent() || b.bent() {
		if a.isNumber() && b.isNumber() {
			return sumExprs([]scalar{a.scalar(0), b.scalar(0).Scale(w)}).array()
		}
		if a.fs == nil && b.fs == nil {
			if out, ok := sumOfColumns(a, w, b); ok {
				return out
			}
		}
		return pairwise(what, a, b, func(u, v scalar) scalar { return sumExprs([]scalar{u, v.Scale(w)}) })
	}
	a.zero()
	b.zero()
	if len(a.shape) == 0 && len(b.shape) > 0 {
		return b.Scale(w).combine(what, 1, a)
	}
	other := func(k int) int { return min(k, len(b.c)-1) } // b may be a number
	out := Expr{shape: a.shape, c: make([]float64, 0, len(a.c)), of: a.of.join(b.of)}
	if out.of != nil && out.of.wrong != nil { // equal coefficients of two models would cancel
		return wrong(out.of.wrong)
	}
	for k, v := range a.c {
		r := Linear{Const: b.c[other(k)], lost: b.lost}
		out.lost = max(out.lost, Linear{Const: v, lost: a.lost}.cancelled(w, r))
	}
	if b.IsConst() { // a has all coefficients
		out.ptr, out.idx, out.val = a.ptr, a.idx, a.val
		for k, v := range a.c {
			out.c = append(out.c, v+w*b.c[other(k)])
		}
		return out
	}
	room := len(a.idx) + len(b.idx)
	if b.isNumber() {
		room = len(a.idx) + len(b.idx)*len(a.c)
	}
	out.ptr, out.idx, out.val = make([]int, 1, len(a.c)+1), make([]int, 0, room), make([]float64, 0, room)
	for k := range a.c {
		l, r := a.Linear(k), b.Linear(other(k))
		out.idx, out.val = appendScaled(out.idx, out.val, l, w, r)
		out.ptr, out.c = append(out.ptr, len(out.idx)), append(out.c, l.Const+w*r.Const)
	}
	return out
}

// Neg returns −a, of the shape of a.
func (a Expr) Neg() Expr { return a.Scale(-1) }

// Scale returns w·a, of the shape of a, for a w of any sign.
func (a Expr) Scale(w float64) Expr {
	switch err := a.Err(); {
	case err != nil:
		return wrong(err)
	case w == 1:
		return a
	}
	switch {
	case a.g != nil && w != 0:
		return a.scaleColumns(w)
	case a.bent():
		return a.each(func(e scalar) scalar { return e.Scale(w) })
	}
	out := a
	out.val, out.c = make([]float64, len(a.val)), make([]float64, len(a.c))
	for k, v := range a.val {
		out.val[k] = w * v
	}
	for k, v := range a.c {
		out.c[k] = w * v
	}
	if out.lost *= math.Abs(w); w == 0 {
		out.ptr, out.idx, out.val = nil, nil, nil
	}
	return out
}

// ScaleEach multiplies entry k, in row-major order, by w[k], and keeps the shape. The
// result has an error unless len(w) = Len.
func (a Expr) ScaleEach(w []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(w) != a.Len() {
		return failed("%d factors for the %d entries of shape %v", len(w), a.Len(), a.shape)
	}
	if a.bent() {
		k := -1
		return a.each(func(e scalar) scalar { k++; return e.Scale(w[k]) })
	}
	out := Expr{shape: a.shape, ptr: make([]int, 1, len(a.c)+1), c: make([]float64, 0, len(a.c))}
	for k := range a.c {
		out.push(a.Linear(k).Scale(w[k]))
	}
	return out
}

// pairwise is f of the entries of two arrays that meet; the word names it in messages.
func pairwise(word string, a, b Expr, f func(a, b scalar) scalar) Expr {
	a, b, err := meet(word, a, b)
	if err != nil {
		return wrong(err)
	}
	shape := a.shape
	if a.isNumber() {
		shape = b.shape
	}
	out := make([]scalar, size(shape))
	for k := range out {
		out[k] = f(a.scalar(min(k, a.Len()-1)), b.scalar(min(k, b.Len()-1)))
	}
	return arrayOf(shape, out)
}

// meet are two arrays of one shape, or one of them a number. An array with the last dimensions of
// the other one is repeated along its first ones.
func meet(word string, a, b Expr) (x, y Expr, err error) {
	suffix := func(of, shape []int) bool {
		return len(shape) < len(of) && slices.Equal(shape, of[len(of)-len(shape):])
	}
	switch err := errors.Join(a.Err(), b.Err()); {
	case err != nil:
		return a, b, err
	case a.isNumber(), b.isNumber(), slices.Equal(a.shape, b.shape):
		return a, b, nil
	case suffix(a.shape, b.shape):
		return a, b.repeated(a.shape), nil
	case suffix(b.shape, a.shape):
		return a.repeated(b.shape), b, nil
	}
	return a, b, failed("%s of shapes %v and %v", word, a.shape, b.shape).err
}

// repeated is a along the first dimensions of a shape of which it has the last ones.
func (a Expr) repeated(shape []int) Expr {
	flat := make([]int, size(shape))
	for k := range flat {
		flat[k] = k % a.Len()
	}
	return a.Select(shape, flat)
}
