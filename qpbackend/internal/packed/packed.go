package packed

import "math"

// Order is the order of the matrices whose triangle has n entries, −1 where n is not k(k+1)/2.
func Order(n int) int {
	k := int(math.Round((math.Sqrt(8*float64(n)+1) - 1) / 2))
	if k*(k+1)/2 != n {
		return -1
	}
	return k
}

// Row is the place of the entry (i, j).
func Row(i, j int) int {
	i, j = min(i, j), max(i, j)
	return j*(j+1)/2 + i
}

// Entry is the entry (i, j), i ≤ j, in that place.
func Entry(row int) (i, j int) {
	j = int(math.Sqrt(2 * float64(row))) // that or one more
	if j*(j+1)/2 > row {
		j--
	}
	return row - j*(j+1)/2, j
}

// Unpack sets m, n × n, to the matrix of the triangle v.
func Unpack(m, v []float64, n int) {
	at := 0
	for j := range n {
		for i, e := range v[at : at+j] {
			e *= math.Sqrt2 / 2
			m[i*n+j], m[j*n+i] = e, e
		}
		at += j
		m[j*n+j] = v[at]
		at++
	}
}

// Pack sets, or adds to, the triangle v from the upper triangle of m, n × n.
func Pack(v, m []float64, n int, add bool) {
	at := 0
	for j := range n {
		for i := range j + 1 {
			e := m[i*n+j]
			if i < j {
				e *= math.Sqrt2
			}
			if add {
				e += v[at]
			}
			v[at] = e
			at++
		}
	}
}
