package facial

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// face is a semidefinite cone with matrices V·Ȳ·Vᵀ for multipliers. With n the order and r the rank
// of the sum of all F, r rows of V, the pivots, are rows of v, and the others rows of the
// identity.
type face struct {
	cone   qpbackend.Cone
	n      int
	pivots []int
	others []int     // ascending
	place  []int     // of each of n rows, the place in others, or −1 − that in pivots
	v      []float64 // r × (n−r)
	l      []float64 // r × r, lower: that part of the sum is L·Lᵀ
}

// negligible is the share of the largest diagonal entry, for each unit of the order, up to which
// the rest of F once its pivots are eliminated is rounding. Source: derived: four unit roundoffs.
const negligible = 0x1p-50

// newFace is the face for the sum f of the F, n × n, which it overwrites; nil where that is not
// semidefinite, or definite.
func newFace(c qpbackend.Cone, f []float64, n int) *face {
	fc := &face{cone: c, n: n, place: make([]int, n)}
	top := 0.0
	for i := range n {
		top = max(top, f[i*n+i])
	}
	least := negligible * float64(n) * top
	var rows []float64 // of the factor, one of n entries for each pivot
	for {
		at := -1
		for i := range n {
			if f[i*n+i] > least && (at < 0 || f[i*n+i] > f[at*n+at]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		if fc.pivots = append(fc.pivots, at); len(fc.pivots) == n {
			return nil
		}
		pivot := slices.Clone(f[at*n:][:n])
		num.Scale(pivot, 1/math.Sqrt(pivot[at]))
		for i, e := range pivot {
			num.Axpy(f[i*n:][:n], -e, pivot)
		}
		rows = append(rows, pivot...)
		for i := range n { // in exact arithmetic it is zero
			f[at*n+i], f[i*n+at] = 0, 0
		}
	}
	if !(num.NormInf(f) <= least) || len(fc.pivots) == 0 {
		return nil
	}
	r := len(fc.pivots)
	for i := range n {
		if k := slices.Index(fc.pivots, i); k >= 0 {
			fc.place[i] = -1 - k
			continue
		}
		fc.place[i] = len(fc.others)
		fc.others = append(fc.others, i)
	}
	// The columns v of V have row·v = 0 for each row of the factor.
	w := n - r
	fc.v, fc.l = make([]float64, r*w), make([]float64, r*r)
	for k := r - 1; k >= 0; k-- {
		of, v := rows[k*n:][:n], fc.v[k*w:][:w]
		for j, o := range fc.others {
			v[j] = -of[o]
		}
		for q := k + 1; q < r; q++ {
			num.Axpy(v, -of[fc.pivots[q]], fc.v[q*w:][:w])
		}
		num.Scale(v, 1/of[fc.pivots[k]])
		for i, p := range fc.pivots {
			fc.l[i*r+k] = of[p]
		}
	}
	return fc
}

// order of Ȳ.
func (f *face) order() int { return f.n - len(f.pivots) }

// entry is one of a triangle column by column, with entries off the diagonal times √2.
type entry struct {
	row int
	v   float64
}

// restrict appends to dst the entries of VᵀFV, given the entries of F. full is room for a square of
// order(), zero before and after.
func (f *face) restrict(dst, of []entry, full []float64) []entry {
	w, dense := f.order(), false
	from := len(dst)
	for _, e := range of {
		i, j, v := pair(e)
		a, b := f.place[i], f.place[j]
		switch {
		case a >= 0 && b >= 0:
			dst = append(dst, entry{packed.Row(a, b), e.v})
			continue
		case a < 0 && b < 0: // v(pqᵀ + qpᵀ), half of that on the diagonal
			p, q := f.v[(-1-a)*w:][:w], f.v[(-1-b)*w:][:w]
			if i == j {
				v /= 2
			}
			for k, e := range p {
				num.Axpy(full[k*w:][:w], v*e, q)
			}
			for k, e := range q {
				num.Axpy(full[k*w:][:w], v*e, p)
			}
		default:
			if a < 0 {
				a, b = b, a
			}
			for k, e := range f.v[(-1-b)*w:][:w] {
				full[a*w+k] += v * e
				full[k*w+a] += v * e
			}
		}
		dense = true
	}
	if !dense {
		slices.SortFunc(dst[from:], func(x, y entry) int { return x.row - y.row })
		return dst
	}
	for _, e := range dst[from:] {
		i, j, v := pair(e)
		full[i*w+j] += v
	}
	dst = dst[:from]
	for j := range w {
		for i := range j + 1 {
			v := full[i*w+j]
			if i < j {
				v *= math.Sqrt2
			}
			if v != 0 {
				dst = append(dst, entry{packed.Row(i, j), v})
			}
			full[i*w+j], full[j*w+i] = 0, 0
		}
	}
	return dst
}

// pair is the place i ≤ j of an entry, and its value without the √2.
func pair(e entry) (i, j int, v float64) {
	i, j = packed.Entry(e.row)
	if v = e.v; i < j {
		v *= math.Sqrt2 / 2
	}
	return i, j, v
}

// expand sets the triangle dst to V·Ȳ·Vᵀ.
func (f *face) expand(dst, y []float64) {
	w, r := f.order(), len(f.pivots)
	m := make([]float64, w*w)
	for k, v := range y {
		i, j, v := pair(entry{k, v})
		m[i*w+j], m[j*w+i] = v, v
		dst[packed.Row(f.others[i], f.others[j])] = y[k]
	}
	mv := make([]float64, r*w)
	for p := range r {
		v, out := f.v[p*w:][:w], mv[p*w:][:w]
		for i := range out {
			out[i] = num.Dot(m[i*w:][:w], v)
			dst[packed.Row(f.pivots[p], f.others[i])] = math.Sqrt2 * out[i]
		}
		for q := range p {
			dst[packed.Row(f.pivots[p], f.pivots[q])] = math.Sqrt2 * num.Dot(f.v[q*w:][:w], out)
		}
		dst[packed.Row(f.pivots[p], f.pivots[p])] = num.Dot(v, out)
	}
}
