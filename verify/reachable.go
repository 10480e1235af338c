package verify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// reach is a box that has all points with a cost of at most a number: the bounds of the variables,
// as rows and objective narrow them.
func (p *Problem) reach(cost float64) []span {
	f, err := flatten(p, p.bounds())
	if err != nil {
		return p.bounds()
	}
	box := slices.Clone(f.box)
	if !f.narrow(box, cost, firstRounds, progress) {
		return p.bounds() // there are no such points, up to rounding errors
	}
	f.enclose(box)
	return box[:p.n:p.n]
}

// enclose gives variables bounds that have none in a box: by affine functions of them whose values
// have bounds, if their matrix is shown to have an inverse. Any number may stand for the inverse.
func (f *flat) enclose(box []span) {
	free := []int{}
	for j := range f.n {
		if !box[j].finite() {
			free = append(free, j)
		}
	}
	n := len(free)
	if n == 0 || n > mostWeights {
		return
	}
	var rows [][]span
	var values []span
	for k := range f.cols {
		c := &f.cols[k]
		row, value := make([]span, n), box[f.n+k].less(c.lin.constant())
		for i, j := range c.lin.idx {
			if at, found := slices.BinarySearch(free, j); found {
				row[at] = c.lin.val[i]
			} else {
				value = value.less(c.lin.val[i].times(box[j]))
			}
		}
		if c.kind == isAffine && value.finite() && len(rows) < mostWeights {
			rows, values = append(rows, row), append(values, value)
		}
	}
	if n > len(rows) {
		return
	}
	m, weights := mat.NewDense(len(rows), n, nil), mat.NewDense(len(rows), len(rows), nil)
	for k, row := range rows {
		w := 1 / max(values[k].magnitude().hi, 1e-300)
		weights.Set(k, k, w)
		for i, v := range row {
			m.Set(k, i, w*v.mid())
		}
	}
	var inverse mat.Dense
	if inverse.Solve(m, weights) != nil {
		return
	}
	far, off := 0.0, 0.0 // x is inverse·values + (1 − inverse·rows)·x
	for i := range n {
		x, rest := span{}, make([]span, n)
		rest[i] = just(1)
		for k, row := range rows {
			w := just(inverse.At(i, k))
			x = x.plus(w.times(values[k]))
			for q, v := range row {
				rest[q] = rest[q].less(w.times(v))
			}
		}
		sum := span{}
		for _, v := range rest {
			sum = sum.plus(v.magnitude())
		}
		far, off = max(far, x.magnitude().hi), max(off, sum.hi)
	}
	if off < 1 {
		far = just(far).over(just(1).less(just(off))).hi
		for _, j := range free {
			box[j] = box[j].meet(span{-far, far})
		}
	}
}

// least bounds slope·z from below over a box. A variable without the bound that it needs may have a
// part of the quadratic form, curvature·(z − x)².
func least(box, slope []span, x, curvature []float64) (lower float64) {
	for j, s := range slope {
		at := box[j].times(s).lo
		if c := curvature[j]; math.IsInf(at, -1) && c > 0 { // s·d + c·d² is at least −s²/(4c)
			r := s.magnitude()
			at = below(s.times(just(x[j])).lo, r.times(r).over(just(-4*c)).lo)
		}
		lower = below(lower, at)
	}
	return lower
}
