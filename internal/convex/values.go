package convex

// together is how many entries are evaluated in one pass over x.
// Source: derived: an addition takes four cycles, and in each of them one may begin.
const together = 4

// values gives the values of the entries of a at x, to be asked for in
// ascending order. Entries with coefficients for the same run of variables, as a
// dense matrix has them, are summed side by side: each sum waits for its last
// addition, four of them do not wait for one another.
type values struct {
	a        *Array
	x        []float64
	from, to int // those in v
	v        [together]float64
}

// Values are the values of the entries at x, computed a few at a time.
func (a *Array) Values(x []float64) values { return values{a: a, x: x} }

// At is the value of entry k.
func (r *values) At(k int) float64 {
	if k >= r.to {
		r.fill(k)
	}
	return r.v[k-r.from]
}

func (r *values) fill(k int) {
	r.from, r.to = k, k+1
	if first, n, ok := r.a.run(k); ok && n > 1 {
		r.to = k + together
		r.block(k, n, r.x[first:first+n])
		return
	}
	r.v[0] = r.a.At(k, r.x)
}

// block sums up the entries from k on, with n coefficients for x each.
func (r *values) block(k, n int, x []float64) {
	a, at := r.a, r.a.Ptr[k]
	v0, v1, v2, v3 := a.Val[at:at+n], a.Val[at+n:at+2*n], a.Val[at+2*n:at+3*n], a.Val[at+3*n:at+4*n]
	s0, s1, s2, s3 := a.C[k], a.C[k+1], a.C[k+2], a.C[k+3]
	v0, v1, v2, v3 = v0[:len(x)], v1[:len(x)], v2[:len(x)], v3[:len(x)]
	for i, xi := range x {
		s0 += v0[i] * xi
		s1 += v1[i] * xi
		s2 += v2[i] * xi
		s3 += v3[i] * xi
	}
	r.v = [together]float64{s0, s1, s2, s3}
}

// run says whether the entries from k on, as many as are taken together, have
// coefficients for the same n successive variables.
func (a *Array) run(k int) (first, n int, ok bool) {
	if a.Ptr == nil || k+together > len(a.C) {
		return 0, 0, false
	}
	at := a.Ptr[k]
	n = a.Ptr[k+1] - at
	if n == 0 {
		return 0, 0, false
	}
	first = a.Idx[at]
	for i := range together {
		lo, hi := a.Ptr[k+i], a.Ptr[k+i+1]
		if hi-lo != n || a.Idx[lo] != first || a.Idx[hi-1] != first+n-1 {
			return 0, 0, false
		}
	}
	return first, n, true
}
