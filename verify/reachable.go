package verify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// reachable is where a bound is to hold: a box, and affine functions whose values have bounds there.
type reachable struct {
	box   []span
	known []known
	basis *basis // the last one
}

// known is an affine function of the variables with values in an interval. Within a Lagrangian a row may stand for its
// equation as long as its multiplier changes by at most slack.
type known struct {
	coefs  map[int]span
	within span
	slack  float64
}

// basis is as many functions as there are variables in free, with a matrix of their coefficients that has an inverse.
type basis struct {
	of      *multipliers
	free    []int
	rows    []known    // nil: there are none
	inverse *mat.Dense // near the inverse of the matrix
	error   float64    // at least the norm of the difference of (matrix·inverse)ᵀ and the identity, below 1
}

// reach is where points with a cost of at most a number lie: the bounds of the variables, as rows and objective narrow them.
func (p *Problem) reach(cost float64) *reachable {
	f, err := flatten(p, p.bounds())
	if err != nil {
		return &reachable{box: p.bounds()}
	}
	box := slices.Clone(f.box)
	if !f.narrow(box, cost, firstRounds, progress) {
		return &reachable{box: p.bounds()} // up to rounding errors there are none
	}
	r := &reachable{box: box[:p.n:p.n]}
	if !slices.ContainsFunc(r.box, func(b span) bool { return !b.finite() }) {
		return r
	}
	for k := range f.cols {
		c := &f.cols[k]
		ofVariables := !slices.ContainsFunc(c.lin.idx, func(j int) bool { return j >= p.n })
		if within := box[f.n+k]; c.kind == isAffine && within.finite() && ofVariables {
			coefs := map[int]span{}
			for i, j := range c.lin.idx {
				coefs[j] = c.lin.val[i]
			}
			r.known = append(r.known, known{coefs, within.less(c.lin.constant()), math.Inf(1)})
		}
	}
	return r
}

// spanned is functions that span some variables: known ones, and rows with a multiplier.
func (r *reachable) spanned(p *Problem, m *multipliers, free []int) *basis {
	if b := r.basis; b != nil && b.of == m && slices.Equal(b.free, free) {
		return b
	}
	r.basis = &basis{of: m, free: free}
	n := len(free)
	if n > mostWeights {
		return r.basis
	}
	all := slices.Clone(r.known)
	for i, y := range m.rows {
		row := &p.rows[i]
		if coefs, c, ok := affine(row.e); ok && y != 0 {
			slack := math.Abs(y)
			if row.lo == row.hi {
				slack = math.Inf(1)
			}
			all = append(all, known{coefs, just(span{row.lo, row.hi}.endOf(y)).less(c), slack})
		}
	}
	left := mat.NewDense(n, n, nil) // rows as far as they are eliminated, by their pivots
	var pivots []int
	var rows []known
	for _, k := range all {
		num, size, best := make([]float64, n), 0.0, 0
		for at, j := range free {
			num[at] = k.coefs[j].mid()
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
		pivot := num[best]
		if len(pivots) == n || !(math.Abs(pivot) > 1e-9*size) { // it depends on the others
			continue
		}
		for at := range num {
			left.Set(len(pivots), at, num[at]/pivot)
		}
		pivots, rows = append(pivots, best), append(rows, k)
	}
	if len(rows) == n && r.basis.invert(rows) {
		r.basis.rows = rows
	}
	return r.basis
}

// invert reports whether the rows are shown to be independent.
func (b *basis) invert(rows []known) bool {
	n := len(rows)
	m, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, row := range rows {
		for q, j := range b.free {
			m.Set(i, q, row.coefs[j].mid())
		}
	}
	if inverse.Inverse(m) != nil {
		return false
	}
	for q := range n { // columns of matrix·inverse − 1: sums of magnitudes
		sum := 0.0
		for i := range n {
			d := span{}
			for k, j := range b.free {
				d = d.plus(rows[i].coefs[j].times(just(inverse.At(k, q))))
			}
			if i == q {
				d = d.less(just(1))
			}
			sum = above(sum, d.magnitude().hi)
		}
		b.error = max(b.error, sum)
	}
	b.inverse = inverse
	return b.error < 1
}

// weights bounds the numbers w for which a slope is Σ w·row in the variables of the basis; +Inf: there are none.
func (b *basis) weights(slope []span) float64 {
	if b.rows == nil {
		return math.Inf(1)
	}
	w := 0.0 // w is inverseᵀ·s + E·w with E = 1 − (matrix·inverse)ᵀ
	for i := range b.rows {
		v := span{}
		for q, j := range b.free {
			v = v.plus(just(b.inverse.At(q, i)).times(slope[j]))
		}
		w = max(w, v.magnitude().hi)
	}
	w = just(w).over(just(1).less(just(b.error))).hi
	for _, k := range b.rows {
		if w > k.slack {
			return math.Inf(1)
		}
	}
	return w
}

// least bounds slope·z from below over the region. A variable without the bound that it needs may have a part of the quadratic
// form, curvature·(z − x)²; the slopes of others are a combination Σ w·row of rows whose values are known, which
// changes the slopes of the rest.
func (r *reachable) least(p *Problem, m *multipliers, slope []span, x, curvature []float64) (lower float64) {
	var free []int
	for j, s := range slope {
		if math.IsInf(s.times(r.box[j]).lo, -1) && curvature[j] == 0 {
			free = append(free, j)
		}
	}
	changes, w := map[int]float64{}, 0.0
	if len(free) > 0 {
		b := r.spanned(p, m, free)
		if w = b.weights(slope); math.IsInf(w, 1) {
			return math.Inf(-1)
		}
		for _, k := range b.rows {
			off := k.within
			for j, v := range k.coefs {
				off = off.less(v.times(just(x[j])))
				changes[j] = above(changes[j], aboveProduct(w, v.magnitude().hi))
			}
			lower = below(lower, -aboveProduct(w, off.magnitude().hi))
		}
	}
	for j, s := range slope {
		if slices.Contains(free, j) {
			lower = below(lower, s.times(just(x[j])).lo)
			continue
		}
		at := r.box[j].times(s).lo
		if c := changes[j]; c > 0 || math.IsInf(at, -1) {
			t := s.plus(span{-c, c})
			at = t.times(r.box[j].less(just(x[j]))).lo
			if math.IsInf(at, -1) && curvature[j] > 0 { // t·d + c·d² is at least −t²/(4c)
				at = t.magnitude().times(t.magnitude()).over(just(-4 * curvature[j])).lo
			}
			at = below(at, s.times(just(x[j])).lo)
		}
		lower = below(lower, at)
	}
	return lower
}
