package kkt

import (
	"slices"
)

// repeats reports whether rows of B are multiples of so few vectors that
// products by way of these cost less than others.
func (f *arrowhead) repeats() bool {
	keptPivot := 0
	for a := range f.blocks {
		if b := &f.blocks[a]; int(b.copyOf) == a {
			keptPivot += b.vectors() * b.width
		}
	}
	return 4*keptPivot <= 3*f.filled
}

// multiply adds α·K·x to dst, K without its diagonal, as in the last load.
func (f *arrowhead) multiply(dst []float64, α float64, x []float64) {
	for t, i := range f.border {
		f.r[t] = x[i]
	}
	for a := range f.blocks {
		f.blocks[a].fromBorder(f.rx, f.r)
	}
	clear(f.r)
	clear(f.rv)
	if f.pairs.serve {
		f.pairs.multiply(dst, f.g, α, x)
	} else {
		clear(f.g)
		for _, t := range f.terms {
			f.g[t.at] += α * t.multiple * x[t.node]
		}
	}
	for p := range f.groups() {
		group := f.group(p)
		width := group[0].width
		vec := f.vec[group[0].data:]
		for v := range group[0].vectors() {
			x := vec[v*width:][:width]
			for _, l := range group {
				l.g[v] = α * f.wide.dotAxpy(x, f.rx[l.first:], f.rv[l.first:], l.g[v])
			}
		}
	}
	for a := range f.blocks {
		f.blocks[a].toBorder(f.r, f.rv)
	}
	for t, i := range f.border {
		dst[i] += f.r[t]
	}
	addEntries(dst, α, f.around, x)
	if f.pairs.serve {
		f.pairs.add(dst, f.g)
		return
	}
	for _, t := range f.terms {
		dst[t.node] += t.multiple * f.g[t.at]
	}
	addEntries(dst, α, f.inside, x)
}

// addEntries adds α times the product of x with the entries, on both sides of the diagonal, to dst.
func addEntries(dst []float64, α float64, list []entry, x []float64) {
	for i := range list {
		e := &list[i]
		v := α * e.val
		dst[e.row] += v * x[e.col]
		dst[e.col] += v * x[e.row]
	}
}

// chooseProducts takes, after a load, the vectors of the arrowhead form for
// products with the matrix or else runs, where either serves.
func (s *System) chooseProducts() {
	s.vectors, s.both = nil, false
	f, ok := s.f.(*arrowhead)
	if !ok || len(s.blocks) > 0 {
		return
	}
	if f.pairs.serve || f.repeats() {
		s.vectors = f
		s.both = s.diagonal && !slices.Contains(s.off, true)
	}
	if s.both {
		return
	}
	if !s.sought {
		s.sought = true
		s.runs = newRuns(s.at)
	}
	if s.runs != nil {
		s.runs.load(s.at)
	}
}

// subtractVectors sets s.res to b − K·x and s.ax to A·x, by way of vectors.
func (s *System) subtractVectors(b, x []float64) {
	n, res := s.n, s.res
	clear(res[n:])
	copy(res, b[:n])
	s.vectors.multiply(res, -1, x)
	for j, v := range x[:n] {
		res[j] -= s.d[j] * v
	}
	for i, v := range res[n:] {
		s.ax[i] = -v
		res[n+i] = b[n+i] + v - s.d[n+i]*x[n+i]
	}
}

// addVectors is AddBoth by way of vectors, where nothing is off and H is
// diagonal.
func (s *System) addVectors(ax, aty, x, y []float64) {
	n, in, out := s.n, s.correction(), s.res
	copy(in, x)
	copy(in[n:], y)
	clear(out)
	s.vectors.multiply(out, 1, in)
	for j, v := range out[:n] {
		aty[j] += v
	}
	for i, v := range out[n:] {
		ax[i] += v
	}
}

// multiply adds α times the products with e to dst, and sets g to α·x of the rows.
func (p *pairs) multiply(dst, g []float64, α float64, x []float64) {
	g = g[:len(p.link)]
	for c, e := range p.link {
		i, j := p.nodes[2*c], p.nodes[2*c+1]
		v := α * x[j]
		g[c] = v
		dst[i] += e * v
		dst[j] += α * e * x[i]
	}
}

// add adds g to dst in the rows.
func (p *pairs) add(dst, g []float64) {
	for c, v := range g[:len(p.link)] {
		dst[p.nodes[2*c+1]] += v
	}
}
