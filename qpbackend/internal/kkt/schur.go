package kkt

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
)

// factorise computes the factors of the matrix with the given diagonal and the
// other values that have gone through load. The rules are the same as in ldl.Factor.
func (f *arrowhead) factorise(ctx context.Context, diag []float64, reg ldl.Regularisation,
	_ []float64) (replaced int, err error) {
	f.reg, f.replaced = reg, 0
	if !f.pairs.invert(diag, reg.Eps) {
		f.fill(diag)
	}
	clear(f.schur.s)
	if !f.schur.halved {
		f.addCorner(diag)
	}
	work := poll.New(ctx)
	f.room.product.Within(ctx)
	bad, d, err := f.eliminate(&work)
	if bad < 0 && err == nil {
		if f.schur.halved {
			f.restore()
			f.addCorner(diag)
		}
		bad, d, err = f.factorSchur(&work)
	}
	if f.room.product.Ends(0) {
		err = ctx.Err()
	}
	if err != nil {
		return f.replaced, err
	}
	if bad >= 0 {
		return f.replaced, fmt.Errorf("kkt: the pivot of row %d of the matrix is %g", bad, d)
	}
	return f.replaced, nil
}

// fill sets T, with the given diagonal.
func (f *arrowhead) fill(diag []float64) {
	copy(f.comp.t, f.comp.off)
	for c := range len(f.form.compPtr) - 1 {
		nodes, t := f.form.nodes[f.form.compPtr[c]:f.form.compPtr[c+1]], f.comp.t[f.comp.tPtr[c]:]
		for k, i := range nodes {
			t[k*(len(nodes)+1)] = diag[i]
		}
	}
}

// addCorner adds C to the Schur complement.
func (f *arrowhead) addCorner(diag []float64) {
	for i := range f.around {
		f.schur.s[f.around[i].dst] += f.around[i].val
	}
	for t, i := range f.form.border {
		f.schur.s[t*(len(f.form.border)+1)] += diag[i]
	}
}

// pivot is d, replaced if the regularisation says so, and whether it can be
// divided by.
func (f *arrowhead) pivot(node int32, d float64) (float64, bool) {
	if f.reg.Delta > 0 && math.Abs(d) <= math.MaxFloat64 {
		if s := float64(f.sign[node]); s*d <= f.reg.Eps {
			d = s * f.reg.Delta
			f.replaced++
		}
	}
	return d, d != 0 && math.Abs(d) <= math.MaxFloat64
}

// eliminate factors the components and subtracts their BᵀT⁻¹B from the Schur
// complement.
// It returns the node whose pivot failed, or −1.
func (f *arrowhead) eliminate(work *poll.Poll) (bad int32, d float64, err error) {
	for k := range len(f.room.chunks) - 1 {
		lo, hi := f.room.chunks[k], f.room.chunks[k+1]
		if f.pairs.inverted {
			f.pairs.corners(f.room.m, lo, hi)
		} else if bad, d := f.factorComponents(lo, hi); bad >= 0 {
			return bad, d, nil
		}
		for a := range f.blocks {
			for b := range f.blocks[:a+1] {
				f.updateSchur(&f.blocks[b], &f.blocks[a], lo, hi)
				vectors := int(f.blocks[a].ptr[hi] - f.blocks[a].ptr[lo])
				if err := work.Err(vectors * f.blocks[a].width * f.blocks[b].width); err != nil {
					return -1, 0, err
				}
			}
		}
	}
	return -1, 0, nil
}

// factorComponents factors the components lo ≤ c < hi and sets f.room.m.
func (f *arrowhead) factorComponents(lo, hi int32) (bad int32, d float64) {
	for c := lo; c < hi; c++ {
		if bad, d := f.factorComponent(c); bad >= 0 {
			return bad, d
		}
		f.componentInverse(c)
	}
	return -1, 0
}

// factorComponent computes T = L D Lᵀ, the largest pivot first: a row that is
// nearly an equation has one close to zero.
func (f *arrowhead) factorComponent(c int32) (bad int32, failed float64) {
	nodes := f.form.nodes[f.form.compPtr[c]:f.form.compPtr[c+1]]
	n := len(nodes)
	t := f.comp.t[f.comp.tPtr[c]:f.comp.tPtr[c+1]]
	order, d := f.comp.order[f.form.compPtr[c]:][:n], f.comp.d[f.form.compPtr[c]:][:n]
	rank, column := f.comp.rank[f.form.compPtr[c]:][:n], f.room.part[:n]
	for i := range order {
		order[i] = int32(i)
	}
	for k := range n {
		top := k
		for i := k + 1; i < n; i++ {
			if math.Abs(t[i*n+i]) > math.Abs(t[top*n+top]) {
				top = i
			}
		}
		if top != k {
			swap(t, n, k, top)
			order[k], order[top] = order[top], order[k]
		}
		v, ok := f.pivot(nodes[order[k]], t[k*n+k])
		if !ok {
			return nodes[order[k]], v
		}
		d[k] = v
		for i := k + 1; i < n; i++ {
			column[i] = t[i*n+k]
		}
		for i := k + 1; i < n; i++ {
			if column[i] == 0 {
				continue
			}
			l := column[i] / v
			t[i*n+k] = l
			above := column[k+1 : i+1]
			row := t[i*n+k+1:][:len(above)]
			for j, u := range above {
				row[j] -= l * u
			}
		}
	}
	for i, o := range order {
		rank[o] = int32(i)
	}
	return -1, 0
}

// swap exchanges rows and columns i < j of the lower triangle t of order n, the
// columns before i included.
func swap(t []float64, n, i, j int) {
	for k := range i {
		t[i*n+k], t[j*n+k] = t[j*n+k], t[i*n+k]
	}
	for k := i + 1; k < j; k++ {
		t[k*n+i], t[j*n+k] = t[j*n+k], t[k*n+i]
	}
	for k := j + 1; k < n; k++ {
		t[k*n+i], t[k*n+j] = t[k*n+j], t[k*n+i]
	}
	t[i*n+i], t[j*n+j] = t[j*n+j], t[i*n+i]
}

// componentInverse leaves in f.room.m the matrix ZᵀT⁻¹Z of component c, where Z holds the
// multiples of the vectors.
func (f *arrowhead) componentInverse(c int32) {
	q := int(f.rows.vectors[c])
	n := int(f.form.compPtr[c+1] - f.form.compPtr[c])
	order, d := f.comp.order[f.form.compPtr[c]:][:n], f.comp.d[f.form.compPtr[c]:][:n]
	t := f.comp.t[f.comp.tPtr[c]:f.comp.tPtr[c+1]]
	m := f.room.m[f.room.mPtr[c]:][:q*q]
	y := f.room.y[:n*q]
	clear(y)
	for e := f.rows.ptr[c]; e < f.rows.ptr[c+1]; e++ {
		if v := f.rows.which[e]; v >= 0 {
			y[int(f.rows.node[e])*q+int(f.blocks[f.rows.block[e]].local[v])] = f.rows.multiple[e]
		}
	}
	// Rows of y are taken in the order of the pivots.
	clear(m)
	for i := range n {
		yi := y[int(order[i])*q:][:q]
		for j, l := range t[i*n : i*n+i] {
			if l == 0 {
				continue
			}
			for v, u := range y[int(order[j])*q:][:q] {
				yi[v] -= l * u
			}
		}
		for v, u := range yi {
			if u == 0 {
				continue
			}
			s := u / d[i]
			to := yi[:v+1]
			row := m[v*q:][:len(to)]
			for x, e := range to {
				row[x] += s * e
			}
		}
	}
	for v := range q {
		for x := range v {
			m[x*q+v] = m[v*q+x]
		}
	}
}

// updateSchur subtracts from the Schur complement the part of the components lo ≤ c < hi in
// blocks a and b, a not after b.
func (f *arrowhead) updateSchur(a, b *block, lo, hi int32) {
	na, nb := int(a.ptr[hi]-a.ptr[lo]), int(b.ptr[hi]-b.ptr[lo])
	if na == 0 || nb == 0 {
		return
	}
	x, y := f.rows.vec[a.data+int(a.ptr[lo])*a.width:], f.rows.vec[b.data+int(b.ptr[lo])*b.width:]
	if simd.Have && f.room.product.Wide() && f.single(a, b, lo, hi) {
		n := len(f.form.border)
		f.room.product.SubtractWeighted(f.schur.s[a.first*n+b.first:], n, x, y, f.room.weights, na, a.width, b.width,
			a.width, b.width, a.copyOf == b.copyOf)
		return
	}
	if na <= nb {
		f.combine(a, b, lo, hi)
		f.subtract(x, f.room.w, na, a, b)
	} else {
		f.combine(b, a, lo, hi)
		f.subtract(f.room.w, y, nb, a, b)
	}
}

// single reports whether each of the components has one vector in either block,
// and sets f.room.weights to the entries of f.room.m that belong to them.
func (f *arrowhead) single(a, b *block, lo, hi int32) bool {
	na, nb := a.ptr[lo], b.ptr[lo]
	if a.ptr[hi]-na != hi-lo || b.ptr[hi]-nb != hi-lo {
		return false
	}
	aptr, bptr, start := a.ptr[lo:hi], b.ptr[lo:hi], f.room.mPtr[lo:hi]
	alocal, blocal, order := a.local[na:][:hi-lo], b.local[nb:][:hi-lo], f.rows.vectors[lo:hi]
	weights := f.room.weights[:hi-lo]
	for k := range weights {
		if aptr[k] != na+int32(k) || bptr[k] != nb+int32(k) {
			return false
		}
		weights[k] = f.room.m[start[k]+alocal[k]*order[k]+blocal[k]]
	}
	return true
}

// combine sets, for each vector of block a, a row of f.room.w to the sum of the
// vectors of block b in the same component, times f.room.m.
func (f *arrowhead) combine(a, b *block, lo, hi int32) {
	first := a.ptr[lo]
	for v := first; v < a.ptr[hi]; v++ {
		dst := f.room.w[int(v-first)*b.width:][:b.width]
		c := a.owner[v]
		from, to := b.ptr[c], b.ptr[c+1]
		if from == to {
			clear(dst)
			continue
		}
		m := f.room.m[int(f.room.mPtr[c])+int(a.local[v])*int(f.rows.vectors[c]):][:f.rows.vectors[c]]
		scaled(dst, m[b.local[from]], f.rows.vec[b.data+int(from)*b.width:])
		for u := from + 1; u < to; u++ {
			f.wide.axpy(dst, m[b.local[u]], f.rows.vec[b.data+int(u)*b.width:])
		}
	}
}

// stablePivot is the pivot d of the Schur complement, whose diagonal entry was first: where it
// is no more than the rounding error of that, a share of it that does not
// magnify the rounding errors of its row. Directions in which the components do
// not bind the border have such pivots.
func (f *arrowhead) stablePivot(d, first float64) float64 {
	if f.reg.Delta > 0 && math.Abs(d) <= lostPivot*math.Abs(first) {
		f.replaced++
		return keptPivot * first
	}
	return d
}

// Source: a hundred unit roundoffs of the diagonal entry that a pivot began as; the
// square root of the unit roundoff in its place, as for pivots of the sparse factor.
const (
	lostPivot = 1e-14
	keptPivot = 1e-8
)

// factorSchur computes S = L D Lᵀ in place: row k holds column k of L. It
// returns the node whose pivot failed, or −1.
func (f *arrowhead) factorSchur(work *poll.Poll) (bad int32, failed float64, err error) {
	n := len(f.form.border)
	for k := range n {
		f.schur.sd[k] = f.schur.s[k*n+k]
	}
	for from := 0; from < n; from += panelRows {
		to := min(from+panelRows, n)
		for k := from; k < to; k++ {
			row := f.schur.s[k*n+k:][:n-k]
			d, ok := f.pivot(f.form.border[k], f.stablePivot(row[0], f.schur.sd[k]))
			if !ok {
				return f.form.border[k], d, nil
			}
			f.schur.sd[k] = d
			keep := f.room.w[(k-from)*n+k:][:n-k] // L·D
			copy(keep, row)
			for i := range row[1:] {
				row[1+i] /= d
			}
			for i := k + 1; i < to; i++ {
				if l := row[i-k]; l != 0 {
					f.wide.axpy(f.schur.s[i*n+i:][:n-i], -l, keep[i-k:])
				}
			}
		}
		if to < n {
			f.room.product.Subtract(f.schur.s[to*n+to:], n, f.schur.s[from*n+to:], f.room.w[to:], to-from, n-to, n-to,
				n, n, true)
		}
		if err := work.Err(panelRows * (n - from) * (n - from)); err != nil {
			return -1, 0, err
		}
	}
	return -1, 0, nil
}

// load takes over the values off the diagonal.
func (f *arrowhead) load(val []float64, sign []int8) {
	f.sign = sign
	f.rows.filled, f.rows.terms = 0, f.rows.terms[:0]
	for i := range f.inside {
		e := &f.inside[i]
		e.val = val[e.src]
		f.comp.off[e.dst] = e.val
	}
	for i := range f.around {
		f.around[i].val = val[f.around[i].src]
	}
	for a := range f.blocks {
		f.blocks[a].ptr[0] = 0
	}
	for c := range len(f.form.compPtr) - 1 {
		for a := range f.blocks {
			b := &f.blocks[a]
			b.ptr[c+1] = b.ptr[c]
		}
		f.reduce(c, val)
	}
	f.findCopies()
	f.pairs.load(f)
}

// subtract takes xᵀy from the part of the border at blocks a and b, where x and
// y have k rows; of a block with itself or a scaled copy, from the upper triangle at
// least.
func (f *arrowhead) subtract(x, y []float64, k int, a, b *block) {
	n := len(f.form.border)
	s := f.schur.s[a.first*n+b.first:]
	f.room.product.Subtract(s, n, x, y, k, a.width, b.width, a.width, b.width, a.copyOf == b.copyOf)
}
