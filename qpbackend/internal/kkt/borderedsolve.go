package kkt

// solve overwrites b by the solution.
func (f *bordered) solve(b []float64) {
	r := f.r
	for t, i := range f.border {
		r[t] = b[i]
	}
	clear(f.g)
	for c := range int32(len(f.compPtr) - 1) {
		f.forward(c, b)
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
	for c := range int32(len(f.compPtr) - 1) {
		f.backward(c, b)
	}
}

// gatherBorder takes Vᵀg from r, V holding vectors one after the other.
func (f *bordered) gatherBorder(r []float64) {
	clear(f.rv)
	for p := range f.families() {
		family := f.family(p)
		width, count := family[0].width, family[0].vectors()
		vec := f.vec[family[0].data:]
		if !f.wide && count > 0 {
			for _, l := range family {
				subtractProduct(f.rv[l.first:][:width], vec, count, width, l.g, 1)
			}
			continue
		}
		for v := range count {
			x := vec[v*width:][:width]
			for _, l := range family {
				f.wide.axpy(f.rv[l.first:][:width], -l.g[v], x)
			}
		}
	}
	for a := range f.blocks {
		f.blocks[a].toBorder(r, f.rv)
	}
}

// spreadBorder sets g to V·r.
func (f *bordered) spreadBorder(r []float64) {
	for a := range f.blocks {
		f.blocks[a].fromBorder(f.rv, r)
	}
	for p := range f.families() {
		family := f.family(p)
		width, count := family[0].width, family[0].vectors()
		vec := f.vec[family[0].data:]
		if !f.wide && count > 0 {
			for _, l := range family {
				product(l.g[:count], vec, width, f.rv[l.first:][:width])
			}
			continue
		}
		for v := range count {
			x := vec[v*width:][:width]
			for _, l := range family {
				l.g[v] = f.wide.dot(f.rv[l.first:][:width], x)
			}
		}
	}
}

// vectors is the number of vectors in the block.
func (l *block) vectors() int { return int(l.ptr[len(l.ptr)-1]) }

// forward sets the entries of the vectors of one component, zero before, to
// ZᵀT⁻¹b.
func (f *bordered) forward(c int32, b []float64) {
	if f.vectors[c] == 0 {
		return
	}
	x := f.gather(c, b)
	f.solveComponent(c, x)
	for e := f.rowPtr[c]; e < f.rowPtr[c+1]; e++ {
		if v := f.which[e]; v >= 0 {
			f.blocks[f.rowBlock[e]].g[v] += f.multiple[e] * x[f.rowNode[e]]
		}
	}
}

// backward solves for one component, given the entries of its vectors.
func (f *bordered) backward(c int32, b []float64) {
	x := f.gather(c, b)
	for e := f.rowPtr[c]; e < f.rowPtr[c+1]; e++ {
		if v := f.which[e]; v >= 0 {
			x[f.rowNode[e]] -= f.multiple[e] * f.blocks[f.rowBlock[e]].g[v]
		}
	}
	f.solveComponent(c, x)
	for t, i := range f.nodes[f.compPtr[c]:f.compPtr[c+1]] {
		b[i] = x[t]
	}
}

// gather is the part of b that belongs to component c.
func (f *bordered) gather(c int32, b []float64) []float64 {
	nodes := f.nodes[f.compPtr[c]:f.compPtr[c+1]]
	x := f.part[:len(nodes)]
	for t, i := range nodes {
		x[t] = b[i]
	}
	return x
}

// solveComponent overwrites x by T⁻¹x.
func (f *bordered) solveComponent(c int32, x []float64) {
	n := len(x)
	t := f.t[f.tPtr[c]:f.tPtr[c+1]]
	order, d := f.order[f.compPtr[c]:][:n], f.d[f.compPtr[c]:][:n]
	for i, o := range order {
		s := x[o]
		for j, l := range t[i*n : i*n+i] {
			s -= l * x[order[j]]
		}
		x[o] = s
	}
	for i := n - 1; i >= 0; i-- {
		s := x[order[i]] / d[i]
		for j := i + 1; j < n; j++ {
			s -= t[j*n+i] * x[order[j]]
		}
		x[order[i]] = s
	}
}
