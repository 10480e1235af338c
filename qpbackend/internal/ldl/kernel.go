package ldl

// tile returns the products of four rows of a, each lda long, with two rows of
// b, over their first n entries: sij = Σ a[i·lda+t]·b[j·ldb+t]. Eight sums, two
// entries of b and one of a fit the sixteen vector registers.
func tile(a []float64, lda int, b []float64, ldb, n int) (s00, s01, s10, s11, s20, s21, s30, s31 float64) {
	b0 := b[:n]
	b1 := b[ldb:][:len(b0)]
	a0 := a[:len(b0)]
	a1 := a[lda:][:len(b0)]
	a2 := a[2*lda:][:len(b0)]
	a3 := a[3*lda:][:len(b0)]
	for t, u := range b0 {
		v := b1[t]
		x := a0[t]
		s00 += x * u
		s01 += x * v
		x = a1[t]
		s10 += x * u
		s11 += x * v
		x = a2[t]
		s20 += x * u
		s21 += x * v
		x = a3[t]
		s30 += x * u
		s31 += x * v
	}
	return s00, s01, s10, s11, s20, s21, s30, s31
}

// dot is Σ a[t]·b[t] over the length of a.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	s0, s1 := 0.0, 0.0
	t := 0
	for ; t+2 <= len(a); t += 2 {
		s0 += a[t] * b[t]
		s1 += a[t+1] * b[t+1]
	}
	if t < len(a) {
		s0 += a[t] * b[t]
	}
	return s0 + s1
}

// subtract is dst −= α·src over the length of dst.
func subtract(dst []float64, α float64, src []float64) {
	src = src[:len(dst)]
	for t := range dst {
		dst[t] -= α * src[t]
	}
}
