package dc

import (
	"errors"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
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
		if a.arr.IsNumber() && b.arr.IsNumber() {
			return number(sumExprs([]scalar{a.scalar(0), b.scalar(0).Scale(w)}))
		}
		if a.arr.fs == nil && b.arr.fs == nil {
			if out, ok := sumOfColumns(a, w, b); ok {
				return out
			}
		}
		return pairwise(what, a, b, func(u, v scalar) scalar { return sumExprs([]scalar{u, v.Scale(w)}) })
	}
	a.arr.Zero()
	b.arr.Zero()
	if len(a.arr.Shape) == 0 && len(b.arr.Shape) > 0 {
		return b.Scale(w).combine(what, 1, a)
	}
	if of := a.arr.Of.Join(b.arr.Of); of != nil && of.Wrong != nil { // equal coefficients of two models would cancel
		return wrong(of.Wrong)
	}
	return affineExpr(a.arr.AddScaled(w, &b.arr.Array))
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
	return affineExpr(a.arr.Array.Scale(w))
}

// ScaleEach multiplies entry k, in row-major order, by w[k], and keeps the shape. The
// result has an error unless len(w) = Len.
func (a Expr) ScaleEach(w []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(w) != a.Len() {
		return failed("%d factors for the %d entries of shape %v", len(w), a.Len(), a.arr.Shape)
	}
	if a.bent() {
		k := -1
		return a.each(func(e scalar) scalar { k++; return e.Scale(w[k]) })
	}
	out := convex.Array{Shape: a.arr.Shape, Ptr: make([]int, 1, len(a.arr.C)+1), C: make([]float64, 0, len(a.arr.C))}
	for k := range a.arr.C {
		out.Push(a.Linear(k).Scale(w[k]))
	}
	return affineExpr(out)
}

// pairwise is f of the entries of two arrays that meet; the word names it in messages.
func pairwise(word string, a, b Expr, f func(a, b scalar) scalar) Expr {
	a, b, err := meet(word, a, b)
	if err != nil {
		return wrong(err)
	}
	shape := a.arr.Shape
	if a.arr.IsNumber() {
		shape = b.arr.Shape
	}
	out := make([]scalar, convex.Size(shape))
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
	case a.arr.IsNumber(), b.arr.IsNumber(), slices.Equal(a.arr.Shape, b.arr.Shape):
		return a, b, nil
	case suffix(a.arr.Shape, b.arr.Shape):
		return a, b.repeated(a.arr.Shape), nil
	case suffix(b.arr.Shape, a.arr.Shape):
		return a.repeated(b.arr.Shape), b, nil
	}
	return a, b, failed("%s of shapes %v and %v", word, a.arr.Shape, b.arr.Shape).err
}

// repeated is a along the first dimensions of a shape of which it has the last ones.
func (a Expr) repeated(shape []int) Expr {
	flat := make([]int, convex.Size(shape))
	for k := range flat {
		flat[k] = k % a.Len()
	}
	return a.Select(shape, flat)
}
