package kkt

import "math"

func (f *arrowhead) work() float64 { return f.form.work }

func (f *arrowhead) ahead(x, b []float64) { f.solve(x, b) }

// solve sets x to the solution for the right-hand side b.
func (f *arrowhead) solve(x, b []float64) {
	copy(x, b)
	b = x
	r := f.room.r
	for t, i := range f.form.border {
		r[t] = b[i]
	}
	if f.pairs.inverted {
		f.pairs.forward(f.room.g, b)
	} else {
		clear(f.room.g)
		for c := range int32(len(f.form.compPtr) - 1) {
			f.forward(c, b)
		}
	}
	f.gatherBorder(r)
	n := len(r)
	for k, v := range r {
		f.wide.axpy(r[k+1:], -v, f.schur.s[k*n+k+1:])
	}
	for k := n - 1; k >= 0; k-- {
		r[k] = r[k]/f.schur.sd[k] - f.wide.dot(r[k+1:], f.schur.s[k*n+k+1:])
	}
	for t, i := range f.form.border {
		b[i] = r[t]
	}
	f.spreadBorder(r)
	if f.pairs.inverted {
		f.pairs.backward(b, f.room.g)
		return
	}
	for c := range int32(len(f.form.compPtr) - 1) {
		f.backward(c, b)
	}
}

// gatherBorder takes Vᵀg from r, V holding vectors one after the other.
func (f *arrowhead) gatherBorder(r []float64) {
	clear(f.room.rv)
	for p := range f.groups() {
		group := f.group(p)
		width, count := group[0].width, group[0].vectors()
		vec := f.rows.vec[group[0].data:]
		for v := 0; v < count; v += rowsAtOnce {
			n := min(rowsAtOnce, count-v)
			for _, l := range group {
				f.wide.subtractMulT(f.room.rv[l.first:][:width], vec[v*width:], l.g[v:][:n])
			}
		}
	}
	for a := range f.blocks {
		f.blocks[a].toBorder(r, f.room.rv)
	}
}

// spreadBorder sets g to V·r.
func (f *arrowhead) spreadBorder(r []float64) {
	for a := range f.blocks {
		f.blocks[a].fromBorder(f.room.rv, r)
	}
	for p := range f.groups() {
		group := f.group(p)
		width, count := group[0].width, group[0].vectors()
		vec := f.rows.vec[group[0].data:]
		for v := 0; v < count; v += rowsAtOnce {
			n := min(rowsAtOnce, count-v)
			for _, l := range group {
				f.wide.mul(l.g[v:][:n], vec[v*width:], f.room.rv[l.first:][:width])
			}
		}
	}
}

// rowsAtOnce is how many vectors are multiplied with one block of a group before the next.
// Source: derived: 16 vectors of 256 entries fill a first-level cache of 32 KB.
const rowsAtOnce = 16

// forward sets the entries of the vectors of one component, zero before, to
// ZᵀT⁻¹b.
func (f *arrowhead) forward(c int32, b []float64) {
	if f.rows.vectors[c] == 0 {
		return
	}
	x := f.gather(c, b)
	f.solveComponent(c, x)
	rank := f.comp.rank[f.form.compPtr[c]:]
	for e := f.rows.ptr[c]; e < f.rows.ptr[c+1]; e++ {
		if v := f.rows.which[e]; v >= 0 {
			f.room.g[f.blocks[f.rows.block[e]].gAt+v] += f.rows.multiple[e] * x[rank[f.rows.node[e]]]
		}
	}
}

// backward solves for one component, given the entries of its vectors.
func (f *arrowhead) backward(c int32, b []float64) {
	x := f.gather(c, b)
	rank := f.comp.rank[f.form.compPtr[c]:]
	for e := f.rows.ptr[c]; e < f.rows.ptr[c+1]; e++ {
		if v := f.rows.which[e]; v >= 0 {
			x[rank[f.rows.node[e]]] -= f.rows.multiple[e] * f.room.g[f.blocks[f.rows.block[e]].gAt+v]
		}
	}
	f.solveComponent(c, x)
	nodes := f.form.nodes[f.form.compPtr[c]:]
	for t, o := range f.comp.order[f.form.compPtr[c]:f.form.compPtr[c+1]] {
		b[nodes[o]] = x[t]
	}
}

// gather is the part of b that belongs to component c, in the order of the
// pivots.
func (f *arrowhead) gather(c int32, b []float64) []float64 {
	nodes, order := f.form.nodes[f.form.compPtr[c]:], f.comp.order[f.form.compPtr[c]:f.form.compPtr[c+1]]
	x := f.room.part[:len(order)]
	for t, o := range order {
		x[t] = b[nodes[o]]
	}
	return x
}

// solveComponent overwrites x, in the order of the pivots, by T⁻¹x.
func (f *arrowhead) solveComponent(c int32, x []float64) {
	n := len(x)
	t := f.comp.t[f.comp.tPtr[c]:f.comp.tPtr[c+1]]
	d := f.comp.d[f.form.compPtr[c]:][:n]
	for i := 1; i < n; i++ {
		s := x[i]
		done := x[:i]
		for j, l := range t[i*n:][:len(done)] {
			s -= l * done[j]
		}
		x[i] = s
	}
	for i, v := range d {
		x[i] /= v
	}
	for i := n - 1; i > 0; i-- {
		s := x[i]
		if s == 0 {
			continue
		}
		left := x[:i]
		for j, l := range t[i*n:][:len(left)] {
			left[j] -= l * s
		}
	}
}

// find makes room where the pattern is one of pairs.
func (p *pairs) find(f *arrowhead) {
	if len(f.blocks) != 1 || len(f.inside) != len(f.rows.node) || 2*len(f.inside) != len(f.form.nodes) {
		return
	}
	for c := range f.inside {
		if f.form.compPtr[c] != int32(2*c) || f.rows.ptr[c] != int32(c) || f.rows.node[c] != 1 {
			return
		}
	}
	p.nodes, p.link, p.inverse = f.form.nodes, make([]float64, len(f.inside)), make([]pair, len(f.inside))
}

// forward sets g to that entry of T⁻¹b of each component.
func (p *pairs) forward(g, b []float64) {
	g = g[:len(p.inverse)]
	for c := range g {
		t := &p.inverse[c]
		g[c] = t.b*b[p.nodes[2*c]] - t.c*b[p.nodes[2*c+1]]
	}
}

// backward overwrites b by T⁻¹b once g is taken from the rows.
func (p *pairs) backward(b, g []float64) {
	g = g[:len(p.inverse)]
	for c, v := range g {
		t, i, j := &p.inverse[c], p.nodes[2*c], p.nodes[2*c+1]
		u, w := b[i], b[j]-v
		b[i], b[j] = t.a*u+t.b*w, t.b*u-t.c*w
	}
}

// load takes over the values of the last load of f.
func (p *pairs) load(f *arrowhead) {
	p.inverted, p.serve = false, len(p.link) > 0 && f.everywhere(&f.blocks[0])
	if !p.serve {
		return
	}
	for c := range p.link {
		p.link[c] = f.comp.off[4*c+2]
	}
}

// invert computes the inverses; false where the pairs do not serve, or a pivot would be replaced.
func (p *pairs) invert(diag []float64, eps float64) bool {
	p.inverted = false
	if !p.serve {
		return false
	}
	for c, e := range p.link {
		a, d := diag[p.nodes[2*c]], -diag[p.nodes[2*c+1]]
		det, top := a*d+e*e, max(a, d)
		if !(a > 0 && d > 0 && top > eps && det > eps*top && det <= math.MaxFloat64) {
			return false
		}
		s := 1 / det
		p.inverse[c] = pair{d * s, e * s, a * s}
	}
	p.inverted = true
	return true
}

// corners sets m to the entry of T⁻¹ at the row, of the components lo ≤ c < hi.
func (p *pairs) corners(m []float64, lo, hi int32) {
	m = m[:hi-lo]
	for k := range m {
		m[k] = -p.inverse[int(lo)+k].c
	}
}
