package verify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// reachable is where a bound is to hold: a box, and affine functions whose values have bounds there.
type reachable struct {
	box   []span
	free  []int // variables without bounds
	known []known
	basis *basis // of known and the rows of m
	of    *multipliers
}

// known is an affine function of the variables with values in an interval. Within a Lagrangian a row may stand for its
// equation as long as its multiplier changes by at most slack.
type known struct {
	coefs  map[int]span
	within span
	slack  float64
}

// basis is as many functions as there are free variables, which span these.
type basis struct {
	rows    [][]span // coefficients of the free variables
	within  []span   // values of these parts alone
	slack   float64
	inverse *mat.Dense // near the inverse of rows
	error   float64    // at least the norm of the difference of (rows·inverse)ᵀ and the identity, below 1
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
	for j, b := range r.box {
		if !b.finite() {
			r.free = append(r.free, j)
		}
	}
	for k := range f.cols {
		c := &f.cols[k]
		ofVariables := !slices.ContainsFunc(c.lin.idx, func(j int) bool { return j >= p.n })
		if within := box[f.n+k]; len(r.free) > 0 && c.kind == isAffine && within.finite() && ofVariables {
			coefs := map[int]span{}
			for i, j := range c.lin.idx {
				coefs[j] = c.lin.val[i]
			}
			r.known = append(r.known, known{coefs, within.less(c.lin.constant()), math.Inf(1)})
		}
	}
	return r
}

// spanned is functions that span the free variables, nil where there are none.
func (r *reachable) spanned(p *Problem, m *multipliers) *basis {
	if r.of == m || len(r.free) == 0 || len(r.free) > mostWeights {
		return r.basis
	}
	r.of, r.basis = m, nil
	all := slices.Clone(r.known)
	for i, y := range m.rows {
		row := &p.rows[i]
		if coefs, c, ok := affine(row.e); ok && y != 0 {
			slack := math.Abs(y)
			if row.lo == row.hi {
				slack = math.Inf(1)
			}
			all = append(all, known{coefs, just(row.sideOf(y)).less(c), slack})
		}
	}
	n := len(r.free)
	b := &basis{slack: math.Inf(1)}
	left := mat.NewDense(n, n, nil) // rows as far as they are eliminated, by their pivots
	var pivots []int
	for _, k := range all {
		row, num, within := make([]span, n), make([]float64, n), k.within
		size := 0.0
		for j, v := range k.coefs {
			if at := slices.Index(r.free, j); at >= 0 {
				row[at], num[at] = v, v.mid()
				size = max(size, math.Abs(v.mid()))
			} else {
				within = within.less(v.times(r.box[j]))
			}
		}
		best := 0
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
		pivots, b.slack = append(pivots, best), min(b.slack, k.slack)
		b.rows, b.within = append(b.rows, row), append(b.within, within)
	}
	if len(pivots) == n && b.invert() {
		r.basis = b
	}
	return r.basis
}

// invert reports whether the rows are shown to be independent.
func (b *basis) invert() bool {
	n := len(b.rows)
	m, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, row := range b.rows {
		for q, v := range row {
			m.Set(i, q, v.mid())
		}
	}
	if inverse.Inverse(m) != nil {
		return false
	}
	for q := range n { // columns of rows·inverse − 1: sums of magnitudes
		sum := 0.0
		for i := range n {
			d := span{}
			for k := range n {
				d = d.plus(b.rows[i][k].times(just(inverse.At(k, q))))
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

// least bounds slope·z from below over the region. Where variables have no bounds, a part of the quadratic form does,
// curvature·(z − x)²; or the slope is a combination of the functions of a basis.
func (r *reachable) least(slope []span, x []float64, curvature float64, b *basis) (lower float64) {
	for j, s := range slope {
		switch box := r.box[j]; {
		case box.finite() || curvature == 0 && b == nil:
			lower = below(lower, s.times(box).lo)
		case curvature > 0: // s·z + c·(z − x)² is at least s·x − s²/(4c)
			m := s.magnitude()
			lower = below(lower, s.times(just(x[j])).less(m.times(m).over(just(4*curvature))).lo)
		default:
			lower = below(lower, s.times(just(x[j])).lo)
		}
	}
	if curvature > 0 || b == nil {
		return lower
	}
	// s is rowsᵀ·w, and w is inverseᵀ·s + E·w with E = 1 − (rows·inverse)ᵀ
	w, far := 0.0, 0.0
	for i, row := range b.rows {
		v, at := span{}, span{}
		for q, j := range r.free {
			v = v.plus(just(b.inverse.At(q, i)).times(slope[j]))
			at = at.plus(row[q].times(just(x[j])))
		}
		w, far = max(w, v.magnitude().hi), above(far, b.within[i].less(at).magnitude().hi)
	}
	if w = just(w).over(just(1).less(just(b.error))).hi; w > b.slack {
		return math.Inf(-1)
	}
	return below(lower, -aboveProduct(w, far))
}
