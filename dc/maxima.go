package dc

import "math"

// Maximum is Weight times the largest of Pieces, Weight > 0.
type Maximum struct {
	Weight float64
	Pieces []Linear
}

// mostChoices bounds the pieces that one function may be written out as.
const mostChoices = 64

// SumOfMaxima writes a polyhedral function as lin plus a sum of maxima of few
// affine functions. ok is false where it is something else, or a maximum of
// more than 64.
func SumOfMaxima(f Convex) (lin Linear, terms []Maximum, ok bool) {
	switch f := f.(type) {
	case Linear:
		return f, nil, true
	case *sum:
		lin = f.lin
		for _, t := range f.terms {
			l, ts, ok := SumOfMaxima(t.f)
			if !ok {
				return Linear{}, nil, false
			}
			lin = lin.AddScaled(t.w, l)
			for _, m := range ts {
				terms = append(terms, Maximum{t.w * m.Weight, m.Pieces})
			}
		}
		return lin, terms, true
	case *family:
		e := sumExprs(f.members())
		return SumOfMaxima(e.G())
	case *norm1:
		for k := range f.a.c {
			l := f.a.Entry(k)
			terms = append(terms, Maximum{1, []Linear{l, l.Scale(-1)}})
		}
		return Linear{}, terms, true
	case *sumLargest:
		pieces := choose(f.a, f.k)
		return Linear{}, []Maximum{{1, pieces}}, pieces != nil
	case Polyhedral:
		pieces := f.Pieces()
		return Linear{}, []Maximum{{1, pieces}}, len(pieces) > 0 && len(pieces) <= mostChoices
	}
	return Linear{}, nil, false
}

// ActivePiece is the affine function that f has its value and subgradient from at
// x, its number among those of f, and that value. ok is false where f is no
// maximum of affine functions.
func ActivePiece(f Convex, x []float64) (l Linear, number int, value float64, ok bool) {
	m, ok := f.(*maxOf)
	if !ok || len(m.pieces) == 0 {
		return Linear{}, 0, 0, false
	}
	for _, s := range m.items {
		if len(s.terms) > 0 {
			return Linear{}, 0, 0, false
		}
	}
	value = math.Inf(-1)
	for k := range m.pieces { // as argmax
		if v := m.pieces[k].Value(x); v > value || math.IsNaN(v) {
			number, value = k, v
		}
	}
	return m.pieces[number], number, value, true
}

// choose are the sums of k entries of a, nil where there are too many.
func choose(a Affine, k int) []Linear {
	count := 1
	for i := range k {
		if count = count * (a.Len() - i) / (i + 1); count > mostChoices {
			return nil
		}
	}
	var out []Linear
	var add func(from, left int, s Linear)
	add = func(from, left int, s Linear) {
		if left == 0 {
			out = append(out, s)
			return
		}
		for i := from; i <= a.Len()-left; i++ {
			add(i+1, left-1, s.AddScaled(1, a.Entry(i)))
		}
	}
	add(0, k, Linear{})
	return out
}
