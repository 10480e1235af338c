package kkt

func (f *arrowhead) work() float64 { return f.partition.work }

func (f *arrowhead) ahead(x, b []float64) { f.solve(x, b) }

// solve sets x to the solution for the right-hand side b.
func (f *arrowhead) solve(x, b []float64) {
	copy(x, b)
	b = x
	r := f.r
	for t, i := range f.border {
		r[t] = b[i]
	}
	if f.pairs.inverted {
		f.pairs.forward(f.g, b)
	} else {
		clear(f.g)
		for c := range int32(len(f.compPtr) - 1) {
			f.forward(c, b)
		}
	}
	f.gatherBorder(r)
	n := len(r)
	for k, v := range r {
		f.wide.axpy(r[k+1:], -v, f.s[k*n+k+1:])
	}
	for k := n - 1; k >= 0; k-- {
		r[k] = r[k]/f.sd[k] - f.wide.dot(r[k+1:], f.s[k*n+k+1:])
	}
	for t, i := range f.border {
		b[i] = r[t]
	}
	f.spreadBorder(r)
	if f.pairs.inverted {
		f.pairs.backward(b, f.g)
		return
	}
	for c := range int32(len(f.compPtr) - 1) {
		f.backward(c, b)
	}
}

// gatherBorder takes Vᵀg from r, V holding vectors one after the other.
func (f *arrowhead) gatherBorder(r []float64) {
	clear(f.rv)
	for p := range f.groups() {
		group := f.group(p)
		width, count := group[0].width, group[0].vectors()
		vec := f.vec[group[0].data:]
		if !f.wide && count > 0 {
			for _, l := range group {
				subtractProduct(f.rv[l.first:][:width], vec, count, width, l.g, 1)
			}
			continue
		}
		for v := 0; v < count; v += rowsAtOnce {
			n := min(rowsAtOnce, count-v)
			for _, l := range group {
				f.wide.subtractMulT(f.rv[l.first:][:width], vec[v*width:], l.g[v:][:n])
			}
		}
	}
	for a := range f.blocks {
		f.blocks[a].toBorder(r, f.rv)
	}
}

// spreadBorder sets g to V·r.
func (f *arrowhead) spreadBorder(r []float64) {
	for a := range f.blocks {
		f.blocks[a].fromBorder(f.rv, r)
	}
	for p := range f.groups() {
		group := f.group(p)
		width, count := group[0].width, group[0].vectors()
		vec := f.vec[group[0].data:]
		if !f.wide && count > 0 {
			for _, l := range group {
				product(l.g[:count], vec, width, f.rv[l.first:][:width])
			}
			continue
		}
		for v := 0; v < count; v += rowsAtOnce {
			n := min(rowsAtOnce, count-v)
			for _, l := range group {
				f.wide.mul(l.g[v:][:n], vec[v*width:], f.rv[l.first:][:width])
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
	if f.vectors[c] == 0 {
		return
	}
	x := f.gather(c, b)
	f.solveComponent(c, x)
	rank := f.rank[f.compPtr[c]:]
	for e := f.rowPtr[c]; e < f.rowPtr[c+1]; e++ {
		if v := f.which[e]; v >= 0 {
			f.g[f.blocks[f.rowBlock[e]].gAt+v] += f.multiple[e] * x[rank[f.rowNode[e]]]
		}
	}
}

// backward solves for one component, given the entries of its vectors.
func (f *arrowhead) backward(c int32, b []float64) {
	x := f.gather(c, b)
	rank := f.rank[f.compPtr[c]:]
	for e := f.rowPtr[c]; e < f.rowPtr[c+1]; e++ {
		if v := f.which[e]; v >= 0 {
			x[rank[f.rowNode[e]]] -= f.multiple[e] * f.g[f.blocks[f.rowBlock[e]].gAt+v]
		}
	}
	f.solveComponent(c, x)
	nodes := f.nodes[f.compPtr[c]:]
	for t, o := range f.order[f.compPtr[c]:f.compPtr[c+1]] {
		b[nodes[o]] = x[t]
	}
}

// gather is the part of b that belongs to component c, in the order of the
// pivots.
func (f *arrowhead) gather(c int32, b []float64) []float64 {
	nodes, order := f.nodes[f.compPtr[c]:], f.order[f.compPtr[c]:f.compPtr[c+1]]
	x := f.part[:len(order)]
	for t, o := range order {
		x[t] = b[nodes[o]]
	}
	return x
}

// solveComponent overwrites x, in the order of the pivots, by T⁻¹x.
func (f *arrowhead) solveComponent(c int32, x []float64) {
	n := len(x)
	t := f.t[f.tPtr[c]:f.tPtr[c+1]]
	d := f.d[f.compPtr[c]:][:n]
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
