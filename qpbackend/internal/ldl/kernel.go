package ldl

// tile returns the products of four rows of a with two rows of b, all ld long, over their first n
// entries: sij = Σ a[i·ld+t]·b[j·ld+t]. Eight sums, two entries of b and one of a fit the sixteen
// vector registers.
func tile(a, b []float64, ld, n int) (s00, s01, s10, s11, s20, s21, s30, s31 float64) {
	b0 := b[:n]
	b1 := b[ld:][:len(b0)]
	a0 := a[:len(b0)]
	a1 := a[ld:][:len(b0)]
	a2 := a[2*ld:][:len(b0)]
	a3 := a[3*ld:][:len(b0)]
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

// dot is Σ a·b over the length of a, from the first term on, as the sums of tile.
func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for t, v := range a {
		sum += v * b[t]
	}
	return sum
}

// subtract is dst −= α·src over the length of dst.
func subtract(dst []float64, α float64, src []float64) {
	src = src[:len(dst)]
	for t := range dst {
		dst[t] -= α * src[t]
	}
}
