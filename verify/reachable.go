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

// enclose gives variables bounds that have none in a box: by as many affine functions of them whose
// values have bounds, if their matrix is shown to have an inverse.
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
	left := mat.NewDense(n, n, nil) // rows as far as they are eliminated, by their pivots
	var pivots []int
	var rows [][]span
	var values []span
	m, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for k := range f.cols {
		c, value := &f.cols[k], box[f.n+k]
		ofVariables := !slices.ContainsFunc(c.lin.idx, func(j int) bool { return j >= f.n })
		if len(rows) == n || c.kind != isAffine || !ofVariables {
			continue
		}
		value = value.less(c.lin.constant())
		row, num, size, best := make([]span, n), make([]float64, n), 0.0, 0
		for i, j := range c.lin.idx {
			at, found := slices.BinarySearch(free, j)
			if !found {
				value = value.less(c.lin.val[i].times(box[j]))
				continue
			}
			row[at], num[at] = c.lin.val[i], c.lin.val[i].mid()
			size = max(size, math.Abs(num[at]))
		}
		for i, q := range pivots {
			v := num[q]
			for at := range num {
				num[at] -= v * left.At(i, at)
			}
		}
		for at, v := range num {
			if math.Abs(v) > math.Abs(num[best]) {
				best = at
			}
		}
		if !value.finite() || !(math.Abs(num[best]) > 1e-9*size) { // it depends on the others
			continue
		}
		for at := range num {
			left.Set(len(rows), at, num[at]/num[best])
			m.Set(len(rows), at, row[at].mid())
		}
		pivots, rows, values = append(pivots, best), append(rows, row), append(values, value)
	}
	if len(rows) < n || inverse.Inverse(m) != nil {
		return
	}
	far, off := 0.0, 0.0 // x is inverse·values + (1 − inverse·rows)·x
	for i := range n {
		x, sum := span{}, 0.0
		for q := range n {
			x = x.plus(just(inverse.At(i, q)).times(values[q]))
			d := span{}
			for k := range n {
				d = d.plus(just(inverse.At(i, k)).times(rows[k][q]))
			}
			if i == q {
				d = d.less(just(1))
			}
			sum = above(sum, d.magnitude().hi)
		}
		far, off = max(far, x.magnitude().hi), max(off, sum)
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
