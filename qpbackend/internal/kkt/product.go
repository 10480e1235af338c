package kkt

// subtract sets s.ref.res to b − K·x and s.ref.ax to A·x. Neighbouring entries of a row are one
// vector; other rows are short: loops over places cost less than over slices.
func (s *System) subtract(b, x []float64) {
	n, k := s.n, s.tri.k
	res := s.ref.res[:len(x)]
	copy(res[n:], b[n:])
	s.subtractVariables(b, x)
	ax, d, y, rest := s.ref.ax[:s.m], s.tri.d[n:][:s.m], x[n:][:s.m], res[n:][:s.m]
	lo := 0
	for i, hi := range s.at.ColPtr[1:][:s.m] {
		v, sum, own := y[i], 0.0, k.ColPtr[n+i]
		val, col := s.at.Val[lo:hi], s.at.RowIdx[lo:hi]
		if s.by.off { // zeros stand in place of them
			val = k.Val[own:][:len(col)]
		}
		if len(col) >= leastWide && col[len(col)-1]-col[0] == len(col)-1 {
			sum = s.by.wide.dotAxpy(val, x[col[0]:], res[col[0]:], -v)
		} else {
			for k, j := range col {
				res[j] -= val[k] * v
				sum += val[k] * x[j]
			}
		}
		ax[i] = sum
		sum += d[i] * v
		if own, last := own+len(col), k.ColPtr[n+i+1]-1; own < last { // of a dense block
			sum = s.offDiagonal(x, v, sum, own, last)
		}
		rest[i] -= sum
		lo = hi
	}
	s.subtractBlocks(b, x)
}

// subtractVariables sets the variables' part of s.ref.res to the one of b − H·x.
func (s *System) subtractVariables(b, x []float64) {
	n := s.n
	d, b, res := s.tri.d[:n], b[:n], s.ref.res[:n]
	if !s.tri.diagonal {
		copy(res, b)
		s.subtractColumns(x, n)
		return
	}
	for j, v := range x[:n] {
		res[j] = b[j] - d[j]*v
	}
}

// subtractColumns takes the columns c < to of K, above and left of the diagonal, times x from
// s.ref.res.
func (s *System) subtractColumns(x []float64, to int) {
	res, d, lo := s.ref.res[:to], s.tri.d[:to], 0
	for c, v := range x[:to] {
		sum, diagonal := d[c]*v, s.tri.k.ColPtr[c+1]-1
		if lo < diagonal {
			sum = s.offDiagonal(x, v, sum, lo, diagonal)
		}
		res[c] -= sum
		lo = diagonal + 1
	}
}

// offDiagonal takes the entries lo to hi of a column of K times v from s.ref.res, and adds their
// product with x to sum.
func (s *System) offDiagonal(x []float64, v, sum float64, lo, hi int) float64 {
	idx, val, res := s.tri.k.RowIdx, s.tri.k.Val, s.ref.res
	if neighbours(idx, lo, hi) {
		return sum + s.by.wide.dotAxpy(val[lo:hi], x[idx[lo]:], res[idx[lo]:], -v)
	}
	for ; lo < hi; lo++ {
		i := idx[lo]
		res[i] -= val[lo] * v
		sum += val[lo] * x[i]
	}
	return sum
}

// neighbours reports whether the entries lo to hi of a column, ascending, are so many without a gap
// that a wide kernel pays.
func neighbours(idx []int, lo, hi int) bool {
	return hi-lo >= leastWide && idx[hi-1]-idx[lo] == hi-1-lo
}

// repeats reports whether rows of B are multiples of so few vectors that
// products by way of these cost less than others.
func (f *arrowhead) repeats() bool {
	keptPivot := 0
	for a := range f.blocks {
		if b := &f.blocks[a]; int(b.copyOf) == a {
			keptPivot += b.vectors() * b.width
		}
	}
	return 4*keptPivot <= 3*f.rows.filled
}

// multiply adds α·K·x to dst, K without its diagonal, as in the last load.
func (f *arrowhead) multiply(dst []float64, α float64, x []float64) {
	for t, i := range f.form.border {
		f.room.r[t] = x[i]
	}
	for a := range f.blocks {
		f.blocks[a].fromBorder(f.room.rx, f.room.r)
	}
	clear(f.room.r)
	clear(f.room.rv)
	clear(f.room.g)
	for _, t := range f.rows.terms {
		f.room.g[t.at] += α * t.multiple * x[t.node]
	}
	for p := range f.groups() {
		group := f.group(p)
		width := group[0].width
		vec := f.rows.vec[group[0].data:]
		for v := range group[0].vectors() {
			x := vec[v*width:][:width]
			for _, l := range group {
				l.g[v] = α * f.wide.dotAxpy(x, f.room.rx[l.first:], f.room.rv[l.first:], l.g[v])
			}
		}
	}
	for a := range f.blocks {
		f.blocks[a].toBorder(f.room.r, f.room.rv)
	}
	for t, i := range f.form.border {
		dst[i] += f.room.r[t]
	}
	addEntries(dst, α, f.around, x)
	for _, t := range f.rows.terms {
		dst[t.node] += t.multiple * f.room.g[t.at]
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
// products with the matrix, where they serve.
func (s *System) chooseProducts() {
	s.by.vectors, s.by.both = nil, false
	f, ok := s.f.(*arrowhead)
	if !ok || len(s.cones.blocks) > 0 {
		return
	}
	if f.pairs.serve || f.repeats() {
		s.by.vectors = f
		s.by.both = s.tri.diagonal && !s.by.off
	}
}

// subtractVectors sets s.ref.res to b − K·x and s.ref.ax to A·x, by way of vectors.
func (s *System) subtractVectors(b, x []float64) {
	n, res := s.n, s.ref.res
	clear(res[n:])
	copy(res, b[:n])
	s.by.vectors.multiply(res, -1, x)
	for j, v := range x[:n] {
		res[j] -= s.tri.d[j] * v
	}
	for i, v := range res[n:] {
		s.ref.ax[i] = -v
		res[n+i] = b[n+i] + v - s.tri.d[n+i]*x[n+i]
	}
}

// addVectors is AddBoth by way of vectors, where nothing is off and H is
// diagonal.
func (s *System) addVectors(ax, aty, x, y []float64) {
	n, in, out := s.n, s.ref.cor, s.ref.res
	copy(in, x)
	copy(in[n:], y)
	clear(out)
	s.by.vectors.multiply(out, 1, in)
	for j, v := range out[:n] {
		aty[j] += v
	}
	for i, v := range out[n:] {
		ax[i] += v
	}
}
