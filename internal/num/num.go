package num

import "math"

// NormInf is the largest entry of v in size, 0 of none; NaN where v has one.
func NormInf(v []float64) float64 {
	top := 0.0
	for _, e := range v {
		if a := math.Abs(e); !(a <= top) { // a branch that is seldom taken beats max
			if a != a {
				return a
			}
			top = a
		}
	}
	return top
}

// DistInf is the largest absolute difference of entries; NaN counts as +Inf.
func DistInf(x, y []float64) float64 {
	top := 0.0
	for j, v := range x {
		if d := math.Abs(v - y[j]); !(d <= top) {
			if top = d; math.IsNaN(d) {
				return math.Inf(1)
			}
		}
	}
	return top
}

// Norm1 is the sum of the sizes of the entries; NaN where v has one.
func Norm1(v []float64) float64 {
	sum := 0.0
	for _, e := range v {
		sum += math.Abs(e)
	}
	return sum
}

// Norm2 is ‖v‖₂ of entries of moderate size: their squares are summed as they
// are. NaN where v has one.
func Norm2(v []float64) float64 { return math.Sqrt(Dot(v, v)) }

// ScaledNorm2 is ‖v‖₂ of n entries of any size: each is divided by the largest so far before it is
// squared. NaN where v has one.
func ScaledNorm2(n int, at func(k int) float64) float64 {
	big, sq := 0.0, 0.0 // the norm is big·√sq
	for k := range n {
		switch e := math.Abs(at(k)); {
		case e > big:
			sq = 1 + sq*(big/e)*(big/e)
			big = e
		case e > 0:
			sq += (e / big) * (e / big)
		case math.IsNaN(e):
			return e
		}
	}
	if math.IsInf(big, 1) {
		return big
	}
	return big * math.Sqrt(sq)
}

// Dot is Σ x·y over the length of x, the sums of even and odd places added at the
// end.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	s0, s1 := 0.0, 0.0
	t := 0
	for ; t+2 <= len(x); t += 2 {
		s0 += x[t] * y[t]
		s1 += x[t+1] * y[t+1]
	}
	if t < len(x) {
		s0 += x[t] * y[t]
	}
	return s0 + s1
}

// Axpy is dst += α·x over the length of dst.
func Axpy(dst []float64, α float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += α * v
	}
}

// Scale multiplies v by α.
func Scale(v []float64, α float64) {
	for i := range v {
		v[i] *= α
	}
}

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// FirstNotFinite is the place of the first entry that is NaN or infinite, −1 for
// none.
func FirstNotFinite(v []float64) int {
	for i, e := range v {
		if !Finite(e) {
			return i
		}
	}
	return -1
}

// Cholesky overwrites the lower triangle of a, n × n by rows, by L with
// a = LLᵀ. It returns false where a is not positive definite.
func Cholesky(a []float64, n int) bool {
	for i := range n {
		ri := a[i*n:][:n]
		for j := range i {
			rj := a[j*n:][:n]
			ri[j] = (ri[j] - Dot(ri[:j], rj)) / rj[j]
		}
		d := ri[i] - Dot(ri[:i], ri)
		if !(d > 0 && Finite(d)) {
			return false
		}
		ri[i] = math.Sqrt(d)
	}
	return true
}

// Smallest is number k, from 0, of the list in ascending order, which it reorders: Hoare's
// selection.
func Smallest(list []float64, k int) float64 {
	for lo, hi := 0, len(list)-1; lo < hi; {
		pivot := list[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for pivot < list[j] {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return list[k]
		}
	}
	return list[k]
}
