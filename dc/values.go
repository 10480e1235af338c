package dc

import "math"

// together is how many entries are evaluated in one pass over x.
// Source: derived: an addition takes four cycles, and in each of them one may begin.
const together = 4

// values gives the values of the entries of a at x, to be asked for in
// ascending order. Entries with coefficients for the same run of variables, as a
// dense matrix has them, are summed side by side: each sum waits for its last
// addition, four of them do not wait for one another.
type values struct {
	a        *Expr
	x        []float64
	from, to int // those in v
	v        [together]float64
}

func (a *Expr) values(x []float64) values { return values{a: a, x: x} }

// at is the value of entry k.
func (r *values) at(k int) float64 {
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
	r.v[0] = r.a.at(k, r.x)
}

// block sums up the entries from k on, with n coefficients for x each.
func (r *values) block(k, n int, x []float64) {
	a, at := r.a, r.a.ptr[k]
	v0, v1, v2, v3 := a.val[at:at+n], a.val[at+n:at+2*n], a.val[at+2*n:at+3*n], a.val[at+3*n:at+4*n]
	s0, s1, s2, s3 := a.c[k], a.c[k+1], a.c[k+2], a.c[k+3]
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
func (a *Expr) run(k int) (first, n int, ok bool) {
	if a.ptr == nil || k+together > len(a.c) {
		return 0, 0, false
	}
	at := a.ptr[k]
	n = a.ptr[k+1] - at
	if n == 0 {
		return 0, 0, false
	}
	first = a.idx[at]
	for i := range together {
		lo, hi := a.ptr[k+i], a.ptr[k+i+1]
		if hi-lo != n || a.idx[lo] != first || a.idx[hi-1] != first+n-1 {
			return 0, 0, false
		}
	}
	return first, n, true
}

// approxes are values with bounds of their errors.
type approxes struct {
	a        *Expr
	x        []float64
	from, to int // those in v
	v        [together]approx
}

func (a *Expr) approxes(x []float64) approxes { return approxes{a: a, x: x} }

// at is the value of entry k.
func (r *approxes) at(k int) approx {
	if k >= r.to {
		r.fill(k)
	}
	return r.v[k-r.from]
}

func (r *approxes) fill(k int) {
	r.from, r.to = k, k+1
	if first, n, ok := r.a.run(k); ok && n > 1 {
		r.to = k + together
		r.block(k, n, r.x[first:first+n])
		return
	}
	r.v[0] = r.a.approx(k, r.x)
}

// block is Linear.approx of the entries from k on, with n coefficients for x each.
func (r *approxes) block(k, n int, x []float64) {
	a, at := r.a, r.a.ptr[k]
	v0, v1, v2, v3 := a.val[at:at+n], a.val[at+n:at+2*n], a.val[at+2*n:at+3*n], a.val[at+3*n:at+4*n]
	s0, s1, s2, s3 := a.c[k], a.c[k+1], a.c[k+2], a.c[k+3]
	m0, m1, m2, m3 := (math.Abs(s0)+a.lost)*coefficientErrors, (math.Abs(s1)+a.lost)*coefficientErrors,
		(math.Abs(s2)+a.lost)*coefficientErrors, (math.Abs(s3)+a.lost)*coefficientErrors
	v0, v1, v2, v3 = v0[:len(x)], v1[:len(x)], v2[:len(x)], v3[:len(x)]
	for i, xi := range x {
		p0, p1, p2, p3 := v0[i]*xi, v1[i]*xi, v2[i]*xi, v3[i]*xi
		s0, s1, s2, s3 = s0+p0, s1+p1, s2+p2, s3+p3
		m0 += (1+coefficientErrors)*math.Abs(p0) + math.Abs(s0)
		m1 += (1+coefficientErrors)*math.Abs(p1) + math.Abs(s1)
		m2 += (1+coefficientErrors)*math.Abs(p2) + math.Abs(s2)
		m3 += (1+coefficientErrors)*math.Abs(p3) + math.Abs(s3)
	}
	r.v = [together]approx{{s0, unit * m0}, {s1, unit * m1}, {s2, unit * m2}, {s3, unit * m3}}
}
