package dc

// At is the entry with the given indices, one per dimension, each from 0: a scalar.
// Another number of indices, or one out of range, gives an Affine with an error.
func (a Affine) At(index ...int) Affine {
	if a.Err() != nil {
		return a
	}
	if len(index) != len(a.shape) {
		return failed("%d indices into shape %v", len(index), a.shape)
	}
	k := 0
	for d, i := range index {
		if i < 0 || i >= a.shape[d] {
			return failed("index %d in dimension %d of shape %v, counted from 0", i, d, a.shape)
		}
		k = k*a.shape[d] + i
	}
	return FromLinear(a.Entry(k))
}

// Row is row i of a matrix, or more generally the sub-array with first index i.
func (a Affine) Row(i int) Affine {
	if a.Err() != nil {
		return a
	}
	if len(a.shape) == 0 || i < 0 || i >= a.shape[0] {
		return failed("row %d of shape %v, counted from 0", i, a.shape)
	}
	n := size(a.shape[1:])
	return a.stretch(a.shape[1:], i*n, (i+1)*n)
}

// stretch is the entries lo ≤ k < hi in the given shape. It shares a's slices.
func (a Affine) stretch(shape []int, lo, hi int) Affine {
	out := Affine{shape: append([]int(nil), shape...), c: a.c[lo:hi:hi], of: a.of, lost: a.lost}
	if a.ptr == nil {
		return out
	}
	from, to := a.ptr[lo], a.ptr[hi]
	out.idx, out.val = a.idx[from:to:to], a.val[from:to:to]
	out.ptr = make([]int, hi-lo+1)
	for k := range out.ptr {
		out.ptr[k] = a.ptr[lo+k] - from
	}
	return out
}

// Col is column j, from 0, of a matrix of shape [r c]: a vector of shape [r]. A j out of
// range, or another shape, gives an Affine with an error.
func (a Affine) Col(j int) Affine {
	if a.Err() != nil {
		return a
	}
	if len(a.shape) != 2 || j < 0 || j >= a.shape[1] {
		return failed("column %d of shape %v, counted from 0", j, a.shape)
	}
	flat := make([]int, a.shape[0])
	for k := range flat {
		flat[k] = k*a.shape[1] + j
	}
	return a.Select(a.shape[:1], flat)
}

// Range is the entries lo ≤ k < hi of a vector, of shape [hi−lo]. Ends out of range, or
// another shape, give an Affine with an error.
func (a Affine) Range(lo, hi int) Affine {
	if a.Err() != nil {
		return a
	}
	if len(a.shape) != 1 || lo < 0 || hi < lo || hi > a.shape[0] {
		return failed("range %d to %d of shape %v, counted from 0", lo, hi, a.shape)
	}
	return a.stretch([]int{hi - lo}, lo, hi)
}

// Select gathers entries by their places in row-major order into an array of
// the given shape.
func (a Affine) Select(shape []int, flat []int) Affine {
	if a.Err() != nil {
		return a
	}
	if size(shape) != len(flat) {
		return failed("shape %v has %d entries, %d were selected", shape, size(shape), len(flat))
	}
	run := a.ptr != nil && len(flat) > 0
	for i, k := range flat {
		if k < 0 || k >= len(a.c) {
			return failed("entry %d of %d selected", k, len(a.c))
		}
		run = run && k == flat[0]+i
	}
	if run {
		return a.part(flat[0], shape)
	}
	out := Affine{shape: append([]int(nil), shape...), ptr: make([]int, 1, len(flat)+1), c: make([]float64, 0, len(flat))}
	for _, k := range flat {
		out.push(a.Entry(k))
	}
	return out
}

// part is an array of the entries from lo on; it shares their coefficients.
func (a Affine) part(lo int, shape []int) Affine {
	n := size(shape)
	hi := lo + n
	first, last := a.ptr[lo], a.ptr[hi]
	out := Affine{ptr: a.ptr[: n+1 : n+1], idx: a.idx[first:last:last], val: a.val[first:last:last], c: a.c[lo:hi:hi], of: a.of, lost: a.lost}
	for k := range n + 1 {
		if a.ptr[lo+k]-first != a.ptr[k] { // entries are not as long as those from the first on
			out.ptr = make([]int, n+1)
			for k := range out.ptr {
				out.ptr[k] = a.ptr[lo+k] - first
			}
			break
		}
	}
	out.shape = append([]int(nil), shape...)
	return out
}

// Reshape gives the same entries, in row-major order, another shape. It must have as many
// entries, or the result has an error. Without arguments it is the shape of a scalar.
func (a Affine) Reshape(shape ...int) Affine {
	if a.Err() != nil {
		return a
	}
	if size(shape) != a.Len() {
		return failed("shape %v cannot hold the %d entries of shape %v", shape, a.Len(), a.shape)
	}
	a.shape = append([]int(nil), shape...)
	return a
}

// T is the transpose of a matrix; of a vector or scalar, itself. An array of more
// dimensions gives an Affine with an error.
func (a Affine) T() Affine {
	if a.Err() != nil || len(a.shape) < 2 {
		return a
	}
	if len(a.shape) > 2 {
		return failed("transpose of shape %v, want a matrix", a.shape)
	}
	r, c := a.shape[0], a.shape[1]
	flat := make([]int, 0, r*c)
	for j := range c {
		for i := range r {
			flat = append(flat, i*c+j)
		}
	}
	return a.Select([]int{c, r}, flat)
}

// Diag is the diagonal of a square matrix, or of a vector the matrix with that
// diagonal.
func (a Affine) Diag() Affine {
	if a.Err() != nil {
		return a
	}
	switch {
	case len(a.shape) == 1:
		n := a.shape[0]
		out := Affine{shape: []int{n, n}, ptr: make([]int, 1, n*n+1), c: make([]float64, 0, n*n)}
		for k := range n * n {
			if k%(n+1) == 0 {
				out.push(a.Entry(k / (n + 1)))
			} else {
				out.push(Linear{})
			}
		}
		return out
	case len(a.shape) != 2 || a.shape[0] != a.shape[1]:
		return failed("diagonal of shape %v, want a square matrix or a vector", a.shape)
	}
	flat := make([]int, a.shape[0])
	for k := range flat {
		flat[k] = k * (a.shape[0] + 1)
	}
	return a.Select(a.shape[:1], flat)
}
