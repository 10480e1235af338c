package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// orthogonalise rotates the rows of m, n × n, until they are orthogonal, those
// of r with them, and sets norms to the norms of m's: the one-sided Jacobi
// method for singular values. Near the central path they are nearly orthogonal
// from the start.
func orthogonalise(m, r, norms []float64, n int) {
	for range maxSweeps {
		for i := range n {
			norms[i] = num.Dot(m[i*n:][:n], m[i*n:])
		}
		rotated := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				x, y := m[i*n:][:n], m[j*n:][:n]
				xy := num.Dot(x, y)
				if !(math.Abs(xy) > orthogonal*math.Sqrt(norms[i])*math.Sqrt(norms[j])) {
					continue
				}
				rotated = true
				ζ := (norms[j] - norms[i]) / (2 * xy)
				t := math.Copysign(1/(math.Abs(ζ)+math.Hypot(1, ζ)), ζ)
				cos := 1 / math.Hypot(1, t)
				sin := cos * t
				rotate(x, y, cos, sin)
				rotate(r[i*n:][:n], r[j*n:][:n], cos, sin)
				norms[i] -= t * xy
				norms[j] += t * xy
			}
		}
		if !rotated {
			break
		}
	}
	for i := range n {
		norms[i] = num.Norm2(m[i*n:][:n])
	}
}

// Source: one-sided Jacobi converges quadratically, in 6 to 10 sweeps; a limit against
// data that are no numbers. orthogonal is a hundred unit roundoffs.
const (
	maxSweeps  = 30
	orthogonal = 1e-14 // cosine of rows that count as such
)

func rotate(x, y []float64, cos, sin float64) {
	y = y[:len(x)]
	for k, v := range x {
		w := y[k]
		x[k] = cos*v - sin*w
		y[k] = sin*v + cos*w
	}
}

// tridiagonal finds least eigenvalues.
type tridiagonal struct {
	n       int
	d, e, p []float64
	wide    bool // the processor has the registers for the kernels
}

// leastWide is the length from which a call of a kernel pays.
// Source: that of package kkt, four registers.
const leastWide = 16

func newTridiagonal(n int) tridiagonal {
	return tridiagonal{n: n, d: make([]float64, n), e: make([]float64, n), p: make([]float64, n), wide: n >= large && cpu.Wide()}
}

// least is the least eigenvalue of the symmetric a, n × n, from below, or NaN where ends, which counts
// multiplications, says so. It overwrites a.
func (t *tridiagonal) least(a []float64, ends func(work int) bool) float64 {
	if !t.reduce(a, ends) {
		return math.NaN()
	}
	// All eigenvalues are within the circles of Gershgorin.
	lo, hi := math.Inf(1), math.Inf(1)
	size := 0.0
	for i, d := range t.d {
		r := math.Abs(t.e[i])
		if i > 0 {
			r += math.Abs(t.e[i-1])
		}
		lo, hi = min(lo, d-r), min(hi, d)
		size = max(size, math.Abs(d)+r)
	}
	if !(size <= math.MaxFloat64) {
		return math.NaN()
	}
	for hi-lo > 4e-16*size {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if t.below(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// below reports whether an eigenvalue is below λ.
func (t *tridiagonal) below(λ float64) bool {
	d := t.d[0] - λ
	if d < 0 {
		return true
	}
	for i := 1; i < t.n; i++ {
		e := t.e[i-1]
		if d == 0 {
			if e != 0 {
				return true
			}
			d = t.d[i] - λ
		} else {
			d = t.d[i] - λ - e*(e/d)
		}
		if d < 0 {
			return true
		}
	}
	return false
}

// reduce sets d and e to the diagonals of a tridiagonal matrix that is similar
// to a, by Householder's reflections.
func (t *tridiagonal) reduce(a []float64, ends func(work int) bool) bool {
	n := t.n
	for k := range n - 1 {
		if ends(2 * (n - k) * (n - k)) {
			return false
		}
		v := a[k*n+k+1:][:n-k-1] // column k below the diagonal, kept in row k
		for i := range v {
			v[i] = a[(k+1+i)*n+k]
		}
		t.d[k] = a[k*n+k]
		alpha := num.Norm2(v)
		if alpha == 0 || len(v) == 1 {
			t.e[k] = v[0]
			continue
		}
		if v[0] > 0 {
			alpha = -alpha
		}
		t.e[k] = alpha
		v[0] -= alpha
		// H = I − βvvᵀ
		β := -1 / (alpha * v[0])
		p := t.p[:len(v)]
		clear(p)
		for i, e := range v { // p = βAv, by the lower triangle
			row := a[(k+1+i)*n+k+1:][:i+1]
			if t.wide && i >= leastWide {
				p[i] += simd.DotAxpy(&row[0], &v[0], &p[0], e, i) + row[i]*e
				continue
			}
			p[i] += num.Dot(row, v)
			num.Axpy(p[:i], e, row)
		}
		num.Scale(p, β)
		num.Axpy(p, -β/2*num.Dot(p, v), v)
		for i, e := range v { // A −= vpᵀ + pvᵀ
			row, f := a[(k+1+i)*n+k+1:][:i+1], p[i]
			if t.wide && i >= leastWide {
				simd.Axpy(&row[0], &p[0], -e, i+1)
				simd.Axpy(&row[0], &v[0], -f, i+1)
				continue
			}
			for j := range row {
				row[j] -= e*p[j] + f*v[j]
			}
		}
	}
	t.d[n-1], t.e[n-1] = a[n*n-1], 0
	return true
}
