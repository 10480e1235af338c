package matrix

// MulT sets dst to xᵀy, n × n, where x and y have k rows of n entries.
func (f *Product) MulT(dst, x, y []float64, k, n int) {
	if f.ended {
		return
	}
	clear(dst[:n*n])
	if k == 0 {
		return
	}
	f.Subtract(dst, n, x, y, k, n, n, n, n, false)
	for i, v := range dst[:n*n] {
		dst[i] = -v
	}
}

// MulTSymmetric is MulT for an x and y whose product is symmetric.
func (f *Product) MulTSymmetric(dst, x, y []float64, k, n int) {
	if f.ended {
		return
	}
	clear(dst[:n*n])
	if k == 0 {
		return
	}
	f.Subtract(dst, n, x, y, k, n, n, n, n, true)
	if f.ended {
		return
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := -dst[i*n+j]
			dst[i*n+j], dst[j*n+i] = v, v
		}
	}
}

// Sandwich sets dst to aᵀxa for a symmetric x, all n × n. t is room for another.
func (f *Product) Sandwich(dst, a, x, t []float64, n int) {
	if f.ended {
		return
	}
	clear(t[:n*n])
	f.Subtract(t, n, x, a, n, n, n, n, n, false) // −xa
	clear(dst[:n*n])
	f.Subtract(dst, n, a, t, n, n, n, n, n, true)
	for i := range n {
		for j := i + 1; j < n; j++ {
			dst[j*n+i] = dst[i*n+j]
		}
	}
}

// Transpose sets dst to xᵀ, both n × n and not overlapping.
func Transpose(dst, x []float64, n int) {
	// Source: derived: two tiles are 4 kB, an eighth of a first level of cache.
	const tile = 16
	for i := 0; i < n; i += tile {
		for j := 0; j < n; j += tile {
			for r := i; r < min(i+tile, n); r++ {
				for c := j; c < min(j+tile, n); c++ {
					dst[c*n+r] = x[r*n+c]
				}
			}
		}
	}
}
